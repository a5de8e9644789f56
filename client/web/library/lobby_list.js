/* The lobby's list, put together from what changes in it: protocol/lobby.py says the same. */

/** @import { LobbyChanged, LobbyList, PersonLine } from "./messages.js" */

const HOUSE = "house"; // the name of the server's own bots, which come first

/** The list that a change makes of the one before it; another one is not changed.
 *  @param {LobbyList | null} list
 *  @param {LobbyChanged} change
 *  @returns {LobbyList | null} */
export function changedLobby(list, change) {
  if (list?.seq === undefined || list.seq === null || change.seq !== list.seq + 1) return list;
  const rooms = merged(list.rooms, change.rooms, change.rooms_gone, ({ room }) => room);
  const bots = merged(list.bots, change.bots, change.bots_gone, ({ name, program }) => `${name}/${program}`);
  const people = merged(list.people, change.people, change.people_gone, ({ name }) => name);
  return {
    ...list,
    rooms: rooms.sort((a, b) => b.room - a.room),
    bots: bots.sort((a, b) => Number(a.name !== HOUSE) - Number(b.name !== HOUSE)),
    people: people.sort(byName),
    total: change.total,
    seq: change.seq,
  };
}

/** Lines by key: the old ones, the changed ones in their place or behind them, without those that went.
 *  @template Line, Key
 *  @param {Line[] | undefined} old
 *  @param {Line[] | undefined} changed
 *  @param {Key[] | undefined} gone
 *  @param {(line: Line) => Key} keyOf */
function merged(old = [], changed = [], gone = [], keyOf) {
  const lines = new Map([...old, ...changed].map((line) => [keyOf(line), line]));
  for (const key of gone) lines.delete(key);
  return [...lines.values()];
}

/** Those who do not play go first, each by name.
 *  @param {PersonLine} one
 *  @param {PersonLine} two */
function byName(one, two) {
  const [a, b] = [one.name.toLowerCase(), two.name.toLowerCase()];
  return Number(one.playing ?? false) - Number(two.playing ?? false) || (a < b ? -1 : a > b ? 1 : 0);
}
