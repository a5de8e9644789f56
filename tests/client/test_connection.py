"""The client library over real sockets, against a fake server."""

from __future__ import annotations

import asyncio
import socket

import pytest

from client.connection import Backoff, ConnectSettings, ProtocolError, Refusal, Unreachable, connect
from protocol import messages, parts
from protocol.errors import Code
from tests.client.fake_server import QUICK, Answer, FakeServer, lobby, refuse, room, silent, take

pytestmark = pytest.mark.socket


async def test_hello_gives_name_token_and_welcome(fake: FakeServer) -> None:
    async with connect(fake.url, name="ann") as connection:
        assert (connection.name, connection.token, connection.welcome.server) == (
            "ann",
            "secret",
            "fake",
        )
        assert connection.linked
        assert connection.latency_ms == 0
        assert await take(connection) == connection.welcome
    assert fake.hellos == [
        messages.Hello(version=messages.VERSION, name="ann", client="plyhouse-python")
    ]


async def test_token_is_sent_in_place_of_a_name(fake: FakeServer) -> None:
    async with connect(fake.url, name="ann", token="old", link="L") as connection:
        assert connection.token == "old"
    async with connect(fake.url, name="ann", link="L", bot=parts.BotInfo(program="mcts")):
        pass
    resumed, linked = fake.hellos
    assert (resumed.token, resumed.name, resumed.link) == ("old", None, None)
    assert (linked.token, linked.name, linked.link) == (None, None, "L")
    assert linked.bot == parts.BotInfo(program="mcts")


async def test_no_origin_is_sent_and_no_compression_asked_for(fake: FakeServer) -> None:
    async with connect(fake.url):
        pass
    headers = {name.lower() for name in fake.headers[0]}
    assert not headers & {"origin", "sec-websocket-extensions"}


@pytest.mark.parametrize("text", [False, True])
async def test_messages_go_in_the_encoding_asked_for(fake: FakeServer, text: bool) -> None:
    async with connect(fake.url, name="änn", text=text) as connection:
        assert await connection.ready(17) == messages.Ok(re=1, seq=7)
        fake.push(room())
        assert await take(connection, type(room())) == room()
    assert set(fake.frames) == {str if text else bytes}


@pytest.mark.parametrize("code", [Code.SESSION_NAME_TAKEN, Code.PROTOCOL_WRONG_VERSION])
async def test_refused_hello_raises_even_for_the_patient(fake: FakeServer, code: Code) -> None:
    fake.greet = refuse(code, "taken", suggestion="ann-2")
    with pytest.raises(Refusal, match="taken") as no:
        await connect(fake.url, name="ann", patient=True)
    assert (no.value.code, no.value.suggestion) == (code, "ann-2")


def hang_up(_hello: messages.Request) -> list[messages.Push]:
    raise ConnectionResetError


@pytest.mark.parametrize(
    ("greet", "error", "text"),
    [
        (lambda _: [lobby()], Unreachable, "not as a Plyhouse server"),
        (hang_up, Unreachable, "not as a Plyhouse server"),
        (lambda _: [messages.Bye(code=Code.SERVER_CLOSING, text="stopping")], Refusal, "stopping"),
    ],
    ids=["another message", "hanging up", "a bye"],
)
async def test_what_comes_in_place_of_a_welcome_is_told(
    fake: FakeServer, greet: Answer, error: type[Exception], text: str
) -> None:
    fake.greet = greet
    with pytest.raises(error, match=text):
        await connect(fake.url)


async def test_the_patient_wait_for_a_busy_server(fake: FakeServer) -> None:
    busy, welcome = refuse(Code.SESSION_TOO_MANY), fake.greet
    fake.greet = lambda hello: busy(hello) if len(fake.hellos) < 3 else welcome(hello)
    async with connect(fake.url, name="ann", patient=True, backoff=QUICK) as connection:
        assert connection.name == "ann"
        assert connection.trouble is not None
        assert connection.trouble.code == Code.SESSION_TOO_MANY
    assert len(fake.hellos) == 3


def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"], ids=["one family", "two families"])
async def test_no_server_is_one_clear_sentence_and_an_oserror(host: str) -> None:
    address = f"{host}:{closed_port()}"
    text = rf"no server answers at {address} \((.*: )?connection refused\)"
    with pytest.raises(Unreachable, match=text) as error:
        await connect(address)
    assert isinstance(error.value, OSError)
    assert error.value.code == "client/unreachable"


def test_bad_address_is_told_before_anything_is_tried() -> None:
    with pytest.raises(Unreachable) as error:
        connect("ftp://ann", patient=True)
    assert error.value.code == "client/bad-address"


async def test_silent_server_is_given_up_on_in_time(fake: FakeServer) -> None:
    fake.greet = silent
    with pytest.raises(Unreachable, match=r"did not answer within 0\.05 seconds"):
        await connect(fake.url, settings=ConnectSettings(open_timeout=0.05))


async def test_web_server_is_no_plyhouse() -> None:
    async def web(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(web, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(Unreachable, match=r"not as a Plyhouse server does.*404"):
            await connect(f"127.0.0.1:{port}")


async def test_the_patient_wait_for_a_server_to_come(fake: FakeServer) -> None:
    await fake.shut()
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            await fake.open()

    backoff = Backoff(sleep=sleep, jitter=lambda: 0.0)
    async with connect(fake.url, patient=True, backoff=backoff):
        pass
    assert waits == [0.05, 0.1, 0.2]


async def test_request_that_breaks_the_protocol_is_not_sent(fake: FakeServer) -> None:
    async with connect(fake.url, name="ann") as connection:
        with pytest.raises(ProtocolError, match="say"):
            await connection.say(17, "x" * 5000)
        assert await connection.say(17, "x") == messages.Ok(re=2, seq=7)
    assert fake.of(messages.Say) == [messages.Say(room=17, text="x")]


async def test_unknown_messages_are_skipped(fake: FakeServer) -> None:
    async with connect(fake.url, name="ann", text=True) as connection:
        await take(connection)
        fake.push_raw('{"type": "confetti"}')
        fake.push(room())
        assert await take(connection) == room()


async def test_fire_and_forget_goes_out_before_a_close(fake: FakeServer) -> None:
    async with connect(fake.url, name="ann") as connection:
        for number in range(50):
            connection.send(messages.Say(room=number, text="x"))
    await fake.until(lambda: len(fake.heard) == 50)
    assert [request.id for request in fake.heard] == [None] * 50


async def test_refusal_of_what_was_only_sent_is_pushed(fake: FakeServer) -> None:
    fake.answers[messages.Resign] = refuse(Code.MATCH_OVER, "over")
    async with connect(fake.url, name="ann") as connection:
        connection.send(messages.Resign(match="17.1"))
        assert await take(connection, messages.Error) == messages.Error(
            code=Code.MATCH_OVER, text="over"
        )


async def test_cancelled_request_leaves_the_connection_whole(fake: FakeServer) -> None:
    fake.answers[messages.Say] = silent
    async with connect(fake.url, name="ann") as connection:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.02):
                await connection.say(17, "hello")
        fake.push(messages.Ok(re=1), room())
        assert await take(connection, type(room())) == room()
        assert await connection.ready(17) == messages.Ok(re=2, seq=7)
