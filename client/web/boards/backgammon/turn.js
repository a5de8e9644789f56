/* One turn of backgammon while it is built up, step by step.  No DOM in here.

   The server lists whole turns; a person moves one checker at a time.  So each legal turn is played
   out to the board that it leads to, and a step is offered if some such board can still be reached.
   The rules that only show over a whole turn (both dice if possible, else the larger one) are
   therefore not written a second time; what stands here is how one checker may move.

   Points are the mover's own: 24 the farthest, 6 to 1 home, 25 the bar, 0 borne off.  Point p of
   one side is 25 - p of the other. */

/** How many checkers of one side stand on each of its own points: 26 counts.
 *  @typedef {Uint8Array} Checkers */
/** The mover's checkers, then the other side's: 52 counts.
 *  @typedef {Uint8Array} BoardState */
/** One checker by one die.
 *  @typedef {{from: number, to: number, die: number, isHit: boolean}} Step */
/** The points of one checker as notation has them, through hits on its way.
 *  @typedef {number[]} Path */
/** The whole turns by the board that they lead to, and which boards with which dice lead to one.
 *  @typedef {{results: Map<string, string>, reaches: Map<string, boolean>}} Goal */
/** `left`: the dice still to be played, the preferred one first; `steps`: what may be done now, by the
 *  preferred die first; `action`, once there is no step left: the turn as the server lists it;
 *  `before`: the turn one step ago, or null.
 *  @typedef {object} Turn
 *  @property {BoardState} board
 *  @property {number[]} left
 *  @property {Goal} goal
 *  @property {Step[]} steps
 *  @property {string | null} action
 *  @property {Turn | null} before
 *  @property {Step | null} step what made it of the turn before */

export const BAR = 25;
export const OFF = 0;
const ALL = 15; // checkers of a side, unless a variant has fewer
const HOME = 6;
const THEIRS = 26; // where the other side's half of a board begins

/** Read an XGID, whose capital letters are seat 0's: checkers by seat, and dice as [larger, smaller]
 *  or [].  What is not on the board of the checkers that `each` side has, has been borne off.
 *  @param {string} text
 *  @param {number} each */
export function parsePosition(text, each = ALL) {
  const [points, , , , dice] = text.replace(/^XGID=/, "").split(":");
  const checkers = [new Uint8Array(26), new Uint8Array(26)];
  [...points].forEach((letter, place) => {
    if (letter === "-") return;
    const seat = letter === letter.toUpperCase() ? 0 : 1;
    checkers[seat][seat === 0 ? place : BAR - place] = letter.toUpperCase().charCodeAt(0) - 64;
  });
  for (const side of checkers) side[OFF] = Math.max(0, each - side.reduce((sum, count) => sum + count, 0));
  const rolled = [...dice].map(Number).filter((die) => die > 0);
  return { checkers, dice: rolled.sort((a, b) => b - a) };
}

/** The board as `seat` plays on it.
 *  @param {{checkers: Checkers[]}} position
 *  @param {number} seat
 *  @returns {BoardState} */
export function boardOf({ checkers }, seat) {
  const board = new Uint8Array(2 * THEIRS);
  board.set(checkers[seat]);
  board.set(checkers[1 - seat], THEIRS);
  return board;
}

/** The two sides of a board, as `parsePosition` gives them.
 *  @param {BoardState} board
 *  @param {number} seat
 *  @returns {Checkers[]} */
export function checkersOf(board, seat) {
  const sides = [board.subarray(0, THEIRS), board.subarray(THEIRS)];
  return seat === 0 ? sides : sides.reverse();
}

/** How many pips one side has still to go.
 *  @param {Checkers} checkers
 *  @returns {number} */
export function pips(checkers) {
  return checkers.reduce((sum, count, point) => sum + count * point, 0);
}

/** "24/21*\/20 6/4(2)" -> its paths, one for each checker; "pass" -> none.
 *  @param {string} action
 *  @returns {Path[]} */
export function parseAction(action) {
  if (action === "pass") return [];
  return action.split(" ").flatMap((part) => {
    const [points, times = "1"] = part.split(/[()]/);
    const path = points.replaceAll("*", "").split("/").map(parsePoint);
    return Array(Number(times)).fill(path);
  });
}

/** @param {string} text */
function parsePoint(text) {
  if (text === "bar") return BAR;
  return text === "off" ? OFF : Number(text);
}

/** The board after a whole turn that is known to be legal.
 *  @param {BoardState} board
 *  @param {string} action */
export function afterAction(board, action) {
  const result = board.slice();
  for (const path of parseAction(action)) {
    path.slice(1).forEach((to, index) => shift(result, path[index], to));
  }
  return result;
}

/** Move a checker, in place.
 *  @param {BoardState} board
 *  @param {number} from
 *  @param {number} to */
export function shift(board, from, to) {
  board[from] -= 1;
  board[to] += 1;
  if (isHit(board, to)) {
    board[THEIRS + BAR - to] = 0;
    board[THEIRS + BAR] += 1;
  }
}

/** Whether a checker of the mover's that comes to a point hits one.
 *  @param {BoardState} board
 *  @param {number} to */
export function isHit(board, to) {
  return to > OFF && board[THEIRS + BAR - to] === 1;
}

/** @param {BoardState} board */
function farthest(board) {
  let point = BAR;
  while (point > 0 && board[point] === 0) point -= 1;
  return point;
}

/** Whether a checker may move by a die; `back` is the mover's farthest point.
 *  @param {BoardState} board
 *  @param {number} from
 *  @param {number} die
 *  @param {number} back */
function canMove(board, from, die, back) {
  const to = from - die;
  if (board[from] === 0 || (back === BAR && from !== BAR)) return false;
  if (to > OFF) return board[THEIRS + BAR - to] < 2;
  return back <= HOME && (to === OFF || from === back);
}

/** What each die could do by itself, in the order of the dice, from the farthest checker on.
 *  @param {BoardState} board
 *  @param {number[]} left */
function possible(board, left) {
  const back = farthest(board);
  const steps = [];
  for (const die of new Set(left)) {
    for (let from = back; from > 0; from -= 1) {
      if (!canMove(board, from, die, back)) continue;
      const to = Math.max(OFF, from - die);
      steps.push({ from, to, die, isHit: isHit(board, to) });
    }
  }
  return steps;
}

/** @param {number[]} left
 *  @param {number} die */
function without(left, die) {
  const index = left.indexOf(die);
  return [...left.slice(0, index), ...left.slice(index + 1)];
}

/** The board seen by the other side.
 *  @param {BoardState} board
 *  @returns {BoardState} */
export function turned(board) {
  const other = new Uint8Array(2 * THEIRS);
  other.set(board.subarray(THEIRS));
  other.set(board.subarray(0, THEIRS), THEIRS);
  return other;
}

/** Whether two boards hold the same.
 *  @param {BoardState} one
 *  @param {BoardState} other */
export const isSame = (one, other) => one.every((count, index) => count === other[index]);

/** @param {BoardState} board */
const keyOf = (board) => String.fromCharCode(...board);

/** What two dice give to play: four at a double.
 *  @param {number[]} dice */
export function diceToPlay(dice) {
  return dice.length === 2 && dice[0] === dice[1] ? [...dice, ...dice] : dice;
}

/** A turn of which nothing has been played: `dice` as rolled, `legal` the whole turns in notation.
 *  @param {BoardState} board
 *  @param {number[]} dice
 *  @param {string[]} legal */
export function begin(board, dice, legal) {
  const results = new Map(legal.map((action) => [keyOf(afterAction(board, action)), action]));
  return make(board, diceToPlay(dice), { results, reaches: new Map() }, null, null);
}

/** @param {BoardState} board
 *  @param {number[]} left
 *  @param {Goal} goal
 *  @param {Turn | null} before
 *  @param {Step | null} step
 *  @returns {Turn} */
function make(board, left, goal, before, step) {
  const steps = possible(board, left).filter((each) =>
    reaches(afterStep(board, each), without(left, each.die), goal));
  const action = steps.length === 0 ? (goal.results.get(keyOf(board)) ?? null) : null;
  return Object.freeze({ board, left, goal, steps, action, before, step });
}

/** @param {BoardState} board
 *  @param {Step} step */
function afterStep(board, step) {
  const result = board.slice();
  shift(result, step.from, step.to);
  return result;
}

/** Whether the dice that are left can lead from this board to one of the results.
 *  @param {BoardState} board
 *  @param {number[]} left
 *  @param {Goal} goal
 *  @returns {boolean} */
function reaches(board, left, goal) {
  const key = keyOf(board);
  if (goal.results.has(key)) return true;
  if (left.length === 0) return false;
  const name = key + left.join("");
  const cached = goal.reaches.get(name);
  if (cached !== undefined) return cached;
  const answer = possible(board, left).some((step) => reaches(afterStep(board, step), without(left, step.die), goal));
  goal.reaches.set(name, answer);
  return answer;
}

/** The turn after one of its `steps`.
 *  @param {Turn} turn
 *  @param {Step} step */
export function take(turn, step) {
  return make(afterStep(turn.board, step), without(turn.left, step.die), turn.goal, turn, step);
}

/** The turn without its last step; itself if there is none.
 *  @param {Turn} turn */
export function undo(turn) {
  return turn.before ?? turn;
}

/** The turn as it began.
 *  @param {Turn} turn
 *  @returns {Turn} */
export function undoAll(turn) {
  return turn.before === null ? turn : undoAll(turn.before);
}

/** What has been done of a turn, in order.
 *  @param {Turn} turn
 *  @returns {Step[]} */
export function stepsMade(turn) {
  return turn.before === null || turn.step === null ? [] : [...stepsMade(turn.before), turn.step];
}

/** The turn with the other die first.
 *  @param {Turn} turn */
export function swap(turn) {
  return make(turn.board, [...turn.left].reverse(), turn.goal, turn.before, turn.step);
}

/** What a click on a point does: the step by the first die that can move a checker from there.
 *  @param {Turn} turn
 *  @param {number} from */
export function firstStep(turn, from) {
  return turn.steps.find((step) => step.from === from);
}

/** Where one checker can go from a point, by one die or by several: by target, the steps.  Of two ways
 *  the shorter one counts, then the one by the preferred die.
 *  @param {Turn} turn
 *  @param {number} start
 *  @returns {Map<number, Step[]>} */
export function routes(turn, start) {
  /** @type {Map<number, Step[]>} */
  const shortest = new Map();
  /** @type {(now: Turn, from: number, way: Step[]) => void} */
  const walk = (now, from, way) => {
    for (const step of now.steps.filter((each) => each.from === from)) {
      const longer = [...way, step];
      const other = shortest.get(step.to);
      if (other === undefined || longer.length < other.length) shortest.set(step.to, longer);
      if (step.to !== OFF) walk(take(now, step), step.to, longer);
    }
  };
  walk(turn, start, []);
  return shortest;
}
