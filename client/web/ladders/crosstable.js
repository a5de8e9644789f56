/* Who did how well against whom: a square of scores, of which the better half of each pair is green. */

/** @import { Cross, LadderState } from "../library/messages.js" */
/** @import { Comparison } from "./comparison.js" */
/** @typedef {{pairs: number, score: number, exact: boolean}} CrossCell */

import { formatScore } from "../library/words.js";
import { el, keyed, put, set, show } from "../page/dom.js";
import { texts } from "../texts/ladders/words.js";
import { apartText, percent, shortName } from "./words.js";

const PLAYERS = 40; // at most; the server sends no more cells either

export class Crosstable {
  constructor() {
    this.head = el("tr");
    this.body = el("tbody");
    this.table = el("table", { class: "cross" },
      el("caption", { class: "unseen" }, texts.crossAbout),
      el("thead", {}, this.head), this.body);
    this.note = el("p", { class: "quiet" });
    this.pointed = el("p", { class: "pointed quiet", role: "status", "aria-live": "polite" });
    /** @type {[string, string] | null} */
    this.pair = null; // that somebody points at
    /** @type {string[]} */
    this.players = [];
    /** @type {Comparison | null} */
    this.comparison = null;
    this.node = el("section", { class: "card" }, el("h2", {}, texts.cross),
      el("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": texts.cross }, this.table), this.pointed, this.note);
    for (const kind of ["pointerover", "click"]) this.body.addEventListener(kind, ({ target }) => this.#point(target));
  }

  /** Remember the two players of a cell.
   *  @param {EventTarget | null} target */
  #point(target) {
    const cell = target instanceof Element ? target.closest("td") : null;
    const row = cell?.closest("tr");
    if (!cell || !row || !row.parentNode) return;
    const [one, two] = [[...row.parentNode.children].indexOf(row), cell.cellIndex - 1].map((at) => this.players[at]);
    this.pair = one && two && one !== two ? [one, two] : null;
    this.comparison?.changed();
  }

  /** @param {LadderState} state
   *  @param {Comparison} comparison */
  show({ standings = [], cross = [] }, comparison) {
    this.comparison = comparison;
    const players = standings.slice(0, PLAYERS).map(({ player }) => player);
    this.players = players;
    const cells = cellsOf(cross);
    show(this.node, cells.size > 0);
    if (!cells.size) return;
    const heads = [{ player: "", text: texts.player }, ...players.map((player, at) => ({ player, text: String(at + 1) }))];
    keyed(this.head, heads, ({ player }) => `head ${player}`, () => el("th", { scope: "col" }), (node, { player, text }) => {
      put(node, text);
      set(node, "title", player || null);
      set(node, "aria-label", player || null);
    });
    keyed(this.body, players, (player) => player, (player) => el("tr", {}, el("th", { scope: "row", title: player })),
      (node, _, row) => updateRow(node, row, players, cells));
    put(this.pointed, this.pair ? `${this.pair.join(" – ")}: ${apartText(comparison.between(...this.pair))}`
      : texts.pointAtCell);
    const hasExact = cross.some(({ one, two, exact }) => exact && Math.max(one, two) < players.length);
    put(this.note, hasExact ? texts.exact : "");
    show(this.note, hasExact);
  }
}

/** @param {HTMLElement} node
 *  @param {number} row
 *  @param {string[]} players
 *  @param {Map<string, CrossCell>} cells */
function updateRow(node, row, players, cells) {
  put(node.children[0], `${row + 1} ${shortName(players[row])}`);
  while (node.children.length > players.length + 1) node.lastChild?.remove();
  while (node.children.length <= players.length) node.append(el("td"));
  players.forEach((other, column) =>
    updateCell(/** @type {HTMLElement} */ (node.children[column + 1]), cells.get(`${row} ${column}`), players[row], other));
}

/** @param {HTMLElement} node
 *  @param {CrossCell | undefined} cell
 *  @param {string} one
 *  @param {string} two */
function updateCell(node, cell, one, two) {
  if (!cell) {
    put(node, one === two ? "·" : "");
    set(node, "class", one === two ? "self" : null);
    set(node, "title", null);
    node.style.removeProperty("--share");
    return;
  }
  const share = cell.score / (2 * cell.pairs);
  put(node, `${formatScore(cell.score)}/${2 * cell.pairs}${cell.exact ? " =" : ""}`);
  set(node, "title", texts.against({ one, two, share: percent(share) }));
  set(node, "class", share > 0.5 ? "more" : share < 0.5 ? "less" : "even");
  node.style.setProperty("--share", `${Math.round(Math.abs(share - 0.5) * 70)}%`);
}

/** The cells by "row column", each from both sides.
 *  @param {Cross[]} cross */
function cellsOf(cross) {
  /** @type {Map<string, CrossCell>} */
  const cells = new Map();
  for (const { one, two, pairs, score, exact = false } of cross) {
    if (!pairs) continue;
    cells.set(`${one} ${two}`, { pairs, score, exact });
    if (!cells.has(`${two} ${one}`)) cells.set(`${two} ${one}`, { pairs, score: 2 * pairs - score, exact });
  }
  return cells;
}
