"""The load of people: matches in which somebody thinks before each move.

The next move goes out some time after both players have been shown the last one.  That time is
drawn from an exponential distribution, so that moves come as they please.  `plyhouse bench
capacity` starts this as a process of its own:

    python -m bench.capacity.paced --port 8765 --matches 500 --pace 3
"""

from __future__ import annotations

import argparse
import heapq
import random
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, cast

from bench.server.load import EndlessMatch, MatchGenerator, ServerLoad, load_of
from bench.support import generator
from bench.support.generator import A_WHILE, STALL, MatchHead, clock

SEED: Final = 1  # of the times that people think


class PacedMatch(EndlessMatch):
    """Two people, who play one match after another."""

    __slots__ = ()

    def answer(self, message: MatchHead) -> None:
        """Think, and then make the next move."""
        cast(PacedGenerator, self.generator).later(partial(super().answer, message))


class PacedGenerator(MatchGenerator):
    """People at several matches, each with a move every `pace` seconds in the mean."""

    match = PacedMatch

    def __init__(self, host: str, port: int, matches: int, pace: float) -> None:
        super().__init__(host, port, matches)
        self.stall = STALL + 10 * pace / matches
        self._pace = pace
        self._random = random.Random(SEED)
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._planned = 0

    def start(self) -> None:
        """Listen; the first matches begin one after the other, within the time of a move."""
        generator.Generator.start(self)
        for number, match in enumerate(self._matches):
            self._at(clock() + self._pace * number / len(self._matches), match.ready)

    def later(self, do: Callable[[], None]) -> None:
        """Do something when somebody has thought."""
        self._at(clock() + self._random.expovariate(1 / self._pace), do)

    def _at(self, when: float, do: Callable[[], None]) -> None:
        self._planned += 1
        heapq.heappush(self._due, (when, self._planned, do))

    def act(self, now: float) -> float:
        """Make the moves that are due."""
        due = self._due
        while due and due[0][0] <= now:
            heapq.heappop(due)[2]()
        return max(0.0, min(A_WHILE, due[0][0] - now)) if due else A_WHILE


def main(argv: Sequence[str] | None = None) -> int:
    """Measure one server and print the load as JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.capacity.paced", description=__doc__)
    generator.add_arguments(parser)
    parser.add_argument("--matches", type=int, required=True)
    parser.add_argument("--pace", type=float, required=True)
    args = parser.parse_args(argv)

    def measure() -> ServerLoad:
        people = PacedGenerator(args.host, args.port, args.matches, args.pace)
        return load_of(people, args.matches, args.seconds, args.warm_up, args.server_pid)

    return generator.run(args, "bench.capacity.paced", measure)


if __name__ == "__main__":
    sys.exit(main())
