/* What a view of a match says to a backgammon board: what is asked, what has happened, what is new since another
   view.  No DOM in here. */

/** @import { BoardView } from "../board.js" */
/** @import { Die } from "./dice.js" */
/** @import { Turn } from "./turn.js" */
/** `dice`: the larger first, as they were rolled.
 *  @typedef {{seat: number, dice: number[], action: string, seq: number}} PlayedTurn */
/** What is new: somebody's turn, or a roll and whose it is.
 *  @typedef {{seat: number, roll: number[], action: null} | {seat: number, roll: null, action: string}} News */

import * as turns from "./turn.js";

export const PASS = "pass";

/** Whether either of two dice can be played first.
 *  @param {Turn} turn */
export const canSwap = (turn) => new Set(turn.left).size > 1 && turn.steps.length > 0;

/** The turn that a view asks for, or null; in a variant `each` side has other than fifteen checkers.
 *  @param {BoardView} view
 *  @param {number} [each] */
export function newTurn({ position, legal, seat }, each) {
  if (legal === null || seat === null) return null;
  const parsed = turns.parsePosition(position, each);
  return turns.begin(turns.boardOf(parsed, seat), parsed.dice, legal);
}

/** What the viewer is asked, as a text that tells one question from another.
 *  @param {BoardView} view */
export function questionOf({ position, legal, seat }) {
  return legal === null ? null : [position, seat, ...legal].join();
}

/** Whether two views show the same position to the same seat.
 *  @param {BoardView} before
 *  @param {BoardView} view */
export function isSamePosition(before, { position, seat, toMove }) {
  return before.position === position && before.seat === seat && before.toMove === toMove;
}

/** Whether the board is to be seen in another way.
 *  @param {BoardView} before
 *  @param {BoardView} view */
export const isOtherShape = (before, { flip, coordinates }) => before.flip !== flip || before.coordinates !== coordinates;

/** Whether there is nothing new to draw.
 *  @param {BoardView} before
 *  @param {BoardView} view */
export function isSameMoment(before, view) {
  const newest = (/** @type {BoardView} */ { events, over, marks, names }) =>
    `${events.at(-1)?.seq} ${over} ${JSON.stringify([marks, names])}`;
  return (
    isSamePosition(before, view) &&
    questionOf(before) === questionOf(view) &&
    newest(before) === newest(view) &&
    !isOtherShape(before, view)
  );
}

/** The dice as they were rolled, in the order that the viewer wants them, the used ones marked.
 *  @param {Turn} turn
 *  @returns {Die[]} */
export function diceOfTurn(turn) {
  const all = turns.undoAll(turn).left;
  const isUsed = (/** @type {number} */ value, /** @type {number} */ index) => {
    if (turn.steps.length === 0) return true; // what is left cannot be played
    return all.length > 2 ? index < all.length - turn.left.length : !turn.left.includes(value);
  };
  return all.map((value, index) => ({ value, isUsed: isUsed(value, index), isFirst: index === 0 && canSwap(turn) }));
}

/** How many checkers a turn took from each point and brought to each, as Maps; a point that one left
 *  and another one came to does not count.
 *  @param {string} action */
export function endsOf(action) {
  /** @type {Map<number, number>} */
  const change = new Map();
  const add = (/** @type {number} */ point, /** @type {number} */ count) =>
    change.set(point, (change.get(point) ?? 0) + count);
  for (const path of turns.parseAction(action)) {
    add(path[0], -1);
    add(path[path.length - 1], 1);
  }
  const from = [...change].filter(([, count]) => count < 0);
  const to = [...change].filter(([, count]) => count > 0);
  return { from: new Map(from.map(([point, count]) => [point, -count])), to: new Map(to) };
}

/** The dice of a seat: those of the turn that it builds, those that it is to play, or its last ones.
 *  @param {BoardView} view
 *  @param {PlayedTurn[]} past
 *  @param {number} seat
 *  @param {Turn | null} turn that this seat builds
 *  @returns {Die[]} */
export function diceOf({ position, toMove }, past, seat, turn) {
  if (turn !== null) return diceOfTurn(turn);
  const isUsed = seat !== toMove;
  const rolled = isUsed ? (past.findLast((each) => each.seat === seat)?.dice ?? []) : turns.parsePosition(position).dice;
  return turns.diceToPlay(rolled).map((value) => ({ value, isUsed }));
}

/** @param {string | null | undefined} action */
const diceIn = (action) => [...(action ?? "")].map(Number).sort((a, b) => b - a);

/** The turns in a view's events, in order.
 *  @param {BoardView} view
 *  @returns {PlayedTurn[]} */
export function turnsIn({ events, last }) {
  const played = [];
  /** @type {number[]} */
  let dice = [];
  for (const { kind, seat, action, seq } of events) {
    if (kind === "roll") {
      dice = diceIn(action);
    } else {
      played.push({ seat: seat ?? 0, dice, action: action ?? PASS, seq });
      dice = [];
    }
  }
  if (events.length === 0 && last !== null) played.push({ ...last, dice, seq: 0 });
  return played;
}

/** What has happened since another view of the same match, in order.
 *  @param {BoardView} before
 *  @param {BoardView} view
 *  @returns {News[]} */
export function newsSince(before, view) {
  const newest = before.events.at(-1)?.seq ?? 0;
  const events = view.events.filter(({ seq }) => seq > newest);
  return events.map(({ kind, seat, action }, index) => {
    if (kind !== "roll") return { seat: seat ?? 0, roll: null, action: action ?? PASS };
    const next = events.slice(index + 1).find((each) => each.kind !== "roll");
    return { seat: next?.seat ?? view.toMove, roll: diceIn(action), action: null };
  });
}

/** Who had to pass in the newest turn, or null.
 *  @param {PlayedTurn[]} past */
export function whoPassed(past) {
  const last = past.at(-1);
  return last?.action === PASS ? last.seat : null;
}
