"""Work in a thread beside the event loop, of which the end is always told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def in_thread(
    loop: asyncio.AbstractEventLoop,
    work: Callable[[], T],
    done: Callable[[asyncio.Future[T]], None],
) -> None:
    """Have `work` done, and `done` called in the loop with the future that it came to.

    Its caller would wait for ever if a thread that the system refuses were raised here.
    """
    try:
        future = loop.run_in_executor(None, work)
    except RuntimeError as error:  # no thread is to be had
        future = asyncio.Future(loop=loop)
        future.set_exception(error)
    future.add_done_callback(done)
