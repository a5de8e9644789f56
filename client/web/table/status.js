/* What goes on at a table, in sentences, as `me` reads them: a seat, or null.  Strings in, strings out:
   no DOM. */

/** @import * as wire from "../library/messages.js" */

import { isSeriesOn } from "../library/replica.js";
import { resultText } from "../library/result.js";
import { seriesText } from "../library/series.js";
import { isolated, playerTitle, unlisted } from "../library/words.js";
import { words } from "../texts/words.js";

const { table: texts } = words;

/** What is going on in a room, in one sentence; `expected` is who was invited just now, or null; `why`
 *  puts the reason of a result in words.
 *  @param {wire.RoomState} room
 *  @param {wire.MatchState | null} match
 *  @param {number | null} me
 *  @param {{expected: string | null, why?: (reason: string) => string | undefined, asks?: string | null}} more `asks`: what the board asks */
export function statusText(room, match, me, { expected, why, asks = null }) {
  if (room.state === "playing" && match && !match.result) return turnText(match, me, asks);
  const result = match?.result ? `${endText(match, room, me, why)} ` : "";
  if (room.state === "closed") return `${result}${texts.closed}`;
  if (room.state === "over") return result.trim();
  return (result + waitingText(room, me, expected)).trim();
}

/** How a match ended, and what its series has come to.
 *  @param {wire.MatchState} match that is over
 *  @param {wire.RoomState | null} room
 *  @param {number | null} me
 *  @param {(reason: string) => string | undefined} [why] */
export function endText({ result, seats, series = null }, room, me, why) {
  const how = result ? resultText(result, seats, me, why) : "";
  const now = room?.series ?? series; // which may have been given up since
  return now === null ? how : `${how} ${seriesText(now, seats, me)}`;
}

/** @param {wire.MatchState} match
 *  @param {number | null} me
 *  @param {string | null} asks */
function turnText(match, me, asks) {
  const paused = match.clocks?.paused ?? null;
  if (paused !== null) return Object.hasOwn(texts.paused, paused) ? texts.paused[paused] : texts.paused.other(paused);
  if (match.to_move < 0) return texts.dice;
  return match.to_move === me ? asks ?? texts.yourTurn : asks ?? texts.toMove(playerTitle(match.seats[match.to_move]));
}

/** @param {wire.RoomState} room
 *  @param {number | null} me
 *  @param {string | null} expected */
function waitingText(room, me, expected) {
  if (me === null) {
    if (room.seats.includes(null)) return texts.seatFree;
    return room.match ? "" : texts.notBegun;
  }
  const other = room.seats[1 - me];
  if (!other && expected) return texts.called(isolated(expected));
  if (!other) return room.ready[me] ? texts.alone : texts.empty;
  if (isSeriesOn(room.series) && room.match && !room.ready[me]) return texts.nextSoon;
  if (room.ready[me]) return texts.waitsFor(playerTitle(other));
  return room.ready[1 - me] ? texts.wantsToPlay(playerTitle(other)) : "";
}

/** An open offer, as the one who made it or got it reads it.
 *  @param {wire.Offer_} offer
 *  @param {wire.MatchState} match
 *  @param {number | null} me */
export function offerText({ kind, seat, points }, match, me) {
  const name = playerTitle(match.seats[seat]);
  switch (kind) {
    case "draw": return seat === me ? texts.youOffer.draw : texts.offers.draw(name);
    case "takeback": return seat === me ? texts.youOffer.takeback : texts.offers.takeback(name);
    case "resign": return seat === me ? texts.youOffer.resign(points ?? 1) : texts.offers.resign(name, points ?? 1);
    default: return texts.offers.other(name, unlisted(kind));
  }
}

/** What became of the offers that were open before, in sentences: the player who made one is told.  `answered`:
 *  the kinds that were answered or withdrawn at this page.
 *  @param {wire.MatchState} before
 *  @param {wire.MatchState} after
 *  @param {number | null} me
 *  @param {ReadonlySet<string>} answered
 *  @returns {string[]} */
export function offerNews(before, after, me, answered) {
  if (before.match !== after.match || after.result) return [];
  const isOpen = (/** @type {wire.Offer_} */ { kind, seat }) =>
    after.offers?.some((offer) => offer.kind === kind && offer.seat === seat) ?? false;
  return (before.offers ?? []).filter((offer) => !isOpen(offer)).flatMap(({ kind, seat }) => {
    if (kind === "takeback" && after.ply < before.ply) return [texts.takenBack];
    if (after.ply !== before.ply) return seat === me ? [texts.lapsed] : [];
    if (me === null || answered.has(kind)) return [];
    if (seat !== me) return [texts.withdrawn(playerTitle(after.seats[seat]))];
    const name = playerTitle(after.seats[1 - seat]);
    return [Object.hasOwn(texts.declined, kind) ? texts.declined[kind](name) : texts.declined.other(name)];
  });
}

/** An action as it is told: "Bert plays column 4."  `say` puts the action in words.
 *  @param {wire.Event} event
 *  @param {wire.Player[]} seats
 *  @param {number | null} me
 *  @param {(action: string) => string | undefined} say
 *  @param {(action: string, name: string | null) => string | null | undefined} [told] says what is no move */
export function eventText({ seat = null, action }, seats, me, say, told) {
  const text = action ?? "";
  if (seat === null || seat < 0) return texts.rolled([...text].join("-"));
  const sentence = told?.(text, seat === me ? null : playerTitle(seats[seat])) ?? null;
  if (sentence !== null) return sentence;
  const what = say(text) || text;
  return seat === me ? texts.youPlay(what) : texts.plays({ name: playerTitle(seats[seat]), action: what });
}

/** What is told of an opponent who is away; `claimMs`: when the win can be claimed, null: not at all.
 *  @param {string} name
 *  @param {{claimMs: number | null, hasClock: boolean}} state */
export function absenceText(name, { claimMs, hasClock }) {
  if (claimMs === null) return hasClock ? texts.leftClock(name) : texts.left(name);
  return claimMs > 0 ? texts.leftClaim({ name, time: inSeconds(claimMs) }) : texts.leftNow(name);
}

/** What is told before both sides have begun; `ms`: how long the player to move has for it.
 *  @param {wire.MatchState} match
 *  @param {number | null} me
 *  @param {number} ms */
export function beginText({ seats, to_move: toMove, clocks }, me, ms) {
  const away = seats.find(({ absent }) => absent);
  if (away) return texts.begin.waits(playerTitle(away));
  const isVoid = (clocks?.running ?? null) === null;
  return toMove === me ? texts.begin.yours({ time: inSeconds(ms), isVoid }) : texts.begin.theirs({ name: playerTitle(seats[toMove]), time: inSeconds(ms), isVoid });
}

/** A time that is waited for: 0:52, or 72 hours.
 *  @param {number} ms */
export function inSeconds(ms) {
  const seconds = Math.ceil(ms / 1000);
  if (seconds > 3_600) return texts.hours(Math.ceil(seconds / 3_600));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
