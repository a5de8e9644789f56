/* The drawing of a doubling cube, and of what lies in its place where doubling is off. */

/** @import { Spot } from "../backgammon/layout.js" */
/** @import { Facts } from "./position.js" */

import { svg } from "../../page/dom.js";
import { words } from "../../texts/words.js";
import { CUBE } from "../backgammon/layout.js";

const SIGN = 108; // the length of the sign of the Crawford game

/** A cube around the point 0, 0.
 *  @param {number} value */
export function cubeShape(value) {
  const body = svg("rect", { class: "cube-body", x: -CUBE / 2, y: -CUBE / 2, width: CUBE, height: CUBE, rx: 9 });
  return svg("g", { class: "doubling-cube", "data-value": value }, body,
    svg("text", { class: `value digits-${String(value).length}`, "dominant-baseline": "central" }, String(value)));
}

/** The sign that doubling is off in this game, along the column or the bar. */
export function crawfordSign() {
  return svg("g", { class: "crawford-sign" },
    svg("rect", { class: "sign", x: -16, y: -SIGN / 2, width: 32, height: SIGN, rx: 7 }),
    svg("text", { transform: "rotate(-90)", "dominant-baseline": "central" }, words.boards.cube.crawfordSign));
}

/** What is drawn for the cube of a position; none where the game is played without one, or it is being offered.
 *  @param {Facts} facts
 *  @param {boolean} over
 *  @returns {SVGGElement | null} */
export function shapeOf({ isOff, isCrawford, offer, cube }, over) {
  if (isCrawford) return crawfordSign();
  return isOff || (offer !== null && !over) ? null : cubeShape(cube);
}

/** Put a shape where it lies.
 *  @param {SVGElement} shape
 *  @param {Spot} spot */
export const lay = (shape, { x, y }) => { shape.style.transform = `translate(${x}px, ${y}px)`; };
