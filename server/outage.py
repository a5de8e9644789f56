"""When the log cannot be written: which rooms wait for it, and trying until it works again."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from server.config import Config
from server.store.store import PulseRow, Store

if TYPE_CHECKING:
    from server.runtime import Keeper

log = logging.getLogger("plyhouse")
MAX_RETRY_MS = 30_000  # between two tries


class Outage:
    """The rooms that could not store something, and the next try."""

    def __init__(self, store: Store, config: Config, loop: asyncio.AbstractEventLoop) -> None:
        self.store = store
        self.config = config
        self.loop = loop
        self.rooms: set[Keeper] = set()
        self._timer: asyncio.TimerHandle | None = None  # set from the first failure to the last

    def begin(self, keeper: Keeper) -> None:
        """A room could not store; it is told when the log works again."""
        self.rooms.add(keeper)
        if self._timer is None:
            self._try_later(self.config.retry_ms)

    def _try_later(self, wait: int) -> None:
        self._timer = self.loop.call_later(wait / 1000, self._try, wait)

    def _try(self, wait: int) -> None:
        pulse = PulseRow(self.store.epoch)
        self.store.append([pulse], lambda error: self._tried(error, wait))

    def _tried(self, error: Exception | None, wait: int) -> None:
        if error is not None:
            self._try_later(min(wait * 2, MAX_RETRY_MS))
            return
        log.warning("the log can be written again")
        waiting, self.rooms, self._timer = self.rooms, set(), None
        for keeper in waiting:
            keeper.unstall()

    def stop(self) -> None:
        """Try no more."""
        if self._timer is not None:
            self._timer.cancel()
