/* The positions of a match that is over, and the actions between them.  No DOM in here. */

/** @import { RoomState } from "../library/messages.js" */
/** @import { Moment, Replica } from "../library/replica.js" */

/** All moments of a match by ply, from the server; a private match needs its room's code.
 *  Where the server has none, those that this page has got itself, some of which may lack a position.
 *  @param {Replica} replica
 *  @param {RoomState} room
 *  @param {string} match
 *  @returns {Promise<Moment[]>} */
export async function momentsOf(replica, room, match) {
  const code = room.code ? `?code=${encodeURIComponent(room.code)}` : "";
  const response = await fetch(`/replay/${encodeURIComponent(match)}.json${code}`).catch(() => null);
  return response?.ok ? (await response.json()).moments : replica.moments(match);
}
