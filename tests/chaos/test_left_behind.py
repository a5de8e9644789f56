"""No process and no folder outlives the command that made it, however that ends; and each place of
the product that starts a process is one of these.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

ROOT = Path(__file__).parents[2]
LONG_S = 60.0
MARK = "PLYHOUSE_TEST_MARK"  # a variable, which all that a command starts inherits
# thinks for ever, and does not look at its input
THINKS = "import sys, time; sys.stdin.readline(); time.sleep(900)"

# Who starts a process, and what shows that it is not left behind: a command below, or a reason.
STARTERS = {
    "bots/outside/program.py": "bot",
    "bots/outside/reaper.py": "bot",
    "lab/arena/local_server.py": "match",
    "lab/farm/processes.py": "farm",
    "bots/online/readiness.py": "up",
    "plyhouse.py": "up",
    "lab/commands/doctor_bot.py": "doctor",
    "server/imports/imports.py": "it has 20 seconds of a processor, which the system takes from it",
    "server/cluster/siblings.py": "as the house's bots, they end with what holds their input",
    "client/commands/man.py": "a reader of pages that somebody sits at",
    "server/downloads/launcher.py": "the very command that somebody has typed, in their terminal",
}
COMMANDS = {  # each with what shows in its processes' command lines that it has begun
    "think": ("think tic_tac_toe --engine ENGINE", ("thinks",)),
    "bot": ("match eng random --engine eng=ENGINE --games 2", ("thinks", "serve")),
    "match": ("match mcts mcts --game backgammon --games 9 --nodes 90000", ("serve",)),
    "farm": ("match eng random --engine eng=ENGINE --games 4 --farm processes:2", ("thinks",)),
    "up": ("up --port 0 --data DATA", ("--anchors",)),
    "doctor": ("doctor bot DOCTORED", ("--until-eof",)),
}
STARTS = re.compile(
    r"subprocess\.(?:run|Popen|call|check_\w+)\(|create_subprocess_\w+\(|os\.(?:fork|spawn|exec|popen|system)"
    r"|ProcessPoolExecutor\(|\.Process\("
)


def test_each_place_that_starts_a_process_is_in_the_table() -> None:
    files = [ROOT / "plyhouse.py"]
    for folder in ("games", "protocol", "server", "client", "bots", "lab"):
        files += (ROOT / folder).rglob("*.py")
    starters = {str(f.relative_to(ROOT)) for f in files if STARTS.search(f.read_text("utf-8"))}
    assert starters == set(STARTERS)
    assert all(how in COMMANDS or " " in how for how in STARTERS.values())


def marked(mark: str) -> dict[int, str]:
    """The processes that have inherited the mark and still run, with their command lines."""
    processes = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}={mark}".encode() in (folder / "environ").read_bytes():
                processes[int(folder.name)] = (folder / "cmdline").read_text().replace("\0", " ")
        except OSError:
            continue
    return {pid: words for pid, words in processes.items() if words}  # not those that are dead


@pytest.fixture
def mark() -> Iterator[str]:
    """The mark of one test's processes, which are ended after it."""
    text = uuid4().hex
    yield text
    for pid in marked(text):
        os.kill(pid, signal.SIGKILL)


def begin(name: str, mark: str, folder: Path) -> subprocess.Popen[bytes]:
    """Start a command, and return when all that it starts is there."""
    for each in ("home", "scratch"):
        (folder / each).mkdir()
    (folder / "thinks.py").write_text(THINKS, encoding="utf-8")
    text, begun = COMMANDS[name]
    engine = shlex.join([sys.executable, str(folder / "thinks.py")])
    places = {"ENGINE": engine, "DATA": str(folder / "data"), "DOCTORED": "mcts"}
    words = [
        word.replace(place, value)
        for word in text.split()
        for place, value in [next(((p, v) for p, v in places.items() if p in word), ("", ""))]
    ]
    errors = (folder / "errors").open("wb")
    command = subprocess.Popen(
        [sys.executable, "-m", "plyhouse", *words],
        cwd=ROOT,
        env={
            **os.environ, MARK: mark, "HOME": str(folder / "home"),
            "TMPDIR": str(folder / "scratch"), "PLYHOUSE_PLAIN": "1",
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        start_new_session=True,
    )  # fmt: skip
    errors.close()
    deadline = time.monotonic() + LONG_S
    while not (
        all(any(part in words for words in marked(mark).values()) for part in begun)
        and (name != "match" or [*(folder / "scratch").glob("*/data")])  # its server is at work
    ):
        assert command.poll() is None, (folder / "errors").read_text()
        assert time.monotonic() < deadline, marked(mark)
        time.sleep(0.05)
    return command


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.parametrize("number", ["SIGKILL", "SIGTERM", "SIGHUP"])
@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_is_left_of_a_command_that_is_ended(
    name: str, number: str, mark: str, tmp_path: Path
) -> None:
    command = begin(name, mark, tmp_path)
    os.killpg(command.pid, signal.Signals[number])  # as a shell, or `timeout`, does
    command.wait(LONG_S)
    deadline = time.monotonic() + LONG_S
    while marked(mark) or [*(tmp_path / "scratch").iterdir()]:
        assert time.monotonic() < deadline, (marked(mark), [*(tmp_path / "scratch").iterdir()])
        time.sleep(0.05)
    assert "Traceback" not in (tmp_path / "errors").read_text()
