/* The pairs that are on and those that were over last, with the way to each of their matches. */

/** @import { PairLeg, PairLine } from "../library/messages.js" */

import { roomOf } from "../library/notation.js";
import { matchPath } from "../library/words.js";
import { el, keyed, put, set, show } from "../page/dom.js";
import { texts } from "../texts/ladders/words.js";
import { formatMoment, legText, pairScore } from "./words.js";

const LAST_HEAD = { live: texts.whyThese, recent: texts.voidHead };

export class Pairs {
  /** @type {PairLine[] | null} */
  #held = null; // what is shown once the pointer is elsewhere

  /** @param {"live" | "recent"} kind
   *  @param {string} title
   *  @param {string} none */
  constructor(kind, title, none) {
    this.kind = kind;
    this.body = el("tbody");
    this.none = el("p", { class: "quiet" }, none);
    const heads = [...texts.pairHeads, LAST_HEAD[kind]].map((text, column) =>
      el("th", { scope: "col", class: column === 5 ? "opening" : null }, text));
    this.table = el("table", { class: "pairs" }, el("caption", { class: "unseen" }, title),
      el("thead", {}, el("tr", {}, ...heads)), this.body);
    this.scroller = el("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": title }, this.table);
    this.heldNote = el("p", { class: "quiet held" }, texts.held);
    this.node = el("section", { class: `card ${kind}` },
      el("div", { class: "row between" }, el("h2", {}, title), this.heldNote), this.none, this.scroller);
    for (const event of ["pointerleave", "focusout"]) this.node.addEventListener(event, () => this.#letGo());
  }

  /** Show these pairs; but what somebody is about to click does not move away.
   *  @param {PairLine[]} pairs */
  show(pairs) {
    this.#held = this.node.matches(":hover, :focus-within") ? pairs : null;
    show(this.heldNote, this.#held !== null);
    if (this.#held === null) this.#show(pairs);
  }

  #letGo() {
    setTimeout(() => this.#held !== null && this.show(this.#held)); // the focus has gone on by then
  }

  /** @param {PairLine[]} pairs */
  #show(pairs) {
    show(this.none, pairs.length === 0);
    show(this.scroller, pairs.length > 0);
    set(this.table, "class", pairs.some(({ opening }) => opening?.length) ? "pairs" : "pairs dice");
    keyed(this.body, pairs, ({ pair }) => pair, makeRow, (row, pair) => this.#update(row, pair));
  }

  /** @param {HTMLElement} row
   *  @param {PairLine} pair */
  #update(row, pair) {
    const { one, two, at, opening = [], why = "", void: voided = null } = pair;
    const [number, first, score, second, legs, start, last] = row.children;
    put(number, `#${pair.pair}`);
    set(number, "title", formatMoment(at));
    put(first, one);
    put(score, voided ? texts.voided : pairScore(pair));
    put(second, two);
    keyed(legs, pair.legs, (_, index) => index, makeLeg, (link, leg, index) => updateLeg(link, leg, index, pair));
    put(start, opening.join(" "));
    put(last, this.kind === "live" ? why : voided ?? "");
    set(last, "title", this.kind === "live" ? null : why || null);
  }
}

function makeRow() {
  return el("tr", {}, el("th", { scope: "row" }), el("td"), el("td", { class: "points" }), el("td"),
    el("td", { class: "legs" }), el("td", { class: "opening" }), el("td", { class: "why" }));
}

const makeLeg = () => el("span", { class: "leg" }, el("a"), " ", el("span", { class: "quiet" }));

/** A leg that is over is replayed on the page of its match, one that is on is watched at its table.
 *  @param {HTMLElement} node
 *  @param {PairLeg} leg
 *  @param {number} index
 *  @param {PairLine} pair */
function updateLeg(node, leg, index, { one, two }) {
  const [link, about] = node.children;
  const { match = null, result = null } = leg;
  const [first, second] = index ? [two, one] : [one, two];
  const verb = result ? texts.replay : texts.watch;
  put(link, match ? verb : "");
  set(link, "href", match && (result ? matchPath(match, null) : `/#room=${roomOf(match)}`));
  set(link, "aria-label", match && texts.matchOf({ verb, match, one: first, two: second }));
  put(about, legText(leg));
}
