/* The board of ultimate tic-tac-toe, ink on paper: nine boards of nine cells; an action is board and
   cell, "11" to "99".  Where one may play is lit; a board that is won shows its winner's mark. */

/** @import { Board, BoardView, Typed } from "./board.js" */

import { svg } from "../page/dom.js";
import { words } from "../texts/words.js";
import { mark, paper, strokes, strokesOf, winningLine } from "./grid/ink.js";
import { draw, isMoving, LINE_MS, newPlaces, orderIn, restOf, STROKE_MS } from "./grid/motion.js";
import { Cell, lineOf, NINE, rowAndColumn } from "./grid/nine.js";
import { lay, Squares } from "./grid/squares.js";
import { ownerOf, tell, whoOf } from "./grid/telling.js";
import { moverOf, seatsOf, stillDrawing } from "./shapes.js";
import { choosable, planOf } from "./view.js";

/** The seats of all cells, board by board; who won which board; and the board to play on, null for any.
 *  @typedef {{seats: (number | null)[], winners: (number | null)[], forced: number | null}} Position */

const CELL = 40;
const LOOK = { size: CELL, inset: 2, radius: 6 };
const BOARD = 132; // three cells and a margin
const MARGIN = (BOARD - 3 * CELL) / 2;
const POINT_MS = 500;
const EDGE = 6; // of the paper, around the boards
const WHOLE = 3 * BOARD + 2 * EDGE;
const LINES = "M138 14Q136 210 139 395M270 13Q272 200 269 394M14 138Q210 140 395 137M13 270Q200 268 394 271";

/** @param {HTMLElement} host
 *  @param {(action: string) => unknown} play
 *  @returns {Board} */
export function create(host, play) {
  return new Ultimate(host, play);
}

/** @param {string} position */
export function picture(position) {
  const { seats, winners, forced } = read81(position);
  const small = (/** @type {number} */ seat) => seats.flatMap((owner, place) =>
    owner === seat && winners[Math.floor(place / 9)] === null ? strokesOf(seat, ...cellCorner(place), CELL) : []).join("");
  const large = (/** @type {number} */ seat) => NINE.filter((board) => winners[board] === seat)
    .flatMap((board) => strokesOf(seat, ...inside(board), 3 * CELL)).join("");
  const ink = (/** @type {number} */ seat, /** @type {number} */ width, /** @type {string} */ d) =>
    svg("path", { class: `ink seat-${seat}`, "stroke-width": width, d });
  return stillDrawing(WHOLE, WHOLE, "picture of-ultimate_tic_tac_toe", ...paper(WHOLE, 12, LINES),
    ...(forced === null ? [] : [svg("rect", { class: "forced", ...groundOf(forced) })]),
    svg("path", { class: "small-lines", d: NINE.map(smallLines).join("") }),
    ...[0, 1].flatMap((seat) => [ink(seat, 5, small(seat)), ink(seat, 13, large(seat))]), ...wonLine(lineOf(winners)));
}

/** @param {BoardView} view */
export function read(view) {
  const { seats, winners, forced } = read81(view.position);
  const cellsOf = (/** @type {number} */ board, /** @type {number} */ seat) =>
    NINE.filter((cell) => seats[9 * board + cell] === seat).map((cell) => cell + 1);
  const boards = NINE.map((board) => ({
    board: board + 1,
    winner: ownerOf(view, winners[board]),
    marks: [0, 1].map((seat) => ({ who: whoOf(view, seat), cells: cellsOf(board, seat) })),
  }));
  const { read: readBoards, goTo } = words.boards.ultimate_tic_tac_toe;
  const where = view.over ? "" : goTo(forced === null ? null : forced + 1);
  return [tell(view, [readBoards(boards)], say), where].filter(Boolean).join(" ");
}

/** @param {string} action */
export const say = ([board, cell]) => words.boards.ultimate_tic_tac_toe.say(Number(board), Number(cell));

/** The answers to all that the opponent may play: it decides on which board they come.
 *  @param {string} position */
export function mayCome(position) {
  const now = read81(position);
  const answers = freePlaces(now).flatMap((place) => freePlaces(afterPlay(now, place, moverOf(position))));
  return [...new Set(answers)].sort((a, b) => a - b).map(actionOf);
}

/** @param {string} reason */
export const why = (reason) => (reason === "full" ? words.boards.ultimate_tic_tac_toe.full : words.boards.why(reason, words.boards.ultimate_tic_tac_toe.line));

/** @param {BoardView} view */
export function asks({ legal, position, seat, toMove }) {
  if (legal === null || seat !== toMove) return null;
  const { forced } = read81(position);
  return words.boards.ultimate_tic_tac_toe.asks(forced === null ? null : forced + 1);
}

class Ultimate {
  /** @type {BoardView | null} */
  #view = null;
  /** @type {Position | null} */
  #position = null; // what is shown
  #won = "";
  #drawing;
  #line = svg("g", {});
  #squares;

  /** @param {HTMLElement} host
   *  @param {(action: string) => unknown} play */
  constructor(host, play) {
    this.play = play;
    this.boards = NINE.map((index) => new SmallBoard(index));
    this.cells = this.boards.flatMap(({ cells }) => cells);
    this.#drawing = stillDrawing(WHOLE, WHOLE, "drawing of-ultimate_tic_tac_toe", ...paper(WHOLE, 12, LINES),
      ...this.boards.map(({ node }) => node), this.#line);
    const rows = [...Array(9).keys()].map((row) => [...Array(9).keys()].map((column) => squareAt(row, column)));
    this.#squares = new Squares({ label: words.boards.ultimate_tic_tac_toe.board, size: { width: WHOLE, height: WHOLE }, rows, press: play,
      aim: (key) => this.cells.forEach(({ node, action }) => node.classList.toggle("aimed", action === key)) });
    lay(host, this.#drawing, this.#squares);
    host.addEventListener("click", (event) => this.#point(event));
  }

  /** A press where no play is allowed points out where one is.
   *  @param {MouseEvent} event */
  #point({ target }) {
    if (!this.#view?.legal || (target instanceof Element && target.closest(".open"))) return;
    for (const { ground, node } of this.boards) if (node.matches(".lit")) ground.animate([{ fillOpacity: 1 }, { fillOpacity: 4, strokeWidth: 14 }, { fillOpacity: 1 }], POINT_MS);
  }

  /** @param {BoardView} view */
  show(view) {
    const before = this.#position;
    const now = read81(view.position);
    this.#view = view;
    this.#position = now;
    this.#drawing.classList.toggle("numbered", view.coordinates ?? false);
    const wonBoards = view.over ? lineOf(now.winners) : [];
    this.boards.forEach((board, index) => board.show(view, now, wonBoards.includes(index)));
    this.#squares.show((key) => stateOf(view, now, key));
    if (!view.legal && !view.plans) this.#typed("");
    const places = before && isMoving(view) ? newPlaces(before.seats, now.seats, (place) => orderIn(view, actionOf(place))) : [];
    let drawn = places.length ? restOf(this.cells.flatMap(({ marks }) => marks.flatMap(strokes))) : 0;
    for (const place of places) {
      const [board, seat] = [Math.floor(place / 9), now.seats[place] ?? 0];
      drawn = draw(strokes(this.cells[place].marks[seat]), STROKE_MS, drawn);
      const isJustWon = before?.winners[board] === null && now.winners[board] !== null;
      if (isJustWon) drawn = draw(strokes(this.boards[board].winners[seat]), STROKE_MS, drawn);
    }
    this.#showWon(wonBoards, places.length > 0 ? drawn : null);
  }

  /** @param {string} text
   *  @param {boolean} isAll
   *  @returns {Typed} */
  type(text, isAll) {
    const legal = choosable(this.#view);
    const forced = this.#view?.legal ? this.#position?.forced ?? null : null; // a plan may be for any board
    const action = isAll && text.length === 1 && forced !== null ? `${forced + 1}${text}` : text;
    this.#typed("");
    if (legal.includes(action)) {
      this.play(action);
      return "played";
    }
    if (text === "") return "more";
    if (isAll || !legal.some((each) => each.startsWith(text))) return "wrong";
    this.#typed(text);
    return "more";
  }

  focus() {
    this.#squares.focus();
  }

  /** Point out the board whose number was typed.
   *  @param {string} text */
  #typed(text) {
    this.boards.forEach(({ node }, index) => node.classList.toggle("typed", text === String(index + 1)));
  }

  /** @param {number[]} won
   *  @param {number | null} delay null: at once */
  #showWon(won, delay) {
    if (won.join() === this.#won) return;
    this.#won = won.join();
    const line = wonLine(won);
    this.#line.replaceChildren(...line);
    if (delay !== null) for (const node of line) draw(strokes(node), LINE_MS, delay);
  }
}

/** One of the nine boards. */
class SmallBoard {
  /** @param {number} index */
  constructor(index) {
    this.index = index;
    this.cells = NINE.map((cell) => new Cell(actionOf(9 * index + cell), cell, cellCorner(9 * index + cell), LOOK));
    const [left, top] = inside(index);
    this.winners = [0, 1].map((seat) => mark(seat, { x: left, y: top, size: 3 * CELL, index }));
    this.ground = svg("rect", { class: "ground", ...groundOf(index) });
    this.node = svg("g", { class: "small", "data-board": index + 1 }, this.ground, svg("path", { class: "small-lines", d: smallLines(index) }),
      ...this.cells.map(({ node }) => node), ...this.winners);
  }

  /** @param {BoardView} view
   *  @param {Position} position
   *  @param {boolean} isWon whether it is part of the line that won the match */
  show(view, { seats, winners, forced }, isWon) {
    const winner = winners[this.index];
    const own = seats.slice(9 * this.index, 9 * this.index + 9);
    const isClosed = winner !== null || !own.includes(null);
    const { classList } = this.node;
    classList.toggle("lit", !view.over && !isClosed && (forced === null || forced === this.index));
    classList.toggle("forced", !view.over && forced === this.index);
    classList.toggle("won", isWon);
    classList.toggle("taken", winner !== null);
    this.winners.forEach((each, seat) => each.classList.toggle("there", seat === winner));
    this.cells.forEach((cell, index) => cell.show(view, own[index]));
  }
}

/** What a cell says.
 *  @param {BoardView} view
 *  @param {Position} position
 *  @param {string} key */
function stateOf(view, position, key) {
  const [board, cell] = [...key].map((digit) => Number(digit) - 1);
  const seat = position.seats[9 * board + cell];
  const isLegal = view.legal?.includes(key) ?? false;
  const plan = planOf(view, key);
  const isLast = view.last?.action === key && seat !== null;
  const sends = isLegal ? afterPlay(position, 9 * board + cell, view.toMove).forced : null;
  const label = words.boards.ultimate_tic_tac_toe.cell({ board: board + 1, cell: cell + 1, owner: ownerOf(view, seat),
    winner: ownerOf(view, position.winners[board]), isLast, isOpen: isLegal, sends: sends === null ? null : sends + 1, plan });
  return { label, isOpen: isLegal || plan !== null, isLast };
}

/** Where one may play; nowhere once three boards in a row are won.
 *  @param {Position} position */
function freePlaces({ seats, winners, forced }) {
  if (lineOf(winners).length > 0) return [];
  return [...seats.keys()].filter((place) => {
    const board = Math.floor(place / 9);
    return seats[place] === null && winners[board] === null && (forced === null || forced === board);
  });
}

/** The position after a play.
 *  @param {Position} position
 *  @param {number} place
 *  @param {number} seat
 *  @returns {Position} */
function afterPlay(position, place, seat) {
  const [board, cell] = [Math.floor(place / 9), place % 9];
  const [seats, winners] = [position.seats.with(place, seat), [...position.winners]];
  if (lineOf(seats.slice(9 * board, 9 * board + 9)).length > 0) winners[board] = seat;
  const isClosed = winners[cell] !== null || !seats.slice(9 * cell, 9 * cell + 9).includes(null);
  return { seats, winners, forced: isClosed ? null : cell };
}

/** @param {string} text
 *  @returns {Position} */
function read81(text) {
  const [rows, , forced = "-"] = text.split(" ");
  const seen = rows.split("/").map(seatsOf);
  const seats = [...Array(81).keys()].map((place) => {
    const [row, column] = rowAndColumnOf(place);
    return seen[row][column];
  });
  const winners = NINE.map((board) => seats[9 * board + (lineOf(seats.slice(9 * board, 9 * board + 9))[0] ?? NaN)] ?? null);
  return { seats, winners, forced: forced === "-" ? null : Number(forced) - 1 };
}

/** @param {number} place nine times the board, and the cell */
const actionOf = (place) => `${Math.floor(place / 9) + 1}${place % 9 + 1}`;

/** The row and the column of a place in the whole picture.
 *  @param {number} place */
function rowAndColumnOf(place) {
  const [[row, column], [innerRow, innerColumn]] = [rowAndColumn(Math.floor(place / 9)), rowAndColumn(place % 9)];
  return [3 * row + innerRow, 3 * column + innerColumn];
}

/** @param {number} row of the whole picture
 *  @param {number} column */
function squareAt(row, column) {
  const place = 9 * (3 * Math.floor(row / 3) + Math.floor(column / 3)) + 3 * (row % 3) + column % 3;
  const [x, y] = cellCorner(place);
  return { key: actionOf(place), x, y, width: CELL, height: CELL };
}

/** Where the cells of a board begin.
 *  @param {number} board
 *  @returns {[number, number]} */
const inside = (board) => [EDGE + board % 3 * BOARD + MARGIN, EDGE + Math.floor(board / 3) * BOARD + MARGIN];

/** The ground of a board, as far as it can be lit.
 *  @param {number} board */
function groundOf(board) {
  const [x, y] = [EDGE + board % 3 * BOARD + 4, EDGE + Math.floor(board / 3) * BOARD + 4];
  return { x, y, width: BOARD - 8, height: BOARD - 8, rx: 10 };
}

/** The line through the boards that won, or nothing.
 *  @param {number[]} won */
const wonLine = (won) => (won.length ? [winningLine(middleOf(won[0]), middleOf(won[2]), BOARD / 3)] : []);

/** @param {number} place
 *  @returns {[number, number]} */
function cellCorner(place) {
  const [left, top] = inside(Math.floor(place / 9));
  return [left + place % 3 * CELL, top + Math.floor(place % 9 / 3) * CELL];
}

/** @param {number} board */
function middleOf(board) {
  const [x, y] = inside(board);
  return { x: x + 1.5 * CELL, y: y + 1.5 * CELL };
}

/** @param {number} board */
function smallLines(board) {
  const [left, top] = inside(board);
  const whole = 3 * CELL - 8;
  return [CELL, 2 * CELL].map((at) => `M${left + at} ${top + 4}v${whole}M${left + 4} ${top + at}h${whole}`).join("");
}
