/* In the card beside the board: what a match came to for both sides, and the list of its plays. */

import { el, keyed, put, set } from "../dom.js";
import { playerTitle } from "../wording.js";
import { aboutText, lossText, luckText, totalRows } from "./rows.js";

export class List {
  #told = null;

  /* `go(at)` shows the row of that index on the board. */
  constructor(go) {
    this.go = go;
    this.about = el("p", { class: "quiet" });
    this.names = [0, 1].map(() => el("span"));
    this.body = el("tbody");
    const heads = this.names.map((name, seat) =>
      el("th", { scope: "col" }, el("span", { class: `stone seat-${seat}`, "aria-hidden": "true" }), " ", name));
    this.totals = el("table", { class: "totals" }, el("thead", {}, el("tr", {}, el("td"), ...heads)), this.body);
    this.plays = el("ol", { class: "plays", "aria-label": "Plays" });
    this.node = el("section", { class: "card analysis" },
      el("h2", {}, "Analysis"), this.totals, this.plays, this.about);
  }

  show(told, at, match) {
    const { analysis, rows } = told;
    if (told !== this.#told) this.plays.replaceChildren(); // asked anew, a bot may say something else
    this.#told = told;
    put(this.about, aboutText(told));
    this.names.forEach((name, seat) => put(name, playerTitle(match.seats[seat])));
    keyed(this.body, totalRows(analysis), ({ name }) => `${match.match} ${name}`, totalItem, (row, { cells }) =>
      cells.forEach((text, seat) => put(row.children[seat + 1], text)));
    keyed(this.plays, rows, (row) => `${match.match} ${row.ply}`, (row, index) => this.#item(row, index, analysis.unit),
      (item, _, index) => set(item.firstChild, "aria-current", index === at ? "step" : null));
  }

  /* Scroll the list, not the page, so that a row can be seen. */
  reveal(at) {
    const item = this.plays.children[at];
    if (!item) return;
    const above = item.offsetTop - this.plays.offsetTop;
    const below = above + item.offsetHeight - this.plays.clientHeight;
    this.plays.scrollTop = Math.min(above, Math.max(below, this.plays.scrollTop));
  }

  #item(row, index, unit) {
    const { seat, text, mark, open } = row;
    const stone = el("span", { class: seat < 0 ? "stone" : `stone seat-${seat}`, role: "img", "aria-label": `seat ${seat < 0 ? "?" : seat + 1}` });
    const look = { type: "button", class: mark === "??" ? "blunder" : mark ? "doubtful" : null, disabled: !open };
    return el("li", {}, el("button", { ...look, "data-ply": row.ply, onclick: () => this.go(index) },
      el("span", { class: "number" }, String(index + 1)), stone,
      el("span", { class: "text" }, text), el("b", { class: "sign" }, mark),
      el("span", { class: "figures" }, el("span", { class: "loss" }, lossText(row, unit)),
        el("span", { class: "luck" }, luckText(row, unit)))));
  }
}

const totalItem = ({ name }) => el("tr", {}, el("th", { scope: "row" }, name), el("td"), el("td"));
