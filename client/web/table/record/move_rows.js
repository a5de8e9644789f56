/* The actions of a match as the rows of its list.  No DOM in here. */

/** @import { Action } from "../../library/replica.js" */
/** @typedef {{number: number, cells: [string, string], notes: [string, string], plies: [number, number]}} MoveRow
 *  `plies`: how many actions had been played after each, 0 where there is none. */

import { words } from "../../texts/words.js";

const { cube: texts } = words.boards;
const RAISES = new Set(["double", "beaver", "raccoon"]);

/** One row for each two turns.  A decision to roll is seen by its dice, and a double says to what.  A roll stands before the turn that it belongs to, and what a ladder has
 *  set is in brackets; actions that are missing are left out.
 *  @param {(Action | undefined)[]} actions
 *  @returns {MoveRow[]} */
export function moveRows(actions) {
  /** @type {MoveRow[]} */
  const rows = [];
  let roll = "";
  let stake = 1; // of the cube, as it is offered last
  for (const event of actions) {
    if (!event) continue;
    if (event.seat === -1) {
      roll = `${rollText(event.action)}: `;
      continue;
    }
    if (event.action === "roll") continue;
    if (RAISES.has(event.action)) stake *= 2;
    let row = rows.at(-1);
    if (!row || row.cells[event.seat] !== "" || (event.seat === 0 && row.cells[1] !== "")) {
      row = { number: rows.length + 1, cells: ["", ""], notes: ["", ""], plies: [0, 0] };
      rows.push(row);
    }
    row.cells[event.seat] = roll + (event.kind === "opening" ? `(${event.action})` : inWords(event.action, stake));
    row.notes[event.seat] = event.note ?? "";
    row.plies[event.seat] = event.ply + 1;
    roll = "";
  }
  return rows;
}

/** Where a match is after so many actions, as its list counts.
 *  @param {(Action | undefined)[]} actions
 *  @param {number} at */
export function numberAt(actions, at) {
  const rows = moveRows(actions);
  return { move: rows.filter(({ plies }) => plies.some((ply) => ply > 0 && ply <= at)).length, of: rows.length };
}

/** A roll as it is written, the larger die first, also where each side has rolled one.
 *  @param {string} action */
export const rollText = (action) => (/^[1-6]{2}$/.test(action) ? [...action].sort().reverse().join("") : action);

/** A decision about the cube in words; any other action as it is written.
 *  @param {string} action
 *  @param {number} stake */
function inWords(action, stake) {
  if (!Object.hasOwn(texts.actions, action)) return action;
  const word = texts.actions[/** @type {keyof typeof texts.actions} */ (action)];
  return RAISES.has(action) ? `${word} ${texts.to(stake)}` : word;
}
