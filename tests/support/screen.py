"""What a person sees: a terminal emulator that a test types into, and whose screen it reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pexpect
import pyte

from tests.support.terminal import in_terminal

REST_S = 0.02  # a terminal hands a long drawing on in parts, which come at once
PATIENCE_S = 60.0  # for anything that is waited for; on a busy machine
BOX = frozenset("│┌└├─")


class Size(NamedTuple):
    """Of a terminal."""

    columns: int
    rows: int


class Screen(pyte.Screen):
    """A screen that knows which lines were longer than it is wide."""

    def __init__(self, size: Size) -> None:
        self.broken: list[str] = []
        self._drawing = False
        super().__init__(size.columns, size.rows)

    def draw(self, data: str) -> None:
        self._drawing = True
        super().draw(data)
        self._drawing = False

    def linefeed(self) -> None:
        if self._drawing:
            self.broken.append(self.display[self.cursor.y])
        super().linefeed()


class TerminalWindow:
    """A program in a terminal of a fixed size, with what it shows."""

    def __init__(self, child: pexpect.spawn[str], size: Size) -> None:
        self.child = child
        self.size = size
        self.screen = Screen(size)
        self._stream = pyte.Stream(self.screen)

    def lines(self) -> list[str]:
        """What stands on the screen, from the top; each line as wide as the screen."""
        return list(self.screen.display)

    def text(self) -> str:
        """What stands on the screen, without blanks at the ends of lines."""
        return "\n".join(line.rstrip() for line in self.lines())

    def press(self, keys: str) -> None:
        """Type, as a person would."""
        self.child.send(keys)

    def until(self, done: Callable[[], bool]) -> None:
        """Read what the program writes until the screen is so.

        Raises:
            AssertionError: it is not, with what stands there.
        """
        while True:
            while self._reads(REST_S):
                pass
            if done():
                return
            assert self._reads(PATIENCE_S), f"it shows:\n{self.text()}"

    def _reads(self, within_s: float) -> bool:
        """Draw what the program writes next; False if it writes nothing more."""
        try:
            self._stream.feed(self.child.read_nonblocking(65_536, within_s))
        except (pexpect.TIMEOUT, pexpect.EOF):
            return False
        return True

    def until_the_end(self) -> None:
        """Read until the program has ended by itself."""
        while self._reads(PATIENCE_S):
            pass

    def shows(self, pattern: str) -> bool:
        """Return whether a line of the screen has this in it."""
        return any(re.search(pattern, line) for line in self.lines())

    def board(self) -> list[str]:
        """The lines of the board, with what stands beside it."""
        return [line for line in self.lines() if BOX & set(line) and "Tab completes" not in line]

    def torn_words(self) -> list[str]:
        """The lines that the terminal had to break, wherever a word was."""
        return self.screen.broken


@contextmanager
def window(home: Path, size: Size, *words: str, name: str) -> Iterator[TerminalWindow]:
    """Run a command in a window of this size, for somebody with this login."""
    with in_terminal(home, *words, name=name, columns=size.columns, rows=size.rows) as child:
        yield TerminalWindow(child, size)
