"""Ends what we started, and removes its folder, when we are gone: also after SIGKILL.

A shell waits for the end of a pipe whose other end this process alone holds.  Linux could send the
child a signal instead (PR_SET_PDEATHSIG), but does so when the *thread* that started it ends, which
in a pool of threads is long before the match is over.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

# $1: a folder, or nothing.  It reads a process group, or "over".
SCRIPT: Final = """
trap '' HUP INT TERM
group=
while read -r line; do
    [ "$line" != over ] || exit
    group=$line
done
[ -z "$group" ] || kill -s KILL -- "-$group"
[ -n "$1" ] || exit
for again in 1 2 3 4 5 6 7 8 9; do # what is killed may write for a moment yet
    ! rm -rf -- "$1" || exit
    sleep 1
done
"""


class Reaper:
    """One such shell; where there is none (Windows) it does nothing.

    It is started before what it is to end, so that there is hardly a moment without it.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """`folder`: to be removed."""
        self._shell: subprocess.Popen[bytes] | None = None
        if sys.platform == "win32":
            return
        with suppress(OSError):  # no shell, or no process to be had: then we are all that ends it
            self._shell = subprocess.Popen(
                ["/bin/sh", "-c", SCRIPT, "reaper", "" if folder is None else str(folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # a signal to our group is not for it
            )

    def watch(self, group: int) -> None:
        """Have it kill this process group, too."""
        self._write(f"{group}\n")

    def dismiss(self) -> None:
        """There is nothing to end any more."""
        self._write("over\n")
        shell, self._shell = self._shell, None
        if shell is not None:
            shell.communicate()

    def _write(self, line: str) -> None:
        if self._shell is not None and self._shell.stdin is not None:
            with suppress(OSError):  # somebody has ended it
                self._shell.stdin.write(line.encode())
                self._shell.stdin.flush()
