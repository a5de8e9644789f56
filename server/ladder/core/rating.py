"""How strong the players of a ladder are, with honest error bars, as values.

Model: Bradley-Terry with a first-move term.  Of players that differ by d Elo, the one that moves
first is expected to score 1 / (1 + 10^(-(d + first_move) / 400)), and the one that moves second the
same with the sign of `first_move` changed.  A draw is half a point.  The pair is the unit: two
matches with the same opening or dice and the seats swapped.

`fitting` makes these values from pairs, and needs numpy; nothing here does.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

ELO = 400 / math.log(10)  # Elo in one unit of log-odds
UNKNOWN = 1000.0**2  # Elo^2: the variance of a difference of which nothing is known
NOWHERE = -1  # the place of a player in the covariance that is in no pair
NORMAL = 1.959964  # 97.5 % of the normal distribution lie below


class Pairs(NamedTuple):
    """Finished pairs as parallel sequences, one entry a pair, in any order.

    `exact` marks what belongs to an exhausted pairing of deterministic bots, whose result has no
    sampling error; empty means that no pair does.
    """

    one: Sequence[int]  # player numbers, from 0
    two: Sequence[int]
    first: Sequence[float]  # score of `one` in leg 0, where it moves first: 0, 0.5 or 1
    second: Sequence[float]  # score of `one` in leg 1, where it moves second
    exact: Sequence[bool] = ()


class RatingDifference(NamedTuple):
    """How much stronger one player is than another, in Elo, with half the 95 % interval of that.

    `los`, the likelihood of superiority, is the chance that it is the better one at all.
    """

    elo: float
    error: float
    los: float


class Ratings(Struct, frozen=True):
    """The ratings of all players, by number, in Elo.

    Elo counts from the pinned player, which has 0, or in a group without it from the group's mean,
    in which each player has its `share`.
    `error` is half the 95 % interval of the distance to the mean of the group, the *field*, pinned
    or not: of the distance to one player, such as the pinned one, `difference` has the interval.
    Both are None without a pair.  `group` numbers the connected parts of the graph of pairings: 0
    is the pinned player's, or, with none pinned, the largest; between groups nothing is known.
    """

    elo: tuple[float | None, ...]
    error: tuple[float | None, ...]
    group: tuple[int, ...]
    first_move: float  # what moving first is worth
    first_move_error: float
    covariance: tuple[Sequence[float], ...] = ()  # Elo^2; of differences, see `spread`
    uneven: tuple[float | None, ...] = ()  # see `fitting.unevenness`
    most_from: tuple[int | None, ...] = ()  # the opponent that gave each most beyond its rating
    place: tuple[int, ...] = ()  # of each player in `covariance`; empty: its number
    share: tuple[float | None, ...] = ()  # of each in the mean; empty: all the same

    def departure(self, player: int) -> tuple[float | None, int | None]:
        """Return how uneven a player's results are, and whom it has most from; None: not known."""
        if player >= len(self.uneven):
            return None, None
        return self.uneven[player], self.most_from[player]

    def spread(self, i: int, j: int) -> float:
        """Return the variance of the difference of two players, Elo^2; at most UNKNOWN."""
        if i == j:
            return 0.0
        return UNKNOWN if self.group[i] != self.group[j] else min(UNKNOWN, self._variance(i, j))

    def difference(self, i: int, j: int) -> RatingDifference | None:
        """Return how much stronger player `i` is than `j`; None where nothing compares the two."""
        if max(i, j) >= len(self.elo) or self.group[i] != self.group[j]:
            return None
        one, two = self.elo[i], self.elo[j]
        if one is None or two is None:
            return None
        apart, deviation = one - two, math.sqrt(self._variance(i, j))
        return RatingDifference(apart, NORMAL * deviation, superiority(apart, deviation))

    def mean(self, group: int = 0) -> float | None:
        """Return the mean of a group's ratings, on their scale; None while no player has one."""
        shares = self.share or (1.0,) * len(self.elo)
        rated = [
            (elo, share or 0.0)
            for elo, own, share in zip(self.elo, self.group, shares, strict=True)
            if elo is not None and own == group
        ]
        total = math.fsum(share for _, share in rated)
        return math.fsum(elo * share for elo, share in rated) / total if rated else None

    def _variance(self, i: int, j: int) -> float:
        """Return the variance of the difference of two players of one group, Elo^2."""
        rows = self.covariance
        if self.place:
            i, j = self.place[i], self.place[j]
        if NOWHERE in (i, j):
            return UNKNOWN
        return max(0.0, rows[i][i] + rows[j][j] - 2 * rows[i][j])


def available() -> bool:
    """Return whether `fitting` can be imported: numpy is here."""
    return importlib.util.find_spec("numpy") is not None


def expected(difference: float) -> float:
    """Elo to the expected score: 0 gives 0.5, 400 gives 10/11."""
    return 0.5 + 0.5 * math.tanh(difference / ELO / 2)


def superiority(apart: float, deviation: float) -> float:
    """Return the chance that a difference is above 0 which was found to be `apart`.

    That of a normal distribution, either being equally likely before; a half where both have the
    same exact result.
    """
    if deviation > 0:
        return 0.5 * math.erfc(-apart / (deviation * math.sqrt(2)))
    return 0.5 if apart == 0 else float(apart > 0)


def mean_error(values: Mapping[float, int]) -> tuple[float, float | None]:
    """Return the mean of one value a pair, by how often each has come, and half its 95 % interval.

    The interval is None where the values cannot tell it: fewer than two, or all alike.
    """
    count = sum(values.values())
    mean = math.fsum(value * times for value, times in values.items()) / count if count else 0.0
    if count < 2 or len(values) == 1:
        return mean, None
    squares = math.fsum(times * (value - mean) ** 2 for value, times in values.items())
    variance = squares / (count - 1)
    return mean, student(count - 1) * math.sqrt(variance / count)


def student(freedom: float) -> float:
    """Return what 97.5 % of Student's distribution lie below, for at least one degree of freedom.

    Cornish-Fisher (Abramowitz and Stegun, 26.7.5); too small by 1 % at three degrees, below that
    the two tabled values, the first of them for everything up to one and a half.
    """
    if freedom < 2.5:
        return 12.706 if freedom < 1.5 else 4.303
    z = NORMAL
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + sum(term / freedom ** (k + 1) for k, term in enumerate(terms))
