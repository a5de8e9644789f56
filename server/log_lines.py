"""What a server writes to standard error: lines for people, or one JSON object a line.

An object has `time` (UTC), `level`, `logger` and `message`; of several servers `server`, the number
of this one; besides, where it is known, what it is about: `room`, `seq`, `session`, `ladder`,
`game`, the `code` that somebody was refused with, and of an error `error` and `traceback`.  What a
line is about is read from its own text: of "room %d: not stored" the number is `room`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import re
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from types import TracebackType
from typing import ClassVar, Final, Literal, TypeAlias

LogForm: TypeAlias = Literal["text", "json"]
FORMS: Final[tuple[LogForm, ...]] = ("text", "json")
FIELD: Final = re.compile(
    r"(?:\b(room|seq|session|ladder|game) )?%(?:[-+ #0]*\d*(?:\.\d+)?[sdrxgf]|%)"
)
CHUNK: Final = 1 << 16  # bytes of what another program has written
MAX_LINE: Final = 4_096  # characters of a line of it; a longer one is cut
LAST_WORDS_S: Final = 1.0  # for what it has written before its end; others may hold its pipe open
TRACEBACK: Final = "Traceback (most recent call last):"
# Who makes the server complain could else fill its disk; what is lost is only repetition.
AT_ONCE: Final = 5  # lines of one kind ...
EVERY_S: Final = 10.0  # ... and after that one in so many seconds
MAX_KINDS: Final = 200  # that are told apart; all others are one kind

log = logging.getLogger("plyhouse")


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


class JsonLines(logging.Formatter):
    """A record as one line of JSON.  `server`: which of several this is, once it is one."""

    server: ClassVar[int | None] = None

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, without its end."""
        fields: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **({"server": self.server} if self.server is not None else {}),
            **dict(_fields(record)),
        }
        error = record.exc_info[1] if record.exc_info else None
        code = getattr(record, "code", None) or getattr(error, "code", None)
        if code is not None:
            fields["code"] = str(code)
        if error is not None and record.exc_info:
            fields["error"] = type(error).__name__
            fields["traceback"] = self.formatException(record.exc_info)
        elif (written := getattr(record, "traceback", None)) is not None:
            fields["traceback"] = written
        return json.dumps(fields, ensure_ascii=False, default=str)


def _fields(record: logging.LogRecord) -> Iterator[tuple[str, object]]:
    """Yield what a record's text names, and its values."""
    if not isinstance(record.args, tuple):
        return
    placeholders = (m for m in FIELD.finditer(str(record.msg)) if not m[0].endswith("%%"))
    for match, value in zip(placeholders, record.args, strict=False):
        if match[1] is not None:
            yield match[1], value if isinstance(value, int) else str(value)


def open_log(form: LogForm) -> None:
    """Have everything logged on standard error, in this form and not without bound.

    As JSON there is nothing else on that stream: warnings, and errors that nothing has caught, are
    records as well.
    """
    output = logging.StreamHandler(sys.stderr)
    output.addFilter(LogLimit())
    if form == "text":
        output.setFormatter(logging.Formatter("plyhouse: %(message)s"))
    else:
        output.setFormatter(JsonLines())
        logging.captureWarnings(True)
        sys.excepthook = _uncaught
        threading.excepthook = lambda args: _uncaught(
            args.exc_type, args.exc_value, args.exc_traceback
        )
        sys.unraisablehook = lambda args: _uncaught(
            args.exc_type, args.exc_value, args.exc_traceback
        )
    logging.basicConfig(level=logging.WARNING, handlers=[output])


def _uncaught(
    kind: type[BaseException], error: BaseException | None, traceback: TracebackType | None
) -> None:
    """Log an error that was not caught; Ctrl-C is none."""
    if error is not None and not issubclass(kind, KeyboardInterrupt):
        log.critical("the server has a bug: %s", error, exc_info=(kind, error, traceback))


def complain(form: LogForm, error: object) -> None:
    """Say why a server cannot start."""
    if form == "json":
        log.critical("%s", error)
    else:
        print(f"plyhouse: {error}", file=sys.stderr)


@contextlib.asynccontextmanager
async def relayed(stream: asyncio.StreamReader | None, name: str) -> AsyncIterator[None]:
    """Log what another program writes to its standard error; None: it is not ours to read."""
    if stream is None:
        yield
        return
    reading = asyncio.ensure_future(_relay(stream, name))
    try:
        yield
        await asyncio.wait([reading], timeout=LAST_WORDS_S)
    finally:
        reading.cancel()


async def _relay(stream: asyncio.StreamReader, name: str) -> None:
    """Log a record a line; a traceback is one together with the line that ends it."""
    lines = _Grouped(logging.getLogger(f"plyhouse.{name}").warning)
    rest = b""
    while data := await stream.read(CHUNK):
        *whole, rest = (rest + data).split(b"\n")
        for line in whole:
            lines.take(line.decode(errors="replace"))
        rest = rest[:MAX_LINE]
    lines.take(rest.decode(errors="replace"))
    lines.end()


class _Grouped:
    """Puts the lines of a traceback together.

    A line is the text of a record, and no pattern: to the limit, lines that differ are of different
    kinds.
    """

    def __init__(self, tell: Callable[..., None]) -> None:
        self._tell = tell
        self._traceback: list[str] = []

    def take(self, line: str) -> None:
        """Take a line."""
        line = line.rstrip()[:MAX_LINE]
        if line == TRACEBACK or self._traceback:
            self._traceback.append(line)
            if line != TRACEBACK and not line.startswith((" ", "\t")):
                self.end()
        elif line:
            self._tell(line)

    def end(self) -> None:
        """Tell of a traceback that is whole, or broke off."""
        lines, self._traceback = self._traceback, []
        if lines:
            self._tell(lines[-1].strip(), extra={"traceback": "\n".join(lines)})
