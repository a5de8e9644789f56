"""Who plays on a server that the one here does not reach is sent there."""

from __future__ import annotations

import pytest

from protocol import messages
from protocol.messages import Bye, MatchState, RoomState
from server.cluster.cluster import STRANDED_S
from server.core.orders import Close
from server.core.playing import RESUME_MS
from tests.server.cluster.far_scene import FarScene
from tests.server.scene import BLITZ, SceneMatch

WAIT_MS = round(1000 * STRANDED_S)


def test_who_sits_or_watches_where_there_is_no_line_to_is_sent_on() -> None:
    scene = FarScene()
    match = scene.match(watcher=True)
    eve, dan = match.eve, scene.enter("dan")
    front, owner = scene.clusters
    far = next(iter(front.servers))
    far.url = "ws://owner/ws"
    front.parted(owner.servers.me)
    scene.wait(WAIT_MS - 1)
    assert [player.heard_of(Bye) for player in (match.ann, match.bob, eve, dan)] == 4 * [[]]
    scene.wait(1)
    byes = [player.heard_of(Bye) for player in (match.ann, match.bob, eve, dan)]
    assert [[(bye.code, bye.at) for bye in each] for each in byes] == [
        *3 * [[("server/moving", "ws://owner/ws")]], []
    ]  # fmt: skip


def test_who_comes_back_is_sent_on_ever_more_seldom() -> None:
    scene = FarScene()
    match = scene.match()
    front, owner = scene.clusters
    front.parted(owner.servers.me)
    scene.wait(WAIT_MS)
    again = scene.enter(token=match.ann.token)
    scene.wait(2 * WAIT_MS - 1)
    assert not again.heard_of(Bye)
    scene.wait(1)
    assert len(again.heard_of(Bye)) == 1


def test_nobody_is_sent_on_once_there_is_a_line_or_the_server_is_gone() -> None:
    for is_gone in (False, True):
        scene = FarScene()
        match = scene.match()
        front, owner = scene.clusters
        front.parted(owner.servers.me)
        if is_gone:
            front.died(owner.servers.me)
        else:
            scene.lines.join(front, owner)
            scene.pass_on()
        scene.wait(10 * WAIT_MS)
        assert [player.heard_of(Bye) for player in (match.ann, match.bob)] == [[], []]


def test_who_watches_goes_on_doing_so_after_a_line_was_lost_for_a_moment() -> None:
    scene, match = _parted()
    front, owner = scene.clusters
    scene.lines.join(front, owner)
    scene.pass_on()
    scene.store.settle()
    watching = match.eve.heard()
    assert [type(message) for message in watching] == [RoomState, MatchState]
    match.ann.say(match.play("5"))
    players = (match.ann, match.bob, match.eve)
    assert [who.last(MatchState).position for who in players] == 3 * ["3/1x1/3 o"]
    assert match.eve.codes() == []


def test_who_watched_or_sat_hears_that_a_room_was_closed_while_there_was_no_line() -> None:
    scene, match = _parted()
    front, owner = scene.clusters
    scene.rooms.actors[match.room].tell(Close("by the host"), None, scene.now())
    scene.store.settle()
    scene.lines.join(front, owner)
    scene.pass_on()
    scene.store.settle()
    told = [who.codes() for who in (match.ann, match.bob, match.eve)]
    assert told == 3 * [["room/closed"]]
    assert match.room not in front.forwarding.watched


def test_who_watches_is_shown_the_room_once_its_server_may_show_it() -> None:
    for is_lost_again in (False, True):
        scene, match = _parted()
        front, owner = scene.clusters
        scene.is_leased = False  # it was stopped for a while
        scene.lines.join(front, owner)
        scene.pass_on()
        scene.wait(600)
        if is_lost_again:
            front.parted(owner.servers.me), owner.parted(front.servers.me)
            scene.wait(600)
            scene.lines.join(front, owner)
            scene.pass_on()
        scene.is_leased = True
        owner.hosting.show_waiting()
        scene.wait(600)
        match.ann.say(match.play("5"))
        seen = match.eve.heard()
        assert [type(message) for message in seen] == [RoomState, MatchState, MatchState]


def _parted() -> tuple[FarScene, SceneMatch]:
    """A match that somebody watches, and no line between the servers; nobody has read a word."""
    scene = FarScene()
    match = scene.match(watcher=True)
    front, owner = scene.clusters
    front.parted(owner.servers.me)
    owner.parted(front.servers.me)
    scene.store.settle()
    for who in (match.ann, match.bob, match.eve):
        who.heard()
    return scene, match


@pytest.mark.parametrize("way", ["the line is silent", "it is cut", "both"])
def test_who_is_behind_a_line_that_fails_is_charged_for_nothing_since_its_last_answer(
    way: str,
) -> None:
    scene = FarScene()
    match = scene.match(options=BLITZ)
    front, owner = scene.clusters
    (far,) = owner.servers
    assert far.outbox is not None
    scene.wait(10_000)
    far.outbox.reached = scene.now()
    scene.wait(49_999)
    if way != "it is cut":
        owner.silent(far.key)
        scene.wait(20_000)
        owner.silent(far.key)  # again, as nothing has come
    if way != "the line is silent":
        owner.parted(front.servers.me)
    else:
        scene.pass_on()
        clocks = match.bob.clocks()
        assert (clocks.paused, clocks.remaining) == ("server", (50_000, 60_000))
        owner.heard(far.key)
    if way != "the line is silent":
        front.parted(owner.servers.me)
        scene.lines.join(front, owner)
    scene.pass_on()
    clocks = match.ann.clocks()
    assert (clocks.paused, clocks.remaining) == (None, (50_000, 60_000))
    scene.wait(4_000)
    match.ann.ask(match.play("5", id=1), messages.Ok)
    assert match.bob.clocks().remaining == (46_000, 60_000)


def test_who_is_also_reached_another_way_pays_for_a_line_that_fails() -> None:
    scene = FarScene()
    match = scene.match(options=BLITZ)
    front, owner = scene.clusters
    scene.hub, hub = scene.owner, scene.hub
    scene.enter(token=match.ann.token)  # at the room's own server, too
    scene.hub = hub
    owner.silent(front.servers.me)
    scene.pass_on()
    actor = owner.hub.rooms.actors[match.room]
    playing = actor.room.playing()
    assert playing is not None
    assert playing.clock.paused is None


def test_a_turn_that_begins_while_the_line_is_silent_costs_nothing() -> None:
    scene = FarScene()
    match = scene.match(options=BLITZ)
    _, owner = scene.clusters
    (far,) = owner.servers
    assert far.outbox is not None
    far.outbox.reached = scene.now() - 700
    match.ann.ask(match.play("5", id=1), messages.Ok)
    scene.wait(300)
    owner.silent(far.key)
    scene.pass_on()
    clocks = match.bob.clocks()
    assert (clocks.paused, clocks.running, clocks.remaining[1]) == ("server", 1, 60_000)
    scene.wait(RESUME_MS + 1)
    assert match.bob.clocks().paused is None, "it has waited long enough"
