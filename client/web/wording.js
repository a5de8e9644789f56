/* The sentences and short texts of the page, as `me` sees them: a seat, or null.

   Strings in, strings out: no DOM.  client/terminal/wording.py has the terminal's. */

export const HOUSE = "house"; // the name under which `plyhouse up` runs its bots

const TITLES = {
  tic_tac_toe: "Tic-tac-toe",
  connect_four: "Connect four",
  ultimate_tic_tac_toe: "Ultimate tic-tac-toe",
  backgammon: "Backgammon",
};

/* What the house's bots are like; of other people's bots this page knows only the name. */
const BOTS = {
  mcts: "Learns from thousands of random games; good at everything.",
  minimax: "Calculates ahead, move by move.",
  hybrid: "Plays random games first, calculates later.",
  flat: "Tries each move in short random games.",
  solver: "Plays perfectly, as far as its level lasts.",
  gammon: "Has learnt backgammon from its own games, and looks ahead at all 21 rolls.",
  random: "Plays anything that is allowed.",
};

const PAUSED = {
  pair: "The clock waits for the other match of this pair.",
  server: "The clock waits: the server was restarted.",
  store: "The clock waits: the server cannot store anything just now.",
};

export const botText = (bot) => (bot.name === HOUSE && Object.hasOwn(BOTS, bot.program) ? BOTS[bot.program] : "");

/* What a bot plays: "all games", "all but Backgammon", "Connect four, Tic-tac-toe". */
export function gamesText(bot, games) {
  const missing = games.filter((game) => !bot.games.includes(game));
  if (!bot.games.length || !missing.length) return "all games";
  if (missing.length === 1 && bot.games.length > 2) return `all but ${gameTitle(missing[0])}`;
  return bot.games.map(gameTitle).join(", ");
}

export const gameTitle = (game) => TITLES[game] ?? sentence(game.replaceAll("_", " ")).slice(0, -1);

/* Where a ladder is shown, or one of its matches replayed. */
export const ladderPath = (name, match = null) =>
  `/ladder/${encodeURIComponent(name)}${match ? `#match=${match}` : ""}`;

/* A player in short: a bot's program, a person's name. */
export const playerTitle = (player) => (player ? player.program ?? player.name : "free seat");

/* `text` with a capital and a full stop. */
export const sentence = (text) =>
  text && text[0].toUpperCase() + text.slice(1) + (/[.!?…]$/.test(text) ? "" : ".");

/* A number of matches or points: 2, ½, 1½. */
export const score = (value) => {
  const whole = Math.floor(value);
  if (whole === value) return String(value);
  return `${whole || ""}½`;
};

/* Time left: 4:51, 1:02:03, and tenths below ten seconds: 9.3. */
export function formatTime(ms) {
  if (ms < 10_000) return (Math.floor(ms / 100) / 10).toFixed(1);
  const seconds = Math.floor(ms / 1000);
  const pad = (n) => String(n).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours ? `${hours}:${pad(minutes)}:${pad(seconds % 60)}` : `${minutes}:${pad(seconds % 60)}`;
}

/* A room's clock in short: 3 min + 2 s, 10 s a move, no clock. */
export function clockTerms(clock) {
  if (!clock) return "no clock";
  if (clock.per_move_ms) return `${clock.per_move_ms / 1000} s a move`;
  const base = clock.base_ms % 60_000 ? `${clock.base_ms / 1000} s` : `${clock.base_ms / 60_000} min`;
  return clock.increment_ms ? `${base} + ${clock.increment_ms / 1000} s` : base;
}

/* What is going on in a room, in one sentence; `expected` is who was invited just now, or null. */
export function status(room, match, me, expected) {
  if (room.state === "playing" && match && !match.result) return turn(match, me);
  const result = match?.result ? `${resultText(match, me)} ` : "";
  if (room.state === "closed") return `${result}This room is closed.`;
  if (room.state === "over") return result.trim();
  return result + waiting(room, me, expected);
}

function turn(match, me) {
  const paused = PAUSED[match.clocks?.paused];
  if (paused) return paused;
  if (match.to_move < 0) return "The dice are rolled.";
  return match.to_move === me ? "Your turn." : `${playerTitle(match.seats[match.to_move])} to move.`;
}

function waiting(room, me, expected) {
  const free = room.seats.includes(null);
  if (me === null) return free ? "A seat is free." : room.match ? "" : "The match has not begun.";
  const other = room.seats[1 - me];
  if (!other && expected) return `${expected} is called …`;
  if (!other) return room.ready[me] ? "Waiting for somebody to sit down." : "Nobody sits opposite.";
  if (room.ready[me]) return `Waiting for ${playerTitle(other)} to be ready.`;
  return room.ready[1 - me] ? `${playerTitle(other)} wants to play.` : "";
}

/* How a match ended: "You win: line." */
export function resultText(match, me) {
  const { winner = null, how, reason, returns } = match.result;
  if (how === "abort") return "The match was called off.";
  if (how === "void") return sentence(`the match is void: ${reason}`);
  if (winner === null) return how === "agreement" ? "A draw, by agreement." : sentence(`a draw: ${reason}`);
  const wins = winner === me ? "You win" : `${playerTitle(match.seats[winner])} wins`;
  const points = Math.max(...returns);
  const stake = points > 1 ? ` ${score(points)} points` : "";
  return how === "rules" ? `${wins}${stake}: ${reason}.` : `${lost(match, 1 - winner, me, how)} ${wins}${stake}.`;
}

function lost(match, loser, me, how) {
  const [who, is, has] = loser === me ? ["You", "were", "have"] : [playerTitle(match.seats[loser]), "was", "has"];
  if (how === "resign") return loser === me ? "You resigned." : `${who} resigned.`;
  if (how === "flag") return `${who} ${has} no time left.`;
  if (how === "illegal") return `${who} played what is not legal.`;
  if (how === "crash") return `${who} crashed.`;
  if (how === "abandon" || how === "disconnect") return `${who} ${is} away for too long.`;
  return `${who} lost by ${how}.`;
}

/* An open offer, as the one who made it or got it reads it. */
export function offerText(offer, match, me) {
  const what = offer.kind === "draw" ? "a draw" : "to take back the last move";
  const verb = offer.kind === "draw" ? "offer" : "ask";
  return offer.seat === me ? `You ${verb} ${what}.` : `${playerTitle(match.seats[offer.seat])} ${verb}s ${what}.`;
}

/* A match's line as rows of a table: {number, cells: [text, text], notes}; a roll stands before
   the turn that it belongs to, and what a ladder has set is in brackets. */
export function moveRows(line) {
  const rows = [];
  let roll = "";
  for (const event of line) {
    if (!event) continue;
    if (event.seat === -1) {
      roll = `${event.action}: `;
      continue;
    }
    let row = rows.at(-1);
    if (!row || row.cells[event.seat] !== "" || (event.seat === 0 && row.cells[1] !== "")) {
      row = { number: rows.length + 1, cells: ["", ""], notes: ["", ""] };
      rows.push(row);
    }
    row.cells[event.seat] = roll + (event.kind === "opening" ? `(${event.action})` : event.action);
    row.notes[event.seat] = event.note ?? "";
    roll = "";
  }
  return rows;
}
