"""A crowd is served in slices, each connection in order."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from protocol import messages
from server.net.crowds import A_SLICE, Crowds
from server.rooms.peers import AT_ONCE
from tests.server.conftest import Opener
from tests.support.live_server import RawClient


class Spectator:
    """Counts how often it was served."""

    def __init__(self) -> None:
        self.served = 0

    def serve(self) -> None:
        """As Waiting says."""
        self.served += 1


class CountedTurns:
    """An event loop that makes a turn when it is told to."""

    def __init__(self) -> None:
        self.due: list[object] = []

    def call_soon(self, callback: object) -> None:
        """As of asyncio."""
        self.due.append(callback)

    def turn(self) -> None:
        """Call what is due now, and not what becomes due by it."""
        due, self.due = self.due, []
        for callback in due:
            cast("type", callback)()


def test_a_turn_of_the_loop_serves_a_slice_and_the_next_goes_on() -> None:
    loop = CountedTurns()
    crowds = Crowds(cast(asyncio.AbstractEventLoop, loop))
    everybody = [Spectator() for _ in range(2 * A_SLICE + 3)]
    for each in everybody:
        crowds.add(each)
    served = []
    while loop.due:
        loop.turn()
        served.append(sum(each.served for each in everybody))
    assert served == [A_SLICE, 2 * A_SLICE, 2 * A_SLICE + 3]
    crowds.add(everybody[0])
    loop.turn()
    assert everybody[0].served == 2
    assert not loop.due


@pytest.mark.socket
async def test_everybody_in_a_crowd_hears_all_in_order(open_server: Opener) -> None:
    server = await open_server()
    ann = await server.enter("ann")
    room = (await ann.ask(messages.Create(id=1, game="tic_tac_toe"), messages.RoomState)).room
    crowd: list[RawClient] = []
    for n in range(AT_ONCE + 6):
        spectator = await server.enter(f"eve {n}")
        await spectator.ask(messages.Watch(id=1, room=room), messages.RoomState)
        crowd.append(spectator)
    lines = [f"line {n}" for n in range(12)]
    for n, text in enumerate(lines):
        await ann.ask(messages.Say(id=10 + n, room=room, text=text), messages.Ok)
    for each in crowd:
        heard = [(await each.hear(messages.Said)).text for _ in lines]
        assert heard == lines
