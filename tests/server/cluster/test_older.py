"""A server that was stopped and woken shows nobody what is older than they have seen elsewhere."""

from __future__ import annotations

from collections.abc import Callable

from protocol.messages import Hello, MatchState, Play, RoomState, Welcome
from server.cluster.core.membership import MemberKey
from server.cluster.forwarding import RoomPlace
from server.cluster.line.signals import MemberGone
from tests.server.cluster.far_scene import FarScene

OWNER, THIRD = MemberKey(2, 1), MemberKey(3, 1)


def test_nothing_more_of_a_server_is_shown_once_another_says_that_it_is_gone() -> None:
    scene = FarScene()
    table = scene.match()
    front, _ = scene.clusters
    looks: list[None] = []
    front.look = lambda: looks.append(None)
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
    owner.hosting.is_leased = lambda: False
    tab = scene.connect()
    tab.say(Hello(version=1, token=table.ann.token))
    assert tab.last(Welcome).rooms == (table.room,)
    tab.say(Play(id=3, match=f"{table.room}.1", turn=table.turn, action="5"))
    assert tab.refusals() == [("room/moving", 3)]
    assert not tab.heard_of(RoomState)
    owner.hosting.is_leased = lambda: True
    owner.hosting.show_waiting()
    scene.pass_on()
    shown = tab.heard()
    assert next(message.room for message in shown if isinstance(message, RoomState)) == table.room
    assert next(message for message in shown if isinstance(message, MatchState)).legal


def test_the_log_is_asked_whose_a_room_is_that_a_server_which_is_gone_claimed_last() -> None:
    scene = FarScene()
    table = scene.match()
    front, _ = scene.clusters
    known = front.hub.rooms.far[table.room]
    front.hub.rooms.far[table.room] = known._replace(owner=THIRD)
    table.ann.say(table.play("5", id=1))
    assert table.ann.refusals() == [("room/moving", 1)]
    asked: list[int] = []

    def locate(number: int, done: Callable[[RoomPlace | None], None]) -> None:
        asked.append(number)
        done(RoomPlace(True, OWNER))

    front.forwarding.locate = locate
    table.ann.say(table.play("5", id=2))
    assert asked == [table.room]
    assert table.bob.last(MatchState).legal
