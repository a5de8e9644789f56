"""What a session needs of a terminal: where lines and views go, and typed lines come from."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from typing import Final, Protocol

from client.styled_text import StyledText
from client.terminal.shown.view import ViewModel

LOG_WIDTH: Final = 100  # columns of a line in the log, and of a line in a pipe


class UserInterface(Protocol):
    """Where lines and views go, and typed lines come from."""

    patient: bool  # lines were not typed for the moment: an action waits for its turn

    def tell(self, *lines: StyledText) -> None:
        """Add lines to the log."""

    def show(self) -> None:
        """Draw the view again: it has changed."""

    def keep(self, view: ViewModel) -> None:
        """Copy a view that is over into the log, where it is worth it."""

    def bell(self) -> None:
        """Call the person's attention."""

    def typed(self) -> AsyncIterator[str]:
        """Yield the lines that are typed, until there are no more."""


def can_draw() -> bool:
    """Return whether standard input and output are a terminal that can be drawn on."""
    both = sys.stdin.isatty() and sys.stdout.isatty()
    return both and os.environ.get("TERM") not in (None, "", "dumb")
