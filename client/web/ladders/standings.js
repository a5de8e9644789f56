/* The standings: a row a player, its rating drawn as a bar of errors on an axis that all share. */

/** @import { LadderState, Standing } from "../library/messages.js" */
/** The axis of all error bars.
 *  @typedef {{low: number, high: number}} Range */

import { formatScore } from "../library/words.js";
import { el, keyed, put, set, show, svg } from "../page/dom.js";
import { forfeitsText, fraction, moveTime, percent, presenceText, ratingText, whole } from "./words.js";

/** The class, the head and the explanation of each column. */
const COLUMNS = [
  ["rank", "#", "Rank"], ["who", "Player"], ["rating", "Rating"], ["bar", "95 %"], ["pairs", "Pairs"],
  ["share", "Score"], ["games", "W – D – L", "Matches won, drawn, lost"], ["forfeits", "Forfeits"],
  ["points", "Points a game"], ["time", "Time a move"],
  ["uneven", "Uneven", "How far the results against single opponents depart from the rating; chance seldom makes 3"],
  ["presence", "Now"],
];

export class Standings {
  constructor() {
    this.heads = Object.fromEntries(COLUMNS.map(([name, text, title = null]) =>
      [name, el("th", { scope: "col", class: name, title }, text)]));
    this.ends = [el("span"), el("span")];
    this.axis = el("span", { class: "axis", "aria-hidden": "true" }, ...this.ends);
    this.heads.bar.append(this.axis);
    this.body = el("tbody");
    this.note = el("p", { class: "quiet" });
    this.table = el("table", { class: "standings" },
      el("caption", { class: "unseen" }, "Standings"),
      el("thead", {}, el("tr", {}, ...Object.values(this.heads))), this.body);
    this.scroller = el("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": "Standings" }, this.table);
    this.node = el("section", { class: "card" }, el("h2", {}, "Standings"), this.scroller, this.note);
  }

  /** @param {LadderState} state */
  show({ standings = [], pinned = null, rated = 0 }) {
    const range = rangeOf(standings);
    const hasPoints = standings.some(({ points = null }) => points !== null);
    const hasUneven = standings.some(({ uneven = null }) => uneven !== null);
    show(this.heads.points, hasPoints);
    show(this.heads.uneven, hasUneven);
    put(this.ends[0], range ? whole(range.low) : "");
    put(this.ends[1], range ? whole(range.high) : "");
    keyed(this.body, standings, ({ player }) => player, makeRow, (node, row) => {
      updateRow(node, row, { range, hasPoints, hasUneven, isPinned: row.player === pinned });
    });
    show(this.note, rated > 0);
    const anchor = pinned ? `; ${pinned} is 0` : "";
    put(this.note, `The ratings rest on ${rated.toLocaleString("en")} pairs${anchor}.`);
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

function makeRow() {
  const cells = Object.fromEntries(COLUMNS.map(([name]) =>
    [name, el(name === "who" ? "th" : "td", { class: name, scope: name === "who" ? "row" : null })]));
  const name = el("span", { class: "name" });
  const tags = el("span", { class: "tags" });
  cells.who.append(name, tags);
  const bar = new ErrorBar();
  cells.bar.append(bar.node);
  return Object.assign(el("tr", {}, ...Object.values(cells)), { parts: cells, name, tags, bar });
}

/** @param {ReturnType<typeof makeRow>} node
 *  @param {Standing} row
 *  @param {{range: Range | null, hasPoints: boolean, hasUneven: boolean, isPinned: boolean}} table */
function updateRow(node, row, { range, hasPoints, hasUneven, isPinned }) {
  const { rank, player, rating = null, error = null, pairs = 0, wins = 0, draws = 0, losses = 0 } = row;
  const cells = node.parts;
  put(cells.rank, rating === null ? "–" : String(rank));
  put(node.name, player);
  keyed(node.tags, tagsOf(row, isPinned), ([text]) => text, ([text, why, kind]) =>
    el("span", { class: `flag ${kind}`, title: why }, text));
  put(cells.rating, ratingText(rating, error, isPinned));
  node.bar.show(rating, error, range);
  put(cells.pairs, pairs.toLocaleString("en"));
  put(cells.share, pairs ? percent((row.score ?? 0) / (2 * pairs)) : "");
  set(cells.share, "title", pairs ? `${formatScore(row.score ?? 0)} of ${2 * pairs}` : null);
  put(cells.games, `${wins} – ${draws} – ${losses}`);
  put(cells.forfeits, forfeitsText(row));
  show(cells.points, hasPoints);
  put(cells.points, pointsText(row));
  put(cells.time, moveTime(row.move_ms));
  show(cells.uneven, hasUneven);
  put(cells.uneven, unevenText(row));
  set(cells.uneven, "title", row.most_from ? `Most beyond its rating came from ${row.most_from}.` : null);
  put(cells.presence, presenceText(row));
  set(node, "class", row.slots ? null : "away");
}

/** @param {Standing} row */
function pointsText({ points = null, points_error: error = null }) {
  if (points === null) return "";
  return error === null ? fraction(points) : `${fraction(points)} ± ${error.toFixed(2)}`;
}

/** @param {Standing} row */
function unevenText({ uneven = null, most_from: giver = null }) {
  if (uneven === null) return "";
  return giver === null ? uneven.toFixed(1) : `${uneven.toFixed(1)} !`;
}

/** What is special about a player: [text, why, kind].
 *  @param {Standing} row
 *  @param {boolean} isPinned */
function tagsOf({ anchor = false, suspended = null, group = 0, rating = null }, isPinned) {
  const tags = [];
  if (isPinned) tags.push(["pinned to 0", "All ratings are counted from this one.", "calm"]);
  else if (anchor) tags.push(["anchor", "A bot of the house, the same on every ladder.", "calm"]);
  if (group > 0 && rating !== null) {
    tags.push(["unconnected", "No chain of pairs leads to the first group: the ratings cannot be compared.", "warn"]);
  }
  if (suspended) tags.push([`suspended: ${suspended}`, "It gets no more pairs.", "warn"]);
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
