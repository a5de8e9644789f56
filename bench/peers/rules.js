// Tic-tac-toe for both peers: cells 0 to 8, each empty (0) or a seat's mark (1 or 2)
"use strict";

const LINES = [
  [0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6],
];

/** Whether a cell can be taken. */
exports.isFree = (cells, cell) => Number.isInteger(cell) && cells[cell] === 0;

/** Whether somebody has three in a row, or no cell is left. */
exports.isOver = (cells) =>
  LINES.some(([a, b, c]) => cells[a] !== 0 && cells[a] === cells[b] && cells[a] === cells[c]) ||
  cells.every((cell) => cell !== 0);
