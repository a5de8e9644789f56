/* What this page knows of the house: a copy, folded from the messages that it is told.

       house.feed(message)      a push, or the reply to a request
       house.current(room)      the match that is on in a room, or was last
       house.gap(match)         whether some of its actions are missing; `fill` takes them in
       house.moments(match)     its positions, as far as they were heard

   A message that is older than what is known never overwrites it: a room's `seq` never goes back.
   A match message brings only its last eight actions; `line` puts them together into all of them.
   No DOM, no socket, and nothing that is only about one view. */

const CHAT_LINES = 200; // of a room
const MATCHES = 2; // of a room: the one that is on and the one before it
const INVITED_MS = 120_000; // a person's seat is not held, but after so long nobody waits
const ACTIONS = new Set(["play", "pass", "roll", "opening"]); // a strike is none

export class House {
  name = null;
  server = null;
  games = [];
  lobby = null;
  ladders = []; // as they were when they were asked for
  rooms = new Map(); // number -> the newest `room` message
  chat = new Map(); // number -> [{seq, name, text}]
  invitations = new Map(); // number -> {..., until}
  #matches = new Map(); // "17.2" -> {state, heard, line, whole, positions}

  /* `now` is a clock in milliseconds that never goes back. */
  constructor(now = () => performance.now()) {
    this.now = now;
  }

  feed(message) {
    switch (message.type) {
      case "welcome": return this.#welcomed(message);
      case "lobby": this.lobby = message; return;
      case "ladders": this.ladders = message.ladders; return;
      case "room": return this.#room(message);
      case "match": return this.#match(message);
      case "said": return this.#said(message);
      case "invited":
        this.invitations.set(message.room, { ...message, until: this.now() + INVITED_MS });
    }
  }

  /* The rooms in which this session sits. */
  mine() {
    return [...this.rooms.values()].filter((room) => seatIn(room) !== null);
  }

  current(room) {
    return this.#matches.get(this.rooms.get(room)?.match)?.state ?? null;
  }

  /* All actions of a match as far as known, by ply; what is missing below is undefined. */
  line(match) {
    return this.#matches.get(match)?.line ?? [];
  }

  /* Whether a match's line may lack some action. */
  gap(match) {
    const known = this.#matches.get(match);
    return known !== undefined && !known.whole;
  }

  /* A match by ply: the position, who is to move, and the action before it (null at the start);
     of positions that were never heard, null. */
  moments(match) {
    const { line = [], positions = new Map() } = this.#matches.get(match) ?? {};
    const unheard = { position: null, to_move: null };
    return [null, ...line].map((event = null, ply) =>
      ({ ...(positions.get(ply === 0 ? 0 : event?.seq) ?? unheard), event }));
  }

  /* Milliseconds that `seat` has left now; null without a clock. */
  timeLeft(match, seat) {
    const { state, heard } = this.#matches.get(match) ?? {};
    if (!state?.clocks) return null;
    const spent = runs(state) === seat ? this.now() - heard : 0;
    return Math.max(0, state.clocks.remaining[seat] - spent);
  }

  /* Take in events of history, which reach to the newest and are in order. */
  fill(match, events) {
    const known = this.#matches.get(match);
    if (!known) return;
    const line = [];
    for (const event of events) {
      if (event.match === match && ACTIONS.has(event.kind)) put(line, event);
      if (event.match === match && event.kind === "takeback") line.length = Math.min(line.length, event.ply);
    }
    for (const event of known.state.events) put(line, event); // they may be newer than the page
    line.length = known.state.ply;
    known.line = line;
    known.whole = true; // also where the server had no more: asking again would not help
  }

  /* Take in the chat that stands in the events of history. */
  recall(room, events) {
    const said = events.filter((event) => event.kind === "said");
    const lines = said.map(({ seq, player, text }) => ({ room, seq, name: fullName(player), text }));
    const known = this.chat.get(room) ?? [];
    const all = new Map([...lines, ...known].map((line) => [line.seq, line]));
    this.chat.set(room, [...all.values()].sort((a, b) => a.seq - b.seq).slice(-CHAT_LINES));
  }

  /* Drop a room, as after leaving it. */
  forget(room) {
    this.rooms.delete(room);
    this.chat.delete(room);
    for (const [id, known] of [...this.#matches]) if (known.state.room === room) this.#matches.delete(id);
  }

  /* Another database counts afresh; and where we no longer sit we are told nothing any more. */
  #welcomed(welcome) {
    const seated = new Set(welcome.rooms ?? []);
    const fresh = this.server !== null && (this.server !== welcome.server || this.name !== welcome.name);
    for (const room of [...this.rooms.values()]) {
      if (fresh || (seatIn(room) !== null && !seated.has(room.room))) this.forget(room.room);
    }
    if (fresh) this.invitations.clear();
    this.server = welcome.server;
    this.name = welcome.name;
    this.games = welcome.games ?? [];
  }

  #room(room) {
    const known = this.rooms.get(room.room);
    if (!known || known.seq <= room.seq) this.rooms.set(room.room, room);
    if (seatIn(room) !== null || room.state === "closed") this.invitations.delete(room.room);
  }

  #match(state) {
    const known = this.#matches.get(state.match) ?? { state, line: [], whole: false, positions: new Map() };
    if (known.state.seq > state.seq) return;
    const { line, whole } = joined(known, state);
    // By the seq of the action before it: what a takeback takes away is never found again.
    known.positions.set(line.at(-1)?.seq ?? 0, { position: state.position, to_move: state.to_move });
    this.#matches.set(state.match, { state, heard: this.now(), line, whole, positions: known.positions });
    const older = [...this.#matches].filter(([, other]) => other.state.room === state.room);
    for (const [id] of older.slice(0, -MATCHES)) this.#matches.delete(id);
  }

  #said(said) {
    const lines = this.chat.get(said.room) ?? [];
    if (lines.some((line) => line.seq === said.seq)) return;
    this.chat.set(said.room, [...lines, said].slice(-CHAT_LINES));
  }
}

/* The viewer's seat in a room or null; the server leaves out what is null. */
export const seatIn = (room) => room?.seat ?? null;

/* A player as an invitation names it: ada, house/mcts. */
export const fullName = (player) => (player.program ? `${player.name}/${player.program}` : player.name);

/* The seat whose time passes in a match, or null. */
export function runs(state) {
  const { running = null, paused = null } = state.clocks ?? {};
  return paused === null && !state.result ? running : null;
}

/* Whether a match can still be called off for nothing: not when both sides have moved. */
export const isFree = (line) => new Set(line.filter((e) => e?.kind === "play").map((e) => e.seat)).size < 2;

/* The line with a newer message's actions.  It is known to be whole where those begin at ply 0, or
   where it was whole and one of them is known by its seq: below an action that stays nothing changes. */
function joined(known, state) {
  const line = [...known.line];
  const seqs = new Set(line.map((event) => event?.seq));
  const first = state.events[0];
  const meets = state.events.some((event) => seqs.has(event.seq));
  for (const event of state.events) put(line, event);
  line.length = state.ply; // a takeback makes it shorter
  const whole = state.ply === 0 || first?.ply === 0 || (known.whole && meets);
  return { line, whole };
}

/* An action removes what stood at its ply and above. */
function put(line, event) {
  if (line[event.ply]?.seq !== event.seq) line.length = Math.min(line.length, event.ply);
  line[event.ply] = event;
}
