"""Each law finds the games that break it, and says where; good games pass (test_laws.py)."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from games.game import END, BrokenRules, Ints
from games.laws import check
from games.laws.playing import illegal
from games.laws.sample import PLIES, Sample
from tests.games.laws.broken_games import TIC, broken_games

BROKEN = broken_games()
IMPOSSIBLE = {illegal}  # to break: games.game.Position sees to it


@cache
def verdict(name: str) -> check.LawResult:
    return check.check(BROKEN[name].law, Sample(BROKEN[name].game, PLIES // 3))


@pytest.mark.parametrize("name", BROKEN)
def test_a_law_finds_the_game_that_breaks_it(name: str) -> None:
    what = verdict(name).what
    assert what is not None
    assert BROKEN[name].words in what


def test_every_law_can_be_broken() -> None:
    assert {one.law for one in BROKEN.values()} == set(check.LAWS) - IMPOSSIBLE


@pytest.mark.parametrize("name", [name for name, one in BROKEN.items() if one.law in check.QUICK])
def test_what_cannot_be_played_is_refused_at_load(name: str) -> None:
    with pytest.raises(BrokenRules):
        check.check_quickly(BROKEN[name].game)


def test_points_that_few_games_are_worth_are_found_at_load() -> None:
    few = Sample(TIC, check.QUICK_PLIES, check.QUICK_MOST)
    many = Sample(TIC, check.ENDED_PLIES, check.ENDED_PLIES, seed=2)
    seen = {place.position.state for place in few.places()}
    ends = (p.position.state for p in many.places() if p.position.to_move == END)
    rare = next(state for state in ends if state not in seen)

    def points(s: Ints) -> int:
        return 5 if tuple(s) == rare else TIC.points(s)

    with pytest.raises(BrokenRules, match="it is worth 5 points; max_return is 1"):
        check.check_quickly(replace(TIC, points=points))


def test_a_verdict_says_where_and_which_actions_lead_there() -> None:
    found = verdict("bad mover")
    assert found.position is not None
    position = TIC.initial()
    for text in found.path:
        position = position.apply(TIC.parse_action(position, text))
    assert TIC.format_position(position) == found.position
    assert f"in '{found.position}' after {' '.join(found.path)}" in found.sentence()


def test_a_position_that_cannot_be_written_is_shown_as_its_state() -> None:
    found = check.check(illegal, Sample(replace(TIC, format_state=lambda s: str(1 // 0))))
    assert found.what is not None
    assert "format_state() of tic_tac_toe failed" in found.what
    assert "ZeroDivisionError" in found.what
    assert found.position == "state [0, 0, 0]"
