/* Numbers, times and sentences of a ladder's page, made of what texts/ladders says.  Strings in, strings
   out: no DOM.

   A rating or an error that the server leaves out is not known, or does not exist. */

/** @import * as wire from "../library/messages.js" */
/** @import { Catalog } from "../library/catalog.js" */
/** @import { Apart } from "./comparison.js" */
/** @typedef {Intl.DateTimeFormatOptions} DateLook */

import { matchPoints, resultReason } from "../library/result.js";
import { formatClock, formatScore, sentence } from "../library/words.js";
import { texts } from "../texts/ladders/words.js";
import { language, words } from "../texts/words.js";

const { decimal } = words.common;

const FORFEITS = ["flag", "illegal", "crash", "disconnect", "resign"]; // the rest was lost by the rules
const MINUS = "\u2212";
const SHORT_MS = 20 * 60_000;
const LONG_MS = 24 * 3_600_000;

/** 12, −3, +3 where `withSign`: whole numbers, as errors are rarely below one Elo.
 *  @param {number} value */
export function whole(value, withSign = false) {
  const rounded = Math.round(value);
  if (rounded < 0) return MINUS + Math.abs(rounded);
  return `${withSign && rounded > 0 ? "+" : ""}${rounded}`;
}

/** 0.53, −1.20
 *  @param {number} value */
export const fraction = (value) => (value < 0 ? MINUS : "") + decimal(Math.abs(value).toFixed(2));

/** A rating and its error: "512 ± 33", "–" before the first pair.
 *  @param {number | null | undefined} rating
 *  @param {number | null | undefined} error */
export function ratingText(rating, error) {
  if (rating === null || rating === undefined) return "–";
  return !error ? whole(rating) : `${whole(rating)} ± ${whole(error)}`;
}

/** The chance that one is better than another, in per cent; it is never quite sure.
 *  @param {number} los */
export function losText(los) {
  if (los > 0.999) return `> ${percent(0.999)}`;
  return los < 0.001 ? `< ${percent(0.001)}` : percent(los);
}

/** By how much: "+45 ± 32 · 99.7 %"; nothing compares the two: "unconnected"; not told yet: "…".
 *  @param {Apart | null | undefined} apart */
export function apartText(apart) {
  if (apart === undefined) return "…";
  return apart ? `${whole(apart.elo, true)} ± ${whole(apart.error)} · ${losText(apart.los)}` : texts.tags.unconnected[0];
}

/** Who of two is stronger, by how much, and how sure that is: what stands before, between and after their names.
 *  @param {Apart} apart how much stronger the first is, not negative
 *  @returns {[string, string]} */
export const strongerTexts = ({ elo, error, los }) => texts.stronger({ elo: whole(elo), error: whole(error), los: losText(los) });

/** @param {number} part */
export const percent = (part) => `${decimal((100 * part).toFixed(1))} %`;

/** Why matches were lost, where not by the rules: "2 flag, 1 crash".
 *  @param {wire.Standing} standing */
export function forfeitsText({ lost_by: lost = {}, voids = 0 }) {
  const counts = FORFEITS.filter((how) => lost[how]).map((how) => `${lost[how]} ${texts.forfeits[how]}`);
  if (voids) counts.push(`${voids} ${texts.forfeits.void}`);
  return counts.join(", ");
}

/** Time a move: 0.4 ms, 120 ms, 1.3 s
 *  @param {number | null | undefined} ms */
export function moveTime(ms) {
  if (ms === null || ms === undefined) return "";
  if (ms >= 1000) return `${decimal((ms / 1000).toFixed(1))} s`;
  return ms < 10 ? `${decimal(ms.toFixed(1))} ms` : `${Math.round(ms)} ms`;
}

/** Whether a player is here, and with how many pairs it is busy.
 *  @param {wire.Standing} standing */
export function presenceText({ slots = 0, busy = 0 }) {
  if (!slots) return texts.away;
  return busy ? texts.busy({ busy, slots }) : texts.here;
}

/** A ladder's format in words: "sprt:a/new@1,a/old@1" is "test of a/new@1 against a/old@1".
 *  @param {string} format */
export function formatText(format) {
  const [kind, ...rest] = format.split(":");
  const argument = rest.join(":");
  return Object.hasOwn(texts.formats, kind) ? texts.formats[kind](...argument.split(",")) : format;
}

/** What a ladder is, in short.
 *  @param {wire.LadderLine} ladder
 *  @param {Catalog} catalog */
export function ladderFacts(ladder, catalog) {
  const { game, format, clock, owner, at, state, players = 0, here = 0, pairs = 0 } = ladder;
  const { invited = false, by_owner: byOwner = false } = ladder;
  const since = (state === "running" ? texts.since : texts.finished)(formatMoment(at));
  return [
    catalog.title(game), formatText(format), formatClock(clock), since, texts.by(owner),
    texts.players({ players, here }), texts.pairs(pairs),
    ...(byOwner ? [texts.byOwner] : []), ...(invited ? [] : [texts.open]),
  ].join(" · ");
}

/** What it is worth to move first.
 *  @param {wire.LadderState} state */
export function firstMoveText({ first_move: value = null, first_move_error: error = null }) {
  if (value === null) return "";
  const isSure = error !== null && Math.abs(value) > error;
  return texts.firstMove({ elo: whole(value, true), error: whole(error ?? 0), isSure });
}

/** What a ladder waits for, or who never meets on it.  What this page has no words for, the server has.
 *  @param {wire.LadderWait} waiting */
export function waitText({ why, text, players = [], count = 0 }) {
  const named = players.join(", ") + (count > players.length && players.length ? texts.andMore(count - players.length) : "");
  return Object.hasOwn(texts.waitsFor, why) ? texts.waitsFor[why]({ named, count }) : sentence(text);
}

/** What a test of two bots says.
 *  @param {wire.Verdict} verdict */
export function verdictText({ word, text, pairs, llr = 0, lower = 0, upper = 0, more = null, ...test }) {
  const { elo0 = 0, elo1 = 30, alpha = 0.05, beta = 0.05, least = 64 } = test;
  const elo = (/** @type {number} */ value) => `${value < 0 ? MINUS : "+"}${decimal(String(Math.abs(value)))} Elo`;
  const [zero, one, ...rates] = [elo(elo0), elo(elo1), decimal(String(alpha)), decimal(String(beta))];
  const bounds = texts.bounds({ llr: fraction(llr), lower: fraction(lower), upper: fraction(upper), pairs });
  const between = texts.hypotheses({ zero, one, alpha: rates[0], beta: rates[1], least });
  const verdict = Object.hasOwn(texts.verdicts, word) ? texts.verdicts[word] : text;
  return [sentence(verdict), more === null ? "" : texts.morePairs(more), `(${bounds}; ${between})`].filter(Boolean).join(" ");
}

/** @type {DateLook} */
const DAY = { month: "short", day: "numeric" };
/** @type {DateLook} */
const TIME = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };

/** The time, with the date where it is not today, and the year where it is not this one.
 *  @param {number} at */
export function formatMoment(at, now = Date.now()) {
  const [date, today] = [new Date(at), new Date(now)];
  if (date.toDateString() === today.toDateString()) return date.toLocaleTimeString(language, TIME);
  /** @type {DateLook} */
  const year = date.getFullYear() === today.getFullYear() ? {} : { year: "numeric" };
  return date.toLocaleString(language, { ...year, ...DAY, ...TIME });
}

/** A time on an axis that spans so many milliseconds.
 *  @param {number} at
 *  @param {number} span */
export function formatTick(at, span) {
  /** @type {DateLook} */
  let look = DAY;
  if (span < SHORT_MS) look = { ...TIME, second: "2-digit" };
  else if (span < LONG_MS) look = TIME;
  else if (span < 4 * LONG_MS) look = { ...DAY, ...TIME };
  return new Date(at).toLocaleString(language, look);
}

/** A player without its owner, where the page shows that elsewhere: "ann/mcts@2" is "mcts@2".
 *  @param {string} player */
export const shortName = (player) => player.slice(player.indexOf("/") + 1);

/** A pair's score: "1½ : ½", or "–" before a match of it counts.
 *  @param {wire.PairLine} pair */
export function pairScore({ legs }) {
  // The players change seats between the two: player one has seat 0 in leg 0, seat 1 in leg 1.
  const points = legs.map(({ result }, leg) => matchPoints(result, leg)).filter((each) => each !== null);
  if (!points.length) return "–";
  const won = points.reduce((sum, each) => sum + each, 0);
  return `${formatScore(won)} : ${formatScore(points.length - won)}`;
}

/** How a leg stands: "line, 23 plies", "flag, 4 plies", "on", "waits".
 *  @param {wire.PairLeg} leg */
export function legText({ match = null, result = null, plies = 0 }) {
  if (!match) return texts.waits;
  if (!result) return texts.on;
  const reason = resultReason(result);
  return `${Object.hasOwn(texts.ends, reason) ? texts.ends[reason] : reason}, ${texts.plies(plies)}`;
}
