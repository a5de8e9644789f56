"""The contract of the log: `append`, and a few reads.

It stores bytes and plain rows and knows no game.

`append(rows, done)` returns at once; `done(error)` is called in the event loop when the rows are
durable (error None) or known not to be (error says why).  All rows of one append are written or
none.  Appends are written in the order in which they were made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, TypeAlias


class EventRow(NamedTuple):
    """One event of a room.  (room, seq) is the key, so a double append is an error by itself."""

    room: int
    seq: int
    epoch: int
    kind: str
    match: int | None
    body: bytes


class SessionRow(NamedTuple):
    """A login; writing it again replaces it."""

    number: int
    name: str
    token: bytes
    seen: int
    guest: int
    recovery: bytes = b""
    played: int = 0


class ForgottenRow(NamedTuple):
    """A login that is nobody's any more; writing it deletes it."""

    number: int


class RoomRow(NamedTuple):
    """Whether a room is open; writing it again replaces it."""

    number: int
    open: int


class PulseRow(NamedTuple):
    """A row that only proves that the log can be written."""

    epoch: int


Row: TypeAlias = EventRow | SessionRow | ForgottenRow | RoomRow | PulseRow
Done: TypeAlias = Callable[[Exception | None], None]
Read: TypeAlias = Callable[[list[EventRow] | None], None]


class StoreError(Exception):
    """The log cannot be opened; the sentence says what to do."""


class DamagedRow(StoreError):
    """A row is not what was stored: its checksum does not fit."""


class LogReader(Protocol):
    """What reads events of the log for others."""

    def read_events(
        self, room: int, since: int, limit: int, done: Read, kinds: Sequence[str] = ()
    ) -> None:
        """Hand up to `limit` (-1: all) of a room's events with seq above `since` to `done`, of
        these `kinds` or of any.

        It is called in the event loop, with None if they could not be read.
        """


class Store(LogReader, Protocol):
    """What a server needs of a log.

    `server`: the identity of its database; `epoch`: how often it has been opened, this time
    included; `last_at`: when somebody was last seen, in ms; `times_from`: times in events of
    earlier epochs say nothing about what time it is, as a clock was wrong then.
    """

    server: str
    epoch: int
    last_at: int
    times_from: int

    def append(self, rows: list[Row], done: Done) -> None:
        """Write rows; see the module's first lines."""

    def close(self) -> None:
        """Write what is under way, then let go of the database."""

    def sessions(self) -> list[SessionRow]:
        """Return all logins.  Blocking: at start only."""

    def open_rooms(self) -> list[int]:
        """Return the numbers of the rooms that are open.  Blocking: at start only."""

    def last_room(self) -> int:
        """Return the highest room number so far, 0 if none.  Blocking: at start only."""

    def all_events(self, room: int) -> list[EventRow]:
        """Return a room's events in order.  Blocking: at start only.

        Raises:
            DamagedRow: one of them is not what was stored.
        """
