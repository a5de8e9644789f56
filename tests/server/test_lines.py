"""Lines that are slow, silent or too many, and how a server says goodbye to them."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from protocol.messages import (
    BotInfo,
    Bye,
    Create,
    Hello,
    Join,
    MatchState,
    Ok,
    Play,
    Ready,
    RoomState,
    Said,
    Say,
    Watch,
    Welcome,
)
from server.app import opened
from server.config import Config
from server.gateway import Connection
from tests.server.conftest import Opener
from tests.server.live import CLOSE, PING, PONG, Live, Raw, frame, said

pytestmark = pytest.mark.socket


class Match:
    """Ann and bob play; eve has stopped reading."""

    def __init__(self, house: Live, ann: Raw, bob: Raw, eve: Raw, room: int) -> None:
        self.house, self.ann, self.bob, self.eve, self.room = house, ann, bob, eve, room
        self.held = house.connection("eve")

    async def chat(self) -> int:
        """Ann talks until eve's line is full; how often she did."""
        count = 0
        while self.held.held is None:
            count += 1
            await self.ann.ask(Say(id=count, room=self.room, text="x" * 400), Ok)
        return count

    async def play(self) -> None:
        """A whole match, which both players see."""
        for raw in (self.ann, self.bob):
            raw.send(said(Ready(room=self.room)))
        movers = [self.ann, self.bob]
        state = await self.mover(movers)
        for n, action in enumerate("14253"):
            play = Play(id=100 + n, match=state.match, turn=state.turn, action=action)
            await movers[n % 2].ask(play, Ok)
            if n < 4:
                state = await self.turn(movers[(n + 1) % 2])

    async def mover(self, movers: list[Raw]) -> MatchState:
        """The first state of the next match; `movers` are put in the order of seats."""
        one, two = [await raw.hear(MatchState) for raw in movers]
        if two.legal is not None:
            movers.reverse()
        return one

    async def turn(self, raw: Raw) -> MatchState:
        """The next state in which this one is to move."""
        while True:
            state = await raw.hear(MatchState)
            if state.legal is not None:
                return state


def squeeze(connection: Connection) -> None:
    """Let little wait in the kernel and in asyncio, so that a line is soon full."""
    sock: socket.socket = connection.transport.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    connection.transport.set_write_buffer_limits(high=20_000, low=0)


async def at_a_table(house: Live) -> Match:
    ann, bob = await house.enter("ann"), await house.enter("bob")
    room = (await ann.ask(Create(id=1, game="tic_tac_toe"), RoomState)).room
    await bob.ask(Join(id=1, room=room), RoomState)
    eve = await house.raw(receive_buffer=4096)
    await eve.hello("eve")
    await eve.ask(Watch(id=1, room=room), RoomState)
    squeeze(house.connection("eve"))
    eve.reader._limit = 1  # type: ignore[attr-defined]  # asyncio reads no more than twice this
    return Match(house, ann, bob, eve, room)


# ---------------------------------------------------------------- slow readers


async def test_the_newest_state_of_a_match_replaces_the_older_for_who_does_not_read(
    open_house: Opener,
) -> None:
    house: Live = await open_house(messages_burst=1000)
    at = await at_a_table(house)
    spoken = await at.chat()
    await at.play()
    held = at.held.held
    assert held is not None
    assert list(held).count(f"{at.room}.1") == 1
    assert len(held) < 10
    at.eve.reader._limit = 1 << 16  # type: ignore[attr-defined]
    heard: list[object] = []
    while not heard or not isinstance(heard[-1], MatchState):
        heard.append((await at.eve.read()).message)
    assert sum(isinstance(m, Said) for m in heard) == spoken  # what is said is never left out
    state = heard[-1]
    assert isinstance(state, MatchState)
    assert (state.ply, state.result is not None) == (5, True)
    await house.until(lambda: at.held.held is None)
    await at.ann.ask(Say(id=1, room=at.room, text="welcome back"), Ok)
    assert (await at.eve.hear(Said)).text == "welcome back"


@pytest.mark.parametrize("limit", [{"held_messages": 8}, {"held_bytes": 4_000}])
async def test_who_holds_up_too_much_is_dropped_while_others_play_on(
    open_house: Opener, limit: dict[str, int]
) -> None:
    house: Live = await open_house(messages_burst=1000, **limit)
    at = await at_a_table(house)
    await at.chat()
    for n in range(15):
        await at.ann.ask(Say(id=n, room=at.room, text="x" * 400), Ok)
    await house.until(lambda: len(house.gateway.connections) == 2)
    await at.play()
    assert (await house.enter("eve2")) is not None


async def test_who_reads_nothing_for_long_is_dropped_while_others_play_on(
    open_house: Opener,
) -> None:
    house: Live = await open_house(messages_burst=1000, stuck_ms=100, sweep_ms=20)
    at = await at_a_table(house)
    await at.chat()
    await house.until(lambda: len(house.gateway.connections) == 2)
    await at.play()


async def test_who_reads_again_in_time_is_not_dropped(open_house: Opener) -> None:
    house: Live = await open_house(messages_burst=1000, stuck_ms=200, sweep_ms=20)
    at = await at_a_table(house)
    await at.chat()
    at.eve.reader._limit = 1 << 16  # type: ignore[attr-defined]
    reading = asyncio.ensure_future(at.eve.rest())
    await house.until(lambda: at.held.paused is None)
    await asyncio.sleep(0.2)
    assert len(house.gateway.connections) == 3
    reading.cancel()


# ---------------------------------------------------------------- pings, silence, hello


async def test_pings_measure_the_lag_of_a_line(open_house: Opener) -> None:
    house: Live = await open_house(sweep_ms=20, ping_ms=30)
    raw = await house.enter("ann")
    peer = next(iter(house.house.peers))
    assert peer.lag == 0
    for _ in range(7):
        ping = await raw.read(PING)
        await asyncio.sleep(0.02)
        raw.send(frame(ping.payload, PONG))
    await house.until(lambda: len(house.connection("ann").pings) == 5)
    assert 20 <= peer.lag <= 100


async def test_whoever_answers_no_ping_is_found_out(open_house: Opener) -> None:
    house: Live = await open_house(sweep_ms=20, ping_ms=40, silent_ms=120)
    await house.enter("ann")
    lively = await house.enter("bob")
    for _ in range(6):
        lively.send(frame((await lively.read(PING)).payload, PONG))
    await house.until(lambda: len(house.gateway.connections) == 1)
    assert house.connection("bob")


async def test_whoever_does_not_say_hello_is_told_so(open_house: Opener) -> None:
    house: Live = await open_house(sweep_ms=20, hello_ms=60)
    raw, mute, half = await house.raw(), await house.raw(), await house.raw()
    await raw.upgrade()
    half.send(half.handshake()[:-5])
    assert await raw.ended() == ["session/hello-first", 1008]
    assert await mute.rest() == await half.rest() == []
    await house.until(lambda: not house.gateway.connections)


async def test_who_does_not_answer_a_goodbye_is_hung_up_on(open_house: Opener) -> None:
    house: Live = await open_house(sweep_ms=20)
    raw = await house.enter("ann")
    raw.send(frame(b"\xc1"))
    assert await raw.ended() == ["protocol/bad-frame", 1002]


async def test_an_older_connection_of_a_bot_is_closed_with_a_reason(house: Live) -> None:
    shrug = BotInfo(program="shrug")
    old, new = await house.raw(), await house.raw()
    await old.upgrade(said(Hello(version=1, name="greta", bot=shrug)))
    token = (await old.hear(Welcome)).token
    await new.upgrade(said(Hello(version=1, token=token, bot=shrug)))
    assert await old.ended() == ["session/replaced", 1008]
    await house.until(lambda: len(house.gateway.connections) == 1)
    assert (await new.hear(Welcome)).name == "greta"


# ---------------------------------------------------------------- too many


async def test_an_address_has_so_many_websockets_and_pages_besides(open_house: Opener) -> None:
    house: Live = await open_house(connections_per_address=3)
    raws = [await house.enter() for _ in range(3)]
    late = await house.raw()
    late.send(late.handshake())
    assert "503 Service Unavailable" in await late.head()
    assert b"Too many connections from here" in await late.reader.read()
    page = await house.raw()
    page.send(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert "200 OK" in await page.head()
    await late.close(), await page.close(), await raws[0].close()
    await house.until(lambda: len(house.gateway.connections) == 2)
    assert await house.enter() is not None


async def test_a_server_has_so_many_connections(open_house: Opener) -> None:
    house: Live = await open_house(connections=2)
    await house.enter(), await house.enter()
    late = await house.raw()
    late.send(late.handshake())
    assert "503" in await late.head()


async def test_far_too_many_sockets_are_dropped_at_once(
    open_house: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.gateway.SPARE", 2)
    house: Live = await open_house(connections_per_address=1)
    raws = [await house.raw() for _ in range(5)]
    await house.until(lambda: len(house.gateway.connections) == 3)
    assert [await raw.rest() for raw in raws[3:]] == [[], []]
    for raw in raws[:3]:
        await raw.close()
    await house.until(lambda: house.gateway.addresses == {})


# ---------------------------------------------------------------- the end


async def test_a_server_that_stops_says_so_to_everybody(open_house: Opener) -> None:
    house: Live = await open_house()
    ann, new, plain = await house.enter("ann"), await house.raw(), await house.raw()
    await new.upgrade()
    house.house.close()
    for raw in (ann, new):
        bye = await raw.hear(Bye)
        assert bye.code == "server/closing"
        assert (await raw.read(CLOSE)).close_code == 1012
        raw.send(frame(b"\x03\xf4", CLOSE))
        assert await raw.rest() == []
    assert len(house.gateway.connections) == 1
    await plain.close()


async def test_a_server_stops_even_if_nobody_reads_or_answers(tmp_path: Path) -> None:
    config = Config(close_grace_ms=150, messages_burst=1000)
    async with opened(tmp_path, config) as running:
        house = Live(running)
        at = await at_a_table(house)
        await at.chat()
        await at.ann.ask(Say(id=1, room=at.room, text="the last word"), Ok)
        begin = asyncio.get_running_loop().time()
    assert 0.1 < asyncio.get_running_loop().time() - begin < 2
    assert house.gateway.connections == set()
    await house.close()
