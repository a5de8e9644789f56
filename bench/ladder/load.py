"""The load of a ladder: bots that move at once.

All bots are in one loop here.  They choose at random, so that no two of them ever know each other's
matches by heart; a move's time is from its sending until the opponent has been shown the
result.  `plyhouse bench ladder` starts this as a process of its own:

    python -m bench.ladder.load --port 8765 --bots 20 --seconds 10
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from bench.support import generator
from bench.support.generator import CLOCK, GAME, Generator, MatchHead, clock
from bench.support.wire import Wire
from protocol.errors import Code
from protocol.ladder import LadderCreate, LadderJoin, LadderState
from protocol.messages import Hello, Ok, Play, Welcome
from protocol.parts import BotInfo

LADDER: Final = "bench"

_read = msgspec.msgpack.Decoder(MatchHead).decode
_actions = msgspec.msgpack.Decoder(list[str]).decode


class Sent(NamedTuple):
    """A move under way: whose, from which turn, and when it was sent."""

    bot: QuickBot
    turn: int
    at: float


class QuickBot:
    """One connection that plays whatever it is sent."""

    __slots__ = ("generator", "wire")

    def __init__(self, generator: LadderGenerator, host: str, port: int, number: int) -> None:
        self.generator = generator
        self.wire = Wire(host, port)
        info = BotInfo(program="quick", games=[GAME])
        self.wire.ask(Hello(version=1, name=f"author{number}", bot=info), Welcome)
        self.wire.ask(LadderJoin(id=1, ladder=LADDER), Ok)

    def show(self, payload: bytes) -> None:
        message = _read(payload)
        if message.type == "match":
            self.generator.show(self, message)
        elif (
            message.type in ("error", "bye", "ladder_told") and message.code != Code.LADDER_FINISHED
        ):
            self.generator.counts.blame(f"{message.text} [{message.code}]")


class LadderGenerator(Generator):
    """All bots of one ladder."""

    def __init__(self, host: str, port: int, bots: int, seed: int = 1) -> None:
        """Open a ladder, whose first pair begins when all bots have joined."""
        super().__init__()
        self._random = random.Random(seed)
        self._under_way: dict[str, Sent] = {}
        self._answered: dict[str, int] = {}  # by match that is on: the newest turn
        self._owner = Wire(host, port)
        try:
            self._owner.hello()
            request = LadderCreate(id=1, name=LADDER, game=GAME, clock=CLOCK, players=bots)
            self._owner.ask(request, LadderState)
            self.members += [QuickBot(self, host, port, number) for number in range(bots)]
        except BaseException:
            self.close()
            raise

    def show(self, bot: QuickBot, message: MatchHead) -> None:
        """Take a match message: count the move that it answers, and play if `bot` is to move."""
        sent = self._under_way.get(message.match)
        if sent is not None and sent.bot is not bot and message.seq > sent.turn:
            del self._under_way[message.match]
            self.counts.moves += 1
            self.counts.times.append(clock() - sent.at)
        if message.result:
            if self._answered.pop(message.match, None) is not None:  # once for both players
                self.counts.matches += 1
        elif message.legal and self._answered.get(message.match) != message.turn:
            self._answered[message.match] = message.turn
            action = self._random.choice(_actions(bytes(message.legal)))
            self._under_way[message.match] = Sent(bot, message.turn, clock())
            bot.wire.send(Play(match=message.match, turn=message.turn, action=action))

    def close(self) -> None:
        super().close()
        self._owner.close()


def main(argv: Sequence[str] | None = None) -> int:
    return generator.main(argv, __doc__, "bots", 20, LadderGenerator)


if __name__ == "__main__":
    sys.exit(main())
