"""Pebbles, the tests' own game: that it has what it is there for."""

from __future__ import annotations

import random

import pytest

from games import registry
from games.game import CHANCE, END, Outcome, Position
from tests.games.laws.walks import Walk, walk

GAME = registry.game("pebbles")


def at(text: str) -> Position:
    return GAME.parse_position(text)


def games(n: int) -> list[Walk]:
    rng = random.Random(5)
    return [walk(GAME, rng) for _ in range(n)]


def test_an_opening_roll_decides_who_starts() -> None:
    start = GAME.initial()
    assert start.to_move == CHANCE
    assert start.legal_notation() == ("white", "black")
    assert start.chance() == ((0, 3), (1, 2))
    assert start.apply(1).chance() == ((0, 2), (1, 4), (4, 3), (7, 1))
    assert start.apply(1).apply(4).to_move == 1


def test_a_handful_from_whole_heaps_can_be_taken_in_3000_ways() -> None:
    p = at("10/15/20 0/0 0 black hand")
    assert len(p.legal_actions()) == 3_000 == GAME.max_legal
    assert p.legal_notation()[:2] == ("pass", "0-0-1")
    assert p.legal_notation()[-1] == "9-14-19"


def test_a_pass_is_forced_when_no_heap_has_what_the_die_says() -> None:
    p = at("3/2/3 20/17 5 white 4")
    assert p.legal_notation() == ("pass",)
    assert GAME.format_position(p.apply(0)) == "3/2/3 20/17 6 black -"


def test_a_pass_by_choice_is_one_of_several_actions() -> None:
    assert at("1/1/2 20/21 5 white hand").legal_notation() == ("pass", "0-0-1")
    assert at("1/1/1 20/22 5 white hand").legal_notation() == ("pass",)


@pytest.mark.parametrize(
    ("position", "action", "outcome"),
    [
        ("4/5/6 15/15 5 white 4", "4-0-0", Outcome((1.0, -1.0), "heap")),
        ("4/5/6 24/6 5 white 4", "4-0-0", Outcome((2.0, -2.0), "double")),
        ("4/5/7 2/27 5 black 7", "0-0-7", Outcome((-3.0, 3.0), "triple")),
        ("4/5/7 2/27 19 black 1", "0-0-1", Outcome((0.0, 0.0), "turns")),
        ("4/5/7 2/27 19 black 7", "0-0-7", Outcome((-3.0, 3.0), "triple")),
    ],
)
def test_how_games_end(position: str, action: str, outcome: Outcome) -> None:
    p = at(position)
    end = p.apply(GAME.parse_action(p, action))
    assert end.outcome() == outcome
    assert end.to_move == END


def test_giving_up_costs_what_the_loser_holds() -> None:
    assert GAME.forfeit(GAME.initial(), 0) == (-3.0, 3.0)
    assert GAME.forfeit(at("4/5/7 9/20 5 black 7"), 0) == (-2.0, 2.0)
    assert GAME.forfeit(at("4/5/7 9/20 5 black 7"), 1) == (1.0, -1.0)


def test_everything_it_is_there_for_comes_up_in_random_games() -> None:
    played = games(300)
    lengths = sorted(len(w.actions) for w in played)
    seen = [p.legal_notation() for w in played for p in w.positions if p.to_move >= 0]
    returns = {w.positions[-1].outcome().returns[0] for w in played}  # type: ignore[union-attr]
    assert 30 < sum(len(names) == 3_000 for names in seen) < 90
    assert sum(names == ("pass",) for names in seen) > 100
    assert returns == {-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0}
    assert 10 <= lengths[len(lengths) // 2] <= 40
    assert lengths[-1] <= GAME.max_plies


def test_tactic_takes_a_whole_heap() -> None:
    out = [0] * GAME.max_legal
    assert GAME.tactic is not None
    p = at("4/9/4 14/14 5 white 4")
    n = GAME.tactic(list(p.state), out, [])
    assert [GAME.format_action(p, a) for a in out[:n]] == ["0-0-4", "4-0-0"]
