/* The pairs that are on and those that were over last, with the way to each of their matches. */

import { el, keyed, put, set, show } from "../dom.js";
import { legText, moment, pairScore, roomOf } from "./words.js";

const HEADS = ["Pair", "One", "Score", "Two", "Matches", "Opening"];
const LAST = { live: "Why these two", recent: "Void" };

export class Pairs {
  /* `kind`: "live" or "recent". */
  constructor(kind, title, none) {
    this.kind = kind;
    this.body = el("tbody");
    this.none = el("p", { class: "quiet" }, none);
    const heads = [...HEADS, LAST[kind]].map((text) =>
      el("th", { scope: "col", class: text === "Opening" ? "opening" : null }, text));
    this.table = el("table", { class: "pairs" }, el("caption", { class: "unseen" }, title),
      el("thead", {}, el("tr", {}, ...heads)), this.body);
    this.scroller = el("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": title }, this.table);
    this.held = el("p", { class: "quiet held" }, "Waits while you point at it.");
    this.node = el("section", { class: `card ${kind}` },
      el("div", { class: "row between" }, el("h2", {}, title), this.held), this.none, this.scroller);
    for (const kind of ["pointerleave", "focusout"]) this.node.addEventListener(kind, () => this.#letGo());
  }

  /* Show these pairs; but what somebody is about to click does not move away. */
  show(pairs) {
    this.waiting = this.node.matches(":hover, :focus-within") ? pairs : null;
    show(this.held, this.waiting !== null);
    if (this.waiting === null) this.#show(pairs);
  }

  #letGo() {
    setTimeout(() => this.waiting !== null && this.show(this.waiting)); // the focus has gone on by then
  }

  #show(pairs) {
    show(this.none, pairs.length === 0);
    show(this.scroller, pairs.length > 0);
    set(this.table, "class", pairs.some((pair) => pair.opening?.length) ? "pairs" : "pairs dice");
    keyed(this.body, pairs, (pair) => pair.pair, makeRow, (row, pair) => this.#update(row, pair));
  }

  #update(row, pair) {
    const { one, two, at, opening = [], why = "", void: voided = null } = pair;
    const [number, first, score, second, legs, start, last] = row.children;
    put(number, `#${pair.pair}`);
    set(number, "title", moment(at));
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

/* A leg that is over is replayed here, one that is on is watched at its table. */
function updateLeg(node, leg, index, { one, two }) {
  const [link, about] = node.children;
  const { match = null, result = null } = leg;
  const [first, second] = index ? [two, one] : [one, two];
  put(link, !match ? "" : result ? "Replay" : "Watch");
  set(link, "href", !match ? null : result ? `#match=${match}` : `/#room=${roomOf(match)}`);
  set(link, "aria-label", !match ? null : `${result ? "Replay" : "Watch"} match ${match}: ${first} against ${second}`);
  put(about, legText(leg));
}
