/* The positions of a match that is over: [{position, to_move, event}] by ply, the event being the
   action before it.  No DOM in here. */

/* What the server tells, of a private match to who has the room's code; else what this page has
   heard itself, in which a position or an event may be null. */
export async function momentsOf(house, room, match) {
  const code = room.code ? `?code=${encodeURIComponent(room.code)}` : "";
  const response = await fetch(`/replay/${encodeURIComponent(match)}.json${code}`).catch(() => null);
  return response?.ok ? (await response.json()).moments : house.moments(match);
}
