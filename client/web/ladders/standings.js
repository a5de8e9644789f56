/* The standings: a row a player, its rating drawn as a bar of errors on an axis that all share. */

import { svg } from "../boards/svg.js";
import { el, keyed, put, set, show } from "../dom.js";
import { score } from "../wording.js";
import { forfeits, fraction, moveTime, percent, presence, rated, whole } from "./words.js";

const COLUMNS = [
  ["rank", "#", "Rank"], ["who", "Player"], ["rating", "Rating"], ["bar", "95 %"], ["pairs", "Pairs"],
  ["share", "Score"], ["games", "W – D – L", "Matches won, drawn, lost"], ["forfeits", "Forfeits"],
  ["points", "Points a game"], ["time", "Time a move"], ["presence", "Now"],
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

  show({ standings = [], pinned = null, rated: on = 0 }) {
    const range = rangeOf(standings);
    const points = standings.some((row) => (row.points ?? null) !== null);
    show(this.heads.points, points);
    put(this.ends[0], range ? whole(range.low) : "");
    put(this.ends[1], range ? whole(range.high) : "");
    keyed(this.body, standings, (row) => row.player, makeRow, (node, row) => {
      update(node, row, { range, points, pinned: row.player === pinned });
    });
    show(this.note, on > 0);
    const anchor = pinned ? `; ${pinned} is 0` : "";
    put(this.note, `The ratings rest on ${on.toLocaleString("en")} pairs${anchor}.`);
  }
}

/* The axis of all error bars: from the lowest to the highest end, 0 included where somebody is pinned. */
export function rangeOf(standings) {
  const known = standings.filter((row) => (row.rating ?? null) !== null);
  if (!known.length) return null;
  const low = Math.min(...known.map((row) => row.rating - (row.error ?? 0)));
  const high = Math.max(...known.map((row) => row.rating + (row.error ?? 0)));
  return { low, high: high > low ? high : low + 1 };
}

function makeRow() {
  const row = el("tr");
  row.parts = Object.fromEntries(COLUMNS.map(([name]) =>
    [name, el(name === "who" ? "th" : "td", { class: name, scope: name === "who" ? "row" : null })]));
  row.name = el("span", { class: "name" });
  row.tags = el("span", { class: "tags" });
  row.parts.who.append(row.name, row.tags);
  row.bar = new Bar();
  row.parts.bar.append(row.bar.node);
  row.append(...Object.values(row.parts));
  return row;
}

function update(node, row, { range, points, pinned }) {
  const { rank, player, rating = null, error = null, pairs = 0, wins = 0, draws = 0, losses = 0 } = row;
  const cells = node.parts;
  put(cells.rank, rating === null ? "–" : String(rank));
  put(node.name, player);
  keyed(node.tags, tagsOf(row, pinned), ([text]) => text, ([text, why, kind]) =>
    el("span", { class: `flag ${kind}`, title: why }, text));
  put(cells.rating, rated(rating, error, pinned));
  node.bar.show(rating, error, range);
  put(cells.pairs, pairs.toLocaleString("en"));
  put(cells.share, pairs ? percent((row.score ?? 0) / (2 * pairs)) : "");
  set(cells.share, "title", pairs ? `${score(row.score ?? 0)} of ${2 * pairs}` : null);
  put(cells.games, `${wins} – ${draws} – ${losses}`);
  put(cells.forfeits, forfeits(row));
  show(cells.points, points);
  put(cells.points, pointsText(row));
  put(cells.time, moveTime(row.move_ms));
  put(cells.presence, presence(row));
  set(node, "class", row.slots ? null : "away");
}

function pointsText({ points = null, points_error: error = null }) {
  if (points === null) return "";
  return error === null ? fraction(points) : `${fraction(points)} ± ${error.toFixed(2)}`;
}

/* What is special about a player: [text, why, kind]. */
function tagsOf({ anchor = false, suspended = null, group = 0, rating = null }, pinned) {
  const tags = [];
  if (pinned) tags.push(["pinned to 0", "All ratings are counted from this one.", "calm"]);
  else if (anchor) tags.push(["anchor", "A bot of the house, the same on every ladder.", "calm"]);
  if (group > 0 && rating !== null) {
    tags.push(["unconnected", "No chain of pairs leads to the first group: not to be compared with it.", "warn"]);
  }
  if (suspended) tags.push([`suspended: ${suspended}`, "It is not paired any more.", "warn"]);
  return tags;
}

/* A rating with its error between the ends of the axis; the numbers stand beside it. */
class Bar {
  constructor() {
    this.zero = svg("line", { class: "zero", y1: 1, y2: 19 });
    this.whisker = svg("line", { class: "whisker", y1: 10, y2: 10 });
    this.ends = [0, 1].map(() => svg("line", { class: "whisker", y1: 6, y2: 14 }));
    this.dot = svg("circle", { class: "dot", cy: 10, r: 4 });
    this.node = svg("svg", { class: "errorbar", height: 20, "aria-hidden": "true" },
      this.zero, this.whisker, ...this.ends, this.dot);
  }

  show(rating, error, range) {
    const there = rating !== null && range !== null;
    this.node.classList.toggle("empty", !there);
    if (!there) return;
    const at = (value) => `${(4 + (92 * (value - range.low)) / (range.high - range.low)).toFixed(2)}%`;
    const [low, high] = [at(rating - (error ?? 0)), at(rating + (error ?? 0))];
    this.zero.classList.toggle("outside", range.low > 0 || range.high < 0);
    place(this.zero, at(0), at(0));
    place(this.whisker, low, high);
    place(this.ends[0], low, low);
    place(this.ends[1], high, high);
    set(this.dot, "cx", at(rating));
  }
}

function place(line, from, to) {
  set(line, "x1", from);
  set(line, "x2", to);
}
