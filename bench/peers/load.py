"""The load generator for other servers: the same closed loop as bench/server/load.py.

Every two players play the same drawn game of tic-tac-toe over and over, and the next move goes out
when both have been shown the last one.  They move in turns, so who begins changes with each game.
`plyhouse bench peers` starts this as a process of its own; alone it measures a running server:

    python -m bench.peers.load --peer Colyseus --port 2567 --matches 200 --seconds 5
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Final

from bench.peers import boardgame_io, colyseus
from bench.peers.node import BOARDGAME_IO, COLYSEUS
from bench.peers.seat import PeerLobby, PeerSeat
from bench.server.load import DRAWN
from bench.support import generator
from bench.support.generator import Generator, clock

GAME_OF_CELLS: Final = tuple(int(cell) - 1 for cell in DRAWN)
PEERS: Final[dict[str, Callable[[PeerLobby], tuple[PeerSeat, PeerSeat]]]] = {
    BOARDGAME_IO: boardgame_io.sit_down,
    COLYSEUS: colyseus.sit_down,
}


class PeerMatch:
    """Two seats that play one game after another."""

    __slots__ = ("generator", "moves", "seats", "sent")

    def __init__(self, generator: Generator, seats: tuple[PeerSeat, PeerSeat]) -> None:
        self.generator = generator
        self.seats = seats
        self.moves = 0
        self.sent = 0.0
        for seat in seats:
            seat.table = self

    def play(self) -> None:
        self.sent = clock()
        cell = GAME_OF_CELLS[self.moves % len(GAME_OF_CELLS)]
        self.seats[self.moves % 2].play(cell, self.moves)

    def show(self, seat: PeerSeat, payload: bytes) -> None:
        """A message has reached `seat`."""
        counts = self.generator.counts
        counts.bytes += len(payload) + (4 if len(payload) > 125 else 2)
        moves = seat.moves_in(payload)
        if moves is None:
            return
        if moves != self.moves + 1:
            counts.blame(f"move {self.moves + 1} was sent, and {moves} shown")
            return
        seat.shown = moves
        first, second = self.seats
        if first.shown == second.shown:
            counts.moves += 1
            counts.times.append(clock() - self.sent)
            self.moves = moves
            self.play()


class PeerGenerator(Generator):
    """Players of several matches at once."""

    def __init__(self, peer: str, host: str, port: int, matches: int) -> None:
        super().__init__()
        self._matches: list[PeerMatch] = []
        lobby = PeerLobby(host, port)
        try:
            for _ in range(matches):
                match = PeerMatch(self, PEERS[peer](lobby))
                self._matches.append(match)
                self.members += match.seats
        except BaseException:
            self.close()
            raise
        finally:
            lobby.close()

    def start(self) -> None:
        super().start()
        for match in self._matches:
            match.play()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--peer", choices=PEERS, required=True)
    parser.add_argument("--matches", type=int, default=200)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure one server and print the load as JSON."""
    return generator.main(
        argv,
        __doc__,
        add_arguments,
        lambda args: PeerGenerator(args.peer, args.host, args.port, args.matches),
    )


if __name__ == "__main__":
    sys.exit(main())
