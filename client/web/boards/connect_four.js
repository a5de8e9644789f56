/* The board of connect four: seven columns, "1" to "7" from the left, where stones fall. */

/** @import { BoardView } from "./board.js" */

import { svg } from "../page/dom.js";
import { drawing, pressable, seatsOf, setMarks, setOpen } from "./shapes.js";

const SIZE = 60; // of a cell
const COLUMNS = 7;
const ROWS = 6;
const DIRECTIONS = [[1, 0], [0, 1], [1, 1], [1, -1]];

/** @param {HTMLElement} host
 *  @param {(action: string) => unknown} play */
export function create(host, play) {
  const columns = Array.from({ length: COLUMNS }, (_, index) => new Column(index, play));
  const [width, height] = [COLUMNS * SIZE, ROWS * SIZE];
  const frame = svg("rect", { class: "frame", x: 1, y: 1, width: width - 2, height: height - 2, rx: 14 });
  host.append(drawing(width, height, "Connect four", frame, ...columns.map((column) => column.node)));
  return {
    /** @param {BoardView} view */
    show(view) {
      const rows = view.position.split(" ")[0].split("/").map(seatsOf);
      const won = view.over ? foursOf(rows) : new Set();
      columns.forEach((column) => column.show(view, rows, won));
    },
  };
}

/** The cells of all lines of four, as "row column"; rows are counted from the top.
 *  @param {(number | null)[][]} rows */
function foursOf(rows) {
  const cells = new Set();
  for (let row = 0; row < ROWS; row++) {
    for (let column = 0; column < COLUMNS; column++) {
      for (const [right, down] of DIRECTIONS) {
        const line = [0, 1, 2, 3].map((step) => [row + step * down, column + step * right]);
        const seats = new Set(line.map(([r, c]) => rows[r]?.[c] ?? null));
        if (seats.size === 1 && !seats.has(null)) line.forEach((cell) => cells.add(cell.join(" ")));
      }
    }
  }
  return cells;
}

class Column {
  /** @param {number} index
   *  @param {(action: string) => unknown} play */
  constructor(index, play) {
    this.index = index;
    this.action = String(index + 1);
    this.stones = Array.from({ length: ROWS }, (_, row) => this.#stone(row));
    const ground = svg("rect", { class: "ground", x: index * SIZE, width: SIZE, height: ROWS * SIZE });
    this.node = svg("g", { class: "column", "data-column": this.action }, ground, ...this.stones);
    pressable(this.node, () => play(this.action));
  }

  /** @param {BoardView} view
   *  @param {(number | null)[][]} rows
   *  @param {Set<unknown>} won */
  show(view, rows, won) {
    const isOpen = view.legal?.includes(this.action) ?? false;
    const seats = rows.map((row) => row[this.index]);
    const lowest = seats.lastIndexOf(null); // where the next stone falls to
    setOpen(this.node, isOpen, `column ${this.action}, ${ROWS - lowest - 1} of ${ROWS} taken`);
    const isLast = view.last?.action === this.action;
    this.stones.forEach((stone, row) => {
      const seat = seats[row];
      const isGhost = isOpen && row === lowest && view.seat !== null;
      const classes = ["stone", seat === null ? "" : `there seat-${seat}`, isGhost ? `ghost seat-${view.seat}` : "",
        isLast && row === lowest + 1 ? "last" : "", won.has(`${row} ${this.index}`) ? "won" : ""];
      stone.setAttribute("class", classes.filter(Boolean).join(" "));
      setMarks(stone, row === lowest ? view.marks : [], this.action);
    });
  }

  /** A hole with its stone; the inner ring tells the seats apart without colours.
   *  @param {number} row */
  #stone(row) {
    const circle = (/** @type {string} */ kind, /** @type {number} */ radius) => svg("circle",
      { class: kind, cx: (this.index + 0.5) * SIZE, cy: (row + 0.5) * SIZE, r: SIZE * radius });
    return svg("g", { class: "stone", "data-cell": `${this.action}-${ROWS - row}` },
      circle("hole", 0.4), circle("disc", 0.4), circle("ring", 0.22), circle("dot", 0.08), circle("aim", 0.34));
  }
}
