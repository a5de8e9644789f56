/* A match that is over, gone through again: a bot is asked what each play lost, and the plays are
   shown one by one, on the board and in a list.

   It stands between the table and its parts: `card` is what stands beside the board, `below` what
   stands under it.  Nothing in here judges a play; see rows.js for how the answer is read. */

import { el, put, show } from "../dom.js";
import { seatIn } from "../house.js";
import { List } from "./list.js";
import { momentsOf } from "./moments.js";
import { rowsOf } from "./rows.js";
import { Strip } from "./strip.js";

const SHOWN_EVENTS = 8; // as many as a live match's message tells a board of
const KEYS = { ArrowLeft: -1, ArrowRight: 1 };

export class Review {
  #match = null; // "17.1": what is asked about, or was
  #told = null; // {bot, analysis, moments, rows}, once it is answered
  #at = null; // the index of the row that is on the board; null: the end of the match
  #shown = false; // whether its match is the one on the table

  /* `changed()` is called when the table has something else to show, `look()` when the board is to
     be looked at. */
  constructor(app, { changed, look }) {
    this.app = app;
    this.changed = changed;
    const go = (at) => this.#go(at);
    const choose = (at) => {
      go(at);
      look();
    };
    this.word = el("p", { class: "working", role: "status", "aria-live": "polite" });
    this.strip = new Strip(go);
    this.list = new List(choose);
    this.below = el("div", { class: "review" }, this.word);
    this.card = this.list.node;
    this.strip.stand(this.list.about, this.below);
    addEventListener("keydown", (event) => this.#key(event));
  }

  /* Show what belongs to a match of a room, or nothing. */
  show(room, match) {
    this.#shown = match !== null && match.match === this.#match;
    const told = this.#shown ? this.#told : null;
    put(this.word, this.#shown && told === null ? "A bot goes through the match …" : "");
    for (const node of [this.card, this.strip.node]) show(node, told !== null);
    if (told === null) return;
    this.list.show(told, this.#at, match);
    this.strip.show(told, this.#at, match.seats, seatIn(room));
  }

  /* Whether there is nothing yet for a match that is over, so that it can be asked for. */
  isOpen(match) {
    return Boolean(match?.result) && match.ply > 0 && match.match !== this.#match;
  }

  /* Whether a match's plays are listed here. */
  lists(match) {
    return this.#told !== null && match?.match === this.#match;
  }

  /* What stands on the board instead of the end of the match, as boards/chosen.js has it; or null. */
  view(seat) {
    const row = this.#shown ? this.#row : null;
    if (row === null) return null;
    const { moments } = this.#told;
    const { position, to_move: toMove } = moments[row.ply];
    const events = moments.slice(1, row.ply + 1).map((moment) => moment.event).filter(Boolean);
    const decided = events.findLast((event) => event.seat >= 0);
    return {
      position, legal: null, seat, toMove, over: false, events: events.slice(-SHOWN_EVENTS),
      last: decided ? { seat: decided.seat, action: decided.action } : null, marks: row.marks,
    };
  }

  /* Where one is in the match, in words, as a replay counts it; null at its end. */
  where() {
    const row = this.#shown ? this.#row : null;
    return row === null ? null : `Ply ${row.ply} of ${this.#told.moments.length - 1}`;
  }

  /* Ask a bot.  Until it has answered, or refused, this cannot be asked again. */
  async ask(room, match) {
    this.#match = match.match;
    this.#told = this.#at = null;
    this.changed();
    try {
      const { wire, house } = this.app;
      const { bot, analysis } = await wire.request({ type: "analyse", match: match.match, code: room.code });
      const moments = await momentsOf(house, room, match.match);
      if (this.#match === match.match) this.#told = { bot, analysis, moments, rows: rowsOf(analysis, moments) };
    } finally {
      if (this.#match === match.match && this.#told === null) this.#match = null;
      this.changed();
    }
  }

  get #row() {
    return this.#at === null ? null : this.#told.rows[this.#at];
  }

  #go(at) {
    this.#at = at;
    this.changed();
    this.list.reveal(at);
  }

  #key(event) {
    if (!this.#shown || this.#told === null || !this.card.isConnected) return;
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest?.("input, select, textarea")) return;
    if (event.key in KEYS) this.#go(this.strip.stepped(KEYS[event.key]));
    else if (event.key === "Escape" && this.#at !== null) this.#go(null);
    else return;
    event.preventDefault();
  }
}
