/* What is seen happening on a board: a stone falls, a stroke is drawn.  Each function returns when it
   is over, in milliseconds from now. */

/** @import { BoardView } from "../board.js" */

import { mayMove } from "../../library/settings.js";

const ROW_MS = 60; // of a fall
const BOUNCE_MS = 130;
const BOUNCE = 0.11; // of a row
export const STROKE_MS = 180; // of a mark, however many strokes it has
export const LINE_MS = 300;
const PAUSE_MS = 300; // after a play, before the answer that came meanwhile is seen
const MAX_ANIMATED = 3; // plays that are shown one after the other; more of them are there at once

/** Whether things may move as this view is shown.
 *  @param {BoardView} view */
export const isMoving = ({ motion }) => motion ?? mayMove();

/** The places that were taken since `before`, in the order of play; none if that was too much to be
 *  seen happening, or something else happened.
 *  @param {(number | null)[]} before whose stone was on each place
 *  @param {(number | null)[]} now
 *  @param {(place: number) => number} orderOf
 *  @returns {number[]} */
export function newPlaces(before, now, orderOf) {
  if (before.some((seat, place) => seat !== null && seat !== now[place])) return [];
  const places = [...now.keys()].filter((place) => before[place] === null && now[place] !== null);
  return places.length > MAX_ANIMATED ? [] : places.sort((a, b) => orderOf(a) - orderOf(b));
}

/** When an action was played, as a number that grows.
 *  @param {BoardView} view
 *  @param {string} action */
export const orderIn = ({ events }, action) => events.findLastIndex((event) => event.action === action);

/** When what comes next may begin: at once, or when what still moves in a drawing has come to rest for a moment.
 *  @param {Iterable<Element>} nodes */
export function restOf(nodes) {
  const left = [...nodes].flatMap((node) => node.getAnimations()).map(({ effect, currentTime }) => Number(effect?.getComputedTiming().endTime ?? 0) - Number(currentTime ?? 0));
  return left.length ? Math.max(0, ...left) + PAUSE_MS : 0;
}

/** Let a stone fall into its place, from above the board.
 *  @param {SVGElement} stone
 *  @param {number} rows that it falls
 *  @param {number} height of a row, in units of the drawing
 *  @param {number} delay */
export function fall(stone, rows, height, delay) {
  const [down, duration] = [rows * ROW_MS, rows * ROW_MS + BOUNCE_MS];
  const at = (/** @type {number} */ row) => `translateY(${-row * height}px)`;
  stone.animate([
    { transform: at(rows), easing: "cubic-bezier(.5, .08, .8, .6)" },
    { transform: at(0), offset: down / duration, easing: "ease-out" },
    { transform: at(BOUNCE), offset: (down + BOUNCE_MS / 2) / duration, easing: "ease-in" },
    { transform: at(0) },
  ], { duration, delay, fill: "backwards" });
  return delay + duration;
}

/** Draw strokes one after the other; each has the attribute pathLength="1".
 *  @param {SVGElement[]} strokes
 *  @param {number} duration of all together
 *  @param {number} delay */
export function draw(strokes, duration, delay) {
  const each = duration / strokes.length;
  strokes.forEach((stroke, index) => stroke.animate([
    { strokeDasharray: "1 2", strokeDashoffset: 1, opacity: 0 },
    { strokeDasharray: "1 2", strokeDashoffset: 0.97, opacity: 1, offset: 0.03 },
    { strokeDasharray: "1 2", strokeDashoffset: 0, opacity: 1 },
  ], { duration: each, delay: delay + index * each, fill: "backwards", easing: "ease-out" }));
  return delay + duration;
}

/** Let something appear.
 *  @param {SVGElement} node
 *  @param {number} delay */
export function appear(node, delay) {
  node.animate([{ opacity: 0 }, { opacity: 1 }], { duration: STROKE_MS, delay, fill: "backwards" });
}
