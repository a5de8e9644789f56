"""An event loop whose clock is wound by hand."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any


class Timer:
    """What call_at returns."""

    def __init__(self, call: Callable[[], None]) -> None:
        self.call: Callable[[], None] | None = call

    def cancel(self) -> None:
        """Never ring."""
        self.call = None


class Job:
    """What run_in_executor returns: a future."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._call = call
        self._result: Any = None
        self._error: Exception | None = None
        self._then: list[Callable[[Any], None]] = []

    def run(self) -> None:
        """Do the work, and tell who waits for it."""
        try:
            self._result = self._call()
        except Exception as error:  # noqa: BLE001 - as a real future, it keeps the error for `result`
            self._error = error
        for then in self._then:
            then(self)

    def add_done_callback(self, then: Callable[[Any], None]) -> None:
        """Call `then` with this once it is done."""
        self._then.append(then)

    def cancelled(self) -> bool:
        """Nobody does that here."""
        return False

    def exception(self) -> Exception | None:
        """What went wrong."""
        return self._error

    def result(self) -> Any:
        """What came of it."""
        return self._result


class ManualLoop:
    """The few methods of an event loop that a server uses; its clock stands still."""

    def __init__(self) -> None:
        self.at = 1_000.0
        self._timers: list[tuple[float, int, Timer]] = []
        self._made = 0

    def time(self) -> float:
        """Seconds."""
        return self.at

    def call_at(self, at: float, call: Callable[..., None], *args: Any) -> Timer:
        """Have `call` made once it is `at`."""
        timer = Timer(lambda: call(*args))
        self._made += 1
        heapq.heappush(self._timers, (at, self._made, timer))
        return timer

    def call_later(self, wait: float, call: Callable[..., None], *args: Any) -> Timer:
        """Have `call` made in `wait` seconds."""
        return self.call_at(self.at + wait, call, *args)

    def run_in_executor(self, _: object, call: Callable[..., Any], *args: Any) -> Job:
        """Have `call` made, in this thread, once time passes."""
        job = Job(lambda: call(*args))
        self.call_later(0, job.run)
        return job

    def pending(self) -> int:
        """Timers that are set."""
        return sum(timer.call is not None for _, _, timer in self._timers)

    def next(self, until: float) -> bool:
        """Let the next timer ring that is due by `until`; False if there is none."""
        while self._timers and self._timers[0][0] <= until:
            at, _, timer = heapq.heappop(self._timers)
            if timer.call is not None:
                self.at = max(self.at, at)
                call, timer.call = timer.call, None
                call()
                return True
        self.at = until
        return False
