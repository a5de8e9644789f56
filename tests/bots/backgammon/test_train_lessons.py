"""The command `plyhouse train` with lessons: what it writes, where it goes on, what it refuses."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

import plyhouse
from bots import compiled, train, weights
from tests.bots.backgammon.test_lessons import shorten

SMALL = [
    *("--games", "4", "--hidden", "2,2,2", "--threads", "1", "--pairs", "1"),
    *("--lessons", "2", "--lesson-games", "1", "--passes", "1"),
]


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short games; one measurement on the way, and a short one at the end."""
    shorten(monkeypatch)
    monkeypatch.setattr(train, "POINTS", 1)
    monkeypatch.setattr(train, "LAST", 1)
    monkeypatch.setattr(compiled, "missing", lambda: False)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "new" / "a.nets"


def run(out: Path, *more: str) -> int:
    return plyhouse.main(["train", "backgammon", *SMALL, "--out", str(out), *more])


def test_the_command_holds_lessons(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(out, "--rate", "0.02", "--json") == 0
    printed, said = capsys.readouterr()
    trained = weights.load(out).trained
    assert json.loads(printed) == trained
    assert [trained[name] for name in ("lessons", "lesson_games", "passes")] == [2, 1, 1]
    assert trained["rate"] == 0.02
    assert [entry[:2] for entry in trained["curve"]] == [[4, 0], [4, 1], [4, 2], [4, 2]]
    for _, _, points, error in trained["curve"]:
        assert -3 <= points <= 3
        assert error >= 0
    assert len(trained["studied"]) == 2
    assert min(trained["studied"]) > 0
    assert "1 of 2 lessons" in said
    assert said.count("against the hand-made evaluation") == 4
    assert [path.name for path in out.parent.iterdir()] == ["a.nets"]


def test_after_a_ctrl_c_in_a_lesson_the_same_command_goes_on(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before, hear = signal.getsignal(signal.SIGINT), train._Teller.hear

    def press(self: Any, what: str) -> None:
        hear(self, what)
        if self.training.progress.lessons == 1:
            signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(train._Teller, "hear", press)
        for _ in range(2):
            assert run(out) == 130
            assert "stopped; the same command goes on from here" in capsys.readouterr().err
            assert [path.name for path in out.parent.iterdir()] == ["a.nets.checkpoint"]
    assert signal.getsignal(signal.SIGINT) is before
    assert run(out) == 0
    assert "goes on after 4 games" in capsys.readouterr().err
    assert run(tmp_path / "whole.nets") == 0
    found, wanted = weights.load(out), weights.load(tmp_path / "whole.nets")
    assert found.values == pytest.approx(wanted.values, abs=1e-3), "half precision"
    for name in ("studied", "games_played", "positions"):
        assert found.trained[name] == wanted.trained[name]
    assert [path.name for path in out.parent.iterdir()] == ["a.nets"]


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [
        ("--lessons", "-1", "lessons must be 0 to 200, not -1"),
        ("--lessons", "201", "lessons must be 0 to 200, not 201"),
        ("--lesson-games", "0", "games of a lesson must be 1 to 10,000, not 0"),
        ("--lesson-games", "10001", "games of a lesson must be 1 to 10,000, not 10001"),
        ("--passes", "0", "passes must be 1 to 10,000, not 0"),
        ("--passes", "10001", "passes must be 1 to 10,000, not 10001"),
        ("--rate", "0", "rate must be above 0 and at most 1, not 0.0"),
        ("--rate", "-0.1", "rate must be above 0 and at most 1, not -0.1"),
        ("--rate", "1.1", "rate must be above 0 and at most 1, not 1.1"),
        ("--rate", "nan", "rate must be above 0 and at most 1, not nan"),
        ("--rate", "inf", "rate must be above 0 and at most 1, not inf"),
    ],
)
def test_lessons_that_cannot_be_meant_are_refused_with_a_sentence(
    out: Path, option: str, value: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(out, f"{option}={value}") == 2
    printed, told = capsys.readouterr()
    assert printed == ""
    assert told == f"plyhouse: {why}\n"
    assert not out.parent.exists(), "nothing was begun"


@pytest.mark.parametrize("option", ["--lessons", "--lesson-games", "--passes", "--rate"])
def test_what_is_no_number_is_refused_by_the_parser(
    out: Path, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run(out, option, "many")
    assert ended.value.code == 2
    assert option in capsys.readouterr().err
