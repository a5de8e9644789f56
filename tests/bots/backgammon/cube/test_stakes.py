"""What a game is played for: what may be said of it, and what points are worth then."""

from __future__ import annotations

import pytest

from bots.backgammon.cube.stakes import Stakes, match_chance, prices, worths
from bots.backgammon.kernels.cube import MIDDLE, WORTH
from bots.backgammon.nets import MONEY_PRICES
from tests.bots.backgammon.cube.tables import plain_table

TABLE = plain_table()


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"cube": 3}, "1, 2, 4, 8"),
        ({"cube": 0}, "1, 2, 4, 8"),
        ({"owner": 2}, "seat 0, to seat 1 or to nobody"),
        ({"crawford": True}, "no Crawford game in money play"),
        ({"crawford_over": True}, "no Crawford game in money play"),
        ({"away": (3, 4), "jacoby": True}, "belong to money play"),
        ({"away": (3, 4), "beavers": True}, "belong to money play"),
        ({"away": (0, 4)}, "needs 1 to 25 points"),
        ({"away": (4, 26)}, "needs 1 to 25 points"),
        ({"away": (2, 4), "crawford": True}, "somebody needs one point"),
        ({"away": (2, 4), "crawford_over": True}, "somebody needs one point"),
        ({"away": (1, 4), "crawford": True, "crawford_over": True}, "stays in the middle"),
        ({"away": (1, 4), "crawford": True, "cube": 2}, "stays in the middle"),
        ({"away": (1, 4), "crawford": True, "owner": 1}, "stays in the middle"),
    ],
)  # fmt: skip
def test_stakes_that_cannot_be_are_refused_with_a_reason(said: dict[str, object], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Stakes(**said)  # type: ignore[arg-type]


def test_who_may_double_and_what_follows() -> None:
    middle, owned = Stakes(), Stakes(cube=2, owner=1)
    assert middle.may_double(0)
    assert middle.may_double(1)
    assert not owned.may_double(0)
    assert owned.may_double(1)
    assert not Stakes(away=(1, 3), crawford=True).may_double(1)
    assert owned.doubled(1) == Stakes(cube=4, owner=0)
    assert middle.doubled(1).doubled(0) == Stakes(cube=4, owner=1)


def test_for_money_points_are_worth_themselves() -> None:
    worth = worths(Stakes(cube=8, owner=1), 0)
    assert len(worth) == WORTH
    assert [worth[MIDDLE + n] for n in (-3, 0, 1, 192)] == [-3, 0, 1, 192]
    assert prices(Stakes()) == MONEY_PRICES
    assert prices(Stakes(cube=4, owner=0)) == MONEY_PRICES
    assert prices(Stakes(jacoby=True)) == (2, 0, 0, 0, 0) * 2
    assert prices(Stakes(jacoby=True, cube=2, owner=1)) == MONEY_PRICES


def test_in_a_match_points_are_worth_the_score_that_they_lead_to() -> None:
    """A point away is worth 1 / (a + b) of the way in this table, except at its end."""
    stakes = Stakes(away=(3, 2))
    mine, theirs = worths(stakes, 0, TABLE), worths(stakes, 1, TABLE)
    chances = [(1 + mine[MIDDLE + n]) / 2 for n in (-3, -2, -1, 0, 1, 2, 3, 9)]
    assert chances == pytest.approx([0, 0, 1 / 4, 2 / 5, 2 / 4, 2 / 3, 1, 1])
    assert theirs == pytest.approx([-value for value in reversed(mine)])


def test_after_the_crawford_game_the_other_table_counts() -> None:
    for stakes in (Stakes(away=(1, 3), crawford=True), Stakes(away=(1, 3), crawford_over=True)):
        worth = worths(stakes, 1, TABLE)
        assert (1 + worth[MIDDLE + 1]) / 2 == pytest.approx(TABLE.after[1])
        assert worth[MIDDLE + 3] == 1
        assert worth[MIDDLE - 1] == -1


def test_gammons_count_what_they_bring_at_the_score() -> None:
    """Two points from the match, with the cube at 2, nobody needs a gammon; one who needs four
    does, and its price is what it adds, where the difference from a loss to a win is 2."""
    got = prices(Stakes(away=(2, 4), cube=2, owner=0), TABLE)
    assert got[:3] == pytest.approx((2, 0, 0))
    win, loss, both = 2 / 4, 0.0, 1.0
    assert got[5:8] == pytest.approx((2, 2 * (both - win) / (win - loss), 0))
    assert got[3:5] == pytest.approx([-x for x in got[6:8]])
    assert got[8:10] == pytest.approx([-x for x in got[1:3]])


def test_priced_points_become_a_chance_to_win_the_match() -> None:
    stakes = Stakes(away=(3, 2))
    assert match_chance(stakes, 0, 1.0, TABLE) == pytest.approx(2 / 4)
    assert match_chance(stakes, 0, -1.0, TABLE) == pytest.approx(1 / 4)
    assert match_chance(stakes, 1, 0.0, TABLE) == pytest.approx(5 / 8)
