"""How long to wait before a lost connection is tried again."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Backoff:
    """The waits before attempts: `first` seconds, then doubled up to `longest`.

    Each wait is shortened at random by up to half, so that a thousand clients of a restarted server
    do not come back in step.  Jitter, sleep and clock are here so that a test can bring its own.

    >>> backoff = Backoff(first=0.1, longest=1.0, jitter=lambda: 0.0)
    >>> [backoff.wait(attempt) for attempt in range(6)]
    [0.1, 0.2, 0.4, 0.8, 1.0, 1.0]
    """

    first: float = 0.05
    longest: float = 5.0
    jitter: Callable[[], float] = random.random
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    now: Callable[[], float] = time.monotonic

    def wait(self, attempt: int) -> float:
        """Seconds before attempt number `attempt`, from 0."""
        # 2**16 * first is beyond any `longest`; without the cap the power would overflow a float.
        full = min(self.longest, self.first * 2.0 ** min(attempt, 16))
        return full * (1.0 - 0.5 * self.jitter())
