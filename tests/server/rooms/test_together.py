"""What one change of a room sends to the same connection goes out as one write."""

from __future__ import annotations

import pytest

from protocol import messages
from server.rooms.together import Together
from tests.server.conftest import Opener


class Held:
    """Notes when it was served."""

    def __init__(self, together: Together) -> None:
        self.together = together
        self.served: list[bool] = []

    def serve(self) -> None:
        """As Waiting says."""
        self.served.append(self.together.open)


def test_what_is_held_is_served_once_when_the_outermost_is_left() -> None:
    together = Together()
    held = Held(together)
    with together:
        with together:
            together.add(held)
        assert together.open
        assert held.served == []
    assert held.served == [False], "whatever is sent meanwhile is written at once"
    with together:
        pass
    assert len(held.served) == 1


def test_what_is_held_is_served_after_a_bug() -> None:
    together = Together()
    held = Held(together)

    def fail() -> None:
        with together:
            together.add(held)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert held.served == [False]
    assert not together.open


@pytest.mark.socket
async def test_a_match_that_begins_and_its_room_are_one_write_to_each(
    open_server: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = await open_server()
    ann, bob = await server.enter("ann"), await server.enter("bob")
    room = (await ann.ask(messages.Create(id=1, game="tic_tac_toe"), messages.RoomState)).room
    await bob.ask(messages.Join(id=1, room=room), messages.RoomState)
    await ann.ask(messages.Ready(id=2, room=room), messages.Ok)
    writes: list[bytes] = []
    transport = server.connection("ann").transport
    monkeypatch.setattr(transport, "write", writes.append)
    await bob.ask(messages.Ready(id=2, room=room), messages.Ok)
    assert len(writes) == 1
    assert writes[0].index(b"\xa4type\xa4room") < writes[0].index(b"\xa4type\xa5match")
