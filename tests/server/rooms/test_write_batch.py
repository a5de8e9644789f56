"""What one change of a room sends to the same connection goes out as one write."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from protocol import messages
from server.net.sockets import Socket
from server.rooms.write_batch import WriteBatch
from tests.server.conftest import Opener
from tests.support.live_server import LiveServer, request_frame


class Reader:
    """Notes what it was written, and whether more was gathered then."""

    def __init__(self, batch: WriteBatch) -> None:
        self.batch = batch
        self.writes: list[tuple[list[bytes], bool]] = []

    def write_all(self, frames: Sequence[bytes]) -> None:
        """As Socket's."""
        self.writes.append((list(frames), self.batch.open))


def test_what_is_gathered_is_one_write_when_the_outermost_is_left() -> None:
    batch = WriteBatch()
    one, two = Reader(batch), Reader(batch)
    with batch:
        with batch:
            batch.add(one.write_all, b"a")
            batch.add(two.write_all, b"b")
        batch.add(one.write_all, b"c")
        assert batch.open
        assert one.writes == two.writes == []
    assert one.writes == [([b"a", b"c"], False)], "whatever is sent meanwhile is written at once"
    assert two.writes == [([b"b"], False)]
    with batch:
        pass
    assert len(one.writes) == len(two.writes) == 1


def test_what_is_gathered_is_written_before_a_goodbye_and_once() -> None:
    batch = WriteBatch()
    reader = Reader(batch)
    with batch:
        batch.add(reader.write_all, b"a")
        batch.write_now(reader.write_all)
        assert reader.writes == [([b"a"], True)]
        batch.write_now(reader.write_all)
    assert len(reader.writes) == 1


def test_what_is_gathered_is_written_after_a_bug() -> None:
    batch = WriteBatch()
    reader = Reader(batch)

    def fail() -> None:
        with batch:
            batch.add(reader.write_all, b"a")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert reader.writes == [([b"a"], False)]
    assert not batch.open


def written_to(connection: Socket, monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Have what is written to a connection from now on noted, and not sent."""
    writes: list[bytes] = []
    monkeypatch.setattr(connection.transport, "write", writes.append)
    return writes


@pytest.mark.socket
async def test_requests_that_come_at_once_are_answered_by_one_write(
    server: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = await server.enter("ann")
    writes = written_to(server.connection("ann"), monkeypatch)
    ann.send(request_frame(messages.Lobby(id=1, follow=False)) * 3)
    await server.until(lambda: b"".join(writes).count(b"\xa4type\xa5lobby") == 3)
    assert writes[0].count(b"\xa4type\xa5lobby") == 3


@pytest.mark.socket
async def test_a_goodbye_comes_behind_what_was_gathered(
    server: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    await server.enter("ann")
    there = server.connection("ann")
    writes = written_to(there, monkeypatch)
    with server.gateway.batch:
        there.push(b"\x82\x00", None)
        there.end(1000, "")
    assert b"".join(writes).startswith(b"\x82\x00\x88")


@pytest.mark.socket
async def test_a_match_that_begins_and_its_room_are_one_write_to_each(
    open_server: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = await open_server()
    ann, bob = await server.enter("ann"), await server.enter("bob")
    room = (await ann.ask(messages.Create(id=1, game="tic_tac_toe"), messages.RoomState)).room
    await bob.ask(messages.Join(id=1, room=room), messages.RoomState)
    await ann.ask(messages.Ready(id=2, room=room), messages.Ok)
    writes = written_to(server.connection("ann"), monkeypatch)
    await bob.ask(messages.Ready(id=2, room=room), messages.Ok)
    await server.until(lambda: b"\xa4type\xa5match" in b"".join(writes))
    assert len(writes) == 1
    assert writes[0].index(b"\xa4type\xa4room") < writes[0].index(b"\xa4type\xa5match")
