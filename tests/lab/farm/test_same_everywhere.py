"""docs/farm.md: the same command finds the same, wherever its work is done, whoever is killed.

Commands are run in processes of their own, as machine code: a farm's workers have to be like them.
"""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bots.backgammon import weights

pytestmark = [pytest.mark.slow, pytest.mark.socket]

ROOT = Path(__file__).parents[3]
PLYHOUSE = [sys.executable, str(ROOT / "plyhouse.py")]
ENV = {k: v for k, v in os.environ.items() if not k.startswith("PLYHOUSE_")}
ENV |= {"PYTHONPATH": str(ROOT), "PLYHOUSE_GAMES": os.environ["PLYHOUSE_GAMES"]}
PATIENCE = 240  # seconds until a command that hangs is given up; the first of all compiles
MORTAL = """\
import os, signal
from pathlib import Path
from bots.roster.mcts import BOT as Mcts
class Mortal(Mcts):
    def think(self, position, nodes, stop):
        flag = Path(os.environ["FLAGS"], "killed")
        if len(position.legal_actions()) < 6 and not flag.exists():
            flag.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().think(position, nodes, stop)
BOT = Mortal
"""


def run(words: str, **env: str) -> subprocess.CompletedProcess[str]:
    """A command, run to its end."""
    return subprocess.run(
        [*PLYHOUSE, *words.split()], env=ENV | env, timeout=PATIENCE,
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def outcome(done: subprocess.CompletedProcess[str]) -> str:
    """What a command that ended well wrote to stdout."""
    assert done.returncode == 0, done.stderr
    return done.stdout


class DaskFarm(NamedTuple):
    """A dask scheduler with two workers, each of one thread: where it is, and its process."""

    where: str
    scheduler: int


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where one is that lives as long as the tests."""
    with dask_farm(tmp_path_factory.mktemp("farm")) as begun:
        yield begun.where


@contextmanager
def dask_farm(folder: Path) -> Iterator[DaskFarm]:
    """One that is there for a while."""
    pytest.importorskip("distributed")
    file, dask = folder / "scheduler.json", [sys.executable, "-m", "dask"]
    address = ["--scheduler-file", str(file)]
    scheduler = [*dask, "scheduler", "--host", "127.0.0.1", "--port", "0"]
    worker = [*dask, "worker", "--nthreads", "1", "--nworkers", "2", "--no-dashboard"]
    with (folder / "log").open("w") as log:
        how: dict[str, Any] = {"env": ENV, "cwd": folder, "stdout": log, "stderr": log}
        parts = [subprocess.Popen([*scheduler, "--dashboard-address", ":0", *address], **how)]
        try:
            while not file.exists():
                assert parts[0].poll() is None, (folder / "log").read_text()
                time.sleep(0.05)  # between two looks at a file
            parts.append(subprocess.Popen([*worker, *address], **how))
            where = json.loads(file.read_text())["address"].replace("tcp://", "dask://")
            yield DaskFarm(where, parts[0].pid)
        finally:
            for part in reversed(parts):
                part.send_signal(signal.SIGINT)
                part.wait(PATIENCE)


def match(where: str, folder: Path, **env: str) -> object:
    """Every action of a match, and everything else but times."""
    words = "match mcts minimax --game connect_four --games 7 --nodes 60 --seed 5 --csv"
    rows = list(csv.DictReader(io.StringIO(outcome(run(words + where, **env)))))
    assert len(rows) == 7
    return [{k: v for k, v in row.items() if not k.endswith("seconds")} for row in rows]


def sweep(where: str, folder: Path, **env: str) -> object:
    """Everything but times."""
    words = f"sweep mcts --nodes 20,60 --playouts 1,3 --games 60 --json --out {folder}"
    report = json.loads(outcome(run(words + (where or " --jobs 1"), **env)))
    for cell in report["cells"]:
        del cell["ms"], cell["cpu_ms"]
    return report


def train(where: str, folder: Path, **env: str) -> object:
    """The nets, to the last bit that their file holds, and how strong they were on the way."""
    words = "train backgammon --games 40 --hidden 8,6,4 --lessons 2 --lesson-games 40 --pairs 60"
    words += " --refinements 1 --refinement-games 20"
    words += " --wide-rounds 1 --wide-games 20 --wide-hidden 9,6,5"
    outcome(run(f"{words} --threads 1 --out {folder / 'nets'}{where}", **env))
    nets = weights.load(folder / "nets")
    return nets.values, {k: v for k, v in nets.trained.items() if k != "seconds"}


WORK = (match, sweep, train)
Work = Callable[..., object]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Work], object]:
    """What each finds in a plain loop, found out when it is first asked for."""
    return cache(lambda work: work("", tmp_path_factory.mktemp("plain")))


@pytest.mark.parametrize("work", WORK)
@pytest.mark.parametrize("where", ["threads:2", "processes:2", "dask"])
def test_the_same_comes_of_it_wherever_it_is_done(
    work: Work, where: str, plain: Callable[[Work], object], tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:  # fmt: skip
    place = request.getfixturevalue("farm") if where == "dask" else where
    assert work(f" --farm {place}", tmp_path) == plain(work)


@pytest.fixture
def mortal(tmp_path: Path) -> dict[str, str]:
    """A bot of one's own that is killed in the middle of a match, once `killed` is gone."""
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "mortal.py").write_text(MORTAL)
    (tmp_path / "killed").touch()
    return {"PLYHOUSE_BOTS": str(tmp_path / "bots"), "FLAGS": str(tmp_path)}


@pytest.mark.parametrize(
    "words",
    [
        "match mortal random --games 6 --nodes 20 --seed 5 --csv",
        "sweep mortal --nodes 20 --games 8 --fresh --yes --csv --out ",
    ],
)
def test_a_process_that_is_killed_costs_nothing_but_time(
    words: str, mortal: dict[str, str], tmp_path: Path
) -> None:
    words += f"{tmp_path} --farm processes:2" if words.endswith("--out ") else " --farm processes:2"
    unhurt = outcome(run(words, **mortal))
    (tmp_path / "killed").unlink()
    hurt = outcome(run(words, **mortal))
    assert (tmp_path / "killed").exists()
    assert timeless(hurt) == timeless(unhurt)


def test_a_worker_of_dask_that_is_killed_costs_nothing_but_time(
    farm: str, tmp_path: Path, plain: Callable[[Work], object]
) -> None:
    pids = (
        "import os, sys; from distributed import Client; "
        "print(*Client(sys.argv[1]).run(os.getpid).values())"
    )
    address = farm.replace("dask://", "tcp://")
    asked = [sys.executable, "-c", pids, address]
    first = subprocess.run(asked, env=ENV, capture_output=True, text=True, check=True).stdout
    killing = threading.Thread(target=lambda: kill_once_begun(tmp_path, int(first.split()[0])))
    killing.start()
    assert sweep(f" --farm {farm}", tmp_path) == plain(sweep)
    killing.join()


def test_a_scheduler_that_is_killed_ends_the_work_with_a_sentence_and_it_goes_on(
    tmp_path: Path, plain: Callable[[Work], object]
) -> None:
    out = tmp_path / "sweep"
    words = f"sweep mcts --nodes 20,60 --playouts 1,3 --games 60 --json --out {out}"
    with dask_farm(tmp_path) as begun:
        killing = threading.Thread(target=lambda: kill_once_begun(out, begun.scheduler))
        killing.start()
        done = run(f"{words} --farm {begun.where}")
        killing.join()
    assert (done.returncode, done.stdout) == (1, ""), done.stderr
    assert f"the scheduler at {begun.where.removeprefix('dask://')} is gone" in done.stderr
    assert "Traceback" not in done.stderr
    assert sweep("", out) == plain(sweep)


def kill_once_begun(folder: Path, pid: int) -> None:
    """Kill a process as soon as the journal in this folder has its first batch."""
    journal = folder / "journal.jsonl"
    while not journal.exists() or len(journal.read_bytes().splitlines()) < 2:
        time.sleep(0.005)  # between two looks at a file
    os.kill(pid, signal.SIGKILL)


def test_a_worker_with_other_bots_than_this_machine_is_refused(
    farm: str, mortal: dict[str, str], tmp_path: Path
) -> None:
    done = run(f"sweep mortal --nodes 20 --games 4 --farm {farm} --out {tmp_path}", **mortal)
    assert (done.returncode, done.stdout) == (2, "")
    assert "other bots, games or nets of one's own (PLYHOUSE_BOTS" in done.stderr
    assert done.stderr.count("\n") == 1


def timeless(table: str) -> list[dict[str, str]]:
    """The rows of a table, without its times."""
    rows = csv.DictReader(io.StringIO(table))
    timed = ("seconds", "ms", "ms_low", "ms_high")
    return [{k: v for k, v in row.items() if not k.endswith(timed)} for row in rows]


def test_after_ctrl_c_nothing_is_left_behind(tmp_path: Path) -> None:
    words = "match mcts mcts --game connect_four --games 10000 --nodes 500 --farm processes:2"
    child = subprocess.Popen(
        [*PLYHOUSE, *words.split()], env=ENV | {"TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stderr is not None
    try:
        while not (line := child.stderr.readline()).startswith("4/10000 "):
            assert line, "it ended by itself"
        assert list(tmp_path.iterdir()), "two servers are here"
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=PATIENCE)
    finally:
        child.kill()
    assert child.returncode == 130
    assert "connect_four: " in out
    assert "Traceback" not in err
    assert err.splitlines()[-1].startswith("plyhouse: stopped after ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("where", "sentence"),
    [
        ("dask://127.0.0.1:1", "no dask scheduler answers at 127.0.0.1:1"),
        ("dask://no.such.host.invalid:8786", "no dask scheduler answers at no.such.host"),
    ],
)
def test_a_scheduler_that_does_not_answer_is_a_sentence(
    where: str, sentence: str, tmp_path: Path
) -> None:
    for words in ("match random random", f"sweep random --out {tmp_path}"):
        done = run(f"{words} --farm {where}")
        assert (done.returncode, done.stdout) == (2, "")
        assert sentence in done.stderr
        assert done.stderr.count("\n") == 1
