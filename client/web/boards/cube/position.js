/* What a position says beside the checkers: the cube, whose it is, what is offered, the score.  No DOM. */

/** @import { BoardView } from "../board.js" */
/** @import { words } from "../../texts/words.js" */
/** @typedef {keyof typeof words.boards.cube.actions} Verb */

const HYPERGAMMON = "3"; // checkers of a side in Hypergammon, as the eleventh field says
const OFFERS = "DBR"; // a double, a beaver, a raccoon
const VERBS = new Set(["roll", "double", "take", "drop", "beaver", "raccoon"]);

/** @param {string} action
 *  @returns {action is Verb} */
export const isVerb = (action) => VERBS.has(action);

/** What may be decided about the cube in a view.
 *  @param {BoardView | null} view
 *  @returns {Verb[]} */
export const verbsOf = (view) => (view?.legal ?? []).filter(isVerb);

/** What is offered: `verb` D, B or R; whose offer it is and who answers; what the cube would show; `cost`: what a
 *  drop loses, in points.
 *  @typedef {{verb: string, by: number, asked: number, value: number, cost: number}} Offered */
/** `owner`: the seat that owns the cube, null in the middle; `heir`: the seat that would own it after a take;
 *  `score` before this game, null where it is for money; `each`: checkers of a side where not fifteen.
 *  @typedef {{cube: number, owner: number | null, heir: number, offer: Offered | null, score: [number, number] | null,
 *    points: number, isCrawford: boolean, isOff: boolean, each: number | undefined}} Facts */

/** What an XGID says beside the checkers.
 *  @param {string} position
 *  @returns {Facts} */
export function factsOf(position) {
  const [, power, owner, sign, dice, x, o, rule, length, largest, few] = position.replace(/^XGID=/, "").split(":");
  const [cube, turn, isMatch] = [2 ** Number(power), sign === "-1" ? 1 : 0, length !== "0"];
  const raises = dice.length === 1 ? OFFERS.indexOf(dice) + 1 : 0;
  const by = dice === "B" ? 1 - turn : turn;
  return {
    cube,
    owner: { 1: 0, "-1": 1 }[owner] ?? null,
    heir: 1 - turn,
    offer: raises > 0 ? { verb: dice, by, asked: 1 - by, value: cube * 2 ** raises, cost: cube * 2 ** (raises - 1) } : null,
    score: isMatch ? [Number(x), Number(o)] : null,
    points: Number(length),
    isCrawford: isMatch && rule === "1",
    isOff: largest === "0",
    each: few === HYPERGAMMON ? 3 : undefined,
  };
}

/** A view without what is about the cube, for a board that knows none.
 *  @param {BoardView} view
 *  @returns {BoardView} */
export function withoutCube(view) {
  return {
    ...view,
    legal: verbsOf(view).length > 0 ? null : view.legal,
    last: view.last !== null && isVerb(view.last.action) ? null : view.last,
    events: view.events.filter(({ kind, action }) => kind !== "play" || !isVerb(action ?? "")),
    marks: view.marks.filter(({ action }) => !isVerb(action)),
  };
}
