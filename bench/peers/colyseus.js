// Tic-tac-toe on Colyseus, tuned: no tick, one patch a move, nothing stored.
// The first move after the end of a game begins the next one in the same room.
"use strict";

const { Room, Server } = require("@colyseus/core");
const { schema, t } = require("@colyseus/schema");
const { WebSocketTransport } = require("@colyseus/ws-transport");
const { isFree, isOver } = require("./rules.js");

const Board = schema({ cells: t.array("uint8"), moves: t.uint32() });

class TicTacToe extends Room {
  maxClients = 2;
  patchRate = null; // no timer: each move sends its own patch

  onCreate() {
    this.seats = [];
    this.state = new Board();
    this.state.cells = Array(9).fill(0);
    this.state.moves = 0;
    this.onMessage("play", (client, cell) => this.play(client, cell));
  }

  onJoin(client) {
    this.seats.push(client.sessionId);
  }

  play(client, cell) {
    const { state, seats } = this;
    const seat = state.moves % 2;
    if (seats.length < 2 || seats[seat] !== client.sessionId) return client.send("refused", "turn");
    if (isOver(state.cells)) for (let i = 0; i < 9; i++) state.cells[i] = 0;
    if (!isFree(state.cells, cell)) return client.send("refused", "cell");
    state.cells[cell] = seat + 1;
    state.moves += 1;
    this.broadcastPatch();
  }
}

const transport = new WebSocketTransport();
const server = new Server({ transport, greet: false });
server.define("tic_tac_toe", TicTacToe);
server.listen(0, "127.0.0.1").then(() => {
  console.log(`listening on http://127.0.0.1:${transport.server.address().port}`);
});
