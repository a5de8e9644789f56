/* The short texts that several parts of the page share.

   Strings in, strings out: no DOM.  How a match ended is in result.js, what goes on at a table in
   table/status.js, what only a ladder's page says in ladders/words.js. */

/** @import * as wire from "./messages.js" */

import { words } from "../texts/words.js";

const { common } = words;

export const HOUSE = "house"; // the name under which `plyhouse up` runs its bots

/** Where a ladder is shown.
 *  @param {string} name */
export const ladderPath = (name) => `/ladder/${encodeURIComponent(name)}`;

/** The page of somebody, or of a program.
 *  @param {{name: string, program?: string | null}} player */
export const personPath = ({ name, program }) =>
  `/person/${[name, ...(program ? [program] : [])].map(encodeURIComponent).join("/")}`;

/** The page of a match; `code` opens a private one.
 *  @param {string} match
 *  @param {string | null} [code]
 *  @param {string} [ending] of a file */
export const matchPath = (match, code, ending = "") =>
  `/match/${encodeURIComponent(match)}${ending}${code ? `?code=${encodeURIComponent(code)}` : ""}`;

/** An analysis board with a position on it.
 *  @param {string} game
 *  @param {string | null} [position] */
export const boardPath = (game, position) => `/board/${game}${position ? `#position=${encodeURIComponent(position)}` : ""}`;

/** A player in short: a bot's program, a person's name.
 *  @param {wire.Player | null} player */
export const playerTitle = (player) => (player ? isolated(player.program ?? player.name) : common.freeSeat);

/** A player with the level of a bot: "mcts, level 4".
 *  @param {wire.Player} player */
export const named = (player) =>
  (player.level ? words.lobby.levelled({ bot: playerTitle(player), level: player.level }) : playerTitle(player));

const WRITTEN_LEFTWARDS = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** A name in a sentence; one that is written from the right turns nothing around it.
 *  @param {string} name */
export const isolated = (name) => (WRITTEN_LEFTWARDS.test(name) ? `\u2068${name}\u2069` : name);

/** `text` with a capital and a full stop; a bot's name that it begins with stays as it is.
 *  @param {string} text */
export const sentence = (text) =>
  text && (/^[^ /]+\//.test(text) ? text[0] : text[0].toUpperCase()) + text.slice(1) + (/[.!?…]$/.test(text) ? "" : ".");

/** A number of matches or points: 2, ½, 1½.
 *  @param {number} value */
export function formatScore(value) {
  const whole = Math.floor(value);
  return whole === value ? String(value) : `${whole || ""}½`;
}

export const DAY_MS = 86_400_000;

/** Time left: 4:51, 1:02:03, tenths below ten seconds: 9.3, and of days: 2 d 4 h.
 *  @param {number} ms */
export function formatTime(ms) {
  if (ms >= DAY_MS) return common.days({ days: Math.floor(ms / DAY_MS), hours: Math.floor((ms % DAY_MS) / 3_600_000) });
  if (ms < 10_000) return common.decimal((Math.floor(ms / 100) / 10).toFixed(1));
  const seconds = Math.floor(ms / 1000);
  const pad = (/** @type {number} */ n) => String(n).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours ? `${hours}:${pad(minutes)}:${pad(seconds % 60)}` : `${minutes}:${pad(seconds % 60)}`;
}

/** +12, −3, 0
 *  @param {number} elo */
export function signed(elo) {
  const rounded = Math.round(elo);
  return rounded < 0 ? `\u2212${-rounded}` : rounded > 0 ? `+${rounded}` : "0";
}

/** @param {number} ms */
const inSeconds = (ms) => common.decimal(String(ms / 1000));

/** A room's clock in short: 3 min + 2 s, 10 s a move, no clock.
 *  @param {wire.ClockOptions | null | undefined} clock */
export function formatClock(clock) {
  if (!clock) return common.noClock;
  if (clock.per_move_days) return common.perMoveDays(clock.per_move_days);
  if (clock.per_move_ms) return common.perMove({ seconds: inSeconds(clock.per_move_ms) });
  const ms = clock.base_ms ?? 0;
  const base = ms % 60_000 ? `${inSeconds(ms)} s` : `${ms / 60_000} min`;
  return clock.increment_ms ? `${base} + ${inSeconds(clock.increment_ms)} s` : base;
}

/** The clock of a room, which a seek may leave open.
 *  @param {wire.Options} options */
export const clockOf = ({ clock, sought }) => (sought?.includes("clock") ? common.anyClock : formatClock(clock));

/** What a bot says or notes, in the reader's language; those of the house speak English.
 *  @param {string} text */
export const ofBot = (text) => words.table.botSays.reduce((all, [said, here]) => all.replace(said, here), text);

/** What somebody says.
 *  @param {string} name
 *  @param {string} text */
export const spoken = (name, text) => (name.includes("/") ? ofBot(text) : text);

/** A word that the protocol's types rule out, but that a newer server may send.
 *  @param {never} word
 *  @returns {string} */
export const unlisted = (word) => word;
