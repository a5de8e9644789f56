"""`plyhouse bench four`: what it says where it cannot measure, and one short run."""

from __future__ import annotations

import json
import shutil

import pytest

import plyhouse
from bench import four
from bots import compiled
from games.game import END


def bench(*words: str) -> int:
    return plyhouse.main(["bench", "four", *words])


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--rounds", "0"], "rounds start at 1"),
        (["--ply", "9"], "there are positions of 8, 10, 12, 14 stones, not 9"),
        ([], "without numba it would take hours: pip install 'plyhouse[fast]'"),
    ],
)
def test_what_cannot_be_measured_gets_a_sentence(
    words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench(*words) == 2
    assert capsys.readouterr().err == f"plyhouse bench four: {sentence}\n"


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
def test_a_short_run_beside_cpp_counts_the_same_nodes(capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which("g++") is None:
        pytest.skip("no g++ here")
    assert bench("--rounds", "1", "--ply", "14", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["ratio"] > 0
    assert [row["ply"] for row in found["plies"]] == [14]
    assert found["plies"][0]["positions"] == 12


@pytest.mark.slow
@pytest.mark.usefixtures("machine_code")
def test_without_a_compiler_ours_is_measured_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert bench("--rounds", "1", "--ply", "14") == 0
    said = capsys.readouterr()
    assert "no C++ compiler (g++) here: ours alone" in said.err
    assert "million nodes a second" in said.out
