/* The ratings over time: a line a player with bars of its error, and a cursor that reads values off.

   Drawn as SVG in the pixels of the page, so that texts stay readable on a phone; drawn again when
   the width changes.  The legend below tells the values at the cursor, by default the newest. */

import { svg } from "../boards/svg.js";
import { el, keyed, put, set, show } from "../dom.js";
import { moment, rated, tickText, whole } from "./words.js";

const HEIGHT = 320;
const EDGE = { left: 52, right: 14, top: 12, bottom: 28 };
const MOST = 12; // lines; more could not be told apart
const COLOURS = 8; // of ladder.css; after these they come again, dashed
const BARS_PX = 44; // between error bars of a line
const LABEL_PX = 140; // of the horizontal axis, between labels

export class Plot {
  #points = []; // [{at, pairs, ratings: Map(player -> [rating, error])}]
  #players = [];
  #cursor = null; // index into #points; null: the newest
  #chosen = null; // the player whose line stands out

  constructor() {
    this.svg = svg("svg", { class: "plot", height: HEIGHT, tabindex: 0, role: "slider", "aria-label": "Ratings over time",
      "aria-valuemin": 0 });
    this.when = el("p", { class: "quiet when" });
    this.legend = el("ul", { class: "legend" });
    this.none = el("p", { class: "quiet" }, "There is nothing to draw yet.");
    this.axes = ["time", "pairs"].map((name) => el("label", {}, el("input", {
      type: "radio", name: "axis", value: name, checked: name === "time", onchange: () => this.#draw(),
    }), ` by ${name}`));
    this.controls = el("fieldset", { class: "row axes" }, el("legend", { class: "unseen" }, "Horizontal axis"), ...this.axes);
    this.node = el("section", { class: "card" }, el("div", { class: "row between" }, el("h2", {}, "Ratings over time"), this.controls),
      this.none, this.svg, this.when, this.legend);
    this.#listen();
  }

  /* `state`: the newest standing; `history`: rating points up to that, as the wire has them. */
  show(state, history) {
    const rows = (state.standings ?? []).filter((row) => (row.rating ?? null) !== null);
    this.#players = rows.slice(0, MOST).map((row) => row.player);
    const known = (point) => this.#players.some((player) => point.ratings.has(player));
    this.#points = history.map(pointOf).filter(known);
    if (this.#cursor >= this.#points.length) this.#cursor = null;
    const there = this.#points.length > 0;
    for (const part of [this.svg, this.when, this.legend, this.controls]) show(part, there);
    show(this.none, !there);
    if (there) this.#draw();
  }

  /* ---- drawing */

  get #byPairs() {
    return this.axes[1].firstChild.checked;
  }

  #draw() {
    const width = Math.max(280, this.node.clientWidth - 40);
    const scale = scaleOf(this.#points, this.#players, width, this.#byPairs);
    set(this.svg, "width", width);
    set(this.svg, "viewBox", `0 0 ${width} ${HEIGHT}`);
    this.scale = scale;
    const lines = this.#players.map((player, index) => this.#line(player, index));
    this.cursor = svg("line", { class: "cursor", y1: EDGE.top, y2: HEIGHT - EDGE.bottom });
    this.svg.replaceChildren(...grid(scale, this.#byPairs), ...lines, this.cursor);
    this.#read();
  }

  /* A player's line with its error bars; they begin where it came. */
  #line(player, index) {
    const { x, y } = this.scale;
    const there = this.#points.filter((point) => point.ratings.has(player));
    const path = there.map((point, at) => `${at ? "L" : "M"}${x(point)} ${y(point.ratings.get(player)[0])}`);
    const marks = [];
    let free = Infinity; // from the right, so that the newest has its bar
    for (const point of [...there].reverse()) {
      if (free - x(point) < BARS_PX && free !== Infinity) continue;
      free = x(point);
      const [rating, error] = point.ratings.get(player);
      const [low, high, at] = [y(rating - error), y(rating + error), x(point)];
      marks.push(svg("path", { class: "bar", d: `M${at} ${low}V${high}M${at - 3} ${low}h6M${at - 3} ${high}h6` }),
        svg("circle", { class: "dot", cx: at, cy: y(rating), r: 3 }));
    }
    return svg("g", { class: `line ${colour(index)}${this.#chosen === player ? " chosen" : ""}`, "data-player": player },
      svg("path", { class: "way", d: path.join("") }), ...marks);
  }

  /* The values at the cursor, in the legend. */
  #read() {
    const at = this.#cursor ?? this.#points.length - 1;
    const point = this.#points[at];
    for (const end of ["x1", "x2"]) set(this.cursor, end, this.scale.x(point));
    this.cursor.classList.toggle("unseen", this.#cursor === null);
    put(this.when, `${moment(point.at)}, after ${point.pairs.toLocaleString("en")} pairs:`);
    keyed(this.legend, this.#players, (player) => player, (player) => this.#entry(player), (item, player, index) => {
      const value = point.ratings.get(player);
      item.className = colour(index);
      put(item.reading, value ? rated(...value) : "not yet here");
      set(item.key, "aria-pressed", String(this.#chosen === player));
    });
    this.svg.classList.toggle("some", this.#chosen !== null);
    set(this.svg, "aria-valuemax", this.#points.length - 1);
    set(this.svg, "aria-valuenow", at);
    set(this.svg, "aria-valuetext", `${this.when.textContent} ${[...this.legend.children].map((item) => item.textContent).join(", ")}`);
  }

  #entry(player) {
    const item = el("li");
    item.reading = el("span", { class: "reading" });
    item.key = el("button", { type: "button", class: "key" }, el("span", { class: "swatch", "aria-hidden": "true" }), player);
    const choose = (chosen) => () => this.#choose(chosen);
    for (const kind of ["pointerenter", "focus"]) item.key.addEventListener(kind, choose(player));
    for (const kind of ["pointerleave", "blur"]) item.key.addEventListener(kind, choose(null));
    item.append(item.key, " ", item.reading);
    return item;
  }

  #choose(player) {
    this.#chosen = player;
    for (const line of this.svg.querySelectorAll(".line")) line.classList.toggle("chosen", line.dataset.player === player);
    this.#read();
  }

  /* ---- the cursor */

  #listen() {
    this.svg.addEventListener("pointermove", (event) => this.#point(event));
    this.svg.addEventListener("pointerdown", (event) => this.#point(event));
    this.svg.addEventListener("pointerleave", () => this.#move(null));
    this.svg.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => this.#points.length && this.node.clientWidth && this.#draw()).observe(this.node);
  }

  #point(event) {
    const x = event.clientX - this.svg.getBoundingClientRect().left;
    const far = this.#points.map((point) => Math.abs(this.scale.x(point) - x));
    this.#move(far.indexOf(Math.min(...far)));
  }

  #key(event) {
    const last = this.#points.length - 1;
    const at = this.#cursor ?? last;
    const next = { ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.#move(Math.max(0, Math.min(last, next)));
  }

  #move(cursor) {
    this.#cursor = cursor;
    if (this.#points.length) this.#read();
  }
}

const colour = (index) => `c${index % COLOURS}${index >= COLOURS ? " dashed" : ""}`;

const pointOf = ({ at, pairs, ratings }) =>
  ({ at, pairs, ratings: new Map(ratings.map(({ player, rating, error }) => [player, [rating, error]])) });

/* From a point and a rating to pixels. */
function scaleOf(points, players, width, byPairs) {
  const value = (point) => (byPairs ? point.pairs : point.at);
  const shown = points.flatMap((point) => players.map((player) => point.ratings.get(player)).filter(Boolean));
  const newest = players.map((player) => points.at(-1).ratings.get(player)).filter(Boolean);
  // The first errors are so wide that beside them nothing else could be seen: they are cut off.
  const low = Math.min(...shown.map(([rating]) => rating), ...newest.map(([rating, error]) => rating - error));
  const high = Math.max(...shown.map(([rating]) => rating), ...newest.map(([rating, error]) => rating + error));
  const step = niceStep((high - low || 1) / 5);
  const [bottom, top] = [Math.floor(low / step) * step, Math.max(Math.ceil(high / step), Math.floor(low / step) + 1) * step];
  const [first, last] = [value(points[0]), value(points.at(-1))];
  const inner = width - EDGE.left - EDGE.right;
  const x = (point) => round(EDGE.left + (last > first ? (inner * (value(point) - first)) / (last - first) : inner));
  const y = (rating) => {
    const within = Math.max(bottom, Math.min(top, rating));
    return round(EDGE.top + ((HEIGHT - EDGE.top - EDGE.bottom) * (top - within)) / (top - bottom));
  };
  return { x, y, bottom, top, step, first, last, width };
}

const round = (pixels) => Math.round(pixels * 10) / 10;

/* 1, 2 or 5 times a power of ten, not below `least`. */
export function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].find((times) => times * power >= least) * power;
}

function grid({ x, y, bottom, top, step, first, last, width }, byPairs) {
  const parts = [];
  for (let value = bottom; value <= top + step / 2; value += step) {
    parts.push(svg("line", { class: value === 0 ? "rule zero" : "rule", x1: EDGE.left, x2: width - EDGE.right, y1: y(value), y2: y(value) }),
      svg("text", { class: "tick", x: EDGE.left - 8, y: y(value) + 4, "text-anchor": "end" }, whole(value)));
  }
  const ticks = last > first ? Math.max(1, Math.floor((width - EDGE.left - EDGE.right) / LABEL_PX)) : 0;
  for (let tick = 0; tick <= ticks; tick++) {
    const value = ticks ? first + ((last - first) * tick) / ticks : last;
    const anchor = tick === ticks ? "end" : tick ? "middle" : "start";
    const text = byPairs ? Math.round(value).toLocaleString("en") : tickText(value, last - first);
    parts.push(svg("text", { class: "tick", x: x({ at: value, pairs: value }), y: HEIGHT - 8, "text-anchor": anchor }, text));
  }
  return parts;
}
