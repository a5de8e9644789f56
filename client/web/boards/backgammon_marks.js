/* Turns that are pointed out on a backgammon board, as arrows.  No DOM in here. */

import * as at from "./backgammon_layout.js";
import { OFF, parseAction } from "./backgammon_turn.js";

const POINT = "(?:[1-9]|1\\d|2[0-4])";
const MOVE = new RegExp(`^(?:bar|${POINT})(?:/${POINT}\\*?)*(?:/off|/${POINT}\\*?)(?:\\([2-4]\\))?$`);

/* The arrows of a view's `marks`: [{kind, places}], `places` being the middles of where a checker
   goes, through hits on its way.  `checkers` are those of who is to move, on a side of the board.
   A move that is in the best turn, too, is drawn as that.  What a bot calls the best may be no turn
   at all: then there is nothing to draw. */
export function arrowsOf(marks, checkers, side) {
  const actionOf = (kind) => marks.find((mark) => mark.kind === kind && isTurn(mark.action))?.action ?? "pass";
  const best = waysOf(actionOf("best"), checkers, side);
  const rest = best.map(({ name }) => name);
  const played = waysOf(actionOf("played"), checkers, side).filter(({ name }) => {
    const shared = rest.indexOf(name);
    if (shared >= 0) rest.splice(shared, 1);
    return shared < 0;
  });
  return [...best.map(({ places }) => ({ kind: "best", places })), ...played.map(({ places }) => ({ kind: "played", places }))];
}

const isTurn = (action) => action.split(" ").every((part) => MOVE.test(part));

/* Where each checker of a turn goes, from the top of one stack to the top of the next. */
function waysOf(action, checkers, side) {
  const counts = [...checkers];
  return parseAction(action).map(({ path }) => {
    const [from, to] = [path[0], path.at(-1)];
    const start = at.spot(side, from, Math.max(0, --counts[from]));
    const between = path.slice(1, -1).map((point) => at.spot(side, point, counts[point]));
    const end = at.spot(side, to, counts[to]++);
    return { name: path.join("/"), places: [start, ...between, to === OFF ? { ...end, x: at.tray.x + 10 } : end] };
  });
}
