"""The load generator: many matches in a closed loop, as fast as the server answers.

Every two players play the same drawn game of tic-tac-toe over and over.  The next move goes out
when *both* have been shown the last one, so a move's time is from its sending until both have seen
it.  `plyhouse bench server` starts this as a process of its own; alone it measures any server that
lets it in:

    python -m bench.server.load --port 8765 --matches 200 --seconds 5
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Final

import msgspec

from bench.support import generator
from bench.support.generator import CLOCK, GAME, Generator, Load, MatchHead, clock
from bench.support.wire import Wire
from protocol.messages import Create, Join, Play, Ready, RoomState
from protocol.parts import Options

DRAWN: Final = ("1", "2", "3", "5", "4", "6", "8", "7", "9")

_read = msgspec.msgpack.Decoder(MatchHead).decode


class ServerLoad(Load, kw_only=True):
    """What one run measured.  A move is shown when both players have seen it."""

    matches: int
    bytes_per_move: float  # to both players together, frame headers included
    server_cpu_us: float | None  # a move; None unless the server's process id was given
    server_kernel_share: float | None
    server_written: float | None  # bytes that it had written to the disk, a move


class LoadPlayer:
    """One of the two connections in a room, and the `seq` of the newest match state it has seen."""

    __slots__ = ("match", "seq", "wire")

    def __init__(self, match: EndlessMatch, wire: Wire) -> None:
        self.match = match
        self.wire = wire
        self.seq = -1

    def show(self, payload: bytes) -> None:
        """A message has come."""
        self.match.generator.counts.bytes += len(payload) + (4 if len(payload) > 125 else 2)
        self.match.show(self, payload)


class EndlessMatch:
    """Two players in a room who play one match after another.  Who gets `legal` is to move."""

    __slots__ = ("generator", "mover", "players", "room", "sent")

    def __init__(self, generator: MatchGenerator, host: str, port: int) -> None:
        """Connect both players and seat them."""
        first, second = Wire(host, port), Wire(host, port)
        first.hello()
        second.hello()
        self.room = first.ask(Create(id=1, game=GAME, options=Options(clock=CLOCK)), RoomState).room
        second.ask(Join(id=1, room=self.room), RoomState)
        self.players = (LoadPlayer(self, first), LoadPlayer(self, second))
        self.mover = self.players[0]
        self.generator = generator
        self.sent = 0.0

    def ready(self) -> None:
        """Let both agree to the next match."""
        for player in self.players:
            player.wire.send(Ready(room=self.room))

    def show(self, player: LoadPlayer, payload: bytes) -> None:
        """A message has reached `player`; whatever is not about the match is not looked at."""
        message = _read(payload)
        if message.type == "match":
            if message.legal:
                self.mover = player
            if player.seq != message.seq:
                player.seq = message.seq
                first, second = self.players
                if first.seq == second.seq:
                    self.go_on(message)
        elif message.type in ("error", "bye"):
            self.generator.counts.blame(f"{message.text} [{message.code}]")

    def go_on(self, message: MatchHead) -> None:
        """Count the move that both have seen, and make the next."""
        counts = self.generator.counts
        if message.ply:
            counts.moves += 1
            counts.times.append(clock() - self.sent)
        self.answer(message)

    def answer(self, message: MatchHead) -> None:
        """Make the next move, or begin the next match."""
        if message.result:
            self.ready()
            return
        self.sent = clock()
        play = Play(match=message.match, turn=message.turn, action=DRAWN[message.ply])
        self.mover.wire.send(play)


class MatchGenerator(Generator):
    """Players of several matches at once."""

    match: type[EndlessMatch] = EndlessMatch

    def __init__(self, host: str, port: int, matches: int) -> None:
        super().__init__()
        self._matches: list[EndlessMatch] = []
        try:
            for _ in range(matches):
                match = self.match(self, host, port)
                self._matches.append(match)
                self.members += match.players
        except BaseException:
            self.close()
            raise

    def start(self) -> None:
        """Listen, then let everybody begin the first match."""
        super().start()
        for match in self._matches:
            match.ready()


def measure(
    host: str, port: int, matches: int, seconds: float, warm_up: float, server_pid: int | None
) -> ServerLoad:
    """Play `matches` at once for `warm_up` seconds uncounted and `seconds` counted."""
    players = MatchGenerator(host, port, matches)
    return load_of(players, matches, seconds, warm_up, server_pid)


def load_of(
    players: Generator, matches: int, seconds: float, warm_up: float, server_pid: int | None
) -> ServerLoad:
    """Let players who are seated play, and say what came of it."""
    run = generator.measured(players, seconds, warm_up, server_pid)
    counts = players.counts
    if not counts.moves:
        counts.blame("no move was answered")
    moves = max(1, counts.moves)
    p50, p99 = generator.percentiles(counts.times)
    return ServerLoad(
        matches=matches,
        seconds=run.seconds,
        moves=counts.moves,
        moves_per_s=counts.moves / run.seconds,
        p50_ms=p50,
        p99_ms=p99,
        bytes_per_move=counts.bytes / moves,
        generator_busy=run.busy,
        server_cpu_us=sum(run.server) / moves * 1e6 if run.server else None,
        server_kernel_share=run.server.kernel / (sum(run.server) or 1.0) if run.server else None,
        server_written=None if run.written is None else run.written / moves,
        errors=counts.errors,
        complaints=counts.complaints,
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Measure one server and print the load as JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.server.load", description=__doc__)
    generator.add_arguments(parser)
    parser.add_argument("--matches", type=int, default=200)
    args = parser.parse_args(argv)
    return generator.run(
        args,
        "bench.server.load",
        lambda: measure(
            args.host, args.port, args.matches, args.seconds, args.warm_up, args.server_pid
        ),
    )


if __name__ == "__main__":
    sys.exit(main())
