"""What a session needs of a terminal: where lines and scenes go, and typed lines come from."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol

from client.terminal.lines import Line
from client.terminal.view import Scene


class Face(Protocol):
    """Where lines and scenes go, and typed lines come from."""

    patient: bool  # lines were not typed for the moment: an action waits for its turn

    def tell(self, *lines: Line) -> None:
        """Add lines to the log."""

    def show(self) -> None:
        """The scene has changed."""

    def keep(self, scene: Scene) -> None:
        """This scene is over: what is worth keeping of it goes to the log."""

    def bell(self) -> None:
        """Something happened that a person may want to look up for."""

    def typed(self) -> AsyncIterator[str]:
        """The lines that are typed, until there are no more."""
