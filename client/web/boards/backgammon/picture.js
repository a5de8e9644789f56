/* A position of backgammon as a small still picture. */

import { svg } from "../../page/dom.js";
import { checkers, ground } from "./drawing.js";
import { Layout } from "./layout.js";
import { boardOf, parsePosition } from "./turn.js";

/** Seen by seat 0.
 *  @param {string} position
 *  @param {number} [each] checkers of a side
 *  @returns {SVGElement} */
export function picture(position, each) {
  const layout = new Layout({ flipped: false, numbers: false, box: { width: 0, height: 0 } });
  const board = boardOf(parsePosition(position, each), 0);
  const shapes = checkers(layout, board, 0, { movable: new Set(), held: null, last: null });
  return svg("svg", { class: "backgammon still", viewBox: layout.viewBox, "aria-hidden": true }, ...ground(layout), ...shapes);
}
