/* The ratings over time: a curve for each player with bars of its error, and a cursor that reads values
   off.

   Drawn as SVG in the pixels of the page, so that texts stay readable on a phone; drawn again when
   the width changes.  The legend below has the values at the cursor, by default the newest. */

/** @import { RatingPoint, Standing } from "../library/messages.js" */
/** The ratings after so many pairs, each with its error, by player.
 *  @typedef {{at: number, pairs: number, ratings: Map<string, [number, number]>}} Point */
/** From points and ratings to pixels; `low` and `high` are the ends of the vertical axis, `first` and
 *  `last` those of the horizontal one.
 *  @typedef {object} Scale
 *  @property {(point: Pick<Point, "at" | "pairs">) => number} x
 *  @property {(rating: number) => number} y
 *  @property {number} low
 *  @property {number} high
 *  @property {number} step
 *  @property {number} first
 *  @property {number} last
 *  @property {number} width */

import { el, keyed, put, set, show, svg } from "../page/dom.js";
import { texts } from "../texts/ladders/words.js";
import { language } from "../texts/words.js";
import { formatMoment, formatTick, ratingText, whole } from "./words.js";

const HEIGHT = 320;
const EDGE = { left: 52, right: 14, top: 12, bottom: 28 };
const CURVES = 12; // more could not be told apart
const COLOURS = 8; // of ladder.css; after these they come again, dashed
const BARS_PX = 44; // between error bars of a curve
const LABEL_PX = 140; // of the horizontal axis, between labels

export class Plot {
  /** @type {Point[]} */
  #points = [];
  /** @type {string[]} */
  #players = [];
  /** @type {number | null} */
  #cursor = null; // index into #points; null: the newest
  /** @type {string | null} */
  #chosen = null; // the player whose curve stands out
  /** @type {Scale | null} */
  #scale = null;

  constructor() {
    this.svg = svg("svg", { class: "plot", height: HEIGHT, tabindex: 0, role: "slider", "aria-label": texts.plot.title,
      "aria-valuemin": 0 });
    this.when = el("p", { class: "quiet when" });
    this.legend = el("ul", { class: "legend" });
    this.none = el("p", { class: "quiet" }, texts.plot.none);
    const axis = (/** @type {string} */ name, isChecked = false) => el("input",
      { type: "radio", name: "axis", value: name, checked: isChecked, onchange: () => this.#draw() });
    this.byPairs = axis("pairs");
    this.controls = el("fieldset", { class: "row axes" }, el("legend", { class: "unseen" }, texts.plot.axis),
      el("label", {}, axis("time", true), ` ${texts.plot.byTime}`), el("label", {}, this.byPairs, ` ${texts.plot.byPairs}`));
    this.cursor = svg("line", { class: "cursor", y1: EDGE.top, y2: HEIGHT - EDGE.bottom });
    this.node = el("section", { class: "card" }, el("div", { class: "row between" }, el("h2", {}, texts.plot.title), this.controls),
      this.none, this.svg, this.when, this.legend);
    this.#listen();
  }

  /** `history`: the ratings over time, up to those of the newest `standings`.
   *  @param {Standing[]} standings
   *  @param {RatingPoint[]} history */
  show(standings, history) {
    const rows = standings.filter(({ rating = null }) => rating !== null);
    this.#players = rows.slice(0, CURVES).map(({ player }) => player);
    this.#points = history.map(pointOf).filter(({ ratings }) => this.#players.some((player) => ratings.has(player)));
    if (this.#cursor !== null && this.#cursor >= this.#points.length) this.#cursor = null;
    const isEmpty = this.#points.length === 0;
    for (const part of [this.svg, this.when, this.legend, this.controls]) show(part, !isEmpty);
    show(this.none, isEmpty);
    if (!isEmpty) this.#draw();
  }

  #draw() {
    const width = Math.max(280, this.node.clientWidth - 40);
    const scale = scaleOf(this.#points, this.#players, width, this.byPairs.checked);
    set(this.svg, "width", width);
    set(this.svg, "viewBox", `0 0 ${width} ${HEIGHT}`);
    this.#scale = scale;
    const curves = this.#players.map((player, index) => this.#curve(player, index, scale));
    this.svg.replaceChildren(...grid(scale, this.byPairs.checked), ...curves, this.cursor);
    this.#read();
  }

  /** A player's curve with error bars, from its first rating on.
   *  @param {string} player
   *  @param {number} index
   *  @param {Scale} scale */
  #curve(player, index, { x, y }) {
    const places = this.#points.flatMap((point) => {
      const [rating, error] = point.ratings.get(player) ?? [];
      return rating === undefined || error === undefined ? [] : [{ at: x(point), rating, error }];
    });
    const path = places.map(({ at, rating }, place) => `${place ? "L" : "M"}${at} ${y(rating)}`);
    const marks = [];
    let free = Infinity; // from the right, so that the newest has its bar
    for (const { at, rating, error } of places.toReversed()) {
      if (free - at < BARS_PX && free !== Infinity) continue;
      free = at;
      const [low, high] = [y(rating - error), y(rating + error)];
      marks.push(svg("path", { class: "bar", d: `M${at} ${low}V${high}M${at - 3} ${low}h6M${at - 3} ${high}h6` }),
        svg("circle", { class: "dot", cx: at, cy: y(rating), r: 3 }));
    }
    return svg("g", { class: `curve ${colour(index)}${this.#chosen === player ? " chosen" : ""}`, "data-player": player },
      svg("path", { class: "way", d: path.join("") }), ...marks);
  }

  /** Show the values at the cursor, in the legend. */
  #read() {
    const at = this.#cursor ?? this.#points.length - 1;
    const point = this.#points[at];
    if (point === undefined || this.#scale === null) return;
    for (const end of ["x1", "x2"]) set(this.cursor, end, this.#scale.x(point));
    this.cursor.classList.toggle("unseen", this.#cursor === null);
    put(this.when, texts.plot.when({ moment: formatMoment(point.at), pairs: point.pairs }));
    keyed(this.legend, this.#players, (player) => player, (player) => this.#entry(player), (item, player, index) => {
      const value = point.ratings.get(player);
      item.className = colour(index);
      put(item.reading, value ? ratingText(...value) : texts.plot.notYet);
      set(item.key, "aria-pressed", String(this.#chosen === player));
    });
    this.svg.classList.toggle("some", this.#chosen !== null);
    set(this.svg, "aria-valuemax", this.#points.length - 1);
    set(this.svg, "aria-valuenow", at);
    set(this.svg, "aria-valuetext", `${this.when.textContent} ${[...this.legend.children].map((item) => item.textContent).join(", ")}`);
  }

  /** @param {string} player */
  #entry(player) {
    const choose = () => this.#choose(player);
    const unchoose = () => this.#choose(null);
    const look = { type: "button", class: "key", onpointerenter: choose, onfocus: choose,
      onpointerleave: unchoose, onblur: unchoose };
    const key = el("button", look, el("span", { class: "swatch", "aria-hidden": "true" }), player);
    const reading = el("span", { class: "reading" });
    return Object.assign(el("li", {}, key, " ", reading), { key, reading });
  }

  /** @param {string | null} player */
  #choose(player) {
    this.#chosen = player;
    for (const curve of this.svg.querySelectorAll(".curve")) {
      curve.classList.toggle("chosen", curve.getAttribute("data-player") === player);
    }
    this.#read();
  }

  #listen() {
    this.svg.addEventListener("pointermove", (event) => this.#point(event));
    this.svg.addEventListener("pointerdown", (event) => this.#point(event));
    this.svg.addEventListener("pointerleave", () => this.#move(null));
    this.svg.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => this.#points.length && this.node.clientWidth && this.#draw()).observe(this.node);
  }

  /** @param {PointerEvent} event */
  #point(event) {
    const scale = this.#scale;
    if (scale === null) return;
    const x = event.clientX - this.svg.getBoundingClientRect().left;
    const distances = this.#points.map((point) => Math.abs(scale.x(point) - x));
    this.#move(distances.indexOf(Math.min(...distances)));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const last = this.#points.length - 1;
    const at = this.#cursor ?? last;
    /** @type {number | undefined} */
    const next = { ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.#move(Math.max(0, Math.min(last, next)));
  }

  /** @param {number | null} cursor */
  #move(cursor) {
    this.#cursor = cursor;
    this.#read();
  }
}

/** @param {number} index */
const colour = (index) => `c${index % COLOURS}${index >= COLOURS ? " dashed" : ""}`;

/** @param {RatingPoint} point
 *  @returns {Point} */
const pointOf = ({ at, pairs, ratings }) =>
  ({ at, pairs, ratings: new Map(ratings.map(({ player, rating, error }) => [player, [rating, error]])) });

/** @param {Point[]} points at least one
 *  @param {string[]} players
 *  @param {number} width
 *  @param {boolean} byPairs
 *  @returns {Scale} */
function scaleOf(points, players, width, byPairs) {
  const value = (/** @type {Pick<Point, "at" | "pairs">} */ point) => (byPairs ? point.pairs : point.at);
  const newest = points[points.length - 1];
  const ratingsAt = (/** @type {Point} */ { ratings }) => players.flatMap((player) => {
    const rating = ratings.get(player);
    return rating ? [rating] : [];
  });
  // The first errors are so wide that beside them nothing else could be seen: they are cut off.
  const values = [
    ...points.flatMap(ratingsAt).map(([rating]) => rating),
    ...ratingsAt(newest).flatMap(([rating, error]) => [rating - error, rating + error]),
  ];
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  const step = niceStep((highest - lowest || 1) / 5);
  const low = Math.floor(lowest / step) * step;
  const high = Math.max(Math.ceil(highest / step), Math.floor(lowest / step) + 1) * step;
  const [first, last] = [value(points[0]), value(newest)];
  const inner = width - EDGE.left - EDGE.right;
  return {
    x: (point) => round(EDGE.left + (last > first ? (inner * (value(point) - first)) / (last - first) : inner)),
    y: (rating) => {
      const within = Math.max(low, Math.min(high, rating));
      return round(EDGE.top + ((HEIGHT - EDGE.top - EDGE.bottom) * (high - within)) / (high - low));
    },
    low, high, step, first, last, width,
  };
}

/** @param {number} pixels */
const round = (pixels) => Math.round(pixels * 10) / 10;

/** 1, 2 or 5 times a power of ten, not below `least`.
 *  @param {number} least */
function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5].find((times) => times * power >= least) ?? 10) * power;
}

/** The rules and the labels of both axes.
 *  @param {Scale} scale
 *  @param {boolean} byPairs
 *  @returns {SVGElement[]} */
function grid({ x, y, low, high, step, first, last, width }, byPairs) {
  const parts = [];
  for (let value = low; value <= high + step / 2; value += step) {
    parts.push(svg("line", { class: value === 0 ? "rule zero" : "rule", x1: EDGE.left, x2: width - EDGE.right, y1: y(value), y2: y(value) }),
      svg("text", { class: "tick", x: EDGE.left - 8, y: y(value) + 4, "text-anchor": "end" }, whole(value)));
  }
  const ticks = last > first ? Math.max(1, Math.floor((width - EDGE.left - EDGE.right) / LABEL_PX)) : 0;
  for (let tick = 0; tick <= ticks; tick++) {
    const value = ticks ? first + ((last - first) * tick) / ticks : last;
    const anchor = tick === ticks ? "end" : tick ? "middle" : "start";
    const text = byPairs ? Math.round(value).toLocaleString(language) : formatTick(value, last - first);
    parts.push(svg("text", { class: "tick", x: x({ at: value, pairs: value }), y: HEIGHT - 8, "text-anchor": anchor }, text));
  }
  return parts;
}
