"""How many rooms there are: of one owner, from one address, and what gives way in a full house."""

from __future__ import annotations

import pytest

from protocol import messages, parts
from server.config import Config
from server.core.absence import DAY_MS
from server.core.names.register import GUEST_KEPT_MS
from server.core.playing import VACANT_MS
from server.rooms.admission import CANDIDATES_MS
from server.sessions import FORGET_MOST, FORGET_NEXT_MS
from tests.server.scene import Scene, SceneMatch

HOST = messages.Create(id=1, game="tic_tac_toe", seat=None)
TOO_MANY = "lobby/too-many-rooms"


def test_rooms_that_were_opened_and_left_are_closed_soon_and_after_a_restart_as_well() -> None:
    for restarted in (False, True):
        scene = Scene()
        for _ in range(20):
            guest = scene.enter()
            for _ in range(5):
                scene.room(guest)
            guest.go()
        scene = scene.again() if restarted else scene
        assert len(scene.rooms.actors) == 100
        scene.wait(VACANT_MS + 10)
        assert (scene.rooms.actors, scene.lobby.present) == ({}, {})


def test_one_address_opens_so_many_rooms_whatever_it_calls_itself() -> None:
    scene = Scene(Config(rooms_per_address=3))
    stranger = [scene.enter(address="198.51.100.7") for _ in range(2)]
    rooms = [scene.room(stranger[0]), scene.room(stranger[1]), scene.room(stranger[1])]
    assert [guest.refused(HOST) for guest in stranger] == [TOO_MANY] * 2
    scene.room(scene.enter("ann", address="198.51.100.8"))
    stranger[0].say(messages.Leave(room=rooms[0]))
    assert stranger[1].ask(HOST, messages.RoomState).state == "waiting"
    assert stranger[0].refused(HOST) == TOO_MANY


def test_a_network_opens_some_times_as_many_rooms_and_takes_some_times_as_many_names() -> None:
    scene = Scene(Config(rooms_per_address=3, names_per_address=2))
    neighbours = [f"2001:db8:0:{n:x}::/64" for n in range(4)]
    for address in neighbours[:2]:  # of one /56, which may have twice as many
        guest = scene.enter(address=address)
        for _ in range(3):
            scene.room(guest)
    guest = scene.enter(address=neighbours[2])
    refusal = guest.ask(HOST, messages.Error)
    assert (refusal.code, "your network 2001:db8::/56" in refusal.text) == (TOO_MANY, True)
    scene.room(scene.enter("ann", address="2001:db8:0:100::/64"))
    scene.enter(address=neighbours[2])
    late = scene.connect(address=neighbours[3])
    late.say(messages.Hello(version=1))
    assert late.codes() == ["session/too-many-names"]


def test_all_programs_of_an_owner_share_a_number_of_rooms_also_after_a_restart() -> None:
    scene = Scene(Config(rooms_per_session=2))
    ann = scene.enter("ann")
    bot = scene.enter(token=ann.token, bot=parts.BotInfo(program="shrug"))
    bot.heard()
    scene.room(ann)
    scene.room(bot)
    assert [player.refused(HOST) for player in (ann, bot)] == [TOO_MANY] * 2
    scene = scene.again()
    assert scene.enter(token=ann.token).refused(HOST) == TOO_MANY


def test_in_a_full_house_who_is_away_gives_way_first_then_what_was_never_played() -> None:
    scene = Scene(Config(rooms=3))
    at = scene.match()
    ann, cat = scene.enter("anna"), scene.enter("cat")
    waiting = scene.room(ann)
    scene.wait(10)
    left = scene.room(cat)
    cat.go()
    new = scene.room(scene.enter("dan"))
    assert scene.rooms.actors.keys() == {at.room, waiting, new}
    assert scene.store.kinds(left)[-1] == "closed"
    ann.heard()
    newer = scene.room(scene.enter("eve"))
    assert scene.rooms.actors.keys() == {at.room, new, newer}
    assert ann.last(messages.RoomState).state == "closed"


def test_a_match_gives_way_to_nobody_nor_do_two_who_have_played() -> None:
    scene = Scene(Config(rooms=1))
    at = scene.match()
    dan = scene.enter("dan")
    assert dan.refused(HOST) == TOO_MANY
    at.bob.say(messages.Resign(match=at.name))
    assert dan.refused(HOST) == TOO_MANY
    for player in (at.ann, at.bob):
        player.go()
    scene.wait(10)
    assert dan.ask(HOST, messages.RoomState).state == "waiting"


def left_match(scene: Scene, plies: int, options: parts.Options | None = None) -> SceneMatch:
    """A match that somebody looks on at, and that both players leave after so many actions."""
    at = scene.match(watcher=True, options=options)
    for ply in range(plies):
        match = scene.rooms.actors[at.room].room.match
        assert match is not None
        mover = (at.ann, at.bob)[ply % 2]
        mover.say(messages.Play(match=at.name, turn=match.turn, action=str(ply + 1)))
    for player in (at.ann, at.bob):
        player.go()
    return at


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("plies", [0, 3])
def test_a_match_that_both_have_left_soon_gives_way_after_a_minute(
    plies: int, restarted: bool
) -> None:
    scene = Scene(Config(rooms=1))
    at = left_match(scene, plies)
    scene = scene.again() if restarted else scene
    dan = scene.enter("dan")
    assert dan.refused(HOST) == TOO_MANY
    scene.wait(VACANT_MS)
    assert dan.ask(HOST, messages.RoomState).state == "waiting"
    assert scene.store.kinds(at.room)[-2:] == ["ended", "closed"]


DAYS = parts.Options(clock=parts.ClockOptions(per_move_days=3))


@pytest.mark.parametrize(("plies", "options"), [(4, None), (0, DAYS), (4, DAYS)])
def test_a_match_that_no_clock_ends_soon_gives_way_after_a_day(
    plies: int, options: parts.Options | None
) -> None:
    scene = Scene(Config(rooms=1))
    left_match(scene, plies, options)
    dan = scene.enter("dan")
    scene.wait(DAY_MS - 10)
    assert dan.refused(HOST) == TOO_MANY
    scene.wait(20)
    assert dan.ask(HOST, messages.RoomState).state == "waiting"


def test_a_match_whose_only_person_has_left_it_to_a_bot_gives_way_though_the_bot_is_there() -> None:
    scene = Scene(Config(rooms=1))
    ann, dan = scene.enter("ann"), scene.enter("dan")
    room = scene.room(ann)
    bot = scene.enter("greta", bot=parts.BotInfo(program="shrug"))
    bot.say(messages.Join(room=room))
    for player in (bot, ann):
        player.say(messages.Ready(room=room))
    scene.wait(VACANT_MS)
    assert dan.refused(HOST) == TOO_MANY
    ann.go()
    scene.wait(VACANT_MS)
    assert dan.ask(HOST, messages.RoomState).state == "waiting"


def test_those_who_crowd_the_house_give_way_before_somebody_who_waits_alone() -> None:
    scene = Scene(Config(rooms=4))
    ann = scene.room(scene.enter("ann", address="198.51.100.8"))
    stranger = scene.enter(address="198.51.100.7")
    crowd = []
    for _ in range(3):
        scene.wait(10)
        crowd.append(scene.room(stranger))
    unknown = messages.Create(id=1, game="go")
    assert stranger.refused(unknown) == "lobby/unknown-game"
    assert scene.rooms.actors.keys() == {ann, *crowd}  # nobody gives way to nothing
    new = scene.room(scene.enter("bob", address="198.51.100.9"))
    assert scene.rooms.actors.keys() == {ann, new, *crowd[1:]}


def test_what_is_asked_for_while_a_room_gives_way_finds_another_one() -> None:
    scene = Scene(Config(rooms=2))
    rooms = [scene.room(scene.enter(name)) for name in ("ann", "bob")]
    new = [scene.enter(name) for name in ("cat", "dan")]
    for player in new:
        player.send(HOST)
    scene.store.settle()
    assert [scene.store.kinds(room)[-1] for room in rooms] == ["closed", "closed"]
    assert len(scene.rooms.actors) == 2


def test_of_those_noted_none_gives_way_who_is_back_by_then() -> None:
    scene = Scene(Config(rooms=4))
    owners = [scene.enter(name) for name in ("anna", "berta", "clara", "doro")]
    rooms = [scene.room(owner) for owner in owners]
    for owner in owners[:3]:
        owner.go()
        scene.wait(10)
    stranger = scene.enter(address="198.51.100.7")
    first = scene.room(stranger)
    assert scene.rooms.actors.keys() == {*rooms[1:], first}
    scene.enter(token=owners[1].token).say(messages.Watch(id=1, room=rooms[1]))
    second = scene.room(stranger)
    assert scene.rooms.actors.keys() == {rooms[1], rooms[3], first, second}
    scene.wait(CANDIDATES_MS + 1)  # the stranger has opened most, but is away from one of them
    stranger.say(messages.Leave(room=first))
    new = [scene.room(scene.enter("eve")), scene.room(scene.enter("finn"))]
    assert scene.rooms.actors.keys() == {rooms[1], rooms[3], *new}


@pytest.mark.slow
def test_a_hundred_thousand_rooms_made_and_abandoned_leave_nothing_behind() -> None:
    scene = Scene()
    own, guests = 50, 2_000
    most = 0
    for number in range(guests):
        guest = scene.enter(address=f"198.51.{number % 200}.7")
        for _ in range(own):
            scene.room(guest)
        guest.go()
        scene.wait(VACANT_MS // 60)
        most = max(most, len(scene.rooms.actors))
    assert scene.rooms.last_number == own * guests
    assert most < scene.config.rooms  # so nobody had to give way, and nobody was refused
    scene.room(scene.enter("ann", address="203.0.113.5"))
    scene.wait(VACANT_MS + 10)
    assert len(scene.rooms.actors) == 1  # hers, who is still here
    assert [presence.who.name for presence in scene.lobby.present.values()] == ["ann"]
    scene.wait(GUEST_KEPT_MS)
    for number in range(guests // FORGET_MOST + 1):
        scene.enter(f"newcomer {number}")  # each visit forgets some who hold nothing
        scene.wait(FORGET_NEXT_MS)
    assert not [name for name in scene.lobby.names.by_name if name.startswith("guest")]
