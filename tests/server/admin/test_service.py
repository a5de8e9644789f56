"""What a host does to those who are here, in a scene: stored first, then seen by all."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from protocol import messages as wire
from protocol.errors import Refusal
from server.admin.core.views import Done, Listing
from server.admin.service import AdminService
from server.net.addresses import address_of
from tests.server.scene import Player, Scene


class Host:
    """Whoever governs the server of a scene."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.stopped = 0
        self.service = AdminService(scene.hub, self.stop)

    def stop(self) -> None:
        self.stopped += 1

    def answer(self, verb: str, **fields: str) -> Done | Listing | Refusal:
        """The answer, once what was asked is stored."""
        answers: list[Done | Listing | Refusal] = []
        given = {name.rstrip("_"): value for name, value in fields.items()}
        self.service.ask(verb, given, "127.0.0.1", answers.append)
        self.scene.store.settle()
        (answer,) = answers
        return answer

    def does(self, verb: str, **fields: str) -> str:
        answer = self.answer(verb, **fields)
        assert isinstance(answer, Done), answer
        return answer.text

    def refused(self, verb: str, **fields: str) -> str:
        answer = self.answer(verb, **fields)
        assert isinstance(answer, Refusal), answer
        return str(answer.code)

    def sees(self, verb: str, **fields: str) -> list[dict[str, object]]:
        answer = self.answer(verb, **fields)
        assert isinstance(answer, Listing), answer
        return [dict(row) for row in msgspec.to_builtins(answer.rows)]


@pytest.fixture
def scene() -> Iterator[Scene]:
    scene = Scene()
    yield scene
    scene.close()


@pytest.fixture
def host(scene: Scene) -> Host:
    return Host(scene)


def coming(scene: Scene, address: str, **hello: str) -> Player:
    """Somebody who says hello from an address."""
    player = scene.connect()
    player.transport.origin = address_of(address)
    player.say(wire.Hello(id=1, version=wire.VERSION, **hello))  # type: ignore[arg-type]
    return player


def test_a_banned_name_is_sent_away_and_stays_away_over_a_restart(scene: Scene, host: Host) -> None:
    eve, bob = scene.enter("Eve"), scene.enter("bob")
    eve.heard()
    assert host.does("ban", target="eve", why="cheating") == "eve is banned; 1 connection ended"
    (bye,) = eve.heard_of(wire.Bye)
    assert (bye.code, bye.text) == ("session/banned", "you are banned from this server: cheating")
    assert eve.transport.ended == (1008, "session/banned")
    assert bob.transport.ended is None
    eve.go()
    later = scene.again()
    (bye,) = coming(later, "192.0.2.9", token=eve.token).heard()
    assert isinstance(bye, wire.Bye)
    assert (bye.code, bye.re) == ("session/banned", 1)
    assert later.enter(token=bob.token).peer.state == "open"
    assert Host(later).does("unban", target="Eve") == "Eve is unbanned"
    assert coming(later, "192.0.2.9", token=eve.token).peer.state == "open"
    later.close()


def test_a_banned_address_lets_nobody_in_and_runs_out(scene: Scene, host: Host) -> None:
    ann = coming(scene, "2001:db8::17", name="ann")
    host.does("ban", target="2001:db8::1", for_="1h")
    assert ann.codes() == ["session/banned"]
    assert coming(scene, "2001:db8::ffff", name="new").codes() == ["session/banned"]
    assert "new" not in scene.lobby.names.by_name, "it has taken no name"
    assert coming(scene, "2001:db8:0:1::1", name="new").peer.state == "open"
    ((ban,),) = [host.sees("bans")]
    assert (ban["target"], ban["for_ms"]) == ("2001:db8::/64", 3_600_000)
    scene.wait(3_600_000)
    assert coming(scene, "2001:db8::17", name="late").peer.state == "open"
    assert host.sees("bans") == []


def test_a_name_that_nobody_has_yet_can_be_banned(scene: Scene, host: Host) -> None:
    host.does("ban", target="mallory")
    mallory = coming(scene, "192.0.2.9", name="Mallory")
    assert mallory.codes() == ["session/banned"]
    assert "mallory" not in scene.lobby.names.by_name


def test_who_is_banned_while_the_hello_is_being_stored_is_not_let_in(
    scene: Scene, host: Host
) -> None:
    eve = scene.connect()
    eve.send(wire.Hello(id=1, version=wire.VERSION, name="eve"))
    assert eve.peer.state == "greeting"
    host.does("ban", target="eve")
    assert eve.codes() == ["session/banned"]


def test_a_muted_player_plays_and_says_nothing(scene: Scene, host: Host) -> None:
    match = scene.match()
    host.does("mute", target="ann", why="rude", for_="10min")
    say = wire.Say(id=2, room=match.room, text="hello")
    error = match.ann.ask(say, wire.Error)
    assert error.code == "chat/muted"
    assert error.text == "you are muted on this server for 10 min: rude"
    rename = wire.RoomRename(id=2, room=match.room, name="hello")
    assert match.ann.ask(rename, wire.Error) == error
    match.ann.ask(match.play("5", 3), wire.Ok)
    match.bob.ask(wire.Say(id=1, room=match.room, text="hello"), wire.Ok)
    assert [row["name"] for row in host.sees("who") if row.get("muted")] == ["ann"]
    host.does("unmute", target="ann")
    match.ann.ask(wire.Say(id=4, room=match.room, text="hello"), wire.Ok)
    assert host.refused("unmute", target="ann") == "admin/not-restricted"


def test_who_is_kicked_may_come_back(scene: Scene, host: Host) -> None:
    bob = scene.enter("bob")
    bob.heard()
    assert host.refused("kick", name="eve") == "admin/nobody"
    assert host.does("kick", name="Bob", why="a test") == "1 connection of Bob ended"
    assert bob.codes() == ["session/kicked"]
    bob.go()
    assert scene.enter(token=bob.token).peer.state == "open"


def test_who_takes_a_released_name_after_a_restart_is_somebody_else(
    scene: Scene, host: Host
) -> None:
    _, ann = scene.gather("ann")
    host.does("release", name="ann")
    later = scene.again()
    assert later.enter("ann").peer.me().session > ann.peer.me().session  # so its past is its own
    later.close()


def test_a_released_name_is_anybodys_and_its_token_is_worth_nothing(
    scene: Scene, host: Host
) -> None:
    _, ann = scene.gather("ann")
    assert host.does("release", name="Ann") == "the name ann is free; 1 connection ended"
    assert ann.codes()[-1] == "session/released"
    assert coming(scene, "192.0.2.1", token=ann.token).codes() == ["session/bad-token"]
    assert scene.enter("ann").peer.me().session != ann.peer.me().session
    assert host.refused("release", name="nobody") == "admin/nobody"
    later = scene.again()
    assert [name for name in later.lobby.names.by_name if name == "ann"] == ["ann"]
    assert coming(later, "192.0.2.1", token=ann.token).codes() == ["session/bad-token"]
    later.close()


def test_a_closed_room_ends_its_match_void_and_says_why(scene: Scene, host: Host) -> None:
    match = scene.match(watcher=True)
    (row,) = host.sees("rooms")
    assert (row["room"], row["state"], row["seats"]) == (match.room, "playing", ("ann", "bob"))
    assert row["following"] == 3
    assert host.does("close", room=str(match.room), why="a test") == f"room {match.room} is closed"
    scene.store.settle()
    heard = match.eve.heard()
    (notice,) = [m.text for m in heard if isinstance(m, wire.Notice)]
    assert notice == f"The host has closed room {match.room}: a test."
    assert [m.state for m in heard if isinstance(m, wire.RoomState)][-1] == "closed"
    assert match.bob.result().how == "void"
    assert scene.store.kinds(match.room)[-1] == "closed"
    assert host.refused("close", room=str(match.room)) == "admin/no-room"


def test_all_rooms_that_a_name_or_a_network_has_opened_are_closed(scene: Scene, host: Host) -> None:
    ann = scene.enter("ann", address="2001:db8::/64")
    eve = scene.enter("eve", address="2001:db8:0:7::/64")
    hers, other = [scene.room(ann), scene.room(ann)], scene.room(eve)
    assert host.sees("rooms")[0]["address"] == "2001:db8:0:7::/64"
    assert host.refused("close", of="nobody") == "admin/no-room"
    assert host.refused("close") == host.refused("close", room="1", of="ann") == "admin/bad-field"
    assert host.does("close", of="Ann", why="spam") == "2 rooms of Ann closed"
    scene.store.settle()
    assert scene.rooms.actors.keys() == {other}
    assert [scene.store.kinds(room)[-1] for room in hers] == ["closed", "closed"]
    again = scene.room(ann)
    assert host.does("close", of="2001:db8::/56") == "2 rooms of 2001:db8::/56 closed"
    scene.store.settle()
    assert (scene.rooms.actors, again > other) == ({}, True)
    assert host.sees("log")[0]["text"] == "closed all rooms of 2001:db8::/56"
    assert host.refused("close", of="2001:db8::/56") == "admin/no-room"


def test_a_network_is_banned_as_one(scene: Scene, host: Host) -> None:
    host.does("ban", target="2001:db8::/56")
    inside, outside = "2001:db8:0:ff::/64", "2001:db8:0:100::/64"
    for address, codes in ((inside, ["session/banned"]), (outside, [])):
        player = scene.connect(address=address)
        player.say(wire.Hello(version=1))
        assert player.codes() == codes


def test_a_notice_reaches_all_and_for_a_while_those_who_come(scene: Scene, host: Host) -> None:
    ann, stranger = scene.enter("ann"), scene.connect()
    ann.heard()
    assert host.does("notice", text="tea at\nfive", for_="1h") == "1 connection told"
    assert [m.text for m in ann.heard_of(wire.Notice)] == ["tea at five"]
    assert stranger.heard() == []
    later = scene.again()
    assert [m.text for m in coming(later, "", name="bob").heard_of(wire.Notice)] == ["tea at five"]
    later.wait(3_600_000)
    assert coming(later, "", name="cyd").heard_of(wire.Notice) == []
    later.close()


def test_a_drained_house_begins_nothing_and_stops_with_the_last_match(
    scene: Scene, host: Host
) -> None:
    match = scene.match()
    room, dan = scene.gather("dan")
    assert host.does("drain") == "3 connections told; 1 match to wait for"
    assert dan.last(wire.Notice).text.startswith("The server is about to stop")
    create = wire.Create(id=3, game="tic_tac_toe")
    assert dan.refused(create) == "server/draining"
    assert dan.refused(wire.Ready(id=4, room=room)) == "server/draining"
    match.ann.ask(match.play("5", 3), wire.Ok)
    scene.wait(60_000)
    assert host.stopped == 0
    match.bob.ask(wire.Resign(id=1, match=match.name), wire.Ok)
    scene.wait(2_000)
    assert host.stopped == 1


def test_a_second_drain_stops_at_once(scene: Scene, host: Host) -> None:
    scene.match()
    host.does("drain")
    assert host.does("drain") == "the server stops now"
    scene.wait(1)
    assert host.stopped == 1


def test_a_match_without_its_players_waits_in_the_log_and_not_for_the_drain(
    scene: Scene, host: Host
) -> None:
    match = scene.match()
    match.ann.go()
    match.bob.go()
    assert host.does("drain") == "0 connections told; 0 matches to wait for"
    scene.wait(1_000)
    assert host.stopped == 1


def test_what_cannot_be_stored_does_not_happen(scene: Scene, host: Host) -> None:
    bob = scene.enter("bob")
    scene.store.broken = True
    assert host.refused("ban", target="bob") == "server/not-stored"
    assert bob.transport.ended is None
    scene.store.broken = False
    host.does("ban", target="bob")
    assert bob.transport.ended is not None


def test_the_servers_own_bots_are_nobodys_to_ban(scene: Scene, host: Host) -> None:
    for verb in ("ban", "mute"):
        assert host.refused(verb, target="House") == "admin/own"
    for verb in ("kick", "release"):
        assert host.refused(verb, name="house") == "admin/own"
    host.does("ban", target="127.0.0.1")
    assert coming(scene, "127.0.0.1", name="local").codes() == ["session/banned"]
    _, token = scene.lobby.names.own_house((), "T" * 43, scene.now())
    assert coming(scene, "127.0.0.1", token=token).peer.state == "open"


def test_every_act_stands_in_the_log_in_words(scene: Scene, host: Host) -> None:
    scene.enter("bob")
    host.does("mute", target="bob", for_="2h", why="rude")
    host.does("unmute", target="bob")
    host.does("notice", text="tea")
    host.does("drain")
    later = scene.again()
    rows = Host(later).sees("log", rows="3")
    assert [(row["seq"], row["text"]) for row in rows] == [
        (4, "let the server run dry"), (3, "told everybody: tea"), (2, "unmuted bob"),
    ]  # fmt: skip
    assert {row["by"] for row in rows} == {"127.0.0.1"}
    assert Host(later).sees("log")[-1]["text"] == "muted bob for 2 h: rude"
    later.close()


def test_the_host_sees_what_is_free_and_who_had_most_stored_lately(
    scene: Scene, host: Host
) -> None:
    scene.store.free = 10**9
    ann = scene.enter("ann", address="192.0.2.1")
    room = scene.room(ann)
    bob = scene.enter("bob", address="198.51.100.1")
    bob.say(wire.Watch(room=room))
    for _ in range(3):
        bob.say(wire.Say(room=room, text="x" * 400))
    rows = host.sees("disk")
    reserve = scene.config.disk_reserve_bytes
    assert rows[:2] == [
        {"of": "free", "size": 10**9, "limit": reserve}, {"of": "log", "size": 0, "limit": None},
    ]  # fmt: skip
    stored = rows[2:]
    assert {str(row["of"]) for row in stored[:2]} == {"198.51.100.1", "198.51.100.0/24"}
    day = scene.config.stored_bytes_per_address
    assert {row["of"]: row["limit"] for row in stored}["192.0.2.0/24"] == 8 * day
    assert int(str(stored[0]["size"])) > 1_200 > int(str(stored[-1]["size"])) > 0
