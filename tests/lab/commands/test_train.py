"""The command `plyhouse train`: what it writes, where it goes on, and what it says and returns."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import plyhouse
from bots.backgammon import weights
from bots.engine import compiled
from lab.commands import train
from lab.commands.train import Pace, checkpoint_of
from lab.training.progress import TrainingProgress
from lab.training.training import Training
from tests.lab.training.fake import FakeWorker, Log

Capture = pytest.CaptureFixture[str]
SMALL = [
    *("--games", "30", "--hidden", "2,2,2", "--threads", "1", "--pairs", "1"),
    *("--lessons", "2", "--lesson-games", "3", "--window", "1", "--passes", "1"),
    *("--refinements", "1", "--refinement-games", "2"),
    *("--wide-rounds", "1", "--wide-games", "2", "--wide-hidden", "3,2,4"),
]
GAMES_ALONE = ["--lessons", "0", "--refinements", "0", "--wide-rounds", "0"]


def pace(between: Callable[[], None] = lambda: None) -> Pace:
    """Workers that play no backgammon, and two measurements on the way."""
    return Pace(worker=lambda nets: FakeWorker(nets, Log(), between), measurements=2)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "new" / "a.nets"


def run(out: Path | str, *more: str, at: Pace | None = None) -> int:
    parser = argparse.ArgumentParser()
    train.add_arguments(parser)
    arguments = ["backgammon", *SMALL, "--out", str(out), *more]
    return train.run(parser.parse_args(arguments), pace() if at is None else at)


def names(out: Path) -> list[str]:
    return sorted(path.name for path in out.parent.iterdir())


def trained(path: Path) -> tuple[tuple[float, ...], dict[str, Any]]:
    """The weights, and what is known of them but for how long it took and what was measured."""
    nets = weights.load(path)
    made = {name: v for name, v in nets.trained.items() if name not in ("seconds", "curve")}
    return tuple(nets.values), made


def test_it_writes_the_nets_and_leaves_nothing_else(out: Path, capsys: Capture) -> None:
    assert run(out, "--json") == 0
    printed, errors = capsys.readouterr()
    made = weights.load(out).trained
    assert json.loads(printed) == made
    assert [entry[:2] for entry in made["curve"]] == [
        [16, 0], [30, 0], [30, 1], [30, 2], [30, 3], [30, 4], [30, 4],
    ]  # fmt: skip
    assert len(made["studied"]) == 4
    assert names(out) == ["a.nets"]
    assert "plyhouse: training begins; 1 threads" in errors
    assert "   1 of 4 rounds of lookahead" in errors
    assert errors.count("against the hand-made evaluation") == 7
    assert errors.endswith(f"plyhouse: {out}, {out.stat().st_size / 1000:.0f} kB\n")
    assert "\x1b" not in errors, "no terminal, no codes of one"


def test_without_numba_it_says_how_long_it_takes(
    out: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(compiled, "available", lambda: False)
    assert run(out, "--pairs", "0") == 0
    errors = capsys.readouterr().err
    assert "a thousand times as long" in errors
    assert "hand-made" not in errors, "without pairs nothing is measured"


def test_every_option_arrives(out: Path) -> None:
    options = {
        "games": 9, "alpha": 0.2, "alpha_end": 0.1, "decay": 0.9, "seed": -3, "rate": 0.5,
        "lessons": 1, "lesson_games": 2, "lesson_decay": 0.5, "window": 2, "passes": 3,
        "refinements": 1, "refinement_games": 3, "refinement_decay": 0.4, "refinement_window": 5,
        "refinement_passes": 6, "refinement_rate": 0.25, "wide_rounds": 1, "wide_games": 4,
        "wide_decay": 0.2, "wide_window": 7, "wide_passes": 8, "wide_rate": 0.125,
    }  # fmt: skip
    flags = {name: name.replace("_", "-").replace("decay", "lambda") for name in options}
    words = [f"--{flags[name]}={value}" for name, value in options.items()]
    more = ["--without", "features", "--without", "exact", "--hidden", "1,2,3", "--warm"]
    more += ["--wide-hidden", "1,4,2"]
    assert run(out, *words, *more) == 0
    made = trained(out)[1]
    assert {name: made[name] for name in options} == options
    assert (made["hidden"], made["wide_hidden"]) == ([1, 2, 3], [1, 4, 2])
    assert made["warm"] is True
    assert made["without"] == ["exact", "features"]
    assert weights.load(out).without == ("exact", "features")


def test_on_a_terminal_a_line_says_how_far_it_is(
    out: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert run(out, at=replace(pace(), line_s=0.0)) == 0
    errors = capsys.readouterr().err
    assert "\r          8 of 30 games" in errors
    assert "\rround 2 of 4: it looks ahead in games: 0 of 3\x1b[K" in errors
    assert "\rround 3 of 4: it looks ahead in games: 0 of 2\x1b[K" in errors


def stop(out: Path, monkeypatch: pytest.MonkeyPatch, games: int = 8, rounds: int = -1) -> int:
    """Run until a Ctrl-C comes, after so many games or in the round after so many."""
    batch, lookahead = train._Reporter.batch, train._Reporter.lookahead

    def press(self: Any, progress: TrainingProgress) -> None:
        batch(self, progress)
        if rounds < 0 and progress.games >= games:
            signal.raise_signal(signal.SIGINT)

    def press_later(self: Any, activity: str) -> None:
        lookahead(self, activity)
        if self.training.progress.lessons == rounds:
            signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(train._Reporter, "batch", press)
        patch.setattr(train._Reporter, "lookahead", press_later)
        return run(out)


def test_after_a_ctrl_c_the_same_command_goes_on(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    before = signal.getsignal(signal.SIGINT)
    for games, rounds, goes_on in (
        (8, -1, "training begins;"), (24, -1, "goes on after 8 games;"),
        (0, 0, "goes on after 24 games;"), (0, 1, "goes on after 30 games;"),
        (0, 1, "goes on after 30 games and 1 round of lookahead;"),
        (0, 2, "goes on after 30 games and 1 round of lookahead;"),
        (0, 2, "goes on after 30 games and 2 rounds of lookahead;"),
    ):  # fmt: skip
        assert stop(out, monkeypatch, games, rounds) == 130
        assert signal.getsignal(signal.SIGINT) is before
        errors = capsys.readouterr().err
        assert goes_on in errors
        assert f"stopped; {out} holds the nets as they are now; the same command goes on" in errors
        assert trained(out)[1]["games_played"] > 0
    assert names(out) == ["a.nets", "a.nets.checkpoint", "a.nets.checkpoint.2"]
    assert run(out) == 0
    assert run(tmp_path / "whole.nets", "--threads", "2") == 0
    assert trained(out) == trained(tmp_path / "whole.nets")
    assert names(out) == ["a.nets"]


def test_a_checkpoint_is_written_now_and_then(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[int] = []
    write = Training.write

    def noted(self: Training, path: Path) -> None:
        written.append(self.progress.games)
        write(self, path)

    monkeypatch.setattr(Training, "write", noted)
    once = replace(pace(), measurements=1)
    assert run(out, *GAMES_ALONE, at=once) == 0
    assert written == [0, 30], "at the start and after a measurement"
    written.clear()
    assert run(out, *GAMES_ALONE, at=replace(once, checkpoint_s=0.0)) == 0
    assert written == [0, 8, 16, 24, 30, 30]


def test_a_checkpoint_of_other_settings_or_a_damaged_one_is_refused(
    out: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """Nothing is changed until --fresh says so."""
    assert stop(out, monkeypatch, rounds=1) == 130
    file = checkpoint_of(out)

    def refused(why: str, *more: str) -> None:
        before = [path.read_bytes() for path in sorted(out.parent.iterdir())]
        capsys.readouterr()
        assert run(out, *more) == 2
        (line,) = complaints(capsys)
        assert line == f"plyhouse: {why}; --fresh starts anew, --out writes elsewhere"
        assert [path.read_bytes() for path in sorted(out.parent.iterdir())] == before

    refused(f"{file} belongs to a training with other settings", "--seed", "2")
    file.write_bytes(b"hello")
    refused(f"{file} is no file of weights")
    assert run(out, "--seed", "2", "--fresh") == 0
    assert trained(out)[1]["seed"] == 2
    assert names(out) == ["a.nets"]


def test_a_training_starts_from_nets_that_are_there(tmp_path: Path, capsys: Capture) -> None:
    first, then = tmp_path / "first", tmp_path / "then"
    more = ["--from", str(first), "--hidden", "9,9,9"]  # which the nets know better
    assert run(first) == 0
    assert run(then, *more, *GAMES_ALONE) == 0
    nets = weights.load(then)
    assert nets.hidden == (3, 2, 4)
    assert nets.trained["after"] == weights.digest(first)
    assert nets.trained["before"] == weights.load(first).trained
    assert nets.values != weights.load(first).values
    capsys.readouterr()
    nowhere = str(tmp_path / "nowhere")
    assert run(then, "--from", nowhere) == 2
    assert nowhere in complaints(capsys)[0]


def test_with_nets_that_are_there_refinement_begins_at_once(tmp_path: Path) -> None:
    """And comes to the same as after the games and rounds that made them."""
    first, then, whole = (tmp_path / name for name in ("first", "then", "whole"))
    assert run(first, "--refinements", "0", "--wide-rounds", "0") == 0
    parser = argparse.ArgumentParser()
    train.add_arguments(parser)
    words = ["--pairs", "0", "--refinements", "2", "--refinement-games", "2", "--threads", "1"]
    words += ["--wide-rounds", "1", "--wide-games", "2", "--wide-hidden", "3,2,4"]
    args = ["backgammon", "--from", str(first), "--out", str(then), *words]
    assert train.run(parser.parse_args(args), pace()) == 0
    assert run(whole, "--refinements", "2") == 0
    values, made = trained(then)
    assert (made["games"], made["lessons"], made["refinements"]) == (0, 0, 2)
    assert (made["games_played"], len(made["studied"])) == (0, 3)
    assert values == trained(whole)[0] != trained(first)[0]


def complaints(capsys: Capture) -> list[str]:
    """The lines of complaint, all of which are sentences of ours."""
    printed, errors = capsys.readouterr()
    assert printed == ""
    lines = [line for line in errors.splitlines() if "without numba" not in line]
    assert all(line.startswith("plyhouse: ") for line in lines)
    return lines


@pytest.mark.parametrize("name", ["", ".", "/", "..", "folder"])
def test_out_must_name_a_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    assert run(name) == 2
    (line,) = complaints(capsys)
    assert "--out" in line
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [
        ("--hidden", "a,b,c", "--hidden takes three numbers, such as 160,160,40: a,b,c"),
        ("--wide-hidden", "1,2", "--wide-hidden takes three numbers, such as 160,160,40: 1,2"),
        ("--games", "0", "games cannot be 0 without nets to start from"),
        ("--games", "-1", "games cannot be -1: expected int >= 0"),
        ("--refinement-lambda", "2", "refinement-lambda cannot be 2.0: expected float <= 1.0"),
        ("--threads", "0", "--threads must be 1 to 256, not 0"),
        ("--threads", "257", "--threads must be 1 to 256, not 257"),
        ("--farm", "processes:0", "processes are 1 to 256, not 0"),
        ("--pairs", "-1", "--pairs must be 0 to 1,000,000, not -1"),
        ("--pairs", "1000001", "--pairs must be 0 to 1,000,000, not 1000001"),
    ],
)
def test_what_is_beyond_its_limits_is_refused_with_a_sentence(
    out: Path, option: str, value: str, why: str, capsys: Capture
) -> None:
    assert run(out, f"{option}={value}") == 2
    assert complaints(capsys) == [f"plyhouse: {why}"]
    assert not out.parent.exists(), "nothing was begun"


@pytest.mark.parametrize("wrong", ["chess", "backgammon --games many", "backgammon --without dice"])
def test_what_is_no_number_or_name_is_refused_by_the_parser(wrong: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as ended:
        plyhouse.main(["train", *wrong.split()])
    assert ended.value.code == 2
    assert wrong.split()[-2:][0] in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_told_before_the_first_game(
    tmp_path: Path, capsys: Capture
) -> None:
    (tmp_path / "file").write_text("")
    played = replace(pace(), worker=lambda nets: FakeWorker(nets, Log(), pytest.fail))
    assert run(tmp_path / "file" / "a.nets", at=played) == 2
    (line,) = complaints(capsys)
    assert "cannot be written: " in line
    assert str(tmp_path / "file") in line


def test_a_disk_that_is_full_later_is_told(
    out: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def save(path: Path, _: object) -> None:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(weights, "save", save)
    assert run(out) == 2
    assert f"plyhouse: {out} cannot be written: No space left" in capsys.readouterr().err
    assert checkpoint_of(out).exists(), "so the same command ends it when there is space"


def test_weights_that_run_away_are_told(
    out: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def finish(self: Training) -> None:
        self.nets.weights[7] = float("nan")

    monkeypatch.setattr(Training, "finish", finish)
    assert run(out, *GAMES_ALONE) == 2
    assert "plyhouse: the weights have grown beyond all bounds" in capsys.readouterr().err
    assert not out.exists()
