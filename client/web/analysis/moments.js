/* The positions of a match and the actions between them, from the server.  No DOM in here. */

/** @import { RoomState } from "../library/messages.js" */
/** @import { Moment, Replica } from "../library/replica.js" */

/** All moments of a match by ply, of one that is on as far as it has come; a private match needs its
 *  room's code.  Where the server has none, those that this page has got itself, some of which may lack
 *  a position.
 *  @param {Replica} replica
 *  @param {RoomState} room
 *  @param {string} match
 *  @returns {Promise<Moment[]>} */
export async function momentsOf(replica, room, match) {
  const fields = new URLSearchParams({ so_far: "1", ...(room.code ? { code: room.code } : {}) });
  const response = await fetch(`/replay/${encodeURIComponent(match)}.json?${fields}`).catch(() => null);
  return response?.ok ? (await response.json()).moments : replica.moments(match);
}
