"""A member over many links, by a fake wire: no socket, no real time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from msgspec.structs import replace

from client.backoff import Backoff
from client.errors import Closed, LinkLost, OutboxFull, Unreachable
from client.inbox import FULL
from client.presence import MAX_BACKLOG, Connection, Link, Plan
from protocol.errors import Code, ProtocolError, Refusal
from protocol.messages import (
    VERSION,
    Error,
    Hello,
    LobbyList,
    Ok,
    Push,
    Request,
    Said,
    Say,
    Watch,
    Welcome,
)
from tests.client.fake_house import PATIENCE_S, lobby, room

SAY = Say(room=17, text="hm")


class Wire:
    """A link whose other end is the test."""

    def __init__(self) -> None:
        self.welcome = Welcome(version=VERSION, server="fake", name="ann", now=0, token="secret")
        self.open = True
        self.latency_ms = 12
        self.backlog = 0
        self.written: list[Request] = []
        self.closed = False
        self._in: asyncio.Queue[Push | Exception] = asyncio.Queue()
        self._wrote = asyncio.Event()

    def write(self, message: Request) -> None:
        self.written.append(message)
        self._wrote.set()

    async def read(self) -> Push:
        news = await self._in.get()
        if isinstance(news, Exception):
            raise news
        return news

    def cut(self) -> None:
        self.open = False
        self._in.put_nowait(LinkLost("cut"))

    async def close(self) -> None:
        self.closed = True

    def push(self, *news: Push | Exception) -> None:
        for one in news:
            self._in.put_nowait(one)

    async def asked(self, count: int) -> list[Request]:
        """What was written, once it is so many messages."""
        async with asyncio.timeout(PATIENCE_S):
            while len(self.written) < count:
                self._wrote.clear()
                await self._wrote.wait()
        return self.written


class World:
    """Time, and the links to come; an exception stands for an attempt that fails."""

    def __init__(self, *links: Wire | Exception) -> None:
        self.links = list(links)
        self.hellos: list[Hello] = []
        self.waits: list[float] = []
        self.time = 0.0
        self.dialled = asyncio.Event()

    async def dial(self, hello: Hello) -> Link:
        self.hellos.append(hello)
        self.dialled.set()
        if not self.links:
            await asyncio.Event().wait()
        link = self.links.pop(0)
        if isinstance(link, Exception):
            raise link
        return link

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += seconds
        await asyncio.sleep(0)

    async def enter(self, patient: bool = False, give_up_after: float | None = None) -> Connection:
        backoff = Backoff(jitter=lambda: 0.0, sleep=self.sleep, now=lambda: self.time)
        plan = Plan(self.dial, patient, give_up_after, backoff, on_link=lambda up: None)
        house = Connection(plan, Hello(version=VERSION, name="ann"))
        await house.start()
        return house


async def take(house: Connection, kind: type[Push]) -> Push:
    async with asyncio.timeout(PATIENCE_S):
        async for message in house:
            if isinstance(message, kind):
                return message
    raise AssertionError("iteration ended")


async def over(house: Connection) -> None:
    async with asyncio.timeout(PATIENCE_S):
        async for _ in house:
            pass


async def until(condition: Callable[[], object]) -> None:
    """Let everything run until the condition holds; a fake wire needs no more than some turns."""
    for _ in range(10_000):
        if condition():
            return
        await asyncio.sleep(0)
    raise AssertionError("it never did")


# ---- the waits


def test_waits_double_up_to_the_longest_and_jitter_takes_up_to_half() -> None:
    backoff = Backoff(first=0.05, longest=5.0, jitter=lambda: 0.0)
    assert [backoff.wait(n) for n in range(9)] == [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]
    assert backoff.wait(10**9) == 5.0
    assert Backoff(jitter=lambda: 1.0).wait(0) == 0.025


async def test_failed_attempts_are_ever_further_apart() -> None:
    nobody = [Unreachable("nobody") for _ in range(4)]
    wire, again = Wire(), Wire()
    world = World(wire, *nobody, again)
    async with await world.enter() as house:
        await take(house, Welcome)
        wire.cut()
        await take(house, Welcome)
        assert house.trouble is nobody[-1]
    assert world.waits == [0.05, 0.1, 0.2, 0.4, 0.8]
    assert [hello.token for hello in world.hellos] == [None] + ["secret"] * 5
    assert wire.closed


@pytest.mark.parametrize(("lasted", "wait"), [(0.5, 0.1), (1.0, 0.05)])
async def test_link_must_have_lasted_for_the_waits_to_start_afresh(
    lasted: float, wait: float
) -> None:
    wires = Wire(), Wire(), Wire()
    world = World(*wires)
    async with await world.enter() as house:
        await take(house, Welcome)
        wires[0].cut()
        await take(house, Welcome)
        world.time += lasted
        wires[1].cut()
        await take(house, Welcome)
    assert world.waits == [0.05, wait]


async def test_giving_up_counts_the_time_without_a_link() -> None:
    wire = Wire()
    world = World(wire, *(Unreachable("nobody") for _ in range(20)))
    async with await world.enter(give_up_after=1.0) as house:
        world.time = 100.0
        wire.cut()
        await over(house)
        assert world.time == pytest.approx(101.0)
        assert isinstance(house.reason, Unreachable)
        assert house.reason.text == "gave up after 1 seconds without a connection: nobody"


async def test_the_patient_give_up_too() -> None:
    world = World(*(Unreachable("nobody") for _ in range(20)))
    with pytest.raises(Unreachable, match="gave up after 1 seconds"):
        await world.enter(patient=True, give_up_after=1.0)


async def test_impatient_start_fails_at_once() -> None:
    world = World(Unreachable("nobody"))
    with pytest.raises(Unreachable, match="nobody"):
        await world.enter()
    assert world.waits == []


# ---- sending


async def test_latency_is_the_links() -> None:
    wire = Wire()
    world = World(wire)
    async with await world.enter() as house:
        assert house.latency_ms == 12
        wire.cut()
        await world.dialled.wait()
        await until(lambda: not house.linked)
        assert house.latency_ms == 0


async def test_what_is_sent_while_the_link_closes_waits_for_the_next() -> None:
    wire, again = Wire(), Wire()
    async with await World(wire, again).enter() as house:
        wire.open = False
        house.send(SAY)
        asking = asyncio.create_task(house.ready(17))
        wire.cut()
        assert (await again.asked(2))[0] == SAY
        again.push(Ok(re=1))
        assert await asking == Ok(re=1)
    assert wire.written == []


async def test_peer_that_reads_nothing_fills_the_outbox() -> None:
    wire = Wire()
    async with await World(wire).enter() as house:
        wire.backlog = MAX_BACKLOG
        with pytest.raises(OutboxFull):
            house.send(SAY)
        with pytest.raises(OutboxFull):
            await house.ready(17)
        wire.backlog = 0
        house.send(SAY)
    assert wire.written == [SAY]


# ---- restoring


async def watched(house: Connection, wire: Wire) -> None:
    """Watch room 23, and get it."""
    asking = asyncio.create_task(house.watch(23))
    await wire.asked(1)
    wire.push(room(23, seat=None, re=1))
    await asking


@pytest.mark.parametrize("busy", [Code.ROOM_BUSY, Code.SESSION_FLOOD, Code.SERVER_NOT_STORED])
async def test_watch_put_off_by_a_busy_server_is_asked_for_again(busy: Code) -> None:
    wire, again = Wire(), Wire()
    async with await World(wire, again).enter() as house:
        await watched(house, wire)
        wire.cut()
        await again.asked(1)
        again.push(Error(re=2, code=busy, text="later"))
        await again.asked(2)
        again.push(room(23, seat=None, seq=5, re=3))
        assert await take(house, type(room())) == room(23, seat=None, seq=5)
    assert [replace(request, id=None) for request in again.written] == [Watch(room=23)] * 2


async def test_watch_that_does_not_fit_the_outbox_is_asked_for_again() -> None:
    wire, again = Wire(), Wire()
    again.backlog = MAX_BACKLOG
    world = World(wire, again)
    async with await world.enter() as house:
        await watched(house, wire)
        wire.cut()
        await until(lambda: len(world.waits) == 2)
        again.backlog = 0
        await again.asked(1)


async def test_unreadable_answer_ends_a_watch() -> None:
    wire, again = Wire(), Wire()
    async with await World(wire, again).enter() as house:
        await watched(house, wire)
        wire.cut()
        await again.asked(1)
        again.push(ProtocolError(Code.PROTOCOL_UNKNOWN_TYPE, "what?", re=2, fatal=False))
        assert await take(house, Error) == Error(code=Code.PROTOCOL_UNKNOWN_TYPE, text="what?")
        assert house.linked


async def test_link_lost_while_restoring_begins_again_on_the_next() -> None:
    wires = Wire(), Wire(), Wire()
    async with await World(*wires).enter() as house:
        await watched(house, wires[0])
        wires[0].cut()
        await wires[1].asked(1)
        wires[1].cut()
        await wires[2].asked(1)
    assert wires[2].written == [Watch(room=23, id=3)]


async def test_close_while_restoring_ends_well() -> None:
    wire, again = Wire(), Wire()
    async with await World(wire, again).enter() as house:
        await watched(house, wire)
        wire.cut()
        await again.asked(1)
    assert again.closed
    assert house.reason is None


# ---- falling behind


async def test_program_that_takes_nothing_gets_a_fresh_start() -> None:
    wire, again = Wire(), Wire()
    async with await World(wire, again).enter() as house:
        wire.push(*(Said(room=1, seq=seq, name="b", text="x", at=0) for seq in range(FULL)))
        wire.push(lobby())
        await until(lambda: wire.closed and house.linked)
        again.push(lobby(5))
        assert [await take(house, Push), await take(house, Push)] == [again.welcome, lobby(5)]


async def test_welcome_finds_room_in_a_full_inbox() -> None:
    wire, again = Wire(), Wire()
    async with await World(wire, again).enter() as house:
        wire.push(*(Said(room=1, seq=seq, name="b", text="x", at=0) for seq in range(FULL - 1)))
        wire.cut()
        await until(lambda: wire.closed and house.linked)
        again.push(lobby(5))
        assert [await take(house, Push), await take(house, Push)] == [again.welcome, lobby(5)]


async def test_two_may_listen() -> None:
    wire = Wire()
    async with await World(wire).enter() as house:
        await take(house, Welcome)
        both = [asyncio.create_task(take(house, LobbyList)) for _ in range(2)]
        await asyncio.sleep(0)
        wire.push(lobby(1), lobby(2))
        assert {message.total for message in await asyncio.gather(*both)} == {1, 2}


# ---- the end


async def test_bug_in_restoring_comes_out_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(_self: Connection) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Connection, "_restore", broken)
    wire = Wire()
    house = await World(wire).enter()
    await asyncio.sleep(0)
    wire.cut()
    await over(house)
    with pytest.raises(ZeroDivisionError):
        await house.close()
    assert wire.closed


async def test_refused_resume_names_the_code_to_whoever_asks_on() -> None:
    wire = Wire()
    no = Refusal(Code.SESSION_BAD_TOKEN, "who?")
    house = await World(wire, no).enter()
    wire.cut()
    await over(house)
    assert house.reason is no

    async def ask(work: Callable[[], Awaitable[object]]) -> str:
        with pytest.raises(Closed) as error:
            await work()
        return str(error.value.code)

    assert await ask(lambda: house.ready(1)) == Code.SESSION_BAD_TOKEN
    await house.close()
    assert house.reason is no
