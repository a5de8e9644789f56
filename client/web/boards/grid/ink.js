/* Marks as a hand draws them: crosses, rings and lines, as paths and as elements whose strokes can be
   drawn. */

import { svg } from "../../page/dom.js";

const TILT = [-4, 3, -2, 5, 1, -3, 4, -1, 2]; // degrees, so that no two neighbours look alike

/** The strokes of a seat's mark in a square of `size` at (x, y): a cross for seat 0, a ring for seat 1.
 *  @param {number} seat
 *  @param {number} x
 *  @param {number} y
 *  @param {number} size
 *  @returns {string[]} */
export function strokesOf(seat, x, y, size) {
  const at = (/** @type {number} */ right, /** @type {number} */ down) =>
    `${round(x + right * size)} ${round(y + down * size)}`;
  if (seat === 0) return [`M${at(0.24, 0.25)}Q${at(0.53, 0.47)} ${at(0.77, 0.75)}`, `M${at(0.76, 0.23)}Q${at(0.5, 0.52)} ${at(0.23, 0.77)}`];
  return [`M${at(0.58, 0.225)}C${at(0.36, 0.18)} ${at(0.215, 0.34)} ${at(0.22, 0.52)}C${at(0.23, 0.7)} ${at(0.37, 0.79)} ${at(0.52, 0.78)}`
    + `C${at(0.69, 0.77)} ${at(0.79, 0.64)} ${at(0.785, 0.48)}C${at(0.775, 0.32)} ${at(0.66, 0.22)} ${at(0.47, 0.225)}`];
}

/** A seat's mark, to be drawn stroke by stroke; `index` tells it from its neighbours.
 *  @param {number} seat
 *  @param {{x: number, y: number, size: number, index: number}} place */
export function mark(seat, { x, y, size, index }) {
  const middle = `${x + size / 2} ${y + size / 2}`;
  const look = { class: `mark seat-${seat}`, "stroke-width": round(size * 0.11), transform: `rotate(${TILT[index % 9]} ${middle})` };
  return svg("g", look, ...strokesOf(seat, x, y, size).map(stroke));
}

/** One stroke, which `motion.draw` can draw.
 *  @param {string} d */
export const stroke = (d) => svg("path", { d, pathLength: 1 });

/** The strokes of a mark or a line.
 *  @param {SVGElement} node */
export const strokes = (node) => /** @type {SVGElement[]} */ ([...node.children]);

/** A line through places that made somebody win, a bit longer than from the first to the last.
 *  @param {{x: number, y: number}} first
 *  @param {{x: number, y: number}} last
 *  @param {number} more in units of the drawing */
export function winningLine(first, last, more) {
  const length = Math.hypot(last.x - first.x, last.y - first.y) || 1;
  const [dx, dy] = [(last.x - first.x) / length * more, (last.y - first.y) / length * more];
  const d = `M${round(first.x - dx)} ${round(first.y - dy)}L${round(last.x + dx)} ${round(last.y + dy)}`;
  return svg("g", { class: "won-line" }, stroke(d));
}

/** A sheet of squared paper with the lines of a board on it.
 *  @param {number} size of the sheet
 *  @param {number} step from one fine line to the next
 *  @param {string} lines */
export function paper(size, step, lines) {
  const fine = [];
  for (let at = step; at < size; at += step) fine.push(`M${at} 1V${size - 1}M1 ${at}H${size - 1}`);
  return [svg("rect", { class: "paper", x: 1, y: 1, width: size - 2, height: size - 2, rx: size * 0.035 }),
    svg("path", { class: "squared", d: fine.join("") }), svg("path", { class: "lines", d: lines })];
}

/** @param {number} value */
const round = (value) => Math.round(value * 10) / 10;
