"""A store in memory that the tests of rooms and ladders use in place of a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from server.store.contract import (
    Done,
    EventRow,
    ForgottenRow,
    PulseRow,
    Read,
    RoomRow,
    Row,
    SessionRow,
)


class MemoryStore:
    """A log that answers when it is told to, and fails when it is told to."""

    def __init__(self) -> None:
        self.server, self.epoch, self.last_at, self.times_from = "5ce4e", 1, 0, 0
        self.events: dict[tuple[int, int], EventRow] = {}
        self.logins: dict[int, SessionRow] = {}
        self.rooms: dict[int, int] = {}
        self.broken = False
        self.appends = 0
        self._asked: list[Callable[[], None]] = []

    def append(self, rows: list[Row], done: Done) -> None:
        """As the contract says."""
        self.appends += 1
        self._asked.append(lambda: done(self._write(rows)))

    def read_events(
        self, room: int, since: int, limit: int, done: Read, kinds: Sequence[str] = ()
    ) -> None:
        """As the contract says."""
        rows = select(self.all_events(room), room, since, limit, kinds)
        answer = None if self.broken else rows
        self._asked.append(lambda: done(answer))

    def settle(self) -> None:
        """Answer everything, in order, and what comes of it, too."""
        while self._asked:
            self.answer_one()

    def answer_one(self) -> None:
        """Answer the oldest question."""
        self._asked.pop(0)()

    def _write(self, rows: Sequence[Row]) -> Exception | None:
        if self.broken:
            return OSError("no space left on device")
        new = [row for row in rows if isinstance(row, EventRow)]
        keys = [(row.room, row.seq) for row in new]
        if new and all(self.events.get(key) == row for key, row in zip(keys, new, strict=True)):
            return None  # the very same append again
        if len(set(keys)) < len(keys) or not self.events.keys().isdisjoint(keys):
            return ValueError("an event is there already")
        for row in rows:
            if isinstance(row, EventRow):
                self.events[row.room, row.seq] = row
            elif isinstance(row, SessionRow):
                self.logins[row.number] = row
            elif isinstance(row, ForgottenRow):
                self.logins.pop(row.number, None)
            elif isinstance(row, RoomRow):
                self.rooms[row.number] = row.open
            else:
                assert isinstance(row, PulseRow)
        return None

    def close(self) -> None:
        """Nothing to close."""

    def sessions(self) -> list[SessionRow]:
        """As the contract says."""
        return sorted(self.logins.values())

    def open_rooms(self) -> list[int]:
        """As the contract says."""
        return sorted(number for number, is_open in self.rooms.items() if is_open)

    def last_room(self) -> int:
        """As the contract says."""
        return max(self.rooms, default=0)

    def all_events(self, room: int) -> list[EventRow]:
        """As the contract says."""
        return [row for (n, _), row in sorted(self.events.items()) if n == room]

    def kinds(self, room: int) -> list[str]:
        """What has happened in a room."""
        return [row.kind for row in self.all_events(room)]


class RowStore:
    """A store that reads from a list, at once, and counts that; None: it cannot be read."""

    server, epoch, last_at = "test", 1, 0

    def __init__(self, rows: Sequence[EventRow] | None) -> None:
        self.rows = rows
        self.reads = 0

    def read_events(
        self, room: int, since: int, limit: int, done: Read, kinds: Sequence[str] = ()
    ) -> None:
        """As the contract says."""
        self.reads += 1
        done(None if self.rows is None else select(self.rows, room, since, limit, kinds))

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"who only reads does not {name}")


def select(
    rows: Iterable[EventRow], room: int, since: int, limit: int, kinds: Sequence[str]
) -> list[EventRow]:
    """The events that `read_events` is to find."""
    events = [row for row in rows if row.room == room and row.seq > since]
    events = [row for row in events if not kinds or row.kind in kinds]
    return events[: limit if limit >= 0 else None]
