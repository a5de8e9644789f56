"""The client library when the network fails, and at its end, against a fake server."""

from __future__ import annotations

import asyncio

import pytest
from websockets.asyncio.server import ServerConnection, serve

from client.connection import Backoff, ConnectionOver, ProtocolError, Replaced, connect
from client.errors import LinkLost
from client.presence import FINAL
from protocol import messages
from protocol.codec import encode
from protocol.errors import Code
from tests.client.fake_server import (
    QUICK,
    FakeServer,
    lobby,
    refuse,
    reply,
    rest,
    room,
    silent,
    started,
    take,
)

pytestmark = pytest.mark.socket


@pytest.mark.parametrize("bye", [False, True], ids=["cut without a word", "cut after a bye"])
async def test_lost_connection_is_resumed_with_the_token(fake: FakeServer, bye: bool) -> None:
    seen: list[bool] = []
    async with connect(fake.url, name="ann", backoff=QUICK, on_link=seen.append) as connection:
        assert await take(connection) == connection.welcome
        if bye:
            fake.push(messages.Bye(code=Code.SERVER_CLOSING, text="stopping"))
            assert isinstance(await take(connection), messages.Bye)
        fake.cut()
        again = await take(connection)
        assert isinstance(again, messages.Welcome)
        assert again.token is None
        assert (connection.name, connection.token, connection.linked) == ("ann", "secret", True)
        assert await connection.ready(17) == messages.Ok(re=1, seq=7)
    assert [hello.token for hello in fake.hellos] == [None, "secret"]
    assert seen == [True, False, True, False]


async def test_watches_the_followed_lobby_and_an_unanswered_play_are_sent_again(
    fake: FakeServer,
) -> None:
    fake.answers = {messages.Watch: reply(room(23, seat=None)), messages.Lobby: reply(lobby())}
    fake.answers[messages.Play] = silent
    async with connect(fake.url, name="ann", backoff=QUICK) as connection:
        await connection.watch(code="QF7KDM")
        await connection.lobby()
        playing = await started(connection.play("17.1", 3, "5"), fake)
        del fake.answers[messages.Play]
        fake.cut()
        await take(connection)
        news = [await take(connection), await take(connection), await take(connection)]
        assert news == [connection.welcome, lobby(), room(23, seat=None)]
        assert await playing == messages.Ok(re=3, seq=7)
    assert fake.of(messages.Watch) == [messages.Watch(code="QF7KDM")] * 2
    assert fake.of(messages.Lobby) == [messages.Lobby(), messages.Lobby()]
    assert fake.of(messages.Play) == [messages.Play(match="17.1", turn=3, action="5")] * 2


async def test_watch_that_is_no_longer_granted_is_told_and_dropped(fake: FakeServer) -> None:
    fake.answers = {messages.Watch: reply(room(23, seat=None))}
    async with connect(fake.url, name="ann", backoff=QUICK) as connection:
        await connection.watch(23)
        fake.answers[messages.Watch] = refuse(Code.ROOM_CLOSED, "closed")
        fake.cut()
        assert await take(connection, messages.Error) == messages.Error(
            code=Code.ROOM_CLOSED, text="closed"
        )
        fake.cut()
        await fake.until(lambda: len(fake.hellos) == 3)
        await connection.ready(17)
    assert len(fake.of(messages.Watch)) == 2


@pytest.mark.parametrize("code", sorted(FINAL))
async def test_some_goodbyes_are_final(fake: FakeServer, code: Code) -> None:
    fake.answers[messages.Play] = silent
    async with connect(fake.url, name="ann", backoff=QUICK) as connection:
        playing = await started(connection.play("17.1", 3, "5"), fake)
        fake.push(messages.Bye(code=code, text="another one"))
        assert isinstance((await rest(connection))[-1], messages.Bye)
        assert isinstance(connection.reason, Replaced)
        assert connection.reason.code == code
        with pytest.raises(Replaced, match="another one"):
            await playing
        with pytest.raises(Replaced, match="another one"):
            await connection.ready(17)
        with pytest.raises(Replaced):
            connection.send(messages.Say(room=17, text="x"))
        await fake.until(lambda: fake.guests == 0)
    assert len(fake.hellos) == 1


async def test_server_that_answers_no_ping_is_left(
    fake: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for limit in ("PING_S", "CLOSE_S"):
        monkeypatch.setattr(f"client.connection.{limit}", 0.05)
    async with connect(fake.url, name="ann", backoff=QUICK) as connection:
        await take(connection)
        monkeypatch.undo()  # the next server may be as slow as this machine is
        fake.mute()
        assert isinstance(await take(connection), messages.Welcome)
        assert isinstance(connection.trouble, LinkLost)


async def test_nonsense_from_the_server_costs_the_connection_only(fake: FakeServer) -> None:
    async with connect(fake.url, name="ann", backoff=QUICK) as connection:
        await take(connection)
        fake.push_raw(b"\xc1")
        assert isinstance(await take(connection), messages.Welcome)
        assert isinstance(connection.trouble, ProtocolError)


async def test_reply_that_cannot_be_read_fails_its_request_only_once(fake: FakeServer) -> None:
    fake.answers[messages.Lobby] = silent
    async with connect(fake.url, name="ann", text=True, backoff=QUICK) as connection:
        listing = await started(connection.lobby(), fake)
        fake.push_raw('{"type": "lobby", "re": 1, "rooms": 5}')
        with pytest.raises(ProtocolError, match="lobby"):
            await listing
        await fake.until(lambda: len(fake.hellos) == 2)
    assert len(fake.of(messages.Lobby)) == 1


async def test_close_ends_iteration_and_fails_what_waits(fake: FakeServer) -> None:
    fake.answers[messages.Say] = silent
    async with connect(fake.url, name="ann") as connection:
        listening = asyncio.create_task(rest(connection))
        saying = await started(connection.say(17, "hello"), fake)
        await connection.close()
        assert await listening == [connection.welcome]
        for asked in (saying, connection.ready(17)):
            with pytest.raises(ConnectionOver):
                await asked


async def test_close_sends_a_close_frame(fake: FakeServer) -> None:
    codes: list[int | None] = []

    async def note(socket: ServerConnection) -> None:
        await socket.recv()
        await socket.send(encode(messages.Welcome(version=1, server="s", name="ann", now=0)))
        await socket.wait_closed()
        codes.append(socket.close_code)

    async with serve(note, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        connection = await connect(f"127.0.0.1:{port}")
        await connection.close()
    assert codes == [1000]


@pytest.mark.parametrize("moment", ["sleeping", "dialling"])
async def test_close_while_there_is_no_connection(fake: FakeServer, moment: str) -> None:
    reached = asyncio.Event()

    async def sleep(_seconds: float) -> None:
        if moment == "sleeping":
            reached.set()
            await asyncio.Event().wait()

    def greet(_hello: messages.Request) -> list[messages.Push]:
        reached.set()
        return []

    async with connect(fake.url, name="ann", backoff=Backoff(sleep=sleep)) as connection:
        fake.greet = greet
        fake.cut()
        await reached.wait()
    assert connection.closed
    assert connection.reason is None


async def test_bug_in_a_callback_is_not_swallowed(fake: FakeServer) -> None:
    def broken(up: bool) -> None:
        if not up:
            raise ZeroDivisionError

    connection = await connect(fake.url, name="ann", on_link=broken)
    fake.cut()
    assert await rest(connection) == [connection.welcome]
    with pytest.raises(ZeroDivisionError):
        await connection.close()


async def test_close_is_prompt_while_the_server_floods(fake: FakeServer) -> None:
    async with connect(fake.url, name="ann") as connection:
        text = "x" * 500
        said = [messages.Said(room=1, seq=n, name="bob", text=text, at=0) for n in range(200)]
        fake.push(*said)
        await connection.ready(17)
        fake.push(*said)
    assert connection.closed


async def test_a_server_that_is_silent_is_soon_left_where_another_has_sent_us(
    fake: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("client.connection.MOVED_PING_S", 0.05)  # 1.5 s, which the others wait
    monkeypatch.setattr("client.connection.CLOSE_S", 0.05)
    async with (
        FakeServer() as other,
        connect(fake.url, name="ann", backoff=QUICK) as connection,
    ):
        fake.push(messages.Bye(code=Code.SERVER_MOVING, text="there", at=f"{other.url}/ws"))
        await take(connection, messages.Bye)
        fake.cut()
        await other.until(lambda: other.guests)
        other.mute()
        await fake.until(lambda: len(fake.hellos) == 2)
        assert fake.hellos[1].token == "secret"
