"""The client library when the network fails, and at its end, against a fake house."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from websockets.asyncio.server import ServerConnection, serve

from client import connection
from client.connection import (
    Backoff,
    Closed,
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
    Bye,
    Error,
    Lobby,
    MatchState,
    Ok,
    Play,
    Push,
    Request,
    Said,
    Say,
    Watch,
    Welcome,
)
from tests.client.fake_house import (
    QUICK,
    FakeHouse,
    lobby,
    match,
    refuse,
    reply,
    rest,
    room,
    silent,
    started,
    take,
)

pytestmark = pytest.mark.socket


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
