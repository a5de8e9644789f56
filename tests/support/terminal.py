"""`plyhouse` as people run it: in a process of its own, with or without a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pexpect

PLYHOUSE = [sys.executable, str(Path(__file__).parents[2] / "plyhouse.py")]


def environment(home: Path, name: str = "ada") -> dict[str, str]:
    """The environment of somebody with this login."""
    terminal = {"TERM": "xterm-256color", "PROMPT_TOOLKIT_NO_CPR": "1", "LOGNAME": name}
    return {**os.environ, **terminal, "XDG_DATA_HOME": str(home)}


@contextmanager
def in_terminal(
    home: Path, *words: str, name: str = "ada", columns: int = 80, rows: int = 24
) -> Iterator[pexpect.spawn[str]]:
    """Run a command in a terminal; who leaves the block kills it."""
    child: pexpect.spawn[str] = pexpect.spawn(
        PLYHOUSE[0],
        [PLYHOUSE[1], *words],
        env=environment(home, name),  # type: ignore[arg-type]  # any mapping does
        dimensions=(rows, columns),
        encoding="utf-8",
        timeout=60,
    )
    try:
        yield child
    finally:
        child.close(force=True)


def exit_code(child: pexpect.spawn[str]) -> int | None:
    """The exit code of a child that ends by itself."""
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus
