"""The bot that plays to the end: perfect at tic-tac-toe, honest about what it has not proven."""

from __future__ import annotations

from functools import cache

import pytest

from bots import book, compiled, registry
from bots.bot import Bot, Budget
from bots.roster import solver as solver_bot
from bots.solve import solver
from games import registry as games
from games.game import END, Position
from games.rng import below, seeded
from tests.bots.positions import undecided

TIC = games.game("tic_tac_toe")
FOUR = games.game("connect_four")


@cache
def outcome(position: Position) -> int:
    """1, 0 or -1 for the side to move, by looking at every game."""
    if position.to_move == END:
        return -abs(TIC.points(list(position.state)))
    return max(-outcome(position.apply(a)) for a in position.legal_actions())


def a_solver() -> Bot:
    return registry.bot("solver", seed=1)


def test_of_all_positions_of_tic_tac_toe_it_loses_none_that_is_not_lost_and_wins_each_won() -> None:
    bot, top = a_solver(), Budget(nodes=registry.kind("solver").LEVELS[-1])
    for position in undecided():
        choice = bot.choose(position, top)
        assert -outcome(position.apply(choice.action)) == outcome(position)
        assert choice.value == outcome(position)
        assert choice.note.endswith("proven")


def test_tic_tac_toe_is_won_as_soon_and_lost_as_late_as_can_be() -> None:
    search = solver(TIC)
    won = search.solve(TIC.parse_position("xx1/oo1/3 x"), 10**5, [0])
    assert (won.low, won.high, won.best) == (3, 3, 2)
    lost = search.solve(TIC.parse_position("x2/o1o/x1x o"), 10**5, [0])
    assert (lost.low, lost.high, lost.best) == (3, 3, 4)
    late = search.solve(TIC.parse_position("3/1x1/1o1 x"), 10**5, [0])
    assert (late.low, late.high) == (2, 2)


def test_where_the_budget_ends_before_the_proof_the_note_says_so() -> None:
    choice = a_solver().choose(TIC.initial(), Budget(nodes=3))
    assert choice.note == "5 score from -5 to +5 | the budget ended before the proof"
    assert (choice.value, choice.nodes) == (0.0, 3)


def test_also_in_connect_four_where_the_book_is_not_asked() -> None:
    bot = registry.bot("solver", seed=1, book=False)
    choice = bot.choose(FOUR.initial(), Budget(nodes=3))
    assert choice.note == "4 score from -21 to +21 | the budget ended before the proof"
    assert (choice.value, choice.nodes) == (0.0, 3)


def test_a_proof_stands_in_the_note_with_the_score() -> None:
    position = FOUR.initial()
    for column in (0, 1, 0, 1, 0, 1):
        position = position.apply(column)
    choice = a_solver().choose(position, Budget(nodes=1))
    assert (choice.action, choice.value, choice.note) == (0, 1.0, "1 score +18 | proven")


def test_without_a_proof_it_still_wins_and_blocks() -> None:
    won = FOUR.parse_position("7/7/7/7/ooo4/xxx4 x")
    assert a_solver().choose(won, Budget(nodes=1)).action == 3
    block = FOUR.parse_position("7/7/7/7/o6/xxx1o2 o")
    assert a_solver().choose(block, Budget(nodes=1)).action == 3


def test_first_plies_are_played_by_the_book(monkeypatch: pytest.MonkeyPatch) -> None:
    edge = FOUR.initial().apply(0)
    key, turned = book.name(edge)
    assert not turned
    monkeypatch.setattr(book, "read", lambda: book.Book({key: (1, 2)}))
    solver_bot._book.cache_clear()
    try:
        choice = a_solver().choose(edge, Budget(nodes=1))
        assert (choice.action, choice.value, choice.nodes) == (2, 1.0, 0)
        assert choice.note == "3 score +1 | book"
        image = a_solver().choose(book.mirrored(edge), Budget(nodes=1))
        assert (image.action, image.value) == (4, 1.0)
        other = a_solver().choose(edge.apply(3), Budget(nodes=1))
        assert "before the proof" in other.note
    finally:
        solver_bot._book.cache_clear()


def test_without_a_book_it_says_so_once_and_plays(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def none() -> book.Book:
        raise book.BadBook("there is none")

    monkeypatch.setattr(book, "read", none)
    solver_bot._book.cache_clear()
    try:
        for _ in range(2):
            assert "proof" in a_solver().choose(FOUR.initial(), Budget(nodes=50)).note
        assert caplog.messages == ["plyhouse: there is none; solver plays without"]
    finally:
        solver_bot._book.cache_clear()


def test_a_small_budget_near_the_start_takes_the_middle() -> None:
    choice = registry.bot("solver", seed=1, book=False).choose(FOUR.initial(), Budget(nodes=2_000))
    assert choice.action == 3
    assert choice.nodes <= 2_000


def test_what_is_proven_once_costs_nothing_again() -> None:
    search = solver(TIC)
    assert search.solve(TIC.initial(), 10**5, [0]).nodes > 1_000
    assert search.solve(TIC.initial(), 0, [0]).proven


def test_a_flag_that_is_set_ends_the_search() -> None:
    found = solver(FOUR, plain=True).solve(FOUR.initial(), 10**9, [1])
    assert not found.proven
    assert found.nodes == 0


@pytest.mark.strength
def test_a_higher_level_wins_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """From openings of two plies, in both seats, without the book: 3 to 1 at least on average."""
    pytest.importorskip("numba")
    monkeypatch.setattr(compiled, "available", lambda: True)
    levels, rng, points = registry.kind("solver").LEVELS, seeded(1), 0.0
    for _ in range(10):
        opening = FOUR.initial().apply(below(rng, 7)).apply(below(rng, 7))
        for strong in (0, 1):
            bots = [registry.bot("solver", seed=1, book=False) for _ in range(2)]
            position = opening
            while position.to_move != END:
                level = 5 if position.to_move == strong else 2
                budget = Budget(nodes=levels[level - 1])
                choice = bots[position.to_move].choose(position, budget)
                position = position.apply(choice.action)
            outcome = position.outcome()
            assert outcome is not None
            points += (outcome.returns[strong] + 1) / 2
    assert points >= 15
