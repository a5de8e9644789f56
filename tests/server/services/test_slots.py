"""The slots of a bot: nobody's address can have all of them."""

from __future__ import annotations

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
