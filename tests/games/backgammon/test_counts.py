"""Backgammon's rules against numbers that others have counted."""

from __future__ import annotations

import pytest

from games import registry
from games.backgammon import rules
from games.game import Position
from games.laws.perft import perft
from tests.games.backgammon.pictures import ways

GAME = registry.game("backgammon")

# Turns from the starting position, by roll: as many does GNU Backgammon's generator find (asked
# through the package gnubg-nn 1.1.0a11, whose positions are the same ones as ours).
FIRST_TURNS = {
    11: 42, 21: 15, 22: 75, 31: 16, 32: 17, 33: 73, 41: 14, 42: 18, 43: 17, 44: 52, 51: 8, 52: 8,
    53: 9, 54: 9, 55: 4, 61: 10, 62: 14, 63: 14, 64: 14, 65: 7, 66: 11,
}  # fmt: skip
FIRST_POSITIONS = 406  # different ones among those 447, by the same generator

# Sequences of n actions, dice included: 30 opening rolls, twice the 190 turns above that are no
# doubles, 21 rolls each, and then 178,306 turns, again as GNU Backgammon counts them.
PERFT = [30, 380, 7980, 178306]

# Of 36 rolls, those that hit a blot so many pips away with nothing between: bkgm.com, "Backgammon
# odds", and every book.
SHOTS = {
    1: 11, 2: 12, 3: 14, 4: 15, 5: 15, 6: 17, 7: 6, 8: 6, 9: 5, 10: 3, 11: 2, 12: 3, 13: 0, 14: 0,
    15: 1, 16: 1, 17: 0, 18: 1, 19: 0, 20: 1, 21: 0, 22: 0, 23: 0, 24: 1,
}  # fmt: skip

# Of 36 rolls, those that bear off the last one or two checkers, from these points: K. Sengoku,
# "Dice tables: bearing off the last two checkers", bkgm.com.
LAST_TWO = {
    (1, 0): 36, (2, 0): 36, (3, 0): 36, (4, 0): 34, (5, 0): 31, (6, 0): 27,
    (1, 1): 36, (2, 1): 36, (3, 1): 34, (4, 1): 29, (5, 1): 23, (6, 1): 15,
    (2, 2): 26, (3, 2): 25, (4, 2): 23, (5, 2): 19, (6, 2): 13,
    (3, 3): 17, (4, 3): 17, (5, 3): 14, (6, 3): 10,
    (4, 4): 11, (5, 4): 10, (6, 4): 8,
    (5, 5): 6, (6, 5): 6,
    (6, 6): 4,
}  # fmt: skip

ENTERING = {0: 36, 1: 35, 2: 32, 3: 27, 4: 20, 5: 11, 6: 0}  # by closed points: 36 - closed ** 2


def to_roll(mine: list[int], theirs: list[int], seat: int = 0) -> Position:
    """`seat` to roll with checkers on these points, each side's own; the others are borne off."""
    s = [0] * rules.STATE
    for base, points in ((26 * seat, mine), (26 - 26 * seat, theirs)):
        for point in points:
            s[base + point] += 1
        s[base] += 15 - len(points)
    s[52] = seat
    return Position(GAME, tuple(s))


def test_the_first_roll_has_as_many_turns_as_gnu_backgammon_finds() -> None:
    start = GAME.initial().state
    ends = set()
    for roll, count in FIRST_TURNS.items():
        p = Position(GAME, (*start[:52], 0, *divmod(roll, 10)))
        assert len(p.legal_actions()) == count, roll
        ends |= {p.apply(action) for action in p.legal_actions()}
    assert len(ends) == FIRST_POSITIONS


def test_the_first_two_turns_come_in_as_many_ways_as_gnu_backgammon_finds() -> None:
    assert 2 * sum(count for roll, count in FIRST_TURNS.items() if roll % 11) == PERFT[1]
    assert perft(GAME, 4) == PERFT


@pytest.mark.parametrize("seat", [0, 1])
def test_a_blot_is_hit_as_often_as_the_books_say(seat: int) -> None:
    for distance, count in SHOTS.items():
        p = to_roll([25], [distance], seat)
        assert ways(p, lambda s: s[51 - 26 * seat] > 0) == count, distance


@pytest.mark.parametrize("seat", [0, 1])
def test_the_last_checkers_are_borne_off_as_often_as_the_books_say(seat: int) -> None:
    for points, count in LAST_TWO.items():
        p = to_roll([point for point in points if point > 0], [1], seat)
        assert ways(p, lambda s: s[26 * seat] == 15) == count, points


@pytest.mark.parametrize("seat", [0, 1])
def test_a_checker_enters_as_often_as_the_books_say(seat: int) -> None:
    for closed, count in ENTERING.items():
        p = to_roll([25], [*[1, 2, 3, 4, 5, 6][:closed] * 2, 24], seat)
        expected = ways(p, lambda s: s[25 + 26 * seat] == 0)
        assert expected == count == 36 - closed**2
