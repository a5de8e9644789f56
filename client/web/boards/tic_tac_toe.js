/* The board of tic-tac-toe: nine cells, "1" to "9" from the top left. */

import { cellsOf, drawing, mark, pressable, seatOf, setMarks, setOpen, svg } from "./svg.js";

const SIZE = 100; // of a cell
export const LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

export function create(host, play) {
  const cells = Array.from({ length: 9 }, (_, index) => new Cell(index, play));
  const grid = svg("path", { class: "grid", d: "M100 8V292M200 8V292M8 100H292M8 200H292" });
  host.append(drawing(300, 300, "Tic-tac-toe", ...cells.map((cell) => cell.node), grid));
  return {
    show(view) {
      const stones = stonesOf(view.position);
      const won = view.over ? LINES.find((line) => isLine(stones, line)) ?? [] : [];
      cells.forEach((cell, index) => cell.show(view, stones[index], won.includes(index)));
    },
  };
}

/* The seat of each of nine cells, or null. */
function stonesOf(position) {
  return position.split(" ")[0].split("/").flatMap(cellsOf).map(seatOf);
}

/* Whether these three places belong to one seat. */
export const isLine = (stones, [a, b, c]) =>
  stones[a] !== null && stones[a] === stones[b] && stones[a] === stones[c];

class Cell {

  constructor(index, play) {
    this.action = String(index + 1);
    const [x, y] = [(index % 3) * SIZE, Math.floor(index / 3) * SIZE];
    this.stones = [0, 1].map((seat) => mark(seat, x, y, SIZE));
    const ground = svg("rect", { x: x + 4, y: y + 4, width: SIZE - 8, height: SIZE - 8, rx: 10 });
    const aim = svg("rect", { class: "aim", x: x + 14, y: y + 14, width: SIZE - 28, height: SIZE - 28, rx: 14 });
    this.node = svg("g", { class: "cell", "data-cell": this.action }, ground, ...this.stones, aim);
    pressable(this.node, () => play(this.action));
  }

  show(view, stone, won) {
    const open = view.legal?.includes(this.action) ?? false;
    setOpen(this.node, open, `cell ${this.action}, ${["X", "O"][stone] ?? "empty"}`);
    this.node.classList.toggle("last", view.last?.action === this.action && stone !== null);
    this.node.classList.toggle("won", won);
    setMarks(this.node, view.marks, this.action);
    this.stones.forEach((mark, seat) => {
      mark.classList.toggle("there", stone === seat);
      mark.classList.toggle("ghost", open && view.seat === seat); // shown while one points at it
    });
  }
}
