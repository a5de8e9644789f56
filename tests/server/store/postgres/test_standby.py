"""A standby that lacks the last moments takes the primary's place: none is written behind them."""

from __future__ import annotations

import asyncio
import shutil
import socket
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import NamedTuple

import asyncpg
import pytest

from bench.support.postgres import LOCALHOST, SUPERUSER, NoPostgres, PostgresServer, programs
from lab.arena.local_server import NO_ALLOWANCES
from protocol.messages import (
    Bye,
    Create,
    Hello,
    Join,
    MatchState,
    Notice,
    Play,
    Ready,
    RoomState,
    Watch,
)
from server.app import opened
from server.config import Config
from server.net.door import Door
from server.place import HousePlace, advertised
from server.store.contract import Fenced, RoomRow, WentBack
from server.store.postgres.copies import look
from server.store.postgres.store import open_postgres
from tests.server.store.rows import append, event, read, seqs
from tests.support.live_server import LiveServer, RawClient, request_frame

pytestmark = [pytest.mark.postgres, pytest.mark.socket]
SETTINGS = [f"{name}={value}" for name, value in {**NO_ALLOWANCES, "close_grace_ms": 100}.items()]


async def test_a_database_that_lacks_what_was_stored_last_is_written_to_no_more(
    database: str,
) -> None:
    store = await open_postgres(database)
    other = await asyncpg.connect(database, server_settings={"search_path": "plyhouse"})
    ended: list[Fenced] = []
    store.news.ended.append(ended.append)
    assert await append(store, event(1, 1), event(1, 2), RoomRow(1, 1)) is None
    assert await append(store, event(1, 3)) is None
    await other.execute("DELETE FROM event WHERE seq = 3")
    await other.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
        " AND datname = current_database()"
    )
    assert isinstance(await append(store, event(1, 4)), WentBack)
    assert [type(each) for each in ended] == [WentBack]
    assert seqs(await read(store, 1)) == [1, 2]
    await store.aclose()
    again = await open_postgres(database)
    assert await append(again, event(1, 3)) is None
    await other.execute("DELETE FROM event WHERE seq = 2")
    assert (await look(database)).missing == ((1, 1),)
    await again.aclose()
    await other.close()


class Pair(NamedTuple):
    """A primary, and a standby that follows it without being waited for."""

    primary: PostgresServer
    standby: PostgresServer

    @property
    def url(self) -> str:
        hosts = ",".join(f"{LOCALHOST}:{each.port}" for each in self)
        return f"postgresql://{SUPERUSER}@{hosts}/postgres?target_session_attrs=read-write"

    def cut(self) -> None:
        """Let nothing more come to the standby."""
        self.standby.run_sql(["ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()"])
        while self.standby.run_sql(["SELECT count(*) FROM pg_stat_wal_receiver"]) != "0":
            pass

    def caught_up(self) -> None:
        """Wait until the standby has all that there is."""
        newest = self.primary.run_sql(["SELECT pg_current_wal_flush_lsn()"])
        has_it = [f"SELECT pg_last_wal_replay_lsn() >= '{newest}'"]
        while self.standby.run_sql(has_it) != "t":
            pass

    def fail_over(self) -> None:
        self.primary.kill()
        self.standby.run_sql(["SELECT pg_promote()"])


@pytest.fixture
def pair() -> Iterator[Pair]:
    try:
        primary, standby = [PostgresServer(durable=False) for _ in range(2)]
    except NoPostgres as error:
        pytest.skip(str(error))
    with primary:
        shutil.rmtree(standby.folder / "data")
        words = [programs() / "pg_basebackup", "-D", "data", "-R", "-X", "stream", "-c", "fast"]
        subprocess.run(
            [*words, "-h", LOCALHOST, "-p", str(primary.port), "-U", SUPERUSER],
            cwd=standby.folder, user=standby.user, check=True,
        )  # fmt: skip
        with standby:
            yield Pair(primary, standby)


class House:
    """One server or two, over a primary and its standby; each ends by itself, as when served."""

    def __init__(self, folder: Path, pair: Pair, count: int) -> None:
        self.folder, self.pair, self.count = folder, pair, count
        self.ports = [_free_port() for _ in range(count)]
        self.servers: list[LiveServer] = []
        self.ends: list[asyncio.Event] = []
        self._runs: list[asyncio.Task[None]] = []

    async def open(self) -> None:
        """Begin, one server after the other."""
        self.servers, self.ends, self._runs = [], [], []
        for port in self.ports:
            begun: asyncio.Future[LiveServer] = asyncio.get_running_loop().create_future()
            self.ends.append(asyncio.Event())
            self._runs.append(asyncio.create_task(self._serve(port, begun, self.ends[-1])))
            await asyncio.wait({begun, self._runs[-1]}, return_when=asyncio.FIRST_COMPLETED)
            self.servers.append(begun.result() if begun.done() else await self._runs[-1])  # type: ignore[func-returns-value]

    async def _serve(
        self, port: int, begun: asyncio.Future[LiveServer], end: asyncio.Event
    ) -> None:
        url = advertised(f"{LOCALHOST}:{port}", secure=False) if self.count > 1 else None
        secret = self.folder / "cluster.secret"
        place = HousePlace(self.folder / str(port), self.pair.url, url, secret=secret)
        config, door = Config().with_settings(SETTINGS), Door(LOCALHOST, port, [])
        async with opened(place, config, door, None, False, end) as running:
            server = LiveServer(running)
            begun.set_result(server)
            await end.wait()
        await server.close()

    async def ended(self) -> None:
        """Wait until all have ended."""
        async with asyncio.timeout(60):
            await asyncio.gather(*self._runs)

    async def close(self) -> None:
        for end in self.ends:
            end.set()
        await self.ended()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOCALHOST, 0))
        return int(probe.getsockname()[1])


@pytest.fixture
async def house(tmp_path: Path, pair: Pair, request: pytest.FixtureRequest) -> AsyncIterator[House]:
    house = House(tmp_path, pair, request.param)
    await house.open()
    yield house
    await house.close()


async def shown(client: RawClient, position: str) -> MatchState:
    """Wait for a position of a match."""
    while (state := await client.hear(MatchState)).position != position:
        pass
    return state


@pytest.mark.slow
@pytest.mark.parametrize("house", [1, 2], indirect=True)
async def test_all_who_saw_what_a_standby_lacks_are_told_and_play_on_from_what_it_has(
    house: House,
) -> None:
    pair, (first, last) = house.pair, (house.servers[0], house.servers[-1])
    ann, bob, eve = await first.raw(), await last.raw(), await last.enter("eve")
    tokens = [(await ann.hello("ann")).token, (await bob.hello("bob")).token]
    room = (await ann.ask(Create(id=1, game="tic_tac_toe"), RoomState)).room
    assert (await bob.ask(Join(id=1, room=room), RoomState)).seat == 1
    await eve.ask(Watch(id=1, room=room), RoomState)
    for who in (ann, bob):
        who.send(request_frame(Ready(room=room)))
    state = await shown(ann, "3/3/3 x")
    ann.send(request_frame(Play(match=state.match, turn=state.turn, action="5")))
    state = await shown(bob, "3/1x1/3 o")
    await asyncio.to_thread(pair.caught_up)
    await asyncio.to_thread(pair.cut)

    bob.send(request_frame(Play(match=state.match, turn=state.turn, action="1")))
    state = await shown(ann, "o2/1x1/3 x")
    ann.send(request_frame(Play(match=state.match, turn=state.turn, action="9")))
    await shown(eve, "o2/1x1/2x o")
    lost = (await ann.ask(Create(id=2, game="tic_tac_toe"), RoomState)).room
    carol = await last.raw()
    gone = await carol.hello("carol")
    number = last.hub.lobby.names.by_name["carol"]
    await asyncio.to_thread(pair.fail_over)

    for who in (ann, bob, eve):
        text = (await who.hear(Notice)).text
        assert "the last 2 moves were lost with the database; it is bob to move" in text
        await who.hear(Bye)
    await house.ended()
    assert all(isinstance(each.outage.ended, WentBack) for each in (first, last))
    await house.open()
    first, last = house.servers[0], house.servers[-1]
    ann, bob = await first.raw(), await last.raw()
    for who, token in zip((ann, bob), tokens, strict=True):
        await who.upgrade(request_frame(Hello(version=1, token=token)))
    state = await shown(bob, "3/1x1/3 o")
    bob.send(request_frame(Play(match=state.match, turn=state.turn, action="9")))
    await shown(ann, "3/1x1/2o x")
    assert (await ann.ask(Create(id=3, game="tic_tac_toe"), RoomState)).room > lost
    dave = await last.raw()
    await dave.hello("dave")
    assert gone.token
    if house.count > 1:
        assert last.hub.lobby.names.by_name["dave"] > number
    assert (await look(pair.url)).missing == ()
