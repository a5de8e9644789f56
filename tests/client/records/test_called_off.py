"""A match that was called off and the one that is played with its dice: each record holds."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client.records.verify import verify
from protocol.messages import Abort, Resign
from protocol.parts import Event
from protocol.records.record import MatchRecord, of_room, read, write
from server.core.events import public, read_body
from tests.server.core.score import ANN, BOB, ROOM, ready, seated


def record_of(match: str) -> MatchRecord:
    """What history tells of a match of backgammon: 17.1 was called off, and 17.2 given up."""
    table = seated("backgammon")
    for number, end in ((1, Abort), (2, Resign)):
        for who, salt in ((ANN, f"a{number}"), (BOB, f"b{number}")):
            table.at(0, who, ready(salt))
        table.at(0, ANN, end(match=f"17.{number}"))
    events = [
        public(row.seq, f"{ROOM}.{row.match}", read_body(row.kind, row.body), sealed=False)
        for row in table.rows if row.match is not None
    ]  # fmt: skip
    return of_room(match, events)


def opening(record: MatchRecord) -> str | None:
    return next(event.action for event in record.events if event.kind == "roll")


def test_both_hold_with_one_opening_and_the_salts_of_the_first() -> None:
    first, second = record_of("17.1"), record_of("17.2")
    assert opening(first) == opening(second)
    for record in (first, second):
        verdict = verify(read(write(record)))
        assert (verdict.wrong, verdict.rolls, verdict.salts) == (None, 1, ("a1", "b1"))
    assert [record.events[0].deal for record in (first, second)] == [None, "17.1"]


@pytest.mark.parametrize("deal", ["17.2", "17.3", "17.0", "18.1", "17", ""])
def test_dice_are_those_of_a_match_before_it_in_the_same_room_or_its_own(deal: str) -> None:
    record = record_of("17.2")
    forged = [replace(e, deal=deal) if e.kind == "dealt" else e for e in record.events]
    verdict = verify(MatchRecord(record.match, tuple(forged)))
    assert verdict.wrong == f"{deal!r} is not the name of a deal that this match can have"


def test_dice_of_another_name_fall_otherwise() -> None:
    def own(event: Event) -> Event:
        return replace(event, deal=None) if event.kind == "dealt" else event

    verdict = verify(MatchRecord("17.2", tuple(map(own, record_of("17.2").events))))
    assert "the deal gives" in (verdict.wrong or "")
