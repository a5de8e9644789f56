"""When the log cannot be written: which rooms wait for it, and trying until it works again.

A server that finds the log behind what it holds begins anew from that: see WentBack.  Before it
ends its connections it looks up what the log lacks of each room, and tells all who are shown that
room, as they come back to a match that has gone back.  No number that was seen is given out again.
"""

from __future__ import annotations

import asyncio
import logging
from asyncio import TimerHandle
from collections.abc import Callable, Sequence
from typing import Any, Final

from protocol.errors import Code
from protocol.messages import Notice
from server.core.room import Room
from server.rooms.directory import RoomDirectory
from server.rooms.peers import send_all
from server.rooms.replay import replay
from server.rooms.wall_clock import WallClock
from server.store.contract import Fenced, PulseRow, Store, StoreError

log = logging.getLogger("plyhouse")
MAX_RETRY_MS = 30_000  # between two attempts
AT_ONCE: Final = 500  # rooms whose events are read together: a store keeps no more at hand
TELL_S: Final = 3.0  # for all rooms; whoever waits for that is not served


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


# ---------------------------------------------------------------- a log that went back


async def tell_what_was_lost(rooms: RoomDirectory) -> None:
    """Tell who is shown a room that has gone back what was lost of it, and end these connections.

    A log that does not answer soon tells nothing, and one on this machine does not go back.
    """
    if not rooms.store.remote:
        return
    try:
        async with asyncio.timeout(TELL_S):
            await _skip_numbers(rooms)
            held = [actor.room for actor in rooms.actors.values() if actor.room.seq]
            for first in range(0, len(held), AT_ONCE):
                some = held[first : first + AT_ONCE]
                # Of each room what is behind its last event but one: that event, or nothing.
                behind = await _read(rooms, [(room.number, room.seq - 1) for room in some])
                lost = [room for room, rows in zip(some, behind, strict=True) if rows == []]
                whole = await _read(rooms, [(room.number, 0) for room in lost])
                for room, rows in zip(lost, whole, strict=True):
                    if rows is not None:
                        _tell(rooms, room, rows)
    except (TimeoutError, StoreError) as error:
        log.error("what was lost of the rooms cannot be read: %s", str(error) or "no answer")


async def _skip_numbers(rooms: RoomDirectory) -> None:
    names = rooms.lobby.names
    for what, last in (("room", rooms.last_number), ("session", max(names.sessions, default=0))):
        await _answer(lambda done, what=what, last=last: rooms.store.skip_numbers(what, last, done))  # type: ignore[misc]


async def _read(rooms: RoomDirectory, wanted: Sequence[tuple[int, int]]) -> list[Any]:
    """Return the events of each of these rooms after a seq; None where they cannot be read."""
    await _answer(lambda done: rooms.store.fetch(wanted, done))
    return [_rows(rooms, number, since) for number, since in wanted]


def _rows(rooms: RoomDirectory, number: int, since: int) -> Any:
    try:
        return rooms.store.events_before(number, since)
    except StoreError:  # who opens it next says so
        return None


async def _answer(ask: Callable[[Callable[[Any], None]], None]) -> Any:
    """Ask for something, and return the answer."""
    answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    def done(value: Any) -> None:
        if not answer.done():  # else it took too long
            answer.set_result(value)

    ask(done)
    return await answer


def _tell(rooms: RoomDirectory, held: Room, rows: Sequence[Any]) -> None:
    replayed = replay(rows) if rows else None
    text = what_was_lost(held, replayed.room if replayed is not None else None)
    log.error("%s", text)
    actor = rooms.actors.get(held.number)
    watching = list(actor.peers) if actor is not None else []
    send_all(watching, Notice(text=text))
    for peer in watching:
        peer.bye(Code.SERVER_CLOSING, "the server begins anew from the log; come back", 1012)


def what_was_lost(held: Room, kept: Room | None) -> str:
    """Return what a room lacks that is what the log has, in a sentence; `held`: what it was."""
    if kept is None:
        return f"room {held.number} was lost with the database"
    match, before = held.match, kept.match
    if match is None or before is None or kept.played < held.played:
        what = "what happened last" if match is None else "the newest match"
        return f"in room {held.number}: {what} was lost with the database"
    moves = sum(match.moved) - sum(before.moved)
    what = "what happened last was"
    if moves > 0:
        what = "the last move was" if moves == 1 else f"the last {moves} moves were"
    seat = before.position.to_move
    on = kept.playing() is not None and seat in (0, 1)
    turn = f"; it is {before.players[seat].title()} to move" if on else ""
    return f"in room {held.number}: {what} lost with the database{turn}"
