/* What boards say in words of a position: whose is what, what was last, who is next.  No DOM in here. */

/** @import { BoardView, Typed } from "../board.js" */
/** Somebody at the board, to be spoken of: the reader, or another one by name.
 *  @typedef {{isMe: boolean, name: string}} Who */

import { words } from "../../texts/words.js";
import { choosable } from "../view.js";

/** Who sits on a seat, as the reader of the board calls them.
 *  @param {BoardView} view
 *  @param {number} seat
 *  @returns {Who} */
export const whoOf = (view, seat) =>
  ({ isMe: seat === view.seat, name: view.names?.[seat] ?? words.boards.seats[seat] });

/** @param {BoardView} view
 *  @param {number | null} seat */
export const ownerOf = (view, seat) => (seat === null ? null : whoOf(view, seat));

/** Sentences that say a position: `what` is on the board, what was played last, and who is next.
 *  @param {BoardView} view
 *  @param {string[]} what
 *  @param {(action: string) => string} say */
export function tell(view, what, say) {
  const { last, over, toMove } = view;
  const told = last ? [words.boards.lastMove({ who: whoOf(view, last.seat), action: say(last.action) })] : [];
  const next = over ? words.boards.over : toMove < 0 ? "" : words.boards.next(whoOf(view, toMove));
  return [...what, ...told, next].filter(Boolean).join(" ");
}

/** What becomes of typed text where each key is an action: "4" of connect four.
 *  @param {BoardView | null} view
 *  @param {string} text
 *  @param {(action: string) => unknown} play
 *  @returns {Typed} */
export function typeOne(view, text, play) {
  if (text === "") return "more";
  if (!choosable(view).includes(text)) return "wrong";
  play(text);
  return "played";
}
