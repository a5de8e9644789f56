/* The pairs that are on and those that were over last, with the way to each of their matches. */

/** @import { PairLeg, PairLine } from "../library/messages.js" */

import { roomOf } from "../library/notation.js";
import { el, keyed, put, set, show } from "../page/dom.js";
import { formatMoment, legText, pairScore } from "./words.js";

const HEADS = ["Pair", "One", "Score", "Two", "Matches", "Opening"];
const LAST_HEAD = { live: "Why these two", recent: "Void" };

export class Pairs {
  /** @type {PairLine[] | null} */
  #held = null; // what is shown once nobody points here any more

  /** @param {"live" | "recent"} kind
   *  @param {string} title
   *  @param {string} none */
  constructor(kind, title, none) {
    this.kind = kind;
    this.body = el("tbody");
    this.none = el("p", { class: "quiet" }, none);
    const heads = [...HEADS, LAST_HEAD[kind]].map((text) =>
      el("th", { scope: "col", class: text === "Opening" ? "opening" : null }, text));
    this.table = el("table", { class: "pairs" }, el("caption", { class: "unseen" }, title),
      el("thead", {}, el("tr", {}, ...heads)), this.body);
    this.scroller = el("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": title }, this.table);
    this.heldNote = el("p", { class: "quiet held" }, "Waits while you point at it.");
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
    put(score, voided ? "void" : pairScore(pair));
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

/** A leg that is over is replayed here, one that is on is watched at its table.
 *  @param {HTMLElement} node
 *  @param {PairLeg} leg
 *  @param {number} index
 *  @param {PairLine} pair */
function updateLeg(node, leg, index, { one, two }) {
  const [link, about] = node.children;
  const { match = null, result = null } = leg;
  const [first, second] = index ? [two, one] : [one, two];
  const verb = result ? "Replay" : "Watch";
  put(link, match ? verb : "");
  set(link, "href", match && (result ? `#match=${match}` : `/#room=${roomOf(match)}`));
  set(link, "aria-label", match && `${verb} match ${match}: ${first} against ${second}`);
  put(about, legText(leg));
}
