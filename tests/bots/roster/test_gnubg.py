"""GNU Backgammon as a bot; where it is installed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bots.bot import Budget
from bots.outside.program import close_all
from bots.roster.gnubg import GnuBackgammon
from games import registry
from games.game import CHANCE, Position
from games.rng import below, seeded
from tests.bots.backgammon.cube.boards import AHEAD, BEAVERS, CLEAR, EVEN, FAR
from tests.bots.positions import walk

GAME = registry.game("backgammon")
WITH_CUBE = registry.game("backgammon_cube")


@pytest.fixture(autouse=True, scope="module")
def _installed() -> Iterator[None]:
    """A program that one test has closed serves the next one."""
    if (missing := GnuBackgammon.missing()) is not None:
        pytest.skip(missing)
    yield
    close_all()
    GnuBackgammon.IDLE.clear()


def decisions(count: int, seed: int) -> Iterator[Position]:
    """Positions of random games in which there is something to choose."""
    rng = seeded(seed)
    while count:
        position = GAME.initial()
        while position.outcome() is None and count:
            legal = position.legal_actions()
            if position.to_move != CHANCE and len(legal) > 1:
                count -= 1
                yield position
            position = position.apply(legal[below(rng, len(legal))])


@pytest.mark.parametrize("count", [20, pytest.param(400, marks=pytest.mark.slow)])
def test_its_legal_turns_are_ours(count: int) -> None:
    bot = GnuBackgammon(plies=0)
    for position in decisions(count, seed=count):
        theirs = [action for action, _, _ in bot.ranked(position, [0], 0)]
        assert sorted(theirs) == sorted(position.legal_actions()), str(position)
    bot.close()


def test_it_plays_the_opening_that_everybody_plays() -> None:
    position = GAME.initial()
    position = position.apply(GAME.parse_action(position, "31"))
    choice = GnuBackgammon().choose(position, Budget(ms=50))
    assert GAME.format_action(position, choice.action) == "8/5 6/5"
    assert choice.note.startswith("8/5 6/5 +0.1")


def test_it_looks_less_far_ahead_where_time_is_short() -> None:
    bot = GnuBackgammon(plies=2)
    assert [bot._plies(ms) for ms in (None, 5_000, 999, 50)] == [2, 2, 1, 0]


def test_a_forced_turn_is_not_asked_for() -> None:
    forced = next(p for p in walk(GAME, 400, seed=3) if len(p.legal_actions()) == 1)
    bot = GnuBackgammon()
    assert bot.choose(forced, Budget(nodes=1)).action == forced.legal_actions()[0]
    assert bot._program is None


@pytest.mark.parametrize(
    ("dice", "board", "rest", "best"),
    [
        *CLEAR,
        ("D", EVEN.swapcase()[::-1], BEAVERS, "take"),
        ("D", AHEAD.swapcase()[::-1], BEAVERS, "beaver"),
        ("B", FAR.swapcase()[::-1], BEAVERS, "drop"),
        ("00", EVEN, "6:5:0:7:10", "roll"),  # X has no use for the cube
    ],
)
def test_it_decides_about_the_cube(dice: str, board: str, rest: str, best: str) -> None:
    position = WITH_CUBE.parse_position(f"XGID={board}:0:0:1:{dice}:{rest}")
    bot = GnuBackgammon(plies=0)
    choice = bot.choose(position, Budget(nodes=1))
    assert WITH_CUBE.format_action(position, choice.action) == best, choice.note
    assert choice.note.startswith(f"{best} ")
    bot.close()


@pytest.mark.parametrize(
    "text",
    [
        "XGID=-I-----------------bcbaba-:7:-1:-1:00:4:0:0:7:10",  # a cube that no match can count
        "XGID=-I-----------------bcbaba-:7:-1:-1:21:4:0:0:7:10",
        "XGID=-A-A-----------------a-a-A:0:0:1:31:0:0:0:0:10:3",  # Hypergammon
    ],
)
def test_what_others_do_not_have_is_no_trouble(text: str) -> None:
    position = WITH_CUBE.parse_position(text)
    bot = GnuBackgammon(plies=0)
    assert bot.choose(position, Budget(nodes=1)).action in position.legal_actions()
    bot.close()
