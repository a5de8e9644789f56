"""Lines that are slow, silent or too many, and how a server says goodbye to them."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from lab.arena.local_server import NO_ALLOWANCES
from protocol import messages
from server.app import opened
from server.config import Config
from server.net.addresses import address_of
from server.net.sockets import Socket
from tests.server.conftest import Opener
from tests.support.live_server import CLOSE, PING, PONG, LiveServer, RawClient, frame, request_frame

pytestmark = pytest.mark.socket


class Match:
    """Ann and bob play; eve has stopped reading."""

    def __init__(
        self, server: LiveServer, ann: RawClient, bob: RawClient, eve: RawClient, room: int
    ) -> None:
        self.server, self.ann, self.bob, self.eve, self.room = server, ann, bob, eve, room
        self.held = server.connection("eve")
        self.spoken = 0

    async def chat(self) -> int:
        """Ann talks until eve's connection is full; how often she did."""
        count = 0
        while self.held.held is None and self.held in self.server.gateway.sockets:
            count += 1
            await self.ann.ask(messages.Say(id=count, room=self.room, text="x" * 400), messages.Ok)
        return count

    async def play(self) -> None:
        """A whole match, which both players see."""
        for raw in (self.ann, self.bob):
            raw.send(request_frame(messages.Ready(room=self.room)))
        for n, action in enumerate("14253"):
            mover = (self.ann, self.bob)[n % 2]
            state = await self.turn(mover)
            play = messages.Play(id=100 + n, match=state.match, turn=state.turn, action=action)
            await mover.ask(play, messages.Ok)

    async def turn(self, raw: RawClient) -> messages.MatchState:
        """The next state in which this one is to move."""
        while True:
            state = await raw.hear(messages.MatchState)
            if state.legal is not None:
                return state


def squeeze(connection: Socket) -> None:
    """Let little wait in the kernel and in asyncio, so that a connection is soon full."""
    sock: socket.socket = connection.transport.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    connection.transport.set_write_buffer_limits(high=20_000, low=0)


async def at_a_table(server: LiveServer) -> Match:
    ann, bob = await server.enter("ann"), await server.enter("bob")
    room = (await ann.ask(messages.Create(id=1, game="tic_tac_toe"), messages.RoomState)).room
    await bob.ask(messages.Join(id=1, room=room), messages.RoomState)
    eve = await server.raw(receive_buffer=4096)
    await eve.hello("eve")
    await eve.ask(messages.Watch(id=1, room=room), messages.RoomState)
    squeeze(server.connection("eve"))
    eve.reader._limit = 1  # type: ignore[attr-defined]  # asyncio reads no more than twice this
    at = Match(server, ann, bob, eve, room)
    at.spoken = await at.chat()
    return at


async def opened_table(open_server: Opener, **settings: int) -> tuple[LiveServer, Match]:
    """Such a match at a new server."""
    server: LiveServer = await open_server(**settings)
    return server, await at_a_table(server)


async def test_who_does_not_read_is_held_the_newest_state_alone(open_server: Opener) -> None:
    server, at = await opened_table(open_server)
    await at.play()
    held = at.held.held
    assert held is not None
    assert list(held).count(f"{at.room}.1") == 1
    assert len(held) < 10
    at.eve.reader._limit = 1 << 16  # type: ignore[attr-defined]
    heard: list[object] = []
    while not heard or not isinstance(heard[-1], messages.MatchState):
        heard.append((await at.eve.read()).message)
    said = sum(isinstance(m, messages.Said) for m in heard)
    assert said == at.spoken  # what is said is never left out
    state = heard[-1]
    assert isinstance(state, messages.MatchState)
    assert (state.ply, state.result is not None) == (5, True)
    await server.until(lambda: at.held.held is None)
    await at.ann.ask(messages.Say(id=1, room=at.room, text="welcome back"), messages.Ok)
    assert (await at.eve.hear(messages.Said)).text == "welcome back"


@pytest.mark.parametrize("limit", [{"held_messages": 8}, {"held_bytes": 4_000}])
async def test_who_holds_up_too_much_is_dropped_while_others_play_on(
    open_server: Opener, limit: dict[str, int]
) -> None:
    server, at = await opened_table(open_server, **limit)
    for n in range(15):
        await at.ann.ask(messages.Say(id=n, room=at.room, text="x" * 400), messages.Ok)
    await server.until(lambda: len(server.gateway.sockets) == 2)
    await at.play()
    assert (await server.enter("eve2")) is not None


async def test_who_reads_nothing_for_long_is_dropped(open_server: Opener) -> None:
    server, at = await opened_table(open_server, stuck_ms=100, sweep_ms=20)
    await server.until(lambda: len(server.gateway.sockets) == 2)
    await at.play()


async def test_who_reads_again_in_time_is_not_dropped(open_server: Opener) -> None:
    server, at = await opened_table(open_server, stuck_ms=200, sweep_ms=20)
    at.eve.reader._limit = 1 << 16  # type: ignore[attr-defined]
    reading = asyncio.ensure_future(at.eve.rest())
    await server.until(lambda: at.held.paused is None)
    await asyncio.sleep(0.2)
    assert len(server.gateway.sockets) == 3
    reading.cancel()


async def test_pings_measure_the_lag_of_a_connection(open_server: Opener) -> None:
    server: LiveServer = await open_server(sweep_ms=20, ping_ms=30)
    raw = await server.enter("ann")
    peer = next(iter(server.hub.peers))
    assert peer.lag == 0
    pings = server.connection("ann").pings
    while len(pings.took) < 5:  # a pong that comes behind the next ping does not count
        ping = await raw.read(PING)
        await asyncio.sleep(0.02)
        raw.send(frame(ping.payload, PONG))
    assert 20 <= peer.lag <= 100


async def test_whoever_answers_no_ping_is_found_out(open_server: Opener) -> None:
    server: LiveServer = await open_server(sweep_ms=20, ping_ms=40, silent_ms=400)
    await server.enter("ann")
    lively, mute = await server.enter("bob"), server.connection("ann")
    while mute in server.gateway.sockets:
        lively.send(frame((await lively.read(PING)).payload, PONG))
    assert server.connection("bob")


async def test_whoever_does_not_say_hello_is_told_so(open_server: Opener) -> None:
    server: LiveServer = await open_server(sweep_ms=20, hello_ms=60)
    raw, slow, mute, half = [await server.raw() for _ in range(4)]
    await raw.upgrade()
    await slow.upgrade(request_frame(messages.Hello(version=1))[:-5])
    half.send(half.handshake()[:-5])
    for upgraded in (raw, slow):
        assert await upgraded.ended() == ["session/hello-first", 1008]
    assert await mute.rest() == await half.rest() == []
    await server.until(lambda: not server.gateway.sockets)


async def test_an_address_has_so_many_websockets_and_pages_besides(open_server: Opener) -> None:
    server: LiveServer = await open_server(connections_per_address=3)
    raws = [await server.enter() for _ in range(3)]
    late = await server.raw()
    late.send(late.handshake())
    assert "503 Service Unavailable" in await late.head()
    assert b"Too many connections from here" in await late.reader.read()
    page = await server.raw()
    page.send(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert "200 OK" in await page.head()
    await late.close(), await page.close(), await raws[0].close()
    await server.until(lambda: len(server.gateway.sockets) == 2)
    assert await server.enter() is not None


async def test_far_too_many_sockets_are_dropped_at_once(open_server: Opener) -> None:
    server: LiveServer = await open_server(
        connections_per_address=1, spare_connections=2, sweep_ms=20
    )
    raws = [await server.raw() for _ in range(5)]
    await server.until(lambda: len(server.gateway.sockets) == 3)
    assert [await raw.rest() for raw in raws[3:]] == [[], []]
    for raw in raws[:3]:
        await raw.close()
    await server.until(lambda: len(server.gateway.addresses) == 0)


async def test_a_server_that_stops_says_so_to_everybody(open_server: Opener) -> None:
    server: LiveServer = await open_server()
    ann, new, plain = await server.enter("ann"), await server.raw(), await server.raw()
    await new.upgrade()
    server.hub.close()
    for raw in (ann, new):
        bye = await raw.hear(messages.Bye)
        assert bye.code == "server/closing"
        assert (await raw.read(CLOSE)).close_code == 1012
        raw.send(frame(b"\x03\xf4", CLOSE))
        assert await raw.rest() == []
    assert len(server.gateway.sockets) == 1
    await plain.close()


async def test_a_server_stops_even_if_nobody_reads_or_answers(tmp_path: Path) -> None:
    texts = [f"{name}={value}" for name, value in NO_ALLOWANCES.items()]
    config = Config(close_grace_ms=150, frames_per_second=100_000).with_settings(texts)
    async with opened(tmp_path, config) as running:
        server = LiveServer(running)
        at = await at_a_table(server)
        await at.ann.ask(messages.Say(id=1, room=at.room, text="the last word"), messages.Ok)
    assert server.gateway.sockets == set()
    await server.close()


@pytest.mark.parametrize(
    ("host", "key"),
    [
        ("198.51.100.7", "198.51.100.7"),
        ("::ffff:198.51.100.7", "198.51.100.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
    ],
)
def test_an_address_is_what_one_customer_has(host: str, key: str) -> None:
    assert address_of(host) == key


async def test_rooms_are_counted_by_the_address_of_a_real_connection(open_server: Opener) -> None:
    server: LiveServer = await open_server(rooms_per_address=2)
    create = messages.Create(id=1, game="tic_tac_toe")
    ann, bob = await server.enter("ann"), await server.enter("bob")
    for raw in (ann, bob):
        await raw.ask(create, messages.RoomState)
    assert (await ann.ask(create, messages.Error)).code == "lobby/too-many-rooms"
