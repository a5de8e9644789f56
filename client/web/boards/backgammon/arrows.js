/* Turns that are pointed out on a backgammon board, as arrows.  No DOM in here. */

/** @import { Mark } from "../board.js" */
/** @import { Spot } from "./layout.js" */
/** An arrow goes from spot to spot, through hits on its way.
 *  @typedef {{kind: Mark["kind"], spots: Spot[]}} Arrow */

import * as at from "./layout.js";
import { OFF, parseAction } from "./turn.js";

const POINT = "(?:[1-9]|1\\d|2[0-4])";
const MOVE = new RegExp(`^(?:bar|${POINT})(?:/${POINT}\\*?)*(?:/off|/${POINT}\\*?)(?:\\([2-4]\\))?$`);

/** The arrows of a view's marks; `checkers` are those of the side to move, on a side of the board.  A move
 *  of both turns is drawn as part of the best.  What a bot calls the best may be no turn at all: then
 *  there is nothing to draw.
 *  @param {Mark[]} marks
 *  @param {Uint8Array} checkers
 *  @param {number} side
 *  @returns {Arrow[]} */
export function arrowsOf(marks, checkers, side) {
  const actionOf = (/** @type {Mark["kind"]} */ kind) =>
    marks.find((mark) => mark.kind === kind && isTurn(mark.action))?.action ?? "pass";
  const best = waysOf(actionOf("best"), checkers, side);
  const unshared = best.map(({ name }) => name);
  const played = waysOf(actionOf("played"), checkers, side).filter(({ name }) => {
    const index = unshared.indexOf(name);
    if (index >= 0) unshared.splice(index, 1);
    return index < 0;
  });
  return [
    ...best.map(({ spots }) => /** @type {Arrow} */ ({ kind: "best", spots })),
    ...played.map(({ spots }) => /** @type {Arrow} */ ({ kind: "played", spots })),
  ];
}

/** @param {string} action */
const isTurn = (action) => action.split(" ").every((part) => MOVE.test(part));

/** Where each checker of a turn goes, from the top of one stack to the top of the next.
 *  @param {string} action
 *  @param {Uint8Array} checkers
 *  @param {number} side */
function waysOf(action, checkers, side) {
  const counts = [...checkers];
  return parseAction(action).map((path) => {
    const [from, to] = [path[0], path[path.length - 1]];
    const start = at.spot(side, from, Math.max(0, --counts[from]));
    const between = path.slice(1, -1).map((point) => at.spot(side, point, counts[point]));
    const end = at.spot(side, to, counts[to]++);
    return { name: path.join("/"), spots: [start, ...between, to === OFF ? { ...end, x: at.tray.x + 10 } : end] };
  });
}
