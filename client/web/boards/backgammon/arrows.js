/* Turns that are pointed out on a backgammon board, as arrows.  No DOM in here. */

/** @import { Mark } from "../board.js" */
/** @import { Layout, Spot } from "./layout.js" */
/** @import { Path, Step } from "./turn.js" */
/** An arrow goes from spot to spot, through hits on its way.
 *  @typedef {{kind: Mark["kind"], spots: Spot[]}} Arrow */

import { OFF, parseAction } from "./turn.js";

const POINT = "(?:[1-9]|1\\d|2[0-4])";
const MOVE = new RegExp(`^(?:bar|${POINT})(?:/${POINT}\\*?)*(?:/off|/${POINT}\\*?)(?:\\([2-4]\\))?$`);

/** The arrows of a view's marks; `checkers` are those of the side to move, on a side of the board, when
 *  its `steps` have been made: what they have done is pointed out no more.  A move of both turns is drawn
 *  as part of the best.  What a bot calls the best may be no turn at all: then there is nothing to draw.
 *  @param {Mark[]} marks
 *  @param {Uint8Array} checkers
 *  @param {number} side
 *  @param {Layout} layout
 *  @param {Step[]} steps */
export function arrowsOf(marks, checkers, side, layout, steps = []) {
  const waysOf = (/** @type {Mark["kind"]} */ kind) => {
    const action = marks.find((mark) => mark.kind === kind && isTurn(mark.action))?.action ?? "pass";
    return waysOn(layout, left(parseAction(action), steps), checkers, side);
  };
  const best = waysOf("best");
  const unshared = best.map(({ name }) => name);
  const played = waysOf("played").filter(({ name }) => {
    const index = unshared.indexOf(name);
    if (index >= 0) unshared.splice(index, 1);
    return index < 0;
  });
  return [
    ...best.map(({ spots }) => /** @type {Arrow} */ ({ kind: "best", spots })),
    ...played.map(({ spots }) => /** @type {Arrow} */ ({ kind: "played", spots })),
  ];
}

/** What is left of paths when some steps have been made, whether or not they belong to them.
 *  @param {Path[]} paths
 *  @param {Step[]} steps
 *  @returns {Path[]} */
function left(paths, steps) {
  const rest = paths.map((path) => [...path]);
  for (const { from, to } of steps) {
    const path = rest.find((each) => each[0] === from && each[each.length - 1] <= to);
    if (path === undefined) continue;
    while (path.length > 0 && path[0] >= to) path.shift();
    if (path.length > 0) path.unshift(to);
  }
  return rest.filter((path) => path.length > 1);
}

/** @param {string} action */
const isTurn = (action) => action.split(" ").every((part) => MOVE.test(part));

/** Where each checker goes, from the top of one stack to the top of the next.
 *  @param {Layout} layout
 *  @param {Path[]} paths
 *  @param {Uint8Array} checkers
 *  @param {number} side */
function waysOn(layout, paths, checkers, side) {
  const counts = [...checkers];
  return paths.map((path) => {
    const [from, to] = [path[0], path[path.length - 1]];
    const start = layout.spot(side, from, Math.max(0, --counts[from]));
    const between = path.slice(1, -1).map((point) => layout.spot(side, point, counts[point]));
    const end = layout.spot(side, to, counts[to]++);
    return { name: path.join("/"), spots: [start, ...between, to === OFF ? { ...end, x: layout.tray.x + 10 } : end] };
  });
}
