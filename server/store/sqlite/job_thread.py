"""A thread that does one job after the other.

Whatever ends it, each job that it was given is called: each caller has an answer.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeAlias

from server.store.contract import unheard

Job: TypeAlias = Callable[[bool], None]  # is called with False where the thread has ended


class JobThread:
    """`tidy` is called after each job with 0, and then with 1, 2 ... after each of the `pauses` (in
    seconds) in which none has come.
    """

    def __init__(
        self, name: str, tidy: Callable[[int], None] = unheard, pauses: Sequence[float] = ()
    ) -> None:
        self._tidy = tidy
        self._pauses = pauses
        self._has_ended = False
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def do(self, job: Job) -> None:
        """Do a job once those before it are done."""
        self._jobs.put(job)
        if self._has_ended:  # looked at behind `put`: else a job could come in between
            self._give_up()

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def close(self) -> None:
        """Do what waits, and end."""
        self._jobs.put(None)
        self._thread.join()

    def _run(self) -> None:
        try:
            self._do_jobs()
        finally:
            self._has_ended = True
            self._give_up()

    def _do_jobs(self) -> None:
        past = len(self._pauses)  # how many of the pauses have passed
        while True:
            try:
                job = self._jobs.get(timeout=(*self._pauses, None)[past])
            except queue.Empty:
                past += 1
            else:
                if job is None:
                    return
                job(True)
                del job  # it holds its caller, and the next may come hours later
                past = 0
            self._tidy(past)

    def _give_up(self) -> None:
        """Answer what is not done any more."""
        with suppress(queue.Empty):
            while True:
                job = self._jobs.get_nowait()
                if job is not None:
                    job(False)
