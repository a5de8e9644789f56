/* What goes on at a table, in sentences, as `me` reads them: a seat, or null.  Strings in, strings out:
   no DOM. */

/** @import * as wire from "../library/messages.js" */

import { resultText } from "../library/result.js";
import { playerTitle, unlisted } from "../library/words.js";

/** What is going on in a room, in one sentence; `expected` is who was invited just now, or null.
 *  @param {wire.RoomState} room
 *  @param {wire.MatchState | null} match
 *  @param {number | null} me
 *  @param {string | null} expected */
export function statusText(room, match, me, expected) {
  if (room.state === "playing" && match && !match.result) return turnText(match, me);
  const result = match?.result ? `${resultText(match.result, match.seats, me)} ` : "";
  if (room.state === "closed") return `${result}This room is closed.`;
  if (room.state === "over") return result.trim();
  return result + waitingText(room, me, expected);
}

/** @param {wire.MatchState} match
 *  @param {number | null} me */
function turnText(match, me) {
  const paused = match.clocks?.paused ?? null;
  if (paused !== null) return pauseText(paused);
  if (match.to_move < 0) return "The dice are rolled.";
  return match.to_move === me ? "Your turn." : `${playerTitle(match.seats[match.to_move])} to move.`;
}

/** @param {wire.Clocks["paused"] & string} reason */
function pauseText(reason) {
  switch (reason) {
    case "pair": return "The clock waits for the other match of this pair.";
    case "server": return "The clock waits: the server was restarted.";
    case "store": return "The clock waits: the server cannot store anything just now.";
    default: return `The clock waits: ${unlisted(reason)}.`;
  }
}

/** @param {wire.RoomState} room
 *  @param {number | null} me
 *  @param {string | null} expected */
function waitingText(room, me, expected) {
  if (me === null) {
    if (room.seats.includes(null)) return "A seat is free.";
    return room.match ? "" : "The match has not begun.";
  }
  const other = room.seats[1 - me];
  if (!other && expected) return `${expected} is called …`;
  if (!other) return room.ready[me] ? "Waiting for somebody to sit down." : "Nobody sits opposite.";
  if (room.ready[me]) return `Waiting for ${playerTitle(other)} to be ready.`;
  return room.ready[1 - me] ? `${playerTitle(other)} wants to play.` : "";
}

/** An open offer, as the one who made it or got it reads it.
 *  @param {wire.Offer_} offer
 *  @param {wire.MatchState} match
 *  @param {number | null} me */
export function offerText({ kind, seat, points }, match, me) {
  const [who, s] = seat === me ? ["You", ""] : [playerTitle(match.seats[seat]), "s"];
  switch (kind) {
    case "draw": return `${who} offer${s} a draw.`;
    case "resign": return `${who} offer${s} to resign for ${points ?? 1} ${points === 1 ? "point" : "points"}.`;
    case "takeback": return `${who} ask${s} to take back the last move.`;
    default: return `${who} offer${s} “${unlisted(kind)}”, which this page does not know.`;
  }
}
