"""Which rooms are read when: a server that starts opens its port first, and reads most rooms later.

What is kept of an open room beside its events (rooms/snapshot.py) says who sits there.  With that
the room is asleep: it counts, its players have it in their `welcome`, its code is taken.  Whoever
asks for it by number finds it awake.  All others are read one after the other in short slices of
the loop's time, those first where a clock may run.  A match waits for its players until 30 seconds
after the start, and everything else that a room does by itself comes later, so none misses its time
by more than the reading takes.  Rooms of ladders are read at once, as are those of which nothing is
kept, such as those of an older log.
"""

from __future__ import annotations

import gc
import logging
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

import msgspec

from server.admin.core import events as house_events
from server.admin.core.events import HOUSE_LOG
from server.admin.core.rules import HouseRules
from server.core.events import NotReplayed, write_body
from server.core.orders import Gone
from server.core.past.fold import PastFold
from server.core.room import Room, Work
from server.core.session import Session
from server.ladder.core.events import Made
from server.ladder.service import LadderService
from server.rooms import snapshot as snapshots
from server.rooms.directory import RoomDirectory
from server.rooms.index_rows import row_of
from server.rooms.peers import Delivery
from server.rooms.replay import give_up, replay, replay_on
from server.rooms.snapshot import Base, Snapshot
from server.rooms.wall_clock import WallClock
from server.store.contract import DatabaseAway, EventRow, RoomRow, Row, Store, StoreError

log = logging.getLogger("plyhouse")
SLICE_S: Final = 0.003  # of the loop's time, in which nobody is answered ...
REST_S: Final = 0.006  # ... and after which all others come first
LOOK_AWAY: Final = 500  # rooms after which the collector is told that they stay
ROWS: Final = 2_000  # that are stored at once of rooms of which nothing was kept
AHEAD: Final = 200  # rooms whose events are fetched at once, from a log that is far away
RETRY_S: Final = 1.0  # after the log could not be read


def read_sessions(store: Store) -> list[Session]:
    """Read all logins."""
    return [
        Session(*row[:4], guest=bool(row.guest), recovery=row.recovery, played=bool(row.played))
        for row in store.sessions()
    ]


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


class ReadRoom(NamedTuple):
    """A room that was read from the log.

    `error`: why its match cannot go on, if so, and then `rows`: all its rows.
    """

    room: Room
    base: Base | None
    error: str | None = None
    rows: Sequence[EventRow] = ()


class Waking:
    """Reads the rooms that were open when the last server ended."""

    def __init__(
        self, store: Store, directory: RoomDirectory, ladders: LadderService, clock: WallClock
    ) -> None:
        self._store = store
        self._directory = directory
        self._ladders = ladders
        self._clock = clock
        self._began = 0  # when this server did, in ms
        self._waiting: deque[int] = deque()  # rooms, some of which may be awake already
        self._fetched: deque[int] = deque()  # the first of them, whose events are at hand
        self._coming: dict[int, list[Callable[[], None]]] = {}  # rooms that are being fetched alone
        directory.wake, directory.fetch = self.wake, self.fetch

    def open(self) -> None:
        """Open the rooms and ladders that were open; rooms that can wait sleep.

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
                directory.sleep(row.number, snapshot)
        opened = [each for room in at_once if (each := self._read(*room)) is not None]
        self._clock.warn_of_gap()
        self._began = self._clock.now()  # only now is it known what time it is
        for each in opened:
            self._open(each, None)
        self._keep_snapshots(opened)
        self._ladders.resume()

    def start(self) -> None:
        """Read one room after the other, whenever the loop has time; until then they sleep."""
        self._waiting.extend(sorted(self._directory.asleep, key=self._order))
        if self._waiting:
            self._clock.call_later(0, self._fetch_next)

    def step(self, ms: int) -> None:
        """Let the time go forward: rooms that sleep begin so much later."""
        self._began += ms

    def fetch(self, numbers: Sequence[int], then: Callable[[], None]) -> None:
        """Wake those of these rooms that sleep, and then call `then`; nobody else waits for it.

        It is called as well if they cannot be read, and sleep on.
        """
        asleep = self._directory.asleep
        sleeping = [number for number in numbers if number in asleep]
        if not sleeping or not self._store.remote:
            then()
            return
        left = set(sleeping)

        def come(number: int) -> None:
            left.discard(number)
            if not left:
                then()

        new = [number for number in sleeping if number not in self._coming]
        for number in sleeping:
            self._coming.setdefault(number, []).append(partial(come, number))
        if new:
            rooms = [(number, asleep[number].since) for number in new]
            self._store.fetch(rooms, partial(self._have_come, new))

    def _have_come(self, numbers: Sequence[int], has_read: bool) -> None:
        for number in numbers:
            if has_read:
                self.wake(number)
            for then in self._coming.pop(number):
                then()

    def take_over(self, row: RoomRow, used: int = 0) -> None:
        """Go on with an open room, or a ladder, that another server had; its events were fetched.

        `used`: see Restarted.

        Raises:
            DatabaseAway: it cannot be read now.
        """
        self._began = self._clock.now()
        snapshot = snapshots.read_snapshot(row.body) if row.body else None
        read = self._read(row.number, snapshot)
        if read is None:
            return
        self._open(read, None, used)
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
        snapshot = self._directory.asleep[number]
        may_run = snapshot.options.clock is not None and None not in snapshot.seats
        return (not may_run, number)

    def _fetch_next(self) -> None:
        """Have the events of the next rooms at hand, then wake these rooms."""
        asleep = self._directory.asleep
        rooms: list[tuple[int, int]] = []
        while self._waiting and len(rooms) < AHEAD:
            snapshot = asleep.get(number := self._waiting.popleft())
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
            self.wake(fetched.popleft())
            if (len(self._waiting) + len(fetched)) % LOOK_AWAY == LOOK_AWAY - 1:
                gc.freeze()  # else it walks through all rooms again and again, and nobody is served
        if fetched:
            self._clock.call_later(REST_S, self._go_on)
        elif self._waiting:
            self._clock.call_later(REST_S, self._fetch_next)

    def wake(self, number: int) -> None:
        """Read a room that is asleep; one that cannot be read stays shut, or if later asleep."""
        snapshot = self._directory.asleep.pop(number, None)
        if snapshot is None:
            return
        try:
            read = self._read(number, snapshot)
        except DatabaseAway as error:
            log.error("room %d cannot be read now: %s", number, error)
            self._directory.asleep[number] = snapshot
            return
        if read is None:
            self._directory.forget(number, snapshot)
        else:
            self._open(read, snapshot)

    def _read(self, number: int, snapshot: Snapshot | None) -> ReadRoom | None:
        """Return a room; None if it cannot be read, which is said, or is a ladder, which opens.

        Raises:
            DatabaseAway: it cannot be read now.
        """
        try:
            read = self._read_on(number, snapshot) if snapshot is not None else None
            return read or self._read_whole(number)
        except DatabaseAway:
            raise
        except StoreError as damage:
            log.error("room %d stays shut: %s", number, damage)
            return None

    def _read_on(self, number: int, snapshot: Snapshot) -> ReadRoom | None:
        """Return a room, read from its base on; None if it has to be read whole."""
        before = snapshot.room(number)
        if before is None:
            return None
        room = replay_on(before, self._store.events_before(number, before.seq))
        return None if room is None else ReadRoom(room, snapshot.base)

    def _read_whole(self, number: int) -> ReadRoom | None:
        rows = self._store.events_before(number)
        if rows and rows[0].kind == Made.kind:
            self._ladders.load(rows)
            return None
        replayed = replay(rows)
        if replayed is None:
            log.error("room %d cannot be read and stays shut", number)
            return None
        room, error, base = replayed
        if not self._began and rows[-1].epoch >= self._store.times_from:
            self._clock.begin_after(room.touched)
        return ReadRoom(room, base, error, rows if error is not None else ())

    def _open(self, read: ReadRoom, snapshot: Snapshot | None, used: int = 0) -> None:
        """Have a room go on that was read."""
        actor = self._directory.restore(read.room, read.base, snapshot)
        if read.error is None:
            actor.start(self._began, used)
            if snapshot is None:
                for announce in self._directory.announcements.shown:  # all are away
                    announce(actor.room)
            return
        log.error("room %d: %s; its match is void", actor.room.number, read.error)
        work = give_up(actor.room, self._clock.now())
        delivery = Delivery(Gone(), work.asker, None, work.now)
        actor.commit(work.room, work.events, (), delivery, _index_rows(read.rows, work))

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


def _index_rows(rows: Sequence[EventRow], work: Work) -> list[Row]:
    """Return the row of the match that is given up, as its events tell of it."""
    fold, index = PastFold(), list[Row]()
    for row in rows:
        fold.take(row.kind, row.body)
    for event in work.events:
        summary = fold.take(event.kind, write_body(event))
        if summary is not None:
            index.append(row_of(work.room.number, work.room.played, summary))
    return index


def _told_if_not_stored(error: Exception | None) -> None:
    if error is not None:
        log.error("the next start takes longer: what is kept of rooms was not stored: %s", error)
