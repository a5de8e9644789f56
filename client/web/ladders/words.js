/* The sentences and short texts of a ladder's page.  Strings in, strings out: no DOM.

   A rating or an error that the server leaves out is not known, or does not exist. */

import { clockTerms, gameTitle, score, sentence } from "../wording.js";

const FORFEITS = ["flag", "illegal", "crash", "disconnect", "resign"]; // the rest was lost by the rules
const MINUS = "\u2212";
const SHORT_MS = 20 * 60_000;
const LONG_MS = 24 * 3_600_000;

/* 12, −3, +3 where `sign`: whole numbers, as errors are rarely below one Elo. */
export function whole(value, sign = false) {
  const rounded = Math.round(value);
  if (rounded < 0) return MINUS + Math.abs(rounded);
  return (sign && rounded > 0 ? "+" : "") + rounded;
}

/* 0.53, −1.20 */
export const fraction = (value) => (value < 0 ? MINUS : "") + Math.abs(value).toFixed(2);

/* A rating and its error: "512 ± 33", "0" where it is pinned, "–" before the first pair. */
export function rated(rating, error, pinned = false) {
  if (rating === null || rating === undefined) return "–";
  return pinned || !error ? whole(rating) : `${whole(rating)} ± ${whole(error)}`;
}

export const percent = (part) => `${(100 * part).toFixed(1)} %`;

/* Why matches were lost, where not by the rules: "2 flag, 1 crash". */
export function forfeits({ lost_by: lost = {}, voids = 0 }) {
  const words = FORFEITS.filter((how) => lost[how]).map((how) => `${lost[how]} ${how}`);
  if (voids) words.push(`${voids} void`);
  return words.join(", ");
}

/* Time a move: 0.4 ms, 120 ms, 1.3 s */
export function moveTime(ms) {
  if (ms === null || ms === undefined) return "";
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`;
}

/* Whether a player is here, and with how many pairs it is busy. */
export function presence({ slots = 0, busy = 0 }) {
  if (!slots) return "away";
  return busy ? `${busy} of ${slots} busy` : "here";
}

const FORMATS = {
  endless: () => "endless",
  roundrobin: (rounds) => `round robin, ${rounds} pairs each`,
  gauntlet: (bot) => `gauntlet of ${bot}`,
  sprt: (bots) => `test of ${bots.replace(",", " against ")}`,
};

/* A ladder's format in words: "sprt:a/new@1,a/old@1" is "test of a/new@1 against a/old@1". */
export function formatText(format) {
  const [kind, ...rest] = format.split(":");
  return Object.hasOwn(FORMATS, kind) ? FORMATS[kind](rest.join(":")) : format;
}

const count = (n, one, many = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

/* What a ladder is, in one line. */
export function ladderFacts(line) {
  const { game, format, clock, owner, at, state, players = 0, here = 0, pairs = 0 } = line;
  const since = state === "running" ? `running since ${moment(at)}` : `begun ${moment(at)}, finished`;
  return [
    gameTitle(game), formatText(format), clockTerms(clock), since, `by ${owner}`,
    `${count(players, "player")}, ${here} here`, count(pairs, "pair"),
  ].join(" · ");
}

/* What it is worth to move first. */
export function firstMove({ first_move: value = null, first_move_error: error = null }) {
  if (value === null) return "";
  const sure = error !== null && Math.abs(value) > error;
  return `Moving first is worth ${whole(value, true)} ± ${whole(error ?? 0)} Elo${sure ? "" : ": nothing that is sure yet"}.`;
}

/* What a test of two bots says. */
export function verdictText({ text, pairs, llr = 0, lower = 0, upper = 0, more = null }) {
  const rest = more === null ? "" : ` About ${count(more, "more pair")}.`;
  const bounds = `LLR ${fraction(llr)} between ${fraction(lower)} and ${fraction(upper)}, ${count(pairs, "pair")}`;
  return `${sentence(text)}${rest} (${bounds})`;
}

const DAY = { month: "short", day: "numeric" };
const TIME = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };

/* The time, with the date where it is not today, and the year where it is not this one. */
export function moment(at, now = Date.now()) {
  const [date, today] = [new Date(at), new Date(now)];
  if (date.toDateString() === today.toDateString()) return date.toLocaleTimeString("en", TIME);
  const year = date.getFullYear() === today.getFullYear() ? {} : { year: "numeric" };
  return date.toLocaleString("en", { ...year, ...DAY, ...TIME });
}

/* A time on an axis that spans so many milliseconds. */
export function tickText(at, span) {
  const look = span < SHORT_MS ? { ...TIME, second: "2-digit" } : span < LONG_MS ? TIME : span < 4 * LONG_MS ? { ...DAY, ...TIME } : DAY;
  return new Date(at).toLocaleString("en", look);
}

/* A player without owner and version where the page shows those elsewhere: "ann/mcts@2" is "mcts@2". */
export const shortName = (player) => player.slice(player.indexOf("/") + 1);

/* The match points of `one` in a leg: 1, ½, 0; null while it is on and where it is void. */
export function legPoints({ result = null }, leg) {
  if (!result || result.how === "void" || result.how === "abort") return null;
  const { winner = null } = result;
  return winner === null ? 0.5 : winner === leg ? 1 : 0;
}

/* A pair's score: "1½ : ½", with "–" for a leg that is not over. */
export function pairScore({ legs }) {
  const points = legs.map(legPoints);
  if (points.every((each) => each === null)) return "–";
  const won = points.reduce((sum, each) => sum + (each ?? 0), 0);
  const played = points.filter((each) => each !== null).length;
  return `${score(won)} : ${score(played - won)}`;
}

/* How a leg stands: "line, 23 plies", "flag, 4 plies", "on", "waits". */
export function legText({ match = null, result = null, plies = 0 }) {
  if (!match) return "waits";
  if (!result) return "on";
  const how = result.how === "rules" ? result.reason : result.how;
  return `${how}, ${count(plies, "ply", "plies")}`;
}

export const roomOf = (match) => match.split(".")[0];
