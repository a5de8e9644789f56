/* Positions as what stands where, so that one can be set up by hand.  The server alone says which of them
   can be: what is written here may be none.  No DOM in here. */

/** What stands on a place: so many pieces of a seat.
 *  @typedef {{seat: number, count: number}} Pieces */
/** A position taken apart: the rows of places as they are drawn (null: a gap), what stands on each, how many
 *  may, and the other fields of the notation by name.
 *  @typedef {object} Draft
 *  @property {(number | null)[][]} rows
 *  @property {Pieces[]} places
 *  @property {number} most
 *  @property {string[]} names of places
 *  @property {Record<string, string>} fields */

/** @type {Record<string, [number, number]>} */
const GRIDS = { tic_tac_toe: [3, 3], connect_four: [6, 7], ultimate_tic_tac_toe: [9, 9] }; // rows and columns
const GAMMON = new Set(["backgammon", "backgammon_cube"]);
const FIELDS = ["cube", "owner", "turn", "dice", "score0", "score1", "rules", "length", "largest", "few"];
const CHECKERS = 15;
const BARS = [0, 25]; // the second side's, and the first one's
const EMPTY = { seat: 0, count: 0 };
const LETTER_A = 64; // the code before "A", which is one checker
const upTo = (/** @type {number} */ count) => Array.from({ length: count }, (_, index) => index);
const POINTS = [[13, 14, 15, 16, 17, 18, null, 19, 20, 21, 22, 23, 24], [null, null, null, null, null, null, 0, null, null, null, null, null, null],
  [null, null, null, null, null, null, 25, null, null, null, null, null, null], [12, 11, 10, 9, 8, 7, null, 6, 5, 4, 3, 2, 1]];

/** Take a position apart; null for a game whose notation is not known here.
 *  @param {string} game
 *  @param {string} position
 *  @returns {Draft | null} */
export function draftOf(game, position) {
  if (GAMMON.has(game)) return ofGammon(position);
  if (!Object.hasOwn(GRIDS, game)) return null;
  const [rows, columns] = GRIDS[game];
  const [board, turn = "x", forced] = position.split(" ");
  const cells = board.replaceAll("/", "").replaceAll(/\d/g, (digit) => ".".repeat(Number(digit)));
  return {
    rows: upTo(rows).map((row) => upTo(columns).map((column) => row * columns + column)),
    places: [...cells].map((cell) => (cell === "." ? EMPTY : { seat: cell === "x" ? 0 : 1, count: 1 })),
    most: 1, names: upTo(rows * columns).map((index) => String(index + 1)),
    fields: { turn, ...(forced ? { forced } : {}) },
  };
}

/** @param {string} position
 *  @returns {Draft} */
function ofGammon(position) {
  const [board, ...values] = position.replace(/^XGID=/, "").split(":");
  const places = [...board].map((letter) => (letter === "-" ? EMPTY
    : { seat: letter === letter.toUpperCase() ? 0 : 1, count: letter.toUpperCase().charCodeAt(0) - LETTER_A }));
  const fields = Object.fromEntries(values.map((value, index) => [FIELDS[index], value]));
  return { rows: POINTS, places, most: CHECKERS, names: upTo(26).map(String), fields };
}

/** Write a draft as the game does.
 *  @param {string} game
 *  @param {Draft} draft */
export function written(game, { rows, places, fields }) {
  if (GAMMON.has(game)) {
    const letters = places.map(({ seat, count }) => {
      const letter = count ? String.fromCharCode(LETTER_A + count) : "-";
      return seat === 0 ? letter : letter.toLowerCase();
    });
    return `XGID=${[letters.join(""), ...FIELDS.filter((name) => name in fields).map((name) => fields[name])].join(":")}`;
  }
  const board = rows.map((row) => row.map((place) => cellOf(places[place ?? 0])).join("").replaceAll(/\.+/g, ({ length }) => String(length)));
  return [board.join("/"), fields.turn, ...(fields.forced ? [fields.forced] : [])].join(" ");
}

/** @param {Pieces} pieces */
const cellOf = ({ seat, count }) => (count === 0 ? "." : "xo"[seat]);

/** The draft with one piece of a seat more on a place, or for null one less.  A bar holds its own side's alone.
 *  @param {Draft} draft
 *  @param {number} place
 *  @param {number | null} seat
 *  @returns {Draft} */
export function changed(draft, place, seat) {
  const { most, places } = draft;
  const { seat: there, count } = places[place];
  if (seat !== null && most > 1 && place === BARS[seat]) return draft;
  const next = seat === null ? count - 1 : seat === there ? count + 1 : 1;
  const pieces = next <= 0 ? EMPTY : { seat: seat ?? there, count: Math.min(most, next) };
  return { ...draft, places: places.with(place, pieces) };
}

/** The draft after a piece was dragged from one place to another.
 *  @param {Draft} draft
 *  @param {number} from
 *  @param {number} to */
export function moved(draft, from, to) {
  const { seat, count } = draft.places[from];
  return count === 0 || from === to ? draft : changed(changed(draft, from, null), to, seat);
}
