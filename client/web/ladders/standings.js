/* The standings: a row a player, its rating drawn as a bar of errors on an axis that all share. */

/** @import { LadderState, Standing } from "../library/messages.js" */
/** @import { Apart, Comparison } from "./comparison.js" */
/** The axis of all error bars.
 *  @typedef {{low: number, high: number}} Range */

import { formatScore } from "../library/words.js";
import { el, keyed, put, set, show, svg } from "../page/dom.js";
import { texts } from "../texts/ladders/words.js";
import { language, words } from "../texts/words.js";
import { turned } from "./comparison.js";
import {
  apartText, forfeitsText, fraction, moveTime, percent, presenceText, ratingText, shortName, strongerTexts, whole,
} from "./words.js";

const { decimal } = words.common;
const COLUMNS = Object.entries(texts.columns);

export class Standings {
  constructor() {
    this.heads = Object.fromEntries(COLUMNS.map(([name, [text, title = null]]) =>
      [name, el("th", { scope: "col", class: name, title }, text)]));
    this.ends = [el("span"), el("span")];
    this.axis = el("span", { class: "axis", "aria-hidden": "true" }, ...this.ends);
    this.heads.interval.append(this.axis);
    this.body = el("tbody");
    this.note = el("p", { class: "quiet" });
    this.compared = new ComparedText();
    this.table = el("table", { class: "standings" },
      el("caption", { class: "unseen" }, texts.standings),
      el("thead", {}, el("tr", {}, ...Object.values(this.heads))), this.body);
    this.scroller = el("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": texts.standings }, this.table);
    this.node = el("section", { class: "card" }, el("h2", {}, texts.standings), this.scroller, this.compared.node, this.note);
  }

  /** @param {LadderState} state
   *  @param {Comparison} comparison */
  show({ standings = [], pinned = null, rated = 0, field = null }, comparison) {
    comparison.rated = rated;
    const first = standings.some(({ player }) => player === comparison.first) ? comparison.first : null;
    const range = rangeOf(standings);
    const hasPoints = standings.some(({ points = null }) => points !== null);
    const hasUneven = standings.some(({ uneven = null }) => uneven !== null);
    show(this.heads.points, hasPoints);
    show(this.heads.uneven, hasUneven);
    show(this.heads.against, first !== null);
    put(this.heads.against, first === null ? "" : texts.than(shortName(first)));
    set(this.heads.against, "title", first === null ? null
      : texts.thanAbout(first));
    put(this.ends[0], range ? whole(range.low) : "");
    put(this.ends[1], range ? whole(range.high) : "");
    keyed(this.body, standings, ({ player }) => player, ({ player }) => makeRow(player, comparison), (node, row) => {
      updateRow(node, row, { range, hasPoints, hasUneven, isPinned: row.player === pinned, first, comparison });
    });
    show(this.compared.node, rated > 0);
    this.compared.show(comparison, first, standings.some(({ player }) => player === comparison.second));
    show(this.note, rated > 0);
    put(this.note, [texts.restOn({ pairs: rated, pinned }), field === null ? "" : texts.toField(whole(field))].filter(Boolean).join(" "));
  }
}

/** From the lowest to the highest end of all error bars, or null before the first rating.
 *  @param {Standing[]} standings
 *  @returns {Range | null} */
function rangeOf(standings) {
  const ends = standings.flatMap(({ rating = null, error }) =>
    (rating === null ? [] : [rating - (error ?? 0), rating + (error ?? 0)]));
  if (!ends.length) return null;
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  return { low, high: high > low ? high : low + 1 };
}

/** How two players differ, or how to see that. */
class ComparedText {
  constructor() {
    this.node = el("p", { class: "compared", role: "status", "aria-live": "polite" });
  }

  /** @param {Comparison} comparison
   *  @param {string | null} first
   *  @param {boolean} hasSecond */
  show(comparison, first, hasSecond) {
    const { second } = comparison;
    if (first === null) this.#say(texts.chooseOne);
    else if (second === null || !hasSecond) this.#say(first, texts.chooseSecond);
    else this.#sayBetween(first, second, comparison.between(first, second));
  }

  /** @param {string} one
   *  @param {string} two
   *  @param {Apart | null | undefined} apart */
  #sayBetween(one, two, apart) {
    if (apart === undefined) this.#say("…");
    else if (apart === null) this.#say(one, texts.incomparable[0], two, texts.incomparable[1]);
    else if (apart.elo < 0) this.#sayBetween(two, one, turned(apart));
    else {
      const [between, after] = strongerTexts(apart);
      this.#say(one, between, two, after);
    }
  }

  /** Say it, only where it changes; each other part is a name, the first one where there are several.
   *  @param {string[]} parts */
  #say(...parts) {
    if (this.node.textContent === parts.join("")) return;
    this.node.replaceChildren(...parts.map((part, at) => (parts.length > 1 && at % 2 === 0 ? el("bdi", {}, part) : part)));
  }
}

/** @param {string} player
 *  @param {Comparison} comparison */
function makeRow(player, comparison) {
  const cells = Object.fromEntries(COLUMNS.map(([name]) =>
    [name, el(name === "who" ? "th" : "td", { class: name, scope: name === "who" ? "row" : null })]));
  const text = el("bdi");
  const name = el("button", { type: "button", class: "name", title: texts.compare,
    onfocus: () => comparison.point(player), onblur: () => comparison.point(null) }, text);
  const tags = el("span", { class: "tags" });
  cells.who.append(name, tags);
  cells.who.addEventListener("click", () => comparison.choose(player)); // its button's, too
  const bar = new ErrorBar();
  cells.interval.append(bar.node);
  const row = el("tr", { onpointerenter: () => comparison.point(player), onpointerleave: () => comparison.point(null) },
    ...Object.values(cells));
  return Object.assign(row, { parts: cells, name, text, tags, bar });
}

/** @param {ReturnType<typeof makeRow>} node
 *  @param {Standing} row
 *  @param {{range: Range | null, hasPoints: boolean, hasUneven: boolean, isPinned: boolean, first: string | null,
 *    comparison: Comparison}} table */
function updateRow(node, row, { range, hasPoints, hasUneven, isPinned, first, comparison }) {
  const { rank, player, rating = null, error = null, pairs = 0, wins = 0, draws = 0, losses = 0 } = row;
  const cells = node.parts;
  put(cells.rank, rating === null ? "–" : String(rank));
  put(node.text, player);
  set(node.name, "aria-pressed", String(comparison.chosen.includes(player)));
  show(cells.against, first !== null);
  if (first !== null) put(cells.against, player === first ? "·" : rating === null ? "" : apartText(turned(comparison.between(first, player))));
  keyed(node.tags, tagsOf(row, isPinned), ([text]) => text, ([text, why, kind]) =>
    el("span", { class: `flag ${kind}`, title: why }, text));
  put(cells.rating, ratingText(rating, error));
  node.bar.show(rating, error, range);
  put(cells.pairs, pairs.toLocaleString(language));
  put(cells.share, pairs ? percent((row.score ?? 0) / (2 * pairs)) : "");
  set(cells.share, "title", pairs ? texts.ofAll({ score: formatScore(row.score ?? 0), of: 2 * pairs }) : null);
  put(cells.games, `${wins} – ${draws} – ${losses}`);
  put(cells.forfeits, forfeitsText(row));
  show(cells.points, hasPoints);
  put(cells.points, pointsText(row));
  put(cells.time, moveTime(row.move_ms));
  show(cells.uneven, hasUneven);
  put(cells.uneven, unevenText(row));
  set(cells.uneven, "title", row.most_from ? texts.mostFrom(row.most_from) : null);
  put(cells.presence, presenceText(row));
  set(node, "class", row.slots ? null : "away");
}

/** @param {Standing} row */
function pointsText({ points = null, points_error: error = null }) {
  if (points === null) return "";
  return error === null ? fraction(points) : `${fraction(points)} ± ${decimal(error.toFixed(2))}`;
}

/** @param {Standing} row */
function unevenText({ uneven = null, most_from: giver = null }) {
  if (uneven === null) return "";
  return decimal(uneven.toFixed(1)) + (giver === null ? "" : " !");
}

/** What is special about a player: [text, why, kind].
 *  @param {Standing} row
 *  @param {boolean} isPinned */
function tagsOf({ anchor = false, suspended = null, group = 0, rating = null, former = false }, isPinned) {
  const tags = [];
  if (isPinned) tags.push([...texts.tags.pinned, "calm"]);
  else if (anchor) tags.push([...texts.tags.anchor, "calm"]);
  if (former) tags.push([...texts.tags.former, "calm"]);
  if (group > 0 && rating !== null) tags.push([...texts.tags.unconnected, "warn"]);
  if (suspended) tags.push([...texts.suspended(suspended), "warn"]);
  return tags;
}

/** A rating with its error between the ends of the axis; the numbers stand beside it. */
class ErrorBar {
  constructor() {
    this.zero = svg("line", { class: "zero", y1: 1, y2: 19 });
    this.whisker = svg("line", { class: "whisker", y1: 10, y2: 10 });
    this.ends = [0, 1].map(() => svg("line", { class: "whisker", y1: 6, y2: 14 }));
    this.dot = svg("circle", { class: "dot", cy: 10, r: 4 });
    this.node = svg("svg", { class: "errorbar", height: 20, "aria-hidden": "true" },
      this.zero, this.whisker, ...this.ends, this.dot);
  }

  /** @param {number | null} rating
   *  @param {number | null} error
   *  @param {Range | null} range */
  show(rating, error, range) {
    this.node.classList.toggle("empty", rating === null || range === null);
    if (rating === null || range === null) return;
    const at = (/** @type {number} */ value) => `${(4 + (92 * (value - range.low)) / (range.high - range.low)).toFixed(2)}%`;
    const [low, high] = [at(rating - (error ?? 0)), at(rating + (error ?? 0))];
    this.zero.classList.toggle("outside", range.low > 0 || range.high < 0);
    place(this.zero, at(0), at(0));
    place(this.whisker, low, high);
    place(this.ends[0], low, low);
    place(this.ends[1], high, high);
    set(this.dot, "cx", at(rating));
  }
}

/** @param {SVGLineElement} line
 *  @param {string} from
 *  @param {string} to */
function place(line, from, to) {
  set(line, "x1", from);
  set(line, "x2", to);
}
