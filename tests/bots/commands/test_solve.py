"""`plyhouse solve`: what it prints, and what it says to a Ctrl-C."""

from __future__ import annotations

import signal
import threading
from typing import Any

import pytest

from bots.analysis import position_score
from bots.analysis.position_score import ScoredPosition
from bots.engine.solvers import Solution
from games import registry
from tests.support.command import Run


def test_it_prints_score_and_best_moves(run: Run) -> None:
    said = run("solve connect_four 2252576253462244111563365343671351441")
    lines = said.out.splitlines()
    assert said.code == 0
    assert "score        -1: X wins with its stone number 21" in lines
    assert any(line.startswith("best         ") for line in lines)
    assert "score        0: a draw" in run("solve tic_tac_toe 51").out


def test_it_prints_json(run: Run) -> None:
    row = run("solve tic_tac_toe 12 3 --json").json()
    assert row.pop("seconds") >= 0
    assert row.pop("nodes") > 0
    assert row == {
        "game": "tic_tac_toe", "position": "xox/3/3 o", "mover": 1,
        "score": 0, "low": 0, "high": 0, "best": ["5"], "book": False,
    }  # fmt: skip


def test_where_the_nodes_end_before_the_proof_it_says_so(run: Run) -> None:
    code, out, _ = run("solve connect_four 4453 --nodes 10 --no-book")
    assert code == 1
    assert "score        from -19 to +19; not proven" in out
    assert "best " not in out


def test_ctrl_c_ends_a_long_search_with_what_is_known(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    to_solve = position_score._solve

    def broken(*given: Any) -> Any:
        pressed.start()
        return to_solve(*given)

    main = threading.main_thread().ident
    pressed = threading.Timer(0.3, signal.pthread_kill, (main, signal.SIGINT))
    monkeypatch.setattr(position_score, "_solve", broken)
    said = run("solve connect_four --no-book --json")
    row = said.json()
    assert said.code == 130
    assert (row["score"], row["low"], row["high"]) == (None, -21, 21)


def test_a_score_counts_the_winner_s_stones() -> None:
    position = registry.game("connect_four").initial()
    row = ScoredPosition(position, Solution(1, 1, 3, 9), [3], 0.5).row()
    assert (row["score"], row["best"]) == (1, ["4"])


def test_without_numba_it_says_that_it_takes_long(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bots.engine.compiled.missing", lambda: True)
    assert run("solve tic_tac_toe 5").err.startswith("plyhouse: without numba this takes some")
