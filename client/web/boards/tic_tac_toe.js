/* The board of tic-tac-toe, ink on paper: nine cells, "1" to "9" from the top left. */

/** @import { Board, BoardView } from "./board.js" */

import { svg } from "../page/dom.js";
import { words } from "../texts/words.js";
import { paper, strokes, strokesOf, winningLine } from "./grid/ink.js";
import { draw, isMoving, LINE_MS, newPlaces, orderIn, restOf, STROKE_MS } from "./grid/motion.js";
import { Cell, lineOf, NINE, rowAndColumn } from "./grid/nine.js";
import { lay, Squares } from "./grid/squares.js";
import { ownerOf, tell, typeOne, whoOf } from "./grid/telling.js";
import { moverOf, seatsOf, stillDrawing } from "./shapes.js";
import { planOf } from "./view.js";

const SIZE = 100; // of a cell
const EDGE = 10; // of the paper, around the cells
const WHOLE = 3 * SIZE + 2 * EDGE;
const LOOK = { size: SIZE, inset: 5, radius: 10 };
const LINES = "M110 15Q107 160 111 306M210 14Q213 150 209 305M15 110Q160 113 306 109M14 210Q150 207 305 211";

/** @param {HTMLElement} host
 *  @param {(action: string) => unknown} play
 *  @returns {Board} */
export function create(host, play) {
  return new TicTacToe(host, play);
}

/** @param {string} position */
export function picture(position) {
  const seats = read9(position);
  const inkOf = (/** @type {number} */ seat) => NINE.filter((index) => seats[index] === seat)
    .flatMap((index) => strokesOf(seat, ...cornerOf(index), SIZE)).join("");
  return stillDrawing(WHOLE, WHOLE, "picture of-tic_tac_toe", ...paper(WHOLE, 20, LINES),
    ...[0, 1].map((seat) => svg("path", { class: `ink seat-${seat}`, "stroke-width": 11, d: inkOf(seat) })), ...wonLine(lineOf(seats)));
}

/** @param {BoardView} view */
export function read(view) {
  const seats = read9(view.position);
  const cellsOf = (/** @type {number | null} */ seat) => NINE.filter((index) => seats[index] === seat).map((index) => index + 1);
  const marks = [0, 1].map((seat) => ({ who: whoOf(view, seat), cells: cellsOf(seat) }));
  return tell(view, [words.boards.tic_tac_toe.read(marks, cellsOf(null))], say);
}

/** @param {string} action */
export const say = (action) => words.boards.tic_tac_toe.say(Number(action));

/** @param {string} position */
export function mayCome(position) {
  const seats = read9(position);
  const free = NINE.filter((index) => seats[index] === null);
  const answered = free.filter((index) => lineOf(seats.with(index, moverOf(position))).length === 0); // those that do not win
  return free.filter((index) => answered.some((other) => other !== index)).map((index) => String(index + 1));
}

/** @param {string} reason */
export const why = (reason) => words.boards.why(reason, words.boards.tic_tac_toe.line);

class TicTacToe {
  /** @type {BoardView | null} */
  #view = null;
  /** @type {(number | null)[] | null} */
  #seats = null; // what is shown
  #won = "";
  #drawing;
  #line = svg("g", {});
  #squares;

  /** @param {HTMLElement} host
   *  @param {(action: string) => unknown} play */
  constructor(host, play) {
    this.play = play;
    this.cells = NINE.map((index) => new Cell(String(index + 1), index, cornerOf(index), LOOK));
    this.#drawing = stillDrawing(WHOLE, WHOLE, "drawing of-tic_tac_toe", ...paper(WHOLE, 20, LINES), ...this.cells.map(({ node }) => node), this.#line);
    const places = NINE.map((index) => {
      const [x, y] = cornerOf(index);
      return { key: String(index + 1), x, y, width: SIZE, height: SIZE };
    });
    this.#squares = new Squares({ label: words.boards.tic_tac_toe.board, size: { width: WHOLE, height: WHOLE },
      rows: [0, 3, 6].map((first) => places.slice(first, first + 3)), press: play,
      aim: (key) => this.cells.forEach(({ node, action }) => node.classList.toggle("aimed", action === key)) });
    lay(host, this.#drawing, this.#squares);
  }

  /** @param {BoardView} view */
  show(view) {
    const before = this.#seats;
    const seats = read9(view.position);
    const won = view.over ? lineOf(seats) : [];
    this.#view = view;
    this.#seats = seats;
    this.#drawing.classList.toggle("numbered", view.coordinates ?? false);
    this.cells.forEach((cell, index) => cell.show(view, seats[index], won.includes(index)));
    this.#squares.show((key) => {
      const plan = planOf(view, key);
      const isLegal = view.legal?.includes(key) ?? false;
      const isLast = view.last?.action === key && seats[Number(key) - 1] !== null;
      const owner = ownerOf(view, seats[Number(key) - 1]);
      const label = words.boards.tic_tac_toe.cell({ cell: Number(key), owner, isLast, isOpen: isLegal, plan });
      return { label, isOpen: isLegal || plan !== null, isLast };
    });
    const news = before && isMoving(view) ? newPlaces(before, seats, (index) => orderIn(view, String(index + 1))) : [];
    const begin = news.length ? restOf(this.cells.flatMap(({ marks }) => marks.flatMap(strokes))) : 0;
    const drawn = news.reduce((delay, index) => draw(strokes(this.cells[index].marks[seats[index] ?? 0]), STROKE_MS, delay), begin);
    this.#showWon(won, news.length > 0 ? drawn : null);
  }

  /** @param {string} text */
  type(text) {
    return typeOne(this.#view, text, this.play);
  }

  focus() {
    this.#squares.focus();
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

/** The line through the cells that won, or nothing.
 *  @param {number[]} won */
const wonLine = (won) => (won.length ? [winningLine(middleOf(won[0]), middleOf(won[2]), SIZE / 3)] : []);

/** @param {string} position */
const read9 = (position) => position.split(" ")[0].split("/").flatMap(seatsOf);

/** @param {number} index
 *  @returns {[number, number]} */
const cornerOf = (index) => {
  const [row, column] = rowAndColumn(index);
  return [EDGE + column * SIZE, EDGE + row * SIZE];
};

/** @param {number} index */
const middleOf = (index) => {
  const [x, y] = cornerOf(index);
  return { x: x + SIZE / 2, y: y + SIZE / 2 };
};
