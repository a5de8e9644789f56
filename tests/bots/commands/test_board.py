"""`plyhouse board`: what is typed at an analysis board in a pipe, and what it prints."""

from __future__ import annotations

import io

import pytest

from bots.analysis.board import Board, NoSuchStep
from games import registry
from tests.support.command import Output, Run


@pytest.fixture
def typed(run: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run it with these lines in a pipe."""

    def typing(command: str, *lines: str) -> Output:
        monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines)))
        return run(command)

    return typing


def test_a_position_is_shown_with_what_is_best(typed: Run) -> None:
    said = typed("board tic_tac_toe xx1/oo1/3 x")
    lines = said.out.splitlines()
    assert said.code == 0
    assert lines[5:7] == ["position  xx1/oo1/3 x", "to move   X"]
    assert lines[8].split() == ["3", "+3", "wins"]


def test_what_was_tried_stays_as_branches(typed: Run) -> None:
    said = typed("board tic_tac_toe", "5", "back", "1", "back", "line", "forward 5", "9", "line")
    assert said.code == 0
    assert "tried     5, 1\n" in said.out
    assert said.out.endswith("line      5, 9\ntried     nothing yet\n")


def test_the_end_is_told_and_the_board_begins_anew(typed: Run) -> None:
    said = typed("board tic_tac_toe xx1/oo1/3 x", "3", "5", "new xo7", "legal", "quit", "1")
    assert "over      X has won: line" in said.out
    assert "? the game is over here" in said.out
    assert said.out.endswith("legal     3, 4, 5, 6, 7, 8, 9\n") or "? " in said.out


def test_it_says_how_to_play_on_also_without_the_name_of_a_bot(typed: Run) -> None:
    said = typed("board tic_tac_toe xx1/oo1/3 x", "3", "back", "9", "play on", "play on mcts")
    command = "play on   plyhouse play tic_tac_toe --position 'xx1/oo1/2x o' --seat second"
    assert [line for line in said.out.splitlines() if line.startswith("play on")] == [
        f"{command} --against {bot}" for bot in ("solver", "mcts")
    ]


@pytest.mark.parametrize(
    "line", ["9 9", "play off", "best 7", "forward", "back", "new nonsense", "roll"]
)
def test_a_wrong_line_is_answered_and_the_rest_goes_on(typed: Run, line: str) -> None:
    said = typed("board tic_tac_toe xx1/oo1/3 x", line, "3")
    assert said.code == 1
    assert "\n? " in said.out
    assert "X has won" in said.out


def test_json_is_one_object(run: Run) -> None:
    row = run("board tic_tac_toe xx1/oo1/3 x --json").json()
    assert (row["position"], row["to_move"], row["unit"]) == ("xx1/oo1/3 x", 0, "score")
    assert row["best"][0] == {"action": "3", "value": 3.0, "note": "wins", "equity": None}


def test_what_is_no_position_is_said_in_a_line(run: Run) -> None:
    run("board chess").refuses("plyhouse: ", "chess")
    run("board tic_tac_toe xxx/3/3 o").refuses("plyhouse: ", "sides alternate")


def test_dice_are_typed_or_rolled_and_a_branch_keeps_them() -> None:
    board = Board(registry.game("backgammon").initial())
    board.play("31")
    board.play("8/5 6/5")
    board.back()
    board.play("6/5 8/5")  # the same, as somebody else writes it
    assert (board.line(), len(board.at.before.tried if board.at.before else [])) == (
        ["31", "8/5 6/5"], 1,
    )  # fmt: skip
    with pytest.raises(NoSuchStep):
        board.forward("13/9")
