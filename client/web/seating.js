/* What a person at this page can do about rooms: open, join, watch, invite, leave, play again; and
   what the page asks by itself, so that a view has what it shows (the lobby, the whole line).

   `wire` carries, `house` is fed with each answer.  Every method is a promise that fails with a
   Refusal, whose sentence is for the person.  No DOM in here. */

import { fullName, isFree, seatIn } from "./house.js";

const PAGE = 200; // events in one answer of `history`
const COMES_MS = 10_000; // an invitation is good for so long
const BUSY_MS = 300; // before a request that the room had no time for is sent again

export class Seating {
  #follows = false;
  #recalled = new Set(); // rooms whose chat was asked for
  #filling = new Set(); // matches whose line is being fetched
  #asked = new Map(); // room -> {who, strength, until}: whom we invited there, to ask again

  constructor(wire, house) {
    this.wire = wire;
    this.house = house;
  }

  async ask(message) {
    const reply = await this.wire.request(message);
    this.house.feed(reply);
    return reply;
  }

  /* The server forgets with a connection who follows the lobby. */
  arrived() {
    this.#follows = false;
  }

  /* Ask once for what a view shows: the lists of the lobby where it is `wanted`, and the chat of a
     `room` (undefined: none) that was said before this page knew it.  Whether there was anything. */
  async need(wanted, room) {
    const listed = wanted === this.#follows;
    this.#follows = wanted;
    if (!listed) await this.ask({ type: "lobby", follow: wanted });
    if (!listed && wanted) await this.ask({ type: "ladder_status" });
    const recalled = !room || this.#recalled.has(room.room);
    if (!recalled) {
      this.#recalled.add(room.room);
      this.house.recall(room.room, await this.#history(room.room, Math.max(0, room.seq - PAGE)));
    }
    return !(listed && recalled);
  }

  /* Ask for anything at all, to see whether there is an answer. */
  probe() {
    return this.ask({ type: "lobby", follow: this.#follows });
  }

  /* Open a room and be ready in it; `invited` is {who, strength} or null.  Its number. */
  async open({ game, options, seat, invited }) {
    await this.#tidy();
    const { room } = await this.ask({ type: "create", game, options, seat });
    try {
      if (invited) await this.invite(room, invited);
      await this.ready(room);
    } catch (refusal) {
      await this.leave(room); // an empty room would only stand in the lobby
      throw refusal;
    }
    return room;
  }

  /* Sit down where there is a free seat, by number or by code, and be ready.  The room's number. */
  async join(place) {
    await this.#tidy(place.room);
    const joined = await this.ask({ type: "join", ...place });
    if (joined.state === "waiting") await this.ready(joined.room);
    return joined.room;
  }

  async watch(place) {
    return (await this.ask({ type: "watch", ...place })).room;
  }

  async leave(room) {
    await this.ask({ type: "leave", room });
    this.house.forget(room);
    this.#recalled.delete(room);
    this.#asked.delete(room);
  }

  async invite(room, { who, strength }) {
    await this.ask({ type: "invite", room, who, strength });
    const held = who.includes("/") ? COMES_MS : 0; // a bot comes at once; a person may think about it
    this.#asked.set(room, { who, strength, until: this.house.now() + held });
  }

  /* Whom the free seat of a room is held for just now, or null. */
  expected(room) {
    const asked = this.#asked.get(room);
    return asked && asked.until > this.house.now() ? asked.who : null;
  }

  /* Agree to the next match; where there are dice, with a share of their randomness. */
  async ready(room) {
    const salt = this.house.rooms.get(room)?.commitment ? randomHex(16) : null;
    await this.#patiently({ type: "ready", room, salt });
  }

  /* The next match in a room, whatever goes on there: a match that is on is called off if that is
     free, else resigned; whoever sat opposite and has left is asked again. */
  async newGame(room) {
    const match = this.house.current(room);
    if (this.house.rooms.get(room).state === "playing" && match && !match.result) {
      await this.end(match.match);
    }
    const now = this.house.rooms.get(room);
    const rival = this.rival(room);
    if (rival && now.seats[1 - now.seat] === null) await this.invite(room, rival);
    await this.ready(room);
  }

  /* Whom an invitation would bring back: who was invited, or the bot of the last match. */
  rival(room) {
    if (this.#asked.has(room)) return this.#asked.get(room);
    const bot = this.house.current(room)?.seats.find((player) => player.program);
    return bot ? { who: fullName(bot), strength: {} } : null;
  }

  /* End a match at the lowest price. */
  async end(match) {
    if (!isFree(this.house.line(match))) return this.#patiently({ type: "resign", match });
    try {
      return await this.#patiently({ type: "abort", match });
    } catch (refusal) {
      if (refusal.code !== "match/too-late-to-abort") throw refusal;
      return this.#patiently({ type: "resign", match });
    }
  }

  /* Fetch what is missing of a match's line. */
  async complete(match) {
    if (this.#filling.has(match.match)) return;
    this.#filling.add(match.match);
    try {
      // Its actions are its room's last events but for offers and chat: mostly one page will do.
      let events = await this.#history(match.room, Math.max(0, match.seq - match.ply - PAGE / 2));
      const begun = events.some((event) => event.match === match.match && event.kind === "started");
      if (!begun) events = await this.#history(match.room, 0);
      this.house.fill(match.match, events);
    } finally {
      this.#filling.delete(match.match);
    }
  }

  async #history(room, since) {
    const events = [];
    while (since !== null) {
      const code = this.house.rooms.get(room)?.code;
      const page = await this.wire.request({ type: "history", room, since, code });
      events.push(...page.events);
      since = page.next ?? null;
    }
    return events;
  }

  /* A room has room for a few requests at once; it says so, and nothing is wrong. */
  async #patiently(message) {
    for (let tries = 0; ; tries++) {
      try {
        return await this.ask(message);
      } catch (refusal) {
        if (refusal.code !== "room/busy" || tries === 5) throw refusal;
      }
      await new Promise((done) => setTimeout(done, BUSY_MS));
    }
  }

  /* Get up where a match is over before sitting down elsewhere; a room that still waits for its
     first match is kept, so that one can play a bot until a friend comes. */
  async #tidy(except) {
    const isDone = (room) => room.state === "waiting" && room.match && !room.ready[room.seat];
    const done = this.house.mine().filter(isDone);
    for (const { room } of done) if (room !== except) await this.leave(room);
  }
}

/* Whether the one who sits opposite in a room is a bot; false where nobody does. */
export function againstBot(room) {
  const seat = seatIn(room);
  return seat !== null && Boolean(room.seats[1 - seat]?.program);
}

function randomHex(bytes) {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  return [...random].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
