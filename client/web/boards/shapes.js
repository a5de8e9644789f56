/* Shapes that several boards share, and how positions that look like a FEN are read. */

/** @import { Mark } from "./board.js" */

import { svg } from "../page/dom.js";

/** A drawing of width x height units that fills its place; what is on it is said elsewhere: only eyes
 *  find it.
 *  @param {number} width
 *  @param {number} height
 *  @param {string} kind its class
 *  @param {Node[]} children */
export function stillDrawing(width, height, kind, ...children) {
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, class: kind, "aria-hidden": "true", focusable: "false" }, ...children);
}

/** Show which of a view's marks are for an action, on an element with a child of class "aim".
 *  @param {SVGElement} node
 *  @param {Mark[]} marks
 *  @param {string} action */
export function setMarks(node, marks, action) {
  for (const kind of ["best", "played", "plan"]) {
    node.classList.toggle(kind, marks.some((mark) => mark.action === action && mark.kind === kind));
  }
}

/** The seat that is to move in a position such as "3/1x1/3 o".
 *  @param {string} position */
export const moverOf = (position) => (position.split(" ")[1] === "o" ? 1 : 0);

/** A row of a position such as "2xo1": the seat of each cell, or null.
 *  @param {string} row
 *  @returns {(number | null)[]} */
export function seatsOf(row) {
  const cells = row.replace(/\d+/g, (gap) => ".".repeat(Number(gap)));
  return [...cells].map((cell) => (cell === "x" ? 0 : cell === "o" ? 1 : null));
}
