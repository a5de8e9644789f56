"""What a server makes of a log that was written before: rooms, players, rooms that are broken."""

from __future__ import annotations

import logging

import pytest
from msgspec.structs import replace

from protocol import messages, parts
from server.core.room import Secrets
from tests.server.scene import BLITZ, Scene


def test_rooms_come_back_as_they_were(scene: Scene) -> None:
    at = scene.match(options=BLITZ)
    at.ann.say(at.play("5"))
    private = at.ann.ask(
        messages.Create(id=1, game="pebbles", options=parts.Options(public=False)),
        messages.RoomState,
    )
    scene = scene.again()
    assert sorted(scene.rooms.actors) == [at.room, private.room]
    (line,) = scene.enter("eva").ask(messages.Lobby(id=1), messages.LobbyList).rooms
    assert line.room == at.room
    assert [seat is not None and seat.absent for seat in line.seats] == [True, True]
    ann = scene.enter(token=at.ann.token)
    states = ann.heard_of(messages.RoomState)
    again = next(state for state in states if state.room == private.room)
    assert (again.code, again.commitment) == (private.code, private.commitment)
    bob = scene.enter(token=at.bob.token)
    match = bob.heard_of(messages.MatchState)[0]
    assert (match.ply, match.legal is not None) == (1, True)
    bob.ask(messages.Play(id=1, match=at.name, turn=match.turn, action="1"), messages.Ok)
    assert scene.room(ann) == private.room + 1


def test_no_flag_falls_while_a_server_ends(scene: Scene) -> None:
    """What a player sends then is not read any more, so nothing of that time is charged."""
    at = scene.match(options=BLITZ)
    at.ann.say(at.play("5"))
    at.bob.say(messages.Play(match=at.name, turn=at.bob.last(messages.MatchState).turn, action="1"))
    scene.wait(59_500)
    scene.hub.close()
    scene.wait(1_000)
    at.ann.go()
    at.bob.go()
    assert "ended" not in scene.store.kinds(at.room)
    scene = scene.again()
    match = scene.enter(token=at.ann.token).last(messages.MatchState)
    assert match.result is None


def test_a_room_whose_first_event_cannot_be_read_stays_shut(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    ann = scene.enter("ann")
    room, other = scene.room(ann), scene.room(ann)
    scene.store.events[room, 1] = scene.store.events[room, 1]._replace(body=b"\xc1")
    scene = scene.again()
    assert list(scene.rooms.actors) == [other]
    assert f"room {room} cannot be read and stays shut" in caplog.text
    ann = scene.enter(token=ann.token)
    assert ann.refused(messages.Join(id=1, room=room)) == "room/closed"


def test_a_match_that_cannot_be_replayed_is_void_and_the_server_starts(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    at = scene.match()
    other = scene.room(at.ann)
    at.ann.say(at.play("5"))
    seq = scene.rooms.actors[at.room].room.seq
    row = scene.store.events[at.room, seq]
    scene.store.events[at.room, seq] = row._replace(body=row.body.replace(b"5", b"x"))
    again = scene.again()
    assert f"room {at.room}: seq {seq} cannot be replayed" in caplog.text
    assert list(again.rooms.actors) == [other]
    assert again.store.kinds(at.room)[-2:] == ["ended", "closed"]
    ann = again.enter(token=at.ann.token)
    page = ann.ask(messages.History(id=1, room=at.room), messages.HistoryPage)
    assert page.events[-2].result is not None
    assert page.events[-2].result.how == "void"
    assert ann.refused(messages.Say(id=2, room=at.room, text="oh")) == "room/closed"


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
    assert ann.refused(at.play("5", id=1)).startswith(("room/", "match/"))
    assert ann.refused(messages.Kick(id=2, room=at.room, seat=1)).startswith("room/")
    assert scene.store.kinds(at.room)[-1] == "started"
    third = again.again()
    assert third.store.kinds(at.room)[-2:] == ["ended", "closed"]
    assert third.rooms.actors == {}


def test_a_new_code_is_never_one_in_use(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    codes = iter(["AAAAAA", "AAAAAA", "BBBBBB", "CCCCCC"])
    secret = bytes(32)
    scene.rooms.fresh = Secrets(secret, next(codes))
    monkeypatch.setattr("server.rooms.directory.random_code", lambda _: next(codes))
    ann = scene.enter("ann")
    create = messages.Create(id=1, game="tic_tac_toe", options=parts.Options(public=False))
    assert [ann.ask(create, messages.RoomState).code for _ in range(2)] == ["AAAAAA", "BBBBBB"]


def test_a_match_of_the_past_is_refused(scene: Scene) -> None:
    at = scene.match()
    for name, code in (("1.2", "match/over"), ("9.1", "lobby/no-room")):
        assert at.ann.refused(replace(at.play("5", id=1), match=name)) == code
