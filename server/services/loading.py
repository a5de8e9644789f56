"""Which rooms are read when: a server that starts opens its port first, and reads most rooms later.

What is kept of an open room beside its events (rooms/snapshot.py) says who sits there.  With that
the room is unloaded: it counts, its players have it in their `welcome`, its code is taken.  A
client that asks for it by number finds it loaded.  All others are read one after the other in short
slices of the loop's time, those first where a clock may run.  A match waits for its players until
30 seconds after the start, and everything else that a room does by itself comes later, so none
misses its time by more than the reading takes.  Rooms of ladders are read at once, as are those of
which nothing is kept, such as those of an older log.
"""

from __future__ import annotations

import gc
import logging
from collections import deque
from collections.abc import Sequence
from typing import Final

import msgspec

from server.admin.core import events as house_events
from server.admin.core.events import HOUSE_LOG
from server.admin.core.rules import HouseRules
from server.core.events import NotReplayed, UnknownRules
from server.core.names.devices import decode
from server.core.session import Session
from server.ladder.core.events import Made
from server.ladder.service import LadderService
from server.rooms import snapshot as snapshots
from server.rooms.directory import RoomDirectory
from server.rooms.replay import ReadRoom, read_room, read_rows
from server.rooms.snapshot import Snapshot
from server.rooms.wall_clock import WallClock
from server.store.contract import (
    DatabaseAway,
    EventRow,
    RoomRow,
    Row,
    Store,
    StoredLogin,
    StoreError,
)

log = logging.getLogger("plyhouse")
SLICE_S: Final = 0.003  # of the loop's time, in which no request is answered ...
REST_S: Final = 0.006  # ... and after which all others come first
LOOK_AWAY: Final = 500  # rooms after which the collector is told that they stay
ROWS: Final = 2_000  # that are stored at once of rooms of which nothing was kept
AHEAD: Final = 200  # rooms whose events are fetched at once, from a log that is far away
RETRY_S: Final = 1.0  # after the log could not be read


def read_sessions(store: Store) -> list[Session]:
    devices = {row.session: row.body for row in store.devices()}
    return [
        session_from(StoredLogin(row, devices.get(row.number, b""))) for row in store.sessions()
    ]


def session_from(login: StoredLogin) -> Session:
    row = login.row
    return Session(
        *row[:4], guest=bool(row.guest), recovery=row.recovery, played=bool(row.played),
        devices=decode(login.devices, row.token),
    )  # fmt: skip


def read_rules(store: Store) -> HouseRules:
    """Read what the host has ordered; an event that cannot be read is left out, with a word."""
    rules = HouseRules()
    for row in store.all_events(HOUSE_LOG):
        rules.seq = row.seq
        try:
            rules.fold(house_events.read(row.kind, row.body), seq=row.seq)
        except NotReplayed as error:
            log.error("an order of the host, seq %d, cannot be read: %s", row.seq, error)
    return rules


class Loading:
    """Reads the rooms that were open when the last server ended."""

    def __init__(
        self, store: Store, directory: RoomDirectory, ladders: LadderService, clock: WallClock
    ) -> None:
        self._store = store
        self._directory = directory
        self._ladders = ladders
        self._clock = clock
        self._waiting: deque[int] = deque()  # rooms, some of which may be loaded already
        self._fetched: deque[int] = deque()  # the first of them, whose events are at hand

    def open(self) -> None:
        """Open the rooms and ladders that were open; rooms that can wait are not loaded.

        Raises:
            StoreError: the log cannot be read.
            WrongClock: it is more than a day ahead of the machine's clock.
        """
        store, directory = self._store, self._directory
        directory.last_number = store.last_room()
        self._advance_clock()
        at_once: list[tuple[int, Snapshot | None]] = []
        for row in store.open_room_rows():
            snapshot = snapshots.read_snapshot(row.body) if row.body else None
            if snapshot is None or snapshot.leg is not None:
                at_once.append((row.number, snapshot))
            else:
                directory.add_unloaded(row.number, snapshot)
        opened = [each for room in at_once if (each := self._read(*room, True)) is not None]
        self._clock.warn_of_gap()
        directory.begin()  # only now is it known what time it is
        for each in opened:
            directory.restore(each)
        self._keep_snapshots(opened)
        self._ladders.resume()

    def start(self) -> None:
        """Read one room after the other, whenever the loop has time."""
        self._waiting.extend(sorted(self._directory.unloaded, key=self._order))
        if self._waiting:
            self._clock.call_later(0, self._fetch_next)

    def take_over(self, row: RoomRow, used: int = 0) -> None:
        """Go on with an open room, or a ladder, that another server had; its events were fetched.

        `used`: see Restarted.

        Raises:
            DatabaseAway: it cannot be read now.
            UnknownRules: its rules are not here, and nothing was done.
        """
        self._directory.begin()
        snapshot = snapshots.read_snapshot(row.body) if row.body else None
        read = self._read(row.number, snapshot, False)
        if read is None:
            return
        if read.is_unknown:
            raise UnknownRules(read.error)
        self._directory.restore(read, used=used)
        if snapshot is None:
            self._keep_snapshots([read])

    def _advance_clock(self) -> None:
        """Set the clock forward to the newest event of all."""
        for row in self._store.newest_events():
            at = _time_of(row)
            if at is not None and row.epoch >= self._store.times_from:
                self._clock.begin_after(at)

    def _order(self, number: int) -> tuple[bool, int]:
        """Lower is read sooner: first those where two sit whose clock may run, then by number."""
        snapshot = self._directory.unloaded[number]
        may_run = snapshot.options.clock is not None and None not in snapshot.seats
        return (not may_run, number)

    def _fetch_next(self) -> None:
        """Have the events of the next rooms at hand, then load these rooms."""
        unloaded = self._directory.unloaded
        rooms: list[tuple[int, int]] = []
        while self._waiting and len(rooms) < AHEAD:
            snapshot = unloaded.get(number := self._waiting.popleft())
            if snapshot is not None:
                rooms.append((number, snapshot.since))
        self._fetched.extend(number for number, _ in rooms)
        self._store.fetch(rooms, self._have_fetched)

    def _have_fetched(self, has_read: bool) -> None:
        if has_read:
            self._go_on()
        else:
            self._waiting.extendleft(reversed(self._fetched))
            self._fetched.clear()
            self._clock.call_later(RETRY_S, self._fetch_next)

    def _go_on(self) -> None:
        loop, fetched = self._clock.loop, self._fetched
        end = loop.time() + SLICE_S
        while fetched and loop.time() < end:
            self._directory.load(fetched.popleft())
            if (len(self._waiting) + len(fetched)) % LOOK_AWAY == LOOK_AWAY - 1:
                gc.freeze()  # else it walks through all rooms again and again, and none is served
        if fetched:
            self._clock.call_later(REST_S, self._go_on)
        elif self._waiting:
            self._clock.call_later(REST_S, self._fetch_next)

    def _read(self, number: int, snapshot: Snapshot | None, at_start: bool) -> ReadRoom | None:
        """Return a room; None if it cannot be read, which is logged, or is a ladder, which opens.

        Raises:
            DatabaseAway: it cannot be read now.
        """
        if snapshot is not None:
            return read_room(self._store, number, snapshot)
        try:
            rows = self._store.events_before(number)
        except DatabaseAway:
            raise
        except StoreError as damage:
            log.error("room %d stays shut: %s", number, damage)
            return None
        if rows and rows[0].kind == Made.kind:
            self._ladders.load(rows)
            return None
        read = read_rows(number, rows)
        if at_start and read is not None and rows[-1].epoch >= self._store.times_from:
            self._clock.begin_after(read.room.touched)
        return read

    def _keep_snapshots(self, opened: Sequence[ReadRoom]) -> None:
        """Have the next start know of the rooms of which nothing was kept."""
        rows: list[Row] = [
            snapshots.row_of(each.room, each.base)
            for each in opened
            if each.error is None and each.room.leg is None
        ]
        for first in range(0, len(rows), ROWS):
            self._store.append(rows[first : first + ROWS], _told_if_not_stored)


def _time_of(row: EventRow) -> int | None:
    """Return when something happened, which is what every event's body begins with."""
    try:
        fields = msgspec.msgpack.decode(row.body)
    except msgspec.DecodeError:
        return None
    at = fields[0] if isinstance(fields, list) and fields else None
    return at if isinstance(at, int) else None


def _told_if_not_stored(error: Exception | None) -> None:
    if error is not None:
        log.error("the next start takes longer: what is kept of rooms was not stored: %s", error)
