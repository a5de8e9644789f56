"""How a bot asks its server for something: again where that may help, in the background if need be.

What the server refuses, and a lost connection, are answers: they end one request and no more.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from itertools import count
from typing import Any, Final

from client.backoff import Backoff
from client.errors import BUSY
from protocol.errors import PlyhouseError, Refusal

RETRYING: Final = Backoff(first=0.5, longest=4.0)

log = logging.getLogger("plyhouse.bots")


async def ask_until_taken(
    request: Callable[[], Awaitable[object]], wanted: Callable[[], bool] = lambda: True
) -> None:
    """Send a request, and again, ever more rarely, while the server cannot take it just now.

    Where the refusal says how long to wait, it is not sent again sooner.  It is given up once it is
    no longer `wanted`.

    Raises:
        Refusal: for any other reason.
    """
    for attempt in count():
        if not wanted():
            return
        try:
            await request()
        except Refusal as refusal:
            if refusal.code not in BUSY:
                raise
            wait = max(RETRYING.wait(attempt), (refusal.retry_ms or 0) / 1_000)
        else:
            return
        await RETRYING.sleep(wait)


class BackgroundTasks:
    """Requests under way.  `where` says in the log whose they are."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._tasks: set[asyncio.Task[None]] = set()  # the event loop holds its tasks only weakly

    def spawn(self, work: Coroutine[Any, Any, object]) -> asyncio.Task[None]:
        """Begin `work`; a refusal or a lost connection ends it with a line in the log."""
        task = asyncio.get_running_loop().create_task(self._run(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: work.close())  # cancelled, it may never have begun
        return task

    async def _run(self, work: Coroutine[Any, Any, object]) -> None:
        try:
            await work
        except PlyhouseError as error:  # the next message says how things stand
            log.info("%s: %s", self._where, error)
