"""The law of playouts finds an action that is preferred, and weighs the dice."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import exp

import pytest

from games import registry
from games.game import CHANCE
from games.laws.playouts import SURE, p_value, shares


def test_the_law_finds_an_action_that_is_preferred() -> None:
    """A die that shows one of three outcomes twice as often as it should."""
    chances = {(i,): Fraction(1, 3) for i in range(3)}
    fair = Counter({(0,): 330, (1,): 345, (2,): 325})
    crooked = Counter({(0,): 500, (1,): 250, (2,): 250})
    assert p_value(fair, chances, 1_000) == pytest.approx(exp(-0.325))  # chi-square 0.65
    assert p_value(crooked, chances, 1_000) < SURE


def test_dice_are_weighed() -> None:
    backgammon = registry.game("backgammon")
    roll = dict(shares(backgammon.initial()))
    assert backgammon.initial().to_move == CHANCE
    assert set(roll.values()) == {Fraction(1, 30)}
