"""A program of somebody else's that is asked by lines: one line in, one line out.

It is started when it is first asked, and once more where it dies over a question.  What it writes
on standard error is kept apart: the last lines are told when it fails, and all of it goes into a
file if one is named.
"""

from __future__ import annotations

import atexit
import os
import queue
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

from bots.bot import CannotPlay
from games.game import Ints

LONGEST_LINE: Final = 1 << 20  # bytes of an answer; what is longer is cut into several
WAITING_LINES: Final = 100  # unread, at which the program has to wait
TOLD_LINES: Final = 3  # of standard error, when it fails
LOOK_S: Final = 0.05  # how often a question that nobody waits for any more is noticed
GOING_S: Final = 1.0  # for a program to end once its input has

_running: set[Program] = set()


def split_command(text: str) -> list[str]:
    """Return a command line as words, as a shell would.

    Raises:
        CannotPlay: a quotation mark is not closed, or there is no word.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise CannotPlay(f"{text!r} is no command: {error}") from None
    if not words:
        raise CannotPlay('an engine needs a command, such as "python3 my_engine.py"')
    return words


class Program:
    """One process of a program, and its successors; used by one thread at a time."""

    def __init__(self, command: list[str], log: Path | None = None, mark: str = "") -> None:
        """`log`: a file to which its standard error is added.  `mark`: what an answer begins with,
        and is left out; other lines are none.
        """
        self.command = command
        self._mark = mark.encode()
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: queue.Queue[bytes | None] = queue.Queue(WAITING_LINES)
        self._errors: deque[str] = deque(maxlen=TOLD_LINES)
        self._owed = 0  # answers to come that nobody waits for

    @property
    def name(self) -> str:
        """The program, for sentences."""
        return Path(self.command[0]).name

    @property
    def is_idle(self) -> bool:
        """Whether it runs and has answered all that it was asked."""
        process = self._process
        return process is not None and process.poll() is None and self._owed == 0

    def ask(self, question: str, patience_s: float, stop: Ints) -> str | None:
        """Return its answer to a line; None once `stop` is set, and then a late one is dropped.

        Raises:
            CannotPlay: it cannot be started, died twice, or says nothing for `patience_s`.
        """
        for attempt in (1, 2):
            if self._process is None or self._process.poll() is not None:
                self.start()
            try:
                return self._exchange(question, patience_s, stop)
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
        self._answers, self._owed = queue.Queue(WAITING_LINES), 0
        try:
            process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # our Ctrl-C is not for it
            )
        except OSError as error:
            why = os.strerror(error.errno) if error.errno else str(error)
            raise CannotPlay(f"{shlex.join(self.command)} cannot be started: {why}") from None
        self._process = process
        _running.add(self)
        assert process.stdout is not None
        assert process.stderr is not None
        for work in (
            (_read_answers, process.stdout, self._answers, self._mark),
            (_read_errors, process.stderr, self._errors, self._log),
        ):
            threading.Thread(target=work[0], args=work[1:], daemon=True).start()

    def close(self, *, kill: bool = False) -> None:
        """End the process, at once or when it sees that its input has ended."""
        self._end(kill=kill)

    def _exchange(self, question: str, patience_s: float, stop: Ints) -> str | None:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        process.stdin.write(question.encode() + b"\n")
        process.stdin.flush()
        self._owed += 1
        deadline = time.monotonic() + patience_s
        while True:
            if stop[0]:
                return None
            left = deadline - time.monotonic()
            if left <= 0:
                self._end(kill=True)
                raise CannotPlay(
                    f"{self.name} said nothing for {patience_s:.0f} s{self._last_words()}"
                )
            try:
                answer = self._answers.get(timeout=min(LOOK_S, left))
            except queue.Empty:
                continue
            if answer is None:
                raise EOFError
            self._owed -= 1
            if self._owed == 0:
                return answer.decode(errors="replace").strip()

    def _end(self, *, kill: bool = False) -> int | None:
        """End the process, if there is one, and return its exit code."""
        process, self._process = self._process, None
        _running.discard(self)
        if process is None:
            return None
        assert process.stdin is not None
        with suppress(OSError):
            process.stdin.close()
        try:
            return process.wait(timeout=0 if kill else GOING_S)
        except subprocess.TimeoutExpired:
            if sys.platform == "win32":
                process.kill()
            else:
                with suppress(ProcessLookupError):  # and what it has started, which has its group
                    os.killpg(process.pid, signal.SIGKILL)
            return process.wait()

    def _last_words(self) -> str:
        """What it wrote on standard error last, as the end of a sentence."""
        words = " / ".join(line for line in list(self._errors) if line)
        return f"; it wrote: {words}" if words else ""


def _read_answers(pipe: IO[bytes], answers: queue.Queue[bytes | None], mark: bytes) -> None:
    """Hand on what a program writes, line by line, and None at the end."""
    with pipe:
        while line := pipe.readline(LONGEST_LINE):
            if line.startswith(mark):
                answers.put(line.removeprefix(mark))
    answers.put(None)


def _read_errors(pipe: IO[bytes], last: deque[str], log: Path | None) -> None:
    """Keep what a program complains of: the last lines, and all of it in a file."""
    with pipe:
        while line := pipe.readline(LONGEST_LINE):
            last.append(line.decode(errors="replace").strip()[:200])
            if log is not None:
                with suppress(OSError), log.open("ab") as file:  # a full disk costs no match
                    file.write(line)


@atexit.register
def close_all() -> None:
    """End every program that still runs: one that does not heed the end of its input, too."""
    for program in list(_running):
        program.close()
