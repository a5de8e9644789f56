"""What was played of a cell, as sums, and what follows from it with 95 % intervals.

The unit is a pair: two games with the seats swapped.  Rates of wins, draws and losses have Wilson's
interval over games, as each game of a sweep has random numbers of its own.  The score of games that
are paired, with one opening or the same dice for both, has the interval of its pairs
(lab/arena/score.py).  A mean time a choice is a ratio of two sums, so its interval comes from the
spread of what is left of the times of pairs after it (the delta method).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from lab.arena.score import Z95, PairTally, Tally

LOST, DRAWN, WON = 0, 1, 2  # a game, as A sees it


class Measurement(NamedTuple):
    """A figure and its 95 % interval."""

    value: float
    low: float
    high: float

    def row(self, digits: int = 4) -> dict[str, float | None]:
        """Plain values for JSON, which has no infinity."""
        return {
            name: round(value, digits) if math.isfinite(value) else None
            for name, value in self._asdict().items()
        }


class EffortSums(msgspec.Struct, kw_only=True):
    """What one bot spent, summed over pairs: choices, nodes and milliseconds of each clock.

    `cut`: choices that the budget ended before a depth that was asked for.
    `*_squares`: of the milliseconds of a pair; `*_products`: these times its choices.
    """

    choices: int = 0
    choice_squares: int = 0
    nodes: int = 0
    cut: int = 0
    wall_ms: float = 0.0
    wall_squares: float = 0.0
    wall_products: float = 0.0
    cpu_ms: float = 0.0
    cpu_squares: float = 0.0
    cpu_products: float = 0.0

    def add(self, choices: int, nodes: int, wall_ms: float, cpu_ms: float, cut: int = 0) -> None:
        """Add a pair."""
        self.choices += choices
        self.choice_squares += choices * choices
        self.nodes += nodes
        self.cut += cut
        self.wall_ms += wall_ms
        self.wall_squares += wall_ms * wall_ms
        self.wall_products += wall_ms * choices
        self.cpu_ms += cpu_ms
        self.cpu_squares += cpu_ms * cpu_ms
        self.cpu_products += cpu_ms * choices

    def merge(self, other: EffortSums) -> None:
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def round(self) -> None:
        """Drop what no figure shows: less than a 10,000th of a millisecond in a sum."""
        for name in self.__struct_fields__:
            setattr(self, name, round(getattr(self, name), 4))

    def wall(self, pairs: int) -> Measurement:
        """Milliseconds a choice, by the wall's clock."""
        return self._each(pairs, self.wall_ms, self.wall_squares, self.wall_products)

    def cpu(self, pairs: int) -> Measurement:
        """Milliseconds a choice, of CPU."""
        return self._each(pairs, self.cpu_ms, self.cpu_squares, self.cpu_products)

    def _each(self, pairs: int, total: float, squares: float, products: float) -> Measurement:
        if not self.choices:
            return Measurement(0.0, 0.0, math.inf)
        mean = total / self.choices
        if pairs < 2:
            return Measurement(mean, 0.0, math.inf)
        left = max(0.0, squares - 2 * mean * products + mean * mean * self.choice_squares)
        half = Z95 * math.sqrt(left * pairs / (pairs - 1)) / self.choices
        return Measurement(mean, max(0.0, mean - half), mean + half)


class CellSample(msgspec.Struct, kw_only=True):
    """Some pairs of a cell, as A sees them.

    outcomes   how many pairs ended so: 3 * (A's game in seat 0) + (A's game in seat 1), each of
               them LOST, DRAWN or WON
    points     A's a game, summed over pairs; `squares`: squared and summed
    failures   games that A, and B, lost by an error or an illegal choice
    seconds    that all of it took, between the choices too
    """

    pairs: int = 0
    outcomes: list[int] = msgspec.field(default_factory=lambda: [0] * 9)
    points: float = 0.0
    squares: float = 0.0
    plies: int = 0
    failures: list[int] = msgspec.field(default_factory=lambda: [0, 0])
    seconds: float = 0.0
    a: EffortSums = msgspec.field(default_factory=EffortSums)
    b: EffortSums = msgspec.field(default_factory=EffortSums)

    def add(self, points: tuple[float, float], plies: int) -> None:
        """Add a pair, by A's points in seat 0 and in seat 1, and the plies of both games."""
        first, second = (LOST if p < 0 else WON if p > 0 else DRAWN for p in points)
        self.pairs += 1
        self.outcomes[3 * first + second] += 1
        mean = sum(points) / 2
        self.points += mean
        self.squares += mean * mean
        self.plies += plies

    def merge(self, other: CellSample) -> None:
        """Add what another sample has."""
        self.outcomes = [x + y for x, y in zip(self.outcomes, other.outcomes, strict=True)]
        self.failures = [x + y for x, y in zip(self.failures, other.failures, strict=True)]
        for name in ("pairs", "points", "squares", "plies", "seconds"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.a.merge(other.a)
        self.b.merge(other.b)

    @property
    def games(self) -> int:
        return 2 * self.pairs

    def by_seat(self, seat: int) -> Tally:
        """A's wins, draws and losses in the games in which it had this seat."""
        step = (3, 1)[seat]
        counts = [0, 0, 0]
        for code, n in enumerate(self.outcomes):
            counts[code // step % 3] += n
        return Tally(counts[WON], counts[DRAWN], counts[LOST])

    @property
    def tally(self) -> Tally:
        first, second = self.by_seat(0), self.by_seat(1)
        return Tally(*(x + y for x, y in zip(first, second, strict=True)))

    def _pairs_by(self, score: Callable[[int, int], int]) -> PairTally:
        """The pairs by a score that follows from A's games in seat 0 and in seat 1."""
        counts = [0] * 5
        for code, n in enumerate(self.outcomes):
            counts[score(*divmod(code, 3))] += n
        return PairTally(tuple(counts))

    @property
    def pair_tally(self) -> PairTally:
        """The pairs by A's score."""
        return self._pairs_by(lambda first, second: first + second)

    def first_mover(self) -> PairTally:
        """The pairs by the score of the bot at seat 0."""
        return self._pairs_by(lambda first, second: first + WON - second)

    def draws(self) -> PairTally:
        """The pairs by how many of their games were drawn, as if that were the score."""
        return self._pairs_by(lambda first, second: 2 * ((first == DRAWN) + (second == DRAWN)))

    def points_a_game(self) -> Measurement:
        """A's points a game, by the spread of the pairs."""
        n = self.pairs
        mean = self.points / n if n else 0.0
        if n < 2:
            return Measurement(mean, -math.inf, math.inf)
        half = Z95 * math.sqrt(max(0.0, self.squares - n * mean * mean) / (n - 1) / n)
        return Measurement(mean, mean - half, mean + half)


def rate(count: int, of: int) -> Measurement:
    """The share of `count` in `of` games, with Wilson's interval."""
    tally = Tally(wins=count, losses=of - count)
    return Measurement(count / of if of else math.nan, *tally.interval())
