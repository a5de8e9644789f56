"""Addresses: what counts as one, how fast it may go, and what is read of one that has spent all."""

from __future__ import annotations

import asyncio
import errno
import itertools
import socket
from collections.abc import Callable
from functools import partial
from typing import Any, cast

import pytest

from protocol import messages
from server.config import PAGE, PART, Config
from server.net.addresses import Addresses, address_of
from server.net.listener import Listener
from server.net.sockets import SLICE, Socket
from server.rooms.wall_clock import WallClock
from tests.server.manual_loop import ManualLoop
from tests.support.live_server import LiveServer, frame, request_frame

LOBBY = messages.Lobby(id=1, follow=False)


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("/run/plyhouse.sock", ""),
    ],
)
def test_an_address_is_what_one_customer_has(host: str, address: str) -> None:
    assert address_of(host) == address


@pytest.mark.parametrize(
    ("times", "address"),
    [
        (2, lambda n: f"2001:db8:0:{n:x}::1"),  # of one /56
        (8, lambda n: f"2001:db8:0:{n << 8:x}::1"),  # of one /48
        (8, lambda n: f"203.0.113.{n}"),  # of one /24
    ],
)
def test_what_an_address_may_have_and_spend_a_network_may_some_times(
    times: int, address: Callable[[int], str]
) -> None:
    loop = ManualLoop()
    config = Config(connections_per_address=3)
    addresses = Addresses(config, WallClock(cast(asyncio.AbstractEventLoop, loop), 0))
    for n in range(times):
        each = addresses.find(address(n))
        each.count(3)
        assert each.excess() == 0
        each.charge(config.address_micros * config.saved_ms / 1000 - 1)
        assert each.debt_ms() == 0
    other = addresses.find(address(times))
    other.count(1)
    other.charge(times + 1)
    assert (other.excess(), other.debt_ms()) == (1, 1)
    stranger = addresses.find("198.51.100.7")
    stranger.count(1)
    assert (stranger.excess(), stranger.debt_ms()) == (-2, 0)
    loop.at += 60
    for n in range(times):
        addresses.find(address(n)).count(-3)
    other.count(-1)
    addresses.forget(addresses.clock.now())
    assert addresses.find(address(0)).excess() == -3


class Worker:
    """Somebody who waits, and whose work costs a millisecond each time."""

    def __init__(self, loop: ManualLoop, addresses: Addresses, host: str) -> None:
        self.loop = loop
        self.address = addresses.find(host)
        self.times: list[float] = []

    def go_on(self) -> None:
        """Work, and wait to work again."""
        self.times.append(self.loop.at)
        self.address.charge(1_000)
        self.address.pace.wait(self.go_on)


@pytest.mark.parametrize(
    "hosts",
    [["203.0.113.9"] * 4, [f"2001:db8:0:{n:x}::1" for n in range(4)]],
    ids=["one address", "one customer's IPv6 /56"],
)
def test_a_customer_has_its_share_of_the_time_and_all_of_it_have_their_turn(
    hosts: list[str],
) -> None:
    loop = ManualLoop()
    clock = WallClock(cast(asyncio.AbstractEventLoop, loop), 0)
    addresses = Addresses(Config(), clock)
    workers = [Worker(loop, addresses, host) for host in hosts]
    for worker in workers:
        worker.address.pace.wait(worker.go_on)
    begin = loop.at
    while loop.next(begin + 10):
        pass
    done = [len(worker.times) for worker in workers]
    assert sum(done) * 1_000 == pytest.approx(10 * Config().share_micros, rel=0.2)
    assert max(done) - min(done) <= 1
    times = sorted(time for worker in workers for time in worker.times)
    assert all(later - earlier > 0.003 for earlier, later in itertools.pairwise(times[4:]))


def test_addresses_that_owe_nothing_are_forgotten() -> None:
    loop = ManualLoop()
    addresses = Addresses(Config(), WallClock(cast(asyncio.AbstractEventLoop, loop), 0))
    for n in range(5):
        addresses.find(f"203.0.113.{n}").charge(1_000)
    addresses.find("203.0.113.0").count(1)
    loop.at += 60
    addresses.forget(addresses.clock.now())
    assert len(addresses) == 1


async def test_who_does_not_listen_is_read_again_after_a_while(open_server: Any) -> None:
    server: LiveServer = await open_server(connection_micros=20_000, saved_ms=200, sweep_ms=20)
    ann = await server.enter("ann")
    ann.send(request_frame(LOBBY) * 100)
    answers = [await ann.hear(messages.Push) for _ in range(100)]
    refusals = [answer for answer in answers if isinstance(answer, messages.Error)]
    assert 20 < len(refusals) < 80
    assert {answer.re for answer in answers} == {1}
    assert {error.code for error in refusals} == {"session/flood"}


async def test_a_page_is_refused_to_an_address_that_has_spent_all(open_server: Any) -> None:
    server: LiveServer = await open_server(address_micros=1_000, saved_ms=1_000)
    heads: list[str] = []
    while not heads or "404" in heads[-1]:
        page = await server.raw()
        page.send(b"GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n")
        heads.append(await page.head())
    assert len(heads) > 2
    assert "429 Too Many Requests" in heads[-1]
    assert "Retry-After: 1\r\n" in heads[-1]


async def test_an_address_is_answered_as_many_requests_as_it_can_pay(open_server: Any) -> None:
    saved = 10_000
    server: LiveServer = await open_server(address_micros=1, saved_ms=1_000 * saved)
    page, answered = await server.raw(), 0
    page.send(b"GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n" * (saved // PAGE + 2))
    while "429" not in (head := await page.head()):
        answered += 1
        await page.reader.readexactly(int(head.partition("Content-Length: ")[2].split()[0]))
    assert saved // (PAGE + 20) - 2 <= answered <= saved // PAGE


async def test_each_part_of_a_message_is_paid_for(server: LiveServer) -> None:
    ann = await server.enter("ann")
    there = server.connection("ann")
    costs = there.address.uses[0].costs
    before, message = costs.level, frame(bytes(4 * SLICE))
    ann.send(message[:-1])
    await server.until(lambda: there.unread == len(message) - 1)
    assert before - costs.level >= 5 * PART
    await ann.close()


async def test_nothing_is_written_to_who_has_gone(
    server: LiveServer, caplog: pytest.LogCaptureFixture
) -> None:
    ann = await server.enter("ann")
    there = server.connection("ann")
    there.transport.abort()
    for _ in range(20):
        there.push(b"\x82\x00", None)
    assert caplog.records == []
    await ann.close()


class NoFiles(socket.socket):
    """A listening socket of a system that has no file left."""

    def accept(self) -> Any:
        """As socket says."""
        raise OSError(errno.EMFILE, "no file left")


async def test_without_files_nobody_is_accepted_for_a_while(
    server: LiveServer, caplog: pytest.LogCaptureFixture
) -> None:
    loop = asyncio.get_running_loop()
    listener = Listener(loop, server.gateway, partial(Socket, server.gateway))
    with NoFiles() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        listener.sockets.append(listening)
        loop.add_reader(listening, listener._accept, listening)
        with socket.create_connection(listening.getsockname()):
            await asyncio.sleep(0.02)
        listener.close()
    assert len(caplog.records) == 1
    assert "no connection can be accepted" in caplog.text
