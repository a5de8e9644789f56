/* What both stories are told with: numbers, boards, small charts. */

import { el, svg } from "../../../client/web/page/dom.js";

/** A value in [-1, 1] with its sign.
 *  @param {number | null} value */
export function number(value) {
  if (value === null || Number.isNaN(value)) return "";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const text = Math.abs(value).toFixed(2);
  return text === "0.00" ? "0.00" : `${value < 0 ? "−" : "+"}${text}`;
}

/** A number of things: "1 visit", "12 visits".
 *  @param {number} n
 *  @param {string} noun
 *  @param {string} many */
export const count = (n, noun, many = `${noun}s`) => `${n.toLocaleString("en")} ${n === 1 ? noun : many}`;

/** Draws positions of one game: by its picture, or as the text that came with the trace.  */
export class Boards {
  /** @param {any} trace
   *  @param {((position: string) => SVGElement) | null} picture */
  constructor(trace, picture) {
    this.trace = trace;
    this.picture = picture;
  }

  /** The board of a place; for a place that is not known, an empty one.
   *  @param {number} place */
  draw(place) {
    if (place < 0) return el("span", { class: "unknown" });
    if (this.picture) return this.picture(this.trace.places[place][0]);
    const text = this.trace.drawings?.[place] ?? this.trace.places[place][0];
    const columns = Math.max(1, ...text.split("\n").map((/** @type {string} */ line) => line.length));
    return el("pre", { class: "text-board", style: `--columns: ${columns}`, "aria-hidden": "true" }, text);
  }

  /** A board with words under it.
   *  @param {number} place
   *  @param {string} caption
   *  @param {string} kind */
  figure(place, caption, kind = "") {
    return el("figure", { class: `board ${kind}` }, this.draw(place), el("figcaption", {}, caption));
  }
}

/** The signs of a seat: a dot in its colour and shape, and its name.
 *  @param {any} trace
 *  @param {number} seat */
export function seatName(trace, seat) {
  return el("span", { class: `seat seat-${seat}` }, trace.seats[seat]);
}

/** A line from -1 to 1, with marks on it: what is on it is said in the text.
 *  @param {{from: number, to: number, kind: string}[]} spans
 *  @param {{at: number, kind: string}[]} marks
 *  @param {number} [least]
 *  @param {number} [most] */
export function axis(spans, marks, least = -1, most = 1) {
  const x = (/** @type {number} */ value) => 100 * (Math.max(least, Math.min(most, value)) - least) / (most - least);
  return svg("svg", { class: "axis", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("path", { class: "ground", d: "M0 5H100" }), svg("path", { class: "zero", d: `M${x(0)} 1V9` }),
    ...spans.map(({ from, to, kind }) => svg("path", { class: kind, d: `M${x(from)} 5H${Math.max(x(to), x(from) + 0.6)}` })),
    ...marks.map(({ at, kind }) => svg("path", { class: `at ${kind}`, d: `M${x(at)} 1V9` })));
}
