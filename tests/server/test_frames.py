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

from protocol import codec
from protocol.messages import (
    Bye,
    Create,
    Error,
    Hello,
    Join,
    Lobby,
    LobbyList,
    Ok,
    Ready,
    RoomState,
    Said,
    Say,
    Watch,
    Welcome,
)
from tests.server.conftest import Opener
from tests.server.live import (
    BINARY,
    CLOSE,
    CONT,
    MASK,
    PING,
    PONG,
    TEXT,
    Live,
    Raw,
    frame,
    is_error,
    said,
)

pytestmark = pytest.mark.socket
HELLO = codec.encode(Hello(version=1))
HELLO_TEXT = codec.encode(Hello(version=1), text=True)
LIMIT = 64 * 1024


# ---------------------------------------------------------------- clients we did not write


async def test_a_match_between_websockets_and_aiohttp(house: Live) -> None:
    async with (
        connect(house.ws, compression=None) as ann,
        aiohttp.ClientSession() as session,
        session.ws_connect(house.ws) as bob,
    ):

        async def ann_hears(kind: str) -> dict[str, object]:
            while True:
                message = json.loads(await ann.recv(decode=True))
                if message["type"] == kind:
                    return message  # type: ignore[no-any-return]

        async def bob_hears(kind: str) -> dict[str, object]:
            while True:
                message = msgpack.unpackb(await bob.receive_bytes())
                if message["type"] == kind:
                    return message  # type: ignore[no-any-return]

        await ann.send(json.dumps({"type": "hello", "version": 1, "name": "ann"}))
        await ann_hears("welcome")
        await bob.send_bytes(msgpack.packb({"type": "hello", "version": 1, "name": "bob"}))
        await ann.send(json.dumps({"type": "create", "game": "tic_tac_toe"}))
        room = (await ann_hears("room"))["room"]
        await bob_hears("welcome")
        await bob.send_bytes(msgpack.packb({"type": "join", "room": room}))
        await bob.send_str(json.dumps({"type": "ready", "room": room}))  # the other kind, too
        await ann.send(msgpack.packb({"type": "ready", "room": room}))
        for n, action in enumerate("54623"):
            hears = (ann_hears, bob_hears)[n % 2]
            state = await hears("match")
            while "legal" not in state:
                state = await hears("match")
            play = {
                "type": "play",
                "match": state["match"],
                "turn": state["turn"],
                "action": action,
            }
            if n % 2:
                await bob.send_bytes(msgpack.packb(play))
            else:
                await ann.send(json.dumps(play))
        assert (await bob_hears("match"))["ply"] == 4
        assert (await bob_hears("match"))["ply"] == 5
        await bob.ping(b"are you there")
        waiter = await ann.ping()
        await waiter
        await bob.close(code=4000)
        assert bob.close_code == 4000
    assert ann.close_code == 1000


async def test_websockets_may_offer_compression_and_send_large_fragments(house: Live) -> None:
    async with connect(house.ws) as ann:
        await ann.send([HELLO[:4], HELLO[4:9], HELLO[9:]])
        assert isinstance(codec.decode_reply(await ann.recv(decode=False)), Welcome)
        await ann.send(b"x" * (LIMIT + 1))
        error = codec.decode_reply(await ann.recv(decode=False))
        assert isinstance(error, Error)
        assert error.code == "protocol/too-large"
        with pytest.raises(websockets.ConnectionClosedError) as closed:
            await ann.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009


# ---------------------------------------------------------------- how bytes may come


async def test_frames_may_come_right_behind_the_handshake(house: Live) -> None:
    raw = await house.raw()
    await raw.upgrade(frame(b"early", PING) + said(Hello(id=1, version=1)))
    first, second = await raw.read(), await raw.read()  # the pong may be the slower one
    assert {first.opcode, second.opcode} == {PONG, BINARY}


@pytest.mark.parametrize("cut", [1, 2, 5, 6, 7, -1])
async def test_part_of_a_frame_may_come_right_behind_the_handshake(house: Live, cut: int) -> None:
    raw = await house.raw()
    hello = said(Hello(id=1, version=1))
    await raw.upgrade(hello[:cut])
    raw.send(hello[cut:])
    assert (await raw.hear(Welcome)).re == 1


async def test_a_goodbye_right_behind_the_handshake_is_answered(house: Live) -> None:
    raw = await house.raw()
    await raw.upgrade(frame(struct.pack("!H", 1001), CLOSE))
    assert [got.close_code for got in await raw.rest()] == [1001]


async def test_everything_may_come_byte_by_byte(house: Live) -> None:
    raw = await house.raw()
    for byte in raw.handshake() + frame(b"hm", PING) + said(Hello(id=1, version=1)):
        raw.send(bytes((byte,)))
        await raw.writer.drain()
        await asyncio.sleep(0)
    assert (await raw.head()).startswith("HTTP/1.1 101 ")
    assert await raw.read(PONG) == (PONG, b"hm")
    assert (await raw.hear(Welcome)).re == 1


async def test_many_requests_may_come_in_one_chunk(house: Live) -> None:
    raw = await house.enter("ann")
    raw.send(b"".join(said(Lobby(id=n, follow=False)) for n in range(50)))
    assert [(await raw.hear(LobbyList)).re for _ in range(50)] == list(range(50))


@pytest.mark.parametrize(("data", "opcode"), [(HELLO, BINARY), (HELLO_TEXT, TEXT)])
async def test_a_message_may_come_in_fragments_with_pings_between(
    house: Live, data: bytes, opcode: int
) -> None:
    raw = await house.raw()
    await raw.upgrade()
    raw.send(frame(data[:3], opcode, fin=False) + frame(b"one", PING))
    assert await raw.read() == (PONG, b"one")
    raw.send(frame(data[3:9], CONT, fin=False) + frame(b"", CONT, fin=False))
    raw.send(frame(b"", PING) + frame(data[9:], CONT))
    assert await raw.read() == (PONG, b"")
    got = await raw.read()
    assert got.opcode == opcode
    assert isinstance(got.message, Welcome)


async def test_a_letter_may_be_cut_by_a_fragment(house: Live) -> None:
    raw = await house.enter("ann", text=True)
    room = await raw.ask(Create(id=1, game="tic_tac_toe"), RoomState)
    data = codec.encode(Say(room=room.room, text="né"), text=True)
    cut = data.index("é".encode()) + 1
    raw.send(frame(data[:cut], TEXT, fin=False) + frame(data[cut:], CONT))
    assert (await raw.hear(Said)).text == "né"


@pytest.mark.parametrize("cut", [2, 6])
async def test_part_of_a_frame_may_look_like_another_frame(house: Live, cut: int) -> None:
    raw = await house.enter("ann")
    looks_like = said(Lobby(id=9))
    data = bytes(a ^ b for a, b in zip(looks_like, MASK * 40, strict=False))
    ping = frame(data, PING)
    assert ping[6:] == looks_like
    if cut == 2:  # a mask without a frame behind it
        ping = ping[:2] + bytes(4) + looks_like
        data = looks_like
    raw.send(ping[:cut])
    await house.until(lambda: house.connection("ann").unread == cut)
    raw.send(ping[cut:6])
    raw.send(ping[6:])
    assert await raw.read() == (PONG, data)
    await raw.ask(Lobby(id=10), LobbyList)


@pytest.mark.parametrize("length", [1, 125, 126, 65_535, 65_536])
async def test_all_of_a_frame_is_counted(house: Live, length: int) -> None:
    raw = await house.enter("ann")
    raw.send(frame(b" " * length, TEXT, fin=False))
    connection = house.connection("ann")
    await house.until(lambda: connection.parts is not None)
    assert (len(connection.parts or b""), connection.unread) == (length, 0)


async def test_a_frame_may_tell_its_length_at_length(house: Live) -> None:
    raw = await house.enter("ann")
    payload = codec.encode(Lobby(id=1))
    masked = bytes(a ^ b for a, b in zip(payload, MASK * 40, strict=False))
    raw.send(b"\x82\xff" + struct.pack("!Q", len(payload)) + MASK + masked)
    assert (await raw.hear(LobbyList)).re == 1
    await raw.ask(Lobby(id=2), LobbyList)


@pytest.mark.parametrize("payload", [b"", b"x", b"\x00" * 125])
async def test_a_ping_comes_back_as_it_was(house: Live, payload: bytes) -> None:
    raw = await house.raw()
    await raw.upgrade(frame(payload, PING))
    assert await raw.read() == (PONG, payload)


async def test_pongs_that_nobody_asked_for_are_ignored(house: Live) -> None:
    raw = await house.enter("ann")
    for payload in (b"", b"12345678", (2**63).to_bytes(8, "big"), b"x" * 125):
        raw.send(frame(payload, PONG))
    await raw.ask(Lobby(id=1), LobbyList)
    assert house.connection("ann").pings == ()


# ---------------------------------------------------------------- what may not come

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
}  # fmt: skip


@pytest.mark.parametrize("kind", ["before hello", "after hello"])
@pytest.mark.parametrize("what", BROKEN)
async def test_who_breaks_the_protocol_is_told_how_and_then_hung_up_on(
    house: Live, what: str, kind: str
) -> None:
    data, code = BROKEN[what]
    raw = await house.raw()
    if kind == "after hello":
        await raw.hello("ann")
    else:
        await raw.upgrade()
    raw.send(data)
    why, close = await raw.ended()
    assert str(why).startswith("protocol/")
    assert (why == "protocol/too-large") == (code == 1009)
    assert close == code
    await house.until(lambda: not house.gateway.connections)
    assert house.house.peers == set()


async def test_a_frame_of_just_the_limit_is_read(house: Live) -> None:
    raw = await house.enter("ann")
    most = msgpack.packb({"type": "lobby", "id": 1, "x": ""})
    raw.send(frame(msgpack.packb({"type": "lobby", "id": 1, "x": "x" * (LIMIT - len(most) - 2)})))
    assert (await raw.hear(LobbyList)).re == 1
    size = 21_000
    data = codec.encode(Hello(id=1, version=1, client="x"))
    raw.send(b"".join(frame(b" " * size, TEXT if n == 0 else CONT, fin=False) for n in range(3)))
    raw.send(frame(codec.encode(Lobby(id=2), text=True), CONT))
    assert (await raw.hear(LobbyList)).re == 2
    assert len(data) < LIMIT


async def test_who_sends_far_too_much_can_still_read_why(house: Live) -> None:
    raw = await house.enter("ann")
    raw.send(frame(b"x" * 3_000_000))
    assert await raw.ended() == ["protocol/too-large", 1009]


async def test_what_was_asked_before_the_protocol_was_broken_is_answered(house: Live) -> None:
    raw = await house.enter("ann")
    raw.send(said(Lobby(id=1)) + frame(b"", 3))
    assert await raw.ended() == ["LobbyList", "protocol/bad-frame", 1002]


async def test_nothing_is_heard_after_a_goodbye(house: Live) -> None:
    raw = await house.enter("ann")
    raw.send(frame(b"", CLOSE) + said(Create(game="tic_tac_toe")) + frame(b"", 3))
    assert [got.opcode for got in await raw.rest()] == [CLOSE]
    await house.until(lambda: not house.gateway.connections)
    assert house.house.rooms == {}


async def test_nothing_is_heard_after_the_protocol_was_broken(house: Live) -> None:
    raw = await house.enter("ann")
    raw.send(frame(b"\xc1") + said(Create(game="tic_tac_toe")))
    assert await raw.ended() == ["protocol/bad-frame", 1002]
    assert house.house.rooms == {}


async def test_an_unknown_type_is_no_reason_to_hang_up(house: Live) -> None:
    raw = await house.enter("ann")
    raw.send(frame(msgpack.packb({"type": "dance", "id": 4})))
    error = await raw.hear(Error)
    assert (error.code, error.re) == ("protocol/unknown-type", 4)
    await raw.ask(Lobby(id=5), LobbyList)


# ---------------------------------------------------------------- goodbyes


@pytest.mark.parametrize("code", [1000, 1001, 1011, 3000, 4999])
async def test_a_goodbye_is_answered_with_the_same(house: Live, code: int) -> None:
    raw = await house.enter("ann")
    payload = struct.pack("!H", code) + "tschüß".encode()
    raw.send(frame(payload, CLOSE))
    assert await raw.rest() == [(CLOSE, payload)]


async def test_who_closes_its_half_is_gone(house: Live) -> None:
    ann, bob = await house.enter("ann"), await house.enter("bob")
    room = (await ann.ask(Create(id=1, game="tic_tac_toe"), RoomState)).room
    await bob.ask(Join(id=1, room=room), RoomState)
    bob.send(frame(b"part of", fin=False))
    bob.writer.write_eof()
    assert [got for got in await bob.rest() if got.opcode == CLOSE] == []
    while True:
        seat = (await ann.hear(RoomState)).seats[1]
        if seat is not None and seat.absent:
            break


async def test_who_goes_before_its_welcome_disturbs_nobody(house: Live) -> None:
    for n in range(5):
        raw = await house.raw()
        await raw.upgrade(said(Hello(version=1, name=f"ann{n}")))
        raw.writer.transport.abort()
    await house.enter("eve")
    await house.until(lambda: len(house.gateway.connections) == 1)
    assert [p.who.name for p in house.house.lobby.present.values()] == ["eve"]


# ---------------------------------------------------------------- floods


async def flooded(raw: Raw, data: bytes) -> list[str | int]:
    for _ in range(40):
        raw.send(data)
        await asyncio.sleep(0)
    return [code for code in await raw.ended() if not isinstance(code, str) or "/" in code]


@pytest.mark.parametrize(
    "data",
    [frame(b"", PING), frame(b"", PONG), frame(b"x" * 125, PING)],
    ids=["pings", "pongs", "long pings"],
)
async def test_a_flood_of_control_frames_is_cut_off_and_others_play_on(
    open_house: Opener, data: bytes
) -> None:
    house: Live = await open_house(sweep_ms=50, frames_per_second=2_000)
    ann, bob = await house.enter("ann"), await house.enter("bob")
    room = (await ann.ask(Create(id=1, game="tic_tac_toe"), RoomState)).room
    await bob.ask(Watch(id=1, room=room), RoomState)
    eve = await house.enter("eve")
    flood = asyncio.ensure_future(flooded(eve, data * 1_000))
    for n in range(10):
        await ann.ask(Say(id=n, room=room, text="calm"), Ok)
        await bob.hear(Said)
    codes = await flood
    assert codes[:1] in ([], ["session/flood"])  # it may be too busy talking to hear that
    await house.until(lambda: len(house.gateway.connections) == 2)
    await ann.ask(Ready(id=99, room=room), Ok)


async def test_who_floods_and_listens_is_told_so(open_house: Opener) -> None:
    house: Live = await open_house(frames_per_second=100)
    raw = await house.enter("ann")
    raw.send(frame(b"", PONG) * 200)
    assert await raw.hear(Bye) == Bye(code="session/flood", text="more than 100 frames in a second")
    assert (await raw.read(CLOSE)).close_code == 1008


async def test_a_message_in_endless_empty_parts_is_cut_off(open_house: Opener) -> None:
    house: Live = await open_house(frames_per_second=100)
    raw = await house.enter("ann")
    raw.send(frame(b"", fin=False) + frame(b"", CONT, fin=False) * 300)
    assert (await raw.hear(Bye)).code == "session/flood"


async def test_too_many_requests_are_refused_and_then_cut_off(house: Live) -> None:
    raw = await house.enter("ann")
    raw.send(said(Lobby(follow=False)) * 400)
    frames = await raw.rest()
    assert sum(is_error(got, "session/flood") for got in frames[:-1]) == 200
    assert isinstance(frames[-2].message, Bye)
    assert frames[-1].close_code == 1008
