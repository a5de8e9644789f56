/* A finished match, position by position: buttons, arrow keys, or a click on a move.

   The server sends each position (`/replay/17.1.json`), for no rules live in this page; and a bot can
   be asked what each play lost. */

/** @import { Analysed, ReplayDocument } from "../library/messages.js" */
/** @import { Catalog } from "../library/catalog.js" */
/** @import { Action, Moment } from "../library/replica.js" */
/** @import { Report } from "../analysis/rows.js" */
/** @import { Board } from "../boards/board.js" */
/** The replay as the server sends it; its actions have all their fields.
 *  @typedef {Omit<ReplayDocument, "moments"> & {moments: Moment[]}} FullReplay */

import { PlayDetails } from "../analysis/play_details.js";
import { PlayList } from "../analysis/play_list.js";
import { reportOf } from "../analysis/rows.js";
import { boardOf } from "../boards/registry.js";
import { viewAt } from "../boards/view.js";
import { fullName } from "../library/replica.js";
import { resultText } from "../library/result.js";
import { formatClock } from "../library/words.js";
import { el, keyed, put, set, show } from "../page/dom.js";
import { formatMoment, moveTime } from "./words.js";

/** The name, the label and the key of each button, and the ply that it leads to.
 *  @type {[string, string, string, (ply: number, last: number) => number][]} */
const STEPS = [
  ["first", "First", "Home", () => 0],
  ["back", "Back", "ArrowLeft", (ply) => ply - 1],
  ["next", "Next", "ArrowRight", (ply) => ply + 1],
  ["last", "Last", "End", (_, last) => last],
];

export class ReplayView {
  title = "Replay";
  /** @type {string | null} */
  match = null; // "17.1", what is shown or fetched
  /** @type {{replay: FullReplay, board: Board} | null} */
  #open = null;
  #ply = 0;
  /** @type {Report | null} */
  #report = null; // once a bot has gone through the match
  /** @type {Set<string>} */
  #asked = new Set(); // the matches that a bot is going through

  /** `onStep(match, ply)` is called when the person goes to another position; `close()` leaves;
   *  `analyse(match)` is a promise of a bot's answer, or of null where it refused.
   *  @param {Catalog} catalog
   *  @param {object} actions
   *  @param {(match: string, ply: number) => void} actions.onStep
   *  @param {() => void} actions.close
   *  @param {(match: string) => Promise<Analysed | null>} actions.analyse */
  constructor(catalog, { onStep, close, analyse }) {
    this.catalog = catalog;
    this.onStep = onStep;
    this.analyse = analyse;
    this.heading = el("h2");
    this.facts = el("p", { class: "facts quiet" });
    this.players = [0, 1].map(playerNode);
    this.host = el("div", { class: "board" });
    this.status = el("p", { class: "status", role: "status", "aria-live": "polite" });
    this.note = el("p", { class: "hint quiet" });
    this.buttons = STEPS.map(([name, text, key, target]) => el("button", {
      type: "button", "data-step": name, "aria-keyshortcuts": key, onclick: () => this.#go(target(this.#ply, this.#last)),
    }, text));
    this.ask = el("button", { type: "button", "data-do": "analyse", onclick: () => this.#ask() });
    this.list = new PlayList((at) => this.#goToRow(at));
    this.details = new PlayDetails((at) => this.#goToRow(at));
    this.details.buttons.remove(); // there are such buttons here already
    const below = el("div", { class: "review" });
    this.details.stand(this.list.about, below);
    this.moves = el("ol", { class: "plies", "aria-label": "Moves" });
    this.trouble = el("p", { role: "alert" });
    const controls = el("div", { class: "row controls" }, ...this.buttons, this.details.mistake, this.ask);
    this.stage = el("div", { class: "stage" }, this.players[1].node, this.host, this.players[0].node, this.status,
      controls, this.note, below);
    this.side = el("aside", { class: "side" }, this.list.node, el("section", { class: "card" }, el("h2", {}, "Moves"), this.moves));
    const back = el("button", { type: "button", class: "link", onclick: close }, "Back to the standings");
    this.node = el("div", { class: "replay" }, el("div", { class: "card" }, back, this.heading, this.facts, this.trouble),
      el("div", { class: "table" }, this.stage, this.side));
    addEventListener("keydown", (event) => this.#key(event));
  }

  /** Show a match at a ply; null: at its end.
   *  @param {string} match
   *  @param {number | null} ply */
  async open(match, ply = null) {
    if (this.match === match) return this.#show(ply ?? this.#last);
    this.match = match;
    this.#open = this.#report = null;
    this.title = `Match ${match}`;
    put(this.heading, this.title);
    for (const part of [this.facts, this.trouble]) put(part, "");
    for (const part of [this.stage, this.side]) show(part, false);
    try {
      await this.#fetch(match, ply);
    } catch (error) {
      if (this.match !== match) return;
      this.match = null; // the next attempt asks again
      put(this.trouble, error instanceof NoReplay ? error.message : "The server cannot be reached just now.");
      if (!(error instanceof NoReplay || error instanceof TypeError)) throw error;
    }
  }

  /** Name the match.  The titles of games come with the welcome, which may be later than the replay. */
  showTitle() {
    if (!this.#open) return;
    const { game, seats } = this.#open.replay;
    put(this.heading, `${this.catalog.title(game)}: ${seats.map(fullName).join(" – ")}`);
    this.title = this.heading.textContent ?? "";
  }

  /** @param {string} match
   *  @param {number | null} ply */
  async #fetch(match, ply) {
    const response = await fetch(`/replay/${encodeURIComponent(match)}.json`);
    if (!response.ok) throw new NoReplay((await response.text()).trim());
    /** @type {FullReplay} */
    const replay = await response.json();
    const { create } = await boardOf(replay.game);
    if (this.match !== match) return; // the person has gone on
    for (const node of [this.host, this.stage]) set(node, "data-game", replay.game);
    for (const part of [this.stage, this.side]) show(part, true);
    this.host.replaceChildren();
    this.#open = { replay, board: create(this.host, () => {}) };
    this.showTitle();
    put(this.facts, [`Match ${match}`, formatClock(replay.options.clock), formatMoment(replay.at)].join(" · "));
    keyed(this.moves, replay.moments, (_, index) => `${match} ${index}`, (moment, index) => this.#moveItem(moment, index));
    this.#show(ply ?? this.#last);
  }

  get #last() {
    return (this.#open?.replay.moments.length ?? 1) - 1;
  }

  /** @param {number} ply */
  #show(ply) {
    if (!this.#open) return;
    const { replay: { moments, result, seats }, board } = this.#open;
    this.#ply = Math.max(0, Math.min(this.#last, ply));
    const { to_move: toMove, event = null } = moments[this.#ply];
    const isEnd = this.#ply === this.#last;
    const view = viewAt(moments, this.#ply, { seat: null, over: isEnd, marks: this.#showReport() });
    board.show(view);
    set(this.host, "data-position", view.position);
    const about = isEnd ? resultText(result, seats, null) : event ? actionText(event) : "";
    put(this.status, [`Ply ${this.#ply} of ${this.#last}`, about].filter(Boolean).join(": "));
    put(this.note, noteText(event));
    this.players.forEach(({ node, name }, seat) => {
      put(name, fullName(seats[seat]));
      set(node, "class", !isEnd && toMove === seat ? "player due" : "player");
    });
    this.buttons.forEach((button, index) => set(button, "disabled", index < 2 ? this.#ply === 0 : isEnd));
    this.#markMove();
  }

  /** Show what is known of the play that follows; what of it is to be drawn on the board. */
  #showReport() {
    const report = this.#report;
    for (const node of [this.list.node, this.details.node, this.details.mistake]) show(node, report !== null);
    show(this.ask, report === null);
    const isAsked = this.match !== null && this.#asked.has(this.match);
    set(this.ask, "disabled", isAsked);
    put(this.ask, isAsked ? "A bot goes through the match …" : "Analyse");
    if (report === null || !this.#open) return [];
    const index = report.rows.findIndex((row) => row.ply === this.#ply);
    const at = index < 0 ? null : index;
    this.list.show(report, at, this.#open.replay);
    this.details.show(report, at, this.#open.replay.seats, null);
    this.list.reveal(at);
    return at === null ? [] : report.rows[at].marks;
  }

  async #ask() {
    const { match } = this;
    if (match === null || !this.#open) return;
    this.#asked.add(match);
    this.#show(this.#ply);
    const reply = await this.analyse(match).finally(() => this.#asked.delete(match));
    if (this.match === match && this.#open && reply) this.#report = reportOf(reply, this.#open.replay.moments);
    this.#show(this.#ply);
  }

  /** Go to a row of the analysis; null: to the end.
   *  @param {number | null} at */
  #goToRow(at) {
    this.#go(at === null ? this.#last : this.#report?.rows[at].ply ?? this.#ply);
    this.host.scrollIntoView({ block: "nearest" });
  }

  #markMove() {
    const items = /** @type {HTMLElement[]} */ ([...this.moves.children]);
    items.forEach((item, index) => set(item.children[0], "aria-current", index === this.#ply ? "step" : null));
    const above = items[this.#ply].offsetTop - this.moves.offsetTop - this.moves.clientHeight / 2;
    this.moves.scrollTop = Math.max(0, above);
  }

  /** @param {Moment} moment
   *  @param {number} index */
  #moveItem({ event = null }, index) {
    const look = { type: "button", class: `ply ${event ? event.kind : "start"}`, title: event?.note ?? null };
    const stone = event && event.seat >= 0 ? el("span", { class: `stone seat-${event.seat}`, "aria-hidden": "true" }) : null;
    return el("li", {}, el("button", { ...look, onclick: () => this.#go(index) }, stone, event ? actionText(event) : "start"));
  }

  /** @param {number} ply */
  #go(ply) {
    this.#show(ply);
    if (this.match !== null) this.onStep(this.match, this.#ply);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const step = STEPS.find(([, , key]) => key === event.key);
    if (!step || !this.#open || !this.node.isConnected || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.#go(step[3](this.#ply, this.#last));
  }
}

/** Why there is no replay, in the server's words. */
class NoReplay extends Error {}

/** @param {Action} event */
const actionText = (event) => (event.seat === -1 ? `rolled ${event.action}` : event.action);

/** What is known of an action: how long it took, what a bot thought.
 *  @param {Action | null} event */
function noteText(event) {
  if (!event) return "";
  if (event.kind === "opening") return "The ladder sets this opening.";
  const time = event.kind === "play" ? moveTime(event.spent_ms ?? 0) : "";
  return [time, event.note ?? ""].filter(Boolean).join(" · ");
}

/** A player's strip above or below the board.
 *  @param {number} seat */
function playerNode(seat) {
  const name = el("span", { class: "name" });
  const stone = el("span", { class: "stone", "aria-hidden": "true" });
  return { name, node: el("div", { class: "player", "data-seat": seat }, stone, name) };
}
