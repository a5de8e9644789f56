"""The bot that plays to the end: perfect at tic-tac-toe, honest about what it has not proven."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bots import registry
from bots.bot import Bot, Budget
from bots.engine import book
from bots.engine.solvers import solver
from bots.roster import solver as solver_bot
from games import registry as games
from games.game import END
from games.rng import below, seeded
from tests.bots.positions import after, undecided, worth

TIC = games.game("tic_tac_toe")
FOUR = games.game("connect_four")


@pytest.fixture(autouse=True)
def _fresh_book() -> Iterator[None]:
    solver_bot._book.cache_clear()
    yield
    solver_bot._book.cache_clear()


def a_solver() -> Bot:
    return registry.bot("solver", seed=1)


def test_of_the_positions_of_tic_tac_toe_it_loses_none_that_is_not_lost_and_wins_each_won() -> None:
    bot, top = a_solver(), Budget(nodes=registry.bot_class("solver").LEVELS[-1])
    for position in undecided()[::3]:
        choice = bot.choose(position, top)
        result, _ = worth(position)
        assert worth(position.apply(choice.action))[0] == result
        assert choice.value == (result if position.to_move == 0 else -result)
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
    for column in range(1, 8):
        choice = a_solver().choose(after(f"{column}{column % 7 + 1}" * 3), Budget(nodes=1))
        assert (choice.action, choice.value) == (column - 1, 1.0)
        assert choice.note == f"{column} score +18 | proven"


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
    choice = a_solver().choose(edge, Budget(nodes=1))
    assert (choice.action, choice.value, choice.nodes) == (2, 1.0, 0)
    assert choice.note == "3 score +1 | book"
    image = a_solver().choose(book.mirrored(edge), Budget(nodes=1))
    assert (image.action, image.value) == (4, 1.0)
    other = a_solver().choose(edge.apply(3), Budget(nodes=1))
    assert "before the proof" in other.note


def test_without_a_book_it_says_so_once_and_plays(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def none() -> book.Book:
        raise book.BadBook("there is none")

    monkeypatch.setattr(book, "read", none)
    for _ in range(2):
        assert "proof" in a_solver().choose(FOUR.initial(), Budget(nodes=50)).note
    assert caplog.messages == ["plyhouse: there is none; solver plays without its book"]


@pytest.mark.strength
@pytest.mark.usefixtures("with_numba")
def test_a_higher_level_wins_more() -> None:
    """From openings of two plies, in both seats, without the book: 3 to 1 at least on average."""
    levels, rng, points = registry.bot_class("solver").LEVELS, seeded(1), 0.0
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
