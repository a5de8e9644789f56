"""The three standard streams of a process, opened once for all commands, however odd they are.

| a stream is | then |
|---|---|
| closed | it is /dev/null: else the next file that is opened would take its number, and our lines |
| not UTF-8 | what it lacks is replaced: the lines of a board by ASCII, a stranger's letter by `?` |
| full, or its reader left | standard output: `OutputLost` ends the command; error: no matter |
| not blocking, as another program left it | it is waited for |
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import select
import sys
import unicodedata
from collections.abc import Callable
from typing import Any, Final, TextIO

_ERRORS: Final = "plyhouse"
_INSTEAD: Final = {
    "─": "-", "━": "-", "═": "-", "│": "|", "┃": "|", "║": "|",
    "–": "-", "—": "-", "−": "-", "±": "+-", "·": ".", "×": "x", "½": "1/2", "∞": "inf",
    "‘": "'", "’": "'", "“": '"', "”": '"', "›": ">", "◀": "<", "▶": ">", "←": "<", "→": ">",
}  # fmt: skip


class OutputLost(Exception):
    """What a command had to say could not be written.

    No OSError: nothing that expects one of a file or a socket shall take this for it.
    """

    def __init__(self, error: OSError) -> None:
        super().__init__(f"standard output cannot be written: {error.strerror}")
        self.reader_left = error.errno == errno.EPIPE


class _Output(io.FileIO):
    """A standard output.  `needed`: when it cannot be written, the command shall end."""

    def __init__(self, number: int, needed: bool) -> None:
        super().__init__(number, "wb", closefd=False)
        self._needed = needed

    def write(self, data: Any, /) -> int:
        try:
            while (count := super().write(data)) is None:  # it would block
                select.select([], [self], [])
        except OSError as error:
            if self._needed:
                raise OutputLost(error) from None
            return memoryview(data).nbytes
        return count


def with_streams(command: Callable[[], int], output_needed: bool = True) -> int:
    """Run a command of a new process with its streams open, and return the exit code.

    `output_needed`: the command ends when its output is no longer read.
    """
    if sys.stdout is sys.__stdout__:  # else they are a test's, and not this process's
        _open_streams(output_needed)
    try:
        try:
            return command()
        finally:
            sys.stdout.flush()
    except OutputLost as lost:
        _open(os.devnull, 1)  # else Python's end would fail over what is left once more
        if lost.reader_left:  # such as `head`, which has seen enough
            return 141  # what a shell says of who was ended by SIGPIPE
        print(f"plyhouse: {lost}", file=sys.stderr)
        return 1


def writable(text: str) -> str:
    """Return what standard output would write for `text`."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, _ERRORS).decode(encoding)


def _open_streams(output_needed: bool) -> None:
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            _open(os.devnull, number)
    sys.stdin = sys.stdin or io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)))
    sys.stdout = _output(sys.stdout, 1, output_needed)
    sys.stderr = _output(sys.stderr, 2, needed=False)


def _open(path: str, number: int) -> None:
    """Open a file under a number; a child gets it, too."""
    file = os.open(path, os.O_RDWR)
    os.dup2(file, number)
    if file != number:
        os.close(file)


def _output(stream: TextIO | None, number: int, needed: bool) -> TextIO:
    """Return a stream of ours in place of Python's, with its encoding."""
    if isinstance(stream, io.TextIOWrapper) and sys.platform == "win32":  # a console is no file
        stream.reconfigure(errors=_ERRORS)
        return stream
    encoding = getattr(stream, "encoding", None) or "utf-8"
    at_once = os.isatty(number) or number == 2 or bool(getattr(stream, "write_through", False))
    raw = _Output(number, needed)
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding, _ERRORS, line_buffering=at_once)


def _replace(error: UnicodeError) -> tuple[str, int]:
    """Return what stands for letters that an encoding lacks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(map(_instead, lacking)), error.end


def _instead(letter: str) -> str:
    """Return ASCII for a letter: in a board of the same width."""
    if letter in _INSTEAD:
        return _INSTEAD[letter]
    if unicodedata.name(letter, "").startswith("BOX DRAWINGS"):
        return "+"
    plain = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
    wide = unicodedata.east_asian_width(letter) in ("W", "F")
    return plain or "?" * (2 if wide else 0 if unicodedata.combining(letter) else 1)


codecs.register_error(_ERRORS, _replace)
