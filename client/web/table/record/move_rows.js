/* The actions of a match as the rows of its list.  No DOM in here. */

/** @import { Action } from "../../library/replica.js" */
/** @typedef {{number: number, cells: [string, string], notes: [string, string], plies: [number, number]}} MoveRow
 *  `plies`: how many actions had been played after each, 0 where there is none. */

/** One row for each two turns.  A roll stands before the turn that it belongs to, and what a ladder has
 *  set is in brackets; actions that are missing are left out.
 *  @param {(Action | undefined)[]} actions
 *  @returns {MoveRow[]} */
export function moveRows(actions) {
  /** @type {MoveRow[]} */
  const rows = [];
  let roll = "";
  for (const event of actions) {
    if (!event) continue;
    if (event.seat === -1) {
      roll = `${event.action}: `;
      continue;
    }
    let row = rows.at(-1);
    if (!row || row.cells[event.seat] !== "" || (event.seat === 0 && row.cells[1] !== "")) {
      row = { number: rows.length + 1, cells: ["", ""], notes: ["", ""], plies: [0, 0] };
      rows.push(row);
    }
    row.cells[event.seat] = roll + (event.kind === "opening" ? `(${event.action})` : event.action);
    row.notes[event.seat] = event.note ?? "";
    row.plies[event.seat] = event.ply + 1;
    roll = "";
  }
  return rows;
}
