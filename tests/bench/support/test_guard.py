"""What a killed program leaves behind: a guard ends it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = """
import os, signal, subprocess, sys
from pathlib import Path
from bench.support.guard import Guard

guard, folder = Guard(), Path(sys.argv[1])
(folder / "file").touch()
guard.remove_with_us(folder)
null = subprocess.DEVNULL
sleepers = [subprocess.Popen(["sleep", "60"], stdout=null, stderr=null) for _ in range(3)]
for sleeper in sleepers:
    guard.end_with_us(sleeper.pid, signal.SIGTERM)
guard.has_ended(sleepers[2].pid)  # it has not, which shows whether this is heard
os.kill(sleepers[0].pid, signal.SIGSTOP)
print(*[sleeper.pid for sleeper in sleepers], flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
ENDED_S = 20.0


@pytest.mark.skipif(not Path("/proc").exists(), reason="there is no /proc to look at")
def test_a_killed_program_leaves_no_process_and_no_folder(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    words = [sys.executable, "-c", PROGRAM, str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    stopped, running, another = map(int, done.stdout.split())
    try:
        deadline = time.monotonic() + ENDED_S
        while (folder.exists() or _runs(stopped) or _runs(running)) and time.monotonic() < deadline:
            time.sleep(0.02)  # the guard is nobody's child here
        assert not folder.exists()
        assert [_runs(stopped), _runs(running), _runs(another)] == [False, False, True]
    finally:
        os.kill(another, signal.SIGKILL)


def _runs(pid: int) -> bool:
    """Whether a process is there, and no mere entry of one that has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
