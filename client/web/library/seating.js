/* What a person at this page can do about rooms: open, join, watch, invite, leave, play again; and
   what the page asks for by itself, so that a view has what it shows (the lobby, all actions).

   `connection` carries the requests, and `replica` receives each reply.  Every method is a promise
   that fails with a Refusal, whose sentence is for the person.  It draws nothing. */

/** @import * as wire from "./messages.js" */
/** @import { Connection, Reply } from "./connection.js" */
/** @import { Replica } from "./replica.js" */
/** Whom to invite, and how strong a bot shall be.
 *  @typedef {{who: string, strength: wire.Strength}} Invitation */
/** A room by its number, by its code, or by both where it is private.
 *  @typedef {{room?: number | null, code?: string | null}} Place */
/** `onBusy`: a bot of the house that was invited has no time, and another one comes.
 *  @typedef {{game: string, options: wire.Options, seat: 0 | 1, invited: Invitation | null, onBusy?: () => unknown}} Terms */

import { seeEnd } from "./awaited.js";
import { Refusal } from "./connection.js";
import { fullName, isFree, isSeriesOn, seatIn } from "./replica.js";
import { HOUSE } from "./words.js";

const EVENTS = 200; // in one reply to `history`
const WIDER = 4; // times as many, where they do not hold a match's start: a room may have had a million
const HELD_MS = 10_000; // a seat is held so long for a bot that was invited
const BUSY_MS = 300; // before a request that the room had no time for is sent again
const TRIES = 6;
const AGAIN_MS = 10_000; // after which who waits for an opponent asks for one again
const LINES = 50; // the newest matches of one's own
const LEVEL = 4; // of the bot that comes in place of one that has no levels
const WATCH_TRIES = 40; // in which one of several servers takes over from another
const PASSING = new Set(["room/busy", "room/moving", "server/not-stored"]); // it was not carried out

export class Seating {
  #follows = false; // the changes of the lobby
  #soughtAt = 0; // when an opponent was asked for last
  /** @type {Set<number>} */
  #withOldChat = new Set(); // rooms whose chat was fetched
  /** @type {Set<string>} */
  #fetching = new Set(); // matches whose actions are being fetched
  /** @type {Map<number, Invitation & {until: number}>} */
  #invited = new Map(); // by room: whom we invited there, to invite again

  /** @param {Connection} connection
   *  @param {Replica} replica */
  constructor(connection, replica) {
    this.connection = connection;
    this.replica = replica;
  }

  /** Send a request; its reply.
   *  @template {wire.AnyRequest} Request
   *  @param {Request} message
   *  @param {AbortSignal} [signal] withdraws it as long as it waits for a connection
   *  @returns {Promise<Reply<Request>>} */
  async ask(message, signal) {
    const reply = await this.connection.request(message, signal);
    this.replica.receive(reply);
    return reply;
  }

  /** The server forgets with a connection who follows the lobby. */
  connected() {
    this.#follows = false;
  }

  /** Ask once for what a view shows: the lists of the lobby, where they are `wanted`, and what was
   *  said in a `room` before this page came.  Whether anything was asked.
   *  @param {boolean} wanted
   *  @param {wire.RoomState} [room] */
  async need(wanted, room) {
    const isFollowed = wanted === this.#follows;
    if (!isFollowed) await this.#follow(wanted);
    if (!room || this.#withOldChat.has(room.room)) return !isFollowed;
    this.#withOldChat.add(room.room);
    try {
      this.replica.addOldChat(room.room, await this.#history(room.room, Math.max(0, room.seq - EVENTS)));
    } catch (refusal) {
      this.#withOldChat.delete(room.room); // it is asked for again
      throw refusal;
    }
    return true;
  }

  /** Follow the lists of the lobby, or no more.  What was refused for good is as if it had not been asked for.
   *  @param {boolean} wanted */
  async #follow(wanted) {
    this.#follows = wanted; // while it is asked for, it is not asked for again
    try {
      await this.#patiently({ type: "lobby", follow: wanted && "changes" }, WATCH_TRIES, () => this.#follows === wanted);
      if (wanted) await this.#patiently({ type: "ladder_status" });
    } catch (refusal) {
      if (this.#follows === wanted) this.#follows = !wanted;
      throw refusal;
    }
  }

  /** Ask for anything at all, to see whether a reply comes. */
  probe() {
    return this.ask({ type: "lobby", follow: this.#follows && "changes" });
  }

  /** Open a room and be ready in it.  Its number.
   *  @param {Terms} terms */
  async open({ game, options, seat, invited, onBusy = () => null }) {
    await this.#leaveFinished();
    const { room } = await this.ask({ type: "create", game, options, seat });
    try {
      if (invited) await this.#inviteFirst(room, invited, onBusy);
      await this.ready(room);
    } catch (refusal) {
      await this.leave(room); // else an empty room would stand in the lobby
      throw refusal;
    }
    return room;
  }

  /** Sit down where a seat is free, and be ready.  The room's number.
   *  @param {Place} place */
  async join(place) {
    await this.#leaveFinished(place.room);
    const room = await this.ask({ type: "join", ...place });
    if (room.state === "waiting") await this.ready(room.room);
    return room.room;
  }

  /** Sit down with who wants the same, or wait for them, and be ready.  The room's number.
   *  @param {string} game
   *  @param {wire.Options} options */
  async seek(game, options) {
    await this.#leaveFinished();
    const { room } = await this.ask({ type: "seek", game, options });
    await this.ready(room);
    this.#soughtAt = this.replica.now();
    return room;
  }

  /** Ask again where this person waits for an opponent: a table may have been opened since.
   *  @param {(from: number, to: number) => unknown} onMove they sit elsewhere now */
  async seekOn(onMove) {
    const waiting = this.replica.seatedRooms().find((each) => isSeeking(each));
    if (!waiting || this.replica.now() - this.#soughtAt < AGAIN_MS) return;
    this.#soughtAt = this.replica.now();
    const { room: from, game, options } = waiting;
    const { room } = await this.ask({ type: "seek", game, options });
    if (room === from) return;
    this.replica.forget(from); // the server has had us leave it
    await this.ready(room);
    onMove(from, room);
  }

  /** Look on, also where that takes some tries; no more once it is not `wanted`.
   *  @param {Place} place */
  async watch(place, wanted = () => true) {
    const request = /** @type {const} */ ({ type: "watch", ...place });
    return (await this.#patiently(request, WATCH_TRIES, wanted)).room;
  }

  /** @param {number} room */
  async leave(room) {
    await this.ask({ type: "leave", room });
    this.replica.forget(room);
    this.#withOldChat.delete(room);
    this.#invited.delete(room);
  }

  /** @param {number} room
   *  @param {Invitation} invitation */
  async invite(room, { who, strength }) {
    await this.ask({ type: "invite", room, who, strength });
    const held = who.includes("/") ? HELD_MS : 0; // a bot comes at once; a person may think about it
    this.#invited.set(room, { who, strength, until: this.replica.now() + held });
  }

  /** Invite somebody; where that is a bot of the house without time, any other one that is as strong.
   *  @param {number} room
   *  @param {Invitation} invited
   *  @param {() => unknown} onBusy */
  async #inviteFirst(room, invited, onBusy) {
    try {
      await this.invite(room, invited);
    } catch (refusal) {
      if (!hasCode(refusal, "invite/busy") || !invited.who.startsWith(`${HOUSE}/`)) throw refusal;
      await this.invite(room, { who: HOUSE, strength: { level: invited.strength.level ?? LEVEL } }).catch(() => { throw refusal; });
      onBusy();
    }
  }

  /** Whom the free seat of a room is held for just now, or null.
   *  @param {number} room */
  expected(room) {
    const invited = this.#invited.get(room);
    return invited && invited.until > this.replica.now() ? invited.who : null;
  }

  /** The player who was invited to a room does not come: no slot waits for them.
   *  @param {number} room */
  declined(room) {
    const invited = this.#invited.get(room);
    if (invited) invited.until = 0;
  }

  /** Turn down an invitation, and let its sender know.
   *  @param {number} room */
  async decline(room) {
    this.replica.invitations.delete(room);
    await this.ask({ type: "decline", room }).catch((error) => {
      if (!hasCode(error, "invite/not-invited")) throw error; // after two minutes no one waits for that
    });
  }

  /** Agree to the next match; where there are dice, with a share of their randomness.
   *  @param {number} room */
  async ready(room) {
    const salt = this.replica.rooms.get(room)?.commitment ? randomHex(16) : null;
    await this.#patiently({ type: "ready", room, salt });
  }

  /** Begin the next match in a room, whatever goes on there: a match that is on is called off if that
   *  is free, else resigned; an opponent who has left is invited again.
   *  @param {number} room */
  async newGame(room) {
    const match = this.replica.current(room);
    const isOn = this.replica.rooms.get(room)?.state === "playing" && match && !match.result;
    if (isOn) await this.end(match.match);
    const now = this.replica.rooms.get(room);
    const opponent = this.lastOpponent(room);
    if (opponent && now && now.seats[1 - (now.seat ?? 0)] === null) await this.invite(room, opponent);
    await this.ready(room);
  }

  /** Whom an invitation would bring back: who was invited, or the bot of the last match.
   *  @param {number} room
   *  @returns {Invitation | null} */
  lastOpponent(room) {
    const invited = this.#invited.get(room);
    if (invited) return invited;
    const bot = this.replica.current(room)?.seats.find((player) => player.program);
    return bot ? { who: fullName(bot), strength: {} } : null;
  }

  /** End a match at the lowest price; that is no news to the one who does it.
   *  @param {string} match */
  async end(match) {
    await this.#end(match);
    seeEnd(this.replica, match);
  }

  /** @param {string} match */
  async #end(match) {
    const { rated } = this.replica.rooms.get(Number.parseInt(match))?.options ?? {};
    if (!isFree(this.replica.actions(match), rated)) return this.#patiently({ type: "resign", match });
    try {
      return await this.#patiently({ type: "abort", match });
    } catch (refusal) {
      if (!hasCode(refusal, "match/too-late-to-abort")) throw refusal;
      return this.#patiently({ type: "resign", match });
    }
  }

  /** End the match in a room that we go away from, if it is one against a bot in which we have not moved.
   *  @param {number} number */
  async leaveUnplayed(number) {
    const [room, match] = [this.replica.rooms.get(number), this.replica.current(number)];
    if (!room || !match || room.state !== "playing" || match.result || !isAgainstBot(room)) return;
    const seat = seatIn(room);
    const isPlayed = this.replica.lacksActions(match.match) || (match.series?.game ?? 1) > 1
      || this.replica.actions(match.match).some((action) => action?.kind === "play" && action.seat === seat);
    if (isPlayed) return;
    await this.end(match.match);
    await this.leave(number);
  }

  /** The last match in a room where we have played, which may be closed; null: it is not among the newest.
   *  @param {number} room */
  async lastMatchIn(room) {
    const { matches } = await this.connection.request({ type: "matches", who: this.replica.name, limit: LINES });
    return matches.find(({ match }) => Number.parseInt(match) === room) ?? null;
  }

  /** Fetch the actions of a match that are missing.
   *  @param {wire.MatchState} match */
  async fetchActions(match) {
    if (this.#fetching.has(match.match)) return;
    this.#fetching.add(match.match);
    try {
      // A match's actions are its room's last events but for offers and chat: one reply mostly does.
      const isStart = (/** @type {wire.Event} */ event) => event.match === match.match && event.kind === "started";
      let reach = match.ply + EVENTS / 2;
      let events = await this.#history(match.room, Math.max(0, match.seq - reach));
      while (reach < match.seq && !events.some(isStart)) {
        reach *= WIDER;
        events = await this.#history(match.room, Math.max(0, match.seq - reach));
      }
      this.replica.addHistory(match.match, events);
    } finally {
      this.#fetching.delete(match.match);
    }
  }

  /** The events of a room after `since`.
   *  @param {number} room
   *  @param {number} since */
  async #history(room, since) {
    const events = [];
    /** @type {number | null} */
    let next = since;
    while (next !== null) {
      const code = this.replica.rooms.get(room)?.code;
      /** @type {wire.HistoryPage} */
      const reply = await this.#patiently({ type: "history", room, since: next, code });
      events.push(...reply.events);
      next = reply.next ?? null;
    }
    return events;
  }

  /** Ask again while the room is busy, which takes only a few requests at once, or is not at hand.
   *  @template {wire.AnyRequest} Request
   *  @param {Request} message
   *  @returns {Promise<Reply<Request>>} */
  async #patiently(message, most = TRIES, wanted = () => true) {
    for (let tries = 1; ; tries++) {
      try {
        return await this.ask(message);
      } catch (refusal) {
        if (!mayPass(refusal, message.type) || tries === most || !wanted()) throw refusal;
      }
      await new Promise((resolve) => { setTimeout(resolve, BUSY_MS); });
    }
  }

  /** Leave the rooms where a match is over, before sitting down elsewhere.  A room that still waits
   *  for its first match is kept: one can play a bot until a friend comes.  So is one where a series goes on.
   *  @param {number | null} [except] */
  async #leaveFinished(except) {
    const finished = this.replica.seatedRooms().filter((room) =>
      room.state === "waiting" && room.match && !room.ready[room.seat ?? 0] && !isSeriesOn(room.series));
    for (const { room } of finished) if (room !== except) await this.leave(room);
  }
}

/** Whether a request may be granted if it is sent again, and that does no harm.
 *  @param {unknown} error
 *  @param {string} type */
const mayPass = (error, type) => error instanceof Refusal
  && (PASSING.has(error.code) || (type === "watch" && error.code === "server/unanswered"));

/** Whether a request was refused with this code.
 *  @param {unknown} error
 *  @param {string} code */
export const hasCode = (error, code) => error instanceof Refusal && error.code === code;

/** Whether the one who sits opposite in a room is a bot; false where the seat is free.
 *  @param {wire.RoomState} room */
export function isAgainstBot(room) {
  const seat = seatIn(room);
  return seat !== null && Boolean(room.seats[1 - seat]?.program);
}

/** Whether this person waits in a room for an opponent who wants the same.
 *  @param {wire.RoomState} room */
export const isSeeking = (room) =>
  Boolean(room.options.sought) && room.state === "waiting" && seatIn(room) !== null && room.seats.includes(null);

/** @param {number} bytes */
function randomHex(bytes) {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  return [...random].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
