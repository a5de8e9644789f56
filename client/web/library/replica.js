/* What this page knows of the server: a copy, folded from the messages that come.

       replica.receive(message)      a push, or the reply to a request
       replica.current(room)         the match that is on in a room, or was last
       replica.actions(match)        its actions; `lacksActions` where some are missing, which
                                     `addHistory` adds
       replica.moments(match)        its positions, as far as they came

   An older message never overwrites a newer one: a room's `seq` only grows, but over a welcome, as
   the server may have lost the last moments.  A match message brings
   only its last eight actions, which are put together here.
   No DOM, no socket, and nothing that is only about one view. */

/** @import * as wire from "./messages.js" */
/** @typedef {wire.Event & {ply: number, action: string, seat: -1 | 0 | 1}} Action */
/** @typedef {{seq: number, name: string, text: string}} ChatMessage */
/** @typedef {{position: string | null, to_move: number | null, event: Action | null}} Moment */
/** `receivedAt`: when `state` came; `complete`: no action is missing below it; `positions`: by the
 *  seq of the action before, so that those which a takeback removes are never found again.
 *  @typedef {object} MatchRecord
 *  @property {wire.MatchState} state
 *  @property {number} receivedAt
 *  @property {(Action | undefined)[]} actions
 *  @property {boolean} complete
 *  @property {Map<number, {position: string, to_move: number}>} positions */

import { Catalog } from "./catalog.js";
import { changedLobby } from "./lobby_list.js";

const CHAT_MESSAGES = 200; // of a room
const CLOSED_ROOMS = 16; // the last ones: a page may look on for months
const MATCHES = 2; // of a room: the one that is on and the one before it
const DAY_MS = 86_400_000; // by a clock of so much for a move nobody sits before it
const INVITED_MS = 120_000; // a person's seat is not held, but after so long no one waits
const ACTIONS = new Set(["play", "pass", "roll", "opening"]); // the page's own list, as a second judge

export class Replica {
  /** @type {string | null} */
  name = null;
  /** @type {string | null} */
  server = null;
  /** @type {string[]} */
  games = [];
  catalog = new Catalog();
  /** @type {wire.LobbyList | null} */
  lobby = null;
  /** @type {wire.LadderLine[]} */
  ladders = []; // as they were when they were asked for
  /** @type {Map<number, wire.RoomState>} */
  rooms = new Map(); // by number, the newest message of each
  /** @type {Set<number>} */
  coming = new Set(); // rooms where we sit, of which nothing may have come yet
  /** @type {Map<number, ChatMessage[]>} */
  chat = new Map(); // by room
  /** @type {Map<number, wire.Invited & {until: number}>} */
  invitations = new Map(); // by room
  /** @type {Map<string, MatchRecord>} */
  #matches = new Map();
  /** @type {Set<number>} */
  #unheard = new Set(); // rooms of which nothing has come since the welcome

  /** `now` is a clock in milliseconds that never goes back. */
  constructor(now = () => performance.now()) {
    this.now = now;
  }

  /** @param {wire.AnyPush} message */
  receive(message) {
    switch (message.type) {
      case "welcome": return this.#welcomed(message);
      case "lobby": this.lobby = message; return;
      case "lobby_changed": this.lobby = changedLobby(this.lobby, message); return;
      case "ladders": this.ladders = message.ladders; return;
      case "room": return this.#updateRoom(message);
      case "match": return this.#updateMatch(message);
      case "said": return this.#addChat(message.room, [message]);
      case "invited":
        for (const { room, until } of [...this.invitations.values()]) if (until <= this.now()) this.invitations.delete(room);
        this.invitations.set(message.room, { ...message, until: this.now() + INVITED_MS });
        break;
      default: // a reply that only its request is about, or a message of a newer server
    }
  }

  /** The rooms in which this session sits. */
  seatedRooms() {
    return [...this.rooms.values()].filter((room) => seatIn(room) !== null);
  }

  /** A match of this session's in which a clock runs, first of all one where it is to move; null: there is none. */
  timedMatch() {
    const timed = this.seatedRooms().map(({ room }) => this.current(room)).filter((match) => match !== null && runningSeat(match) !== null && (match.clocks?.per_move_ms ?? 0) < DAY_MS);
    return timed.find((match) => match?.legal) ?? timed[0] ?? null;
  }

  /** @param {number} room */
  current(room) {
    return this.#matches.get(this.rooms.get(room)?.match ?? "")?.state ?? null;
  }

  /** All actions of a match as far as they came, by ply; those that are missing are undefined.
   *  @param {string} match */
  actions(match) {
    return this.#matches.get(match)?.actions ?? [];
  }

  /** Whether some of a match's actions may be missing.
   *  @param {string} match */
  lacksActions(match) {
    return this.#matches.get(match)?.complete === false;
  }

  /** A match by ply: the position, who is to move, and the action before it (null at the start);
   *  a position that never came is null.
   *  @param {string} match
   *  @returns {Moment[]} */
  moments(match) {
    const { actions = [], positions = new Map() } = this.#matches.get(match) ?? {};
    const missing = { position: null, to_move: null };
    return [null, ...actions].map((event = null, ply) =>
      ({ ...(positions.get(ply === 0 ? 0 : event?.seq) ?? missing), event }));
  }

  /** Milliseconds that `seat` has left now; null without a clock.
   *  @param {string} match
   *  @param {number} seat */
  timeLeft(match, seat) {
    const record = this.#matches.get(match);
    if (!record?.state.clocks) return null;
    const spent = runningSeat(record.state) === seat ? this.now() - record.receivedAt - (record.state.clocks.begin_ms ?? 0) : 0;
    return Math.max(0, record.state.clocks.remaining[seat] - Math.max(0, spent));
  }

  /** Milliseconds that the player to move has to begin; null once the match has begun.
   *  @param {string} match */
  toBegin(match) {
    const record = this.#matches.get(match);
    const { begin_ms: begin = null, paused = null } = record?.state.clocks ?? {};
    if (!record || begin === null || record.state.result) return null;
    const isPassing = paused === null && !record.state.seats.some(({ absent }) => absent);
    return Math.max(0, begin - (isPassing ? this.now() - record.receivedAt : 0));
  }

  /** Add the actions of a history, which reaches to the newest event and is in order.
   *  @param {string} match
   *  @param {wire.Event[]} events */
  addHistory(match, events) {
    const record = this.#matches.get(match);
    if (!record) return;
    /** @type {(Action | undefined)[]} */
    const actions = [];
    for (const event of events.filter((each) => each.match === match)) {
      if (ACTIONS.has(event.kind)) place(actions, event);
      if (event.kind === "takeback") actions.length = Math.min(actions.length, event.ply ?? 0);
    }
    for (const event of record.state.events) place(actions, event); // they may be newer
    actions.length = record.state.ply;
    record.actions = actions;
    record.complete = true; // also where the server had no more: asking again would not help
  }

  /** Add the positions of a match, from its start to some action of it.
   *  @param {string} match
   *  @param {Moment[]} moments */
  addMoments(match, moments) {
    const positions = this.#matches.get(match)?.positions;
    for (const { position, to_move: toMove, event } of moments) {
      if (position !== null) positions?.set(event?.seq ?? 0, { position, to_move: toMove ?? -2 });
    }
  }

  /** Add the chat in the events of a history.
   *  @param {number} room
   *  @param {wire.Event[]} events */
  addOldChat(room, events) {
    const messages = events.filter((event) => event.kind === "said");
    this.#addChat(room, messages.map(({ seq, player, text }) =>
      ({ seq, name: player ? fullName(player) : "", text: text ?? "" })));
  }

  /** Drop a room, as after leaving it.
   *  @param {number} room */
  forget(room) {
    this.rooms.delete(room);
    this.chat.delete(room);
    for (const [id, { state }] of [...this.#matches]) if (state.room === room) this.#matches.delete(id);
  }

  /** Another database counts from 1 again; and of a room where we sit no more, nothing comes.
   *  @param {wire.Welcome} welcome */
  #welcomed(welcome) {
    const seated = this.coming = new Set(welcome.rooms ?? []);
    const isOther = this.server !== null && (this.server !== welcome.server || this.name !== welcome.name);
    for (const room of [...this.rooms.values()]) {
      if (isOther || (seatIn(room) !== null && !seated.has(room.room))) this.forget(room.room);
    }
    if (isOther) this.invitations.clear();
    this.#unheard = new Set(this.rooms.keys());
    this.server = welcome.server;
    this.name = welcome.name;
    this.games = welcome.games ?? [];
    this.catalog.read(welcome);
  }

  /** @param {wire.RoomState} room */
  #updateRoom(room) {
    const known = [this.rooms.get(room.room), this.current(room.room)];
    if (this.#unheard.delete(room.room) && known.some((each) => each && each.seq > room.seq)) this.forget(room.room);
    const before = this.rooms.get(room.room);
    const isClosed = room.state === "closed";
    if (!before || before.seq <= room.seq) {
      if (isClosed) this.rooms.delete(room.room); // so that the last one to be closed stands last
      this.rooms.set(room.room, room);
    }
    if (seatIn(room) !== null || isClosed) this.invitations.delete(room.room);
    const closed = [...this.rooms.values()].filter((each) => each.state === "closed");
    for (const old of closed.slice(0, -CLOSED_ROOMS)) this.forget(old.room);
  }

  /** @param {wire.MatchState} state */
  #updateMatch(state) {
    const before = this.#matches.get(state.match) ??
      { state, receivedAt: 0, actions: [], complete: false, positions: new Map() };
    if (before.state.seq > state.seq) return;
    const { actions, complete } = joined(before, state);
    const { positions } = before;
    positions.set(actions.at(-1)?.seq ?? 0, { position: state.position, to_move: state.to_move });
    this.#matches.set(state.match, { state, receivedAt: this.now(), actions, complete, positions });
    const ofRoom = [...this.#matches].filter(([, other]) => other.state.room === state.room);
    for (const [id] of ofRoom.slice(0, -MATCHES)) this.#matches.delete(id);
  }

  /** @param {number} room
   *  @param {ChatMessage[]} messages */
  #addChat(room, messages) {
    const all = new Map([...messages, ...(this.chat.get(room) ?? [])].map((each) => [each.seq, each]));
    this.chat.set(room, [...all.values()].sort((a, b) => a.seq - b.seq).slice(-CHAT_MESSAGES));
  }
}

/** The viewer's seat in a room or null; the server leaves out what is null.
 *  @param {wire.RoomState | undefined} room */
export const seatIn = (room) => room?.seat ?? null;

/** Whether a series is under way, so that a player who leaves gives it up.
 *  @param {wire.Series | null | undefined} series */
export const isSeriesOn = (series) => Boolean(series) && (series?.winner ?? null) === null;

/** A player as an invitation names it: ada, house/mcts.
 *  @param {{name: string, program?: string | null}} player */
export const fullName = (player) => (player.program ? `${player.name}/${player.program}` : player.name);

/** The seat whose time passes in a match, or null.
 *  @param {wire.MatchState} state */
export function runningSeat(state) {
  const { running = null, paused = null } = state.clocks ?? {};
  return paused === null && !state.result ? running : null;
}

/** Whether a match can still be called off for nothing: not when both sides have moved, or in a rated
 *  one with dice either.
 *  @param {(wire.Event | undefined)[]} actions
 *  @param {boolean | undefined} rated */
export function isFree(actions, rated) {
  const moved = new Set(actions.filter((each) => each?.kind === "play").map((each) => each?.seat)).size;
  return moved === 0 || (moved === 1 && !(rated && actions.some((each) => each?.kind === "roll")));
}

/** The actions of a match with those of a newer message.  They are complete where those begin at ply
 *  0, or where they were complete and one of them has a known seq: nothing changes below an action
 *  that stays.
 *  @param {MatchRecord} record
 *  @param {wire.MatchState} state */
function joined(record, state) {
  const actions = [...record.actions];
  const seqs = new Set(actions.map((action) => action?.seq));
  const overlaps = state.events.some((event) => seqs.has(event.seq));
  for (const event of state.events) place(actions, event);
  actions.length = state.ply; // a takeback makes it shorter
  const complete = state.ply === 0 || state.events[0]?.ply === 0 || (record.complete && overlaps);
  return { actions, complete };
}

/** Put an action at its ply; it removes what stood there and above.
 *  @param {(Action | undefined)[]} actions
 *  @param {wire.Event} event */
function place(actions, event) {
  const action = /** @type {Action} */ (event); // these kinds of events have all three fields
  if (actions[action.ply]?.seq !== action.seq) actions.length = Math.min(actions.length, action.ply);
  actions[action.ply] = action;
}
