// Tic-tac-toe on boardgame.io, as its tutorial has it, with its memory store.
// The first move after the end of a game begins the next one in the same match.
"use strict";

const { INVALID_MOVE } = require("boardgame.io/core");
const { Server } = require("boardgame.io/server");
const { isFree, isOver } = require("./rules.js");

const TicTacToe = {
  name: "tic_tac_toe",
  minPlayers: 2,
  maxPlayers: 2,
  disableUndo: true, // so that no earlier state is kept or sent
  setup: () => ({ cells: Array(9).fill(0) }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    play({ G, playerID }, cell) {
      if (isOver(G.cells)) G.cells = Array(9).fill(0);
      if (!isFree(G.cells, cell)) return INVALID_MOVE;
      G.cells[cell] = Number(playerID) + 1;
    },
  },
};

const server = Server({ games: [TicTacToe], origins: [] });
// The port goes to node's own `listen`, which takes an address with it.
server.run({ port: { port: 0, host: "127.0.0.1" } }).then(({ appServer }) => {
  console.log(`listening on http://127.0.0.1:${appServer.address().port}`);
});
process.on("SIGTERM", () => process.exit(0));
