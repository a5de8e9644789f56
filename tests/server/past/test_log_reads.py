"""Reads of the log for others: one at a time, each session's in turn, few that wait."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

import pytest

from protocol import messages
from protocol.errors import Code, Refusal
from server.config import LOOKED_PER_MICRO, READ, READ_ROW, TALLIED, price_of_read
from server.core.events import Who
from server.past.log_reads import MAX_REST_S, LogReads
from server.rooms.peers import Peer
from server.store.contract import (
    EventRow,
    LogReader,
    PlayerKey,
    Tallies,
    TallyQuery,
    unheard,
)
from tests.server.manual_loop import ManualLoop
from tests.server.memory_store import MemoryStore
from tests.server.scene import FakeTransport, Scene
from tests.server.store.rows import event


def peer(session: int) -> Peer:
    """A connection of a session."""
    peer = Peer(FakeTransport())
    peer.who, peer.state = Who(session, f"player {session}"), "open"
    return peer


class Desk:
    """Reads over a log that answers when it is told to."""

    def __init__(self, **limits: int) -> None:
        self.loop = ManualLoop()
        self.log = MemoryStore()
        self.reads = LogReads(self.log, cast(Any, self.loop), **limits)
        self.answers: list[tuple[str, list[EventRow] | None]] = []

    def ask(self, peer: Peer | None, name: str, reads: int = 1) -> None:
        """Ask for so many reads, one after the other."""

        def begin(log: LogReader, left: int = reads) -> None:
            def done(rows: list[EventRow] | None) -> None:
                self.answers.append((name, rows))
                if left > 1:
                    begin(log, left - 1)

            log.read_events(1, 0, -1, done)

        self.reads.ask(peer, begin)

    def names(self) -> list[str]:
        """Who was answered, in order."""
        return [name for name, _ in self.answers]


def test_one_goes_on_and_the_sessions_take_turns() -> None:
    desk, ann, bob = Desk(), peer(1), peer(2)
    for name in ("ann 1", "ann 2", "ann 3"):
        desk.ask(ann, name, reads=2)
    desk.ask(bob, "bob")
    assert len(desk.log._asked) == 1
    while desk.log._asked:
        desk.log.answer_one()
        assert len(desk.log._asked) <= 1
    assert desk.names() == ["ann 1"] * 2 + ["ann 2"] * 2 + ["bob"] + ["ann 3"] * 2


def test_few_wait_of_one_session_and_of_all() -> None:
    desk = Desk(waiting=3, per_session=2)
    for n in range(3):
        desk.ask(peer(1), f"ann {n}")
    with pytest.raises(Refusal, match="room/busy") as no:
        desk.ask(peer(1), "ann, too much")
    assert no.value.retry_ms == 200  # so that every client of ours asks again
    desk.ask(peer(2), "bob")
    with pytest.raises(Refusal, match="room/busy"):
        desk.ask(peer(3), "cat")
    desk.ask(None, "a replay")  # which its service bounds
    desk.log.settle()
    assert sorted(desk.names()) == ["a replay", "ann 0", "ann 1", "ann 2", "bob"]
    assert desk.reads.waiting_now() == 0


def test_who_has_gone_costs_no_read_and_holds_up_nobody() -> None:
    desk, ann, tab = Desk(), peer(1), peer(1)
    for name in ("under way", "waits"):
        desk.ask(ann, name, reads=2)
    desk.ask(tab, "the other tab's")
    ann.state = "gone"
    desk.reads.forget(ann)
    assert desk.answers == [("waits", None), ("waits", None)]
    assert len(desk.log._asked) == 1
    desk.log.answer_one()
    assert desk.answers[2:] == [("under way", None), ("under way", None)]
    desk.log.settle()
    assert desk.names()[4:] == ["the other tab's"]
    desk.reads.forget(peer(7))  # who never asked


def test_after_a_read_the_log_rests_three_times_as_long() -> None:
    desk, ann = Desk(), peer(1)
    for name in ("first", "second", "third"):
        desk.ask(ann, name)
    desk.loop.at += 0.01
    desk.log.settle()
    assert desk.names() == ["first"]
    assert not desk.log._asked
    desk.loop.next(desk.loop.at + 0.029)
    assert not desk.log._asked
    desk.loop.next(desk.loop.at + 0.002)
    assert len(desk.log._asked) == 1
    desk.loop.at += 100
    desk.log.settle()
    desk.loop.next(desk.loop.at + MAX_REST_S)
    desk.log.settle()
    assert desk.names() == ["first", "second", "third"]


def test_who_asks_pays_for_rows_that_are_looked_at_and_not_wanted() -> None:
    desk, charges = Desk(), list[float]()
    rows = [event(1, n, b"") for n in range(1, 5_001)]
    desk.log.events = {(1, n): row._replace(match=1) for n, row in enumerate(rows, 1)}

    def look(reach: int, log: LogReader) -> None:
        log.read_outline(1, 1, ["none"], reach, unheard)

    for reach in (0, 1_000, 10**6):
        desk.reads.ask(None, partial(look, reach), charges.append)
        desk.log.settle()
        desk.loop.next(10**9)
    first = READ + price_of_read(0) + 2 * READ_ROW
    looked = 5_000  # of the match, and never more than the room has
    assert charges == [first + looked / LOOKED_PER_MICRO] * 3


def test_who_asks_for_sums_pays_for_matches_that_do_not_count_as_well(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    desk, charges = Desk(), list[float]()
    found = Tallies(None, (), [], looked=5_000)  # all of them called off
    monkeypatch.setattr(desk.log, "read_tallies", lambda query, done: done(found))
    query = TallyQuery(PlayerKey("ann", 1), True, 5_000)
    desk.reads.ask(None, lambda log: log.read_tallies(query, unheard), charges.append)
    assert charges == [5_000 * TALLIED]


def test_who_asks_pays_by_rows_and_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    desk, charges = Desk(), list[float]()
    monkeypatch.setattr(Peer, "charge", lambda peer, micros: charges.append(micros))
    desk.ask(peer(1), "nothing is there")
    desk.log.settle()
    desk.log.events = {(1, n): event(1, n, bytes(1_000)) for n in range(1, 11)}
    desk.ask(peer(1), "ten rows")
    desk.ask(None, "a replay, which its page is charged for")
    desk.log.settle()
    assert charges == [READ + price_of_read(0), READ + price_of_read(10_000) + 10 * READ_ROW]


def test_a_bug_of_one_asker_ends_its_connection_and_leaves_the_next_one_its_turn(
    caplog: pytest.LogCaptureFixture,
) -> None:
    desk, ann, bob, cem = Desk(), peer(1), peer(2), peer(3)
    desk.reads.ask(ann, lambda log: log.read_events(1, 0, -1, lambda rows: 1 // 0))
    desk.reads.ask(bob, lambda log: 1 // 0)
    desk.ask(cem, "cem")
    desk.log.settle()
    assert desk.names() == ["cem"]
    ended = [cast(FakeTransport, each.transport).ended for each in (ann, bob, cem)]
    assert ended == [(1011, "the server made a mistake")] * 2 + [None]
    assert caplog.text.count("a request that reads the log failed") == 2


def test_a_flood_of_history_is_refused_and_moves_go_on() -> None:
    scene = Scene()
    at = scene.match(watcher=True)
    flood = [messages.History(id=n, room=at.room) for n in range(100)]
    for request in flood:
        at.eve.send(request)
    assert len(scene.store._asked) == 1
    assert at.eve.refusals() == [(Code.ROOM_BUSY, n) for n in range(5, 100)]
    at.ann.send(at.play("5", id=7))
    assert len(scene.store._asked) == 2  # one read and the move, whatever waits
    scene.store.settle()
    assert at.bob.last(messages.MatchState).events[-1].action == "5"
    pages = at.eve.heard_of(messages.HistoryPage)
    assert sorted(page.re or 0 for page in pages) == [0, 1, 2, 3, 4]
    scene.close()


def test_history_for_who_has_gone_is_neither_read_nor_sent() -> None:
    scene = Scene()
    at = scene.match(watcher=True)
    for n in range(5):
        at.eve.send(messages.History(id=n, room=at.room))
    at.eve.transport.frames.clear()
    at.eve.vanish()
    assert scene.hub.services.reads.waiting_now() == 0
    scene.store.settle()
    assert at.eve.transport.frames == []
    assert at.bob.ask(messages.History(id=1, room=at.room), messages.HistoryPage).events
    scene.close()
