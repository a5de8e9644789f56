"""`plyhouse bench four`: what it says where it cannot measure, and one short run."""

from __future__ import annotations

import shutil

import pytest

from bench.search import four
from bots.engine import compiled
from games.game import END
from tests.support.command import Run


def test_the_positions_have_as_many_stones_as_is_said() -> None:
    for places in (four.EVEN, four.HARD):
        for ply, columns in places.items():
            assert len(columns) == 6
            for line in columns:
                assert four.place(line).state[2] == len(line) == ply
                assert four.place(line).to_move != END


@pytest.fixture
def machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    monkeypatch.setattr(compiled, "available", lambda: True)


@pytest.mark.slow
@pytest.mark.usefixtures("machine_code")
def test_a_short_run_beside_cpp_counts_the_same_nodes(run: Run) -> None:
    if shutil.which("g++") is None:
        pytest.skip("the peer is C++, and there is no g++ here")
    report = run("bench four --rounds 1 --ply 14 --json").json()
    assert report["ratio"] > 0
    assert [row["ply"] for row in report["plies"]] == [14]
    assert report["plies"][0]["positions"] == 12


@pytest.mark.slow
@pytest.mark.usefixtures("machine_code")
def test_without_a_compiler_ours_is_measured_alone(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    code, out, err = run("bench four --rounds 1 --ply 14")
    assert code == 0
    assert "no C++ compiler (g++) here: ours alone" in err
    assert "million nodes a second" in out
