/* What has happened in a match of backgammon, from the events of its message.  No DOM in here. */

/** @import { BoardView } from "../board.js" */
/** `dice`: the larger first, as they were rolled.
 *  @typedef {{seat: number, dice: number[], action: string, seq: number}} PlayedTurn */

const PASS = "pass";

/** The turns in a view's events, in order.
 *  @param {BoardView} view
 *  @returns {PlayedTurn[]} */
export function turnsIn({ events, last }) {
  const turns = [];
  /** @type {number[]} */
  let dice = [];
  for (const { kind, seat, action, seq } of events) {
    if (kind === "roll") {
      dice = [...(action ?? "")].map(Number).sort((a, b) => b - a);
    } else {
      turns.push({ seat: seat ?? 0, dice, action: action ?? PASS, seq });
      dice = [];
    }
  }
  if (events.length === 0 && last !== null) turns.push({ ...last, dice, seq: 0 });
  return turns;
}

/** The same in words, as far as the viewer has not seen it: all since the viewer's last own move, or
 *  that move if nothing has happened since.  Points are as the mover counts them.
 *  @param {BoardView} view
 *  @param {PlayedTurn[]} turns */
export function newsText(view, turns) {
  const opening = view.events.find((event) => event.kind === "roll" && event.ply === 0);
  if (opening !== undefined && turns.length === 0) {
    const [first, second] = opening.action ?? "";
    return `Opening roll: ${nameOf(view, 0)} ${first}, ${nameOf(view, 1)} ${second}`;
  }
  const since = turns.findLastIndex(({ seat, action }) => seat === view.seat && action !== PASS) + 1;
  const news = view.seat === null ? turns.slice(-2) : turns.slice(since);
  return (news.length > 0 ? news : turns.slice(-1)).map((turn) => turnText(view, turn)).join(" · ");
}

/** @param {BoardView} view
 *  @param {PlayedTurn} turn */
function turnText(view, { seat, dice, action }) {
  const roll = dice.length > 0 ? ` ${dice.join("-")}:` : ":";
  return `${nameOf(view, seat)}${roll} ${action === PASS ? "no move possible" : action}`;
}

/** @param {BoardView} view
 *  @param {number} seat */
function nameOf(view, seat) {
  if (view.seat === null) return seat === 0 ? "Light" : "Dark";
  return seat === view.seat ? "You" : "Opponent";
}
