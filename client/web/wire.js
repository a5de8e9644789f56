/* One tab's line to the server: it says hello, asks, hands on what comes, and comes back when lost.

       closed     nobody has entered, or the server said no to the hello: `trouble` says why
       entering   a socket is being opened, or its hello waits for the answer
       linked     welcomed: requests go out at once
       lost       a timer makes the next attempt; the pauses grow
       over       replaced, or of another version: no further attempt by itself

   It knows the protocol's envelope (type, id, re, hello, welcome, error, bye) and nothing of rooms
   or games; and there is no DOM in here. */

const FIRST_MS = 250; // SPEC.md, "How it ends": a quarter of a second, doubled up to fifteen
const LONGEST_MS = 15_000;
const SETTLED_MS = 1_000; // a link that lasted so long was a good one: the pauses start afresh
const PATIENCE_MS = 8_000; // an answer that takes longer means that the line is dead
const SLOW = new Set(["hint", "analyse"]); // a bot thinks about it, for up to a minute
// A play counts once by its `turn`, the others change nothing: they may be sent again.
const REPEATABLE = new Set(["play", "lobby", "history", "watch", "ladder_status", "ladder_history"]);
const PASSING = new Set([
  "room/busy", "server/closing", "server/not-stored", "session/flood", "session/too-many",
]);

/* The server's "no" (or the line's own): a code for programs, a sentence for people. */
export class Refusal extends Error {
  constructor({ code, text, legal = null, suggestion = null }) {
    super(text);
    this.code = code;
    this.legal = legal;
    this.suggestion = suggestion;
  }
}

const LOST = "page/lost"; // a code of our own: the server did not say this
const unknown = () =>
  new Refusal({ code: LOST, text: "The connection was lost; please see whether that was done, and try again." });
const unlinked = () =>
  new Refusal({ code: LOST, text: "There is no connection just now; please try again when it is back." });

export class Wire {
  state = "closed";
  trouble = null; // a Refusal: why there is no link
  #socket = null;
  #hello = null;
  #helloId = 0;
  #linkedAt = 0;
  #failures = 0;
  #timer = 0;
  #number = 0;
  #heardAt = 0;
  #waiting = new Map(); // id -> {message, resolve, reject, timer}

  /* `onPush(message)` gets everything that is no answer to a request, and each `welcome`;
     `onState()` is called after every change of `state`. */
  constructor(url, onPush, onState) {
    this.url = url;
    this.onPush = onPush;
    this.onState = onState;
  }

  /* Enter with the fields of a hello: {name}, {token}, {link}, or {} for a guest. */
  enter(hello) {
    this.leave();
    this.#hello = hello;
    this.#failures = 0;
    this.#open();
  }

  /* Hang up, and stay away. */
  leave() {
    this.#drop();
    this.#hello = null;
    this.trouble = null;
    this.#become("closed");
    for (const id of [...this.#waiting.keys()]) this.#settle(id)?.reject(unlinked());
  }

  /* Try again now rather than after the pause. */
  hurry() {
    if (this.state === "lost") this.#open();
  }

  /* Milliseconds since anything came.  The server's pings are not seen from here, so a line on
     which nothing comes may be dead; to ask for something finds that out. */
  quietFor() {
    return performance.now() - this.#heardAt;
  }

  /* Send a request; its answer, or a Refusal.  What can be repeated waits for the next link. */
  request(message) {
    if (this.state !== "linked" && !(this.#hello && REPEATABLE.has(message.type))) {
      return Promise.reject(unlinked());
    }
    const id = ++this.#number;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { message, resolve, reject, timer: 0 });
      if (this.state === "linked") this.#send(id);
    });
  }

  #send(id) {
    const asked = this.#waiting.get(id);
    this.#socket.send(JSON.stringify({ ...asked.message, id }));
    if (!SLOW.has(asked.message.type)) {
      asked.timer = setTimeout(() => this.#lose(null), PATIENCE_MS);
    }
  }

  #settle(id) {
    const asked = this.#waiting.get(id);
    if (asked) clearTimeout(asked.timer);
    this.#waiting.delete(id);
    return asked;
  }

  #open() {
    clearTimeout(this.#timer);
    this.#drop();
    const socket = new WebSocket(this.url);
    this.#socket = socket;
    socket.onopen = () => this.#sayHello();
    socket.onmessage = (event) => this.#hear(JSON.parse(event.data));
    socket.onclose = () => this.#lose(this.trouble);
    this.#timer = setTimeout(() => this.#lose(null), PATIENCE_MS); // until it is welcomed
    this.#become("entering");
  }

  #sayHello() {
    this.#helloId = ++this.#number;
    const hello = { type: "hello", id: this.#helloId, version: 1, client: "plyhouse-page", ...this.#hello };
    this.#socket.send(JSON.stringify(hello));
  }

  #hear(message) {
    this.#heardAt = performance.now();
    if (message.type === "bye") this.trouble = new Refusal(message);
    if (message.type === "bye" && message.code === "session/replaced") return this.#finish("over");
    if (this.state === "entering") return this.#hearFirst(message);
    if (message.re === undefined) return this.onPush(message);
    const asked = this.#settle(message.re);
    if (message.type === "error") asked?.reject(new Refusal(message));
    else asked?.resolve(message);
  }

  /* Until the welcome, an error is the server's answer to the hello. */
  #hearFirst(message) {
    if (message.type === "welcome") return this.#welcomed(message);
    if (message.type !== "error") return;
    const refusal = new Refusal(message);
    if (PASSING.has(refusal.code)) this.#lose(refusal);
    else this.#finish(refusal.code === "protocol/wrong-version" ? "over" : "closed", refusal);
  }

  #welcomed(welcome) {
    clearTimeout(this.#timer);
    this.#linkedAt = performance.now();
    this.trouble = null;
    if (welcome.token) this.#hello = { token: welcome.token };
    this.#become("linked");
    this.onPush(welcome);
    for (const id of [...this.#waiting.keys()].sort((a, b) => a - b)) {
      if (!this.#waiting.get(id).timer) this.#send(id); // onPush may have asked something already
    }
  }

  /* The line is gone: what may be repeated waits, all else is told, and a timer tries again. */
  #lose(trouble) {
    const settled = performance.now() - this.#linkedAt >= SETTLED_MS;
    if (this.state === "linked" && settled) this.#failures = 0;
    this.#drop();
    this.trouble = trouble;
    for (const [id, asked] of [...this.#waiting]) {
      clearTimeout(asked.timer);
      asked.timer = 0;
      if (!REPEATABLE.has(asked.message.type)) this.#settle(id).reject(unknown());
    }
    const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(this.#failures++, 16));
    const pause = full * (1 - 0.5 * Math.random()); // so that not everybody comes back at once
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#open(), pause);
    this.#become("lost");
  }

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

  #become(state) {
    this.state = state;
    this.onState();
  }
}
