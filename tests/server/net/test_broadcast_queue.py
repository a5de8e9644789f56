"""A crowd is served in slices, each connection in order."""

from __future__ import annotations

import asyncio
import itertools
from typing import cast

import pytest

from protocol import messages
from protocol.codec import encode
from server.net.broadcast_queue import A_SLICE, SLICES, BroadcastQueue
from server.rooms.peers import AT_ONCE
from tests.server.conftest import Opener
from tests.support.live_server import RawClient


class Spectator:
    """Counts how often it was served."""

    def __init__(self) -> None:
        self.served = 0

    def serve(self) -> None:
        """As Socket's."""
        self.served += 1


class WaitingLoop:
    """An event loop in which time passes when a test says so."""

    def __init__(self) -> None:
        self.due: list[object] = []

    def call_later(self, wait_s: float, callback: object) -> None:
        """As of asyncio."""
        assert wait_s > 0, "the loop comes to rest"
        self.due.append(callback)

    def rest(self) -> None:
        """Call what was waited with, and not what is waited with then."""
        due, self.due = self.due, []
        for callback in due:
            cast("type", callback)()


def served_by_slices(everybody: list[Spectator]) -> list[int]:
    """How many have been served after each slice, beginning with none."""
    loop = WaitingLoop()
    broadcasts = BroadcastQueue(cast(asyncio.AbstractEventLoop, loop))
    for each in everybody:
        broadcasts.add(each.serve)
    served = [sum(each.served for each in everybody)]
    while loop.due:
        loop.rest()
        served.append(sum(each.served for each in everybody))
    broadcasts.add(everybody[0].serve)
    loop.rest()
    assert everybody[0].served == 2
    assert not loop.due
    return served


def test_a_crowd_is_served_in_slices_with_a_rest_before_each() -> None:
    served = served_by_slices([Spectator() for _ in range(2 * A_SLICE + 3)])
    assert served == [0, A_SLICE, 2 * A_SLICE, 2 * A_SLICE + 3]


def test_slices_are_larger_if_more_wait() -> None:
    served = served_by_slices([Spectator() for _ in range(3 * SLICES * A_SLICE)])
    sizes = [after - before for before, after in itertools.pairwise(served)]
    assert sizes[0] == 3 * A_SLICE
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-2] == A_SLICE


@pytest.mark.socket
async def test_who_reads_is_told_everything_in_turn_and_nothing_is_hoarded(
    open_server: Opener,
) -> None:
    server = await open_server(held_messages=4)
    eve = await server.enter("eve")
    there = server.connection("eve")
    frames = [there.frame(encode(messages.Notice(text=f"{n}")), False) for n in range(16)]
    for n, frame in enumerate(frames):
        (there.push if n % 3 == 1 else there.push_in_turn)(frame, "17.1")
        assert len(there.held or ()) <= 4
    assert [(await eve.hear(messages.Notice)).text for _ in frames] == [
        f"{n}" for n in range(len(frames))
    ]


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
