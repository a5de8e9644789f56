"""The command `plyhouse train`: what it writes, where it goes on, and what it says and returns."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import plyhouse
from bots import compiled, train, training, weights
from bots.training import Progress, Training, Worker
from tests.bots.backgammon import tiny
from tests.bots.backgammon.short import SELFPLAY, quicken
from tests.bots.backgammon.test_selfplay import few

ROOT = Path(__file__).parents[3]
SMALL = [
    *("--games", "6", "--hidden", "2,2,2", "--threads", "1", "--pairs", "1"),
    *("--lessons", "0"),
]


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short games, a pair of them to measure; two a round, so there are three rounds."""
    quicken(monkeypatch)
    monkeypatch.setattr(SELFPLAY, "setup", few)
    monkeypatch.setattr(train, "POINTS", 2)
    monkeypatch.setattr(train, "LAST", 2)
    monkeypatch.setattr(compiled, "missing", lambda: False)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "new" / "a.nets"


def run(out: Path, *more: str) -> int:
    return plyhouse.main(["train", "backgammon", *SMALL, "--out", str(out), *more])


def nets(path: Path) -> tuple[tuple[float, ...], dict[str, Any]]:
    """The weights, and what is known of them but for how long it took."""
    found = weights.load(path)
    trained = dict(found.trained)
    del trained["seconds"]
    return tuple(found.values), trained


# ---------------------------------------------------------------- all games


def test_it_writes_the_nets_and_leaves_nothing_else(
    out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(out) == 0
    told, trained = nets(out)
    assert trained["games_played"] == trained["games"] == 6
    assert [games for games, *_ in trained["curve"]] == [4, 6, 6], "rounds end at 4 and at 6"
    assert set(told) != {0.0}
    assert [path.name for path in out.parent.iterdir()] == ["a.nets"]
    printed, said = capsys.readouterr()
    assert printed == ""
    assert "plyhouse: training begins; 1 threads" in said
    assert said.count("against the hand-made evaluation") == 3
    assert said.endswith(f"plyhouse: {out}, {out.stat().st_size / 1000:.0f} kB\n")
    assert "\x1b" not in said, "no terminal, no codes of one"


def test_without_numba_it_says_how_long_it_takes(
    out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(out, "--games", "1") == 0
    assert "a thousand times as long" in capsys.readouterr().err


def test_without_pairs_nothing_is_measured(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(out, "--pairs", "0", "--json") == 0
    assert json.loads(capsys.readouterr().out)["curve"] == []


def test_the_curve_as_json(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(out, "--json") == 0
    assert json.loads(capsys.readouterr().out) == weights.load(out).trained


def test_the_same_command_makes_the_same_nets(out: Path, tmp_path: Path) -> None:
    assert run(out) == 0
    assert run(tmp_path / "b.nets", "--threads", "2") == 0
    assert nets(out) == nets(tmp_path / "b.nets")
    assert run(tmp_path / "c.nets", "--seed", "9") == 0
    assert nets(out)[0] != nets(tmp_path / "c.nets")[0]


def test_every_option_arrives(out: Path) -> None:
    options = ["--alpha", "0.2", "--alpha-end", "0.1", "--lambda", "0.9", "--seed", "-3"]
    assert run(out, *options, "--without", "sights", "--without", "exact") == 0
    _, trained = nets(out)
    assert (trained["alpha"], trained["alpha_end"], trained["decay"]) == (0.2, 0.1, 0.9)
    assert (trained["seed"], trained["without"]) == (-3, ["exact", "sights"])
    assert weights.load(out).without == ("exact", "sights")


# ---------------------------------------------------------------- stopping and going on


def stop(out: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Run until a Ctrl-C comes after the first round."""
    tell = train._Teller.tell

    def press(self: Any, progress: Progress) -> None:
        tell(self, progress)
        signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(train._Teller, "tell", press)
        return run(out)


def test_after_a_ctrl_c_the_same_command_goes_on(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = signal.getsignal(signal.SIGINT)
    assert stop(out, monkeypatch) == 130
    assert signal.getsignal(signal.SIGINT) is before
    assert "stopped; the same command goes on from here" in capsys.readouterr().err
    assert [path.name for path in out.parent.iterdir()] == ["a.nets.checkpoint"]
    assert stop(out, monkeypatch) == 130
    assert "goes on after 2 games" in capsys.readouterr().err
    assert run(out) == 0
    assert "goes on after 4 games" in capsys.readouterr().err
    assert run(tmp_path / "whole.nets") == 0
    told, trained = nets(out)
    assert trained["curve"][0][0] == 4
    assert told == pytest.approx(nets(tmp_path / "whole.nets")[0], abs=1e-3), "half precision"
    assert [path.name for path in out.parent.iterdir()] == ["a.nets"]


def test_a_checkpoint_is_kept_now_and_then(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[int] = []
    keep = Training.keep

    def noted(self: Training, path: Path) -> None:
        kept.append(self.progress.games)
        keep(self, path)

    monkeypatch.setattr(Training, "keep", noted)
    monkeypatch.setattr(train, "POINTS", 1)
    assert run(out, "--games", "5") == 0
    assert kept == [0, 5], "at the start and after a measurement"
    monkeypatch.setattr(train, "KEEP_S", 0.0)
    kept.clear()
    assert run(out, "--games", "5") == 0
    assert kept == [0, 2, 4, 5, 5]


def test_other_settings_do_not_go_on(
    out: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stop(out, monkeypatch)
    kept = train.checkpoint(out).read_bytes()
    capsys.readouterr()
    assert run(out, "--seed", "2") == 2
    (line,) = complaints(capsys)
    assert line.endswith(
        "a.nets.checkpoint is of a training with other settings; "
        "--fresh begins anew, --out writes elsewhere"
    )
    assert train.checkpoint(out).read_bytes() == kept
    assert run(out, "--seed", "2", "--fresh") == 0
    assert nets(out)[1]["seed"] == 2


def test_a_damaged_checkpoint_is_not_gone_on_from(
    out: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stop(out, monkeypatch)
    kept = train.checkpoint(out)
    whole = kept.read_bytes()
    for data in (whole[:-5], b"", whole[:50] + b"?" + whole[51:], b"hello"):
        kept.write_bytes(data)
        capsys.readouterr()
        assert run(out) == 2
        (line,) = complaints(capsys)
        assert "--fresh begins anew" in line
        assert kept.read_bytes() == data
    weights.save(kept, tiny.weights())
    capsys.readouterr()
    assert run(out) == 2
    assert "is no checkpoint of a training" in complaints(capsys)[0]
    assert run(out, "--fresh") == 0


# ---------------------------------------------------------------- what cannot be


@pytest.mark.parametrize("name", ["", ".", "/", "..", "folder"])
def test_out_must_name_a_file(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Worker, "play", lambda *_: pytest.fail("a game was played"))
    assert plyhouse.main(["train", "backgammon", *SMALL, "--out", name]) == 2
    (line,) = complaints(capsys)
    assert "--out" in line
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_training_goes_on_from_nets_that_are_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, then, other = (tmp_path / name for name in ("first", "then", "other"))
    more = ["--from", str(first), "--hidden", "9,9,9"]  # which the nets know better
    assert plyhouse.main(["train", "backgammon", *SMALL, "--out", str(first)]) == 0
    assert plyhouse.main(["train", "backgammon", *SMALL, *more, "--out", str(then)]) == 0
    found = weights.load(then)
    assert found.hidden == (2, 2, 2)
    assert found.trained["after"] == weights.digest(first)
    assert found.trained["before"] == weights.load(first).trained
    near_before = [
        abs(a - b) for a, b in zip(found.values, weights.load(first).values, strict=True)
    ]
    assert 0 < max(near_before) < 1
    assert plyhouse.main(["train", "backgammon", *SMALL, "--seed", "9", "--out", str(other)]) == 0
    capsys.readouterr()
    begun = train.checkpoint(then)
    train_from(other).keep(begun)
    assert plyhouse.main(["train", "backgammon", *SMALL, *more, "--out", str(then)]) == 2
    assert "other settings" in complaints(capsys)[0]


def train_from(nets: Path) -> Training:
    """A training that has just begun from these nets."""
    given = weights.load(nets)
    settings = training.Settings(6, 1, given.hidden, after=weights.digest(nets))
    return Training(settings, given=given)


def test_nets_to_go_on_from_must_be_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = str(tmp_path / "nowhere")
    words = ["train", "backgammon", *SMALL, "--from", nowhere, "--out", str(tmp_path / "out")]
    assert plyhouse.main(words) == 2
    assert nowhere in complaints(capsys)[0]


def complaints(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The lines of complaint, all of which are sentences of ours."""
    printed, told = capsys.readouterr()
    assert printed == ""
    lines = [line for line in told.splitlines() if "without numba" not in line]
    assert all(line.startswith("plyhouse: ") for line in lines)
    return lines


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [
        ("--hidden", "a,b,c", "--hidden takes three numbers, such as 160,160,40: a,b,c"),
        ("--hidden", "", "--hidden takes three numbers"),
        ("--hidden", "1.5,2,2", "--hidden takes three numbers"),
        ("--hidden", "2,2", "hidden must be 3 numbers from 1 to 1024"),
        ("--hidden", "2,2,2,2", "hidden must be 3 numbers from 1 to 1024"),
        ("--hidden", "2,2,0", "hidden must be 3 numbers from 1 to 1024"),
        ("--hidden", "2,2,1025", "hidden must be 3 numbers from 1 to 1024"),
        ("--games", "0", "games must be 1 to 1,000,000,000, not 0"),
        ("--games", "-1", "games must be 1 to 1,000,000,000, not -1"),
        ("--games", "1000000001", "games must be 1 to 1,000,000,000"),
        ("--threads", "0", "--threads must be 1 to 256, not 0"),
        ("--threads", "257", "--threads must be 1 to 256, not 257"),
        ("--pairs", "-1", "--pairs must be 0 to 1,000,000, not -1"),
        ("--pairs", "1000001", "--pairs must be 0 to 1,000,000, not 1000001"),
        ("--alpha", "0", "alpha must be above 0"),
        ("--alpha", "nan", "alpha must be above 0"),
        ("--alpha", "inf", "alpha must be above 0"),
        ("--alpha-end", "0.5", "and not grow"),
        ("--lambda", "1.01", "lambda must be from 0 to 1"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_a_sentence(
    out: Path, option: str, value: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(out, f"{option}={value}") == 2
    (line,) = complaints(capsys)
    assert why in line
    assert not out.parent.exists(), "nothing was begun"


@pytest.mark.parametrize(
    "wrong", [["--games", "many"], ["--threads", "1.5"], ["--without", "dice"], ["--alpha", "x"]]
)
def test_what_is_no_number_is_refused_by_the_parser(
    out: Path, wrong: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run(out, *wrong)
    assert ended.value.code == 2
    assert wrong[0] in capsys.readouterr().err


def test_other_games_are_not_trained(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        plyhouse.main(["train", "tic_tac_toe"])
    assert ended.value.code == 2
    assert "backgammon" in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_told_before_the_first_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Worker, "play", lambda *_: pytest.fail("a game was played"))
    (tmp_path / "file").write_text("")
    assert run(tmp_path / "file" / "a.nets") == 2
    (line,) = complaints(capsys)
    assert "cannot be written: " in line
    assert str(tmp_path / "file") in line


def test_a_disk_that_is_full_later_is_told(
    out: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def save(path: Path, kept: object) -> None:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(weights, "save", save)
    assert run(out) == 2
    assert f"plyhouse: {out} cannot be written: No space left" in capsys.readouterr().err
    assert train.checkpoint(out).exists(), "so the same command ends it when there is space"
    monkeypatch.undo()
    assert train.checkpoint(out).exists()


def test_weights_that_run_away_are_told(
    out: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def finish(self: Training) -> None:
        self.nets.w[7] = float("nan")

    monkeypatch.setattr(Training, "finish", finish)
    monkeypatch.setattr(Training, "measure", lambda self, pairs: training.Measure(6, 0, 0, 0))
    assert run(out) == 2
    assert "plyhouse: the weights have grown beyond all bounds" in capsys.readouterr().err
    assert not out.exists()


# ---------------------------------------------------------------- processes

COMMAND = """
import sys
from bots import train
train.KEEP_S = 0.2
import plyhouse
sys.exit(plyhouse.main(["train", "backgammon", *sys.argv[1:]]))
"""
FAST = [
    *("--games", "600", "--hidden", "4,4,4", "--threads", "2", "--pairs", "1"),
    *("--lessons", "4", "--lesson-games", "32", "--window", "2", "--passes", "2"),
]


def process(out: Path) -> subprocess.Popen[str]:
    """The command as compiled code, that keeps a checkpoint five times a second."""
    env = {key: value for key, value in os.environ.items() if key != "PLYHOUSE_PLAIN"}
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, *FAST, "--out", str(out)],
        cwd=ROOT, env=env, text=True, stderr=subprocess.PIPE,
    )  # fmt: skip


def wait_for(child: subprocess.Popen[str], lines: int, words: str = "") -> None:
    """Until it has told so many measurements in which there are these words."""
    assert child.stderr is not None
    for line in child.stderr:
        lines -= "against the hand-made evaluation" in line and words in line
        if lines == 0:
            return
    raise AssertionError("it has ended")


@pytest.mark.slow
@pytest.mark.chaos
def test_killed_and_interrupted_it_makes_the_same_nets(tmp_path: Path) -> None:
    pytest.importorskip("numba")
    whole, out = tmp_path / "whole.nets", tmp_path / "killed.nets"
    for kind, lines, words in (
        (signal.SIGKILL, 2, "games"), (signal.SIGINT, 3, "games"),
        (signal.SIGKILL, 1, "1 of 4 lessons"), (signal.SIGINT, 1, "2 of 4 lessons"),
    ):  # fmt: skip
        with process(out) as child:
            wait_for(child, lines, words)
            child.send_signal(kind)
            _, said = child.communicate(timeout=120)
        assert child.returncode == (130 if kind == signal.SIGINT else -signal.SIGKILL)
        assert ("stopped; the same command goes on" in said) == (kind == signal.SIGINT)
        assert train.checkpoint(out).exists()
        assert not out.exists()
    for path in (out, whole):
        with process(path) as child:
            _, said = child.communicate(timeout=120)
        assert child.returncode == 0
        assert ("goes on after" in said) == (path == out)
    (told, how), (wanted, how_wanted) = nets(out), nets(whole)
    assert told == wanted
    assert how["positions"] == how_wanted["positions"]
