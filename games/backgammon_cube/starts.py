"""How a game with the cube begins: the starts by name, and the first state by the terms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from games.backgammon_cube.rules import (
    BEAVERS,
    CRAWFORD,
    EACH,
    JACOBY,
    LENGTH,
    LIMIT,
    RULES,
    SCORE,
    STATE,
    setup,
)
from games.game import MatchTerms, UnplayableTerms

MAX_POINTS: Final = 25  # points of a match
TRIALS: Final = (  # terms by which the laws of games try the rules
    MatchTerms(jacoby=True, beavers=True),
    MatchTerms(points=7, score=(5, 2)),
    MatchTerms(start="nackgammon", points=3, score=(0, 2), crawford=True),
    MatchTerms(start="hypergammon", cube=False),
)


class StartBoard(NamedTuple):
    """How many checkers a side has, and where they stand, by its own points."""

    each: int
    points: dict[int, int]


STARTS: Final = {
    "standard": StartBoard(15, {24: 2, 13: 5, 8: 3, 6: 5}),
    "nackgammon": StartBoard(15, {24: 2, 23: 2, 13: 4, 8: 3, 6: 4}),  # by N. Ballard
    "hypergammon": StartBoard(3, {24: 1, 23: 1, 22: 1}),
}


def begin(terms: MatchTerms) -> list[int]:
    """Return the first state by these terms; the opening roll is next.

    Raises:
        UnplayableTerms: no match can be played by them; the message says why.
    """
    _check(terms)
    s = [0] * STATE
    setup(s)
    start = STARTS[terms.start or "standard"]
    s[:52] = board(start)
    s[EACH] = start.each
    if not terms.cube:
        s[LIMIT] = 0
    s[LENGTH], s[SCORE : SCORE + 2] = terms.points, list(terms.score)
    s[RULES] = CRAWFORD * terms.crawford + JACOBY * terms.jacoby + BEAVERS * terms.beavers
    return s


def board(start: StartBoard) -> list[int]:
    """Return the checkers of both sides as the state holds them."""
    side = [start.points.get(point, 0) for point in range(26)]
    return side + side


def is_a_start(s: Sequence[int]) -> bool:
    """Return whether a state's checkers stand as at some start."""
    return (list(s[:52]), s[EACH]) in [(board(start), start.each) for start in STARTS.values()]


def _check(terms: MatchTerms) -> None:
    if terms.start and terms.start not in STARTS:
        raise UnplayableTerms(
            f"there is no start {terms.start[:20]!r}; there are {', '.join(STARTS)}"
        )
    if not 0 <= terms.points <= MAX_POINTS:
        raise UnplayableTerms(f"a match is to 1 to {MAX_POINTS} points, not to {terms.points}")
    if terms.points and (terms.jacoby or terms.beavers):
        rule = "the Jacoby rule" if terms.jacoby else "beavers"
        raise UnplayableTerms(f"{rule}: that is for games of money, not for a match to points")
    if not terms.cube and (terms.jacoby or terms.beavers):
        rule = "the Jacoby rule" if terms.jacoby else "beavers"
        raise UnplayableTerms(f"{rule}: that is for games with the cube")
    if complaint := of_score(terms.points, terms.score, terms.crawford):
        raise UnplayableTerms(complaint)


def of_score(length: int, score: tuple[int, int], crawford: bool) -> str:
    """Return what contradicts itself in the score before a game; empty if nothing does."""
    if length == 0:
        return "the Crawford game is one of a match to points" if crawford else ""
    if max(score) >= length:
        return f"at {score[0]} to {score[1]} a match to {length} points is over"
    if crawford and max(score) < length - 1:
        return f"nobody lacks one point of {length}, so it is not the Crawford game"
    if crawford and length > 1 and min(score) == length - 1:
        return "both sides lack one point, so the Crawford game is over"
    return ""
