/* Nine cells in a square: what tic-tac-toe and each small board of its ultimate form are made of. */

/** @import { BoardView } from "../board.js" */

import { svg } from "../../page/dom.js";
import { setMarks } from "../shapes.js";
import { planOf } from "../view.js";
import { mark } from "./ink.js";

const LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

export const NINE = [...Array(9).keys()];

/** The three places in a row that belong to one seat, or none.
 *  @param {(number | null)[]} seats of nine places
 *  @returns {number[]} */
export function lineOf(seats) {
  return LINES.find(([a, b, c]) => seats[a] !== null && seats[a] === seats[b] && seats[a] === seats[c]) ?? [];
}

/** The row and the column of the `index`-th of nine places.
 *  @param {number} index */
export const rowAndColumn = (index) => [Math.floor(index / 3), index % 3];

/** How a cell is drawn: its size, how far its ground stays inside, how round that is.
 *  @typedef {{size: number, inset: number, radius: number}} CellLook */

/** The drawing of a cell: its ground, a number, the mark of each seat, and what points it out. */
export class Cell {
  /** @param {string} action that is played there
   *  @param {number} index among its neighbours
   *  @param {[number, number]} corner
   *  @param {CellLook} look */
  constructor(action, index, [x, y], { size, inset, radius }) {
    this.action = action;
    this.marks = [0, 1].map((seat) => mark(seat, { x, y, size, index }));
    const square = (/** @type {number} */ by) =>
      ({ x: x + by, y: y + by, width: size - 2 * by, height: size - 2 * by, rx: radius });
    const number = svg("text", { class: "number", x: x + size / 2, y: y + size / 2, "font-size": Math.max(13, size * 0.2) }, action);
    this.node = svg("g", { class: "cell" }, svg("rect", { class: "ground", ...square(inset) }), number, ...this.marks,
      svg("rect", { class: "aim", ...square(2.5 * inset) }));
  }

  /** @param {BoardView} view
   *  @param {number | null} seat whose mark is on it
   *  @param {boolean} isWon */
  show(view, seat, isWon = false) {
    const isOpen = view.legal?.includes(this.action) ?? false;
    const plan = planOf(view, this.action);
    const { classList } = this.node;
    classList.toggle("open", isOpen);
    classList.toggle("empty", seat === null);
    classList.toggle("last", view.last?.action === this.action && seat !== null);
    classList.toggle("won", isWon);
    setMarks(this.node, view.marks, this.action);
    this.marks.forEach((each, owner) => {
      each.classList.toggle("there", seat === owner);
      each.classList.toggle("ghost", (isOpen || plan !== null) && view.seat === owner); // shown while one points at it
    });
  }
}
