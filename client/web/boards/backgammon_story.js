/* What has happened in a match of backgammon, from the events of its message.  No DOM in here. */

const PASS = "pass";

/* The turns that `view.events` tell of, in order: {seat, dice, action, seq}. */
export function turnsIn({ events, last }) {
  const turns = [];
  let dice = [];
  for (const { kind, seat, action, seq } of events) {
    if (kind === "roll") {
      dice = [...action].map(Number).sort((a, b) => b - a);
    } else {
      turns.push({ seat, dice, action, seq });
      dice = [];
    }
  }
  if (events.length === 0 && last !== null) turns.push({ ...last, dice, seq: 0 });
  return turns;
}

/* The same in words, as far as the viewer has not seen it: all since the viewer's last own move, or
   that move if nothing has happened since.  Points are those of who moved. */
export function tell(view, turns) {
  const opening = view.events.find((event) => event.kind === "roll" && event.ply === 0);
  if (opening !== undefined && turns.length === 0) return tellOpening(view, opening.action);
  const isOwn = ({ seat, action }) => seat === view.seat && action !== PASS;
  const since = turns.findLastIndex(isOwn) + 1;
  const news = view.seat === null ? turns.slice(-2) : turns.slice(since);
  const told = news.length > 0 ? news : turns.slice(-1);
  return told.map((turn) => tellTurn(view, turn)).join(" · ");
}

function tellOpening(view, [first, second]) {
  return `Opening roll: ${nameOf(view, 0)} ${first}, ${nameOf(view, 1)} ${second}`;
}

function tellTurn(view, { seat, dice, action }) {
  const rolled = dice.length > 0 ? ` ${dice.join("-")}:` : ":";
  return `${nameOf(view, seat)}${rolled} ${action === PASS ? "no move possible" : action}`;
}

function nameOf(view, seat) {
  if (view.seat === null) return seat === 0 ? "Light" : "Dark";
  return seat === view.seat ? "You" : "Opponent";
}
