"""When the log cannot be written: which rooms wait for it, and trying until it works again."""

from __future__ import annotations

import logging
from asyncio import TimerHandle

from server.core.room import Room
from server.rooms.directory import RoomDirectory
from server.rooms.wall_clock import WallClock
from server.store.contract import Fenced, PulseRow, Store

log = logging.getLogger("plyhouse")
MAX_RETRY_MS = 30_000  # between two attempts


class Outage:
    """The rooms that could not store something, and the next attempt.

    It subscribes to `stalled` and `removed` of the rooms, and to what the store tells.  `ended`:
    why nothing can be stored any more, if so.
    """

    def __init__(self, store: Store, clock: WallClock, rooms: RoomDirectory, retry_ms: int) -> None:
        self.store = store
        self.clock = clock
        self.rooms = rooms
        self.retry_ms = retry_ms
        self.waiting: set[int] = set()  # numbers of rooms
        self.ended: Fenced | None = None
        self._timer: TimerHandle | None = None  # set from the first failure to the last
        self._is_trying = False  # the answer to an attempt is still to come
        self._is_over = False  # no attempt can come to anything any more
        self._is_stalled = False  # the log does not answer
        store.news.stalled.append(self._stalled)
        store.news.ended.append(self._ended)

    @property
    def lasts(self) -> bool:
        """Whether the log does not answer, or could not be written and has not been since."""
        return self._is_stalled or self._timer is not None

    def begin(self, room: Room) -> None:
        """Note a room that could not store; it is told when the log works again."""
        self.waiting.add(room.number)
        if self._timer is None and not self._is_over:
            self._try_later(self.retry_ms)

    def forget(self, room: Room) -> None:
        """Forget a room that is closed."""
        self.waiting.discard(room.number)

    def _stalled(self, on: bool) -> None:
        """Stop the clocks of all rooms while it is not known when the log answers; or look if it
        does.

        A room that waits for an answer is left to wait: no player is charged for that.
        """
        self._is_stalled = on
        if on:
            log.warning("the log does not answer; clocks stand still")
            for actor in list(self.rooms.actors.values()):
                if not actor.busy and not actor.stalled:
                    actor.stall(self.clock.now())
        elif self._timer is not None and not self._is_trying:
            self._timer.cancel()
            self._try(self.retry_ms)

    def _ended(self, fenced: Fenced) -> None:
        self.ended = fenced
        self.stop()

    def _try_later(self, wait_ms: int) -> None:
        self._timer = self.clock.call_later(wait_ms / 1000, lambda: self._try(wait_ms))

    def _try(self, wait_ms: int) -> None:
        self._is_trying = True
        pulse = PulseRow(self.store.epoch)
        self.store.append([pulse], lambda error: self._tried(error, wait_ms))

    def _tried(self, error: Exception | None, wait_ms: int) -> None:
        self._is_trying = False
        if self._is_over:
            return
        if error is not None:
            self._try_later(min(wait_ms * 2, MAX_RETRY_MS))
            return
        log.warning("the log can be written again")
        waiting, self.waiting, self._timer = self.waiting, set(), None
        for number in sorted(waiting):
            actor = self.rooms.actors.get(number)
            if actor is not None:  # not closed by what another room of these has caused
                actor.unstall()

    def stop(self) -> None:
        """Make no more attempts."""
        self._is_over = True
        if self._timer is not None:
            self._timer.cancel()
