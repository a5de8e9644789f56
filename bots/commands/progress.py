"""How far long work is, on stderr: a bar on a terminal, plain lines in a pipe."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


class ProgressBar:
    """A bar where stderr is a terminal, else nothing but the lines that `show` gets.

    `hidden`: no bar in any case; `quiet`: no lines either.
    """

    def __init__(
        self, text: str, total: int | None = None, *, hidden: bool = False, quiet: bool = False
    ) -> None:
        self._quiet = quiet
        console = Console(stderr=True)
        self._bar: Progress | None = None
        if console.is_terminal and not hidden:
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                console=console,
                transient=True,
            )
            self._task = self._bar.add_task(text, total=total)

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(
        self, done: int, line: str | None = None, text: str | None = None, total: int | None = None
    ) -> None:
        """Show that `done` is done, with `text` beside the bar; without a bar, print `line`."""
        if self._bar is not None:
            self._bar.update(self._task, completed=done, description=text, total=total)
        elif line is not None and not self._quiet:
            print(line, file=sys.stderr, flush=True)
