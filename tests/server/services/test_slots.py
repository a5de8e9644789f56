"""The slots of a bot: nobody's address can have all of them, and each of its people has one."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from protocol import messages, parts
from server.config import Config
from server.core.absence import REST_MS
from tests.server.scene import Scene


def test_the_last_slots_of_a_bot_are_for_addresses_that_hold_none_of_it() -> None:
    scene = Scene()
    scene.enter("greta", bot=parts.BotInfo(program="shrug", slots=16))

    def calls(address: str) -> int:
        """How many slots an address gets, whatever it does."""
        granted = 0
        for _ in range(4):
            player = scene.enter(address=address)
            for _ in range(4):
                call = messages.Invite(id=1, room=scene.room(player), who="shrug")
                granted += isinstance(player.ask(call, messages.Push), messages.Ok)
        return granted

    assert [calls(f"198.51.100.{n}") for n in range(6)] == [12, 1, 1, 1, 1, 0]


HOUSE = ("mcts", "minimax", "flat", "hybrid", "solver")


def test_sixty_behind_one_address_all_play_a_bot_at_once_and_others_still_can() -> None:
    scene = Scene()
    scene.lobby.names.own_house(["token"], "token", scene.now())
    bots = [
        scene.enter(token="token", bot=parts.BotInfo(program=name, slots=16, levels=8))
        for name in HOUSE
    ]
    school, level = "198.51.100.7", parts.Strength(level=4)
    pupils = [scene.enter(address=school) for _ in range(60)]
    rooms = [scene.room(pupil) for pupil in pupils]
    for pupil, room in zip(pupils, rooms, strict=True):
        calls = [
            messages.Invite(id=1, room=room, who=who, strength=level)
            for who in ("house/mcts", "house")
        ]
        if isinstance(pupil.ask(calls[0], messages.Push), messages.Error):
            pupil.ask(calls[1], messages.Ok)
        pupil.say(messages.Ready(room=room))
    for bot in bots:
        for invited in bot.heard_of(messages.Invited):
            bot.say(messages.Join(room=invited.room))
            bot.say(messages.Ready(room=invited.room))
    assert all(pupil.last(messages.MatchState).legal for pupil in pupils)
    more = messages.Invite(id=2, room=scene.room(pupils[0]), who="house", strength=level)
    no = pupils[0].ask(more, messages.Error)
    assert no.text == "60 bots play with people at your address already; try again in a while"
    stranger = scene.enter(address="203.0.113.9")
    call = messages.Invite(id=1, room=scene.room(stranger), who="mcts")
    stranger.ask(call, messages.Ok)
    scene.wait(REST_MS + 10)  # no pupil has moved
    pupils[0].ask(more, messages.Ok)


def test_the_house_sends_a_bot_of_the_level_that_is_asked_for_if_it_has_one_to_spare() -> None:
    scene = Scene()
    scene.lobby.names.own_house(["token"], "token", scene.now())
    able, weak = (
        scene.enter(token="token", bot=parts.BotInfo(program=name, slots=1, levels=levels))
        for name, levels in (("mcts", 8), ("random", 0))
    )
    ann = scene.enter("ann")
    best = parts.Strength(level=8)
    call = messages.Invite(id=1, room=scene.room(ann), who="House", strength=best)
    ann.ask(call, messages.Ok)
    assert (len(able.heard_of(messages.Invited)), weak.heard_of(messages.Invited)) == (1, [])
    assert (
        scene.enter("bob").refused(messages.Invite(id=1, room=call.room, who="house"))
        == "room/not-seated"
    )
    other = messages.Invite(id=2, room=scene.room(ann), who="house", strength=call.strength)
    assert ann.refused(other) == "invite/busy"
    no = ann.ask(replace(other, strength=parts.Strength()), messages.Error)
    assert no.code == "invite/no-such-player"


def test_a_match_that_rests_takes_no_slot_nor_one_of_its_address_also_after_a_restart() -> None:
    scene = Scene(Config(bots_per_session=3, bots_per_address=1))
    bot = scene.enter("greta", bot=parts.BotInfo(program="shrug", slots=1))
    ann = scene.enter("ann", address="198.51.100.7")

    def begin() -> int:
        room = scene.room(ann)
        ann.ask(messages.Invite(id=1, room=room, who="shrug"), messages.Ok)
        bot.say(messages.Join(room=room))
        for player in (bot, ann):
            player.say(messages.Ready(room=room))
        return room

    def call() -> messages.Invite:
        return messages.Invite(id=1, room=scene.room(ann), who="shrug")

    first = begin()
    assert ann.refused(call()) == "invite/busy"
    scene.wait(REST_MS + 10)
    second = begin()
    assert ann.last(messages.MatchState).legal
    state = scene.rooms.actors[first].room.match
    assert state is not None
    ann.say(messages.Play(match=state.name, turn=state.turn, action="5"))  # back in the first
    assert ann.last(messages.RoomState).rests is False
    scene.wait(REST_MS + 10)
    assert ann.refused(call()) == "invite/busy"  # its bot is to move
    for lazy in (True, False):
        scene = scene.again(lazy)
        bot = scene.enter(token=bot.token, bot=parts.BotInfo(program="shrug", slots=2))
        ann = scene.enter(token=ann.token)
        assert scene.rooms.room(second) is not None
        line = ann.ask(messages.Lobby(id=1), messages.LobbyList).bots[0]
        assert line.free == 1  # the second rests


def test_a_bot_with_few_slots_keeps_none() -> None:
    scene = Scene()
    scene.enter("greta", bot=parts.BotInfo(program="shrug", slots=2))
    for _ in range(2):
        player = scene.enter(address="198.51.100.7")
        player.ask(messages.Invite(id=1, room=scene.room(player), who="shrug"), messages.Ok)


@pytest.mark.parametrize("is_left", [True, False])
def test_no_slot_is_held_for_a_room_that_is_closed_or_full(is_left: bool) -> None:
    scene = Scene()
    bot = scene.enter("greta", bot=parts.BotInfo(program="shrug", slots=1))
    ann, bob = scene.enter("ann"), scene.enter("bob")
    room, other = scene.room(ann), scene.room(bob)
    ann.say(messages.Invite(room=room, who="shrug"))
    assert bob.refused(messages.Invite(id=1, room=other, who="shrug")) == "invite/busy"
    if is_left:
        ann.say(messages.Leave(room=room))
    else:
        scene.enter("cat").ask(messages.Join(id=1, room=room), messages.RoomState)
    no = bot.refused(messages.Join(id=1, room=room))
    assert no == ("room/closed" if is_left else "room/full")
    bob.ask(messages.Invite(id=2, room=other, who="shrug"), messages.Ok)
    bot.ask(messages.Join(id=2, room=other), messages.RoomState)


CROSSING: dict[str, tuple[str, messages.Request]] = {
    "the inviter leaves": ("ann", messages.Leave(room=1)),
    "the inviter gets up": ("ann", messages.Kick(room=1, seat=0)),
    "the inviter is ready": ("ann", messages.Ready(room=1)),
    "somebody else sits down": ("cat", messages.Join(room=1)),
    "the bot declines": ("greta", messages.Decline(room=1)),
    "the bot comes": ("greta", messages.Join(room=1)),
    "the bot comes and goes": ("greta", messages.Leave(room=1)),
    "the inviter invites once more": ("ann", messages.Invite(room=1, who="shrug")),
}


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("what", CROSSING)
def test_whatever_crosses_an_invitation_no_slot_is_held_for_nobody(what: str, order: int) -> None:
    scene = Scene()
    bot = parts.BotInfo(program="shrug", slots=1)
    players = {name: scene.enter(name) for name in ("ann", "cat")}
    players["greta"] = scene.enter("greta", bot=bot)
    assert scene.room(players["ann"]) == 1
    who, request = CROSSING[what]
    if what == "the bot comes and goes":
        players["greta"].send(messages.Join(room=1))
    crossing = [("ann", messages.Invite(room=1, who="shrug")), (who, request)]
    for name, each in crossing[::order]:
        players[name].send(each)  # the next one comes before this one is stored
    scene.store.settle()
    for presence in scene.hub.lobby.present.values():
        for number in presence.held:
            assert None in scene.rooms.actors[number].room.seats
        for number in presence.rooms:
            assert scene.rooms.actors[number].room.seat_of(presence.who) is not None
    for peer in (players["ann"].peer, players["greta"].peer):
        assert peer.state == "open"
    if 1 not in scene.rooms.actors:  # it is free for others at once
        other = scene.room(players["cat"])
        players["cat"].ask(messages.Invite(id=9, room=other, who="shrug"), messages.Ok)
