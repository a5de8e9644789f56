/* Backgammon in words: what each cell is, the whole position, a turn, and how a game was won.  It draws nothing.

   Points have the viewer's numbers (for a spectator seat 0's), but in a turn they are the mover's. */

/** @import { BoardView } from "../board.js" */
/** @import { Cell } from "./cells.js" */
/** @import { BoardState, Checkers, Turn } from "./turn.js" */
/** `board` as the near side `seat` sees it; `dice` that were rolled, of the near and the far side; `open`: the
 *  turn that can be gone on with; `held`: the point whose checker is picked up.
 *  @typedef {{view: BoardView, seat: number, board: BoardState, dice: [number[], number[]], open: Turn | null,
 *    held: number | null}} Scenery */

import { words } from "../../texts/words.js";
import * as cells from "./cells.js";
import { NEAR } from "./layout.js";
import { PASS, turnsIn } from "./views.js";
import { BAR, boardOf, checkersOf, firstStep, OFF, parsePosition, pips, routes } from "./turn.js";

const text = words.boards.backgammon;

/** A point as a turn calls it.
 *  @param {number} point */
function placeOf(point) {
  if (point === BAR) return text.theBar;
  return point === OFF ? text.off : String(point);
}

/** What a seat is called, whatever direction its letters run in; null: it is the viewer's.
 *  @param {BoardView} view
 *  @param {number} seat */
function ownerOf({ seat: me, names }, seat) {
  if (seat === me) return null;
  if (names !== undefined) return `\u2068${names[seat]}\u2069`;
  return me === null ? [text.light, text.dark][seat] : text.opponent;
}

/** Where a checker can go, the farthest from home first.
 *  @param {Map<number, unknown>} ways */
const targetsOf = (ways) => [...ways.keys()].sort((a, b) => b - a).map(placeOf);

/** What stands on each cell, and what pressing it does.
 *  @param {Scenery} scenery
 *  @returns {Map<string, Cell>} */
export function cellsOf(scenery) {
  const { view, seat, board, open, held } = scenery;
  const [near, far] = checkersOf(board, NEAR);
  const [me, other] = [ownerOf(view, seat), ownerOf(view, 1 - seat)];
  const ways = open === null || held === null ? new Map() : routes(open, held);
  /** @type {Map<string, Cell>} */
  const all = new Map();
  for (let point = OFF; point <= BAR; point += 1) {
    const isFar = point !== OFF && point !== BAR && far[BAR - point] > 0;
    const count = isFar ? far[BAR - point] : near[point];
    const what = placeText(point, count, isFar ? other : me, near);
    all.set(String(point), pointCell(scenery, point, what, ways));
  }
  const farOnes = { owner: other, pips: pips(far) };
  all.set(cells.FAR_BAR, { label: text.bar({ count: far[BAR], owner: other }), disabled: true });
  all.set(cells.FAR_TRAY, { label: text.tray({ count: far[OFF], ...farOnes }), disabled: true });
  for (const [key, cell] of diceCells(scenery, me, other)) all.set(key, cell);
  if (open !== null) for (const [key, cell] of buttonsOf(open, view)) all.set(key, cell);
  return all;
}

/** @param {number} point
 *  @param {number} count
 *  @param {string | null} owner
 *  @param {Checkers} near */
function placeText(point, count, owner, near) {
  if (point === BAR) return text.bar({ count, owner });
  return point === OFF ? text.tray({ count, owner, pips: pips(near) }) : text.point({ point, count, owner });
}

/** One of the viewer's points, bar or tray.
 *  @param {Scenery} scenery
 *  @param {number} point
 *  @param {string} what stands there
 *  @param {Map<number, {isHit: boolean}[]>} ways
 *  @returns {Cell} */
function pointCell({ open, held }, point, what, ways) {
  const way = ways.get(point);
  if (held === point) {
    return { label: text.held({ what, targets: targetsOf(ways) }), disabled: false, mark: "movable", selected: true };
  }
  if (way !== undefined && held !== null) {
    const isHit = way.some((step) => step.isHit);
    return { label: text.target({ what, from: placeOf(held), isHit }), disabled: false, mark: "target" };
  }
  if (open === null || firstStep(open, point) === undefined) return { label: what, disabled: true };
  return { label: text.movable({ what, targets: targetsOf(routes(open, point)) }), disabled: false, mark: "movable" };
}

/** @param {Scenery} scenery
 *  @param {string | null} me
 *  @param {string | null} other
 *  @returns {[string, Cell][]} */
function diceCells({ open, dice }, me, other) {
  const canSwap = open !== null && new Set(open.left).size > 1;
  const what = text.dice({ owner: me, dice: dice[0], left: open?.steps.length ? open.left : [] });
  const own = canSwap ? text.swappable({ what, die: open.left[1] }) : what;
  return [
    [cells.DICE, { label: own, disabled: !canSwap, kind: "dice-button" }],
    [cells.FAR_DICE, { label: text.dice({ owner: other, dice: dice[1], left: [] }), disabled: true }],
  ];
}

/** @param {Turn} turn
 *  @param {BoardView} view
 *  @returns {[string, Cell][]} */
function buttonsOf(turn, { legal }) {
  /** @type {[string, Cell][]} */
  const buttons = [];
  const add = (/** @type {string} */ key, /** @type {string} */ kind, /** @type {string} */ shown, label = shown) =>
    buttons.push([key, { label, text: shown, kind: `button ${kind}`, disabled: false }]);
  if (turn.action !== null) add(cells.DONE, "done", text.done);
  else if (legal?.length === 1) add(cells.DONE, "done forced", text.forced);
  if (turn.before !== null) add(cells.UNDO, "undo", text.undo);
  if (turn.before?.before) add(cells.UNDO_ALL, "undo", text.all, text.undoAll);
  return buttons;
}

/** What the viewer has just done with the turn, for a reader who does not see it.
 *  @param {Turn} turn
 *  @param {{from: number, to: number, isHit: boolean}[]} steps none: they were taken back
 *  @returns {string} */
export function progressText(turn, steps) {
  const left = turn.steps.length > 0 ? turn.left : [];
  if (steps.length === 0) return text.leftToPlay({ left });
  const points = [steps[0].from, ...steps.map(({ to }) => to)].map(placeOf);
  return text.stepped({ move: text.move({ points, hits: [false, ...steps.map(({ isHit }) => isHit)], times: 1 }), left });
}

/** A turn in words, without whose it is: "13 to 9, 8 to 7, hitting".
 *  @param {string} action */
export function say(action) {
  if (action === PASS) return text.pass;
  if (/^[1-6]{2}$/.test(action)) return text.roll({ dice: [...action].map(Number) });
  return text.moves(action.split(" ").map((part) => {
    const [path, times = "1"] = part.split(/[()]/);
    const names = path.split("/");
    const points = names.map((name) => name.replace("*", "")).map((name) => (name === "bar" ? text.theBar : name === "off" ? text.off : name));
    return text.move({ points, hits: names.map((name) => name.endsWith("*")), times: Number(times) });
  }));
}

/** How a game was won, in words.
 *  @param {string} reason */
export const why = (reason) =>
  (Object.hasOwn(text.reasons, reason) ? text.reasons[/** @type {keyof typeof text.reasons} */ (reason)] : reason);

/** The whole position in a few sentences.
 *  @param {BoardView} view
 *  @param {number} [each] checkers of a side */
export function read(view, each) {
  const seat = view.seat ?? 0;
  const position = parsePosition(view.position, each);
  const sides = checkersOf(boardOf(position, seat), NEAR);
  const [me, other] = [ownerOf(view, seat), ownerOf(view, 1 - seat)];
  const side = (/** @type {number} */ index, /** @type {string | null} */ owner) => {
    const counts = sides[index];
    const points = [];
    for (let point = BAR - 1; point > OFF; point -= 1) {
      const number = index === NEAR ? point : BAR - point;
      if (counts[number] > 0) points.push({ point, count: counts[number] });
    }
    return text.side({ owner, points, bar: counts[BAR], off: counts[OFF], pips: pips(counts) });
  };
  const turn = view.over || view.toMove < 0 ? null : text.toPlay({ owner: ownerOf(view, view.toMove), dice: position.dice });
  const passed = turnsIn(view).at(-1);
  const said = passed?.action === PASS ? text.passed({ owner: ownerOf(view, passed.seat), dice: passed.dice }) : null;
  const colours = text.colours({ me, other, isDark: seat === 1 });
  return [colours, said, turn, side(0, me), side(1, other)].filter((sentence) => sentence !== null).join(" ");
}
