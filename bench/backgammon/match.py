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
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import msgspec

from bench.backgammon.peers import PEERS, Chooser
from bench.support.report import progress
from bots.backgammon.judge import Judge
from bots.bot import alarm
from bots.engine import compiled
from games import registry
from games.backgammon.rules import BAR, TURN
from games.game import CHANCE, END, Position
from games.rng import below, seeded
from lab.farm import where
from lab.farm.executor import Task, in_order, kept
from lab.farm.farm import open_executor

CHUNK = 5  # pairs that a process plays before it says how they ended
HOME = 6  # points 1 to 6
PLIES = 4_096  # more than any game has: seed, pair and ply make one number


@dataclass(frozen=True, slots=True)
class GamePair:
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
        return f"{self.mean:+.4f}" + ("" if self.margin is None else f" ± {self.margin:.4f}")


def interval(values: Sequence[float]) -> Interval:
    """The mean of `values`, at least one, and how well it is known."""
    if len(values) < 2:
        return Interval(statistics.fmean(values), None)
    error = statistics.stdev(values) / math.sqrt(len(values))
    return Interval(statistics.fmean(values), 1.96 * error)


class Ours:
    """Our play, looking `plies` ahead, or as far as `ms` milliseconds of the clock last."""

    def __init__(self, judge: Judge, plies: int, ms: int | None = None) -> None:
        self._judge = judge
        self._plies = plies
        self._ms = ms

    def __call__(self, position: Position) -> int:
        """The turn that it plays."""
        if self._plies == 0:
            return self._judge.best(position)
        legal = position.legal_actions()
        if len(legal) == 1:
            return legal[0]
        if self._ms is None:
            return self._judge.turns(position, self._plies)[0].action
        stop = compiled.ints(1)
        with alarm(stop, self._ms):
            turns = self._judge.turns(position, self._plies, stop=stop)
        return turns[0].action if turns else self._judge.best(position)


def rolled(position: Position, seed: int, pair: int, ply: int) -> int:
    """The roll at this ply in both games of the pair."""
    rng, chances = seeded((seed * 1_000_003 + pair) * PLIES + ply), position.chance()
    lot = below(rng, sum(weight for _, weight in chances))
    for roll, weight in chances:
        if lot < weight:
            return roll
        lot -= weight
    raise AssertionError("the weights of the rolls do not add up")


def self_play(player: Chooser, seed: int) -> Iterator[tuple[int, int, Position]]:
    """Game, ply and position of each turn in games of `player` against itself, without end."""
    for number in count():
        position, ply = registry.game("backgammon").initial(), 0
        while position.to_move != END:
            if position.to_move == CHANCE:
                position = position.apply(rolled(position, seed, number, ply))
            else:
                yield number, ply, position
                position = position.apply(player(position))
            ply += 1


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
    """Points of seat 0, and its luck minus that of seat 1."""
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


@dataclass(slots=True)
class PairScore:
    """What A got in all pairs."""

    pairs: list[GamePair] = field(default_factory=list)
    seconds: float = 0.0  # by the clock on the wall

    def raw(self) -> Interval:
        return interval([pair.raw for pair in self.pairs])

    def adjusted(self) -> Interval:
        return interval([pair.adjusted for pair in self.pairs])

    def share(self, least: float, sign: int = 1) -> float:
        """The share of games that A won (`sign` 1) or lost (-1) by `least` points or more."""
        points = [sign * p for pair in self.pairs for p in pair.points]
        return sum(p >= least for p in points) / len(points)


@dataclass(frozen=True, slots=True)
class PairTask:
    """Some pairs of a contest.

    player  the peer that plays in our place; None: we do
    """

    peer: str
    player: str | None
    plies: int
    ms: int | None
    seed: int
    first: int
    last: int


class Players:
    """One process's judge and players."""

    def __init__(self, weights: Path | None, judge: Judge | None = None) -> None:
        self.judge = judge or Judge(weights=weights)
        self._peers: dict[str, Chooser] = {}

    def peer(self, name: str) -> Chooser:
        """A peer, made when it is first asked for; raises Missing."""
        if name not in self._peers:
            self._peers[name] = PEERS[name]()
        return self._peers[name]

    def play(self, task: PairTask) -> list[GamePair]:
        b = self.peer(task.peer)
        a = self.peer(task.player) if task.player else Ours(self.judge, task.plies, task.ms)
        return [play(a, b, self.judge, task.seed, n) for n in range(task.first, task.last)]


def play_task(weights: Path | None, task: PairTask) -> list[GamePair]:
    return kept(Players, weights).play(task)


class Contests:
    """Plays contests, in this process by `players`, or in several."""

    def __init__(
        self,
        players: Players,
        weights: Path | None,
        processes: int,
        ms: int | None = None,
        player: str | None = None,
    ) -> None:
        """`ms`: of the clock, for each of our turns; None: no limit.  `player`: as in PairTask."""
        self._players = players
        self._weights = weights
        self._processes = processes
        self._ms = ms
        self._player = player

    def contest(self, peer: str, plies: int, pairs: int, seed: int) -> PairScore:
        """Play `pairs` pairs of us against a peer; progress goes to stderr."""
        score, began, tens = PairScore(), time.perf_counter(), 0
        tasks = [
            PairTask(peer, self._player, plies, self._ms, seed, first, min(first + CHUNK, pairs))
            for first in range(0, pairs, CHUNK)
        ]
        with open_executor(where.processes(self._processes)) as executor:
            for some in in_order(executor, map(self._work, tasks), say=progress):
                score.pairs += some
                score.seconds = time.perf_counter() - began
                if len(score.pairs) == pairs or score.seconds > 10 * (tens + 1):
                    tens = int(score.seconds / 10)
                    _progress(self._player or f"{plies}-ply", peer, score, pairs)
        return score

    def _work(self, task: PairTask) -> Task[list[GamePair]]:
        """A task as the hands of a farm take it."""
        title = f"pairs {task.first + 1} to {task.last} against {task.peer}"
        if self._processes == 1:
            return Task(self._players.play, (task,), title)
        return Task(play_task, (self._weights, task), title)


def _progress(player: str, peer: str, score: PairScore, pairs: int) -> None:
    print(
        f"{player} against {peer}: {len(score.pairs)} of {pairs} pairs, {score.adjusted()}, "
        f"{score.seconds:.0f} s",
        file=sys.stderr,
        flush=True,
    )
