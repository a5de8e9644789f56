/* A match that is over, gone through again: a bot is asked what each play lost, and the plays are
   shown one by one, on the board and in a list.

   It stands between the table and its parts: `card` is beside the board, `below` under it.  Nothing in
   here judges a play; rows.js reads the bot's answer. */

/** @import { App } from "../page/app.js" */
/** @import { BoardView } from "../boards/board.js" */
/** @import { MatchState, RoomState } from "../library/messages.js" */
/** @import { Report } from "./rows.js" */

import { viewAt } from "../boards/view.js";
import { seatIn } from "../library/replica.js";
import { el, put, show } from "../page/dom.js";
import { momentsOf } from "./moments.js";
import { PlayDetails } from "./play_details.js";
import { PlayList } from "./play_list.js";
import { reportOf } from "./rows.js";

/** @type {Record<string, number>} */
const KEYS = { ArrowLeft: -1, ArrowRight: 1 };

export class Review {
  /** @type {string | null} */
  #match = null; // "17.1": what is asked about, or was
  /** @type {Report | null} */
  #report = null; // once a bot has answered
  /** @type {number | null} */
  #at = null; // the index of the row that is on the board; null: the end of the match
  #isShown = false; // whether its match is the one on the table

  /** `onChange()` is called when the table has something else to show, `showBoard()` when the board
   *  should be in view.
   *  @param {Pick<App, "connection" | "replica">} app
   *  @param {{onChange: () => void, showBoard: () => void}} table */
  constructor(app, { onChange, showBoard }) {
    this.app = app;
    this.onChange = onChange;
    this.working = el("p", { class: "working", role: "status", "aria-live": "polite" });
    this.details = new PlayDetails((at) => this.#go(at));
    this.list = new PlayList((at) => {
      this.#go(at);
      showBoard();
    });
    this.below = el("div", { class: "review" }, this.working);
    this.card = this.list.node;
    this.details.stand(this.list.about, this.below);
    addEventListener("keydown", (event) => this.#key(event));
  }

  /** Show what belongs to a match of a room, or nothing.
   *  @param {RoomState} room
   *  @param {MatchState | null} match */
  show(room, match) {
    this.#isShown = match !== null && match.match === this.#match;
    const report = this.#isShown ? this.#report : null;
    put(this.working, this.#isShown && report === null ? "A bot goes through the match …" : "");
    for (const node of [this.card, this.details.node]) show(node, report !== null);
    if (report === null || match === null) return;
    this.list.show(report, this.#at, match);
    this.details.show(report, this.#at, match.seats, seatIn(room));
  }

  /** Whether there is nothing yet for a match that is over, so that a bot can be asked.
   *  @param {MatchState} state */
  isOpen({ match, result, ply }) {
    return Boolean(result) && ply > 0 && match !== this.#match;
  }

  /** Whether a match's plays are listed here.
   *  @param {MatchState} state */
  lists({ match }) {
    return this.#report !== null && match === this.#match;
  }

  /** What stands on the board instead of the end of the match, or null.
   *  @param {number | null} seat
   *  @returns {BoardView | null} */
  view(seat) {
    const place = this.#place;
    if (place === null) return null;
    return viewAt(place.report.moments, place.row.ply, { seat, over: false, marks: place.row.marks });
  }

  /** Where one is in the match, in words, as a replay counts it; null at its end. */
  where() {
    const place = this.#place;
    return place === null ? null : `Ply ${place.row.ply} of ${place.report.moments.length - 1}`;
  }

  /** Ask a bot.  Until it has answered or refused, it cannot be asked again.
   *  @param {RoomState} room
   *  @param {{match: string}} state */
  async ask(room, { match }) {
    this.#match = match;
    this.#report = this.#at = null;
    this.onChange();
    /** @type {Report | null} */
    let report = null;
    try {
      const { connection, replica } = this.app;
      const reply = await connection.request({ type: "analyse", match, code: room.code });
      report = reportOf(reply, await momentsOf(replica, room, match));
    } finally {
      if (this.#match === match) {
        this.#report = report;
        if (report === null) this.#match = null;
      }
      this.onChange();
    }
  }

  /** The row that is on the board, or null. */
  get #place() {
    const [report, at] = [this.#report, this.#at];
    return this.#isShown && report !== null && at !== null ? { report, row: report.rows[at] } : null;
  }

  /** @param {number | null} at */
  #go(at) {
    this.#at = at;
    this.onChange();
    this.list.reveal(at);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (!this.#isShown || this.#report === null || !this.card.isConnected) return;
    if (event.altKey || event.ctrlKey || event.metaKey || isField(event.target)) return;
    if (event.key in KEYS) this.#go(this.details.stepped(KEYS[event.key]));
    else if (event.key === "Escape" && this.#at !== null) this.#go(null);
    else return;
    event.preventDefault();
  }
}

/** Whether a key that is pressed there is meant for a field of a form.
 *  @param {EventTarget | null} target */
const isField = (target) => target instanceof Element && target.closest("input, select, textarea") !== null;
