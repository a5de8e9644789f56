/* How a match ended, in words.  Strings in, strings out: no DOM. */

/** @import { Player, Result } from "./messages.js" */

import { words } from "../texts/words.js";
import { playerTitle } from "./words.js";

/** The sentence about a result, as `me` reads it, a seat or null: "You won: four in a row."  `why` puts
 *  the game's reason in words, as its board does; it may have none.
 *  @param {Result} result
 *  @param {Player[]} seats
 *  @param {number | null} me
 *  @param {(reason: string) => string | undefined} [why] */
export function resultText(result, seats, me, why) {
  const { winner = null, how, reason, returns } = result;
  const { results } = words;
  if (how === "abort") return results.calledOff;
  if (how === "void") return results.voided(Object.hasOwn(results.voids, reason) ? results.voids[reason] : reason);
  const because = why?.(reason) || (Object.hasOwn(results.reasons, reason) ? results.reasons[reason] : reason);
  if (winner === null) return how === "agreement" ? results.agreed : results.draw(because);
  const points = Math.max(...returns);
  const name = playerTitle(seats[winner]);
  const isLost = 1 - winner === me;
  if (how === "rules" && reason === "drop") {
    const loser = playerTitle(seats[1 - winner]);
    if (isLost) return results.drop.mine({ name, points });
    return winner === me ? results.drop.yours({ name: loser, points }) : results.drop.theirs({ name: loser, winner: name, points });
  }
  if (how === "rules") {
    if (isLost) return results.youLost({ why: because, points, name });
    return winner === me ? results.youWon({ why: because, points }) : results.won({ why: because, points, name });
  }
  if (isLost && how === "resign") return results.youResigned({ points, name });
  const [mine, theirs] = Object.hasOwn(results.how, how) ? results.how[how] : [];
  if (isLost) return results.youLostBy({ how: mine ?? results.howOther(how), points, name });
  const loss = theirs?.(playerTitle(seats[1 - winner])) ?? results.howOther(how);
  return winner === me ? results.youWon({ why: loss, points }) : results.won({ why: loss, points, name });
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
