"""What goes wrong stays where it is: a bug closes one room, a log that fails stops the clocks."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from protocol.messages import (
    Create,
    Error,
    History,
    Join,
    MatchState,
    Ok,
    Options,
    Push,
    Ready,
    Resign,
    Say,
    Watch,
)
from server.core import life
from server.core import room as rooms
from tests.server.scene import BLITZ, Scene

# ---------------------------------------------------------------- bugs


@pytest.fixture
def bug(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Makes the core stumble over chat in the room `bug["room"]`."""
    handle, where = life.handle, {"room": 0}

    def stumble(room: Any, message: Any, *rest: Any) -> Any:
        if room.number == where["room"] and isinstance(message, Say):
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
    at.ann.say(Say(id=9, room=at.room, text="hey"))
    assert [(e.code, e.re) for e in at.ann.heard_of(Error)] == [("room/failed", 9)]
    assert [(e.code, e.re) for e in at.bob.heard_of(Error)] == [("room/failed", None)]
    assert at.eve.codes() == ["room/failed"]
    assert "ZeroDivisionError: a bug" in caplog.text
    assert f"room {at.room} failed after seq {at.turn}" in caplog.text
    assert scene.store.open_rooms() == [other]
    assert scene.store.kinds(at.room)[-1] == "closed"
    assert list(scene.house.rooms) == [other]
    at.eve.ask(Say(id=1, room=other, text="here all is well"), Ok)
    assert at.bob.ask(at.play("5", id=2), Error).code == "room/closed"
    scene.wait(120_000)  # no timer of that room is left
    assert scene.store.kinds(at.room)[-2:] == ["started", "closed"]


def test_a_room_that_opens_again_at_the_next_start_keeps_its_secret(
    scene: Scene, bug: dict[str, int]
) -> None:
    ann = scene.enter("ann")
    bug["room"] = room = scene.room(ann, "pebbles")
    scene.store.broken = True
    ann.say(Say(room=room, text="the bug, while the disk is full"))
    scene.store.broken = False
    assert scene.store.open_rooms() == [room]
    assert ann.ask(History(id=1, room=room), Error).code == "server/not-stored"


def test_whoever_waits_in_a_room_that_fails_is_answered(scene: Scene, bug: dict[str, int]) -> None:
    at = scene.match()
    bug["room"] = at.room
    at.ann.send(at.play("5", id=1))
    at.bob.send(Say(id=2, room=at.room, text="the bug"))
    at.ann.send(Resign(id=3, match=at.name))
    scene.enter("eve")
    scene.store.settle()
    assert [type(m).__name__ for m in at.ann.heard() if m.re is not None] == ["Ok", "Error"]
    assert [(e.code, e.re) for e in at.bob.heard_of(Error)] == [("room/failed", 2)]


def test_a_bug_in_showing_what_is_stored_closes_only_that_room(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    one, two = scene.room(ann), scene.room(bob)

    def stumble(room: rooms.Room, *rest: Any) -> Push:
        if room.number == one:
            raise KeyError("a bug")
        return Ok()

    monkeypatch.setattr(rooms, "state", stumble)
    ann.send(Ready(id=1, room=one))
    bob.send(Ready(id=2, room=two))
    scene.store.settle()
    assert "KeyError: 'a bug'" in caplog.text
    assert ann.codes() == ["room/failed"]
    assert bob.heard()[-1] == Ok(re=2, seq=3)
    assert scene.store.kinds(one) == ["created", "joined", "ready", "closed"]


def test_a_room_that_fails_while_the_disk_does_says_that_it_opens_again(
    scene: Scene, bug: dict[str, int], caplog: pytest.LogCaptureFixture
) -> None:
    ann = scene.enter("ann")
    room = scene.room(ann)
    bug["room"], scene.store.broken = room, True
    ann.say(Say(id=1, room=room, text="hey"))
    assert "opens again at the next start: no space left" in caplog.text


# ---------------------------------------------------------------- a log that fails


def test_a_log_that_fails_stops_the_clocks_and_charges_nobody(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    at = scene.match(options=BLITZ)
    scene.wait(10_000)
    scene.store.broken = True
    at.ann.say(at.play("5", id=1))
    assert [m.code for m in at.ann.heard() if isinstance(m, Error)] == ["server/not-stored"]
    paused = at.bob.last(MatchState).clocks
    assert paused is not None
    assert (paused.paused, paused.remaining) == ("store", (50_000, 60_000))
    scene.wait(3_600_000)
    scene.store.broken = False
    scene.wait(30_000)
    assert "the log can be written again" in caplog.text
    on = at.ann.last(MatchState)
    assert on.clocks is not None
    assert (on.clocks.paused, on.clocks.remaining) == (None, (50_000, 60_000))
    assert on.legal is not None
    at.ann.ask(at.play("5", id=2), Ok)


def test_a_log_that_fails_is_tried_with_growing_pauses(scene: Scene) -> None:
    at = scene.match(options=BLITZ)
    scene.store.broken = True
    at.ann.say(at.play("5"))
    begin, times, last = scene.loop.at, [], scene.store.appends
    while scene.loop.at < begin + 100:
        scene.wait(500)
        if scene.store.appends > last:
            times.append(scene.loop.at - begin)
            last = scene.store.appends
    assert times == [0.5, 1.5, 3.5, 7.5, 15.5, 31.5, 61.5, 91.5]


def test_one_more_failure_starts_no_second_row_of_tries(scene: Scene) -> None:
    at = scene.match(options=BLITZ)
    scene.store.broken = True
    for n in range(5):
        at.ann.say(at.play("5", id=n))
    assert len(at.bob.heard_of(MatchState)) == 1  # the pause is told once
    before = scene.store.appends
    scene.wait(500)
    assert scene.store.appends == before + 1


def test_a_flag_that_falls_while_the_log_fails_is_not_tried_again_and_again(scene: Scene) -> None:
    at = scene.match(options=BLITZ)
    scene.store.broken = True
    scene.wait(60_300)
    before = scene.store.appends
    scene.wait(60_000)
    assert scene.store.appends - before < 10
    scene.store.broken = False
    scene.wait(31_000)
    result = at.bob.last(MatchState).result
    assert result is not None
    assert result.how == "flag"


def test_a_room_that_cannot_be_closed_is_not_tried_again_and_again(scene: Scene) -> None:
    ann = scene.enter("ann")
    scene.room(ann)
    ann.go()
    scene.store.broken = True
    scene.wait(31 * 60_000)
    before = scene.store.appends
    scene.wait(60_000)
    assert scene.store.appends - before < 10
    scene.store.broken = False
    scene.wait(31_000)
    assert scene.house.rooms == {}


def test_a_room_that_could_not_be_stored_was_never_there(scene: Scene) -> None:

    ann, bob = scene.enter("ann"), scene.enter("bob")
    scene.store.broken = True
    ann.send(Create(id=1, game="tic_tac_toe", options=Options(public=False)))
    bob.send(Watch(id=2, room=1))
    bob.send(Join(id=3, code=next(iter(scene.house.lobby.codes))))
    scene.store.settle()
    assert ann.codes() == ["server/not-stored"]
    assert bob.codes() == ["room/closed", "room/closed"]
    assert scene.house.rooms == scene.house.lobby.codes == scene.house.lobby.lines == {}
    assert scene.house.outage.rooms == set()
    scene.store.broken = False
    assert scene.room(ann) == 2


def test_what_waits_in_a_room_is_tried_in_its_turn_even_if_the_log_fails(scene: Scene) -> None:
    ann = scene.enter("ann")
    room = scene.room(ann)
    scene.store.broken = True
    for n in range(3):
        ann.send(Say(id=n, room=room, text="hey"))
    scene.store.answer_one()
    scene.store.broken = False
    scene.store.settle()
    answers = [(type(m).__name__, m.re) for m in ann.heard() if m.re is not None]
    assert answers == [("Error", 0), ("Ok", 1), ("Ok", 2)]


def test_a_room_closed_during_an_outage_is_not_waited_for(
    scene: Scene, bug: dict[str, int]
) -> None:
    ann = scene.enter("ann")
    room = scene.room(ann)
    scene.store.broken = True
    ann.say(Ready(room=room))
    bug["room"] = room
    ann.say(Say(room=room, text="hey"))
    assert scene.house.outage.rooms == set()
    scene.store.broken = False
    scene.wait(1_000)
    assert scene.loop.pending() == 0
