"""The fault proxy carries bytes faithfully, does every fault it names, and obeys its seed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bench.support.proxy import Fault, Faults, FrameRepeater, Proxy
from bench.support.wire import frame, handshake

pytestmark = pytest.mark.socket


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(1000):
            writer.write(data)
            await writer.drain()
    except OSError:
        return
    finally:
        writer.close()


@asynccontextmanager
async def echo_behind(seed: int, faults: Faults | None) -> AsyncIterator[Proxy]:
    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    proxy = Proxy(server.sockets[0].getsockname()[1], seed, faults)
    await proxy.start()
    try:
        yield proxy
    finally:
        await proxy.stop()
        server.close()
        await server.wait_closed()


async def send_and_count(port: int, size: int) -> int:
    """How many of `size` bytes came back, in order, before the connection broke."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    sent, got = bytes(i % 251 for i in range(size)), b""
    try:
        writer.write(sent)
        while len(got) < size and (chunk := await reader.read(1000)):
            got += chunk
    except OSError:
        pass
    writer.transport.abort()
    assert sent.startswith(got)
    return len(got)


async def test_a_good_network_carries_everything() -> None:
    async with echo_behind(1, None) as proxy:
        assert await send_and_count(proxy.port, 100_000) == 100_000
        assert not proxy.count


async def test_every_fault_happens_and_none_alters_a_byte() -> None:
    async with echo_behind(1, Faults(life=500, silence=0.05, trickle=200)) as proxy:
        got = await asyncio.gather(*(send_and_count(proxy.port, 2_000) for _ in range(40)))
        assert set(proxy.count) == set(Fault) - {Fault.REPEAT}, "these are no frames"
    assert any(0 < n < 2_000 for n in got), "cut in the middle"


async def test_the_same_seed_is_the_same_bad_network() -> None:
    counts = []
    for _ in range(2):
        async with echo_behind(7, Faults(life=300, silence=0.01, trickle=250)) as proxy:
            for _ in range(10):
                await send_and_count(proxy.port, 5_000)
            counts.append(proxy.count)
    assert counts[0] == counts[1]


async def test_nobody_behind_it_is_a_cut() -> None:
    proxy = Proxy(1, 0, None)
    await proxy.start()
    assert await send_and_count(proxy.port, 10) == 0
    assert proxy.count == {Fault.CUT: 1}
    await proxy.stop()


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_a_chosen_frame_goes_on_twice_however_its_bytes_come(size: int) -> None:
    payloads = [b"one", b"two" * 50, b"", b"three" * 20_000]
    frames = [frame(payload) for payload in payloads]
    sent = handshake("localhost", 1) + b"".join(frames)
    repeater = FrameRepeater(lambda payload: payload in (payloads[1], payloads[3]))
    got = b"".join(repeater.feed(sent[at : at + size]) for at in range(0, len(sent), size))
    repeated = [frames[0], frames[1] * 2, frames[2], frames[3] * 2]
    assert got == handshake("localhost", 1) + b"".join(repeated)


def test_what_has_come_of_a_frame_goes_on_at_once() -> None:
    repeater = FrameRepeater(lambda _: True)
    repeater.feed(handshake("localhost", 1))
    whole = frame(b"payload")
    assert repeater.feed(whole[:9]) == whole[:9]
    assert repeater.feed(whole[9:]) == whole[9:] + whole
