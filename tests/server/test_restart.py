"""What a server makes of a log that was written before: rooms, players, rooms that are broken."""

from __future__ import annotations

import logging

import pytest
from msgspec.structs import replace

from protocol.messages import (
    Create,
    Error,
    History,
    HistoryPage,
    Join,
    Lobby,
    LobbyList,
    MatchState,
    Ok,
    Options,
    Play,
    Ready,
    RoomState,
    Say,
)
from server.core.room import Fresh
from tests.server.scene import BLITZ, Scene


def test_rooms_come_back_as_they_were(scene: Scene) -> None:
    at = scene.match(options=BLITZ)
    at.ann.say(at.play("5"))
    private = at.ann.ask(Create(id=1, game="pebbles", options=Options(public=False)), RoomState)
    scene = scene.again()
    assert sorted(scene.house.rooms) == [at.room, private.room]
    ann = scene.enter(token=at.ann.token)
    states = ann.heard_of(RoomState)
    again = next(state for state in states if state.room == private.room)
    assert (again.code, again.commitment) == (private.code, private.commitment)
    bob = scene.enter(token=at.bob.token)
    match = bob.heard_of(MatchState)[0]
    assert (match.ply, match.legal is not None) == (1, True)
    bob.ask(Play(id=1, match=at.name, turn=match.turn, action="1"), Ok)
    assert scene.room(ann) == private.room + 1


def test_the_lobby_is_full_again_and_everybody_absent(scene: Scene) -> None:
    at = scene.match()
    scene = scene.again()
    eve = scene.enter("eva")
    (line,) = eve.ask(Lobby(id=1), LobbyList).rooms
    assert line.room == at.room
    assert [seat is not None and seat.absent for seat in line.seats] == [True, True]


def test_rooms_of_players_who_do_not_come_back_close(scene: Scene) -> None:
    ann = scene.enter("ann")
    scene.room(ann)
    scene = scene.again()
    scene.wait(31 * 60_000)
    assert scene.house.rooms == scene.house.lobby.present == {}


def test_a_room_whose_first_event_cannot_be_read_stays_shut(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    ann = scene.enter("ann")
    room, other = scene.room(ann), scene.room(ann)
    scene.store.events[room, 1] = scene.store.events[room, 1]._replace(body=b"\xc1")
    scene = scene.again()
    assert list(scene.house.rooms) == [other]
    assert f"room {room} cannot be read and stays shut" in caplog.text
    ann = scene.enter(token=ann.token)
    assert ann.ask(Join(id=1, room=room), Error).code == "room/closed"


def test_a_match_that_cannot_be_replayed_is_void_and_the_server_starts(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    at = scene.match()
    other = scene.room(at.ann)
    at.ann.say(at.play("5"))
    seq = scene.house.rooms[at.room].room.seq
    row = scene.store.events[at.room, seq]
    scene.store.events[at.room, seq] = row._replace(body=row.body.replace(b"5", b"x"))
    again = scene.again()
    assert f"room {at.room}: seq {seq} cannot be replayed" in caplog.text
    assert list(again.house.rooms) == [other]
    assert again.store.kinds(at.room)[-2:] == ["ended", "closed"]
    ann = again.enter(token=at.ann.token)
    page = ann.ask(History(id=1, room=at.room), HistoryPage)
    assert page.events[-2].result is not None
    assert page.events[-2].result.how == "void"
    assert ann.ask(Say(id=2, room=at.room, text="oh"), Error).code == "room/closed"


def test_a_broken_room_that_cannot_be_closed_is_tried_again_at_the_next_start(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)
    at = scene.match()
    row = scene.store.events[at.room, at.turn]
    scene.store.events[at.room, at.turn] = row._replace(body=b"\xc1")
    scene.store.broken = True
    again = scene.again()
    again.store.broken = False
    ann = again.enter(token=at.ann.token)
    assert ann.ask(at.play("5", id=1), Error).code.startswith(("room/", "match/"))
    assert ann.ask(Ready(id=2, room=at.room), Error).code.startswith("room/")
    assert scene.store.kinds(at.room)[-1] == "started"
    third = again.again()
    assert third.store.kinds(at.room)[-2:] == ["ended", "closed"]
    assert third.house.rooms == {}


def test_a_new_code_is_never_one_that_is_in_use(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes = iter(["AAAAAA", "AAAAAA", "BBBBBB", "CCCCCC"])
    secret = bytes(32)
    scene.house.fresh = Fresh(secret, next(codes))
    monkeypatch.setattr("server.house._fresh", lambda: Fresh(bytes(32), next(codes)))
    ann = scene.enter("ann")
    create = Create(id=1, game="tic_tac_toe", options=Options(public=False))
    assert [ann.ask(create, RoomState).code for _ in range(2)] == ["AAAAAA", "BBBBBB"]


@pytest.mark.parametrize("name", ["", "1", "x.1", "-1.1", "²" + ".1", "9" * 20 + ".1", "1."])
def test_what_is_no_match_is_refused(scene: Scene, name: str) -> None:
    at = scene.match()
    error = at.ann.ask(replace(at.play("5", id=1), match=name), Error)
    assert error.code == "lobby/no-room"


def test_a_match_of_the_past_is_refused(scene: Scene) -> None:
    at = scene.match()
    for name, code in (("1.2", "match/over"), ("9.1", "lobby/no-room")):
        assert at.ann.ask(replace(at.play("5", id=1), match=name), Error).code == code
