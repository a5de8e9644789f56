/* An analysis as the page shows it: one row for each action, and its texts.  No DOM in here.

       row   {ply, seat, text, action, kind, roll, play, absent, luck, mark, open, marks}

   `ply` is where the action was chosen, `kind` that of its event; `roll` the roll before it or "",
   `luck` what that brought or null; `play` what the analysis has of it or null, and then `absent`
   why, as far as that is known; `mark` "??", "?" or "", `open` whether the position is known, and
   `marks` what is drawn on the board (boards/chosen.js).  What the wire leaves out is 0 or null. */

const MINUS = "\u2212";
const DIGITS = { points: 3, score: 0, value: 2 };
const ABSENT = { forced: "There was no other action.", "not looked at": "This one was not looked at." };
const UNITS = {
  points: "Losses and luck are in points, without a cube.",
  score: "Losses are in stones, by which a game is won later or lost sooner; a blunder changes who wins.",
  value: "Losses are in value, from \u22121 for lost to 1 for won.",
};

/* The rows of a match; a roll stands with the action that it was played by. */
export function rowsOf(analysis, moments) {
  const { plays = [], rolls = [] } = analysis;
  const played = new Map(plays.map((play) => [play.ply, play]));
  const luck = new Map(rolls.map((roll) => [roll.ply, roll.luck]));
  const rows = [];
  for (let ply = 0; ply < moments.length - 1; ply++) {
    const { event } = moments[ply + 1];
    const rolled = ply > 0 && moments[ply].event?.seat === -1 ? moments[ply].event.action : "";
    if (!event || (event.seat < 0 && ply < moments.length - 2)) continue; // told with its action
    const row = event.seat < 0 ? unplayed(event, ply, moments[ply + 1].to_move) : rowOf(event, ply, played.get(ply) ?? null);
    const lucky = event.seat < 0 ? ply : ply - 1;
    rows.push({ ...row, absent: absence(row, analysis), roll: rolled, luck: luck.get(lucky) ?? null, open: moments[row.ply].position !== null });
  }
  return rows.map((row) => ({ ...row, text: textOf(row) }));
}

function rowOf({ seat, action, kind }, ply, play) {
  const mark = play?.blunder ? "??" : play?.doubtful ? "?" : "";
  return { ply, seat, action, kind, play, mark, marks: play ? marksOf(play) : [{ action, kind: "played" }] };
}

/* Why there is nothing about a row; what was cut away to make it fit may have been anything. */
function absence({ ply, play, kind }, { left = [], partial = false }) {
  if (play || kind !== "play") return "";
  return left.includes(ply) ? "not looked at" : partial ? "" : "forced";
}

/* The last roll, where the match ended before it was played. */
function unplayed({ action }, ply, seat) {
  return { ply: ply + 1, seat: seat ?? -1, action: `${action}:`, kind: "roll", play: null, mark: "", marks: [] };
}

function marksOf(play) {
  const best = bestOf(play);
  return [{ action: play.action, kind: "played" }, ...(best === null ? [] : [{ action: best, kind: "best" }])];
}

/* The best action there was, or null; of several, the one that was played. */
export const bestOf = ({ action, loss, best = [] }) => (loss === 0 ? action : best[0]?.action ?? null);

function textOf({ roll, action, kind }) {
  const text = kind === "opening" ? `(${action})` : action;
  return roll ? `${roll}: ${text}` : text;
}

/* A figure in the unit of an analysis: 0.123, +0.050, −2. */
export function figure(value, unit, sign = false) {
  const text = Math.abs(value).toFixed(DIGITS[unit] ?? 2);
  if (Number(text) === 0) return text;
  return (value < 0 ? MINUS : sign ? "+" : "") + text;
}

/* What a row lost, in short. */
export function lossText({ play, absent }, unit) {
  if (!play) return absent;
  if (play.loss === 0) return "best";
  if (play.loss === null || play.loss === undefined) return "not proven";
  return figure(-play.loss, unit);
}

export const luckText = ({ luck }, unit) => (luck === null ? "" : `luck ${figure(luck, unit, true)}`);

/* The same for who reads it in full. */
export function verdictText(row, unit) {
  const { play } = row;
  if (!play) return ABSENT[row.absent] ?? "";
  if (play.loss === 0) return "The best there was.";
  if (play.loss === null || play.loss === undefined) {
    return play.blunder ? "A blunder: how much it lost is not proven." : "What it lost is not proven.";
  }
  const error = play.error ? ` ± ${figure(play.error, unit)}` : "";
  const verdict = play.blunder ? "A blunder: it" : play.doubtful ? "Doubtful: it" : "It";
  return `${verdict} lost ${figure(play.loss, unit)}${error}.`;
}

/* Who has looked at the match, what the figures are, and what is missing. */
export function aboutText({ bot, analysis: { by, unit, left = [], partial = false }, rows }) {
  const count = left.length === 1 ? "1 ply was" : `${left.length} plies were`;
  const missing = (left.length ? ` ${count} not looked at.` : "") + (partial ? " It is too long to be told in full." : "");
  const unseen = rows.some((row) => !row.open)
    ? " Positions from before this page was loaded cannot be had just now." : "";
  return `By ${bot}: ${by}. ${UNITS[unit] ?? ""}${missing}${unseen}`;
}

/* The rows of the table of totals: {name, cells: [text, text]} by seat. */
export function totalRows({ totals, unit }) {
  const row = (name, text) => ({ name, cells: totals.map(text) });
  const rows = [
    row("Plays", ({ plays = 0 }) => String(plays)),
    row("Forced plays", ({ forced = 0 }) => String(forced)),
    row("Not proven", ({ unknown = 0 }) => String(unknown)),
    row("Loss a play", perPlay(unit)),
    row("Blunders ??", ({ blunders = 0 }) => String(blunders)),
    row("Doubtful ?", ({ doubtful = 0 }) => String(doubtful)),
    row("Luck", ({ luck = 0 }) => figure(luck ?? 0, unit, true)),
  ];
  const isThere = { "Forced plays": "forced", "Not proven": "unknown", Luck: "luck" };
  return rows.filter(({ name }) => !(name in isThere) || totals.some((total) => Number.isFinite(total[isThere[name]])));
}

const perPlay = (unit) => ({ plays = 0, unknown = 0, loss = 0 }) =>
  plays > unknown ? figure(loss / (plays - unknown), unit === "score" ? "value" : unit) : "–";
