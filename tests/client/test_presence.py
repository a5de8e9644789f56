"""A member over many links, by a fake wire: no socket, no real time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace

from client.backoff import Backoff
from client.errors import ConnectionOver, LinkLost, OutboxFull, Unreachable
from client.inbox import FULL
from client.presence import MAX_BACKLOG, Connection, ConnectPlan, ServerLink
from protocol import messages
from protocol.errors import Code, ProtocolError, Refusal
from tests.client.fake_server import PATIENCE_S, lobby, rest, room, take

SAY = messages.Say(room=17, text="hm")


class Wire:
    """A link whose other end is the test."""

    def __init__(self) -> None:
        self.welcome = messages.Welcome(
            version=messages.VERSION, server="fake", name="ann", now=0, token="secret"
        )
        self.open = True
        self.latency_ms = 12
        self.alive = True
        self.backlog = 0
        self.written: list[messages.Request] = []
        self.closed = False
        self._in: asyncio.Queue[messages.Push | Exception] = asyncio.Queue()
        self._wrote = asyncio.Event()

    def write(self, message: messages.Request) -> None:
        self.written.append(message)
        self._wrote.set()

    async def read(self) -> messages.Push:
        news = await self._in.get()
        if isinstance(news, Exception):
            raise news
        return news

    async def answers(self, within_s: float) -> bool:
        return self.alive

    def cut(self) -> None:
        self.open = False
        self._in.put_nowait(LinkLost("cut"))

    async def close(self) -> None:
        self.closed = True

    def push(self, *news: messages.Push | Exception) -> None:
        for one in news:
            self._in.put_nowait(one)

    async def asked(self, count: int) -> list[messages.Request]:
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
        self.hellos: list[messages.Hello] = []
        self.waits: list[float] = []
        self.sent_to: list[str] = []  # where a server has sent us
        self.time = 0.0

    async def dial(self, hello: messages.Hello) -> ServerLink:
        self.hellos.append(hello)
        if not self.links:
            await asyncio.Event().wait()
        link = self.links.pop(0)
        if isinstance(link, Exception):
            raise link
        return link

    async def dial_at(self, url: str, hello: messages.Hello) -> ServerLink:
        self.sent_to.append(url)
        return await self.dial(hello)

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += seconds
        await asyncio.sleep(0)

    async def enter(self, patient: bool = False, give_up_after: float | None = None) -> Connection:
        backoff = Backoff(jitter=lambda: 0.0, sleep=self.sleep, now=lambda: self.time)
        plan = ConnectPlan(
            self.dial, patient, give_up_after, backoff, lambda up: None, dial_at=self.dial_at
        )
        connection = Connection(plan, messages.Hello(version=messages.VERSION, name="ann"))
        await connection.start()
        return connection


async def until(condition: Callable[[], object]) -> None:
    """Let everything run until the condition holds; a fake wire needs no more than some turns."""
    for _ in range(10_000):
        if condition():
            return
        await asyncio.sleep(0)
    raise AssertionError("it never did")


def test_waits_double_up_to_the_longest_and_jitter_takes_up_to_half() -> None:
    backoff = Backoff(first=0.05, longest=5.0, jitter=lambda: 0.0)
    assert [backoff.wait(n) for n in range(9)] == [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]
    assert backoff.wait(10**9) == 5.0
    assert Backoff(jitter=lambda: 1.0).wait(0) == 0.025


async def test_failed_attempts_are_ever_further_apart() -> None:
    nobody = [Unreachable("nobody") for _ in range(4)]
    wire, again = Wire(), Wire()
    world = World(wire, *nobody, again)
    async with await world.enter() as connection:
        await take(connection, messages.Welcome)
        wire.cut()
        await take(connection, messages.Welcome)
        assert connection.trouble is nobody[-1]
    assert world.waits == [0.05, 0.1, 0.2, 0.4, 0.8]
    assert [hello.token for hello in world.hellos] == [None] + ["secret"] * 5
    assert wire.closed


@pytest.mark.parametrize(("lasted", "wait"), [(0.5, 0.1), (1.0, 0.05)])
async def test_link_must_have_lasted_for_the_waits_to_start_afresh(
    lasted: float, wait: float
) -> None:
    wires = Wire(), Wire(), Wire()
    world = World(*wires)
    async with await world.enter() as connection:
        await take(connection, messages.Welcome)
        wires[0].cut()
        await take(connection, messages.Welcome)
        world.time += lasted
        wires[1].cut()
        await take(connection, messages.Welcome)
    assert world.waits == [0.05, wait]


def moving(at: str | None) -> messages.Bye:
    return messages.Bye(code=Code.SERVER_MOVING, text="come back there", at=at)


async def test_who_is_sent_to_another_server_goes_there_at_once_and_back_if_it_cannot() -> None:
    wires = Wire(), Wire(), Wire()
    world = World(wires[0], wires[1], Unreachable("nobody"), wires[2])
    async with await world.enter() as connection:
        await take(connection, messages.Welcome)
        wires[0].push(moving("ws://b/ws"), LinkLost("1012"))
        await take(connection, messages.Welcome)
        assert (world.sent_to, world.waits) == (["ws://b/ws"], [])
        world.time += 1.0
        wires[1].push(moving("ws://c/ws"), LinkLost("1012"))
        await take(connection, messages.Welcome)
    assert (world.sent_to, world.waits) == (["ws://b/ws", "ws://c/ws"], [0.1])


async def test_two_servers_that_send_us_to_each_other_are_met_with_pauses() -> None:
    wires = [Wire() for _ in range(4)]
    world = World(*wires)
    async with await world.enter() as connection:
        for wire in wires[:3]:
            await take(connection, messages.Welcome)
            wire.push(moving("ws://b/ws"), LinkLost("1012"))
        await take(connection, messages.Welcome)
    assert (len(world.sent_to), world.waits) == (1, [0.1, 0.2])


async def test_giving_up_counts_the_time_without_a_link() -> None:
    nobody = [Unreachable("nobody") for _ in range(20)]
    wire = Wire()
    world = World(wire, *nobody)
    async with await world.enter(give_up_after=1.0) as connection:
        world.time = 100.0
        wire.cut()
        await rest(connection)
        assert world.time == pytest.approx(101.0)
        assert isinstance(connection.reason, Unreachable)
        assert connection.reason.text == "gave up after 1 seconds without a connection: nobody"
        assert connection.latency_ms == 0
    with pytest.raises(Unreachable, match="gave up after 1 seconds"):
        await World(*nobody).enter(patient=True, give_up_after=1.0)
    impatient = World(*nobody)
    with pytest.raises(Unreachable, match="nobody"):
        await impatient.enter()
    assert impatient.waits == []


async def test_what_is_sent_while_the_link_closes_waits_for_the_next() -> None:
    wire, again = Wire(), Wire()
    async with await World(wire, again).enter() as connection:
        assert connection.latency_ms == 12
        wire.open = False
        connection.send(SAY)
        asking = asyncio.create_task(connection.ready(17))
        wire.cut()
        assert (await again.asked(2))[0] == SAY
        again.push(messages.Ok(re=1))
        assert await asking == messages.Ok(re=1)
    assert wire.written == []


async def test_peer_that_reads_nothing_fills_the_outbox() -> None:
    wire = Wire()
    async with await World(wire).enter() as connection:
        wire.backlog = MAX_BACKLOG
        with pytest.raises(OutboxFull):
            connection.send(SAY)
        with pytest.raises(OutboxFull):
            await connection.ready(17)
        wire.backlog = 0
        connection.send(SAY)
    assert wire.written == [SAY]


@asynccontextmanager
async def watching(*again: Wire) -> AsyncIterator[tuple[Connection, World]]:
    """Watch room 23, and lose the link; the next ones are these."""
    wire = Wire()
    world = World(wire, *again)
    async with await world.enter() as connection:
        asking = asyncio.create_task(connection.watch(23))
        await wire.asked(1)
        wire.push(room(23, seat=None, re=1))
        await asking
        wire.cut()
        yield connection, world


@pytest.mark.parametrize(
    "busy",
    [Code.ROOM_BUSY, Code.SESSION_FLOOD, Code.SERVER_NOT_STORED, Code.SERVER_UNANSWERED],
)
async def test_watch_put_off_by_a_busy_server_is_asked_for_again(busy: Code) -> None:
    again = Wire()
    async with watching(again) as (connection, _):
        await again.asked(1)
        again.push(messages.Error(re=2, code=busy, text="later"))
        await again.asked(2)
        again.push(room(23, seat=None, seq=5, re=3))
        assert await take(connection, type(room())) == room(23, seat=None, seq=5)
    assert [replace(request, id=None) for request in again.written] == [messages.Watch(room=23)] * 2


async def test_watch_that_does_not_fit_the_outbox_is_asked_for_again() -> None:
    again = Wire()
    again.backlog = MAX_BACKLOG
    async with watching(again) as (_, world):
        await until(lambda: len(world.waits) == 2)
        again.backlog = 0
        await again.asked(1)


async def test_unreadable_answer_ends_a_watch() -> None:
    again = Wire()
    async with watching(again) as (connection, _):
        await again.asked(1)
        again.push(ProtocolError(Code.PROTOCOL_UNKNOWN_TYPE, "what?", re=2, fatal=False))
        assert await take(connection, messages.Error) == messages.Error(
            code=Code.PROTOCOL_UNKNOWN_TYPE, text="what?"
        )
        assert connection.linked


async def test_link_lost_while_restoring_begins_again_on_the_next() -> None:
    wires = Wire(), Wire()
    async with watching(*wires):
        await wires[0].asked(1)
        wires[0].cut()
        await wires[1].asked(1)
    assert wires[1].written == [messages.Watch(room=23, id=3)]


async def test_close_while_restoring_ends_well() -> None:
    again = Wire()
    async with watching(again) as (connection, _):
        await again.asked(1)
    assert again.closed
    assert connection.reason is None


@pytest.mark.parametrize("full", [True, False], ids=["full", "full but for the next welcome"])
async def test_program_that_takes_nothing_gets_a_fresh_start(full: bool) -> None:
    wire, again = Wire(), Wire()
    async with await World(wire, again).enter() as connection:
        wire.push(
            *(messages.Said(room=1, seq=seq, name="b", text="x", at=0) for seq in range(FULL - 1))
        )
        if full:
            wire.push(lobby(), lobby())
        else:
            wire.cut()
        await until(lambda: wire.closed and connection.linked)
        again.push(lobby(5))
        assert [await take(connection), await take(connection)] == [again.welcome, lobby(5)]


async def test_two_may_listen() -> None:
    wire = Wire()
    async with await World(wire).enter() as connection:
        await take(connection, messages.Welcome)
        both = [asyncio.create_task(take(connection, messages.LobbyList)) for _ in range(2)]
        await asyncio.sleep(0)
        wire.push(lobby(1), lobby(2))
        assert {message.total for message in await asyncio.gather(*both)} == {1, 2}


async def test_bug_in_restoring_comes_out_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(_self: Connection) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Connection, "_restore", broken)
    wire = Wire()
    connection = await World(wire).enter()
    await asyncio.sleep(0)
    wire.cut()
    await rest(connection)
    with pytest.raises(ZeroDivisionError):
        await connection.close()
    assert wire.closed


async def test_refused_resume_is_final_and_names_the_code_to_whoever_asks_on() -> None:
    wire = Wire()
    no = Refusal(Code.SESSION_BAD_TOKEN, "who?")
    connection = await World(wire, no).enter()
    wire.cut()
    assert await rest(connection) == [wire.welcome]
    with pytest.raises(ConnectionOver, match="who") as error:
        await connection.ready(1)
    assert error.value.code == Code.SESSION_BAD_TOKEN
    await connection.close()
    assert connection.reason is no


async def test_what_the_server_puts_off_is_asked_again_when_it_says() -> None:
    wire, world = Wire(), World()
    world.links.append(wire)
    async with await world.enter() as connection:
        asking = asyncio.create_task(connection.history(23))
        for number, busy in enumerate((Code.SESSION_FLOOD, Code.INVITE_BUSY), 1):
            await wire.asked(number)
            wire.push(messages.Error(re=number, code=busy, text="later", retry_ms=400))
        await wire.asked(3)
        wire.push(messages.HistoryPage(room=23, events=(), re=3))
        await asking
    assert world.waits == [0.4, 0.4]


async def test_nobody_waits_for_more_than_a_minute() -> None:
    wire, world = Wire(), World()
    world.links.append(wire)
    async with await world.enter() as connection:
        asking = asyncio.create_task(connection.history(23))
        for number, wait in enumerate((40_000, 40_000), 1):
            await wire.asked(number)
            no = messages.Error(re=number, code=Code.SESSION_FLOOD, text="later", retry_ms=wait)
            wire.push(no)
        with pytest.raises(Refusal, match="later"):
            await asking
    assert world.waits == [40.0]


async def heard(connection: Connection, message: messages.Push) -> None:
    """Wait until this was heard."""
    async with asyncio.timeout(PATIENCE_S):
        while await anext(connection) != message:
            pass


async def test_a_line_that_does_not_answer_is_given_up_and_told_from_a_server_that_was_away() -> (
    None
):
    first, second, third = Wire(), Wire(), Wire()
    second.welcome = replace(second.welcome, up_ms=60_000)
    third.welcome = replace(third.welcome, up_ms=10)
    world = World(first, second, third)
    async with await world.enter() as connection:
        await connection.check(1.0)
        assert connection.linked
        assert connection.outage is None
        first.alive = False
        await connection.check(1.0)
        await heard(connection, second.welcome)
        assert connection.outage is not None
        assert connection.outage.seconds > 0
        assert not connection.outage.servers
        second.cut()
        await heard(connection, third.welcome)
        assert connection.outage.servers
