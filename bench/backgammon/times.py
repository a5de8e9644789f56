"""How long a decision takes: CPU time of one thread, in positions from games of our own 0-ply.

CPU time, so that what else the machine does meanwhile does not count.  For a turn that is forced
nothing is looked ahead, as the bot does not do so either.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Sequence

import msgspec

from bench.backgammon.match import Ours, self_play
from bench.support.report import progress
from bots.backgammon.judge import Judge
from games.game import Position

WARM_UP = 5  # decisions at each number of plies before any is timed


class DecisionTimes(msgspec.Struct, kw_only=True):
    """Milliseconds a decision."""

    decisions: int
    mean: float
    median: float
    p95: float
    longest: float


class Time(msgspec.Struct, kw_only=True):
    """The times of decisions looked `plies` ahead: those with a choice, and all."""

    plies: int
    choice: DecisionTimes
    all: DecisionTimes


def sample(judge: Judge, seed: int, n: int) -> list[Position]:
    """Positions of games that our 0-ply plays against itself, until `n` of them have a choice."""
    positions = []
    for _, _, position in self_play(Ours(judge, 0), seed):
        positions.append(position)
        n -= len(position.legal_actions()) > 1
        if n == 0:
            break
    return positions


def timed(judge: Judge, plies: int, positions: Sequence[Position]) -> Time:
    """Decide in each of these positions, at least one of them with a choice."""
    player, choice, everything = Ours(judge, plies), [], []
    free = [p for p in positions if len(p.legal_actions()) > 1]
    for position in free[:WARM_UP]:
        player(position)
    for known in positions:
        forced = len(known.legal_actions()) == 1
        position = Position(known.game, known.state)  # which has no list of its actions yet
        began = time.thread_time_ns()
        player(position)
        spent = (time.thread_time_ns() - began) / 1e6
        everything.append(spent)
        if not forced:
            choice.append(spent)
    result = Time(plies=plies, choice=summary(choice), all=summary(everything))
    progress(f"{plies}-ply: {result.choice.mean:.3f} ms a decision")
    return result


def summary(values: Sequence[float]) -> DecisionTimes:
    """A summary of at least one time in milliseconds."""
    ordered = sorted(values)
    return DecisionTimes(
        decisions=len(ordered),
        mean=statistics.fmean(ordered),
        median=statistics.median(ordered),
        p95=ordered[math.ceil(0.95 * len(ordered)) - 1],
        longest=ordered[-1],
    )
