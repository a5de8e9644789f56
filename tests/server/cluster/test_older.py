"""A server that was stopped and woken shows nobody what is older than they have seen elsewhere, one
that has just started calls no room closed, and none is asked the same thing for ever.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import cast
from unittest.mock import Mock

import pytest

from protocol import codec
from protocol.errors import Code, ProtocolError
from protocol.messages import (
    Create,
    Hello,
    MatchState,
    Play,
    Request,
    RoomState,
    Watch,
    Welcome,
)
from server.cluster import hosting
from server.cluster.core.membership import MemberKey
from server.cluster.forwarding import RoomPlace
from server.cluster.joining import RoomTakeover
from server.cluster.line.signals import MemberGone, RequestReturned
from server.cluster.lines import Lines
from server.store.contract import RoomRow
from tests.server.cluster.far_scene import FarScene

FRONT, OWNER, THIRD = MemberKey(1, 1), MemberKey(2, 1), MemberKey(3, 1)


def test_nothing_more_of_a_server_is_shown_once_another_says_that_it_is_gone() -> None:
    scene = FarScene()
    table = scene.match()
    front, _ = scene.clusters
    looks: list[None] = []
    front.news.freed.append(lambda: looks.append(None))
    front.servers.server(THIRD)
    table.ann.send(Play(match=f"{table.room}.1", turn=table.turn, action="5"))
    front.received(THIRD, MemberGone(*OWNER))  # before it is heard that the play was stored
    assert looks == [None], "there are rooms to take"
    table.ann.heard()
    scene.store.settle()
    scene.pass_on()
    assert (table.ann.heard(), table.bob.heard()) == ([], [])


def test_a_server_that_hears_that_it_is_gone_itself_goes_on_until_its_lease_says_so() -> None:
    scene = FarScene()
    table = scene.match()
    _, owner = scene.clusters
    owner.servers.server(THIRD)
    owner.received(THIRD, MemberGone(*OWNER))
    table.ann.say(table.play("5"))
    assert table.bob.last(MatchState).legal


def test_rooms_are_shown_to_who_comes_once_their_owners_lease_is_good_again() -> None:
    scene = FarScene()
    table = scene.match()
    _, owner = scene.clusters
    scene.is_leased = False
    tab = scene.connect()
    tab.say(Hello(version=1, token=table.ann.token))
    assert tab.last(Welcome).rooms == (table.room,)
    tab.say(Play(id=3, match=f"{table.room}.1", turn=table.turn, action="5"))
    assert tab.refusals() == [("room/moving", 3)]
    assert not tab.heard_of(RoomState)
    scene.is_leased = True
    owner.hosting.show_waiting()
    scene.pass_on()
    shown = tab.heard()
    assert next(message.room for message in shown if isinstance(message, RoomState)) == table.room
    assert next(message for message in shown if isinstance(message, MatchState)).legal


def test_the_log_is_asked_whose_a_room_is_that_a_server_which_is_gone_claimed_last() -> None:
    asked: list[int] = []
    owners = iter((THIRD, OWNER))

    def locate(number: int, done: Callable[[RoomPlace | None], None]) -> None:
        asked.append(number)
        done(RoomPlace(True, next(owners)))

    scene = FarScene(locate=locate)
    table = scene.match()
    front, _ = scene.clusters
    known = front.hub.rooms.far[table.room]
    front.hub.rooms.far[table.room] = known._replace(owner=THIRD)
    table.ann.say(table.play("5", id=1))
    assert table.ann.refusals() == [("room/moving", 1)]
    table.ann.say(table.play("5", id=2))
    assert asked == [table.room, table.room]
    assert table.bob.last(MatchState).legal


@pytest.mark.parametrize(
    ("place", "code"),
    [
        (None, "room/busy"),
        (RoomPlace(True, None), "room/moving"),
        (RoomPlace(True, FRONT), "room/moving"),
        (RoomPlace(True, THIRD), "room/moving"),
        (RoomPlace(False, OWNER), "room/closed"),
        (RoomPlace(False, None, exists=False), "lobby/no-room"),
    ],
)
def test_a_room_is_said_to_be_closed_only_if_the_log_says_so(
    place: RoomPlace | None, code: str
) -> None:
    scene = FarScene(locate=lambda number, done: done(place))
    front, number, ann = scene.clusters[0], 7, scene.enter("ann")
    assert not front.hub.rooms.last_number, "no server has read a room"
    if place is not None and place.owner == FRONT:
        front.hub.rooms.coming.add(number)
    ann.say(Watch(id=1, room=number))
    scene.wait(20)
    assert ann.refusals() == [(code, 1)]


def test_a_room_that_a_server_has_taken_and_not_read_is_on_its_way() -> None:
    scene = FarScene(locate=lambda number, done: done(RoomPlace(True, OWNER)))
    front, owner = scene.clusters
    ann = scene.enter("ann")
    number = scene.room(ann)
    front.replication.drop(number)
    owner.replication.give(number, THIRD)
    owner.died(THIRD)
    owner.hub.rooms.coming.add(number)
    ann.say(Watch(id=2, room=number))
    assert ann.refusals() == [("room/moving", 2)]


async def test_rooms_are_known_to_come_until_they_are_read() -> None:
    scene = FarScene()
    match = scene.match()
    front, owner = scene.clusters
    owner.give(match.room, FRONT)
    scene.pass_on()
    rows = [scene.store.rooms[match.room], RoomRow(99, 1, b"")]  # of one there is nothing
    rooms, loading = front.hub.rooms, scene.front_loading
    takeover = RoomTakeover(front, cast(Lines, None), loading, scene.store, pytest.fail)
    scene.store.remote = True
    adopting = asyncio.create_task(takeover.adopt(rows))
    await asyncio.sleep(0)  # it begins
    assert rooms.coming == {match.room, 99}
    scene.store.settle()
    await adopting
    assert (rooms.coming, list(rooms.actors)) == (set(), [match.room])


def test_a_request_that_a_server_of_another_version_does_not_know_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = FarScene()
    match = scene.match()
    forwarding, ann = scene.clusters[0].forwarding, match.ann
    before = forwarding.forwarded

    def decode(payload: bytes) -> Request:
        raise ProtocolError(Code.PROTOCOL_UNKNOWN_TYPE, "there is no such thing", re=5, fatal=False)

    older = Mock(wraps=codec, decode_request=decode)
    monkeypatch.setattr(hosting, "codec", older)
    for request in (Create(id=5, game="tic_tac_toe"), Watch(id=5, room=match.room)):
        ann.send(request)
        assert ann.refusals() == [("protocol/unknown-type", 5)]
    assert forwarding.forwarded == before + 2


def test_a_request_without_a_room_that_comes_back_is_not_forwarded_again() -> None:
    scene = FarScene()
    ann, (front, _) = scene.enter("ann"), scene.clusters
    (number,) = front.forwarding.peers
    request = codec.encode(Create(id=6, game="tic_tac_toe"))
    front.received(OWNER, RequestReturned(number, request))
    assert front.forwarding.forwarded == 0
    assert ann.refusals() == [("protocol/unknown-type", 6)]


def test_a_room_that_nobody_has_is_not_asked_for_without_a_pause() -> None:
    scene = FarScene(locate=lambda number, done: done(RoomPlace(True, OWNER)))
    ann, (front, _) = scene.enter("ann"), scene.clusters
    number = scene.room(ann)
    front.replication.drop(number)
    scene.is_leased = False  # it returns whatever is about rooms
    ann.send(Watch(id=2, room=number))
    before = front.forwarding.forwarded
    scene.wait(1_000)
    assert 2 < front.forwarding.forwarded - before < 9
    scene.is_leased = True
    scene.wait(500)
    assert ann.last(RoomState).re == 2
