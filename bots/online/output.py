"""What bots print: the terminal is their owner's, so nothing that a server sends may steer it."""

from __future__ import annotations

import logging
import sys

from client.styled_text import clean


def say(text: str) -> None:
    """Print a line on standard output, now."""
    print(clean(text), flush=True)


def complain(text: str) -> None:
    """Print a line on standard error."""
    print(clean(text), file=sys.stderr)


class CleanFormatter(logging.Formatter):
    """The bare message on one line, and behind it the traceback, if there is one and it is new."""

    def __init__(self) -> None:
        super().__init__()
        self._printed: set[str] = set()

    def format(self, record: logging.LogRecord) -> str:
        lines = [record.getMessage()]
        if record.exc_info:
            traceback = self.formatException(record.exc_info)
            if traceback in self._printed:
                lines[0] += ": the same error as before"
            else:
                lines += traceback.splitlines()
                self._printed.add(traceback)
        return "\n".join(map(clean, lines))


def log_to_stderr() -> None:
    """Send what is logged to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(CleanFormatter())
    logging.basicConfig(handlers=[handler])
