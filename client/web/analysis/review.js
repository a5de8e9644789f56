/* A match that is over, gone through again: a bot is asked what each play lost, and the plays are
   shown one by one, on the board and in a list.

   It stands between the table and its parts: `card` is beside the board, `below` under it.  Nothing in
   here judges a play; rows.js reads the bot's answer. */

/** @import { App } from "../page/app.js" */
/** @import { BoardView } from "../boards/board.js" */
/** @import { Analysed, MatchState, RoomState } from "../library/messages.js" */
/** @import { Moment } from "../library/replica.js" */
/** @import { Report } from "./rows.js" */

import { viewAt } from "../boards/view.js";
import { seatIn } from "../library/replica.js";
import { el, put, show } from "../page/dom.js";
import { isSheetOpen } from "../page/sheet.js";
import { words } from "../texts/words.js";
import { Course } from "./course.js";
import { momentsOf } from "./moments.js";
import { PlayDetails } from "./play_details.js";
import { PlayList } from "./play_list.js";
import { reportOf } from "./rows.js";

const { analysis: texts } = words;
const SECOND_MS = 1_000;

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
  #timer = 0;
  #askedAt = 0;
  #readyAt = 0; // when a bot that has to get ready first is expected to be

  /** `onChange()` is called when the table has something else to show, `showBoard()` when the board
   *  should be in view; `analyse` and `moments` get what a bot finds, and the positions, from elsewhere than the room.
   *  @param {Pick<App, "connection" | "replica"> & {announcer?: App["announcer"]}} app
   *  @param {{onChange: () => void, showBoard: () => void, analyse?: (match: string) => Promise<Analysed>,
   *    moments?: () => Promise<Moment[]>}} table */
  constructor(app, { onChange, showBoard, analyse, moments }) {
    this.app = app;
    this.onChange = onChange;
    this.analyse = analyse;
    this.moments = moments;
    this.working = el("p", { class: "working" });
    this.showBoard = showBoard;
    this.details = new PlayDetails((at) => this.#go(at));
    this.list = new PlayList((at) => this.go(at));
    this.course = new Course((at) => this.go(at, true));
    this.list.rows.prepend(this.course.node);
    this.below = el("div", { class: "review" }, this.working);
    this.card = this.list.node;
    this.details.stand(this.list.rows, this.below);
    addEventListener("keydown", (event) => this.#key(event));
  }

  /** Show what belongs to a match of a room, or nothing.
   *  @param {RoomState} room
   *  @param {MatchState | null} match */
  show(room, match) {
    this.#isShown = match !== null && match.match === this.#match;
    const report = this.#isShown ? this.#report : null;
    this.#work();
    for (const node of [this.card, this.details.node]) show(node, report !== null);
    if (report === null || match === null) return;
    this.course.show(report, this.#at, match.seats);
    this.list.show(report, this.#at, match);
    this.details.show(report, this.#at, match.seats, seatIn(room));
  }

  /** Say for how long a bot has been at it, or has to get ready first. */
  #work() {
    const isWorking = this.#isShown && this.#report === null;
    const now = performance.now();
    const inSeconds = (/** @type {number} */ ms) => Math.max(0, Math.ceil(ms / SECOND_MS));
    const texted = this.#readyAt > now ? texts.waiting(inSeconds(this.#readyAt - now)) : texts.working(inSeconds(now - this.#askedAt));
    put(this.working, isWorking ? texted : "");
    clearTimeout(this.#timer);
    if (isWorking) this.#timer = setTimeout(() => this.#work(), SECOND_MS);
  }

  /** A bot has to get ready before it begins with a match, for so long.
   *  @param {{match: string, wait_ms: number}} message */
  wait({ match, wait_ms: wait }) {
    if (match !== this.#match || this.#report !== null) return;
    this.#readyAt = performance.now() + wait;
    this.app.announcer?.say(texts.waiting(Math.ceil(wait / SECOND_MS)));
    this.onChange();
  }

  /** Whether the plays of the match on the table can be gone through here, by arrow keys. */
  get isOpenHere() {
    return this.#isShown && this.#report !== null;
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

  /** Show the row of an index, and the board; in the list, too, unless it `stays` where it is.
   *  @param {number} at */
  go(at, stays = false) {
    this.#go(at, stays);
    this.showBoard();
  }

  /** What stands on the board instead of the end of the match, or null.
   *  @param {number | null} seat
   *  @returns {BoardView | null} */
  view(seat) {
    const place = this.#place;
    if (place === null) return null;
    return viewAt(place.report.moments, place.row.ply, { seat, over: false, marks: place.row.marks });
  }

  /** Which play is looked at, in words, by its number in the list; null at the end of the match. */
  where() {
    const place = this.#place;
    return place === null ? null : texts.row({ row: (this.#at ?? 0) + 1, of: place.report.rows.length });
  }

  /** Ask a bot.  Until it has answered or refused, it cannot be asked again.
   *  @param {RoomState} room
   *  @param {{match: string}} state */
  async ask(room, { match }) {
    this.#match = match;
    this.#report = this.#at = null;
    this.#askedAt = performance.now();
    this.#readyAt = 0;
    this.onChange();
    this.app.announcer?.say(this.working.textContent ?? "");
    /** @type {Report | null} */
    let report = null;
    try {
      const { connection, replica } = this.app;
      const reply = await (this.analyse?.(match) ?? connection.request({ type: "analyse", match, code: room.code }));
      report = reportOf(reply, await (this.moments?.() ?? momentsOf(replica, room, match)));
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
  #go(at, stays = false) {
    this.#at = at;
    this.onChange();
    if (!stays) this.list.reveal(at);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (!this.#isShown || this.#report === null || !this.card.isConnected) return;
    if (event.altKey || event.ctrlKey || event.metaKey || isField(event.target) || isSheetOpen()) return;
    if (event.key in KEYS) this.#go(this.details.stepped(KEYS[event.key]));
    else if (event.key === "Escape" && this.#at !== null) this.#go(null);
    else return;
    event.preventDefault();
  }
}

/** Whether a key that is pressed there is meant for a field of a form.
 *  @param {EventTarget | null} target */
const isField = (target) => target instanceof Element && target.closest("input, select, textarea") !== null;
