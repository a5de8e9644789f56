"""Tidies up behind a program, also where that is killed: ends processes, removes folders.

`Guard` starts this file as a process of its own, and tells it over a pipe what there is to tidy up.
The pipe ends with the program, however that ends; then it is done.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

END_S: Final = 10.0  # for a process that was asked to end; then it is killed
LOOK_S: Final = 0.05


class Guard:
    """Knows which processes and folders must not outlive this program."""

    def __init__(self) -> None:
        words = [sys.executable, "-I", "-S", __file__]
        self._process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )

    def end_with_us(self, pid: int, how: signal.Signals = signal.SIGKILL) -> None:
        """End a process by this signal, if it is there when this program ends."""
        self._say(f"process {pid} {int(how)}")

    def has_ended(self, pid: int) -> None:
        """Leave a process alone: it has ended, and its number may be another's."""
        self._say(f"ended {pid}")

    def remove_with_us(self, folder: Path) -> None:
        """Remove a folder, if it is there when this program ends."""
        self._say(f"folder {folder}")

    def close(self) -> None:
        """Have all tidied up now, and wait for it."""
        with contextlib.suppress(BrokenPipeError):  # somebody has killed it
            self._process.communicate()

    def _say(self, line: str) -> None:
        pipe = self._process.stdin
        if pipe is not None and not pipe.closed:
            with contextlib.suppress(BrokenPipeError):  # as above
                pipe.write(line + "\n")
                pipe.flush()


def main() -> None:
    """Listen until the pipe ends, then tidy up."""
    processes: dict[int, int] = {}
    folders: list[str] = []
    for line in sys.stdin:
        what, _, rest = line.rstrip("\n").partition(" ")
        if what == "process":
            pid, _, how = rest.partition(" ")
            processes[int(pid)] = int(how)
        elif what == "ended":
            processes.pop(int(rest), None)
        elif what == "folder":
            folders.append(rest)
    for pid, how in processes.items():
        _signal(pid, how)
        _signal(pid, signal.SIGCONT)  # one that is stopped would not hear
    deadline = time.monotonic() + END_S
    while any(_signal(pid, 0) for pid in processes) and time.monotonic() < deadline:
        time.sleep(LOOK_S)  # they are not our children: nobody tells
    for pid in processes:
        _signal(pid, signal.SIGKILL)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def _signal(pid: int, number: int) -> bool:
    """Send a signal; False if there is no such process."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


if __name__ == "__main__":
    main()
