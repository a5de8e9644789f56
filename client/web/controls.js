/* Below the board: what can be done now, the offers that are open, and the question before a loss.

   The deeds are tables: each button, when it is there, what it does.  The server judges; a button is
   only left out where its answer would be a plain no. */

import { el, keyed, put, show } from "./dom.js";
import { isFree, seatIn } from "./house.js";
import { againstBot } from "./seating.js";
import { offerText, playerTitle } from "./wording.js";

export class Controls {
  #question = null; // {text, yes, go}: asked before something is lost
  #room = null;

  /* `hinted({match, turn, action})` is called with what a bot would play. */
  constructor(app, review, hinted) {
    this.app = app;
    this.review = review;
    this.hinted = hinted;
    this.hint = el("p", { class: "hint", "aria-live": "polite" });
    this.thought = el("p", { class: "thought quiet" }); // what the bot thought of it, and of other actions
    this.offers = el("div", { class: "offers", "aria-live": "polite" });
    this.asked = el("p");
    this.yes = el("button", { type: "button", class: "danger", onclick: () => this.#confirm() });
    this.no = el("button", { type: "button", onclick: () => this.#ask(null) }, "Go on playing");
    const dialog = { class: "question", role: "alertdialog", "aria-label": "Are you sure?" };
    this.question = el("div", dialog,
      this.asked, el("div", { class: "row" }, this.yes, this.no));
    this.buttons = el("div", { class: "row controls" });
    this.node = el("div", { class: "below" }, this.hint, this.thought, this.offers, this.question, this.buttons);
  }

  show(room, match) {
    const on = room.state === "playing" && Boolean(match) && !match.result;
    const now = { room, match, me: seatIn(room), on };
    if (this.#room !== room.room || (this.#question && !on)) this.#question = null;
    this.#room = room.room;
    if (this.hint.dataset.turn !== `${match?.match} ${match?.turn}`) this.#tell("");
    const during = on && now.me !== null ? this.#during(now) : [];
    const deeds = [...this.#sitting(now), ...during, ...this.#leaving(now)].filter(({ when }) => when);
    keyed(this.buttons, deeds, ({ name }) => name, buttonOf, (button, { label, deed }) => {
      put(button, label);
      button.deed = deed;
    });
    this.#offers(now);
    this.#ask(this.#question);
  }

  /* To begin, or to look back: {name, label, when it is there, what it does, its look}. */
  #sitting({ room, match, me, on }) {
    const { seating, attempt } = this.app;
    const seated = me !== null;
    const idle = room.state === "waiting";
    const alone = seated && !room.seats[1 - me] && seating.expected(room.room) === null;
    const recall = alone && seating.rival(room.room) !== null; // there is somebody to call again
    const sit = () => attempt(() => seating.join({ room: room.room, code: room.code }));
    return [
      { name: "new", label: this.#newLabel(room, me, on), look: "primary",
        when: seated && (on || (idle && (!room.ready[me] || recall))), deed: () => this.#new(room, match, on) },
      { name: "sit", label: "Take a seat", look: "primary",
        when: idle && !seated && room.seats.includes(null), deed: sit },
      { name: "analyse", label: "Analyse", when: this.review.isOpen(match),
        deed: () => attempt(() => this.review.ask(room, match)) },
    ];
  }

  /* To go: who plays keeps the seat. */
  #leaving({ room, me, on }) {
    const { seating, attempt, go } = this.app;
    const stays = (on && me !== null) || room.state === "closed";
    const leave = () => attempt(async () => {
      await seating.leave(room.room);
      go(null);
    });
    return [
      { name: "leave", label: me === null ? "Stop watching" : "Leave the table", when: !stays, deed: leave },
      { name: "lobby", label: "Lobby", when: stays, deed: () => go(null) },
    ];
  }

  /* What a player can do while a match is on. */
  #during({ room, match, me }) {
    const { seating, attempt, house } = this.app;
    const ask = (message) => () => attempt(() => seating.ask({ match: match.match, ...message }));
    const isOpen = (kind) => match.offers?.some((offer) => offer.kind === kind) ?? false;
    const casual = !room.options.rated;
    const free = isFree(house.line(match.match));
    const resign = { text: "Resign this match?", yes: "Resign", go: ask({ type: "resign" }) };
    return [
      { name: "hint", label: "Hint", when: casual && Boolean(match.legal), deed: () => this.#hintFor(match) },
      { name: "takeback", label: "Take back", when: casual && !isOpen("takeback"),
        deed: ask({ type: "offer", kind: "takeback" }) },
      { name: "draw", label: "Offer draw", when: !isOpen("draw"), deed: ask({ type: "offer", kind: "draw" }) },
      { name: "claim", label: "Claim the win", when: !match.clocks && Boolean(room.seats[1 - me]?.absent),
        deed: ask({ type: "claim" }) },
      { name: "abort", label: "Call it off", when: free, deed: ask({ type: "abort" }) },
      { name: "resign", label: "Resign", when: !free, deed: () => this.#ask(resign) },
    ];
  }

  #newLabel(room, me, on) {
    if (on || room.match) return "New game";
    return me !== null && room.ready[me] ? "Call again" : "Ready";
  }

  /* One click; but against a person it would lose a match that is on, so that is asked first. */
  #new(room, match, on) {
    const { attempt, seating, house } = this.app;
    const next = () => attempt(() => seating.newGame(room.room));
    if (!on || againstBot(room) || isFree(house.line(match.match))) return next();
    const text = `A new game resigns this one, and waits for ${playerTitle(room.seats[1 - seatIn(room)])}.`;
    return this.#ask({ text, yes: "Resign and play anew", go: next });
  }

  #ask(question) {
    const fresh = question && !this.#question;
    this.#question = question;
    show(this.question, question !== null);
    if (!question) return;
    put(this.asked, question.text);
    put(this.yes, question.yes);
    if (fresh) this.no.focus();
  }

  #confirm() {
    const { go } = this.#question;
    this.#ask(null);
    go();
  }

  #hintFor({ match, turn }) {
    this.hint.dataset.turn = `${match} ${turn}`;
    this.#tell("A bot is asked …");
    return this.app.attempt(async () => {
      let told = [""];
      try {
        const hint = await this.app.wire.request({ type: "hint", match });
        if (hint.turn === turn) told = [`${hint.by} would play ${hint.action}.`, hint.note ?? ""];
        this.hinted(hint);
      } finally {
        if (this.hint.dataset.turn === `${match} ${turn}`) this.#tell(...told);
      }
    });
  }

  #tell(hint, thought = "") {
    put(this.hint, hint);
    put(this.thought, thought);
  }

  #offers({ match, me, on }) {
    const open = on ? match.offers ?? [] : [];
    keyed(this.offers, open, (offer) => `${match.match} ${offer.kind} ${offer.seat}`, (offer) =>
      el("div", { class: "offer" }, el("span", {}, offerText(offer, match, me)), ...this.#answers(offer, match, me)));
  }

  /* The buttons of an open offer: its maker may withdraw it, the other side answers. */
  #answers({ kind, seat }, { match }, me) {
    const button = (label, accept, attributes) => {
      const answer = { type: "answer", match, kind, accept };
      const onclick = () => this.app.attempt(() => this.app.seating.ask(answer));
      return el("button", { type: "button", ...attributes, onclick }, label);
    };
    if (me === null) return [];
    if (seat === me) return [button("Withdraw", false, { "data-do": "withdraw" })];
    return [button("Accept", true, { class: "primary", "data-do": "accept" }),
      button("Decline", false, { "data-do": "decline" })];
  }
}

const buttonOf = ({ name, look }) => el("button",
  { type: "button", class: look ?? "", "data-do": name, onclick: (event) => event.currentTarget.deed() });
