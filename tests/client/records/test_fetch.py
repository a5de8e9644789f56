"""Records that are asked of a server: of a long room only what they take."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client.records.fetch import PAGE, fetch_games
from protocol.errors import Refusal
from protocol.messages import HistoryPage
from protocol.parts import Event, Player, Result, Series

WON = Result(winner=0, returns=(1.0, -1.0), how="rules", reason="line")
SERIES = (1_000, 1_001, 1_002, 1_003)  # the matches of the room that are its games


def room(matches: int, talk: int) -> list[Event]:
    """The events of a room: matches of some lengths, between which people talk."""
    events = [Event(seq=1, kind="created")]

    def add(kind: str, match: int | None, **more: object) -> None:
        name = None if match is None else f"7.{match}"
        events.append(replace(Event(seq=len(events) + 1, kind=kind, match=name), **more))

    for match in range(1, matches + 1):
        for _ in range(talk if match % 500 == 1 else match % 3):
            add("said", None, text="hm")
        game = SERIES.index(match) if match in SERIES else None
        series = None if game is None else Series(points=9, score=(game, 0), game=game + 1)
        add("started", match, players=(Player(name="ann"), Player(name="bob")), series=series)
        for ply in range(match % 7):
            add("play", match, ply=ply)
        add(
            "ended", match, result=Result(winner=0, returns=(1.0, -1.0), how="rules", reason="line")
        )
    return events


class LongRoom:
    """A connection that has the past of one room."""

    def __init__(self, events: list[Event]) -> None:
        self.events = events
        self.read = 0

    async def history(self, room: int, since: int = 0, code: str | None = None) -> HistoryPage:
        page = self.events[since : since + PAGE]
        self.read += len(page)
        more = page[-1].seq if page and page[-1].seq < len(self.events) else None
        return HistoryPage(room=room, events=tuple(page), next=more)


@pytest.mark.parametrize("match", [1, 2, 499, 501, 999, 1_000, 1_003, 1_004, 2_999, 3_000])
async def test_a_match_is_found_in_a_long_room_with_the_games_before_it(match: int) -> None:
    events = room(3_000, talk=1_500)
    connection = LongRoom(events)
    records = await fetch_games(connection, f"7.{match}")  # type: ignore[arg-type]
    own = [n for n in SERIES if n <= match] if match in SERIES else [match]
    assert [record.match for record in records] == [f"7.{n}" for n in own]
    assert all(
        record.events == tuple(e for e in events if e.match == record.match) for record in records
    )
    assert connection.read < len(events) / 2


async def test_what_is_not_there_is_said_so() -> None:
    for match in ("7.31", "7.999"):
        with pytest.raises(Refusal, match="there has been no match"):
            await fetch_games(LongRoom(room(30, talk=300)), match)  # type: ignore[arg-type]
