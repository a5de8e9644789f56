"""The command `plyhouse train` with lessons: what it writes, where it goes on, what it refuses."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

import plyhouse
from bots import compiled, train, weights
from bots.training import page_file
from tests.bots.backgammon import tiny
from tests.bots.backgammon.short import shorten

SMALL = [
    *("--games", "4", "--hidden", "2,2,2", "--threads", "1", "--pairs", "1"),
    *("--lessons", "2", "--lesson-games", "1", "--window", "1", "--passes", "1"),
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


def names(out: Path) -> list[str]:
    return sorted(path.name for path in out.parent.iterdir())


def test_the_command_holds_lessons(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(out, "--rate", "0.02", "--lesson-lambda", "0.5", "--window", "2", "--json") == 0
    printed, said = capsys.readouterr()
    trained = weights.load(out).trained
    assert json.loads(printed) == trained
    for name, value in {
        "lessons": 2, "lesson_games": 1, "window": 2, "passes": 1, "rate": 0.02,
        "lesson_decay": 0.5, "decay": 0.3, "warm": False,
    }.items():  # fmt: skip
        assert trained[name] == value
    assert [entry[:2] for entry in trained["curve"]] == [[4, 0], [4, 1], [4, 2], [4, 2]]
    for _, _, points, error in trained["curve"]:
        assert -3 <= points <= 3
        assert error >= 0
    assert len(trained["studied"]) == 2
    assert min(trained["studied"]) > 0
    assert "1 of 2 lessons" in said
    assert said.count("against the hand-made evaluation") == 4
    assert names(out) == ["a.nets"]


def test_warm_it_comes_to_other_nets(out: Path, tmp_path: Path) -> None:
    assert run(out, "--warm", "--pairs", "0") == 0
    assert run(tmp_path / "cold.nets", "--pairs", "0") == 0
    warm, cold = weights.load(out), weights.load(tmp_path / "cold.nets")
    assert (warm.trained["warm"], cold.trained["warm"]) == (True, False)
    assert warm.values != cold.values


def stop_in(number: int, out: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Run until a Ctrl-C comes in this lesson."""
    hear = train._Teller.hear

    def press(self: Any, what: str) -> None:
        hear(self, what)
        if self.training.progress.lessons + 1 == number:
            signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(train._Teller, "hear", press)
        return run(out)


def test_after_a_ctrl_c_in_a_lesson_the_same_command_goes_on(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = signal.getsignal(signal.SIGINT)
    assert stop_in(1, out, monkeypatch) == 130
    assert names(out) == ["a.nets.checkpoint"]
    for words in ("goes on after 4 games;", "goes on after 4 games and 1 lesson;"):
        capsys.readouterr()
        assert stop_in(2, out, monkeypatch) == 130
        said = capsys.readouterr().err
        assert words in said
        assert "stopped; the same command goes on from here" in said
        assert names(out) == ["a.nets.checkpoint", "a.nets.checkpoint.1"]
    assert signal.getsignal(signal.SIGINT) is before
    assert run(out) == 0
    assert run(tmp_path / "whole.nets", "--pairs", "0") == 0
    found, wanted = weights.load(out), weights.load(tmp_path / "whole.nets")
    assert found.values == pytest.approx(wanted.values, abs=1e-3), "half precision"
    for name in ("studied", "games_played", "positions"):
        assert found.trained[name] == wanted.trained[name]
    assert names(out) == ["a.nets"]


def test_a_page_that_is_not_there_is_told(
    out: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Or that is damaged, or no page; and nothing is changed until --fresh says so."""
    assert stop_in(2, out, monkeypatch) == 130
    file = page_file(train.checkpoint(out), 1)
    kept, whole = train.checkpoint(out).read_bytes(), file.read_bytes()
    weights.save(file, tiny.weights())
    foreign = file.read_bytes()
    file.unlink()
    for data, why in (
        (None, f"there are no weights in {file}: No such file or directory"),
        (whole[:-9], f"{file} is damaged, or not all there"),
        (foreign, f"{file} is no page of a lesson of this version"),
    ):
        if data is not None:
            file.write_bytes(data)
        capsys.readouterr()
        assert run(out) == 2
        printed, told = capsys.readouterr()
        assert printed == ""
        assert told.endswith(f"plyhouse: {why}; --fresh begins anew, --out writes elsewhere\n")
        assert train.checkpoint(out).read_bytes() == kept
        assert (file.read_bytes() if file.exists() else None) == data
    assert run(out, "--fresh", "--lessons", "0") == 0
    assert names(out) == ["a.nets"]


def test_begun_anew_it_uses_no_page_that_is_there(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither those of a training that was stopped nor any others with such names."""
    assert stop_in(2, out, monkeypatch) == 130
    kept = train.checkpoint(out)
    page_file(kept, 2).write_bytes(page_file(kept, 1).read_bytes())
    page_file(kept, 77).write_bytes(b"stale")
    seen: list[list[str]] = []
    teach = train._teach

    def noted(*given: Any) -> None:
        seen.append(names(out))
        teach(*given)

    monkeypatch.setattr(train, "_teach", noted)
    more = ["--window", "2", "--seed", "2", "--pairs", "0"]
    assert run(out, "--fresh", *more) == 0
    assert seen == [["a.nets.checkpoint"]]
    assert names(out) == ["a.nets"]
    assert run(tmp_path / "whole.nets", *more) == 0
    assert weights.load(out).values == weights.load(tmp_path / "whole.nets").values


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [
        ("--lessons", "-1", "lessons must be 0 to 200, not -1"),
        ("--lessons", "201", "lessons must be 0 to 200, not 201"),
        ("--lesson-games", "0", "games of a lesson must be 1 to 10,000, not 0"),
        ("--lesson-games", "10001", "games of a lesson must be 1 to 10,000, not 10001"),
        ("--window", "0", "window must be 1 to 200, not 0"),
        ("--window", "-1", "window must be 1 to 200, not -1"),
        ("--window", "201", "window must be 1 to 200, not 201"),
        ("--passes", "0", "passes must be 1 to 10,000, not 0"),
        ("--passes", "10001", "passes must be 1 to 10,000, not 10001"),
        ("--rate", "0", "rate must be above 0 and at most 1, not 0.0"),
        ("--rate", "-0.1", "rate must be above 0 and at most 1, not -0.1"),
        ("--rate", "1.1", "rate must be above 0 and at most 1, not 1.1"),
        ("--rate", "nan", "rate must be above 0 and at most 1, not nan"),
        ("--rate", "inf", "rate must be above 0 and at most 1, not inf"),
        ("--lesson-lambda", "-0.1", "lambda of lessons must be from 0 to 1, not -0.1"),
        ("--lesson-lambda", "1.01", "lambda of lessons must be from 0 to 1, not 1.01"),
        ("--lesson-lambda", "nan", "lambda of lessons must be from 0 to 1, not nan"),
        ("--lesson-lambda", "inf", "lambda of lessons must be from 0 to 1, not inf"),
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


@pytest.mark.parametrize(
    "option",
    ["--lessons", "--lesson-games", "--window", "--passes", "--rate", "--lesson-lambda"],
)
def test_what_is_no_number_is_refused_by_the_parser(
    out: Path, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run(out, option, "many")
    assert ended.value.code == 2
    assert option in capsys.readouterr().err
