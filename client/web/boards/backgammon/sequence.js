/* What has happened between two views of a match of backgammon, as scenes that are seen one after the other. */

/** @import { BoardView } from "../board.js" */
/** @import { Scene } from "./motion.js" */
/** @import { Stage } from "./stage.js" */
/** @import { BoardState } from "./turn.js" */

import { FAR, NEAR } from "./layout.js";
import { afterAction, boardOf, isSame, parseAction, parsePosition, turned } from "./turn.js";
import { isSamePosition, newsSince, PASS } from "./views.js";

/** The scenes from one view to the next; none if nothing is new, null if the board is to be shown as it is.
 *  Of several turns only the last one is seen.
 *  @param {Stage} stage
 *  @param {BoardView} before
 *  @param {BoardView} view
 *  @param {BoardState | null} built what the viewer has already made of the board
 *  @param {number} [each] checkers of a side
 *  @returns {Scene[] | null} */
export function scenesBetween(stage, before, view, built, each) {
  const news = newsSince(before, view);
  if (news.length === 0) return isSamePosition(before, view) ? [] : null;
  const me = view.seat ?? 0;
  const shownIn = (/** @type {BoardView} */ { position }) => boardOf(parsePosition(position, each), me);
  let board = shownIn(before);
  /** @type {Scene[]} */
  let scenes = [stage.boardScene(board)];
  let moved = 0;
  /** @type {Scene[]} */
  let rolled = []; // by which the next turn is played
  for (const { seat, roll, action } of news) {
    const side = seat === me ? NEAR : FAR;
    if (roll !== null) {
      rolled = [stage.rollScene(side, roll)];
      scenes.push(...rolled);
    } else if (action === PASS) {
      scenes.push(stage.passScene(side));
    } else {
      const after = afterTurn(board, side, action);
      const isBuilt = side === NEAR && built !== null && isSame(built, after);
      if (!isBuilt && moved++ > 0) scenes = [stage.boardScene(board), ...rolled];
      if (isBuilt) scenes.push(stage.boardScene(after));
      else scenes.push(...stage.turnScenes(side, parseAction(action)));
      [board, rolled] = [after, []];
    }
  }
  if (isSame(board, shownIn(view))) return scenes;
  const roll = news.at(-1)?.roll ?? null; // of the next match, say: its board is there at once
  return roll === null ? null : [stage.boardScene(shownIn(view)), stage.rollScene(view.toMove === me ? NEAR : FAR, roll)];
}

/** @param {BoardState} board as the near side sees it
 *  @param {number} side that moves
 *  @param {string} action */
function afterTurn(board, side, action) {
  if (side === NEAR) return afterAction(board, action);
  return turned(afterAction(turned(board), action));
}
