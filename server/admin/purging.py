"""Which rooms a purge deletes: those that ended before a day, or in which a name is named."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from server.services.purged import PURGED
from server.store.contract import EventRow

HOUSE_LOG: Final = 0


class Chosen(NamedTuple):
    """What a purge deletes: rooms, matches that ended in them, and events.

    `open`: rooms that it would, were they closed.
    """

    rooms: tuple[int, ...]
    matches: int
    events: int
    open: tuple[int, ...]


class PurgeChoice:
    """Is shown all events, in order, and notes which rooms are to go.

    Either the rooms whose last event was before `before`, in ms; or those whose events name `name`,
    without regard to case: as who sat, played, talked or was told of there.
    """

    def __init__(self, before: int | None = None, name: str | None = None) -> None:
        self._before = before
        self._name = name.casefold() if name is not None else None
        self._last: dict[int, int] = {}  # by room: when its last event was
        self._named: set[int] = set()
        self._matches: dict[int, int] = {}
        self._events: dict[int, int] = {}

    def take(self, rows: Sequence[EventRow]) -> None:
        """Look at events."""
        for row in rows:
            if row.room == HOUSE_LOG or row.kind == PURGED:
                continue
            fields = _fields(row.body)
            if fields and isinstance(fields[0], int):
                self._last[row.room] = fields[0]
            if self._name is not None and row.room not in self._named and self._names(fields):
                self._named.add(row.room)
            self._events[row.room] = self._events.get(row.room, 0) + 1
            self._matches[row.room] = self._matches.get(row.room, 0) + (row.kind == "ended")

    def _names(self, value: Any) -> bool:
        if isinstance(value, str):
            return value.casefold() == self._name
        return isinstance(value, list) and any(self._names(each) for each in value)

    def chosen(self, open_rooms: Collection[int]) -> Chosen:
        """Return what is to go, now that all was seen."""
        before, last = self._before, self._last
        if before is not None:
            rooms = sorted(room for room in self._events if room in last and last[room] < before)
        else:
            rooms = sorted(self._named)
        closed = tuple(room for room in rooms if room not in open_rooms)
        return Chosen(
            closed,
            sum(self._matches[room] for room in closed),
            sum(self._events[room] for room in closed),
            tuple(room for room in rooms if room in open_rooms),
        )


def _fields(body: bytes) -> list[Any]:
    try:
        fields = msgspec.msgpack.decode(body)
    except msgspec.DecodeError:
        return []
    return fields if isinstance(fields, list) else []
