/* Who did how well against whom: a square of scores, of which the better half of each pair is green. */

import { el, keyed, put, set, show } from "../dom.js";
import { score } from "../wording.js";
import { percent, shortName } from "./words.js";

const MOST = 40; // players; the server sends no more cells either

export class Crosstable {
  constructor() {
    this.head = el("tr");
    this.body = el("tbody");
    this.table = el("table", { class: "cross" },
      el("caption", { class: "unseen" }, "Scores of the players in rows against those in columns"),
      el("thead", {}, this.head), this.body);
    this.note = el("p", { class: "quiet" });
    this.node = el("section", { class: "card" }, el("h2", {}, "Crosstable"),
      el("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": "Crosstable" }, this.table), this.note);
  }

  show({ standings = [], cross = [] }) {
    const players = standings.slice(0, MOST).map((row) => row.player);
    const cells = cellsOf(cross);
    show(this.node, cells.size > 0);
    if (!cells.size) return;
    const heads = [{ player: "", text: "Player" }, ...players.map((player, at) => ({ player, text: String(at + 1) }))];
    keyed(this.head, heads, ({ player }) => `head ${player}`, () => el("th", { scope: "col" }), (node, { player, text }) => {
      put(node, text);
      set(node, "title", player || null);
      set(node, "aria-label", player || null);
    });
    keyed(this.body, players, (player) => player, (player) => el("tr", {}, el("th", { scope: "row", title: player })),
      (node, _, row) => this.#row(node, row, players, cells));
    const exact = cross.some(({ one, two, exact }) => exact && Math.max(one, two) < players.length);
    put(this.note, exact ? "= : deterministic bots that have played all openings; that score is exact." : "");
    show(this.note, exact);
  }

  #row(node, row, players, cells) {
    put(node.firstChild, `${row + 1} ${shortName(players[row])}`);
    while (node.children.length > players.length + 1) node.lastChild.remove();
    while (node.children.length <= players.length) node.append(el("td"));
    players.forEach((other, column) => this.#cell(node.children[column + 1], cells.get(`${row} ${column}`), [players[row], other]));
  }

  #cell(node, cell, [one, two]) {
    const share = cell ? cell.score / (2 * cell.pairs) : null;
    put(node, cell ? `${score(cell.score)}/${2 * cell.pairs}${cell.exact ? " =" : ""}` : one === two ? "·" : "");
    set(node, "title", cell ? `${one} against ${two}: ${percent(share)}` : null);
    set(node, "class", share === null ? (one === two ? "self" : null) : share > 0.5 ? "more" : share < 0.5 ? "less" : "even");
    set(node, "style", share === null ? null : `--share: ${Math.round(Math.abs(share - 0.5) * 90)}%`);
  }
}

/* The cells by "row column", each from both sides. */
function cellsOf(cross) {
  const cells = new Map();
  for (const { one, two, pairs, score: won, exact = false } of cross) {
    if (!pairs) continue;
    cells.set(`${one} ${two}`, { pairs, score: won, exact });
    if (!cells.has(`${two} ${one}`)) cells.set(`${two} ${one}`, { pairs, score: 2 * pairs - won, exact });
  }
  return cells;
}
