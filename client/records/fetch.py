"""A match's record, asked of a server page by page."""

from __future__ import annotations

import re
from typing import Final

from client.connection import Connection
from client.records.record import Record, of_room
from protocol.errors import Code, Refusal
from protocol.messages import Event

NAME: Final = re.compile(r"([0-9]{1,15})\.([0-9]{1,15})")  # a match: its room and which one there


async def fetch(house: Connection, match: str, code: str | None = None) -> Record:
    """The record of `match`, such as `17.2`, as far as it has been played.

    `code`: of a private room, for who has not played there.

    Raises:
        Refusal: there is no such match here, or it is not for us.
    """
    name = NAME.fullmatch(match)
    if name is None:
        raise Refusal(Code.LOBBY_NO_ROOM, f"{match[:40]!r} is no match; one is called like 17.2")
    room, since = int(name[1]), 0
    events: list[Event] = []
    while True:
        page = await house.history(room, since, code)
        events += page.events
        if page.next is None or any(e.match == match and e.kind == "ended" for e in page.events):
            break
        since = page.next
    record = of_room(match, events)
    if not any(event.kind == "started" for event in record.events):
        raise Refusal(Code.LOBBY_NO_ROOM, f"there has been no match {match} in room {room}")
    return record
