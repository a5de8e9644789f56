"""The lobby by its changes: who follows them has the same list as who asks for it anew."""

from __future__ import annotations

import random

from msgspec.structs import replace

from client.replica import Replica
from protocol import messages, parts
from protocol.lobby import bot_key
from server.config import PUSH, Config
from server.services.lobby_list import SHARE
from tests.server.scene import Player, Scene

CHANGES = messages.Lobby(id=9, follow="changes")
SHRUG = parts.BotInfo(program="shrug", slots=2)


class Follower:
    """Somebody who follows the changes, and a client's copy of what that person hears."""

    def __init__(self, scene: Scene, name: str, text: bool = False) -> None:
        self.player = scene.enter(name, text=text)
        self.player.heard()
        self.replica = Replica(name)
        self.replica.feed(self.player.ask(CHANGES, messages.LobbyList))

    def hear(self) -> list[messages.LobbyChanged | messages.LobbyList]:
        """What was pushed about the lobby since the last time; it is in the copy now."""
        news = []
        for message in self.player.heard():
            self.replica.feed(message)
            if isinstance(message, messages.LobbyChanged | messages.LobbyList):
                news.append(message)
        return news

    @property
    def lobby(self) -> messages.LobbyList:
        """The list as this client knows it; the order of bots is left open."""
        lobby = self.replica.lobby
        assert lobby is not None
        return replace(lobby, seq=None, bots=tuple(sorted(lobby.bots, key=bot_key)))


def asked(player: Player) -> messages.LobbyList:
    """The list as the server has it now; who asks so follows no more."""
    lobby = player.ask(messages.Lobby(id=8, follow=False), messages.LobbyList)
    return replace(lobby, re=None, bots=tuple(sorted(lobby.bots, key=bot_key)))


def test_who_follows_the_changes_hears_only_what_has_changed(scene: Scene) -> None:
    ann = scene.enter("ann")
    rooms = [scene.room(ann) for _ in range(20)]
    eve = Follower(scene, "eve")
    scene.wait(500)
    eve.hear()
    ann.say(messages.Leave(room=rooms[3]))
    new = scene.room(ann)
    assert eve.hear() == []
    scene.wait(250)
    (change,) = eve.hear()
    assert isinstance(change, messages.LobbyChanged)
    assert [line.room for line in change.rooms] == [new]
    assert (change.rooms_gone, change.total, change.bots) == ((rooms[3],), 20, ())
    scene.wait(5_000)
    assert eve.hear() == []  # nothing has changed
    assert eve.lobby == asked(eve.player)


def test_the_same_bytes_go_to_all_and_none_is_left_out(scene: Scene) -> None:
    first, second, third = (Follower(scene, name, name == "c") for name in ("a", "b", "c"))
    scene.wait(500)
    players = [each.player for each in (first, second, third)]
    for player in players:
        player.heard()
    scene.room(players[0])
    scene.wait(300)
    frames = [player.transport.frames[-1] for player in players]
    assert frames[0] is frames[1]
    assert frames[2].startswith(b"{")
    # No key: while a connection does not read, nothing takes the place of a change.
    assert [player.transport.keys[-1] for player in players] == [None] * 3


def test_who_comes_later_gets_the_list_that_the_next_change_belongs_to(scene: Scene) -> None:
    ann, eve = scene.enter("ann"), Follower(scene, "eve")
    scene.wait(500)
    eve.hear()
    room = scene.room(ann)
    bob = Follower(scene, "bob")  # before the others have been told of the room
    assert bob.lobby.rooms == ()
    ann.say(messages.Leave(room=room))
    other = scene.room(ann)
    scene.wait(300)
    assert eve.hear() == bob.hear()
    assert [line.room for line in bob.lobby.rooms] == [other]
    assert eve.lobby == bob.lobby == asked(ann)


def test_random_comings_and_goings_are_followed_to_the_letter(scene: Scene) -> None:
    """Also how far matches are, and slots, once it is asked for."""
    chance = random.Random(18)
    people = [scene.enter(f"p{n}") for n in range(6)]
    here: list[tuple[Player, int]] = []
    followers = [Follower(scene, "early")]
    for step in range(120):
        player = chance.choice(people)
        match chance.randrange(6):
            case 0 | 1 if len(here) < 12:
                here.append((player, scene.room(player)))
            case 2 if here:
                owner, room = here.pop(chance.randrange(len(here)))
                owner.say(messages.Leave(room=room))
            case 3 if here:
                owner, room = chance.choice(here)
                player.say(messages.Join(room=room))
                for each in (owner, player):
                    each.say(messages.Ready(room=room))
            case 4:
                scene.enter(bot=SHRUG, name=f"b{step}")
            case _:
                scene.wait(chance.randrange(400))
        for each in people:
            each.heard()
        if step == 60:
            followers.append(Follower(scene, "late", text=True))
    for each in followers:
        each.player.say(CHANGES)
    scene.wait(2_000)
    for each in followers:
        seqs = [news.seq for news in each.hear()]
        assert seqs == sorted(seqs)  # type: ignore[type-var]
        assert each.lobby == asked(each.player)


def test_where_all_is_new_the_whole_list_comes(scene: Scene) -> None:
    eve = Follower(scene, "eve")
    ann, cat = scene.enter("ann"), scene.enter("cat")
    rooms = [scene.room(ann) for _ in range(5)]
    scene.wait(1_000)
    eve.hear()
    for room in rooms:
        ann.say(messages.Leave(room=room))
    ann.go()
    scene.wait(1_000)
    news = eve.hear()
    assert [type(each) for each in news] == [messages.LobbyList]
    assert news[0].re is None
    assert eve.lobby == asked(cat)
    scene.room(scene.enter("bob"))
    scene.wait(1_000)
    eve.hear()
    assert eve.lobby == asked(cat)


def test_a_move_is_told_with_the_next_change_and_is_no_reason_for_one(scene: Scene) -> None:
    at = scene.match()
    eve = Follower(scene, "eve")
    scene.wait(1_000)
    eve.hear()
    at.ann.say(at.play("5"))
    scene.wait(5_000)
    assert eve.hear() == []
    scene.enter("bob 2")
    scene.wait(1_000)
    (change,) = eve.hear()
    assert [(line.room, line.ply) for line in change.rooms] == [(at.room, 1)]
    assert [line.name for line in change.people] == ["bob 2"]


def test_much_news_comes_less_often_and_without_how_far_matches_are() -> None:
    scene = Scene(Config(lobby_follower_bytes=100, lobby_bytes=1))
    at = scene.match()
    eve = Follower(scene, "eve")
    scene.wait(1_000)
    eve.hear()
    scene.room(scene.enter("cat"))
    scene.wait(250)
    assert len(eve.hear()) == 1  # of some 150 bytes: 100 a second may follow
    at.ann.say(at.play("5"))
    scene.room(scene.enter("dan"))
    scene.wait(500)
    assert eve.hear() == []
    scene.wait(4_000)
    (change,) = eve.hear()
    assert at.room not in [line.room for line in change.rooms]
    scene.wait(10_000)
    scene.room(scene.enter("fay"))
    scene.wait(300)
    (change,) = eve.hear()
    assert (at.room, 1) in [(line.room, line.ply) for line in change.rooms]
    scene.close()


def test_the_more_follow_the_longer_is_the_pause(scene: Scene) -> None:
    feed = scene.hub.services.lobby_feed
    crowd = 2_000
    feed._followers_of_changes |= {scene.hub.connected(_Deaf()) for _ in range(crowd)}
    eve = Follower(scene, "eve")
    for other in ("ann", "bob"):
        scene.enter(other)
        scene.wait(250)
    assert len(eve.hear()) == 1
    pause_ms = (crowd + 1) * PUSH / 1000 / SHARE
    assert 500 < pause_ms < 1_000
    scene.wait(int(pause_ms))
    assert len(eve.hear()) == 1
    assert feed.followers == crowd + 1


class _Deaf:
    """A transport of somebody who is far away."""

    origin = ""

    def frame(self, payload: bytes, text: bool) -> bytes:
        return payload

    def push(self, frame: bytes, key: str | None) -> None:
        pass

    push_in_turn = push

    def end(self, code: int, reason: str) -> None:
        pass

    def rest(self, ms: int) -> None:
        pass


def test_who_stops_following_or_goes_hears_no_more(scene: Scene) -> None:
    eve, bob = Follower(scene, "eve"), Follower(scene, "bob")
    eve.player.say(messages.Lobby(follow=False))
    bob.player.go()
    scene.wait(1_000)
    eve.hear()
    scene.room(scene.enter("ann"))
    scene.wait(1_000)
    assert eve.hear() == []
    assert scene.hub.services.lobby_feed.followers == 0
    assert scene.loop.pending() == 0
