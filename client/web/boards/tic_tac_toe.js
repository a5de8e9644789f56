/* The board of tic-tac-toe: nine cells, "1" to "9" from the top left. */

/** @import { BoardView } from "./board.js" */

import { svg } from "../page/dom.js";
import { Cell, lineOf, NINE, rowAndColumn } from "./nine_cells.js";
import { drawing, seatsOf } from "./shapes.js";

const SIZE = 100; // of a cell
const LOOK = { size: SIZE, ground: { inset: 4, radius: 10 }, aim: { inset: 14, radius: 14 } };

/** @param {HTMLElement} host
 *  @param {(action: string) => unknown} play */
export function create(host, play) {
  const cells = NINE.map((index) => {
    const [row, column] = rowAndColumn(index);
    const action = String(index + 1);
    return new Cell(action, `cell ${action}`, [column * SIZE, row * SIZE], LOOK, play);
  });
  const grid = svg("path", { class: "grid", d: "M100 8V292M200 8V292M8 100H292M8 200H292" });
  host.append(drawing(3 * SIZE, 3 * SIZE, "Tic-tac-toe", ...cells.map((cell) => cell.node), grid));
  return {
    /** @param {BoardView} view */
    show(view) {
      const seats = view.position.split(" ")[0].split("/").flatMap(seatsOf);
      const won = view.over ? lineOf(seats) : [];
      cells.forEach((cell, index) => cell.show(view, seats[index], won.includes(index)));
    },
  };
}
