/* Where things are on a backgammon board, in the units of its drawing.

            13 14 15 16 17 18 | bar | 19 20 21 22 23 24 | far tray
     (cube)                   |     |                   |
            far dice     undo |     | near dice    done | pips
                              |     |                   |
            12 11 10  9  8  7 | bar |  6  5  4  3  2  1 | near tray

   The numbers are the viewer's.  Side NEAR is the viewer (seat 0 for a spectator), side FAR the other
   one; a side's points are its own numbers, as everywhere.  Flipped, top and bottom change places.

   The board takes the shape of its box: in a wide one there is a column on the left, where a doubling cube
   can lie (elsewhere the bar is free for it); in a tall one the points are longer and the band between them
   higher. */

/** @typedef {{x: number, y: number}} Spot */
/** @typedef {{x: number, y: number, width: number, height: number}} Area */
/** `numbers`: whether there is room for them; `box`: what the board has to fit into, in pixels; `column`: there is to
 *  be one on the left wherever the box is wide enough, also if it is not wide for its height.
 *  @typedef {{flipped: boolean, numbers: boolean, box: {width: number, height: number}, column?: boolean}} Shape */

import { BAR, OFF } from "./turn.js";

export const NEAR = 0;
export const FAR = 1;

export const POINT = 52; // the width of a point, of the bar and of a tray
export const RADIUS = 24;
export const STACK = 5; // checkers that are drawn one after the other; then comes a number
export const SLAB = 14; // a checker that is borne off, seen from its side
const STEP = 2 * RADIUS + 1;
const EDGE = 8;
const HALF = STACK * STEP + 13; // the height of the upper and of the lower half, at least
const BAND = 104; // between them: dice and buttons
const TALLER = 190; // how much higher than that a board in a tall box becomes, at most
const BAND_TALLER = 64; // of that the band
const SIX = 6 * POINT;
const COLUMN = POINT + EDGE;
export const CUBE = 46; // the side of a doubling cube
const WIDE_FROM = 600; // pixels; in a smaller box each is needed for the points
const FULL_TRAY = 15; // slabs that fit in at their whole size
const NARROW_DIE = 42; // of four
const SMALL_DIE = 34; // of four that have been played, beside the buttons

const left = { x: EDGE, width: SIX };
const bar = { x: EDGE + SIX, width: POINT };
const right = { x: EDGE + SIX + POINT, width: SIX };
const tray = { x: right.x + SIX + 6, width: POINT };
const WIDTH = tray.x + POINT + EDGE;

export class Layout {
  left = left;
  right = right;
  tray = tray;

  /** @param {Shape} shape */
  constructor({ flipped, numbers, box, column = false }) {
    const rim = numbers ? 32 : 10;
    const lowest = 2 * rim + 2 * HALF + BAND;
    const isWide = box.width >= WIDE_FROM;
    const usual = column && isWide ? WIDTH + COLUMN : WIDTH;
    const ratio = box.width > 0 && box.height > 0 ? box.width / box.height : usual / lowest;
    const taller = Math.round(Math.min(TALLER, Math.max(0, usual / ratio - lowest)));
    const band = BAND + Math.min(BAND_TALLER, Math.round(taller / 2));
    this.flipped = flipped;
    this.numbers = numbers;
    this.column = isWide && (column || ratio >= (WIDTH + COLUMN) / lowest) ? COLUMN : 0; // on the left
    this.width = WIDTH + this.column;
    this.height = lowest + taller;
    this.half = (this.height - 2 * rim - band) / 2;
    this.top = { y: rim, height: this.half };
    this.bottom = { y: this.height - rim - this.half, height: this.half };
    this.middle = this.height / 2;
    this.band = { y: rim + this.half, height: band };
    const button = { y: this.middle - (band - 36) / 2, height: band - 36 };
    this.doneButton = { x: right.x + SIX - 112, width: 108, ...button };
    this.undoButton = { x: left.x + SIX - 148, width: 82, ...button };
    this.undoAllButton = { x: left.x + SIX - 60, width: 56, ...button };
  }

  /** What an SVG's viewBox is called with. */
  get viewBox() {
    return `${-this.column} 0 ${this.width} ${this.height}`;
  }

  /** What tells it from others. */
  get name() {
    return `${this.viewBox} ${this.flipped} ${this.numbers}`;
  }

  /** The middle of a doubling cube: in the middle, or at the outer end of its owner's half.
   *  @param {number | null} side that owns it
   *  @returns {Spot} */
  cubeSpot(side) {
    const x = this.column > 0 ? -POINT / 2 : bar.x + POINT / 2;
    return { x, y: side === null ? this.middle : this.#from(this.halfOf(side), CUBE / 2 + 5) };
  }

  /** The half of the board in which a side's home is.
   *  @param {number} side */
  halfOf(side) {
    return (side === NEAR) === this.flipped ? this.top : this.bottom;
  }

  /** Whether one of the viewer's points is in the upper half.
   *  @param {number} point */
  isUpper(point) {
    return point > 12 !== this.flipped;
  }

  /** The middle of one of the viewer's points 1 to 24, from left to right.
   *  @param {number} point */
  pointX(point) {
    const column = point > 12 ? point - 13 : 12 - point;
    return (column < 6 ? left.x : right.x) + ((column % 6) + 0.5) * POINT;
  }

  /** The middle of the checker that is the `index`-th, from 0, on a side's point.
   *  @param {number} side
   *  @param {number} point
   *  @param {number} index
   *  @returns {Spot} */
  spot(side, point, index) {
    const stacked = Math.min(index, STACK - 1);
    if (point === OFF) return { x: tray.x + POINT / 2, y: this.slabY(side, index) };
    if (point === BAR) {
      const away = 10 + RADIUS + stacked * STEP;
      const half = this.halfOf(side);
      return { x: bar.x + POINT / 2, y: half === this.bottom ? half.y + away : half.y + half.height - away };
    }
    const number = side === NEAR ? point : BAR - point;
    const away = RADIUS + 1 + stacked * STEP;
    return { x: this.pointX(number), y: this.#from(this.isUpper(number) ? this.top : this.bottom, away) };
  }

  /** How high it is `away` from the outer edge of a half.
   *  @param {{y: number, height: number}} half
   *  @param {number} away */
  #from(half, away) {
    return half === this.top ? half.y + away : half.y + half.height - away;
  }

  /** The middle of the `index`-th slab in a side's tray; they move together where there are many.
   *  @param {number} side
   *  @param {number} index
   *  @param {number} count */
  slabY(side, index, count = FULL_TRAY) {
    const step = ((SLAB + 1) * FULL_TRAY) / Math.max(FULL_TRAY, count);
    return this.#from(this.halfOf(side), 4 + (index + 0.5) * step);
  }

  /** One of the viewer's points.
   *  @param {number} point
   *  @returns {Area} */
  pointArea(point) {
    return { x: this.pointX(point) - POINT / 2, width: POINT, ...(this.isUpper(point) ? this.top : this.bottom) };
  }

  /** @param {number} side
   *  @returns {Area} */
  barArea(side) {
    return { ...bar, ...this.halfOf(side) };
  }

  /** @param {number} side
   *  @returns {Area} */
  trayArea(side) {
    return { ...tray, ...this.halfOf(side) };
  }

  /** Where a side's dice lie, four of them at most.
   *  @param {number} side
   *  @returns {Area} */
  diceArea(side) {
    const x = side === NEAR ? right.x : left.x;
    return { x, width: side === NEAR ? 200 : 158, ...this.band };
  }

  /** The size of one of a side's dice, and the corner where it lies.
   *  @param {number} side
   *  @param {number} index
   *  @param {number} count of the dice */
  die(side, index, count) {
    const size = count <= 2 ? 52 : side === NEAR ? NARROW_DIE : SMALL_DIE;
    const gap = count <= 2 ? 16 : 5;
    return { size, x: this.diceArea(side).x + 8 + index * (size + gap), y: this.middle - size / 2 };
  }
}
