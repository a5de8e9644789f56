"""The rules of backgammon one by one, each with the position drawn (see pictures.py)."""

from __future__ import annotations

import random
from itertools import pairwise
from operator import ge

import pytest

from games import registry
from games.backgammon import rules
from games.game import CHANCE, END, Outcome
from tests.games.backgammon.brute import board, random_board, state, turns
from tests.games.backgammon.pictures import after, drawn, has_just, turned
from tests.games.laws.walks import walk

GAME = registry.game("backgammon")

START = """
    x5  .  .  . o3  . | o5  .  .  .  . x2
    o5  .  .  . x3  . | x5  .  .  .  . o2
"""


def test_the_checkers_stand_as_usual_and_nobody_has_rolled() -> None:
    p = GAME.initial()
    assert p.state[:52] == drawn(START, None).state[:52]
    assert p.state[52:] == (-1, 0, 0)
    assert p.to_move == CHANCE


def test_the_opening_roll_is_never_a_double_and_says_who_starts_with_both_dice() -> None:
    p = GAME.initial()
    rolls = [(a, b) for a in range(1, 7) for b in range(1, 7) if a != b]
    assert p.chance() == tuple((10 * a + b, 1) for a, b in rolls)
    for a, b in rolls:
        started = p.apply(10 * a + b)
        assert started.to_move == (0 if a > b else 1)
        assert started.state == (*p.state[:52], started.to_move, max(a, b), min(a, b))


def test_a_later_roll_is_one_of_21_and_two_different_dice_come_twice() -> None:
    p = drawn(START, None)
    assert p.to_move == CHANCE
    assert len(p.chance()) == 21
    assert sum(weight for _, weight in p.chance()) == 36
    for roll, weight in p.chance():
        assert weight == (1 if roll in (11, 22, 33, 44, 55, 66) else 2)
        assert p.apply(roll).state == (*p.state[:52], 0, roll // 10, roll % 10)
        assert turned(p).apply(roll).to_move == 1


EMPTY = ".  .  .  .  .  . |  .  .  .  .  .  ."
O_ON_1 = ".  .  .  .  .  . |  .  .  .  .  . o1"

# The upper row, the lower row (and the bar), the roll, and all the turns there are.  Every other
# case comes up in test_generator.py.
TURNS = {
    "a point that two of the others hold is closed": (
        EMPTY, ".  .  .  . x1  . |  . o1 o2  .  .  .", 41, "8/7/3",
    ),
    "one of the others is hit": (
        EMPTY, ".  .  .  . x1  . |  . o1  .  .  .  .", 32, "8/5*/3, 8/6/3",
    ),
    "one checker can hit twice": (
        EMPTY, ".  .  .  . x1  . |  . o1  . o1  .  .", 32, "8/5*/3*, 8/6/3*",
    ),
    "12/11 would leave no 6, and the 1 is possible elsewhere, so there it must be played": (
        EMPTY, "x1  .  .  . x1  . |  . o2  .  . o2 o2", 61, "12/6 8/7",
    ),
    "of two dice that cannot both be played the larger is": (
        EMPTY, "x1  .  .  .  .  . |  . o2  .  .  .  .", 61, "12/6",
    ),
    "the smaller die alone is played where the larger cannot be": (
        EMPTY, "x1  .  .  .  .  . | o2 o2  .  .  .  .", 61, "12/11",
    ),
    "who is on the bar enters before anything else": (
        "x2  .  .  .  .  . | o2  .  .  .  .  .", f"{EMPTY}\nbar x1", 64, "bar/21/15, bar/21 13/7",
    ),
    "two on the bar both enter": (
        "x2  .  .  .  .  . | o2  .  .  .  .  .", f"{EMPTY}\nbar x2", 43, "bar/21 bar/22",
    ),
    "or one does and nothing else moves": (
        "x2  .  .  .  .  . | o2  .  .  .  .  .", f"{EMPTY}\nbar x2", 64, "bar/21",
    ),
    "two enter with a double and two steps are left": (
        "x2  .  .  .  .  . | o2  .  .  .  .  .", f"{EMPTY}\nbar x2", 55,
        "bar/20(2) 20/15 15/10, bar/20(2) 20/15(2), bar/20(2) 20/15 13/8, bar/20(2) 13/8(2), "
        "bar/20(2) 13/8/3",
    ),
    "checkers are borne off with the exact number": (
        O_ON_1, ".  .  .  .  .  . |  . x1  . x1 x1  .", 32, "3/off 2/off, 5/2/off, 5/2 3/1",
    ),
    "a number above the highest point bears off from there": (
        O_ON_1, ".  .  .  .  .  . |  . x1  .  . x1  .", 65, "5/off 2/off",
    ),
    "and nowhere else": (
        O_ON_1, ".  .  .  .  .  . |  . x1  .  . x1  .", 64, "5/off 2/off, 5/1 2/off",
    ),
    "nobody bears off with a checker outside, but the turn may bring it in first": (
        O_ON_1, ".  .  .  . x1  . | x1  .  .  .  . x1", 61, "8/2 6/5, 8/2/1, 8/2 1/off",
    ),
    "of a double as many as possible are played": (
        "x1  .  .  .  .  . |  .  .  .  .  .  .", ".  .  .  . x1  . |  .  . o2  . o2  .", 33,
        "13/10/7 8/5",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("upper", "lower", "roll", "expected"), TURNS.values(), ids=TURNS)
def test_just_these_turns_are_legal(upper: str, lower: str, roll: int, expected: str) -> None:
    p = drawn(f"{upper}\n{lower}", roll)
    assert has_just(p, *expected.split(", "))
    for turn in expected.split(", "):
        end = after(p, turn).state
        assert end[51] - p.state[51] == turn.count("*"), "who is hit is on the bar"
        assert sum(end[:26]) == sum(end[26:52]) == 15


def test_two_orders_that_meet_are_one_turn() -> None:
    p = drawn(START, 31)
    assert len(p.legal_actions()) == 16
    assert GAME.parse_action(p, "8/5 6/5") == GAME.parse_action(p, "6/5 8/5")
    assert p.legal_notation().count("8/5 6/5") == 1


def test_a_closed_board_forces_a_pass() -> None:
    p = drawn(f"x2  .  .  .  .  . | o2 o2 o2 o2 o2 o2\n{EMPTY}\nbar x1", None)
    for roll, _ in p.chance():
        stuck = p.apply(roll)
        assert stuck.legal_actions() == (0,)
        assert has_just(stuck, "pass")
        assert stuck.apply(0).state == (*p.state[:52], 1, 0, 0)


def test_the_last_checker_may_leave_with_either_die_or_both() -> None:
    for roll in (65, 21, 61, 66, 11):
        p = drawn(f"{O_ON_1}\n.  .  .  .  .  . |  .  .  .  . x1  .", roll)
        assert len(p.legal_actions()) == 1
        assert has_just(p, "2/off")
        assert after(p, "2/off").to_move == END


@pytest.mark.parametrize(
    ("lower", "points", "reason"),
    [
        (".  .  .  .  .  . |  .  .  .  .  . x1", 1, "single"),
        (".  .  .  .  . o1 |  .  .  .  .  . x1", 2, "gammon"),
        (".  .  .  .  .  . | o1  .  .  .  . x1", 3, "backgammon"),
        (".  .  .  .  .  . |  .  .  .  .  . x1\nbar o1", 3, "backgammon"),
        (".  .  .  .  .  . | o1  .  .  .  . x1\nbar o1", 1, "single"),  # saved by one that is off
    ],
)
def test_a_win_counts_by_where_the_loser_stands(lower: str, points: int, reason: str) -> None:
    home = 14 if lower.count("o") < 2 else 12
    p = drawn(f".  .  .  .  .  . |  .  .  .  .  . o{home}\n{lower}", 21)
    assert p.outcome() is None
    assert after(p, "1/off").outcome() == Outcome((points, -points), reason)
    assert after(turned(p), "1/off").outcome() == Outcome((-points, points), reason)
    assert GAME.forfeit(p, 1) == (points, -points), "giving up costs as much"
    assert GAME.forfeit(turned(p), 0) == (-points, points)


def test_who_gives_up_before_anything_has_happened_loses_a_backgammon() -> None:
    assert GAME.forfeit(GAME.initial(), 0) == (-3, 3)


def test_the_most_turns_that_one_roll_is_known_to_offer_are_below_the_bound() -> None:
    p = drawn(
        """
        x1  . x1 x1  . x1 | x1  . x1 x1  . x1
        x1  . x1 x1  . x1 | x1  . x1 x1  .  .
        bar o15
        """,
        11,
    )
    assert len(p.legal_actions()) == len(turns(board(p.state, 0), (1, 1))) == 2226
    assert rules.MAX_LEGAL == 3060


def test_a_key_tells_boards_turns_and_dice_apart() -> None:
    rng = random.Random(6)
    rolls = [(0, 0), *((a, b) for a in range(1, 7) for b in range(1, a + 1))]
    boards = {random_board(rng) for _ in range(100)}
    states = [state(b, roll, seat) for b in boards for roll in rolls for seat in (0, 1)]
    keys = {rules.key(s) for s in states}
    assert len(keys) == len(states) == 4400
    assert all(0 <= k < 2**62 for k in keys)
    for shift in range(0, 52, 10):
        assert len({k >> shift & 1023 for k in keys}) > 950, "any ten bits are nearly all there"


def test_no_turn_loses_a_checker_and_the_other_side_s_move_only_to_the_bar() -> None:
    for here, following in pairwise(walk(GAME, random.Random(3)).positions):
        assert sum(following.state[:26]) == sum(following.state[26:52]) == 15
        if here.to_move >= 0:
            theirs = slice(26, 51) if here.to_move == 0 else slice(0, 25)
            assert all(map(ge, here.state[theirs], following.state[theirs]))
