/* Where things are on a backgammon board, in the units of its drawing.

       13 14 15 16 17 18 | bar | 19 20 21 22 23 24 | far tray
                         |     |                   |
       far dice     undo |     | near dice    done | pips
                         |     |                   |
       12 11 10  9  8  7 | bar |  6  5  4  3  2  1 | near tray

   The numbers are the viewer's.  Side NEAR is the viewer (seat 0 for a spectator), side FAR
   the other one; a side's points are its own numbers, as everywhere. */

/** @typedef {{x: number, y: number}} Spot */

import { BAR, OFF } from "./turn.js";

export const NEAR = 0;
export const FAR = 1;

export const POINT = 52; // the width of a point, of the bar and of a tray
export const RADIUS = 24;
export const STACK = 5; // checkers that are drawn one after the other; then comes a number
const STEP = 2 * RADIUS + 1;
const EDGE = 14;
const RIM = 32; // above and below, where the numbers stand
export const HALF = 5 * STEP + 13; // the height of the upper and of the lower half
const BAND = 92; // between them: dice and buttons
const SIX = 6 * POINT;

export const left = { x: EDGE, width: SIX };
export const bar = { x: EDGE + SIX, width: POINT };
export const right = { x: EDGE + SIX + POINT, width: SIX };
export const tray = { x: right.x + SIX + 10, width: POINT };
export const width = tray.x + POINT + EDGE;
export const top = { y: RIM, height: HALF };
const band = { y: RIM + HALF, height: BAND };
export const bottom = { y: RIM + HALF + BAND, height: HALF };
export const height = bottom.y + HALF + RIM;
export const middle = band.y + BAND / 2;

export const doneButton = { x: right.x + SIX - 112, width: 106 };
export const undoButton = { x: left.x + SIX - 142, width: 78 };
export const undoAllButton = { x: left.x + SIX - 58, width: 52 };

export const SLAB = 14; // a checker that is borne off, seen from its side

/** Whether one of the viewer's points is in the upper half.
 *  @param {number} point */
export function isUpper(point) {
  return point > 12;
}

/** The middle of one of the viewer's points 1 to 24, from left to right.
 *  @param {number} point */
export function pointX(point) {
  const column = isUpper(point) ? point - 13 : 12 - point;
  return (column < 6 ? left.x : right.x) + ((column % 6) + 0.5) * POINT;
}

/** A point of one side as the viewer counts it.  Not for the bar, nor for what is borne off.
 *  @param {number} side
 *  @param {number} point */
function viewerPoint(side, point) {
  return side === NEAR ? point : BAR - point;
}

/** The middle of the checker that is the `index`-th, from 0, on a side's point.
 *  @param {number} side
 *  @param {number} point
 *  @param {number} index
 *  @returns {Spot} */
export function spot(side, point, index) {
  const stacked = Math.min(index, STACK - 1);
  if (point === OFF) return { x: tray.x + POINT / 2, y: slabY(side, index) };
  if (point === BAR) {
    const away = 10 + RADIUS + stacked * STEP;
    const y = side === NEAR ? bottom.y + away : top.y + top.height - away;
    return { x: bar.x + POINT / 2, y };
  }
  const number = viewerPoint(side, point);
  const away = RADIUS + 1 + stacked * STEP;
  return { x: pointX(number), y: isUpper(number) ? top.y + away : height - RIM - away };
}

/** The middle of the `index`-th slab in a side's tray.
 *  @param {number} side
 *  @param {number} index */
export function slabY(side, index) {
  const away = 4 + (index + 0.5) * (SLAB + 1);
  return side === NEAR ? height - RIM - away : top.y + away;
}

/** What is clicked for one of the viewer's points, for the own bar (25) or the own tray (0).
 *  @param {number} point */
export function zone(point) {
  if (point === BAR) return { ...bar, ...bottom };
  if (point === OFF) return { ...tray, ...bottom };
  return { x: pointX(point) - POINT / 2, width: POINT, ...(isUpper(point) ? top : bottom) };
}
