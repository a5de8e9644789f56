/* How a match ended, in words.  Strings in, strings out: no DOM. */

/** @import { Player, Result } from "./messages.js" */

import { formatScore, playerTitle, sentence } from "./words.js";

/** The sentences about a result, as `me` reads them, a seat or null: "You win: line."
 *  @param {Result} result
 *  @param {Player[]} seats
 *  @param {number | null} me */
export function resultText(result, seats, me) {
  const { winner = null, how, reason, returns } = result;
  if (how === "abort") return "The match was called off.";
  if (how === "void") return sentence(`the match is void: ${reason}`);
  if (winner === null) return how === "agreement" ? "A draw, by agreement." : sentence(`a draw: ${reason}`);
  const wins = winner === me ? "You win" : `${playerTitle(seats[winner])} wins`;
  const points = Math.max(...returns);
  const stake = points > 1 ? ` ${formatScore(points)} points` : "";
  if (how === "rules") return `${wins}${stake}: ${reason}.`;
  return `${lossText(how, playerTitle(seats[1 - winner]), 1 - winner === me)} ${wins}${stake}.`;
}

/** Why the loser lost, where not by the rules.
 *  @param {string} how
 *  @param {string} loser
 *  @param {boolean} isMe */
function lossText(how, loser, isMe) {
  const [who, was, has] = isMe ? ["You", "were", "have"] : [loser, "was", "has"];
  switch (how) {
    case "resign": return `${who} resigned.`;
    case "flag": return `${who} ${has} no time left.`;
    case "illegal": return `${who} played an illegal action.`;
    case "crash": return `${who} crashed.`;
    case "abandon":
    case "disconnect": return `${who} ${was} away for too long.`;
    default: return `${who} lost by ${how}.`;
  }
}

/** The same in a word, for a table: "line", "flag".
 *  @param {Result} result */
export const resultReason = ({ how, reason }) => (how === "rules" ? reason : how);

/** The match points of a seat: 1, ½, 0; null while the match is on and where it does not count.
 *  @param {Result | null | undefined} result
 *  @param {number} seat
 *  @returns {number | null} */
export function matchPoints(result, seat) {
  if (!result || result.how === "void" || result.how === "abort") return null;
  const { winner = null } = result;
  if (winner === null) return 0.5;
  return winner === seat ? 1 : 0;
}
