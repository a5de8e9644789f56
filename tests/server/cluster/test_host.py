"""What a host asks of one server holds at all of them."""

from __future__ import annotations

import pytest

from protocol import codec, messages
from server.admin.core.views import Done
from server.admin.service import AdminService
from tests.server.cluster.far_scene import FarScene
from tests.server.scene import Player


class TwoHosts:
    """A scene of two servers, and the service of each: the front's and the owner's."""

    def __init__(self) -> None:
        self.scene = FarScene()
        self.stopped: list[str] = []
        self.front, self.owner = (
            self._service(n, name) for n, name in enumerate(("front", "owner"))
        )

    def _service(self, n: int, name: str) -> AdminService:
        cluster = self.scene.clusters[n]
        service = AdminService(cluster.hub, lambda: self.stopped.append(name))
        service.acted.append(cluster.host_acted)
        cluster.news.acted.append(service.catch_up)
        return service

    def does(self, service: AdminService, verb: str, **fields: str) -> str:
        answers: list[object] = []
        service.ask(verb, fields, "127.0.0.1", answers.append)
        self.scene.store.settle()
        (answer,) = answers
        assert isinstance(answer, Done), answer
        return answer.text

    def at_owner(self, name: str) -> Player:
        """Somebody who is connected where the rooms are."""
        hub, self.scene.hub = self.scene.hub, self.scene.owner
        player = self.scene.connect()
        self.scene.hub = hub
        self.scene.owner.receive(
            player.peer, codec.encode(messages.Hello(version=1, name=name)), False
        )
        self.scene.store.settle()
        player.heard()
        return player


@pytest.fixture
def hosts() -> TwoHosts:
    return TwoHosts()


def test_a_ban_holds_at_all_servers_and_ends_connections_there(hosts: TwoHosts) -> None:
    ann = hosts.scene.enter("ann")
    hosts.does(hosts.owner, "ban", target="ann", why="cheating")
    assert ann.codes() == ["session/banned"]
    assert ann.transport.ended == (1008, "session/banned")
    again = hosts.scene.connect()
    again.say(messages.Hello(version=1, token=ann.token))
    assert again.codes() == ["session/banned"]
    hosts.does(hosts.front, "unban", target="ann")
    hosts.scene.enter(token=ann.token)
    assert hosts.front.rules.seq == hosts.owner.rules.seq == 2


def test_somebody_is_sent_away_from_another_server(hosts: TwoHosts) -> None:
    ann, bob = hosts.scene.enter("ann"), hosts.at_owner("bob")
    assert hosts.does(hosts.owner, "kick", name="ann") == "1 connection of ann ended"
    assert hosts.does(hosts.front, "kick", name="bob") == "1 connection of bob ended"
    assert (ann.codes(), bob.codes()) == (["session/kicked"], ["session/kicked"])


def test_a_name_is_set_free_at_all_servers(hosts: TwoHosts) -> None:
    ann = hosts.scene.enter("ann")
    hosts.does(hosts.owner, "release", name="ann")
    assert ann.codes() == ["session/released"]
    bob = hosts.at_owner("ann")
    assert bob.peer.me().session > ann.peer.me().session


def test_a_word_reaches_everybody_and_a_room_is_closed_where_it_is(hosts: TwoHosts) -> None:
    ann, bob = hosts.scene.enter("ann"), hosts.at_owner("bob")
    room = hosts.scene.room(ann)
    hosts.does(hosts.owner, "notice", text="soup is ready")
    notices = [player.heard_of(messages.Notice) for player in (ann, bob)]
    assert [[notice.text for notice in each] for each in notices] == 2 * [["soup is ready"]]
    assert hosts.does(hosts.front, "close", room=str(room)) == f"room {room} is closed"
    assert ann.last(messages.RoomState).state == "closed"


def test_a_drain_is_the_whole_house_s(hosts: TwoHosts) -> None:
    hosts.does(hosts.front, "drain")
    hosts.scene.wait(2_000)
    assert sorted(hosts.stopped) == ["front", "owner"]


def test_what_could_not_be_read_is_followed_once_it_can(hosts: TwoHosts) -> None:
    front, owner = hosts.scene.clusters
    front.parted(owner.servers.me), owner.parted(front.servers.me)
    hosts.does(hosts.owner, "ban", target="ann")
    hosts.scene.store.broken = True
    hosts.scene.lines.join(front, owner)
    hosts.scene.pass_on()
    hosts.scene.store.settle()
    hosts.scene.store.broken = False
    assert hosts.front.rules.seq == 0
    hosts.scene.wait(2_000)
    assert hosts.front.rules.seq == 1


def test_a_server_that_heard_nothing_for_a_while_catches_up(hosts: TwoHosts) -> None:
    front, owner = hosts.scene.clusters
    front.parted(owner.servers.me), owner.parted(front.servers.me)
    hosts.does(hosts.owner, "ban", target="ann")
    hosts.does(hosts.owner, "mute", target="bob")
    hosts.scene.lines.join(front, owner)
    hosts.scene.pass_on()
    hosts.scene.store.settle()
    assert hosts.front.rules.seq == 2
    ann = hosts.scene.connect()
    ann.say(messages.Hello(version=1, name="ann"))
    assert ann.codes() == ["session/banned"]
