"""The rules of backgammon one by one, each with the position drawn (see pictures.py)."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import pytest

from games import registry
from games.backgammon import rules
from games.game import CHANCE, END, Outcome
from tests.games.backgammon.brute import board, random_board, state, turns
from tests.games.backgammon.pictures import after, drawn, has_just, turned
from tests.games.walks import walk

GAME = registry.game("backgammon")

START = """
    13 14 15 16 17 18 | 19 20 21 22 23 24
    x5  .  .  . o3  . | o5  .  .  .  . x2
    o5  .  .  . x3  . | x5  .  .  .  . o2
    12 11 10  9  8  7 |  6  5  4  3  2  1
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


def test_a_point_that_two_of_the_others_hold_is_closed_and_one_is_hit() -> None:
    p = drawn(
        """
        13 14 15 16 17 18 | 19 20 21 22 23 24
         .  .  .  .  .  . |  .  .  .  .  .  .
         .  .  .  . x1  . |  . o1 o2  .  .  .
        12 11 10  9  8  7 |  6  5  4  3  2  1
        """,
        41,
    )
    assert has_just(p, "8/7/3")
    p = drawn(
        """
        13 14 15 16 17 18 | 19 20 21 22 23 24
         .  .  .  .  .  . |  .  .  .  .  .  .
         .  .  .  . x1  . |  . o1  .  .  .  .
        12 11 10  9  8  7 |  6  5  4  3  2  1
        """,
        32,
    )
    assert has_just(p, "8/5*/3", "8/6/3")
    assert after(p, "8/5*/3").state[51] == 1
    assert after(p, "8/6/3").state[51] == 0


def test_one_checker_can_hit_twice() -> None:
    p = drawn(
        """
        13 14 15 16 17 18 | 19 20 21 22 23 24
         .  .  .  .  .  . |  .  .  .  .  .  .
         .  .  .  . x1  . |  . o1  . o1  .  .
        12 11 10  9  8  7 |  6  5  4  3  2  1
        """,
        32,
    )
    assert has_just(p, "8/5*/3*", "8/6/3*")
    hit = after(p, "8/5*/3*")
    assert hit.state[51] == 2
    assert hit.state[3] == 1
    assert sum(hit.state[:26]) == sum(hit.state[26:52]) == 15


def test_both_dice_are_played_if_any_order_allows_it() -> None:
    """12/11 would leave no 6; the 1 is possible elsewhere, so there it must be played."""
    p = drawn(
        """
        13 14 15 16 17 18 | 19 20 21 22 23 24
         .  .  .  .  .  . |  .  .  .  .  .  .
        x1  .  .  . x1  . |  . o2  .  . o2 o2
        12 11 10  9  8  7 |  6  5  4  3  2  1
        """,
        61,
    )
    assert has_just(p, "12/6 8/7")


def test_the_smaller_die_comes_first_where_only_that_allows_both() -> None:
    p = drawn(
        """
        13 14 15 16 17 18 | 19 20 21 22 23 24
         .  .  .  .  .  . |  .  .  .  .  .  .
        x1  .  .  .  .  . | o2  .  .  .  .  .
        12 11 10  9  8  7 |  6  5  4  3  2  1
        """,
        61,
    )
    assert has_just(p, "12/11/5")


def test_of_two_dice_that_cannot_both_be_played_the_larger_is() -> None:
    p = drawn(
        """
        13 14 15 16 17 18 | 19 20 21 22 23 24
         .  .  .  .  .  . |  .  .  .  .  .  .
        x1  .  .  .  .  . |  . o2  .  .  .  .
        12 11 10  9  8  7 |  6  5  4  3  2  1
        """,
        61,
    )
    assert has_just(p, "12/6")


def test_the_smaller_die_alone_is_played_where_the_larger_cannot_be() -> None:
    p = drawn(
        """
        13 14 15 16 17 18 | 19 20 21 22 23 24
         .  .  .  .  .  . |  .  .  .  .  .  .
        x1  .  .  .  .  . | o2 o2  .  .  .  .
        12 11 10  9  8  7 |  6  5  4  3  2  1
        """,
        61,
    )
    assert has_just(p, "12/11")


def test_two_orders_that_meet_are_one_turn() -> None:
    p = drawn(START, 31)
    assert len(p.legal_actions()) == 16
    both = {GAME.parse_action(p, text) for text in ("8/5 6/5", "6/5 8/5")}
    assert len(both) == 1
    assert both <= set(p.legal_actions())
    assert p.legal_notation().count(GAME.format_action(p, both.pop())) == 1


def test_who_is_on_the_bar_enters_before_anything_else() -> None:
    p = drawn(
        """
        13 14 15 16 17 18 | 19 20 21 22 23 24
        x2  .  .  .  .  . | o2  .  .  .  .  .
         .  .  .  .  .  . |  .  .  .  .  .  .
        12 11 10  9  8  7 |  6  5  4  3  2  1
        bar x1
        """,
        64,
    )
    assert has_just(p, "bar/21/15", "bar/21 13/7")


def test_two_on_the_bar_both_enter_or_one_does_and_nothing_else_moves() -> None:
    two = """
        13 14 15 16 17 18 | 19 20 21 22 23 24
        x2  .  .  .  .  . | o2  .  .  .  .  .
         .  .  .  .  .  . |  .  .  .  .  .  .
        12 11 10  9  8  7 |  6  5  4  3  2  1
        bar x2
    """
    assert has_just(drawn(two, 43), "bar/21 bar/22")
    assert has_just(drawn(two, 64), "bar/21")
    assert has_just(drawn(two, 66), "pass")
    assert has_just(
        drawn(two, 55),
        "bar/20(2) 20/15 15/10",
        "bar/20(2) 20/15(2)",
        "bar/20(2) 20/15 13/8",
        "bar/20(2) 13/8(2)",
        "bar/20(2) 13/8/3",
    )


def test_a_closed_board_forces_a_pass() -> None:
    p = drawn(
        """
        13 14 15 16 17 18 | 19 20 21 22 23 24
        x2  .  .  .  .  . | o2 o2 o2 o2 o2 o2
         .  .  .  .  .  . |  .  .  .  .  .  .
        12 11 10  9  8  7 |  6  5  4  3  2  1
        bar x1
        """,
        None,
    )
    for roll, _ in p.chance():
        stuck = p.apply(roll)
        assert stuck.legal_actions() == (0,)
        assert has_just(stuck, "pass")
        assert stuck.apply(0).state == (*p.state[:52], 1, 0, 0)


def test_checkers_are_borne_off_with_the_exact_number() -> None:
    p = drawn(
        """
        13 14 15 16 17 18 | 19 20 21 22 23 24
         .  .  .  .  .  . |  .  .  .  .  . o1
         .  .  .  .  .  . |  . x1  . x1 x1  .
        12 11 10  9  8  7 |  6  5  4  3  2  1
        """,
        32,
    )
    assert has_just(p, "3/off 2/off", "5/2/off", "5/2 3/1")
    assert after(p, "3/off 2/off").state[0] == 14


def test_a_number_above_the_highest_point_bears_off_from_there_and_nowhere_else() -> None:
    two = """
        13 14 15 16 17 18 | 19 20 21 22 23 24
         .  .  .  .  .  . |  .  .  .  .  . o1
         .  .  .  .  .  . |  . x1  .  . x1  .
        12 11 10  9  8  7 |  6  5  4  3  2  1
    """
    assert has_just(drawn(two, 64), "5/off 2/off", "5/1 2/off")
    assert has_just(drawn(two, 43), "5/1 2/off", "5/2/off")
    assert has_just(drawn(two, 65), "5/off 2/off")
    assert has_just(drawn(two, 11), "5/4/3/2/1", "5/4/3 2/1/off")


def test_nobody_bears_off_with_a_checker_outside() -> None:
    p = drawn(
        """
        13 14 15 16 17 18 | 19 20 21 22 23 24
         .  .  .  .  .  . |  .  .  .  .  . o1
         .  .  .  . x1  . | x1  .  .  .  . x1
        12 11 10  9  8  7 |  6  5  4  3  2  1
        """,
        61,
    )
    assert has_just(p, "8/2 6/5", "8/2/1", "8/2 1/off")
    p = drawn(
        """
        13 14 15 16 17 18 | 19 20 21 22 23 24
         .  .  .  .  .  . |  .  .  .  .  . o1
         .  .  .  .  . x1 | x1  .  .  .  .  .
        12 11 10  9  8  7 |  6  5  4  3  2  1
        """,
        61,
    )
    assert has_just(p, "7/1 6/5", "7/6 6/off")


def test_who_is_hit_while_bearing_off_has_to_come_round_again() -> None:
    p = drawn(
        """
        13 14 15 16 17 18 | 19 20 21 22 23 24
         .  .  .  .  .  . | o1  .  .  .  .  .
         .  .  .  .  .  . |  .  .  .  . x1 x3
        12 11 10  9  8  7 |  6  5  4  3  2  1
        bar x1
        """,
        65,
    )
    assert has_just(p, "bar/19*/14", "bar/20/14")


def test_of_a_double_as_many_as_possible_are_played() -> None:
    p = drawn(
        """
        13 14 15 16 17 18 | 19 20 21 22 23 24
        x1  .  .  .  .  . |  .  .  .  .  .  .
         .  .  .  . x1  . |  .  . o2  . o2  .
        12 11 10  9  8  7 |  6  5  4  3  2  1
        """,
        33,
    )
    assert has_just(p, "13/10/7 8/5")
    p = drawn(
        """
        13 14 15 16 17 18 | 19 20 21 22 23 24
        x1  .  .  .  .  . |  .  .  .  .  . o1
         .  .  .  . x1  . |  .  .  .  .  .  .
        12 11 10  9  8  7 |  6  5  4  3  2  1
        """,
        33,
    )
    assert has_just(p, "13/10/7/4/1", "13/10/7/4 8/5", "13/10/7 8/5/2")


def test_the_last_checker_may_leave_with_either_die_or_both() -> None:
    last = """
        13 14 15 16 17 18 | 19 20 21 22 23 24
         .  .  .  .  .  . |  .  .  .  .  . o1
         .  .  .  .  .  . |  .  .  .  . x1  .
        12 11 10  9  8  7 |  6  5  4  3  2  1
    """
    for roll in (65, 21, 61, 66, 11):
        p = drawn(last, roll)
        assert len(p.legal_actions()) == 1
        assert has_just(p, "2/off")
        assert after(p, "2/off").to_move == END


SINGLE = """
    13 14 15 16 17 18 | 19 20 21 22 23 24
     .  .  .  .  .  . |  .  .  .  .  . o14
     .  .  .  .  .  . |  .  .  .  .  . x1
    12 11 10  9  8  7 |  6  5  4  3  2  1
"""
GAMMON = """
    13 14 15 16 17 18 | 19 20 21 22 23 24
     .  .  .  .  .  . |  .  .  .  .  . o14
     .  .  .  .  . o1 |  .  .  .  .  . x1
    12 11 10  9  8  7 |  6  5  4  3  2  1
"""
BACKGAMMON = """
    13 14 15 16 17 18 | 19 20 21 22 23 24
     .  .  .  .  .  . |  .  .  .  .  . o14
     .  .  .  .  .  . | o1  .  .  .  . x1
    12 11 10  9  8  7 |  6  5  4  3  2  1
"""
ON_THE_BAR = """
    13 14 15 16 17 18 | 19 20 21 22 23 24
     .  .  .  .  .  . |  .  .  .  .  . o14
     .  .  .  .  .  . |  .  .  .  .  . x1
    12 11 10  9  8  7 |  6  5  4  3  2  1
    bar o1
"""
SAVED_BY_ONE = """
    13 14 15 16 17 18 | 19 20 21 22 23 24
     .  .  .  .  .  . |  .  .  .  .  . o12
     .  .  .  .  .  . | o1  .  .  .  . x1
    12 11 10  9  8  7 |  6  5  4  3  2  1
    bar o1
"""


@pytest.mark.parametrize(
    ("picture", "points", "reason"),
    [
        (SINGLE, 1, "single"),
        (GAMMON, 2, "gammon"),
        (BACKGAMMON, 3, "backgammon"),
        (ON_THE_BAR, 3, "backgammon"),
        (SAVED_BY_ONE, 1, "single"),
    ],
)
def test_a_win_counts_by_where_the_loser_stands(picture: str, points: int, reason: str) -> None:
    p = drawn(picture, 21)
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
        13 14 15 16 17 18 | 19 20 21 22 23 24
        x1  . x1 x1  . x1 | x1  . x1 x1  . x1
        x1  . x1 x1  . x1 | x1  . x1 x1  .  .
        12 11 10  9  8  7 |  6  5  4  3  2  1
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
            theirs = slice(26, 52) if here.to_move == 0 else slice(0, 26)
            old, new = (
                Counter(_points(here.state[theirs])),
                Counter(_points(following.state[theirs])),
            )
            assert set(new - old) <= {25}


def _points(counts: tuple[int, ...]) -> list[int]:
    return [point for point, n in enumerate(counts) for _ in range(n)]
