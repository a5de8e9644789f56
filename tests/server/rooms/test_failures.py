"""What goes wrong stays where it is: a bug closes one room, a log that fails stops the clocks."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from msgspec.structs import replace

from protocol import messages, parts
from server.core import life
from server.core import room as rooms
from server.core.events import Leg, Played, write_body
from server.core.orders import Unstalled
from server.store.contract import EventRow, Fenced
from tests.server.scene import BLITZ, Scene


@pytest.fixture
def bug(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Makes the core stumble over chat in the room `bug["room"]`."""
    handle, where = life.handle, {"room": 0}

    def stumble(room: Any, message: Any, *rest: Any) -> Any:
        if room.number == where["room"] and isinstance(message, messages.Say):
            raise ZeroDivisionError("a bug")
        return handle(room, message, *rest)

    monkeypatch.setattr(life, "handle", stumble)
    return where


def test_a_bug_closes_the_room_it_is_in_and_no_other(
    scene: Scene, bug: dict[str, int], caplog: pytest.LogCaptureFixture
) -> None:
    at = scene.match(watcher=True, options=BLITZ)
    other = scene.room(at.eve)
    bug["room"] = at.room
    at.ann.say(messages.Say(id=9, room=at.room, text="hey"))
    assert at.ann.refusals() == [("room/failed", 9)]
    assert at.bob.refusals() == [("room/failed", None)]
    assert at.eve.codes() == ["room/failed"]
    assert "ZeroDivisionError: a bug" in caplog.text
    assert f"room {at.room} failed after seq {at.turn}" in caplog.text
    assert scene.store.open_rooms() == [other]
    assert scene.store.kinds(at.room)[-1] == "closed"
    assert list(scene.rooms.actors) == [other]
    at.eve.ask(messages.Say(id=1, room=other, text="here all is well"), messages.Ok)
    assert at.bob.refused(at.play("5", id=2)) == "room/closed"
    scene.wait(120_000)  # no timer of that room is left
    assert scene.store.kinds(at.room)[-2:] == ["started", "closed"]


def test_a_room_that_opens_again_at_a_start_keeps_secrets(
    scene: Scene, bug: dict[str, int]
) -> None:
    ann = scene.enter("ann")
    bug["room"] = room = scene.room(ann, "pebbles")
    scene.store.broken = True
    ann.say(messages.Say(room=room, text="the bug, while the disk is full"))
    scene.store.broken = False
    assert scene.store.open_rooms() == [room]
    assert ann.refused(messages.History(id=1, room=room)) == "server/not-stored"


def test_whoever_waits_in_a_room_that_fails_is_answered(scene: Scene, bug: dict[str, int]) -> None:
    at = scene.match()
    bug["room"] = at.room
    at.ann.send(at.play("5", id=1))
    at.bob.send(messages.Say(id=2, room=at.room, text="the bug"))
    at.ann.send(messages.Resign(id=3, match=at.name))
    scene.enter("eve")
    scene.store.settle()
    assert [type(m).__name__ for m in at.ann.heard() if m.re is not None] == ["Ok", "Error"]
    assert at.bob.refusals() == [("room/failed", 2)]


def test_a_bug_in_showing_what_is_stored_closes_only_that_room(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    one, two = scene.room(ann), scene.room(bob)

    state = rooms.state

    def stumble(room: rooms.Room, *rest: Any) -> messages.Push:
        if room.number == one:
            raise KeyError("a bug")
        return state(room, *rest)

    monkeypatch.setattr(rooms, "state", stumble)
    ann.send(messages.Ready(id=1, room=one))
    bob.send(messages.Ready(id=2, room=two))
    scene.store.settle()
    assert "KeyError: 'a bug'" in caplog.text
    assert ann.codes() == ["room/failed"]
    assert bob.heard()[-1] == messages.Ok(re=2, seq=3)
    assert scene.store.kinds(one) == ["created", "joined", "ready", "closed"]


def test_a_log_that_fails_stops_the_clocks_and_charges_nobody(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    at = scene.match(options=BLITZ)
    scene.wait(10_000)
    scene.store.broken = True
    at.ann.say(at.play("5", id=1))
    text = "the server could not store this, so it did not happen; clocks stand still"
    refusal = messages.Error(re=1, code="server/not-stored", text=text)
    assert at.ann.last(messages.Error) == refusal
    paused = at.bob.clocks()
    assert (paused.paused, paused.remaining) == ("store", (50_000, 60_000))
    scene.wait(3_600_000)
    scene.store.broken = False
    scene.wait(30_000)
    assert "the log can be written again" in caplog.text
    on = at.ann.last(messages.MatchState)
    assert on.clocks is not None
    assert (on.clocks.paused, on.clocks.remaining) == (None, (50_000, 60_000))
    assert on.legal is not None
    at.ann.ask(at.play("5", id=2), messages.Ok)


def test_a_log_of_which_nobody_knows_stops_all_clocks_but_those_that_wait_for_it(
    scene: Scene,
) -> None:
    at, busy = scene.match(options=BLITZ), scene.match(options=BLITZ, names=("cem", "dora"))
    scene.wait(10_000)
    busy.ann.send(busy.play("5", id=1))  # its answer does not come
    scene.store.tell_stalled(True)
    paused = at.bob.clocks()
    assert (paused.paused, paused.remaining) == ("store", (50_000, 60_000))
    assert busy.bob.heard() == []
    scene.store.tell_stalled(False)
    scene.store.settle()
    assert (at.bob.clocks().paused, busy.bob.clocks().running) == (None, 1)
    assert scene.outage.waiting == set()
    at.ann.ask(at.play("5", id=2), messages.Ok)


def test_a_server_whose_log_is_another_ones_ends_and_tells_no_guess(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = scene.match(options=BLITZ)
    ends: list[bool] = []
    scene.store.news.ended.append(lambda _: ends.append(True))
    monkeypatch.setattr(scene.store, "_write", lambda rows: Fenced("another server"))
    at.ann.send(at.play("5", id=1))
    scene.store.end(Fenced("another server"))
    scene.store.settle()
    assert ends == [True]
    assert str(scene.outage.ended) == "another server"
    assert (at.ann.heard(), at.bob.heard()) == ([], [])  # what is here may be old by now
    scene.outage.begin(scene.rooms.actors[at.room].room)  # another append fails as well
    assert not scene.outage.lasts


def test_an_attempt_that_is_under_way_as_the_log_becomes_another_ones_is_the_last(
    scene: Scene,
) -> None:
    at = scene.match(options=BLITZ)
    scene.store.broken = True
    at.ann.say(at.play("5", id=1))
    while not scene.outage._is_trying:
        assert scene.loop.next(scene.loop.at + 10)
    scene.store.end(Fenced("another server"))
    appends = scene.store.appends
    scene.store.settle()
    scene.wait(60_000)
    assert scene.store.appends == appends


def test_a_log_that_fails_is_tried_with_growing_pauses_by_one_row_of_tries(scene: Scene) -> None:
    at = scene.match(options=BLITZ)
    scene.store.broken = True
    for n in range(5):
        at.ann.say(at.play("5", id=n))
    assert len(at.bob.heard_of(messages.MatchState)) == 1  # the pause is told once
    begin, times, last = scene.loop.at, [], scene.store.appends
    while scene.loop.at < begin + 100:
        scene.wait(500)
        times += [scene.loop.at - begin] * (scene.store.appends - last)
        last = scene.store.appends
    assert times == [0.5, 1.5, 3.5, 7.5, 15.5, 31.5, 61.5, 91.5]


@pytest.mark.parametrize("what", ["a flag that falls", "a room that closes"])
def test_what_is_due_while_the_log_fails_is_not_tried_all_the_time(scene: Scene, what: str) -> None:
    at = scene.match(options=BLITZ) if what == "a flag that falls" else None
    if at is None:
        ann = scene.enter("ann")
        scene.room(ann)
        ann.go()
    scene.store.broken = True
    scene.wait(60_300 if at else 31 * 60_000)
    before = scene.store.appends
    scene.wait(60_000)
    assert scene.store.appends - before < 10
    scene.store.broken = False
    scene.wait(31_000)
    assert at.bob.result().how == "flag" if at else scene.rooms.actors == {}


def test_a_room_that_could_not_be_stored_was_never_there(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    scene.store.broken = True
    ann.send(messages.Create(id=1, game="tic_tac_toe", options=parts.Options(public=False)))
    bob.send(messages.Watch(id=2, room=1))
    bob.send(messages.Join(id=3, code=next(iter(scene.lobby.codes))))
    scene.store.settle()
    assert ann.codes() == ["server/not-stored"]
    assert bob.codes() == ["room/closed", "room/closed"]
    assert scene.rooms.actors == scene.lobby.codes == {}
    assert scene.outage.waiting == set()
    scene.store.broken = False
    assert scene.room(ann) == 2


def test_what_waits_in_a_room_is_tried_in_its_turn_even_if_the_log_fails(scene: Scene) -> None:
    room, ann = scene.gather("ann")
    scene.store.broken = True
    for n in range(3):
        ann.send(messages.Say(id=n, room=room, text="hey"))
    scene.store.answer_one()
    scene.store.broken = False
    scene.store.settle()
    answers = [(type(m).__name__, m.re) for m in ann.heard() if m.re is not None]
    assert answers == [("Error", 0), ("Ok", 1), ("Ok", 2)]


def test_a_room_closed_in_an_outage_is_not_waited_for(scene: Scene, bug: dict[str, int]) -> None:
    room, ann = scene.gather("ann")
    scene.store.broken = True
    ann.say(messages.Ready(room=room))
    bug["room"] = room
    ann.say(messages.Say(room=room, text="hey"))
    assert scene.outage.waiting == set()
    scene.store.broken = False
    scene.wait(1_000)
    assert scene.loop.pending() == 0


def test_rooms_that_fall_while_the_log_works_again_do_not_keep_others_waiting(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    handle = life.handle
    entered = [scene.enter(name) for name in ("ann", "bob", "eve")]
    one, two, three = (scene.room(player) for player in entered)
    scene.store.broken = True
    for player, room in zip(entered, (one, two, three), strict=True):
        player.say(messages.Ready(id=1, room=room))
    assert scene.outage.waiting == {one, two, three}

    def stumble(room: Any, message: Any, *rest: Any) -> Any:
        if room.number == one and isinstance(message, Unstalled):
            raise ZeroDivisionError("a bug")
        return handle(room, message, *rest)

    monkeypatch.setattr(life, "handle", stumble)
    # As a ladder may: the end of one room closes another one that waits, too.
    scene.rooms.announcements.removed.append(lambda room: scene.rooms.remove(two))
    scene.store.broken = False
    scene.wait(1_000)
    assert list(scene.rooms.actors) == [three]
    assert not scene.rooms.actors[three].stalled


def test_a_bug_in_what_follows_an_outage_closes_only_the_room_it_is_in(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    at = scene.match()
    actor = scene.rooms.actors[at.room]
    actor.room = replace(actor.room, leg=Leg(99, "knights", 1, 0))
    other = scene.room(at.ann)

    def stumble(room: rooms.Room) -> None:
        raise ZeroDivisionError("a bug")

    scene.store.broken = True
    at.ann.say(at.play("5", id=1))
    at.ann.say(messages.Say(id=2, room=other, text="hello"))
    assert scene.outage.waiting == {at.room, other}
    scene.rooms.announcements.leg_changed[:] = [stumble]
    scene.store.broken = False
    scene.wait(60_000)
    assert (f"room {at.room} failed" in caplog.text, scene.outage.waiting) == (True, set())
    assert list(scene.rooms.actors) == [other]
    assert ("room/failed", None) in at.bob.refusals()
    at.ann.ask(messages.Say(id=3, room=other, text="all is well here"), messages.Ok)


def test_a_room_goes_on_by_the_log_where_that_has_something_else(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """As where another server has written there, against which there is a fence."""
    scene = Scene()
    table = scene.match(options=BLITZ, watcher=True)
    rows = scene.store.all_events(table.room)
    played = Played(scene.now(), 0, 0, "9", 5, 0)
    other = EventRow(table.room, rows[-1].seq + 1, 2, "play", 1, write_body(played))
    scene.store.events[table.room, other.seq] = other
    table.ann.send(table.play("5", id=7))
    table.bob.send(messages.Say(id=8, room=table.room, text="hm"))  # which waits
    scene.store.settle()
    assert table.ann.refusals() == [("server/not-stored", 7)]
    for who in (table.ann, table.bob, table.eve):
        assert [m.position for m in who.heard_of(messages.MatchState)][-1:] in ([], ["3/3/2x o"])
    assert scene.rooms.actors[table.room].room.seq == other.seq + 1, "what waited came after it"
    bob = table.bob
    bob.say(messages.Play(match=table.name, turn=table.turn + 1, action="1"))
    assert table.eve.last(messages.MatchState).position == "o2/3/2x x"
    scene.wait(60_000)
    assert [record.message.partition(":")[0] for record in caplog.records] == ["room 1"]
    seqs = [row.seq for row in scene.store.all_events(table.room)]
    assert seqs == list(range(1, len(seqs) + 1))
