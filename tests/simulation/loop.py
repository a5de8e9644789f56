"""An event loop that never waits: its time goes from call to call, and it is several machines.

Each call belongs to a host, the one that has asked for it.  Calls of one host are made in the order
in which they became due, as asyncio promises it; which of several hosts comes next is drawn from
the seed, as no machine promises anything about another.  A host may stop for a while, in which its
calls wait, or end, and then none of them is ever made.  Threads are calls that come back later.

Why a loop of our own: of the kept libraries simloop, simloom and seedloop want Python 3.12 or are
not released, and looptime only lets time pass quickly, in asyncio's own order, with one clock for
all.  A library would also have to be as quick as this, as a run makes 100,000 calls.
"""

from __future__ import annotations

import asyncio
import heapq
import random
from collections import deque
from collections.abc import Callable
from typing import Any


class Host:
    """A machine: `ahead`: by how many seconds its wall clock is."""

    __slots__ = ("ahead", "calls", "is_over", "is_queued", "is_stopped", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.ahead = 0.0
        self.calls: deque[Call] = deque()
        self.is_queued = False
        self.is_stopped = False
        self.is_over = False


class Call:
    """What a host is going to do: a handle of asyncio's, as far as anything here uses one."""

    __slots__ = ("_when", "args", "call", "context", "host")

    def __init__(
        self, host: Host, call: Callable[..., Any] | None, args: Any, context: Any, when: float
    ) -> None:
        self.host = host
        self.call = call
        self.args = args
        self.context = context
        self._when = when

    def cancel(self) -> None:
        """Never make it."""
        self.call = None

    def cancelled(self) -> bool:
        """Whether it is never made."""
        return self.call is None

    def when(self) -> float:
        """When it is due."""
        return self._when


class SimulatedLoop(asyncio.BaseEventLoop):
    """See the module."""

    def __init__(self, seed: str) -> None:
        super().__init__()
        self.world = Host("world")  # whose calls are those of nature: the network, the faults
        self.host = self.world  # whose call is being made
        self.now = 1_000.0
        self.calls_made = 0
        self.failures: list[dict[str, Any]] = []  # what calls have raised
        self._rng = random.Random(f"{seed} order")
        self._ready: list[Host] = []
        self._timers: list[tuple[float, int, Call]] = []
        self._made = 0
        self.set_exception_handler(lambda _, what: self.failures.append(what))

    def time(self) -> float:
        """Seconds."""
        return self.now

    def wall(self) -> float:
        """What time it is by the clock of the host whose turn it is, as time.time() says it."""
        return 1_750_000_000.0 + self.now + self.host.ahead

    def call_soon(self, callback: Any, *args: Any, context: Any = None) -> Any:
        """As asyncio says."""
        call = Call(self.host, callback, args, context, self.now)
        self._queue(call)
        return call

    call_soon_threadsafe = call_soon

    def call_later(self, delay: float, callback: Any, *args: Any, context: Any = None) -> Any:
        """As asyncio says."""
        return self.call_at(self.now + delay, callback, *args, context=context)

    def call_at(self, when: float, callback: Any, *args: Any, context: Any = None) -> Any:
        """As asyncio says."""
        call = Call(self.host, callback, args, context, when)
        self._made += 1
        heapq.heappush(self._timers, (when, self._made, call))
        return call

    def at(self, host: Host, when: float, callback: Callable[..., Any], *args: Any) -> Call:
        """Have another host do something."""
        call = Call(host, callback, args, None, when)
        self._made += 1
        heapq.heappush(self._timers, (when, self._made, call))
        return call

    def soon(self, host: Host, callback: Callable[..., Any], *args: Any) -> None:
        """Have another host do something now."""
        self._queue(Call(host, callback, args, None, self.now))

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:
        """Do what a thread would do, a moment later."""
        future = self.create_future()

        def work() -> None:
            if future.cancelled():
                return
            try:
                future.set_result(func(*args))
            except Exception as error:  # noqa: BLE001 - as a thread's future it keeps the error
                future.set_exception(error)

        self.call_later(0.001 + 0.02 * self._rng.random(), work)
        return future

    def stop_host(self, host: Host) -> None:
        """Have a host do nothing until it is woken."""
        host.is_stopped = True
        if host.is_queued:
            self._ready.remove(host)
            host.is_queued = False

    def wake_host(self, host: Host) -> None:
        """Have a host go on with what has become due."""
        host.is_stopped = False
        if host.calls and not host.is_queued:
            host.is_queued = True
            self._ready.append(host)

    def end_host(self, host: Host) -> None:
        """Have a host never do anything again."""
        self.stop_host(host)
        host.is_over = True
        host.calls.clear()

    def _queue(self, call: Call) -> None:
        host = call.host
        if host.is_over:
            return
        host.calls.append(call)
        if not host.is_queued and not host.is_stopped:
            host.is_queued = True
            self._ready.append(host)

    def _run_once(self) -> None:
        """Make calls until the loop is told to stop."""
        ready, timers, draw = self._ready, self._timers, self._rng.random
        while not self._stopping:  # type: ignore[attr-defined]
            if not ready:
                self._wait()
                continue
            index = int(draw() * len(ready)) if len(ready) > 1 else 0
            host = ready[index]
            call = host.calls.popleft()
            if not host.calls:
                ready[index] = ready[-1]
                ready.pop()
                host.is_queued = False
            if call.call is None:
                continue
            self.host = host
            self.calls_made += 1
            try:
                if call.context is None:
                    call.call(*call.args)
                else:
                    call.context.run(call.call, *call.args)
            except (SystemExit, KeyboardInterrupt):
                raise
            except BaseException as error:  # noqa: BLE001 - as asyncio does; a run looks at it
                self.failures.append({"message": f"in {host.name}", "exception": error})
            self.host = self.world
            if timers and timers[0][0] <= self.now:
                self._take_due()

    def _wait(self) -> None:
        """Let time pass until something is due."""
        if not self._timers:
            raise AssertionError("nothing is left to wait for: a run never ends that way")
        self.now = max(self.now, self._timers[0][0])
        self._take_due()

    def _take_due(self) -> None:
        timers, now = self._timers, self.now
        while timers and timers[0][0] <= now:
            call = heapq.heappop(timers)[2]
            if call.call is not None:
                self._queue(call)

    def _process_events(self, event_list: Any) -> None:
        raise AssertionError("there is no selector")

    def _write_to_self(self) -> None:
        """There is none that sleeps."""
