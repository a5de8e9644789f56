"""The client library over real sockets, against a fake house."""

from __future__ import annotations

import asyncio
import socket

import pytest

from client.connection import (
    Backoff,
    ProtocolError,
    Refusal,
    Unreachable,
    connect,
)
from protocol.errors import Code
from protocol.messages import (
    VERSION,
    BotInfo,
    Bye,
    Create,
    Error,
    Hello,
    Join,
    Lobby,
    Ok,
    Options,
    Play,
    Push,
    Request,
    Resign,
    Say,
)
from tests.client.fake_house import (
    QUICK,
    FakeHouse,
    lobby,
    refuse,
    reply,
    room,
    silent,
    take,
)

pytestmark = pytest.mark.socket


# ---- hello


async def test_hello_gives_name_token_and_welcome(fake: FakeHouse) -> None:
    async with connect(fake.url, name="ann") as house:
        assert (house.name, house.token, house.welcome.server) == ("ann", "secret", "fake")
        assert house.linked
        assert house.latency_ms == 0
        assert await take(house) == house.welcome
    assert fake.hellos == [Hello(version=VERSION, name="ann", client="plyhouse-python")]


async def test_awaited_connection_is_closed_by_hand_or_by_its_own_block(fake: FakeHouse) -> None:
    house = await connect(fake.url, name="ann")
    async with house:
        assert not house.closed
    assert house.closed
    assert house.reason is None
    await house.close()


async def test_token_is_sent_in_place_of_a_name(fake: FakeHouse) -> None:
    async with connect(fake.url, name="ann", token="old", link="L") as house:
        assert house.token == "old"
    async with connect(fake.url, name="ann", link="L", bot=BotInfo(program="mcts")):
        pass
    resumed, linked = fake.hellos
    assert (resumed.token, resumed.name, resumed.link) == ("old", None, None)
    assert (linked.token, linked.name, linked.link) == (None, None, "L")
    assert linked.bot == BotInfo(program="mcts")


async def test_no_origin_is_sent_and_no_compression_asked_for(fake: FakeHouse) -> None:
    async with connect(fake.url):
        pass
    headers = {name.lower() for name in fake.headers[0]}
    assert not headers & {"origin", "sec-websocket-extensions"}


@pytest.mark.parametrize("text", [False, True])
async def test_messages_go_in_the_encoding_asked_for(fake: FakeHouse, text: bool) -> None:
    async with connect(fake.url, name="änn", text=text) as house:
        assert await house.ready(17) == Ok(re=1, seq=7)
        fake.push(room())
        assert await take(house, type(room())) == room()
    assert set(fake.frames) == {str if text else bytes}


@pytest.mark.parametrize("code", [Code.SESSION_NAME_TAKEN, Code.PROTOCOL_WRONG_VERSION])
async def test_refused_hello_raises_even_for_the_patient(fake: FakeHouse, code: Code) -> None:
    fake.greet = refuse(code, "taken", suggestion="ann-2")
    with pytest.raises(Refusal, match="taken") as no:
        await connect(fake.url, name="ann", patient=True)
    assert (no.value.code, no.value.suggestion) == (code, "ann-2")


async def test_bye_in_place_of_a_welcome_is_a_refusal(fake: FakeHouse) -> None:
    fake.greet = lambda hello: [Bye(code=Code.SERVER_CLOSING, text="stopping")]
    with pytest.raises(Refusal, match="stopping"):
        await connect(fake.url)


async def test_first_message_that_is_no_welcome_is_no_plyhouse(fake: FakeHouse) -> None:
    fake.greet = lambda hello: [lobby()]
    with pytest.raises(Unreachable, match="not as a Plyhouse server"):
        await connect(fake.url)


async def test_the_patient_wait_for_a_busy_house(fake: FakeHouse) -> None:
    busy, welcome = refuse(Code.SESSION_TOO_MANY), fake.greet
    fake.greet = lambda hello: busy(hello) if len(fake.hellos) < 3 else welcome(hello)
    async with connect(fake.url, name="ann", patient=True, backoff=QUICK) as house:
        assert house.name == "ann"
        assert house.trouble is not None
        assert house.trouble.code == Code.SESSION_TOO_MANY
    assert len(fake.hellos) == 3


# ---- nobody there


def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


async def test_no_server_is_one_clear_sentence_and_an_oserror() -> None:
    address = f"127.0.0.1:{closed_port()}"
    with pytest.raises(
        Unreachable, match=rf"no server answers at {address} \(.*refused\)"
    ) as error:
        await connect(address)
    assert isinstance(error.value, OSError)
    assert error.value.code == "client/unreachable"


async def test_localhost_of_two_families_is_one_sentence_too() -> None:
    with pytest.raises(Unreachable, match=r"localhost:\d+ \(connection refused\)"):
        await connect(f"localhost:{closed_port()}")


async def test_unknown_host_says_so() -> None:
    with pytest.raises(Unreachable, match=r"no server answers at nowhere\.invalid:8765"):
        await connect("nowhere.invalid")


def test_bad_address_is_told_before_anything_is_tried() -> None:
    with pytest.raises(Unreachable) as error:
        connect("ftp://ann", patient=True)
    assert error.value.code == "client/bad-address"


async def test_silent_server_is_given_up_on_in_time(fake: FakeHouse) -> None:
    fake.greet = silent
    with pytest.raises(Unreachable, match=r"did not answer within 0\.05 seconds"):
        await connect(fake.url, open_timeout=0.05)


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


async def test_hang_up_before_the_welcome_is_no_plyhouse(fake: FakeHouse) -> None:
    def cut(_hello: Request) -> list[Push]:
        raise ConnectionResetError

    fake.greet = cut
    with pytest.raises(Unreachable, match="not as a Plyhouse server"):
        await connect(fake.url)


async def test_the_patient_wait_for_a_server_to_come(fake: FakeHouse) -> None:
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


# ---- requests


async def test_replies_come_back_to_their_askers_and_are_not_pushed(fake: FakeHouse) -> None:
    fake.answers = {
        Create: reply(room(17)),
        Join: reply(room(18)),
        Lobby: reply(lobby(3)),
    }
    async with connect(fake.url, name="ann") as house:
        created, joined, listed = await asyncio.gather(
            house.create("connect_four", Options(public=False), seat=None),
            house.join(code="QF7KDM"),
            house.lobby(),
        )
        assert (created.room, joined.room, listed.total) == (17, 18, 3)
        fake.push(room(99))
        assert [await take(house), await take(house)] == [house.welcome, room(99)]


async def test_refusal_carries_what_the_server_said(fake: FakeHouse) -> None:
    fake.answers[Play] = refuse(Code.MATCH_ILLEGAL_ACTION, "not 5", legal=("1", "2"))
    async with connect(fake.url, name="ann") as house:
        with pytest.raises(Refusal, match="not 5") as no:
            await house.play("17.1", 3, "5", note="hm")
        assert no.value.code == Code.MATCH_ILLEGAL_ACTION
        assert no.value.legal == ("1", "2")


@pytest.mark.parametrize(
    "code", [Code.SERVER_NOT_STORED, Code.ROOM_BUSY, Code.SESSION_FLOOD], ids=str
)
async def test_passing_refusals_are_the_callers_to_handle(fake: FakeHouse, code: Code) -> None:
    fake.answers[Say] = refuse(code)
    async with connect(fake.url, name="ann") as house:
        with pytest.raises(Refusal) as no:
            await house.say(17, "hello")
        assert no.value.code == code
        assert house.linked


async def test_request_that_breaks_the_protocol_is_not_sent(fake: FakeHouse) -> None:
    async with connect(fake.url, name="ann") as house:
        with pytest.raises(ProtocolError, match="say"):
            await house.say(17, "x" * 5000)
        assert await house.say(17, "x") == Ok(re=2, seq=7)
    assert fake.of(Say) == [Say(room=17, text="x")]


async def test_unknown_messages_are_skipped(fake: FakeHouse) -> None:
    async with connect(fake.url, name="ann", text=True) as house:
        await take(house)
        fake.push_raw('{"type": "confetti"}')
        fake.push(room())
        assert await take(house) == room()


async def test_fire_and_forget_goes_out_before_a_close(fake: FakeHouse) -> None:
    async with connect(fake.url, name="ann") as house:
        for number in range(50):
            house.send(Say(room=number, text="x"))
    await fake.until(lambda: len(fake.heard) == 50)
    assert [request.id for request in fake.heard] == [None] * 50


async def test_refusal_of_what_was_only_sent_is_pushed(fake: FakeHouse) -> None:
    fake.answers[Resign] = refuse(Code.MATCH_OVER, "over")
    async with connect(fake.url, name="ann") as house:
        house.send(Resign(match="17.1"))
        assert await take(house, Error) == Error(code=Code.MATCH_OVER, text="over")


async def test_cancelled_request_leaves_the_connection_whole(fake: FakeHouse) -> None:
    fake.answers[Say] = silent
    async with connect(fake.url, name="ann") as house:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.02):
                await house.say(17, "hello")
        fake.push(Ok(re=1), room())
        assert await take(house, type(room())) == room()
        assert await house.ready(17) == Ok(re=2, seq=7)
