"""Limits what the log grows by: a few lines of one kind, then how many more there were.

Who makes the server complain could else fill its disk.  What is lost is only repetition.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Final

AT_ONCE: Final = 5  # lines of one kind ...
EVERY_S: Final = 10.0  # ... and after that one in so many seconds
MAX_KINDS: Final = 200  # that are told apart; all others are one kind


class LineCount:
    """Lines of one kind: how many more may be written, since when, and how many were not."""

    def __init__(self, now: float) -> None:
        self.left = float(AT_ONCE)
        self.at = now
        self.omitted = 0


class LogLimit(logging.Filter):
    """A filter for a handler.  A kind is a logger's name and a text without its arguments.

    `clock` returns seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._counts: dict[tuple[str, str], LineCount] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to write this line; it says how many like it were not written."""
        now, kind = self._clock(), (record.name, str(record.msg))
        if kind not in self._counts and len(self._counts) >= MAX_KINDS:
            kind = ("", "")
        count = self._counts.setdefault(kind, LineCount(now))
        count.left = min(AT_ONCE, count.left + (now - count.at) / EVERY_S)
        count.at = now
        if count.left < 1:
            count.omitted += 1
            return False
        count.left -= 1
        if count.omitted:
            record.msg = f"{record.msg} ({count.omitted:,} more like this)"
            count.omitted = 0
        return True
