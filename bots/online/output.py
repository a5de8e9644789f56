"""What bots print: the terminal is their owner's, so nothing that a server sends may steer it."""

from __future__ import annotations

import concurrent.futures
import logging
import sys
import traceback
from pathlib import Path
from typing import Final

from client.styled_text import clean

PACKAGE: Final = Path(__file__).parents[1]
WORKERS: Final = str(Path(concurrent.futures.__file__).parent)


def say(text: str) -> None:
    """Print a line on standard output, now."""
    print(clean(text), flush=True)


def complain(text: str) -> None:
    print(clean(text), file=sys.stderr)


class CleanFormatter(logging.Formatter):
    """The bare message on one line, and behind it the traceback, if there is one and it is new.

    An error is the same as one before where the same line raised the same kind of it, whatever it
    says: a bot's message may hold a position, which is new in each match.  Of the traceback those
    lines are printed that an author can change: not ours that only call them.
    """

    def __init__(self) -> None:
        super().__init__()
        self._printed: set[tuple[object, ...]] = set()  # as many as there are lines that raise

    def format(self, record: logging.LogRecord) -> str:
        lines = [record.getMessage()]
        if record.exc_info and (error := record.exc_info[1]) is not None:
            summary = traceback.TracebackException.from_exception(error)
            frames = [frame for frame in summary.stack if not _is_ours(frame.filename)]
            place = [(frame.filename, frame.lineno) for frame in frames or summary.stack[-1:]]
            key = (type(error), *place[-1:])
            if key in self._printed:
                lines[0] += ": the same error as before"
            else:
                self._printed.add(key)
                summary.stack = traceback.StackSummary.from_list(frames)
                words = summary.format() if frames else summary.format_exception_only()
                lines += "".join(words).splitlines()
        return "\n".join(map(clean, lines))


def _is_ours(file: str) -> bool:
    """Whether a file belongs to what calls bots, and not to a bot or a game."""
    return file.startswith((str(PACKAGE / "online"), str(PACKAGE / "bot.py"), WORKERS))


def log_to_stderr() -> None:
    """Send what is logged to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(CleanFormatter())
    logging.basicConfig(handlers=[handler])
