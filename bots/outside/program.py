"""A program of somebody else's that is asked by lines: one line in, one line out.

It is started when it is first asked, and once more where it dies over a question.  A line that was
there before a question is no answer to it: it is thrown away, that is told once, and the process
plays no other match.  What it writes on standard error is kept apart: the last lines are told when
it fails, and all of it goes into a file if one is named.  It and all that it has started (its
process group) end when we do, however that comes.
"""

from __future__ import annotations

import atexit
import logging
import os
import queue
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Final, TypeAlias

from bots.bot import CannotPlay
from bots.outside.reaper import Reaper
from games.game import Ints

MAX_LINE: Final = 1 << 20  # bytes of an answer; what is longer is cut into several
CHUNK: Final = 1 << 16
WAITING_LINES: Final = 100  # unread, at which the program has to wait
TOLD_LINES: Final = 3  # of standard error, when it fails
TOLD_LETTERS: Final = 60  # of a line that is told
LOOK_S: Final = 0.05  # how often is noticed that it is dead, or that the turn is over
LAST_LINE_S: Final = 0.2  # for the last lines of a dead program, whose helper may hold the pipe
GOING_S: Final = 1.0  # for a program to end once its input has
VARIABLE: Final = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
WINDOWS_PATH: Final = re.compile(r"(?:^|[\s\"'=])[A-Za-z]:\\")

log = logging.getLogger("plyhouse.bots")
Fits: TypeAlias = Callable[[str], bool]

_running: set[Program] = set()


def split_command(text: str) -> list[str]:
    """Return a command line as words, as a shell would; a Windows path keeps its backslashes.

    Raises:
        CannotPlay: a quotation mark is not closed, or there is no command.
    """
    words = shlex.shlex(text, posix=True, punctuation_chars=False)
    words.whitespace_split, words.commenters = True, ""
    if sys.platform == "win32" or WINDOWS_PATH.search(text):
        words.escape = ""
    try:
        command = list(words)
    except ValueError as error:
        raise CannotPlay(f"{text!r} is no command: {error}") from None
    if all(map(VARIABLE.fullmatch, command)):
        raise CannotPlay('an engine needs a command, such as "python3 my_engine.py"')
    return command


class Program:
    """One process of a program, and its successors; used by one thread at a time."""

    def __init__(self, command: list[str], log: Path | None = None, mark: str = "") -> None:
        """Args:
        command: its words; variables for it may stand in front, such as OMP_NUM_THREADS=1.
        log: a file to which its standard error is added.
        mark: what an answer begins with, and is left out; other lines are none.
        """
        self.command, self.variables = list(command), dict[str, str]()
        while variable := VARIABLE.fullmatch(self.command[0]):
            self.variables[variable[1]] = variable[2]
            del self.command[0]
        self._mark = mark.encode()
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None
        self._reaper: Reaper | None = None
        self._lines = AnswerLines(self._mark)
        self._errors: deque[str] = deque(maxlen=TOLD_LINES)
        self._questions = 0  # that this process was asked
        self._owed = 0  # answers to come
        self._asked_at = 0.0
        self._told = False  # that it says what it was not asked for
        self._babbles = False  # this process does

    @property
    def name(self) -> str:
        return Path(self.command[0]).name

    @property
    def is_idle(self) -> bool:
        """Whether it runs, has answered all that it was asked, and said nothing besides."""
        if self._process is None or self._has_ended():
            return False
        self._throw_away()
        return self._owed == 0 and not self._babbles

    @property
    def silence(self) -> str:
        """What there is to say of an answer that did not come: "said nothing for 2 s"."""
        spent = time.monotonic() - self._asked_at
        if half := self._lines.half_line():
            said = f"wrote {_short(half)} without a line end in {spent:.0f} s"
        else:
            said = f"said nothing for {spent:.0f} s"
        return f"{self.name} {said}{self._last_words()}"

    @property
    def owes(self) -> bool:
        """Whether it was asked and has not answered."""
        return self._owed > 0

    def ask(
        self,
        question: str,
        patience_s: float,
        stop: Ints,
        fits: Fits = lambda line: True,
        greeting_s: float = 0.0,
    ) -> str | None:
        """Return its answer to a line; None once `stop` is set, and then a late one is dropped.

        It cannot be told whether the first line of a process was written before the question was
        read.  So what does not fit there is passed over as a greeting, if more comes.

        Args:
            question: the line.
            patience_s: how long an answer may take.
            stop: the flag that is set when the turn is over.
            fits: whether a line may be the answer.
            greeting_s: how long to wait for the line behind a greeting.

        Raises:
            CannotPlay: it cannot be started, died twice, or says nothing for `patience_s`.
        """
        for attempt in (1, 2):
            if self._process is None or self._has_ended():
                self.start()
            try:
                self._put(question)
                line = self._take(patience_s, stop)
                if self._questions > 1 or line is None or fits(line):
                    return line
                return self._behind_greeting(line, greeting_s, stop, fits)
            except (BrokenPipeError, EOFError):
                code = self._end()
                if attempt == 2:
                    raise CannotPlay(
                        f"{self.name} was started twice for one question, and ended with code"
                        f" {code} both times{self._last_words()}"
                    ) from None
        raise AssertionError("unreachable")

    def start(self) -> None:
        """Start the process; what an earlier one still owed is forgotten.

        Raises:
            CannotPlay: there is no such program, or it may not be run.
        """
        self._end()
        self._lines, self._babbles = AnswerLines(self._mark), False
        self._owed = self._questions = 0
        reaper = Reaper()
        try:
            process = subprocess.Popen(
                self.command,
                env={**os.environ, **self.variables},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # our Ctrl-C is not for it
            )
        except (OSError, ValueError) as error:  # ValueError: a NUL in a word
            reaper.dismiss()
            errno = error.errno if isinstance(error, OSError) else None
            why = os.strerror(errno) if errno else str(error)
            raise CannotPlay(f"{shlex.join(self.command)} cannot be started: {why}") from None
        reaper.watch(process.pid)
        self._process, self._reaper = process, reaper
        _running.add(self)
        assert process.stdout is not None
        assert process.stderr is not None
        for work, *arguments in (
            (self._lines.read, process.stdout),
            (_read_errors, process.stderr, self._errors, self._log),
        ):
            threading.Thread(target=work, args=arguments, daemon=True).start()

    def close(self, *, kill: bool = False) -> None:
        """End the process, at once or when it sees that its input has ended."""
        self._end(kill=kill)

    def _put(self, question: str) -> None:
        """Write a question, after what lies there unasked is thrown away."""
        process = self._process
        assert process is not None
        assert process.stdin is not None
        self._throw_away()
        self._asked_at = time.monotonic()
        process.stdin.write(question.encode() + b"\n")
        process.stdin.flush()
        self._questions += 1
        self._owed += 1

    def _take(self, patience_s: float, stop: Ints) -> str | None:
        """Wait for all that it owes, and return the last of it; None once `stop` is set.

        Raises:
            CannotPlay: it says nothing for `patience_s`, and is killed.
            EOFError: it has ended.
        """
        deadline = time.monotonic() + patience_s
        ended_at: float | None = None
        while True:
            if stop[0]:
                return None
            now = time.monotonic()
            if now >= deadline:
                silence = self.silence
                self._end(kill=True)
                raise CannotPlay(silence)
            if ended_at is None and self._has_ended():
                ended_at = now
            if ended_at is not None and now - ended_at > LAST_LINE_S:
                raise EOFError
            line = self._lines.next(min(LOOK_S, deadline - now))
            if line is not None:
                self._owed -= 1
                if self._owed == 0:
                    return line

    def _behind_greeting(self, line: str, patience_s: float, stop: Ints, fits: Fits) -> str | None:
        """Return the first line behind this one that fits; the last one if none comes in time."""
        until = time.monotonic() + patience_s
        greeting = later = line
        with suppress(EOFError):
            while not fits(later) and (left := until - time.monotonic()) > 0:
                if stop[0]:
                    return None
                later = self._lines.next(min(LOOK_S, left)) or later
        if later is not greeting:
            self._complain(greeting)
        return later

    def _throw_away(self) -> None:
        """Drop what it has written so far: late answers, and what it was not asked for."""
        while True:
            try:
                line = self._lines.next(0)
            except EOFError:
                return
            if line is None:
                return
            if self._owed:
                self._owed -= 1
            else:
                self._complain(line)

    def _complain(self, line: str) -> None:
        """Tell, once, that it says what it was not asked for."""
        self._babbles = True
        if not self._told:
            self._told = True
            log.warning(
                "%s wrote %s, which nobody had asked for; such lines are thrown away",
                self.name, _short(line),
            )  # fmt: skip

    def _has_ended(self) -> bool:
        """Whether the process has ended; what it had started is ended then, too."""
        process = self._process
        assert process is not None
        if process.returncode is None and process.poll() is not None:
            _kill_group(process)
        return process.returncode is not None

    def _end(self, *, kill: bool = False) -> int | None:
        """End the process, if there is one, with all that it has started; return its exit code."""
        process, reaper = self._process, self._reaper
        self._process = self._reaper = None
        if process is None:
            return None
        _running.discard(self)
        assert process.stdin is not None
        with suppress(OSError):
            process.stdin.close()
        if process.returncode is None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=0 if kill else GOING_S)
            _kill_group(process)
        self._lines.close()
        code = process.wait()
        if reaper is not None:
            reaper.dismiss()
        return code

    def _last_words(self) -> str:
        """What it wrote on standard error last, as the end of a sentence."""
        words = " / ".join(line for line in list(self._errors) if line)
        return f"; it wrote: {words}" if words else ""


class AnswerLines:
    """The lines of one process, read on a thread of its own."""

    def __init__(self, mark: bytes) -> None:
        self._mark = mark
        self._queue: queue.Queue[str | None] = queue.Queue(WAITING_LINES)
        self._half = b""
        self._over = False  # there will be none
        self._closed = False

    def next(self, timeout: float) -> str | None:
        """Return the next line; None if there is none within `timeout` s.

        Raises:
            EOFError: there will be none.
        """
        if self._over:
            raise EOFError
        try:
            line = self._queue.get(timeout=timeout) if timeout > 0 else self._queue.get_nowait()
        except queue.Empty:
            return None
        if line is None:
            self._over = True
            raise EOFError
        return line

    def close(self) -> None:
        """Take in nothing more: the program, which may still write, has not to wait for us."""
        self._closed = True
        with suppress(queue.Empty):
            self._queue.get_nowait()

    def half_line(self) -> str:
        """What it has written behind the last line end."""
        return self._half.decode(errors="replace").strip()

    def read(self, pipe: IO[bytes]) -> None:
        """Take in what the program writes, until it has closed its output."""
        with pipe:
            while chunk := os.read(pipe.fileno(), CHUNK):
                *lines, self._half = (self._half + chunk).split(b"\n")
                if len(self._half) > MAX_LINE:
                    lines, self._half = [*lines, self._half], b""
                for line in lines:
                    self._put(line)
        half, self._half = self._half, b""
        self._put(half)
        if not self._closed:
            self._queue.put(None)

    def _put(self, line: bytes) -> None:
        """Hand on a line, unless it is empty or has not the mark."""
        if line.startswith(self._mark):
            text = line.removeprefix(self._mark).decode(errors="replace").strip()
            if text and not self._closed:
                self._queue.put(text)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process with all that it has started, which has its group."""
    if sys.platform == "win32":
        process.kill()
    else:
        with suppress(ProcessLookupError, PermissionError):  # the latter: macOS, of a dead one
            os.killpg(process.pid, signal.SIGKILL)


def _short(line: str) -> str:
    return repr(line if len(line) <= TOLD_LETTERS else f"{line[:TOLD_LETTERS]}…")


def _read_errors(pipe: IO[bytes], last: deque[str], log: Path | None) -> None:
    """Keep what a program complains of: the last lines, and all of it in a file."""
    with pipe:
        while line := pipe.readline(MAX_LINE):
            last.append(line.decode(errors="replace").strip()[:200])
            if log is not None:
                with suppress(OSError), log.open("ab") as file:  # a full disk costs no match
                    file.write(line)


@atexit.register
def close_all() -> None:
    """End every program that still runs: one that does not heed the end of its input, too."""
    for program in list(_running):
        program.close()
