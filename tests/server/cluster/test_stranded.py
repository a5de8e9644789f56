"""Who plays on a server that the one here does not reach is sent there."""

from __future__ import annotations

from protocol.messages import Bye
from server.cluster.cluster import STRANDED_S
from tests.server.cluster.far_scene import FarScene

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
