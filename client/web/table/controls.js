/* Below the board: what can be done now, the offers that are open, and the question before a loss.

   The buttons are tables: what each is called, when it is there, what it does.  The server judges; a
   button is only left out where its reply would be a plain no. */

/** @import { App } from "../page/app.js" */
/** @import * as wire from "../library/messages.js" */
/** @import { Review } from "../analysis/review.js" */
/** @typedef {{name: string, label: string, when: boolean, act: () => unknown, look?: string}} Button */
/** Asked before something is lost.
 *  @typedef {{text: string, yes: string, go: () => unknown}} Question */
/** `isOn`: a match is being played.
 *  @typedef {{room: wire.RoomState, match: wire.MatchState | null, me: number | null, isOn: boolean}} Now */

import { isFree, seatIn } from "../library/replica.js";
import { isAgainstBot } from "../library/seating.js";
import { playerTitle } from "../library/words.js";
import { el, keyed, put, show } from "../page/dom.js";
import { offerText } from "./status.js";

export class Controls {
  /** @type {Question | null} */
  #question = null;
  /** @type {number | null} */
  #room = null;

  /** `onHint` is called with what a bot would play.
   *  @param {App} app
   *  @param {Review} review
   *  @param {(hint: wire.Hinted) => void} onHint */
  constructor(app, review, onHint) {
    this.app = app;
    this.review = review;
    this.onHint = onHint;
    this.hint = el("p", { class: "hint", "aria-live": "polite" });
    this.thought = el("p", { class: "thought quiet" }); // what the bot thought of it, and of other actions
    this.offers = el("div", { class: "offers", "aria-live": "polite" });
    this.questionText = el("p");
    this.yes = el("button", { type: "button", class: "danger", onclick: () => this.#confirm() });
    this.no = el("button", { type: "button", onclick: () => this.#ask(null) }, "Go on playing");
    const dialog = { class: "question", role: "alertdialog", "aria-label": "Are you sure?" };
    this.questionBox = el("div", dialog, this.questionText, el("div", { class: "row" }, this.yes, this.no));
    this.buttons = el("div", { class: "row controls" });
    this.node = el("div", { class: "below" }, this.hint, this.thought, this.offers, this.questionBox, this.buttons);
  }

  /** @param {wire.RoomState} room
   *  @param {wire.MatchState | null} match */
  show(room, match) {
    const isOn = room.state === "playing" && match !== null && !match.result;
    const now = { room, match, me: seatIn(room), isOn };
    if (this.#room !== room.room || (this.#question && !isOn)) this.#question = null;
    this.#room = room.room;
    if (this.hint.dataset.turn !== `${match?.match} ${match?.turn}`) this.#showHint("");
    const during = isOn && now.me !== null ? this.#during(room, match, now.me) : [];
    const buttons = [...this.#sitting(now), ...during, ...this.#leaving(now)].filter(({ when }) => when);
    keyed(this.buttons, buttons, ({ name }) => name, buttonOf, (node, { label, act }) => {
      put(node, label);
      node.onclick = () => act();
    });
    this.#showOffers(now);
    this.#ask(this.#question);
  }

  /** To begin, or to look back.
   *  @param {Now} now
   *  @returns {Button[]} */
  #sitting(now) {
    const { room, match, me, isOn } = now;
    const { seating, attempt } = this.app;
    const isIdle = room.state === "waiting";
    const isAlone = me !== null && !room.seats[1 - me] && seating.expected(room.room) === null;
    const canCallAgain = isAlone && seating.lastOpponent(room.room) !== null;
    const canBegin = me !== null && (isOn || (isIdle && (!room.ready[me] || canCallAgain)));
    const sit = () => attempt(() => seating.join({ room: room.room, code: room.code }));
    return [
      { name: "new", label: newLabel(now), look: "primary", when: canBegin, act: () => this.#newGame(now) },
      { name: "sit", label: "Take a seat", look: "primary",
        when: isIdle && me === null && room.seats.includes(null), act: sit },
      { name: "analyse", label: "Analyse", when: match !== null && this.review.isOpen(match),
        act: () => match && attempt(() => this.review.ask(room, match)) },
    ];
  }

  /** To go: who plays keeps the seat.
   *  @param {Now} now
   *  @returns {Button[]} */
  #leaving({ room, me, isOn }) {
    const { seating, attempt, go } = this.app;
    const stays = (isOn && me !== null) || room.state === "closed";
    const leave = () => attempt(async () => {
      await seating.leave(room.room);
      go(null);
    });
    return [
      { name: "leave", label: me === null ? "Stop watching" : "Leave the table", when: !stays, act: leave },
      { name: "lobby", label: "Lobby", when: stays, act: () => go(null) },
    ];
  }

  /** What a player can do while a match is on.
   *  @param {wire.RoomState} room
   *  @param {wire.MatchState} match
   *  @param {number} me
   *  @returns {Button[]} */
  #during(room, match, me) {
    const { seating, attempt, replica } = this.app;
    const send = (/** @type {wire.AnyRequest} */ message) => () => attempt(() => seating.ask(message));
    const isOpen = (/** @type {wire.Offer["kind"]} */ kind) => match.offers?.some((offer) => offer.kind === kind) ?? false;
    const isCasual = !room.options.rated;
    const canAbort = isFree(replica.actions(match.match));
    const on = { match: match.match };
    const resign = { text: "Resign this match?", yes: "Resign", go: send({ type: "resign", ...on }) };
    return [
      { name: "hint", label: "Hint", when: isCasual && Boolean(match.legal), act: () => this.#askHint(match) },
      { name: "takeback", label: "Take back", when: isCasual && !isOpen("takeback"),
        act: send({ type: "offer", kind: "takeback", ...on }) },
      { name: "draw", label: "Offer draw", when: !isOpen("draw"), act: send({ type: "offer", kind: "draw", ...on }) },
      { name: "claim", label: "Claim the win", when: !match.clocks && Boolean(room.seats[1 - me]?.absent),
        act: send({ type: "claim", ...on }) },
      { name: "abort", label: "Call it off", when: canAbort, act: send({ type: "abort", ...on }) },
      { name: "resign", label: "Resign", when: !canAbort, act: () => this.#ask(resign) },
    ];
  }

  /** One click; but against a person it would lose a match that is on, so that is asked first.
   *  @param {Now} now */
  #newGame({ room, match, me, isOn }) {
    const { attempt, seating, replica } = this.app;
    const next = () => attempt(() => seating.newGame(room.room));
    const isSafe = !isOn || !match || isAgainstBot(room) || isFree(replica.actions(match.match));
    if (isSafe || me === null) return next();
    const text = `A new game resigns this one, and waits for ${playerTitle(room.seats[1 - me])}.`;
    return this.#ask({ text, yes: "Resign and play anew", go: next });
  }

  /** @param {Question | null} question */
  #ask(question) {
    const isNew = question && !this.#question;
    this.#question = question;
    show(this.questionBox, question !== null);
    if (!question) return;
    put(this.questionText, question.text);
    put(this.yes, question.yes);
    if (isNew) this.no.focus();
  }

  #confirm() {
    const question = this.#question;
    this.#ask(null);
    question?.go();
  }

  /** @param {wire.MatchState} state */
  #askHint({ match, turn }) {
    const asked = `${match} ${turn}`;
    this.hint.dataset.turn = asked;
    this.#showHint("A bot is asked …");
    return this.app.attempt(async () => {
      let texts = [""];
      try {
        const hint = await this.app.connection.request({ type: "hint", match });
        if (hint.turn === turn) texts = [`${hint.by} would play ${hint.action}.`, hint.note ?? ""];
        this.onHint(hint);
      } finally {
        if (this.hint.dataset.turn === asked) this.#showHint(...texts);
      }
    });
  }

  #showHint(hint = "", thought = "") {
    put(this.hint, hint);
    put(this.thought, thought);
  }

  /** @param {Now} now */
  #showOffers({ match, me, isOn }) {
    if (!match) return this.offers.replaceChildren();
    const open = isOn ? match.offers ?? [] : [];
    return keyed(this.offers, open, (offer) => `${match.match} ${offer.kind} ${offer.seat}`, (offer) =>
      el("div", { class: "offer" }, el("span", {}, offerText(offer, match, me)), ...this.#answers(offer, match, me)));
  }

  /** The buttons of an open offer: its maker may withdraw it, the other side answers.
   *  @param {wire.Offer_} offer
   *  @param {wire.MatchState} state
   *  @param {number | null} me */
  #answers({ kind, seat }, { match }, me) {
    const { attempt, seating } = this.app;
    const button = (/** @type {string} */ name, /** @type {string} */ label, /** @type {boolean} */ accept) => {
      const onclick = () => attempt(() => seating.ask({ type: "answer", match, kind, accept }));
      return el("button", { type: "button", class: accept ? "primary" : null, "data-do": name, onclick }, label);
    };
    if (me === null) return [];
    if (seat === me) return [button("withdraw", "Withdraw", false)];
    return [button("accept", "Accept", true), button("decline", "Decline", false)];
  }
}

/** What the button is called that begins a match.
 *  @param {Now} now */
function newLabel({ room, me, isOn }) {
  if (isOn || room.match) return "New game";
  return me !== null && room.ready[me] ? "Call again" : "Ready";
}

/** @param {Button} button */
const buttonOf = ({ name, look }) => el("button", { type: "button", class: look ?? "", "data-do": name });
