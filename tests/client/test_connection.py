"""The client library over real sockets, against a fake house."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from websockets.asyncio.server import ServerConnection, serve

from client import connection
from client.connection import (
    Backoff,
    Closed,
    Connection,
    Interrupted,
    ProtocolError,
    Refusal,
    Replaced,
    Unreachable,
    connect,
)
from client.errors import LinkLost
from protocol.codec import encode
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
    MatchState,
    Ok,
    Options,
    Play,
    Push,
    Request,
    Resign,
    Said,
    Say,
    Watch,
    Welcome,
)
from tests.client.fake_house import (
    PATIENCE_S,
    FakeHouse,
    lobby,
    match,
    refuse,
    reply,
    room,
    silent,
)

pytestmark = pytest.mark.socket
QUICK = Backoff(first=0.001, longest=0.01)


@pytest.fixture
async def fake() -> AsyncIterator[FakeHouse]:
    async with FakeHouse() as house:
        yield house
    leaked = asyncio.all_tasks() - {asyncio.current_task()}
    assert not [task for task in leaked if "plyhouse" in task.get_name()]


async def take(house: Connection, kind: type[Push] = Push) -> Push:
    """The next pushed message of a kind."""
    async with asyncio.timeout(PATIENCE_S):
        async for message in house:
            if isinstance(message, kind):
                return message
    raise AssertionError("iteration ended")


async def rest(house: Connection) -> list[Push]:
    """All that is pushed until it is over."""
    async with asyncio.timeout(PATIENCE_S):
        return [message async for message in house]


async def started(work: Awaitable[Push], fake: FakeHouse) -> asyncio.Future[Push]:
    """A request that the fake house has received, and may or may not answer."""
    before = len(fake.heard)
    task = asyncio.ensure_future(work)
    await fake.until(lambda: len(fake.heard) > before)
    return task


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


# ---- resuming


async def test_lost_connection_is_resumed_with_the_token(fake: FakeHouse) -> None:
    seen: list[bool] = []
    async with connect(fake.url, name="ann", backoff=QUICK, on_link=seen.append) as house:
        assert await take(house) == house.welcome
        fake.cut()
        again = await take(house)
        assert isinstance(again, Welcome)
        assert again.token is None
        assert (house.name, house.token, house.linked) == ("ann", "secret", True)
        assert await house.ready(17) == Ok(re=1, seq=7)
    assert [hello.token for hello in fake.hellos] == [None, "secret"]
    assert seen == [True, False, True, False]


async def test_restarted_server_is_found_again(fake: FakeHouse) -> None:
    lost = asyncio.Event()

    def lose(up: bool) -> None:
        if not up:
            lost.set()

    async with connect(fake.url, name="ann", backoff=QUICK, on_link=lose) as house:
        await take(house)
        await fake.shut()
        await lost.wait()
        assert not house.linked
        pending = asyncio.create_task(house.ready(17))
        await fake.open()
        assert isinstance(await take(house), Welcome)
        assert await pending == Ok(re=1, seq=7)


async def test_bye_of_a_stopping_server_is_pushed_and_then_resumed(fake: FakeHouse) -> None:
    async with connect(fake.url, name="ann", backoff=QUICK) as house:
        fake.push(Bye(code=Code.SERVER_CLOSING, text="stopping"))
        assert isinstance(await take(house, Bye), Bye)
        fake.cut()
        assert isinstance(await take(house), Welcome)


async def test_unanswered_play_is_sent_again(fake: FakeHouse) -> None:
    fake.answers[Play] = silent
    async with connect(fake.url, name="ann", backoff=QUICK) as house:
        playing = await started(house.play("17.1", 3, "5"), fake)
        fake.answers.clear()
        fake.cut()
        assert await playing == Ok(re=1, seq=7)
    assert fake.of(Play) == [Play(match="17.1", turn=3, action="5")] * 2


async def test_repeated_play_may_be_answered_with_the_state(fake: FakeHouse) -> None:
    fake.answers[Play] = reply(match(seq=9))
    async with connect(fake.url, name="ann") as house:
        assert await house.play("17.1", 3, "5") == Ok(re=1, seq=9)
        assert await take(house, MatchState) == match(seq=9)


async def test_other_unanswered_requests_are_interrupted(fake: FakeHouse) -> None:
    fake.answers[Say] = silent
    async with connect(fake.url, name="ann", backoff=QUICK) as house:
        saying = await started(house.say(17, "hello"), fake)
        fake.cut()
        with pytest.raises(Interrupted, match="`say`"):
            await saying
        assert await house.ready(17) == Ok(re=2, seq=7)
    assert len(fake.of(Say)) == 1


async def test_watches_and_the_followed_lobby_are_asked_for_again(fake: FakeHouse) -> None:
    fake.answers = {Watch: reply(room(23, seat=None)), Lobby: reply(lobby())}
    async with connect(fake.url, name="ann", backoff=QUICK) as house:
        await house.watch(code="QF7KDM")
        await house.lobby()
        fake.cut()
        await take(house)
        news = [await take(house), await take(house), await take(house)]
        assert news == [house.welcome, lobby(), room(23, seat=None)]
    assert fake.of(Watch) == [Watch(code="QF7KDM")] * 2
    assert fake.of(Lobby) == [Lobby(), Lobby()]


async def test_watch_that_is_no_longer_granted_is_told_and_dropped(fake: FakeHouse) -> None:
    fake.answers = {Watch: reply(room(23, seat=None))}
    async with connect(fake.url, name="ann", backoff=QUICK) as house:
        await house.watch(23)
        fake.answers[Watch] = refuse(Code.ROOM_CLOSED, "closed")
        fake.cut()
        assert await take(house, Error) == Error(code=Code.ROOM_CLOSED, text="closed")
        fake.cut()
        await fake.until(lambda: len(fake.hellos) == 3)
        await house.ready(17)
    assert len(fake.of(Watch)) == 2


async def test_replaced_is_final(fake: FakeHouse) -> None:
    fake.answers[Play] = silent
    async with connect(fake.url, name="ann", backoff=QUICK) as house:
        playing = await started(house.play("17.1", 3, "5"), fake)
        fake.push(Bye(code=Code.SESSION_REPLACED, text="another one"))
        assert isinstance((await rest(house))[-1], Bye)
        assert isinstance(house.reason, Replaced)
        with pytest.raises(Replaced, match="another one"):
            await playing
        with pytest.raises(Replaced, match="another one"):
            await house.ready(17)
        with pytest.raises(Replaced):
            house.send(Say(room=17, text="x"))
        await fake.until(lambda: fake.guests == 0)
    assert len(fake.hellos) == 1


async def test_refused_resume_is_final(fake: FakeHouse) -> None:
    async with connect(fake.url, name="ann", backoff=QUICK) as house:
        fake.greet = refuse(Code.SESSION_BAD_TOKEN, "who?")
        fake.cut()
        assert await rest(house) == [house.welcome]
        assert isinstance(house.reason, Refusal)
        with pytest.raises(Closed, match="who") as over:
            await house.ready(17)
        assert over.value.code == Code.SESSION_BAD_TOKEN


async def test_given_up_after_a_while(fake: FakeHouse) -> None:
    async with connect(fake.url, name="ann", backoff=QUICK, give_up_after=0.03) as house:
        await fake.shut()
        assert await rest(house) == [house.welcome]
        assert isinstance(house.reason, Unreachable)
        assert "gave up after 0.03 seconds" in str(house.reason)


async def test_server_that_answers_no_ping_is_left(
    fake: FakeHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    for limit in ("PING_S", "CLOSE_S"):
        monkeypatch.setattr(connection, limit, 0.05)
    async with connect(fake.url, name="ann", backoff=QUICK) as house:
        await take(house)
        monkeypatch.undo()  # the next server may be as slow as this machine is
        fake.mute()
        assert isinstance(await take(house), Welcome)
        assert isinstance(house.trouble, LinkLost)


async def test_nonsense_from_the_server_costs_the_connection_only(fake: FakeHouse) -> None:
    async with connect(fake.url, name="ann", backoff=QUICK) as house:
        await take(house)
        fake.push_raw(b"\xc1")
        assert isinstance(await take(house), Welcome)
        assert isinstance(house.trouble, ProtocolError)


async def test_reply_that_cannot_be_read_fails_its_request_only_once(fake: FakeHouse) -> None:
    fake.answers[Lobby] = silent
    async with connect(fake.url, name="ann", text=True, backoff=QUICK) as house:
        listing = await started(house.lobby(), fake)
        fake.push_raw('{"type": "lobby", "re": 1, "rooms": 5}')
        with pytest.raises(ProtocolError, match="lobby"):
            await listing
        await fake.until(lambda: len(fake.hellos) == 2)
    assert len(fake.of(Lobby)) == 1


# ---- the end


async def test_iteration_ends_when_it_is_closed_elsewhere(fake: FakeHouse) -> None:
    async with connect(fake.url, name="ann") as house:
        listening = asyncio.create_task(rest(house))
        await house.ready(17)
        await house.close()
        assert await listening == [house.welcome]
        with pytest.raises(Closed):
            await house.ready(17)


async def test_close_fails_what_waits(fake: FakeHouse) -> None:
    fake.answers[Say] = silent
    async with connect(fake.url, name="ann") as house:
        saying = await started(house.say(17, "hello"), fake)
        await house.close()
        with pytest.raises(Closed):
            await saying


async def test_close_sends_a_close_frame(fake: FakeHouse) -> None:
    codes: list[int | None] = []

    async def note(socket: ServerConnection) -> None:
        await socket.recv()
        await socket.send(encode(Welcome(version=1, server="s", name="ann", now=0)))
        await socket.wait_closed()
        codes.append(socket.close_code)

    async with serve(note, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        house = await connect(f"127.0.0.1:{port}")
        await house.close()
    assert codes == [1000]


@pytest.mark.parametrize("moment", ["sleeping", "dialling"])
async def test_close_while_there_is_no_connection(fake: FakeHouse, moment: str) -> None:
    reached = asyncio.Event()

    async def sleep(_seconds: float) -> None:
        if moment == "sleeping":
            reached.set()
            await asyncio.Event().wait()

    def greet(_hello: Request) -> list[Push]:
        reached.set()
        return []

    async with connect(fake.url, name="ann", backoff=Backoff(sleep=sleep)) as house:
        fake.greet = greet
        fake.cut()
        await reached.wait()
    assert house.closed
    assert house.reason is None


async def test_close_is_prompt_while_the_server_floods(fake: FakeHouse) -> None:
    async with connect(fake.url, name="ann") as house:
        said = [Said(room=1, seq=seq, name="bob", text="x" * 500, at=0) for seq in range(200)]
        fake.push(*said)
        await house.ready(17)
        fake.push(*said)
    assert house.closed


async def test_bug_in_a_callback_is_not_swallowed(fake: FakeHouse) -> None:
    def broken(up: bool) -> None:
        if not up:
            raise ZeroDivisionError

    house = await connect(fake.url, name="ann", on_link=broken)
    fake.cut()
    assert await rest(house) == [house.welcome]
    with pytest.raises(ZeroDivisionError):
        await house.close()


async def test_hundred_members_at_once(fake: FakeHouse) -> None:
    def member(number: int) -> Callable[[], Awaitable[str]]:
        async def come_and_go() -> str:
            async with connect(fake.url, name=f"m{number}", backoff=QUICK) as house:
                await house.ready(17)
                return house.name

        return come_and_go

    names = await asyncio.gather(*(member(number)() for number in range(100)))
    assert len(set(names)) == 100
