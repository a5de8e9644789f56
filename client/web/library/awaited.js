/* The matches whose end this browser has not seen yet, by name: they were on when it last looked, and
   on the next visit their ends are told. */

/** @import { Replica } from "./replica.js" */

import { read, write } from "./storage.js";

const KEY = "awaited";
const MOST = 100; // of one name: more than a person has open

/** @param {Replica} replica
 *  @returns {string[]} */
const awaited = ({ name }) => (name === null ? [] : read(KEY, {})[name] ?? []);

/** @param {Replica} replica
 *  @param {string[]} matches */
function keep({ name }, matches) {
  write(KEY, { ...read(KEY, {}), [name ?? ""]: matches.slice(-MOST) });
}

/** Note which matches are on, and that the end of the one at the table `here` has been seen.
 *  @param {Replica} replica
 *  @param {number | null} here null: no table is looked at */
export function noteMatches(replica, here) {
  if (replica.name === null) return;
  const before = awaited(replica);
  const on = replica.seatedRooms().flatMap(({ state, match }) => (state === "playing" && match ? [match] : []));
  const seen = here === null ? null : replica.current(here);
  const now = [...new Set([...before, ...on])].filter((match) => match !== seen?.match || !seen.result);
  if (now.join() !== before.join()) keep(replica, now);
}

/** The matches that have ended, and whose end was not seen; those that may still come are none.
 *  @param {Replica} replica */
export const endedUnseen = (replica) => awaited(replica).filter((match) => {
  const number = Number.parseInt(match);
  const room = replica.rooms.get(number);
  return room ? room.state !== "playing" || room.match !== match : !replica.coming.has(number);
});

/** Tell of the end of a match no more.
 *  @param {Replica} replica
 *  @param {string} match */
export const seeEnd = (replica, match) => keep(replica, awaited(replica).filter((each) => each !== match));
