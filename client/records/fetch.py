"""The records of matches, asked of a server page by page."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from client.connection import Connection
from client.records.series import games_of, is_of_series
from protocol.errors import Code, Refusal
from protocol.messages import HistoryPage
from protocol.notation import MatchName, parse_match
from protocol.parts import Event
from protocol.records.record import MatchRecord, of_room

PAGE: Final = 200  # events: what a server tells at once, so that nothing is looked for any closer
WIDER: Final = 4  # times as far back, where a series began before what was read
AT_ONCE: Final = 4  # requests on the way: what a server lets one name wait for


async def fetch_games(
    connection: Connection, match: str, code: str | None = None
) -> list[MatchRecord]:
    """Return the records of the games of a series in order, up to `match`, the last of them; only
    that match if it is of none.  It may be on still.

    A room may have had a million matches: no more is read than a few times what these take.

    `code`: of a private room, for somebody who has not played there.

    Raises:
        BadNotation: `match` is no match.
        Refusal: there is no such match here, or it is not for us.
    """
    name = parse_match(match)
    page = await connection.history(name.room, 0, code)
    if page.next is None or _holds_end(page, match):  # as of most rooms
        return games_of(_records(match, page.events))
    first, back = await _before(connection, name, code), 0
    while True:
        since = max(0, first - back)
        records = _records(match, await _read(connection, match, since, code))
        games = games_of(records)
        if since == 0 or len(games) < len(records) or not is_of_series(games[-1]):
            return games
        back = WIDER * (back or PAGE)  # the series may have begun before


async def _before(connection: Connection, match: MatchName, code: str | None) -> int:
    """Return a seq that all events of a match come after, and few others before those do."""
    low, high, step = 0, None, PAGE
    while high is None or high - low > PAGE:
        middle = low + step if high is None else (low + high) // 2
        later = await _next_of_a_match(connection, match.room, middle, code)
        if later is not None and parse_match(later.match or "").number < match.number:
            low, step = later.seq, 2 * step
        else:
            high = middle
    return low


async def _next_of_a_match(
    connection: Connection, room: int, since: int, code: str | None
) -> Event | None:
    """Return the first event after `since` that is of a match, if there is one."""
    while True:
        page = await connection.history(room, since, code)
        found = next((event for event in page.events if event.match is not None), None)
        if found is not None or page.next is None:
            return found
        since = page.next


async def _read(connection: Connection, match: str, since: int, code: str | None) -> list[Event]:
    """Return the events of a room after `since`, to the end of a match at least."""
    room = parse_match(match).room
    events: list[Event] = []
    while True:
        page = await connection.history(room, since, code)
        events += page.events
        if page.next is None or _holds_end(page, match):
            return events
        since = page.next


def _holds_end(page: HistoryPage, match: str) -> bool:
    return any(event.match == match and event.kind == "ended" for event in page.events)


def _records(match: str, events: Sequence[Event]) -> list[MatchRecord]:
    """Return the records of the matches that begin among these events, in order, up to `match`."""
    names = [event.match for event in events if event.kind == "started" and event.match]
    if match not in names:
        room = parse_match(match).room
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
