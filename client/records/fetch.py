"""A match's record, asked of a server page by page."""

from __future__ import annotations

from client.connection import Connection
from client.records.record import MatchRecord, of_room
from protocol.errors import Code, Refusal
from protocol.notation import parse_match
from protocol.parts import Event


async def fetch(connection: Connection, match: str, code: str | None = None) -> MatchRecord:
    """Return the record of `match`, such as `17.2`, as far as it has been played.

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
    record = of_room(match, events)
    if not any(event.kind == "started" for event in record.events):
        raise Refusal(Code.LOBBY_NO_ROOM, f"there has been no match {match} in room {room}")
    return record
