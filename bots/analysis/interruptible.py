"""Thinking that a Ctrl-C ends early."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from games.game import Ints

T = TypeVar("T")


def run_interruptibly(work: Callable[[], T], stop: Ints) -> T:
    """Run `work`, which ends soon after `stop[0]` is set, as a Ctrl-C does; its result.

    It runs on a thread, for compiled code on the main thread does not hear of a Ctrl-C.
    """
    with ThreadPoolExecutor(1) as worker:
        future = worker.submit(work)
        try:
            return future.result()
        except KeyboardInterrupt:
            stop[0] = 1
            return future.result()
