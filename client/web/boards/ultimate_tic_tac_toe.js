/* The board of ultimate tic-tac-toe: nine boards of nine cells, an action is board and cell, "11"
   to "99".  Where one may play is lit; a board that is won wears its winner's mark. */

import { cellsOf, drawing, mark, pressable, seatOf, setMarks, setOpen, svg } from "./svg.js";
import { isLine, LINES } from "./tic_tac_toe.js";

const CELL = 40;
const BOARD = 132; // three cells and a margin
const INSET = (BOARD - 3 * CELL) / 2;
const NINE = [...Array(9).keys()];

export function create(host, play) {
  const boards = NINE.map((index) => new Small(index, play));
  const grid = svg("path", { class: "grid", d: "M132 4V392M264 4V392M4 132H392M4 264H392" });
  host.append(drawing(3 * BOARD, 3 * BOARD, "Ultimate tic-tac-toe", grid, ...boards.map((board) => board.node)));
  return {
    show(view) {
      const { stones, forced } = read(view.position);
      const winners = stones.map(winnerOf);
      const closed = stones.map((cells, index) => winners[index] !== null || !cells.includes(null));
      const line = view.over ? LINES.find((line) => isLine(winners, line)) ?? [] : [];
      boards.forEach((board, index) => {
        const lit = !view.over && !closed[index] && (forced === null || forced === index);
        board.show(view, stones[index], { winner: winners[index], lit, won: line.includes(index) });
      });
    },
  };
}

/* {stones: nine boards of nine seats or null, forced: the board to play on, or null for any}. */
function read(position) {
  const [picture, , board = "-"] = position.split(" ");
  const rows = picture.split("/").map((row) => cellsOf(row).map(seatOf));
  const at = (outer, inner) => rows[3 * row(outer) + row(inner)][3 * column(outer) + column(inner)];
  return {
    stones: NINE.map((outer) => NINE.map((inner) => at(outer, inner))),
    forced: board === "-" ? null : Number(board) - 1,
  };
}

const row = (index) => Math.floor(index / 3);
const column = (index) => index % 3;

function winnerOf(stones) {
  const line = LINES.find((line) => isLine(stones, line));
  return line ? stones[line[0]] : null;
}

/* One of the nine boards. */
class Small {
  constructor(index, play) {
    const [x, y] = [column(index) * BOARD, row(index) * BOARD];
    this.cells = NINE.map((inner) => new Cell(index, inner, x + INSET, y + INSET, play));
    this.winners = [0, 1].map((seat) => mark(seat, x + INSET, y + INSET, 3 * CELL));
    const ground = svg("rect", { class: "ground", x: x + 3, y: y + 3, width: BOARD - 6, height: BOARD - 6, rx: 8 });
    const [a, b, left, up] = [CELL, 2 * CELL, x + INSET, y + INSET];
    const lines = [a, b].map((d) => `M${left + d} ${up + 4}v${3 * CELL - 8}M${left + 4} ${up + d}h${3 * CELL - 8}`);
    const grid = svg("path", { class: "small-grid", d: lines.join("") });
    this.node = svg("g", { class: "small", "data-board": String(index + 1) }, ground, grid,
      ...this.cells.map((cell) => cell.node), ...this.winners);
  }

  show(view, stones, { winner, lit, won }) {
    this.node.classList.toggle("lit", lit);
    this.node.classList.toggle("won", won);
    this.node.classList.toggle("taken", winner !== null);
    this.winners.forEach((mark, seat) => mark.classList.toggle("there", seat === winner));
    this.cells.forEach((cell, inner) => cell.show(view, stones[inner]));
  }
}

class Cell {
  constructor(outer, inner, left, top, play) {
    this.action = `${outer + 1}${inner + 1}`;
    const [x, y] = [left + column(inner) * CELL, top + row(inner) * CELL];
    this.stones = [0, 1].map((seat) => mark(seat, x, y, CELL));
    const ground = svg("rect", { x: x + 2, y: y + 2, width: CELL - 4, height: CELL - 4, rx: 5 });
    const aim = svg("rect", { class: "aim", x: x + 5, y: y + 5, width: CELL - 10, height: CELL - 10, rx: 6 });
    this.node = svg("g", { class: "cell", "data-cell": this.action }, ground, ...this.stones, aim);
    pressable(this.node, () => play(this.action));
  }

  show(view, stone) {
    const open = view.legal?.includes(this.action) ?? false;
    const [board, cell] = this.action;
    setOpen(this.node, open, `board ${board} cell ${cell}, ${["X", "O"][stone] ?? "empty"}`);
    this.node.classList.toggle("last", view.last?.action === this.action && stone !== null);
    setMarks(this.node, view.marks, this.action);
    this.stones.forEach((mark, seat) => {
      mark.classList.toggle("there", stone === seat);
      mark.classList.toggle("ghost", open && view.seat === seat);
    });
  }
}
