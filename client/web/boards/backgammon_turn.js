/* One turn of backgammon while it is built up, step by step.  No DOM in here.

   The server lists whole turns; a person moves one checker at a time.  So each legal turn is played
   out to the board that it leads to, and a step is offered if some such board can still be reached.
   The rules that only show over a whole turn (both dice if possible, else the larger one) are
   therefore not written a second time; what stands here is how one checker may move.

   Points are the mover's own: 24 the farthest, 6 to 1 home, 25 the bar, 0 borne off.  Point p of
   one side is 25 - p of the other.

       checkers   Uint8Array(26): how many of one side stand on each of its own points
       board      Uint8Array(52): the mover's checkers, then the other side's
       step       {from, to, die, hit}: one checker by one die
       move       {path: [from, ..., to]}: one checker as notation tells it, through hits on its way
       turn       {board, left, steps, action, before}: frozen; see `begin` */

export const BAR = 25;
export const OFF = 0;
const ALL = 15;
const HOME = 6;
const THEIRS = 26; // where the other side's half of a board begins

/* ---- positions */

/* An XGID -> {checkers: [seat 0's, seat 1's], dice: [larger, smaller] or []}.  The capital letters
   are seat 0's. */
export function parsePosition(text) {
  const [points, , , , dice] = text.replace(/^XGID=/, "").split(":");
  const checkers = [new Uint8Array(26), new Uint8Array(26)];
  [...points].forEach((letter, place) => {
    if (letter === "-") return;
    const seat = letter === letter.toUpperCase() ? 0 : 1;
    checkers[seat][seat === 0 ? place : BAR - place] = letter.toUpperCase().charCodeAt(0) - 64;
  });
  for (const side of checkers) side[OFF] = ALL - side.reduce((sum, count) => sum + count, 0);
  const rolled = [...dice].map(Number).filter((die) => die > 0);
  return { checkers, dice: rolled.sort((a, b) => b - a) };
}

/* The board as `seat` plays on it. */
export function boardOf({ checkers }, seat) {
  const board = new Uint8Array(2 * THEIRS);
  board.set(checkers[seat]);
  board.set(checkers[1 - seat], THEIRS);
  return board;
}

/* The two sides of a board, as `parsePosition` gives them. */
export function checkersOf(board, seat) {
  const sides = [board.subarray(0, THEIRS), board.subarray(THEIRS)];
  return seat === 0 ? sides : sides.reverse();
}

/* How many pips one side has still to go. */
export function pips(checkers) {
  return checkers.reduce((sum, count, point) => sum + count * point, 0);
}

/* ---- notation */

// "24/21*/20 6/4(2)" -> its moves, one for each checker; "pass" -> none.
export function parseAction(action) {
  if (action === "pass") return [];
  return action.split(" ").flatMap((part) => {
    const [, points, , times] = /^([^(]+)(\((\d)\))?$/.exec(part);
    const path = points.replaceAll("*", "").split("/").map(parsePoint);
    return Array(Number(times ?? 1)).fill({ path });
  });
}

function parsePoint(text) {
  return text === "bar" ? BAR : text === "off" ? OFF : Number(text);
}

/* The board after a whole turn that is known to be legal. */
function afterAction(board, action) {
  const after = board.slice();
  for (const { path } of parseAction(action)) {
    path.slice(1).forEach((to, index) => shift(after, path[index], to));
  }
  return after;
}

/* ---- one checker */

function shift(board, from, to) {
  board[from] -= 1;
  board[to] += 1;
  if (isHit(board, to)) {
    board[THEIRS + BAR - to] = 0;
    board[THEIRS + BAR] += 1;
  }
}

function isHit(board, to) {
  return to > OFF && board[THEIRS + BAR - to] === 1;
}

function farthest(board) {
  let point = BAR;
  while (point > 0 && board[point] === 0) point -= 1;
  return point;
}

function canMove(board, from, die, back) {
  const to = from - die;
  if (board[from] === 0 || (back === BAR && from !== BAR)) return false;
  if (to > OFF) return board[THEIRS + BAR - to] < 2;
  return back <= HOME && (to === OFF || from === back);
}

/* What each die could do by itself, in the order of the dice, from the farthest checker on. */
function possible(board, left) {
  const back = farthest(board);
  const steps = [];
  for (const die of new Set(left)) {
    for (let from = back; from > 0; from -= 1) {
      if (!canMove(board, from, die, back)) continue;
      const to = Math.max(OFF, from - die);
      steps.push({ from, to, die, hit: isHit(board, to) });
    }
  }
  return steps;
}

function without(left, die) {
  const index = left.indexOf(die);
  return [...left.slice(0, index), ...left.slice(index + 1)];
}

function keyOf(board) {
  return String.fromCharCode(...board);
}

/* ---- a turn */

/* What two dice give to play: four at a double. */
export function diceToPlay(dice) {
  return dice.length === 2 && dice[0] === dice[1] ? [...dice, ...dice] : dice;
}

/* A turn of which nothing has been played: `dice` as rolled, `legal` the whole turns in notation.

   `left` are the dice still to be played, the preferred one first; `steps` what may be done now, by
   the preferred die first; `action`, once there is no step left, the turn as `legal` has it;
   `before` the turn one step ago, or null. */
export function begin(board, dice, legal) {
  const results = new Map(legal.map((action) => [keyOf(afterAction(board, action)), action]));
  return make(board, diceToPlay(dice), { results, reaches: new Map() }, null);
}

function make(board, left, goal, before) {
  const steps = possible(board, left).filter((next) =>
    reaches(after(board, next), without(left, next.die), goal),
  );
  const action = steps.length === 0 ? (goal.results.get(keyOf(board)) ?? null) : null;
  return Object.freeze({ board, left, goal, steps, action, before });
}

function after(board, step) {
  const next = board.slice();
  shift(next, step.from, step.to);
  return next;
}

/* Whether the dice that are left can lead from this board to one of the results. */
function reaches(board, left, goal) {
  const key = keyOf(board);
  if (goal.results.has(key)) return true;
  if (left.length === 0) return false;
  const name = key + left.join("");
  let found = goal.reaches.get(name);
  if (found === undefined) {
    found = possible(board, left).some((step) =>
      reaches(after(board, step), without(left, step.die), goal),
    );
    goal.reaches.set(name, found);
  }
  return found;
}

/* The turn after one of its `steps`. */
export function take(turn, step) {
  return make(after(turn.board, step), without(turn.left, step.die), turn.goal, turn);
}

/* The turn without its last step; itself if there is none. */
export function undo(turn) {
  return turn.before ?? turn;
}

/* The turn as it began. */
export function undoAll(turn) {
  return turn.before === null ? turn : undoAll(turn.before);
}

/* The turn with the other die first. */
export function swap(turn) {
  return make(turn.board, [...turn.left].reverse(), turn.goal, turn.before);
}

/* What a click on a point does: the step by the first die that can move a checker from there. */
export function firstStep(turn, from) {
  return turn.steps.find((step) => step.from === from);
}

/* Where one checker can go from `from`, by one die or by several: a Map of target -> steps.  Of two
   ways the shorter one counts, then the one by the preferred die. */
export function routes(turn, from) {
  const found = new Map();
  const walk = (now, at, way) => {
    for (const step of now.steps.filter((each) => each.from === at)) {
      const longer = [...way, step];
      const known = found.get(step.to);
      if (known === undefined || longer.length < known.length) found.set(step.to, longer);
      if (step.to !== OFF) walk(take(now, step), step.to, longer);
    }
  };
  walk(turn, from, []);
  return found;
}
