"""`plyhouse solve`: what it prints, and what it says to bad input and to a Ctrl-C."""

from __future__ import annotations

import json
import signal
import threading
from typing import Any

import pytest

import plyhouse
from bots import answer
from bots.answer import Answer
from bots.solve import Solution
from games import registry

LATE = "2252576253462244111563365343671351441"


def solve(*words: str) -> int:
    return plyhouse.main(["solve", *words])


def test_it_prints_score_and_best_moves(capsys: pytest.CaptureFixture[str]) -> None:
    assert solve("connect_four", LATE) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "score        -1: X wins with its stone number 21" in lines
    assert any(line.startswith("best         ") for line in lines)
    assert solve("tic_tac_toe", "51") == 0
    assert "score        0: a draw" in capsys.readouterr().out


def test_it_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert solve("tic_tac_toe", "12", "3", "--json") == 0
    row = json.loads(capsys.readouterr().out)
    assert row.pop("seconds") >= 0
    assert row.pop("nodes") > 0
    assert row == {
        "game": "tic_tac_toe",
        "position": "xox/3/3 o",
        "mover": 1,
        "score": 0,
        "low": 0,
        "high": 0,
        "best": ["5"],
        "book": False,
    }


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("connect_four", "4444444"), "4 is not legal in connect_four"),
        (("connect_four", "48"), "'8' is no column"),
        (("chess",), "no game is called 'chess'; there are"),
        (("backgammon",), "is too large to be solved; connect_four and tic_tac_toe can be"),
        (("connect_four", "1212121"), "the game is over in connect_four"),
        (("connect_four", "12121212"), "before 2"),
        (("connect_four", "4453", "--nodes", "0"), "nodes must be 1 or more, not 0"),
        (("connect_four", "4453", "--nodes", str(2**63)), "nodes must be 1,000,000,000,000,000,00"),
        (("connect_four", "--position", "7/7"), "7/7"),
    ],
)
def test_bad_input_gets_a_sentence(
    words: tuple[str, ...], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert solve(*words) == 2
    err = capsys.readouterr().err
    assert err.startswith("plyhouse: ")
    assert sentence in err
    assert err.count("\n") == 1


def test_where_the_nodes_end_before_the_proof_it_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert solve("connect_four", "4453", "--nodes", "10", "--no-book") == 1
    out = capsys.readouterr().out
    assert "score        from -19 to +19; not proven" in out
    assert "best " not in out


def test_ctrl_c_ends_a_long_search_with_what_is_known(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    to_solve = answer._solve

    def broken(*given: Any) -> Any:
        pressed.start()
        return to_solve(*given)

    main = threading.main_thread().ident
    pressed = threading.Timer(0.3, signal.pthread_kill, (main, signal.SIGINT))
    monkeypatch.setattr(answer, "_solve", broken)
    assert solve("connect_four", "--no-book", "--json") == 130
    row = json.loads(capsys.readouterr().out)
    assert (row["score"], row["low"], row["high"]) == (None, -21, 21)


def test_a_score_counts_the_winner_s_stones() -> None:
    position = registry.game("connect_four").initial()
    row = Answer(position, Solution(1, 1, 3, 9), [3], 0.5).row()
    assert (row["score"], row["best"]) == (1, ["4"])
