"""`plyhouse purge`: deletes what was played before a day, or by somebody, for good."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

import msgspec

from protocol.files import folders
from server.services.purged import PURGED, write_body
from server.store.contract import EventRow, StoreError
from server.store.copying import purge

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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe `plyhouse purge`."""
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "--before", type=_day, metavar="DATE", help="rooms whose last event is older: 2026-01-31"
    )
    which.add_argument("--of", metavar="NAME", help="rooms in which this name is named")
    parser.add_argument("--data", type=folders.named, default=None, help="folder of the database")
    parser.add_argument(
        "--database", metavar="URL", help="the PostgreSQL that keeps the log, if one does"
    )
    parser.add_argument("--yes", action="store_true", help="delete it without asking")


def _day(text: str) -> int:
    """Return when a day begins, in ms, by UTC."""
    try:
        return int(datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC).timestamp() * 1000)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no day; write 2026-01-31") from None


def run(args: argparse.Namespace) -> int:
    """Say what there is, ask, and delete it: 0 done, 1 nothing was, 2 it was not asked for."""
    answers: list[int] = []

    choice = PurgeChoice(args.before, args.of)

    def choose(open_rooms: set[int]) -> tuple[int, ...]:
        chosen = choice.chosen(open_rooms)
        print(_words(chosen))
        if not chosen.rooms:
            answers.append(0)
        elif not args.yes and not _asked():
            answers.append(2)
        return () if answers else chosen.rooms

    body = write_body(int(time.time() * 1000))
    try:
        smaller = purge(
            args.data or folders.data(), args.database, choice.take, choose, PURGED, body,
        )  # fmt: skip
    except StoreError as error:
        print(f"plyhouse: nothing was purged: {error}", file=sys.stderr)
        return 1
    if answers:
        return answers[0]
    rest = "" if smaller else "; there was no room to make the file smaller, it is used again"
    print(f"purged{rest}. Backups that were made before still hold it; see to them as well.")
    if args.of is not None:
        print(f"The login itself goes by `plyhouse admin release {args.of}`.")
    return 0


def _words(chosen: Chosen) -> str:
    what = f"{len(chosen.rooms):,} rooms with {chosen.matches:,} matches, {chosen.events:,} events"
    lines = [f"to be deleted for good: {what}" if chosen.rooms else "there is nothing to delete"]
    if chosen.open:
        some = ", ".join(map(str, chosen.open[:10]))
        lines.append(
            f"left, as they are open: {len(chosen.open):,} rooms or ladders ({some}); close them"
            " with `plyhouse admin close`, and purge again"
        )
    return "\n".join(lines)


def _asked() -> bool:
    """Ask whether to go on, where somebody can answer."""
    if not sys.stdin.isatty():
        print("plyhouse: nothing was purged; say --yes to delete it", file=sys.stderr)
        return False
    return input("Delete it? [y/N] ").strip().casefold() in ("y", "yes")
