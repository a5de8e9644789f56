/* A finished match, position by position: buttons, arrow keys, or a click on a move.

   The server tells each position (`/replay/17.1.json`), for no rules live in this page; and a bot
   can be asked what each play lost. */

import { List } from "../analysis/list.js";
import { rowsOf } from "../analysis/rows.js";
import { Strip } from "../analysis/strip.js";
import { chosen } from "../boards/chosen.js";
import { el, keyed, put, set, show } from "../dom.js";
import { fullName } from "../house.js";
import { clockTerms, gameTitle, resultText } from "../wording.js";
import { moment, moveTime } from "./words.js";

const SHOWN_EVENTS = 8; // as many as a live match's message tells a board of
const STEPS = [["first", "First", "Home"], ["back", "Back", "ArrowLeft"], ["next", "Next", "ArrowRight"], ["last", "Last", "End"]];

export class Replay {
  title = "Replay";
  match = null; // "17.1", what is shown or fetched
  #told = null; // what the server said of it
  #ply = 0;
  #board = null;
  #analysed = null; // as analysis/review.js has it, once a bot has gone through the match
  #asked = null; // the match that a bot is asked about

  /* `stepped(match, ply)` is called when the person goes to another position; `close()` leaves;
     `analyse(match)` is a promise of a bot's answer, or null where it was refused. */
  constructor({ stepped, close, analyse }) {
    this.stepped = stepped;
    this.analyse = analyse;
    this.heading = el("h2");
    this.facts = el("p", { class: "facts quiet" });
    this.players = [1, 0].map((seat) => new PlayerStrip(seat));
    this.host = el("div", { class: "board" });
    this.status = el("p", { class: "status", role: "status", "aria-live": "polite" });
    this.note = el("p", { class: "hint quiet" });
    this.buttons = Object.fromEntries(STEPS.map(([name, text, key]) => [name,
      el("button", { type: "button", "data-step": name, "aria-keyshortcuts": key, onclick: () => this.#go(this.#target(name)) }, text)]));
    this.ask = el("button", { type: "button", "data-do": "analyse", onclick: () => this.#ask() });
    this.list = new List((at) => this.#goTo(at));
    this.strip = new Strip((at) => this.#goTo(at));
    this.strip.buttons.remove(); // there are such buttons here already
    const below = el("div", { class: "review" });
    this.strip.stand(this.list.about, below);
    this.moves = el("ol", { class: "plies", "aria-label": "Moves" });
    this.trouble = el("p", { role: "alert" });
    const [upper, lower] = this.players.map((strip) => strip.node);
    this.stage = el("div", { class: "stage" }, upper, this.host, lower, this.status,
      el("div", { class: "row controls" }, ...Object.values(this.buttons), this.strip.mistake, this.ask), this.note,
      below);
    this.side = el("aside", { class: "side" }, this.list.node, el("section", { class: "card" }, el("h2", {}, "Moves"), this.moves));
    this.back = el("button", { type: "button", class: "link", onclick: close }, "Back to the standings");
    this.node = el("div", { class: "replay" }, el("div", { class: "card" }, this.back, this.heading, this.facts, this.trouble),
      el("div", { class: "table" }, this.stage, this.side));
    addEventListener("keydown", (event) => this.#key(event));
  }

  /* Show a match at a ply; null: at its end. */
  async open(match, ply = null) {
    if (this.match === match) return this.#told ? this.#show(ply ?? this.#last) : undefined;
    this.match = match;
    this.#told = this.#board = this.#analysed = null;
    put(this.heading, `Match ${match}`);
    for (const part of [this.facts, this.trouble]) put(part, "");
    for (const part of [this.stage, this.side]) show(part, false);
    try {
      await this.#fetch(match, ply);
    } catch (error) {
      if (this.match !== match) return;
      this.match = null; // the next attempt asks again
      put(this.trouble, error instanceof Sentence ? error.message : "The server cannot be reached just now.");
      if (!(error instanceof Sentence || error instanceof TypeError)) throw error;
    }
  }

  async #fetch(match, ply) {
    const response = await fetch(`/replay/${encodeURIComponent(match)}.json`);
    if (!response.ok) throw new Sentence((await response.text()).trim());
    const told = await response.json();
    const { module } = await chosen(told.game);
    if (this.match !== match) return; // the person has gone on
    this.#told = told;
    for (const node of [this.host, this.stage]) set(node, "data-game", told.game);
    for (const part of [this.stage, this.side]) show(part, true);
    this.host.replaceChildren();
    this.#board = module.create(this.host, () => {});
    put(this.heading, `${gameTitle(told.game)}: ${told.seats.map(fullName).join(" – ")}`);
    put(this.facts, [`Match ${told.match}`, clockTerms(told.options.clock), moment(told.at)].join(" · "));
    this.title = this.heading.textContent;
    keyed(this.moves, told.moments, (_, index) => `${match} ${index}`, (_, index) => this.#move(index));
    this.#show(ply ?? this.#last);
  }

  get #last() {
    return this.#told.moments.length - 1;
  }

  #show(ply) {
    const { moments, result, seats } = this.#told;
    this.#ply = Math.max(0, Math.min(this.#last, ply));
    const { position, to_move: toMove, event = null } = moments[this.#ply];
    const events = moments.slice(1, this.#ply + 1).map((each) => each.event);
    const decided = events.findLast((each) => each.seat >= 0);
    const over = this.#ply === this.#last;
    const marks = this.#review();
    this.#board.show({ position, legal: null, seat: null, toMove, over, events: events.slice(-SHOWN_EVENTS), marks,
      last: decided ? { seat: decided.seat, action: decided.action } : null });
    set(this.host, "data-position", position);
    const where = `Ply ${this.#ply} of ${this.#last}`;
    put(this.status, over ? `${where}: ${resultText({ result, seats }, null)}` : `${where}${event ? `: ${textOf(event)}` : ""}`);
    put(this.note, aboutOf(event));
    for (const strip of this.players) strip.show(seats[strip.seat], !over && toMove === strip.seat);
    for (const name of ["first", "back"]) set(this.buttons[name], "disabled", this.#ply === 0);
    for (const name of ["next", "last"]) set(this.buttons[name], "disabled", over);
    this.#mark();
  }

  /* Show what is known of the play that follows; what of it is to be drawn on the board. */
  #review() {
    const told = this.#analysed;
    for (const node of [this.list.node, this.strip.node, this.strip.mistake]) show(node, told !== null);
    show(this.ask, told === null);
    set(this.ask, "disabled", this.#asked !== null);
    put(this.ask, this.#asked === null ? "Analyse" : "A bot goes through the match …");
    if (told === null) return [];
    const found = told.rows.findIndex((row) => row.ply === this.#ply);
    const at = found < 0 ? null : found;
    this.list.show(told, at, this.#told);
    this.strip.show(told, at, this.#told.seats, null);
    this.list.reveal(at);
    return told.rows[at]?.marks ?? [];
  }

  async #ask() {
    const { match } = this;
    this.#asked = match;
    this.#show(this.#ply);
    const answer = await this.analyse(match);
    this.#asked = null;
    if (this.match !== match || !this.#told) return this.#told && this.#show(this.#ply); // the person has gone on
    const { moments } = this.#told;
    this.#analysed = answer && { ...answer, moments, rows: rowsOf(answer.analysis, moments) };
    this.#show(this.#ply);
  }

  #goTo(at) {
    this.#go(at === null ? this.#last : this.#analysed.rows[at].ply);
    this.host.scrollIntoView({ block: "nearest" });
  }

  #mark() {
    [...this.moves.children].forEach((item, index) => {
      set(item.firstChild, "aria-current", index === this.#ply ? "step" : null);
    });
    const here = this.moves.children[this.#ply];
    const above = here.offsetTop - this.moves.offsetTop - this.moves.clientHeight / 2;
    this.moves.scrollTop = Math.max(0, above);
  }

  #move(index) {
    const { event = null } = this.#told.moments[index];
    const look = { type: "button", class: `ply ${event ? event.kind : "start"}`, title: event?.note ?? null };
    return el("li", {}, el("button", { ...look, onclick: () => this.#go(index) },
      ...(event && event.seat >= 0 ? [el("span", { class: `stone seat-${event.seat}`, "aria-hidden": "true" })] : []),
      event ? textOf(event) : "start"));
  }

  #target(name) {
    return { first: 0, back: this.#ply - 1, next: this.#ply + 1, last: this.#last }[name];
  }

  #go(ply) {
    this.#show(ply);
    this.stepped(this.match, this.#ply);
  }

  #key(event) {
    const step = STEPS.find(([, , key]) => key === event.key);
    if (!step || !this.#told || !this.node.isConnected || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.#go(this.#target(step[0]));
  }
}

/* Why there is no replay, in the server's words. */
class Sentence extends Error {}

const textOf = (event) => (event.seat === -1 ? `rolled ${event.action}` : event.action);

/* What is known of an action: who made it, how long that took, what a bot thought. */
function aboutOf(event) {
  if (!event) return "";
  if (event.kind === "opening") return "The ladder sets this opening.";
  const time = event.kind === "play" ? moveTime(event.spent_ms ?? 0) : "";
  return [time, event.note ?? ""].filter(Boolean).join(" · ");
}

/* A player's line above or below the board. */
class PlayerStrip {
  constructor(seat) {
    this.seat = seat;
    this.name = el("span", { class: "name" });
    this.node = el("div", { class: "player", "data-seat": seat }, el("span", { class: "stone", "aria-hidden": "true" }), this.name);
  }

  show(player, due) {
    put(this.name, fullName(player));
    set(this.node, "class", due ? "player due" : "player");
  }
}
