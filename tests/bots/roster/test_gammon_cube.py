"""gammon with the cube: it plays the board, never doubles, and takes by what the board is worth."""

from __future__ import annotations

import pytest

from bots import registry
from bots.bot import Budget
from bots.online.entry import make_entry
from games import registry as games
from games.game import Position

GAME = games.game("backgammon_cube")
LATER = "-bA---D-C---eE---c-e----B-"
WON = "-AAA--------------------o-"  # X bears off three checkers, O fifteen


def decision(dice: str, board: str = LATER, turn: str = "-1", rest: str = "0:0:0:0:10") -> str:
    """What it decides in this position."""
    p = GAME.parse_position(f"XGID={board}:0:0:{turn}:{dice}:{rest}")
    choice = registry.bot("gammon").choose(p, Budget(nodes=50))
    assert -1 <= choice.value <= 1
    return GAME.format_action(p, choice.action)


def test_it_never_doubles() -> None:
    assert decision("00") == "roll"
    assert decision("00", WON, "1") == "roll"


def test_it_takes_what_is_about_even_and_drops_what_is_lost() -> None:
    assert decision("D") == "take"
    assert decision("D", WON, "1") == "drop"
    assert decision("D", WON, "-1") == "take"


@pytest.mark.parametrize(
    ("board", "turn", "dice", "cube", "least", "most"),
    [
        (LATER, "-1", "D", "0:0", -1.0, 0.5),
        (WON, "1", "D", "0:0", -1.0, -1.0),  # it would drop
        (WON, "1", "21", "2:1", 3.9, 4.1),
        (WON, "1", "00", "2:1", 3.9, 4.6),
    ],
)
def test_it_tells_what_it_expects_in_points_at_this_stake(
    board: str, turn: str, dice: str, cube: str, least: float, most: float
) -> None:
    p = GAME.parse_position(f"XGID={board}:{cube}:{turn}:{dice}:0:0:0:0:10")
    expected = registry.bot("gammon").expected_points(p)
    assert expected is not None
    assert least <= expected <= most


def test_its_turn_is_that_of_the_game_without_the_cube() -> None:
    with_cube = GAME.parse_position(f"XGID={LATER}:1:1:1:52:4:5:0:7:10")
    without = games.game("backgammon").parse_position(f"XGID={LATER}:0:0:1:52:0:0:0:0:10")
    turns = [_chosen(p) for p in (with_cube, without)]
    assert turns[0] == turns[1]


def _chosen(p: Position) -> str:
    choice = registry.bot("gammon", seed=1).choose(p, Budget(nodes=100))
    return p.game.format_action(p, choice.action)


def test_a_search_that_knows_no_cube_does_not_offer_to_play_with_one() -> None:
    assert "backgammon_cube" in make_entry("gammon", seed=1).games
    assert "backgammon_cube" in make_entry("random", seed=1).games
    assert "backgammon_cube" not in make_entry("mcts", seed=1).games
