/* The dice of a match that is over, rolled again: whether they follow from what was promised before it
   (docs/reference/dice.md).  No DOM in here. */

/** @import { Event } from "../library/messages.js" */
/** What there is to check, and what came of it.  `rolls`: how many were compared; `wrong`: the first
 *  that does not follow; null: all do.
 *  @typedef {object} DiceCheck
 *  @property {string} commitment
 *  @property {string} secret
 *  @property {[string, string]} salts
 *  @property {boolean} isCommitted the secret is the one that was promised
 *  @property {number} rolls
 *  @property {{ply: number, fell: string, follows: string} | null} wrong */

import { hmac, sha256 } from "./sha256.js";

/** @typedef {[string, number][]} Chances what may fall, each with its weight, in the game's order */

const ALL = 2n ** 64n;
const DICE = [1, 2, 3, 4, 5, 6];
const PAIRS = DICE.flatMap((one) => DICE.map((two) => [one, two]));
// Before the opening roll each seat has a die, and doubles are rolled again.
const backgammon = (/** @type {number} */ ply) => PAIRS.flatMap(([one, two]) =>
  ((ply === 0 ? one === two : one < two) ? [] : [/** @type {[string, number]} */ ([`${one}${two}`, ply === 0 || one === two ? 1 : 2])]));
/** @type {Record<string, (ply: number) => Chances>} */
const GAMES = { backgammon, backgammon_cube: backgammon };

/** Whether this page knows what may fall in a game.
 *  @param {string} game */
export const knowsDice = (game) => Object.hasOwn(GAMES, game);

/** Check the dice of a match by its record; null where it had none, or they are still secret.
 *  @param {string} match
 *  @param {string} game
 *  @param {Event[]} events
 *  @returns {DiceCheck | null} */
export function checkDice(match, game, events) {
  const dealt = events.find(({ kind }) => kind === "dealt");
  const started = events.find(({ kind }) => kind === "started");
  const salts = started?.salts;
  if (!dealt?.secret || !dealt.commitment || !salts) return null;
  const { secret, commitment } = dealt;
  const key = bytesOf(secret);
  const rolls = events.filter(({ kind }) => kind === "roll");
  const deal = dealt.deal ?? match;
  const [, , , turn = "0"] = (started?.options?.position ?? "").split(":");
  const before = turn === "0" ? 0 : 1; // what begins in a position has no opening roll, unless that is before it
  let wrong = null;
  for (const { ply, action } of knowsDice(game) ? rolls : []) {
    const follows = rolled({ key, deal, salts }, ply ?? 0, GAMES[game]((ply ?? 0) + before));
    wrong ??= follows === action ? null : { ply: ply ?? 0, fell: action ?? "", follows };
  }
  return { commitment, secret, salts, isCommitted: hexOf(sha256(key)) === commitment, rolls: rolls.length, wrong };
}

/** What falls at a ply.
 *  @param {{key: Uint8Array, deal: string, salts: readonly string[]}} dice
 *  @param {number} ply
 *  @param {Chances} chances */
export function rolled({ key, deal, salts }, ply, chances) {
  const total = BigInt(chances.reduce((sum, [, weight]) => sum + weight, 0));
  const fair = ALL - (ALL % total);
  let number = fair;
  for (let i = 0; number >= fair; i++) {
    const message = ["plyhouse-deal-1", deal, ...salts, ply, i].join("\n");
    number = BigInt(`0x${hexOf(hmac(key, new TextEncoder().encode(message)).subarray(0, 8))}`);
  }
  let point = Number(number % total);
  return chances.find(([, weight]) => (point -= weight) < 0)?.[0] ?? "";
}

/** @param {string} hex */
export const bytesOf = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/** @param {Uint8Array} bytes */
const hexOf = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
