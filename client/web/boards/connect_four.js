/* The board of connect four: seven columns, "1" to "7" from the left, where stones fall. */

import { cellsOf, drawing, pressable, seatOf, setMarks, setOpen, svg } from "./svg.js";

const SIZE = 60; // of a cell
const COLUMNS = 7;
const ROWS = 6;
const DIRECTIONS = [[1, 0], [0, 1], [1, 1], [1, -1]];

export function create(host, play) {
  const columns = Array.from({ length: COLUMNS }, (_, index) => new Column(index, play));
  const [width, height] = [COLUMNS * SIZE, ROWS * SIZE];
  const frame = svg("rect", { class: "frame", x: 1, y: 1, width: width - 2, height: height - 2, rx: 14 });
  host.append(drawing(width, height, "Connect four", frame, ...columns.map((column) => column.node)));
  return {
    show(view) {
      const rows = view.position.split(" ")[0].split("/").map((row) => cellsOf(row).map(seatOf));
      const won = view.over ? fourOf(rows) : [];
      columns.forEach((column) => column.show(view, rows, won));
    },
  };
}

/* The cells of all lines of four, as "row column"; rows are counted from the top. */
function fourOf(rows) {
  const found = [];
  for (let row = 0; row < ROWS; row++) {
    for (let column = 0; column < COLUMNS; column++) {
      for (const [right, down] of DIRECTIONS) {
        const line = [0, 1, 2, 3].map((step) => [row + step * down, column + step * right]);
        const seats = new Set(line.map(([r, c]) => rows[r]?.[c] ?? null));
        if (seats.size === 1 && !seats.has(null)) found.push(...line.map((cell) => cell.join(" ")));
      }
    }
  }
  return found;
}

class Column {
  constructor(index, play) {
    this.index = index;
    this.action = String(index + 1);
    this.stones = Array.from({ length: ROWS }, (_, row) => this.#stone(row));
    const ground = svg("rect", { class: "ground", x: index * SIZE, width: SIZE, height: ROWS * SIZE });
    this.node = svg("g", { class: "column", "data-column": this.action }, ground, ...this.stones);
    pressable(this.node, () => play(this.action));
  }

  show(view, rows, won) {
    const open = view.legal?.includes(this.action) ?? false;
    const seats = rows.map((row) => row[this.index]);
    const lowest = seats.lastIndexOf(null); // where the next stone falls to
    setOpen(this.node, open, `column ${this.action}, ${ROWS - lowest - 1} of ${ROWS} taken`);
    const lastHere = view.last?.action === this.action;
    this.stones.forEach((stone, row) => {
      const seat = seats[row];
      const ghost = open && row === lowest && view.seat !== null;
      const classes = ["stone", seat === null ? "" : `there seat-${seat}`, ghost ? `ghost seat-${view.seat}` : "",
        lastHere && row === lowest + 1 ? "last" : "", won.includes(`${row} ${this.index}`) ? "won" : ""];
      stone.setAttribute("class", classes.filter(Boolean).join(" "));
      setMarks(stone, row === lowest ? view.marks : [], this.action);
    });
  }

  /* A hole with its stone; the inner ring tells the seats apart without colours. */
  #stone(row) {
    const [x, y] = [(this.index + 0.5) * SIZE, (row + 0.5) * SIZE];
    return svg("g", { class: "stone", "data-cell": `${this.action}-${ROWS - row}` },
      svg("circle", { class: "hole", cx: x, cy: y, r: SIZE * 0.4 }),
      svg("circle", { class: "disc", cx: x, cy: y, r: SIZE * 0.4 }),
      svg("circle", { class: "ring", cx: x, cy: y, r: SIZE * 0.22 }),
      svg("circle", { class: "dot", cx: x, cy: y, r: SIZE * 0.08 }),
      svg("circle", { class: "aim", cx: x, cy: y, r: SIZE * 0.34 }));
  }
}
