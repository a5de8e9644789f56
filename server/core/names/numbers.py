"""Numbers that are reserved a few at a time, where several servers give out new ones.

A server alone counts on.  In a cluster each server reserves a block and gives out those; what is
left of a block when a server ends is never used.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

from protocol.errors import Code, Refusal

BLOCK: Final = 32
MIN_BLOCKS: Final = 16  # are left when the next block is asked for


class NumberBlocks:
    """Blocks of numbers.  `reserve` is called to have another one added, and not again before."""

    def __init__(self, reserve: Callable[[], None]) -> None:
        self._reserve = reserve
        self._blocks: deque[int] = deque()
        self._waits = False

    def add(self, first: int | None) -> None:
        """Add the block that begins with this number; None: there is none now."""
        self._waits = False
        if first is not None:
            self._blocks += range(first, first + BLOCK)

    def peek(self) -> int:
        """Return what `take` would.

        Raises:
            Refusal: room/busy, if all are used and the next block has not come.
        """
        if len(self._blocks) <= MIN_BLOCKS and not self._waits:
            self._waits = True
            self._reserve()
        if not self._blocks:
            text = "too many new names and rooms at once; ask again in a moment"
            raise Refusal(Code.ROOM_BUSY, text)
        return self._blocks[0]

    def take(self) -> int:
        """Return a number that no other gets."""
        number = self.peek()
        self._blocks.popleft()
        return number
