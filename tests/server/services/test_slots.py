"""The slots of a bot: nobody's address can have all of them."""

from __future__ import annotations

import pytest

from protocol import messages, parts
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
