/* Below the board: what can be done now, the offers that are open, and the question before a loss.

   `deeds` is a table: each button, when it is there, and what it does.  The server judges; a button
   is only left out where its answer would be a plain no. */

import { el, keyed, put, show } from "./dom.js";
import { isFree, seatIn } from "./house.js";
import { againstBot } from "./seating.js";
import { offerText, playerTitle } from "./wording.js";

export class Controls {
  #question = null; // {text, yes, go}: asked before something is lost
  #room = null;

  constructor(app) {
    this.app = app;
    this.hint = el("p", { class: "hint", "aria-live": "polite" });
    this.offers = el("div", { class: "offers", "aria-live": "polite" });
    this.asked = el("p");
    this.yes = el("button", { type: "button", class: "danger", onclick: () => this.#confirm() });
    this.no = el("button", { type: "button", onclick: () => this.#ask(null) }, "Go on playing");
    this.question = el("div", { class: "question", role: "alertdialog", "aria-label": "Are you sure?" },
      this.asked, el("div", { class: "row" }, this.yes, this.no));
    this.buttons = el("div", { class: "row controls" });
    this.node = el("div", { class: "below" }, this.hint, this.offers, this.question, this.buttons);
  }

  show(room, match) {
    const now = { room, match, me: seatIn(room), on: room.state === "playing" && Boolean(match) && !match.result };
    if (this.#room !== room.room || (this.#question && !now.on)) this.#question = null;
    this.#room = room.room;
    if (this.hint.dataset.turn !== `${match?.match} ${match?.turn}`) put(this.hint, "");
    const deeds = this.#deeds(now).filter(([, , when]) => when);
    keyed(this.buttons, deeds, ([name]) => name, ([name, , , kind]) => el("button",
      { type: "button", class: kind ?? "", "data-do": name, onclick: (event) => event.currentTarget.deed() }),
    (button, [, label, , , deed]) => {
      put(button, label);
      button.deed = deed;
    });
    this.#offers(now);
    this.#ask(this.#question);
  }

  /* [name, label, whether it is there, its look, what it does] */
  #deeds({ room, match, me, on }) {
    const { seating, attempt, go } = this.app;
    const seated = me !== null;
    const id = room.room;
    const free = on && isFree(this.app.house.line(match.match));
    const ask = (message) => () => attempt(() => seating.ask({ match: match.match, ...message }));
    const mine = (kind) => on && match.offers?.some((offer) => offer.kind === kind);
    const serious = !room.options.rated;
    const other = seated ? room.seats[1 - me] : null;
    const away = other || seating.expected(id) ? null : seating.rival(id); // who could be called again
    const leave = () => attempt(async () => {
      await seating.leave(id);
      go(null);
    });
    return [
      ["new", this.#newLabel(room, me, on), seated && (on || !room.ready[me] || away !== null), "primary", () => this.#new(room, match, on, free)],
      ["hint", "Hint", on && seated && serious && Boolean(match.legal), "", () => this.#hintFor(match)],
      ["takeback", "Take back", on && seated && serious && !mine("takeback"), "", ask({ type: "offer", kind: "takeback" })],
      ["draw", "Offer draw", on && seated && !mine("draw"), "", ask({ type: "offer", kind: "draw" })],
      ["claim", "Claim the win", on && seated && !match.clocks && Boolean(other?.absent), "", ask({ type: "claim" })],
      ["abort", "Call it off", on && seated && free, "", ask({ type: "abort" })],
      ["resign", "Resign", on && seated && !free, "", () => this.#ask({ text: "Resign this match?", yes: "Resign", go: ask({ type: "resign" }) })],
      ["sit", "Take a seat", !seated && !on && room.state === "waiting" && room.seats.includes(null), "primary",
        () => attempt(() => seating.join({ room: id, code: room.code }))],
      ["leave", seated ? "Leave the table" : "Stop watching", !(on && seated) && room.state !== "closed", "", leave],
      ["lobby", "Lobby", room.state === "closed" || (on && seated), "", () => go(null)],
    ];
  }

  #newLabel(room, me, on) {
    if (on || room.match) return "New game";
    return me !== null && room.ready[me] ? "Call again" : "Ready";
  }

  /* One click; but against a person it would lose a match that is on, so that is asked first. */
  #new(room, match, on, free) {
    const next = () => this.app.attempt(() => this.app.seating.newGame(room.room));
    if (!on || free || againstBot(room)) return next();
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
    put(this.hint, "A bot is asked …");
    return this.app.attempt(async () => {
      let text = "";
      try {
        const hint = await this.app.wire.request({ type: "hint", match });
        text = hint.turn === turn ? `${hint.by} would play ${hint.action}.` : "";
      } finally {
        if (this.hint.dataset.turn === `${match} ${turn}`) put(this.hint, text);
      }
    });
  }

  #offers({ match, me, on }) {
    const open = on ? match.offers ?? [] : [];
    const answer = (kind, accept) => () =>
      this.app.attempt(() => this.app.seating.ask({ type: "answer", match: match.match, kind, accept }));
    keyed(this.offers, open, (offer) => `${match.match} ${offer.kind} ${offer.seat}`, ({ kind, seat }) => {
      const buttons = me === null ? [] : seat === me
        ? [el("button", { type: "button", onclick: answer(kind, false) }, "Withdraw")]
        : [el("button", { type: "button", class: "primary", "data-do": "accept", onclick: answer(kind, true) }, "Accept"),
          el("button", { type: "button", "data-do": "decline", onclick: answer(kind, false) }, "Decline")];
      return el("div", { class: "offer" }, el("span", {}, offerText({ kind, seat }, match, me)), ...buttons);
    });
  }
}
