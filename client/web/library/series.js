/* Matches to points, and by what backgammon with the cube is played, in words.  Strings in, strings out: no DOM.

   On the wire a match to points is a series: the matches of a room are its games. */

/** @import { Options, Player, Result, Series } from "./messages.js" */

import { words } from "../texts/words.js";
import { playerTitle } from "./words.js";

const { lobby: { terms: texts }, results } = words;

export const CUBE_GAME = "backgammon_cube";
const BACKGAMMON = new Set(["backgammon", CUBE_GAME]);

/** Whether a match of this game can be drawn.
 *  @param {string} game */
export const hasDraws = (game) => !BACKGAMMON.has(game);

/** Whether a first roll says who begins, not the seat.
 *  @param {string} game */
export const rollsForStart = (game) => BACKGAMMON.has(game);

/** By what a game is played where that can be chosen, each in a few words: "Crawford", "3 : 2", "to 7 points".
 *  @param {string} game
 *  @param {Options} options
 *  @param {Series | null} [series] as it stands
 *  @param {readonly (Player | null)[]} [seats] */
export function termsOf(game, options, series = null, seats = []) {
  if (game !== CUBE_GAME) return [];
  const { points = null, cube = true, jacoby = false, beavers = false, start = "" } = options;
  const parts = series === null ? [] : standing(series, seats);
  parts.push(points === null ? texts.forMoney : texts.toPoints(points));
  if (jacoby) parts.push(texts.jacoby);
  if (beavers) parts.push(texts.beavers);
  if (!cube) parts.push(texts.noCube);
  if (start && start !== "standard") parts.push(Object.hasOwn(texts.starts, start) ? texts.starts[start] : start);
  return parts;
}

/** @param {Series} series
 *  @param {readonly (Player | null)[]} seats */
function standing({ score = [0, 0], crawford = false, winner = null, game = 1 }, seats) {
  const parts = game > 1 || winner !== null ? [texts.score(score)] : [];
  if (winner !== null) return seats[winner] ? [...parts, texts.wonBy(playerTitle(seats[winner]))] : parts;
  return crawford ? [texts.crawford, ...parts] : parts;
}

/** Where a series stood before a game of it: "Game 3 of a match to 5 points, at 2 : 1".
 *  @param {Series} series */
export const standingText = ({ points, score = [0, 0], game = 1, crawford = false }) =>
  [texts.standing({ game, points, score: texts.score(score) }), ...(crawford ? [texts.crawford] : [])].join(" · ");

/** Which game of a series a match was, and what the score came to by it: "game 3, 2 : 1 to 5 points".
 *  @param {Series | null | undefined} series as it has come to by that match
 *  @param {Result} result */
export function gameOfSeries(series, { winner = null }) {
  if (!series) return "";
  const { points, score = [0, 0], game = 1 } = series;
  const goesOn = (series.winner ?? null) === null && winner !== null;
  return `${texts.game(goesOn ? game - 1 : game)}, ${texts.score(score)} ${texts.toPoints(points)}`;
}

/** A series after one more game, as far as its score: a player who walks out of a game gives all of it up.
 *  @param {Series} series as it stood before
 *  @param {Result} result
 *  @returns {Series & {score: [number, number]}} */
export function scoreAfter({ score = [0, 0], ...series }, { winner = null, returns, how }) {
  if (winner === null) return { ...series, score };
  if (how === "abandon" || how === "disconnect") return { ...series, score, winner, conceded: true };
  const won = /** @type {[number, number]} */ (score.map((points, seat) => points + (seat === winner ? Math.max(...returns) : 0)));
  return { ...series, score: won, winner: won[winner] >= series.points ? winner : null };
}

/** What a series has come to after a game, as `me` reads it, a seat or null.
 *  @param {Series} series
 *  @param {readonly (Player | null)[]} seats
 *  @param {number | null} me */
export function seriesText({ points, score = [0, 0], winner = null, conceded = false }, seats, me) {
  const near = winner ?? me ?? 0;
  const text = texts.score([score[near], score[1 - near]]);
  if (winner === null) return results.series({ score: text, points });
  const [name, loser] = [playerTitle(seats[winner]), playerTitle(seats[1 - winner])];
  if (!conceded) return winner === me ? results.youWonSeries(text) : results.wonSeries({ name, score: text });
  if (winner === me) return results.youWonConceded(loser);
  return 1 - winner === me ? results.youConceded(name) : results.conceded({ name, loser });
}
