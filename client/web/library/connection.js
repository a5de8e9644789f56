/* The connection of one tab to the server: it sends hello, carries requests and their replies, hands
   on what comes unasked, and connects again when it is lost.

       closed     no name was entered, the server refused the hello, or the name was moved elsewhere:
                  `trouble` says why
       entering   a socket is being opened, or its hello waits for the reply
       linked     welcomed: requests are sent at once
       lost       a timer makes the next attempt; the pauses grow
       over       replaced, or of another version: no further attempt by itself

   It knows the protocol's envelope (type, id, re, hello, welcome, error, bye), and nothing of rooms
   or games.  No DOM in here. */

/** @import * as wire from "./messages.js" */
/** @typedef {"closed" | "entering" | "linked" | "lost" | "over"} State */
/** @typedef {Partial<Omit<wire.Hello, "type">>} HelloFields */

/** The reply to each request; any other is answered with `ok`.
 *  @typedef {object} Replies
 *  @property {wire.LobbyList} lobby
 *  @property {wire.RoomState} create
 *  @property {wire.RoomState} join
 *  @property {wire.RoomState} seek
 *  @property {wire.RoomState} watch
 *  @property {wire.Hinted} hint
 *  @property {wire.Drawn} draw
 *  @property {wire.Linked} link
 *  @property {wire.DeviceList} devices
 *  @property {wire.KeptSettings} settings
 *  @property {wire.HistoryPage} history
 *  @property {wire.Analysed} analyse
 *  @property {wire.Analysed} analyse_own
 *  @property {wire.Tried} try
 *  @property {wire.Considered} consider
 *  @property {wire.MatchPage} matches
 *  @property {wire.PersonPage} person
 *  @property {wire.RatingTable} ratings
 *  @property {wire.LadderState | wire.Ladders} ladder_status
 *  @property {wire.RatingHistory} ladder_history
 *  @property {wire.LadderDifferences} ladder_compare */
/** @template {wire.AnyRequest} Request
 *  @typedef {Request["type"] extends keyof Replies ? Replies[Request["type"]] : wire.Ok} Reply */
/** A request that has no reply yet; `timer` is 0 while it is not sent, `waitedMs` how long the server has put it off.
 *  @typedef {object} OpenRequest
 *  @property {wire.AnyRequest} message
 *  @property {(reply: any) => void} resolve
 *  @property {(refusal: Refusal) => void} reject
 *  @property {number} timer
 *  @property {number} waitedMs */

import { words } from "../texts/words.js";

const { lost, none, partMissing, refusals, withdrawn } = words.connection;
const FIRST_MS = 250; // SPEC.md, "Coming back": a quarter of a second, doubled up to fifteen
const MAX_WAIT_MS = 15_000;
const URGENT_MS = 3_000; // while a clock runs: the longest pause, and how long a dead line is not noticed ...
const SLOWNESS = 4; // ... but for so many times what a hello took: some lines are that slow
const SETTLED_MS = 1_000; // after a connection that lasted so long, the pauses start afresh
const TIMEOUT_MS = 8_000; // a reply that takes longer means that the connection is dead
const MAX_PUT_OFF_MS = 60_000; // for a server that puts one request off, again and again
const SLOW = new Set(["hint", "analyse", "analyse_own", "consider"]); // a bot thinks about it, for up to a minute
// A play counts once by its `turn`, the others change nothing: they may be sent again.
const REPEATABLE = new Set(["play", "lobby", "history", "watch", "matches", "person", "ratings", "ladder_status", "ladder_history",
  "ladder_compare", "try", "settings"]);
const PASSING = new Set([
  "room/busy", "server/closing", "server/moving", "server/not-stored", "session/flood", "session/too-many",
]);

// Goodbyes after which only the person tries again.
const OVER = new Set(["session/replaced", "session/banned", "session/kicked"]);
const { userAgent } = navigator;
const found = (/** @type {string[]} */ ...signs) => signs.find((sign) => userAgent.includes(sign)) ?? "";
/** What this browser is, for the list of a name's devices: "Firefox, Linux". */
const device = [found("Edg", "OPR", "Firefox", "Chrome", "Safari"), found("iPhone", "iPad", "Android", "Windows", "Mac", "Linux")].filter(Boolean).join(", ");
const LOST_NAME = new Set(["session/moved", "session/released"]); // and then there is no name to come back to

/** The server's "no", or the connection's own: a code for programs, a sentence for people, in their language where it
 *  has one for the code. */
export class Refusal extends Error {
  /** @param {Pick<wire.Error, "code" | "text" | "suggestion">} error */
  constructor({ code, text, suggestion = null }) {
    super(Object.hasOwn(refusals, code) ? refusals[code] : text);
    this.code = code;
    this.suggestion = suggestion;
  }
}

const LOST = "page/lost"; // codes of the page: the server did not send them
const MISSING = "page/missing";
const WITHDRAWN = "page/withdrawn";
const unanswered = () =>
  new Refusal({ code: LOST, text: lost });
const unlinked = () =>
  new Refusal({ code: LOST, text: none });

/** Wait for a module that is imported when it is wanted.  Where it cannot be had, a Refusal says so, for
 *  a browser does not ask for it a second time; why is in its console.
 *  @template Module
 *  @param {Promise<Module>} module
 *  @returns {Promise<Module>} */
export async function fetched(module) {
  try {
    return await module;
  } catch (error) {
    reportError(error);
    throw new Refusal({ code: MISSING, text: partMissing });
  }
}

export class Connection {
  /** @type {State} */
  state = "closed";
  /** @type {Refusal | null} */
  trouble = null; // why there is no connection
  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {HelloFields | null} */
  #hello = null;
  #linkedAt = 0;
  #failures = 0;
  #timer = 0;
  #lastId = 0;
  #heardAt = 0;
  #helloAt = 0;
  #helloMs = 0; // what the last hello took
  #lostAt = 0; // since when nothing has come; 0: not lost
  /** How long there was no connection the last time, and whether the server was away, not just the line.
   *  @type {{ms: number, isServers: boolean} | null} */
  outage = null;
  /** @type {Map<number, OpenRequest>} */
  #open = new Map();

  /** `onPush(message)` gets everything that replies to no request, and each `welcome`;
   *  `onState()` is called after every change of `state`; `isUrgent()`: a clock of this person's runs.
   *  @param {string} url
   *  @param {(message: wire.AnyPush) => void} onPush
   *  @param {() => void} onState
   *  @param {() => boolean} [isUrgent] */
  constructor(url, onPush, onState, isUrgent = () => false) {
    this.url = url;
    this.onPush = onPush;
    this.onState = onState;
    this.isUrgent = isUrgent;
  }

  /** Enter with the fields of a hello: {name}, {token}, {link}, or {} for a guest.
   *  @param {HelloFields} hello */
  enter(hello) {
    this.leave();
    this.#hello = hello;
    this.#failures = 0;
    this.#connect();
  }

  /** Hang up, and stay away. */
  leave() {
    this.#drop();
    this.#hello = null;
    this.#lostAt = 0;
    this.trouble = null;
    this.#become("closed");
    for (const id of [...this.#open.keys()]) this.#close(id)?.reject(unlinked());
  }

  /** Try again now rather than after the pause. */
  hurry() {
    if (this.state === "lost") this.#connect();
  }

  /** Milliseconds since anything came.  The page cannot see the server's pings, so a connection that
   *  is quiet may be dead; a request finds that out. */
  quietFor() {
    return performance.now() - this.#heardAt;
  }

  /** Ask, before somebody waits for a reply, whether one would come: unless that is under way.
   *  @param {wire.AnyRequest} message that changes nothing */
  probe(message) {
    return [...this.#open.values()].some(({ timer }) => timer) ? Promise.resolve(null) : this.request(message);
  }

  /** Send a request; its reply, or a Refusal.  What can be repeated waits for the next connection, unless `signal`
   *  withdraws it before.
   *  @template {wire.AnyRequest} Request
   *  @param {Request} message
   *  @param {AbortSignal} [signal]
   *  @returns {Promise<Reply<Request>>} */
  request(message, signal) {
    if (this.state !== "linked" && !(this.#hello && REPEATABLE.has(message.type))) {
      return Promise.reject(unlinked());
    }
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#open.set(id, { message, resolve, reject, timer: 0, waitedMs: 0 });
      signal?.addEventListener("abort", () => this.#close(id)?.reject(new Refusal({ code: WITHDRAWN, text: withdrawn })));
      if (this.state === "linked") this.#send(id);
    });
  }

  /** @param {number} id */
  #send(id) {
    const request = this.#open.get(id);
    if (!request) return;
    this.#socket?.send(JSON.stringify({ ...request.message, id }));
    if (!SLOW.has(request.message.type)) this.#expect(request, performance.now());
  }

  /** Take the line for dead unless something comes in time.  What comes slowly, such as a long list, comes.
   *  @param {OpenRequest} request
   *  @param {number} sentAt */
  #expect(request, sentAt) {
    const full = this.#patience();
    const wait = full - (this.isUrgent() ? Math.min(this.quietFor(), full / 2) : 0);
    request.timer = setTimeout(() => {
      const isHeard = this.quietFor() < full && performance.now() - sentAt < TIMEOUT_MS;
      if (isHeard) this.#expect(request, sentAt);
      else this.#lose(null, true);
    }, wait);
  }

  /** How long nothing may come that is waited for. */
  #patience() {
    return this.isUrgent() ? Math.min(TIMEOUT_MS, Math.max(URGENT_MS, SLOWNESS * this.#helloMs)) : TIMEOUT_MS;
  }

  /** Take a request off the list of those without a reply.
   *  @param {number} id */
  #close(id) {
    const request = this.#open.get(id);
    clearTimeout(request?.timer);
    this.#open.delete(id);
    return request;
  }

  #connect() {
    clearTimeout(this.#timer);
    this.#drop();
    const socket = new WebSocket(this.url);
    this.#socket = socket;
    socket.onopen = () => {
      const hello = { type: "hello", id: ++this.#lastId, version: 1, client: "plyhouse-page", device, ...this.#hello };
      this.#helloAt = performance.now();
      socket.send(JSON.stringify(hello));
    };
    socket.onmessage = (event) => this.#receive(JSON.parse(event.data));
    socket.onclose = () => this.#lose(this.trouble);
    this.#timer = setTimeout(() => this.#lose(null), this.#patience()); // until it is welcomed
    this.#become("entering");
  }

  /** @param {wire.AnyPush} message */
  #receive(message) {
    this.#heardAt = performance.now();
    if (message.type === "bye") this.trouble = new Refusal(message);
    if (message.type === "bye" && OVER.has(message.code)) this.#finish("over");
    else if (message.type === "bye" && LOST_NAME.has(message.code)) this.#finish("closed");
    else if (this.state === "entering") this.#receiveFirst(message);
    else if (message.re === undefined || message.re === null) this.onPush(message);
    else if (message.type === "error") this.#refused(message.re, message);
    else this.#close(message.re)?.resolve(message);
  }

  /** What the server only puts off is asked again when it says, and the rest is no.
   *  @param {number} id
   *  @param {wire.Error} error */
  #refused(id, error) {
    const request = this.#open.get(id);
    const waitMs = error.retry_ms ?? null;
    if (!request || waitMs === null || request.waitedMs + waitMs > MAX_PUT_OFF_MS) {
      this.#close(id)?.reject(new Refusal(error));
      return;
    }
    request.waitedMs += waitMs;
    clearTimeout(request.timer);
    request.timer = setTimeout(() => this.#send(id), waitMs);
  }

  /** Until the welcome, an error is the reply to the hello.
   *  @param {wire.AnyPush} message */
  #receiveFirst(message) {
    if (message.type === "welcome") this.#welcomed(message);
    if (message.type !== "error") return;
    const refusal = new Refusal(message);
    if (PASSING.has(refusal.code)) this.#lose(refusal);
    else this.#finish(refusal.code === "protocol/wrong-version" ? "over" : "closed", refusal);
  }

  /** @param {wire.Welcome} welcome */
  #welcomed(welcome) {
    clearTimeout(this.#timer);
    this.#linkedAt = performance.now();
    this.#helloMs = this.#linkedAt - this.#helloAt;
    if (this.#lostAt) {
      const ms = this.#linkedAt - this.#lostAt;
      this.outage = { ms, isServers: (welcome.up_ms ?? Infinity) < ms };
    }
    this.#lostAt = 0;
    this.trouble = null;
    if (welcome.token) this.#hello = { token: welcome.token };
    this.#become("linked");
    this.onPush(welcome);
    for (const [id, request] of [...this.#open].sort(([a], [b]) => a - b)) {
      if (!request.timer) this.#send(id); // onPush may have sent a request already
    }
  }

  /** The connection is gone: what may be repeated waits, all else fails, and a timer tries again.
   *  @param {Refusal | null} trouble
   *  @param {boolean} [isSilent] it was noticed only by what did not come */
  #lose(trouble, isSilent = false) {
    const settled = performance.now() - this.#linkedAt >= SETTLED_MS;
    if (this.state === "linked") this.#lostAt = isSilent ? this.#heardAt : performance.now();
    if (this.state === "linked" && settled) this.#failures = 0;
    this.#drop();
    this.trouble = trouble;
    for (const [id, request] of [...this.#open]) {
      clearTimeout(request.timer);
      request.timer = 0;
      if (!REPEATABLE.has(request.message.type)) this.#close(id)?.reject(unanswered());
    }
    const full = Math.min(this.isUrgent() ? URGENT_MS : MAX_WAIT_MS, FIRST_MS * 2 ** Math.min(this.#failures++, 16));
    const pause = full * (1 - 0.5 * Math.random()); // so that not everybody comes back at once
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#connect(), pause);
    this.#become("lost");
  }

  /** @param {State} state */
  #finish(state, trouble = this.trouble) {
    this.leave();
    this.trouble = trouble;
    this.#become(state);
  }

  #drop() {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = null;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null; // nothing of it is heard any more
    socket.close();
  }

  /** @param {State} state */
  #become(state) {
    this.state = state;
    this.onState();
  }
}

/** The address of this page's server, for a WebSocket. */
export function socketUrl() {
  return `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/ws`;
}
