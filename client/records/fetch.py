"""The records of matches, asked of a server page by page."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from typing import Final

from client.connection import Connection
from protocol.errors import Code, Refusal
from protocol.notation import parse_match
from protocol.parts import Event
from protocol.records.record import MatchRecord, of_room

AT_ONCE: Final = 4  # requests on the way: what a server lets one name wait for


async def fetch(connection: Connection, match: str, code: str | None = None) -> MatchRecord:
    """Return the record of `match`, such as `17.2`, as far as it has been played.

    The rest is as for `fetch_up_to`.
    """
    return (await fetch_up_to(connection, match, code))[-1]


async def fetch_up_to(
    connection: Connection, match: str, code: str | None = None
) -> list[MatchRecord]:
    """Return the records of all matches of a room in order, up to `match`, the last of them.

    `code`: of a private room, for somebody who has not played there.

    Raises:
        BadNotation: `match` is no match.
        Refusal: there is no such match here, or it is not for us.
    """
    room, since = parse_match(match).room, 0
    events: list[Event] = []
    while True:
        page = await connection.history(room, since, code)
        events += page.events
        if page.next is None or any(e.match == match and e.kind == "ended" for e in page.events):
            break
        since = page.next
    names = [event.match for event in events if event.kind == "started" and event.match]
    if match not in names:
        raise Refusal(Code.LOBBY_NO_ROOM, f"there has been no match {match} in room {room}")
    return [of_room(name, events) for name in names[: names.index(match) + 1]]


async def fetch_all(
    connection: Connection, matches: Iterable[str], on_room: Callable[[int], None]
) -> tuple[list[MatchRecord], list[str]]:
    """Return the records of matches in their order, and the names of those without one.

    Each room is read once, however many of the matches were played there; `on_room` is told of how
    many matches it was asked for.

    Raises:
        BadNotation: one of them is no match.
    """
    rooms: dict[int, list[str]] = {}
    for match in matches:
        rooms.setdefault(parse_match(match).room, []).append(match)
    found: dict[str, MatchRecord] = {}
    waiting = deque(rooms.items())

    async def read_rooms() -> None:
        while waiting:
            room, names = waiting.popleft()
            try:
                events = await _room(connection, room)
            except Refusal as no:
                if no.retry_ms is not None:  # the server has it, and is too busy for us
                    raise
                events = []
            for name in names:
                record = of_room(name, events)
                if any(event.kind == "started" for event in record.events):
                    found[name] = record
            on_room(len(names))

    readers = [asyncio.create_task(read_rooms()) for _ in range(min(AT_ONCE, len(rooms)))]
    try:
        await asyncio.gather(*readers)
    finally:
        for reader in readers:
            reader.cancel()
    names = [name for names in rooms.values() for name in names]
    return [found[name] for name in names if name in found], [n for n in names if n not in found]


async def _room(connection: Connection, room: int) -> list[Event]:
    """All events of a room."""
    events: list[Event] = []
    since: int | None = 0
    while since is not None:
        page = await connection.history(room, since)
        events += page.events
        since = page.next
    return events
