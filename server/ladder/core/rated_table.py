"""Ratings from a table of results, without a ladder: for tournaments and sweeps on one machine.

    table = rate([PairResult("mcts 400", "random", 1.0, 0.5), ...], zero="random")
    for row in table.rows:
        print(row.player, row.elo, "±", row.error)       # ± to the mean of all
    table.difference("mcts 400", "mcts 200")             # Elo, ± of just that, and LOS

It needs numpy.  The unit is a pair: two matches with the same opening or dice and the seats
swapped, one after the other or side by side.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from server.ladder.core import fitting
from server.ladder.core.rating import Pairs, RatingDifference, Ratings


class PairResult(NamedTuple):
    """Two matches.  `first`: the score of `one` where it moved first, `second` where `two` did;
    each 0, 0.5 or 1.
    """

    one: str
    two: str
    first: float
    second: float


class RatedPlayer(NamedTuple):
    """A player's rating in Elo, with half the 95 % interval of its distance to the group's mean.

    `group`: 0 for all that can be compared with the zero, or for the largest group.
    """

    player: str
    elo: float
    error: float
    group: int
    pairs: int


class RatedTable(NamedTuple):
    """The players, the best first, group by group.  `mean`: of the ratings in group 0, in Elo."""

    rows: tuple[RatedPlayer, ...]
    mean: float
    ratings: Ratings
    numbers: dict[str, int]  # of each player in `ratings`

    def difference(self, one: str, two: str) -> RatingDifference | None:
        """Return how much stronger one is than the other; None where no chain of pairs says it.

        Raises:
            KeyError: one of the two is in no pair.
        """
        return self.ratings.difference(self.numbers[one], self.numbers[two])


def rate(results: Iterable[PairResult], zero: str | None = None) -> RatedTable:
    """Rate all who are in these pairs.

    `zero`: whose rating is 0; without it, or if it is in no pair, 0 is the mean of each group.

    Raises:
        ValueError: there is no pair, somebody plays itself, or a score is none.
    """
    numbers: dict[str, int] = {}
    pairs: list[tuple[int, int, float, float]] = []
    for one, two, *scores in results:
        if one == two:
            raise ValueError(f"{one} cannot be rated against itself")
        if any(score not in (0.0, 0.5, 1.0) for score in scores):
            raise ValueError(f"{one} against {two}: a score is 0, 0.5 or 1, not {scores}")
        sides = [numbers.setdefault(player, len(numbers)) for player in (one, two)]
        pairs.append((sides[0], sides[1], scores[0], scores[1]))
    if not pairs:
        raise ValueError("without a pair nobody can be rated")
    ratings = fitting.fit(
        len(numbers), Pairs(*zip(*pairs, strict=True)), numbers.get(zero) if zero else None
    )
    played = [0] * len(numbers)
    for one_number, two_number, _, _ in pairs:
        played[one_number] += 1
        played[two_number] += 1
    rows = [
        RatedPlayer(player, elo, error, ratings.group[number], played[number])
        for player, number in numbers.items()
        if (elo := ratings.elo[number]) is not None and (error := ratings.error[number]) is not None
    ]
    rows.sort(key=lambda row: (row.group, -row.elo))
    return RatedTable(tuple(rows), ratings.mean() or 0.0, ratings, numbers)
