"""Frames against clients we did not write, and against one that keeps no rule (RFC 6455)."""

from __future__ import annotations

import asyncio
import json
import struct

import aiohttp
import msgpack
import pytest
import websockets
from websockets.asyncio.client import connect

from protocol import codec, messages
from server.net.frames import Pings
from server.net.sockets import Socket
from tests.server.conftest import Opener
from tests.support.live_server import (
    BINARY,
    CLOSE,
    CONT,
    MASK,
    PING,
    PONG,
    TEXT,
    LiveServer,
    RawClient,
    frame,
    request_frame,
)

pytestmark = pytest.mark.socket
HELLO = codec.encode(messages.Hello(version=1))
HELLO_TEXT = codec.encode(messages.Hello(version=1), text=True)
LIMIT = 64 * 1024


async def test_websockets_and_aiohttp_speak_both_encodings(server: LiveServer) -> None:
    async with (
        connect(server.ws, compression=None) as ann,
        aiohttp.ClientSession() as session,
        session.ws_connect(server.ws) as bob,
    ):
        await ann.send(json.dumps({"type": "hello", "version": 1, "name": "ann"}))
        assert json.loads(await ann.recv(decode=True))["name"] == "ann"
        await bob.send_bytes(msgpack.packb({"type": "hello", "version": 1, "name": "bob"}))
        assert msgpack.unpackb(await bob.receive_bytes())["name"] == "bob"
        await ann.send(msgpack.packb({"type": "lobby", "id": 1}))  # the other kind, too
        assert json.loads(await ann.recv(decode=True))["re"] == 1
        await bob.send_str(json.dumps({"type": "lobby", "id": 1}))
        assert msgpack.unpackb(await bob.receive_bytes())["re"] == 1
        await bob.ping(b"are you there")
        waiter = await ann.ping()
        await waiter
        await bob.close(code=4000)
        assert bob.close_code == 4000
    assert ann.close_code == 1000


async def test_compression_may_be_offered_and_fragments_be_large(server: LiveServer) -> None:
    async with connect(server.ws) as ann:
        await ann.send([HELLO[:4], HELLO[4:9], HELLO[9:]])
        assert isinstance(codec.decode_reply(await ann.recv(decode=False)), messages.Welcome)
        await ann.send(b"x" * (LIMIT + 1))
        error = codec.decode_reply(await ann.recv(decode=False))
        assert isinstance(error, messages.Error)
        assert error.code == "protocol/too-large"
        with pytest.raises(websockets.ConnectionClosedError) as closed:
            await ann.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009


@pytest.mark.parametrize("cut", [1, 2, 5, 6, 7, -1])
async def test_half_a_frame_may_come_right_behind_the_handshake(
    server: LiveServer, cut: int
) -> None:
    raw = await server.raw()
    hello = request_frame(messages.Hello(id=1, version=1))
    await raw.upgrade(hello[:cut])
    raw.send(hello[cut:])
    assert (await raw.hear(messages.Welcome)).re == 1


async def test_everything_may_come_byte_by_byte(server: LiveServer) -> None:
    raw = await server.raw()
    for byte in (
        raw.handshake() + frame(b"hm", PING) + request_frame(messages.Hello(id=1, version=1))
    ):
        raw.send(bytes((byte,)))
        await raw.writer.drain()
        await asyncio.sleep(0)
    assert (await raw.head()).startswith("HTTP/1.1 101 ")
    assert await raw.read(PONG) == (PONG, b"hm")
    assert (await raw.hear(messages.Welcome)).re == 1


async def test_many_requests_may_come_in_one_chunk(server: LiveServer) -> None:
    raw = await server.enter("ann")
    raw.send(b"".join(request_frame(messages.Lobby(id=n, follow=False)) for n in range(50)))
    assert [(await raw.hear(messages.LobbyList)).re for _ in range(50)] == list(range(50))


@pytest.mark.parametrize(("data", "opcode"), [(HELLO, BINARY), (HELLO_TEXT, TEXT)])
async def test_a_message_may_come_in_fragments_with_pings_between(
    server: LiveServer, data: bytes, opcode: int
) -> None:
    raw = await server.raw()
    await raw.upgrade()
    raw.send(frame(data[:3], opcode, fin=False) + frame(b"one", PING))
    assert await raw.read() == (PONG, b"one")
    raw.send(frame(data[3:9], CONT, fin=False) + frame(b"", CONT, fin=False))
    raw.send(frame(b"", PING) + frame(data[9:], CONT))
    answers = {each.opcode: each for each in (await raw.read(), await raw.read())}
    assert answers[PONG] == (PONG, b"")  # before the welcome, or behind it
    assert isinstance(answers[opcode].message, messages.Welcome)


@pytest.mark.parametrize("cut", [2, 6])
async def test_part_of_a_frame_may_look_like_another_frame(server: LiveServer, cut: int) -> None:
    raw = await server.enter("ann")
    looks_like = request_frame(messages.Lobby(id=9))
    data = bytes(a ^ b for a, b in zip(looks_like, MASK * 40, strict=False))
    ping = frame(data, PING)
    assert ping[6:] == looks_like
    if cut == 2:  # a mask without a frame behind it
        ping = ping[:2] + bytes(4) + looks_like
        data = looks_like
    raw.send(ping[:cut])
    await server.until(lambda: server.connection("ann").unread == cut)
    raw.send(ping[cut:6])
    raw.send(ping[6:])
    assert await raw.read() == (PONG, data)
    await raw.ask(messages.Lobby(id=10), messages.LobbyList)


@pytest.mark.parametrize("length", [1, 125, 126, 65_535, 65_536])
async def test_all_of_a_frame_is_counted(server: LiveServer, length: int) -> None:
    raw = await server.enter("ann")
    raw.send(frame(b" " * length, TEXT, fin=False))
    connection = server.connection("ann")
    await server.until(lambda: connection.parts is not None)
    assert (len(connection.parts or b""), connection.unread) == (length, 0)


async def test_a_frame_may_tell_its_length_at_length(server: LiveServer) -> None:
    raw = await server.enter("ann")
    payload = codec.encode(messages.Lobby(id=1))
    masked = bytes(a ^ b for a, b in zip(payload, MASK * 40, strict=False))
    raw.send(b"\x82\xff" + struct.pack("!Q", len(payload)) + MASK + masked)
    assert (await raw.hear(messages.LobbyList)).re == 1
    await raw.ask(messages.Lobby(id=2), messages.LobbyList)


@pytest.mark.parametrize("payload", [b"", b"x", b"\x00" * 125])
async def test_a_ping_comes_back_as_it_was(server: LiveServer, payload: bytes) -> None:
    raw = await server.raw()
    await raw.upgrade(frame(payload, PING) + request_frame(messages.Hello(id=1, version=1)))
    answers = [await raw.read(), await raw.read()]  # the pong may be the slower one
    assert (PONG, payload) in answers
    assert BINARY in {answer.opcode for answer in answers}


@pytest.mark.parametrize("text", [False, True])
async def test_what_reads_unusual_frames_is_there_while_one_is_read(
    server: LiveServer, text: bool
) -> None:
    """A sweep after each byte takes it away only where no frame and no message is under way."""
    raw = await server.enter("ann", text=text)
    ann, opcode = server.connection("ann"), TEXT if text else BINARY
    ann.sweep(server.hub.now())
    body = codec.encode(messages.Lobby(id=9), text)
    fragments = [frame(body[:4], opcode, fin=False), frame(b"?", PING), frame(body[4:], CONT)]
    for data in (frame(body, opcode), b"".join(fragments)):
        for byte in data:
            assert (ann.ws is not None) == (ann.unread > 0 or ann.parts is not None)
            ann.data_received(bytes((byte,)))
            ann.sweep(server.hub.now())
            await asyncio.sleep(0)  # a pong is sent in the loop's next turn
        while (got := await raw.read()).opcode == PONG:
            assert got.payload == b"?"
        assert isinstance(got.message, messages.LobbyList)
        ann.sweep(server.hub.now())
        assert ann.ws is None
    ann.pings = Pings()
    ann.sweep(server.hub.now())
    raw.send(frame((await raw.read(PING)).payload, PONG))
    await server.until(lambda: ann.pings.took)  # the next frame comes by itself
    raw.send(frame(body, opcode))
    await raw.hear(messages.LobbyList)
    assert (ann.ws, len(ann.pings.took)) == (None, 1)


async def test_pongs_that_nobody_asked_for_are_ignored(server: LiveServer) -> None:
    raw = await server.enter("ann")
    ann, long_ago = server.connection("ann"), server.hub.now() - 200
    for payload in (b"", b"12345678", long_ago.to_bytes(8, "big"), b"x" * 125):
        raw.send(frame(payload, PONG))
    await raw.ask(messages.Lobby(id=1), messages.LobbyList)
    assert ann.pings.took == ()
    first, second = await next_ping(ann, raw), await next_ping(ann, raw)
    for payload in (first, b"x" * len(second), second, second, first):
        raw.send(frame(payload, PONG))
    await raw.ask(messages.Lobby(id=2), messages.LobbyList)
    assert len(ann.pings.took) == 1


async def next_ping(connection: Socket, raw: RawClient) -> bytes:
    """What the next ping has in it, which is due now."""
    connection.pinged -= 1_000_000
    connection.sweep(connection.gateway.now())
    return (await raw.read(PING)).payload


def test_the_lag_is_the_least_of_the_last_five_pings() -> None:
    pings = Pings()
    lags = [pings.answered(pings.next()[2:], took) for took in (90, 30, 80, 70, 60, 50, 40)]
    assert lags == [90, 30, 30, 30, 30, 30, 40]


BROKEN = {
    "opcode 3": (frame(b"", 3), 1002),
    "opcode 11": (frame(b"", 11), 1002),
    "reserved bit 1": (frame(b"", BINARY, bits=4), 1002),
    "reserved bits on a ping": (frame(b"", PING, bits=3), 1002),
    "no mask": (b"\x82\x01x", 1002),
    "a part of nothing": (frame(b"x", CONT), 1002),
    "a message within another": (frame(b"x", fin=False) + frame(b"x"), 1002),
    "a ping in parts": (frame(b"x", PING, fin=False), 1002),
    "a long ping": (frame(b"x" * 126, PING), 1002),
    "a long goodbye": (frame(b"\x03\xe8" + b"x" * 124, CLOSE), 1002),
    "a goodbye of one byte": (frame(b"x", CLOSE), 1002),
    "a goodbye with a code of nobody's": (frame(struct.pack("!H", 1005), CLOSE), 1002),
    "a goodbye amid a message": (frame(b"x", fin=False) + frame(b"", CLOSE), 1002),
    "a goodbye that is no text": (frame(b"\x03\xe8\xff\xfe", CLOSE), 1007),
    "a large frame": (frame(b"x" * (LIMIT + 1)), 1009),
    "a frame of megabytes": (frame(b"x" * 3_000_000), 1009),  # the reason can still be read
    "a giant frame": (b"\x82\xff" + struct.pack("!Q", 2**62) + b"\0" * 4, 1009),
    "large in sum": (
        frame(b"x" * LIMIT, fin=False) + frame(b"x", CONT, fin=False), 1009,
    ),
    "text that is no text": (frame(b"\xff\xfe", TEXT), 1002),
    "half a letter": (frame("é".encode()[:1], TEXT, fin=False) + frame(b"", CONT), 1002),
    "no JSON": (frame(b"{]", TEXT), 1002),
    "no msgpack": (frame(b"\xc1"), 1002),
    "nothing": (frame(b""), 1002),
    "no message": (frame(b"\x01"), 1002),
    "deep JSON": (frame(b"[" * 50_000, TEXT), 1002),
    "deep msgpack": (frame(b"\x91" * 50_000), 1002),
    "a map that promises more": (frame(b"\xdf\xff\xff\xff\xff"), 1002),
    "an extension": (frame(b"\xc7\x05\x01hello"), 1002),
    "a number out of range": (frame(msgpack.packb({"type": "hello", "version": 2**64 - 1})), 1002),
    "HTTP": (b"GET / HTTP/1.1\r\n\r\n" * 3, 1002),
}  # fmt: skip


@pytest.mark.parametrize("greeted", [False, True], ids=["before hello", "after hello"])
async def test_who_breaks_the_protocol_is_told_how_and_then_hung_up_on(
    server: LiveServer, greeted: bool
) -> None:
    """All at one server, and at once: it waits a while for the goodbye of each."""

    async def end_of(data: bytes) -> tuple[str, bool, str | int]:
        raw = await server.raw()
        await (raw.hello() if greeted else raw.upgrade())
        raw.send(data)
        why, close = await raw.ended()
        return str(why).partition("/")[0], why == "protocol/too-large", close

    ends = await asyncio.gather(*(end_of(data) for data, _ in BROKEN.values()))
    assert dict(zip(BROKEN, ends, strict=True)) == {
        what: ("protocol", code == 1009, code) for what, (_, code) in BROKEN.items()
    }
    await server.until(lambda: not server.gateway.sockets)
    assert server.hub.peers == set()


async def test_a_frame_of_just_the_limit_is_read(server: LiveServer) -> None:
    raw = await server.enter("ann")
    most = msgpack.packb({"type": "lobby", "id": 1, "x": ""})
    raw.send(frame(msgpack.packb({"type": "lobby", "id": 1, "x": "x" * (LIMIT - len(most) - 2)})))
    assert (await raw.hear(messages.LobbyList)).re == 1
    size = 21_000
    raw.send(b"".join(frame(b" " * size, TEXT if n == 0 else CONT, fin=False) for n in range(3)))
    raw.send(frame(codec.encode(messages.Lobby(id=2), text=True), CONT))
    assert (await raw.hear(messages.LobbyList)).re == 2


async def test_what_was_asked_before_the_breach_is_answered(server: LiveServer) -> None:
    raw = await server.enter("ann")
    raw.send(request_frame(messages.Lobby(id=1)) + frame(b"", 3))
    assert await raw.ended() == ["LobbyList", "protocol/bad-frame", 1002]


@pytest.mark.parametrize("end", [frame(b"", CLOSE), frame(b"\xc1")], ids=["goodbye", "broken"])
@pytest.mark.parametrize("behind", [b"", frame(b"", 3)], ids=["alone", "broken again"])
async def test_nothing_is_heard_behind_an_end(
    server: LiveServer, end: bytes, behind: bytes
) -> None:
    raw = await server.enter("ann")
    raw.send(end + request_frame(messages.Create(game="tic_tac_toe")) + behind)
    assert [got.opcode for got in await raw.rest()][-1:] == [CLOSE]
    await server.until(lambda: not server.gateway.sockets)
    assert server.hub.rooms.actors == {}


@pytest.mark.parametrize("code", [1000, 1001, 1011, 3000, 4999])
async def test_a_goodbye_however_early_is_answered_with_the_same(
    server: LiveServer, code: int
) -> None:
    raw = await server.enter("ann")
    payload = struct.pack("!H", code) + "tschüß".encode()
    raw.send(frame(payload, CLOSE))
    assert await raw.rest() == [(CLOSE, payload)]
    early = await server.raw()
    await early.upgrade(frame(payload, CLOSE))
    assert await early.rest() == [(CLOSE, payload)]


async def test_who_closes_its_half_is_gone(server: LiveServer) -> None:
    ann, bob = await server.enter("ann"), await server.enter("bob")
    room = (await ann.ask(messages.Create(id=1, game="tic_tac_toe"), messages.RoomState)).room
    await bob.ask(messages.Join(id=1, room=room), messages.RoomState)
    bob.send(frame(b"part of", fin=False))
    bob.writer.write_eof()
    assert [got for got in await bob.rest() if got.opcode == CLOSE] == []
    while True:
        seat = (await ann.hear(messages.RoomState)).seats[1]
        if seat is not None and seat.absent:
            break


async def test_who_goes_before_its_welcome_disturbs_nobody(server: LiveServer) -> None:
    for n in range(5):
        raw = await server.raw()
        await raw.upgrade(request_frame(messages.Hello(version=1, name=f"ann{n}")))
        raw.writer.transport.abort()
    await server.enter("eve")
    await server.until(lambda: len(server.gateway.sockets) == 1)
    assert [p.who.name for p in server.hub.lobby.present.values()] == ["eve"]


async def flooded(raw: RawClient, data: bytes) -> list[str | int]:
    for _ in range(40):
        raw.send(data)
        await asyncio.sleep(0)
    return [code for code in await raw.ended() if not isinstance(code, str) or "/" in code]


@pytest.mark.parametrize(
    "data",
    [frame(b"", PING), frame(b"", PONG), frame(b"x" * 125, PING)],
    ids=["pings", "pongs", "long pings"],
)
async def test_a_flood_is_cut_off_and_others_play_on(open_server: Opener, data: bytes) -> None:
    server: LiveServer = await open_server(sweep_ms=50, frames_per_second=2_000)
    ann, bob = await server.enter("ann"), await server.enter("bob")
    room = (await ann.ask(messages.Create(id=1, game="tic_tac_toe"), messages.RoomState)).room
    await bob.ask(messages.Watch(id=1, room=room), messages.RoomState)
    eve = await server.enter("eve")
    flood = asyncio.ensure_future(flooded(eve, data * 1_000))
    for n in range(10):
        await ann.ask(messages.Say(id=n, room=room, text="calm"), messages.Ok)
        await bob.hear(messages.Said)
    codes = await flood
    assert codes[:1] in ([], ["session/flood"])  # it may be too busy talking to hear that
    await server.until(lambda: len(server.gateway.sockets) == 2)
    await ann.ask(messages.Ready(id=99, room=room), messages.Ok)


@pytest.mark.parametrize(
    "flood",
    [frame(b"", PONG) * 200, frame(b"", fin=False) + frame(b"", CONT, fin=False) * 300],
    ids=["pongs", "a message in endless empty parts"],
)
async def test_who_floods_and_listens_is_told_so(open_server: Opener, flood: bytes) -> None:
    server: LiveServer = await open_server(frames_per_second=100)
    raw = await server.enter("ann")
    raw.send(flood)
    assert await raw.hear(messages.Bye) == messages.Bye(
        code="session/flood", text="more than 100 frames in a second"
    )
    assert (await raw.read(CLOSE)).close_code == 1008
