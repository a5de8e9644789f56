"""How long a decision takes: CPU time of one thread, in positions from games of our own 0-ply.

CPU time, so that what else the machine does meanwhile does not count.  For a turn that is forced
nothing is looked ahead, as the bot does not do so either.
"""

from __future__ import annotations

import math
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import count

import msgspec

from bench.backgammon_match import Ours, rolled
from bots.judge import Judge
from games import registry
from games.game import CHANCE, END, Position

WARM_UP = 5  # decisions at each number of plies before any is timed


class Spread(msgspec.Struct, kw_only=True):
    """Milliseconds a decision."""

    decisions: int
    mean: float
    median: float
    p95: float
    longest: float


class Time(msgspec.Struct, kw_only=True):
    """Looking so many plies ahead: decisions with a choice, and all."""

    plies: int
    choice: Spread
    all: Spread


def positions(judge: Judge, seed: int) -> Iterator[Position]:
    """Positions of games that our 0-ply plays against itself, forced ones too, without end."""
    player = Ours(judge, 0)
    for number in count():
        position, ply = registry.game("backgammon").initial(), 0
        while position.to_move != END:
            if position.to_move == CHANCE:
                position = position.apply(rolled(position, seed, number, ply))
            else:
                yield position
                position = position.apply(player(position))
            ply += 1


def some(judge: Judge, seed: int, n: int) -> list[Position]:
    """Positions until `n` of them have a choice."""
    found = []
    for position in positions(judge, seed):
        found.append(position)
        n -= len(position.legal_actions()) > 1
        if n == 0:
            break
    return found


def timed(judge: Judge, plies: int, places: Sequence[Position]) -> Time:
    """Decide in each of these positions, at least one of them with a choice."""
    player, choice, everything = Ours(judge, plies), [], []
    free = [p for p in places if len(p.legal_actions()) > 1]
    for position in free[:WARM_UP]:
        player(position)
    for place in places:
        forced = len(place.legal_actions()) == 1
        position = Position(place.game, place.state)  # which knows nothing yet
        began = time.thread_time_ns()
        player(position)
        spent = (time.thread_time_ns() - began) / 1e6
        everything.append(spent)
        if not forced:
            choice.append(spent)
    found = Time(plies=plies, choice=spread(choice), all=spread(everything))
    print(f"{plies}-ply: {found.choice.mean:.3f} ms a decision", file=sys.stderr, flush=True)
    return found


def spread(values: Sequence[float]) -> Spread:
    """Of milliseconds, at least one."""
    ordered = sorted(values)
    return Spread(
        decisions=len(ordered),
        mean=statistics.fmean(ordered),
        median=statistics.median(ordered),
        p95=ordered[math.ceil(0.95 * len(ordered)) - 1],
        longest=ordered[-1],
    )
