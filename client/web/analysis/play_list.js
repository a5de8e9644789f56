/* In the card beside the board: what a match came to for both sides, and the list of its plays. */

/** @import { Player } from "../library/messages.js" */
/** @import { Report, Row, Unit } from "./rows.js" */

import { standingText } from "../library/series.js";
import { playerTitle } from "../library/words.js";
import { el, keyed, put, set, show } from "../page/dom.js";
import { words } from "../texts/words.js";
import { aboutText, cubeText, lossText, luckText } from "./rows.js";
import { totalRows } from "./totals.js";

const { analysis: texts } = words;

export class PlayList {
  /** @type {Report | null} */
  #report = null;

  /** `go(at)` shows the row of that index on the board.
   *  @param {(at: number) => void} go */
  constructor(go) {
    this.go = go;
    this.about = el("p", { class: "quiet" });
    this.standing = el("p", { class: "standing" });
    this.names = [0, 1].map(() => el("bdi"));
    this.body = el("tbody");
    const heads = this.names.map((name, seat) =>
      el("th", { scope: "col" }, el("span", { class: `stone seat-${seat}`, "aria-hidden": "true" }), " ", name));
    this.totals = el("table", { class: "totals" }, el("thead", {}, el("tr", {}, el("td"), ...heads)), this.body);
    this.plays = el("ol", { class: "plays", "aria-label": texts.plays });
    this.rows = el("div", { class: "rows" }, this.standing, this.totals, this.plays, this.about);
    this.node = el("section", { class: "card analysis" }, el("h2", {}, texts.title), this.rows);
  }

  /** `at`: the index of the row that is on the board, or null.
   *  @param {Report} report
   *  @param {number | null} at
   *  @param {{match: string, seats: Player[]}} match */
  show(report, at, { match, seats }) {
    const { analysis, rows } = report;
    if (report !== this.#report) this.plays.replaceChildren(); // asked anew, a bot may say something else
    this.#report = report;
    put(this.about, aboutText(report));
    put(this.standing, analysis.series ? standingText(analysis.series) : "");
    show(this.standing, Boolean(analysis.series));
    this.names.forEach((name, seat) => put(name, playerTitle(seats[seat])));
    keyed(this.body, totalRows(analysis), ({ name }) => `${match} ${name}`, totalItem, (item, { cells }) =>
      cells.forEach((text, seat) => put(item.children[seat + 1], text)));
    keyed(this.plays, rows, (_, index) => `${match} ${index}`, (row, index) => this.#item(row, index, analysis.unit),
      (item, _, index) => set(item.children[0], "aria-current", index === at ? "step" : null));
  }

  /** Scroll the list, not the page, so that a row can be seen.
   *  @param {number | null} at */
  reveal(at) {
    const item = at === null ? null : /** @type {HTMLElement | undefined} */ (this.plays.children[at]);
    if (!item) return;
    const scroller = getComputedStyle(this.plays).overflowY === "auto" ? this.plays : this.rows;
    const above = item.offsetTop - scroller.offsetTop;
    const below = above + item.offsetHeight - scroller.clientHeight;
    scroller.scrollTop = Math.min(above, Math.max(below, scroller.scrollTop));
  }

  /** @param {Row} row
   *  @param {number} index
   *  @param {Unit} unit */
  #item(row, index, unit) {
    const { seat, text, mark, isOpen } = row;
    const isSeat = seat >= 0;
    const stone = el("span", {
      class: isSeat ? `stone seat-${seat}` : "stone", role: "img", "aria-label": texts.seat(isSeat ? String(seat + 1) : "?"),
    });
    const look = { type: "button", class: mark === "??" ? "blunder" : mark ? "doubtful" : null, disabled: !isOpen };
    return el("li", {}, el("button", { ...look, "data-ply": row.ply, onclick: () => this.go(index) },
      el("span", { class: "number" }, String(index + 1)), stone,
      el("span", { class: "text" }, text, el("small", { class: "quiet" }, cubeText(row))), el("b", { class: "sign" }, mark),
      el("span", { class: "figures" }, el("span", { class: "loss" }, lossText(row, unit)),
        el("span", { class: "luck" }, luckText(row, unit)))));
  }
}

/** @param {{name: string}} row */
const totalItem = ({ name }) => el("tr", {}, el("th", { scope: "row" }, name), el("td"), el("td"));
