/* The place for what is told and asked at a table: what goes on, news, hints, offers.  Its room is kept
   free, so that nothing else moves when something comes. */

/** @import { App } from "../page/app.js" */
/** @import * as wire from "../library/messages.js" */

import { playerTitle } from "../library/words.js";
import { el, keyed, put, set, show } from "../page/dom.js";
import { icon } from "../page/icons.js";
import { words } from "../texts/words.js";
import { absenceText, beginText, offerText } from "./status.js";

const { table: texts } = words;

const MAX_HEADLINE = 18; // characters of the largest type, in one line of the narrowest place

export class StatusArea {
  /** @type {{name: string, hasClock: boolean, claimMs: number | null, since: number} | null} */
  #absent = null; // the opponent; `claimMs` counts from `since`
  /** @type {{match: wire.MatchState, me: number | null} | null} */
  #beginning = null; // where both sides may still have to begin
  #news = "";
  #typed = "";
  #plan = "";
  #match = "";
  #hintAt = 0; // when a bot that has to get ready first is expected to begin
  /** @type {Set<string>} */
  answered = new Set(); // the kinds of offers that were answered here, in this match

  /** `toNow()` leaves an earlier position, `dropPlan()` the plan.
   *  @param {App} app
   *  @param {{toNow: () => unknown, dropPlan: () => unknown}} acts */
  constructor(app, { toNow, dropPlan }) {
    this.app = app;
    this.status = el("p", { class: "status" });
    this.note = el("p", { class: "note" });
    this.hint = el("p", { class: "hint" });
    this.thought = el("p", { class: "thought quiet" }); // what the bot thought of it, and of other actions
    this.now = el("button", { type: "button", "data-do": "now", onclick: () => toNow() }, texts.yourTurnNow);
    this.unplan = el("button", { type: "button", "data-do": "unplan", "aria-label": texts.dropPlan, onclick: () => dropPlan() }, texts.drop);
    this.claim = el("button", { type: "button", "data-do": "claim" }, texts.claim);
    this.offers = el("div", { class: "offers" });
    this.node = el("div", { class: "status-area" }, this.status, this.note, this.hint, this.thought, this.now, this.claim, this.unplan, this.offers);
  }

  /** How a match ended: a headline, the rest of the sentence, and a picture of why.
   *  @param {string} text
   *  @param {wire.Result} result
   *  @param {string[]} names as they are written, also where they stand first */
  showEnd(text, { how, reason }, names) {
    const [headline, stop, rest] = /^(.+?)([:,] )(.+)$/su.exec(text)?.slice(1) ?? [text, "", ""];
    if (this.status.textContent === text && this.status.firstElementChild) return;
    this.status.replaceChildren(icon(how === "rules" ? `by-${reason}` : how, "by-rules"),
      el("span", { class: headline.length > MAX_HEADLINE ? "headline long" : "headline" }, headline), el("span", { class: "stop" }, stop), el("span", { class: names.some((name) => rest.startsWith(name)) ? "reason named" : "reason" }, rest));
  }

  /** Tell something until the next action of this person, or until it is outdated by other news.
   *  @param {string} text */
  tell(text) {
    this.#news = text;
    this.#arrange();
  }

  /** Show what is being typed, or that it was no move.
   *  @param {string} text */
  type(text) {
    this.#typed = text;
    this.#arrange();
  }

  /** Show what is to be played later, in a sentence; "": nothing.
   *  @param {string} text
   *  @param {string} [drop] what the button is called that drops it, where it is no plan */
  plan(text, drop = texts.drop) {
    this.#plan = text;
    put(this.unplan, drop);
    set(this.unplan, "aria-label", drop === texts.drop ? texts.dropPlan : null);
    if (text === "" && document.activeElement === this.unplan) this.unplan.blur(); // the view takes the focus
    show(this.unplan, text !== "");
    this.#arrange();
  }

  /** `isBack`: an earlier position is on the board.
   *  @param {wire.RoomState} room
   *  @param {wire.MatchState | null} match
   *  @param {{me: number | null, isOn: boolean, isBack: boolean}} more */
  show(room, match, { me, isOn, isBack }) {
    if (match?.match !== this.#match) {
      this.#match = match?.match ?? "";
      this.#news = this.#typed = "";
      this.answered.clear();
    }
    if (this.hint.dataset.turn !== `${match?.match} ${match?.turn}`) this.showHint("");
    this.#absent = isOn && me !== null ? this.#absence(room, match, 1 - me) : null;
    this.#beginning = isOn && match ? { match, me } : null;
    if (match && this.#absent) this.claim.onclick = () => this.#ask({ type: "claim", match: match.match });
    show(this.now, isBack && Boolean(match?.legal));
    this.#showOffers(match, me, isOn);
    this.tick();
  }

  /** Let the time run until the win can be claimed. */
  tick() {
    const [absent, readyMs] = [this.#absent, this.#hintAt - performance.now()];
    if (readyMs > 0) put(this.hint, words.analysis.waiting(Math.ceil(readyMs / 1000)));
    const claimMs = absent && absent.claimMs !== null ? absent.claimMs - (performance.now() - absent.since) : null;
    show(this.claim, claimMs !== null && claimMs <= 0);
    const begin = this.#beginning && this.app.replica.toBegin(this.#beginning.match.match);
    this.#begin = begin !== null && this.#beginning ? beginText(this.#beginning.match, this.#beginning.me, begin) : "";
    this.#arrange(absent && this.#begin === "" ? absenceText(absent.name, { claimMs, hasClock: absent.hasClock }) : "");
  }

  /** @type {WeakMap<wire.Player, number>} */
  #since = new WeakMap(); // when it was heard that a player is away

  /** @param {wire.RoomState} room
   *  @param {wire.MatchState | null} match
   *  @param {number} seat */
  #absence(room, match, seat) {
    const player = room.seats[seat];
    if (!player?.absent || !match || this.app.connection.state !== "linked") return null;
    if (!this.#since.has(player)) this.#since.set(player, performance.now());
    return { name: playerTitle(player), hasClock: Boolean(match.clocks), since: this.#since.get(player) ?? 0,
      claimMs: player.claim_ms ?? null };
  }

  #absenceNote = "";
  #begin = "";

  /** One thing at a time: what is typed, who has left, what a bot would play, what has happened. */
  #arrange(absence = this.#absenceNote) {
    this.#absenceNote = absence;
    const note = this.#typed || absence || this.#plan || this.#begin;
    const hasHint = this.hint.textContent !== "";
    put(this.note, note || (hasHint ? "" : this.#news));
    show(this.note, this.note.textContent !== "" && this.now.hidden);
    show(this.hint, note === "" && hasHint && this.now.hidden);
    show(this.thought, note === "" && this.thought.textContent !== "" && this.now.hidden);
  }

  /** The bot that was asked for a hint has to get ready first, for so long.
   *  @param {wire.HintWaits} message */
  waitForHint({ match, wait_ms: wait }) {
    if (match !== this.#match || this.hint.textContent === "") return;
    this.#hintAt = performance.now() + wait;
    this.app.announcer.say(words.analysis.waiting(Math.ceil(wait / 1000)));
    this.tick();
  }

  /** Show what a bot would play in a turn ("17.1 12"), and what it thought.
   *  @param {string} hint */
  showHint(hint, thought = "", turn = "") {
    this.#hintAt = 0;
    if (turn) this.hint.dataset.turn = turn;
    put(this.hint, hint);
    put(this.thought, thought);
    this.#arrange();
  }

  /** @param {wire.AnyRequest} message */
  #ask(message) {
    return this.app.attempt(() => this.app.seating.ask(message));
  }

  /** @param {wire.MatchState | null} match
   *  @param {number | null} me
   *  @param {boolean} isOn */
  #showOffers(match, me, isOn) {
    const open = isOn ? match?.offers ?? [] : [];
    for (const { kind, seat } of open) if (seat !== me) this.answered.delete(kind);
    keyed(this.offers, match ? open : [], (offer) => `${match?.match} ${JSON.stringify(offer)}`, (offer) =>
      el("div", { class: "offer" }, el("span", {}, match ? offerText(offer, match, me) : ""), ...this.#answers(offer, match?.match ?? "", me)));
    set(this.node, "data-offer", open.some(({ seat }) => seat !== me) || open.length > 0);
  }

  /** The buttons of an open offer: its maker may withdraw it, the other side answers.
   *  @param {wire.Offer_} offer
   *  @param {string} match
   *  @param {number | null} me */
  #answers({ kind, seat }, match, me) {
    const button = (/** @type {string} */ name, /** @type {string} */ label, /** @type {boolean} */ accept) => {
      const onclick = () => {
        this.answered.add(kind);
        return this.#ask({ type: "answer", match, kind, accept });
      };
      return el("button", { type: "button", "data-do": name, onclick }, label);
    };
    if (me === null) return [];
    if (seat === me) return [button("withdraw", texts.withdraw, false)];
    return [button("accept", texts.accept, true), button("decline", texts.decline, false)];
  }
}
