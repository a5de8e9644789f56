"""The load generator: many matches in a closed loop, as fast as the server answers.

Every two players play the same drawn game of tic-tac-toe over and over.  The next move goes out
when *both* have been shown the last one, so a move's time is from its sending until both have seen
it.  `plyhouse bench server` starts this as a process of its own; alone it measures any server that
lets it in:

    python -m bench.server.load --port 8765 --matches 200 --seconds 5
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

import msgspec

from bench.support import generator
from bench.support.generator import CLOCK, GAME, Generator, MatchHead, clock
from bench.support.wire import Wire
from protocol.messages import Create, Join, Play, Ready, RoomState
from protocol.parts import Options

DRAWN: Final = ("1", "2", "3", "5", "4", "6", "8", "7", "9")

_read = msgspec.msgpack.Decoder(MatchHead).decode


class LoadPlayer:
    """One of the two connections in a room, and the `seq` of the newest match state it has seen."""

    __slots__ = ("match", "seq", "wire")

    def __init__(self, match: EndlessMatch, wire: Wire) -> None:
        self.match = match
        self.wire = wire
        self.seq = -1

    def show(self, payload: bytes) -> None:
        self.match.generator.counts.bytes += len(payload) + (4 if len(payload) > 125 else 2)
        self.match.show(self, payload)


class EndlessMatch:
    """Two players in a room who play one match after another.  Who gets `legal` is to move."""

    __slots__ = ("generator", "mover", "players", "room", "sent")

    def __init__(self, generator: MatchGenerator, host: str, port: int) -> None:
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
        """Count the move that both have seen, and make the next, or begin the next match."""
        counts = self.generator.counts
        if message.ply:
            counts.moves += 1
            counts.times.append(clock() - self.sent)
        if message.result:
            self.ready()
            return
        self.sent = clock()
        play = Play(match=message.match, turn=message.turn, action=DRAWN[message.ply])
        self.mover.wire.send(play)


class MatchGenerator(Generator):
    """Players of several matches at once."""

    def __init__(self, host: str, port: int, matches: int) -> None:
        super().__init__()
        self.matches: list[EndlessMatch] = []
        try:
            for _ in range(matches):
                match = EndlessMatch(self, host, port)
                self.matches.append(match)
                self.members += match.players
        except BaseException:
            self.close()
            raise

    def start(self) -> None:
        super().start()
        for match in self.matches:
            match.ready()


def main(argv: Sequence[str] | None = None) -> int:
    return generator.main(argv, __doc__, "matches", 200, MatchGenerator)


if __name__ == "__main__":
    sys.exit(main())
