"""One ply of expectation, held against the same sums written with Position."""

from __future__ import annotations

import pytest

from bots.backgammon.handmade import Handmade
from bots.engine import compiled
from games import registry as games
from games.game import END, Position
from tests.bots.positions import walk

GAME = games.game("backgammon")


def static(position: Position, seat: int) -> int:
    """What the position is worth to `seat`, which has just played."""
    outcome = position.outcome()
    if outcome is not None:
        return int(outcome.returns[seat]) * 10_000 // GAME.max_return
    assert GAME.evaluate is not None
    return -GAME.evaluate(list(position.state))


def expectation(position: Position, action: int) -> float:
    """The value of a turn by the book, for the seat that plays it."""
    seat, after = position.to_move, position.apply(action)
    if after.to_move == END:
        return float(static(after, seat))
    total = 0
    for roll, weight in after.chance():
        rolled = after.apply(roll)
        total += weight * max(
            static(rolled.apply(reply), 1 - seat) for reply in rolled.legal_actions()
        )
    return -total / 36


def early() -> Position:
    return walk(GAME, 2, seed=3)[0]


def test_candidates_are_worth_the_average_of_their_best_replies() -> None:
    position = early()
    found, _ = Handmade(GAME, 1).think(position, 10**6, [0], candidates=2, gap=20_000)
    assert len(found) == 2
    assert found == sorted(found, key=lambda pair: -pair[1])
    for action, value in found:
        assert value == pytest.approx(expectation(position, action))


def test_a_small_budget_plays_what_looks_best_at_once() -> None:
    desk = Handmade(GAME, 0)
    for position in walk(GAME, 24, seed=9):
        actions = position.legal_actions()
        choice = desk.choose(position, len(actions), [0])
        looks = {a: static(position.apply(a), position.to_move) for a in actions}
        assert looks[choice.action] == max(looks.values())
        assert choice.nodes == len(actions)


def test_a_budget_too_small_for_all_turns_takes_some_of_them_by_chance() -> None:
    position = early()
    actions = position.legal_actions()
    found = [Handmade(GAME, seed).think(position, 3, [0], gap=20_000) for seed in range(12)]
    assert all((len(turns), spent) == (3, 3) for turns, spent in found)
    places = [actions.index(turns[0][0]) for turns, _ in found]
    assert min(places) < len(actions) // 3
    assert max(places) > len(actions) // 2
    assert Handmade(GAME, 0).think(position, 3, [0], gap=20_000) == found[0]


def test_a_flag_that_is_raised_later_ends_it_between_two_candidates(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("numba")
    position, stop, looked = early(), [0], []
    desk = Handmade(GAME, 1, plain=True)
    desk.plain = False  # so it takes a list for one that its kernels cannot see
    monkeypatch.setattr(compiled, "available", lambda: True)

    def refine(*given: object) -> float:
        looked.append(given[1])
        stop[0] = 1
        return float(len(looked))

    monkeypatch.setattr(desk._kernels, "refine", refine)
    found, _ = desk.think(position, 10**6, stop, candidates=5, gap=20_000)
    assert found == [(looked[0], 1.0)]


@pytest.mark.slow
@pytest.mark.usefixtures("with_numba")
def test_plain_and_compiled_choose_the_same_and_spend_the_same() -> None:
    for position in walk(GAME, 12, seed=4):
        one, other = [
            Handmade(GAME, 1, plain).think(position, 300, [0], candidates=3, gap=1000)
            for plain in (True, False)
        ]
        assert one == other


def test_what_it_spends_and_finds_is_as_pinned() -> None:
    position = GAME.parse_position("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10")
    found, spent = Handmade(GAME, 1).think(position, 3_000, [0], candidates=3, gap=1000)
    told = [(GAME.format_action(position, a), round(value)) for a, value in found]
    assert (told, spent) == ([("8/5 6/5", 726), ("24/21 24/23", 25), ("24/23 13/10", -71)], 1387)
    assert Handmade(GAME, 1).choose(position, 100, [0]).note == "8/5 6/5 +0.101"
