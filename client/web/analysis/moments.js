/* The positions of a match that is over: [{position, to_move, event}] by ply, the event being the
   action before it.  No DOM in here. */

/* What the server tells of a public match; else what this page has heard itself, in which a
   position may be null: a private match's positions are told only while it is played. */
export async function momentsOf(house, room, match) {
  if (room.options.public === false) return house.moments(match);
  const response = await fetch(`/replay/${encodeURIComponent(match)}.json`).catch(() => null);
  return response?.ok ? (await response.json()).moments : house.moments(match);
}
