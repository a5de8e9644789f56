/* What a board is shown: before a match, and of a match that is gone through again.  No DOM in here. */

/** @import { BoardView, Mark } from "./board.js" */
/** @import { Event } from "../library/messages.js" */
/** @import { Moment } from "../library/replica.js" */

const NEWEST = 8; // events: as many as the message of a match that is on brings

/** What a press on the board chooses: a play, or a plan.
 *  @param {BoardView | null} view */
export const choosable = (view) => view?.legal ?? view?.plans ?? [];

/** Whether an action may be planned now, or is planned already.
 *  @param {BoardView} view
 *  @param {string} action
 *  @returns {"may" | "set" | null} */
export function planOf({ plans, marks }, action) {
  if (!plans?.includes(action)) return null;
  return marks.some((mark) => mark.kind === "plan" && mark.action === action) ? "set" : "may";
}

/** The last decision, which no roll is.
 *  @param {(Event | null)[]} events
 *  @returns {BoardView["last"]} */
export function lastDecision(events) {
  const last = events.findLast((event) => (event?.seat ?? -1) >= 0);
  return last ? { seat: last.seat ?? 0, action: last.action ?? "" } : null;
}

/** The position before the first match.
 *  @param {string} position
 *  @param {number | null} seat
 *  @returns {BoardView} */
export const emptyView = (position, seat) =>
  ({ position, legal: null, seat, toMove: -2, last: null, events: [], over: true, marks: [] });

/** The position at a ply of a match.
 *  @param {Moment[]} moments
 *  @param {number} ply
 *  @param {{seat: number | null, over: boolean, marks: Mark[]}} look
 *  @returns {BoardView} */
export function viewAt(moments, ply, { seat, over, marks }) {
  const { position, to_move: toMove } = moments[ply];
  const events = moments.slice(1, ply + 1).flatMap(({ event }) => (event ? [event] : []));
  return { position: position ?? "", legal: null, seat, toMove: toMove ?? -2, last: lastDecision(events),
    events: events.slice(-NEWEST), over, marks };
}
