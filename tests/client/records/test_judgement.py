"""The server and verify judge alike: whatever a room lets happen, its record holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from client.records.verify import verify
from games import registry
from protocol.records.record import MatchRecord, of_room, read, write
from server.core.events import public, read_body
from tests.server.core.score import ROOM, TERMS, Score, Table


def records(table: Table) -> Iterator[MatchRecord]:
    """The record of each match of a room that is over, as `history` would give it."""
    events = [
        public(row.seq, f"{ROOM}.{row.match}" if row.match else None,
               read_body(row.kind, row.body), sealed=False)
        for row in table.rows
    ]  # fmt: skip
    for event in events:
        if event.kind == "ended" and event.match is not None:
            yield of_room(event.match, events)


def judged(game: str, terms: str, seed: int) -> Counter[str]:
    """How the matches of a made-up score ended, each of which holds, in memory and as a file."""
    tables: list[Table] = []
    for table in Score(game, terms, seed).steps():
        if not tables or tables[-1] is not table:  # the room was closed, and another one opened
            tables.append(table)
    ends: Counter[str] = Counter()
    for table in tables:
        for record in records(table):
            verdict = verify(record)
            assert verdict.wrong is None, f"{game} {terms} {seed}: {record.match}, {verdict}"
            assert read(write(record)) == record
            assert verdict.result is not None
            ends[verdict.result.how] += 1
    return ends


@pytest.mark.parametrize("game", registry.names())
def test_whatever_a_room_lets_happen_holds(game: str) -> None:
    for terms in list(TERMS)[registry.names().index(game) % 3 :: 3]:  # the slow test has all
        judged(game, terms, seed=1)


@pytest.mark.slow
def test_it_holds_however_a_match_ends_and_wherever_a_clock_was_paused() -> None:
    ends: Counter[str] = Counter()
    for seed in range(2, 22):
        for game in registry.names():
            for terms in TERMS:
                ends += judged(game, terms, seed)
    assert ends.keys() >= {"rules", "resign", "flag", "abort", "agreement", "abandon"}
