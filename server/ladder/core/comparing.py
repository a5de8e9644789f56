"""How the players of a ladder differ, on the wire: pair by pair, with intervals and chances.

Standings say how far each player is from the mean of all.  The difference of two of them has an
interval of its own, which is no sum of theirs: it comes from the covariance of the fit, N x N
numbers, of which a request gets those that it asks for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, islice
from typing import Final

from protocol import ladder as wire
from protocol.errors import Code, Refusal
from server.ladder.core import standing
from server.ladder.core.formats import names_player
from server.ladder.core.ladder import Ladder
from server.ladder.core.rating import Ratings

MAX_MENTIONED: Final = 10  # players in a sentence


def differences(
    ladder: Ladder, ratings: Ratings | None, rated: int, names: Sequence[str]
) -> wire.LadderDifferences:
    """Return how these players differ, each from each; one from everybody; none: the best ones.

    Where nothing compares two, or one has no rating yet, they are left out.

    Raises:
        Refusal: ladder/no-player.
    """
    chosen = [find(ladder, name) for name in names]
    for place, number in enumerate(chosen):
        if number in chosen[:place]:
            title = ladder.players[number].title
            raise Refusal(Code.LADDER_NO_PLAYER, f"{title} is there twice: compare it with another")
    numbers, couples = _couples(ladder, ratings, chosen)
    return wire.LadderDifferences(
        ladder=ladder.made.name,
        rated=rated,
        players=tuple(ladder.players[number].title for number in numbers),
        differences=tuple(
            wire.Difference(
                one=i,
                two=j,
                elo=round(apart.elo, 1) + 0.0,  # which makes 0.0 of -0.0
                error=round(apart.error, 1),
                los=round(apart.los, 4),
            )
            for i, j in couples
            if ratings is not None
            and (apart := ratings.difference(numbers[i], numbers[j])) is not None
        ),
    )


def _couples(
    ladder: Ladder, ratings: Ratings | None, chosen: Sequence[int]
) -> tuple[Sequence[int], Iterable[tuple[int, int]]]:
    """Return the players by number, and which two of them, by place, are compared."""
    if len(chosen) == 1:
        others = _rated(ladder, ratings, wire.MAX_RIVALS, but=chosen[0])
        return [*chosen, *others], ((0, place) for place in range(1, len(others) + 1))
    numbers = chosen or _rated(ladder, ratings, wire.MAX_COMPARED)
    return numbers, combinations(range(len(numbers)), 2)


def _rated(ladder: Ladder, ratings: Ratings | None, most: int, but: int | None = None) -> list[int]:
    """Return the best players with a rating, by number, at most so many."""
    if ratings is None:
        return []
    best = (player.number for player in standing.ranked(ladder, ratings))
    rated = (n for n in best if n < len(ratings.elo) and ratings.elo[n] is not None and n != but)
    return list(islice(rated, most))


def find(ladder: Ladder, name: str) -> int:
    """Return the player with this title, or the only one that a shorter name means.

    Raises:
        Refusal: ladder/no-player.
    """
    wanted = name.strip()
    meant = [p for p in ladder.players if p.title == wanted]
    meant = meant or [p for p in ladder.players if names_player(wanted, p.title)]
    if len(meant) == 1:
        return meant[0].number
    titles = [player.title for player in meant or ladder.players]
    listed = ", ".join(titles[:MAX_MENTIONED]) + (", ..." if len(titles) > MAX_MENTIONED else "")
    whole = f"{wanted[:60]!r} of {ladder.made.name}"
    if meant:
        raise Refusal(Code.LADDER_NO_PLAYER, f"{whole} may be any of: {listed}")
    there = f"there are: {listed}" if titles else "nobody has joined yet"
    raise Refusal(Code.LADDER_NO_PLAYER, f"there is no {whole}; {there}")
