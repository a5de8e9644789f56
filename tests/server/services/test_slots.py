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
