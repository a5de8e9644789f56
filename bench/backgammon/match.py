"""Games of backgammon in pairs, with the same dice and the sides swapped, and the luck taken out.

The dice of a game follow from seed, pair and ply.  What a roll was worth to the side that made it
is the equity after it, best play at 0 plies taken for granted, minus the average of that over all
21 rolls.  Such differences are 0 on average whatever the evaluation and whoever plays, as a roll
does not know what is expected of it; so the points of a game minus the luck of its rolls have the
same mean as the points, and a much smaller spread: better judgement makes the interval narrower,
and never moves it.  The opening roll is left out: it helps both sides of a pair alike.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from bench.backgammon.peers import PEERS, Chooser
from bench.support.report import progress
from bots.backgammon.judge import Judge
from games import registry
from games.backgammon.rules import BAR, TURN
from games.game import CHANCE, END, Position
from games.rng import below, seeded
from lab.farm import where
from lab.farm.executor import Task, in_order, kept
from lab.farm.farm import open_executor

CHUNK: Final = 5  # pairs that a process plays before it says how they ended
TELL_S: Final = 10.0
HOME: Final = 6  # points 1 to 6
PLIES: Final = 4_096  # more than any game has: seed, pair and ply make one number


class GamePair(NamedTuple):
    """How A did in two games: points of each, and of each the luck of A minus that of B."""

    points: tuple[float, float]
    luck: tuple[float, float]

    @property
    def raw(self) -> float:
        return sum(self.points) / 2

    @property
    def adjusted(self) -> float:
        return (sum(self.points) - sum(self.luck)) / 2


class Interval(msgspec.Struct):
    """A mean with half its 95 % interval, which is None of a single value."""

    mean: float
    margin: float | None

    def __str__(self) -> str:
        return f"{self.mean:+.3f}" + ("" if self.margin is None else f" ± {self.margin:.3f}")


def interval(values: Sequence[float]) -> Interval:
    """The mean of `values`, at least one, and how well it is known."""
    if len(values) < 2:
        return Interval(statistics.fmean(values), None)
    error = statistics.stdev(values) / math.sqrt(len(values))
    return Interval(statistics.fmean(values), 1.96 * error)


def share(pairs: Sequence[GamePair], least: float, sign: int = 1) -> float:
    """The share of games that A won (`sign` 1) or lost (-1) by `least` points or more."""
    points = [sign * p for pair in pairs for p in pair.points]
    return sum(p >= least for p in points) / len(points)


class Ours:
    """Our play, looking `plies` ahead."""

    def __init__(self, judge: Judge, plies: int) -> None:
        self._judge = judge
        self._plies = plies

    def __call__(self, position: Position) -> int:
        if self._plies == 0:
            return self._judge.best(position)
        legal = position.legal_actions()
        return legal[0] if len(legal) == 1 else self._judge.turns(position, self._plies)[0].action


def rolled(position: Position, seed: int, pair: int, ply: int) -> int:
    rng, chances = seeded((seed * 1_000_003 + pair) * PLIES + ply), position.chance()
    lot = below(rng, sum(weight for _, weight in chances))
    for roll, weight in chances:
        if lot < weight:
            return roll
        lot -= weight
    raise AssertionError("the weights of the rolls do not add up")


def luck(judge: Judge, position: Position, after: Position) -> float:
    """Points that the roll which led to `after` was worth to its side; 0 in the opening."""
    if position.state[TURN] < 0:
        return 0.0
    return _best(judge, after) - _average(judge, position)


def _best(judge: Judge, position: Position) -> float:
    return judge.turns(position, 0)[0].estimate.equity


def _average(judge: Judge, position: Position) -> float:
    """The average of `_best` over all rolls.

    That is what one ply of lookahead finds, but for the end of a race: there the judge takes what
    its exact table says, which is a thousandth of a point off now and then.
    """
    if any(any(position.state[base + HOME + 1 : base + BAR + 1]) for base in (0, 26)):
        return judge.chance(position, 1).equity
    rolls = position.chance()
    best = [weight * _best(judge, position.apply(roll)) for roll, weight in rolls]
    return sum(best) / sum(weight for _, weight in rolls)


def game(
    players: tuple[Chooser, Chooser], judge: Judge, seed: int, pair: int
) -> tuple[float, float]:
    position, lucky, ply = registry.game("backgammon").initial(), 0.0, 0
    while position.to_move != END:
        if position.to_move == CHANCE:
            after = position.apply(rolled(position, seed, pair, ply))
            worth = luck(judge, position, after)
            lucky += worth if after.to_move == 0 else -worth
        else:
            after = position.apply(players[position.to_move](position))
        position, ply = after, ply + 1
    outcome = position.outcome()
    return (outcome.returns[0] if outcome is not None else 0.0), lucky


def play(a: Chooser, b: Chooser, judge: Judge, seed: int, pair: int) -> GamePair:
    won, lucky = game((a, b), judge, seed, pair)
    lost, unlucky = game((b, a), judge, seed, pair)
    return GamePair((won, 0.0 - lost), (lucky, 0.0 - unlucky))


def judge_of(weights: Path | None) -> Judge:
    """Who judges for us; raises BadWeights."""
    return Judge(weights=weights)


class Contest(NamedTuple):
    """Us against a peer.  `weights`: others than the shipped ones."""

    peer: str
    plies: int
    seed: int
    weights: Path | None

    def pairs(self, first: int, last: int) -> list[GamePair]:
        """Play some pairs, by a judge of this thread; raises Missing."""
        judge = kept(judge_of, self.weights)
        a, b = Ours(judge, self.plies), kept(PEERS[self.peer])
        return [play(a, b, judge, self.seed, n) for n in range(first, last)]


def contest(plan: Contest, pairs: int, processes: int) -> list[GamePair]:
    """Play `pairs` pairs of us against a peer; progress goes to stderr."""
    ends = [(first, min(first + CHUNK, pairs)) for first in range(0, pairs, CHUNK)]
    tasks = (Task(plan.pairs, each, f"pairs {each[0] + 1} to {each[1]}") for each in ends)
    played, told = list[GamePair](), time.monotonic()
    with open_executor(where.processes(processes)) as executor:
        for some in in_order(executor, tasks, say=progress):
            played += some
            if len(played) == pairs or time.monotonic() - told > TELL_S:
                told = time.monotonic()
                so_far = interval([pair.adjusted for pair in played])
                progress(f"{plan.plies}-ply against {plan.peer}: {len(played)} of {pairs} pairs,"
                         f" {so_far}")  # fmt: skip
    return played
