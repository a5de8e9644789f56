/* Nine cells in a square: what tic-tac-toe and each small board of its ultimate form are made of. */

/** @import { BoardView } from "./board.js" */

import { svg } from "../page/dom.js";
import { crossOrRing, pressable, setMarks, setOpen } from "./shapes.js";

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

/** How a cell is drawn: `inset` and `radius` of its ground and of what points it out.
 *  @typedef {{size: number, ground: {inset: number, radius: number}, aim: {inset: number, radius: number}}} CellLook */

export class Cell {
  /** @param {string} action that is played by pressing it
   *  @param {string} name
   *  @param {[number, number]} corner
   *  @param {CellLook} look
   *  @param {(action: string) => unknown} play */
  constructor(action, name, [x, y], { size, ground, aim }, play) {
    this.action = action;
    this.name = name;
    this.stones = [0, 1].map((seat) => crossOrRing(seat, x, y, size));
    const square = (/** @type {{inset: number, radius: number}} */ { inset, radius }) =>
      ({ x: x + inset, y: y + inset, width: size - 2 * inset, height: size - 2 * inset, rx: radius });
    this.node = svg("g", { class: "cell", "data-cell": action }, svg("rect", square(ground)), ...this.stones,
      svg("rect", { class: "aim", ...square(aim) }));
    pressable(this.node, () => play(action));
  }

  /** @param {BoardView} view
   *  @param {number | null} seat whose stone is on it
   *  @param {boolean} isWon */
  show(view, seat, isWon = false) {
    const isOpen = view.legal?.includes(this.action) ?? false;
    setOpen(this.node, isOpen, `${this.name}, ${seat === null ? "empty" : ["X", "O"][seat]}`);
    this.node.classList.toggle("last", view.last?.action === this.action && seat !== null);
    this.node.classList.toggle("won", isWon);
    setMarks(this.node, view.marks, this.action);
    this.stones.forEach((stone, owner) => {
      stone.classList.toggle("there", seat === owner);
      stone.classList.toggle("ghost", isOpen && view.seat === owner); // shown while one points at it
    });
  }
}
