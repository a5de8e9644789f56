/* The board of ultimate tic-tac-toe: nine boards of nine cells; an action is board and cell, "11" to
   "99".  Where one may play is lit; a board that is won shows its winner's stone. */

/** @import { BoardView } from "./board.js" */

import { svg } from "../page/dom.js";
import { Cell, lineOf, NINE, rowAndColumn } from "./nine_cells.js";
import { crossOrRing, drawing, seatsOf } from "./shapes.js";

const CELL = 40;
const LOOK = { size: CELL, ground: { inset: 2, radius: 5 }, aim: { inset: 5, radius: 6 } };
const BOARD = 132; // three cells and a margin
const MARGIN = (BOARD - 3 * CELL) / 2;

/** @param {HTMLElement} host
 *  @param {(action: string) => unknown} play */
export function create(host, play) {
  const boards = NINE.map((index) => new SmallBoard(index, play));
  const grid = svg("path", { class: "grid", d: "M132 4V392M264 4V392M4 132H392M4 264H392" });
  host.append(drawing(3 * BOARD, 3 * BOARD, "Ultimate tic-tac-toe", grid, ...boards.map((board) => board.node)));
  return {
    /** @param {BoardView} view */
    show(view) {
      const { seats, forced } = read(view.position);
      const winners = seats.map((cells) => cells[lineOf(cells)[0]] ?? null);
      const won = view.over ? lineOf(winners) : [];
      boards.forEach((board, index) => {
        const isClosed = winners[index] !== null || !seats[index].includes(null);
        const isLit = !view.over && !isClosed && (forced === null || forced === index);
        board.show(view, seats[index], { winner: winners[index], isLit, isWon: won.includes(index) });
      });
    },
  };
}

/** The seats of the cells, board by board, and the board to play on, null for any.
 *  @param {string} position */
function read(position) {
  const [picture, , forced = "-"] = position.split(" ");
  const rows = picture.split("/").map(seatsOf);
  const seats = NINE.map((outer) => NINE.map((inner) => {
    const [[row, column], [innerRow, innerColumn]] = [rowAndColumn(outer), rowAndColumn(inner)];
    return rows[3 * row + innerRow][3 * column + innerColumn];
  }));
  return { seats, forced: forced === "-" ? null : Number(forced) - 1 };
}

/** One of the nine boards. */
class SmallBoard {
  /** @param {number} index
   *  @param {(action: string) => unknown} play */
  constructor(index, play) {
    const [row, column] = rowAndColumn(index);
    const [x, y] = [column * BOARD, row * BOARD];
    const [left, top] = [x + MARGIN, y + MARGIN];
    this.cells = NINE.map((inner) => {
      const [innerRow, innerColumn] = rowAndColumn(inner);
      const [board, cell] = [index + 1, inner + 1];
      return new Cell(`${board}${cell}`, `board ${board} cell ${cell}`,
        [left + innerColumn * CELL, top + innerRow * CELL], LOOK, play);
    });
    this.winners = [0, 1].map((seat) => crossOrRing(seat, left, top, 3 * CELL));
    const ground = svg("rect", { class: "ground", x: x + 3, y: y + 3, width: BOARD - 6, height: BOARD - 6, rx: 8 });
    const lines = [CELL, 2 * CELL].map((d) =>
      `M${left + d} ${top + 4}v${3 * CELL - 8}M${left + 4} ${top + d}h${3 * CELL - 8}`);
    const grid = svg("path", { class: "small-grid", d: lines.join("") });
    this.node = svg("g", { class: "small", "data-board": index + 1 }, ground, grid,
      ...this.cells.map((cell) => cell.node), ...this.winners);
  }

  /** @param {BoardView} view
   *  @param {(number | null)[]} seats of its cells
   *  @param {{winner: number | null, isLit: boolean, isWon: boolean}} state */
  show(view, seats, { winner, isLit, isWon }) {
    this.node.classList.toggle("lit", isLit);
    this.node.classList.toggle("won", isWon);
    this.node.classList.toggle("taken", winner !== null);
    this.winners.forEach((stone, seat) => stone.classList.toggle("there", seat === winner));
    this.cells.forEach((cell, inner) => cell.show(view, seats[inner]));
  }
}
