/* A turn of backgammon, or a part of it, as somebody types it: "13/9 8/7", "8/5*", "bar/22", "24/18*\/13".

   Read as games/backgammon/turns.py reads it: moves in any order, apart or joined, with spaces or commas
   between them; capitals; `b` or `25` for the bar, `o` or `0` for off; `8/7(2)`; stars may be left out;
   the dice may stand in front.  Where a run can go two ways, what is not written is not hit.  No DOM. */

/** @import { Path, Step, Turn } from "./turn.js" */
/** One checker's way: it has come to `at`, and `next` is the index of the point that it makes for.
 *  @typedef {{points: Path, at: number, next: number}} Run */

import { BAR, OFF, take } from "./turn.js";

const POINT = "(?:bar|b|off|o|2[0-5]|1\\d|\\d)";
const MOVE = new RegExp(`^${POINT}(?:/${POINT}\\*?)+(?:\\([1-4]\\))?$`);
const BEGUN = new RegExp(`^(?:ba?|${POINT}(?:/${POINT}\\*?)*(?:/(?:ba?|of?)?|\\([1-4]?)?)$`);
const DICE = /^[1-6]-?[1-6] ?: ?/;
const MAX_LENGTH = 120; // characters: twice what the longest turn takes
const MAX_CHECKERS = 4; // checkers that one turn can move

/** @param {string} text */
const plain = (text) => text.toLowerCase().replace(DICE, "").replaceAll(",", " ").replaceAll(" (", "(").trim();

/** The steps that typed text means in a turn, as many as it says; null if it means none that are legal.
 *  @param {Turn} turn
 *  @param {string} text
 *  @returns {Step[] | null} */
export function stepsOf(turn, text) {
  const words = plain(text).split(/\s+/);
  if (text.length > MAX_LENGTH || !words.every((word) => MOVE.test(word))) return null;
  const moves = words.map(readMove);
  const runs = moves.flatMap(({ points, times }) =>
    Array.from({ length: times }, () => ({ points, at: points[0], next: 1 })));
  if (runs.length > MAX_CHECKERS || runs.some(({ points }) => points.some((to, index) => index > 0 && to >= points[index - 1]))) {
    return null;
  }
  const stars = new Set(moves.flatMap((move) => move.stars));
  /** @type {{steps: Step[], unwritten: number} | null} */
  let best = null;
  for (const steps of ways(turn, runs)) {
    const hits = new Set(steps.filter(({ isHit }) => isHit).map(({ to }) => to));
    const unwritten = [...hits].filter((point) => !stars.has(point)).length;
    if ([...stars].every((point) => hits.has(point)) && (best === null || unwritten < best.unwritten)) {
      best = { steps, unwritten };
    }
  }
  return best?.steps ?? null;
}

/** Whether more text could make a turn of this one.
 *  @param {string} text */
export function isBegun(text) {
  const words = plain(text).split(/\s+/);
  const last = words.pop() ?? "";
  if (text.length > MAX_LENGTH || !words.every((word) => MOVE.test(word))) return false;
  return last === "" || BEGUN.test(last) || MOVE.test(last);
}

/** @param {string} word */
function readMove(word) {
  const [path, times = "1"] = word.split(/[()]/);
  const names = path.split("/");
  const points = names.map((name) => placeOf(name.replace("*", "")));
  const stars = points.filter((_, index) => names[index].endsWith("*"));
  return { points, stars, times: Number(times) };
}

/** @param {string} name */
function placeOf(name) {
  if (name.startsWith("b")) return BAR;
  return name.startsWith("o") ? OFF : Number(name);
}

/** All orders of steps that bring each run to its end.
 *  @param {Turn} turn
 *  @param {Run[]} runs
 *  @returns {Generator<Step[]>} */
function* ways(turn, runs) {
  if (runs.length === 0) {
    yield [];
    return;
  }
  const seen = new Set();
  for (const run of runs) {
    const name = `${run.points.slice(run.next).join()} ${run.at}`;
    if (seen.has(name)) continue; // a checker that goes the same way
    seen.add(name);
    const target = run.points[run.next];
    for (const step of turn.steps.filter(({ from, to }) => from === run.at && to >= target)) {
      const others = runs.filter((each) => each !== run);
      const next = step.to === target ? run.next + 1 : run.next;
      const left = next < run.points.length ? [{ ...run, at: step.to, next }, ...others] : others;
      for (const steps of ways(take(turn, step), left)) yield [step, ...steps];
    }
  }
}
