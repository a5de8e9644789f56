"""Two servers of one PostgreSQL, in one process: names, rooms, lines, leases and takeovers."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from bench.support.postgres import PostgresServer
from lab.arena.local_server import NO_ALLOWANCES
from protocol import messages
from protocol.messages import (
    Create,
    Error,
    Hello,
    Join,
    Lobby,
    LobbyList,
    MatchState,
    Ok,
    Play,
    Ready,
    RoomState,
    Watch,
    Welcome,
)
from server.admin.core.views import Listing
from server.app import opened
from server.cluster import member_table
from server.cluster.core.membership import MemberKey
from server.cluster.joining import RoomTakeover
from server.cluster.member_table import PRESENT, id_of
from server.config import Config
from server.net.door import Door
from server.place import HousePlace, advertised, entry_of
from server.store.contract import RoomRow, StoreError
from server.store.postgres import node
from tests.support.live_server import PATIENCE, LiveServer, RawClient, request_frame

pytestmark = [pytest.mark.postgres, pytest.mark.socket]
SETTINGS = [f"{name}={value}" for name, value in {**NO_ALLOWANCES, "close_grace_ms": 100}.items()]


class House:
    """Servers of one database, which come and go."""

    def __init__(self, folder: Path, database: str) -> None:
        self.folder, self.database = folder, database
        self.running: dict[str, LiveServer] = {}
        self.entries: dict[str, Any] = {}
        self.ended: list[LiveServer] = []
        self._stacks: dict[str, AsyncExitStack] = {}

    async def open(self, name: str, port: int = 0) -> LiveServer:
        """Start a server, at this port or a free one."""
        port = port or _free_port()
        url = advertised(f"127.0.0.1:{port}", secure=False)
        secret = self.folder / "cluster.secret"
        place = HousePlace(self.folder / name, self.database, url, secret=secret)
        stack = self._stacks[name] = AsyncExitStack()
        door = Door("127.0.0.1", port, [])
        config = Config().with_settings(SETTINGS)
        running = await stack.enter_async_context(opened(place, config, door))
        server = self.running[name] = LiveServer(running)
        self.entries[name] = running.entry
        return server

    async def end(self, name: str) -> None:
        """End a server in good order, while its clients are there."""
        self.ended.append(self.running.pop(name))
        await self._stacks.pop(name).aclose()

    async def close(self) -> None:
        for server in (*self.running.values(), *self.ended):
            await server.close()
        for name in list(self.running):
            await self.end(name)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
async def house(tmp_path: Path, database: str) -> AsyncIterator[House]:
    house = House(tmp_path, database)
    yield house
    await house.close()


async def newest(client: RawClient, turn: int) -> MatchState:
    """The state of a match in which it is somebody's turn after `turn`."""
    while (state := await client.hear(MatchState)).turn <= turn:
        pass
    return state


async def insist(client: RawClient, play: Play) -> int | None:
    """Send a play until it is granted; what it answers."""
    while True:
        answer = await client.ask(play, messages.Push)
        if isinstance(answer, Ok):
            return answer.re
        assert isinstance(answer, Error)
        assert answer.code in ("room/moving", "server/unanswered")
        await asyncio.sleep(0.05)


async def test_two_meet_who_came_to_two_servers_and_play_on_when_one_of_these_ends(
    house: House,
) -> None:
    one, two = await house.open("one"), await house.open("two")
    ann, bob, eve = await one.raw(), await two.raw(), await two.raw()
    token = (await ann.hello("ann")).token
    await bob.hello("bob")
    await eve.hello("eve")
    room = (await ann.ask(Create(id=1, game="tic_tac_toe"), RoomState)).room
    assert (await bob.ask(Join(id=1, room=room), RoomState)).seat == 1
    await eve.ask(Watch(id=1, room=room), RoomState)
    for who in (ann, bob):
        who.send(request_frame(Ready(room=room)))
    state = await newest(ann, 0)
    play = Play(match=state.match, turn=state.turn, action="5")
    ann.send(request_frame(play))
    shown = [await newest(who, state.turn) for who in (bob, eve)]
    assert [each.position for each in shown] == 2 * ["3/1x1/3 o"]

    await house.end("one")
    assert (await ann.hear(messages.Bye)).code == "server/moving"
    assert (await insist(bob, Play(id=5, match=state.match, turn=shown[0].turn, action="1"))) == 5
    assert (await newest(eve, shown[1].turn)).position == "o2/1x1/3 x"
    again = await two.raw()
    await again.upgrade(request_frame(Hello(version=1, token=token)))
    assert (await again.hear(Welcome)).matches == (state.match,)
    assert (await again.hear(MatchState)).legal is not None


async def test_nobody_is_told_that_a_room_is_closed_while_all_servers_start(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await house.open("one")
    ann = await one.enter("ann")
    room = (await ann.ask(Create(id=1, game="tic_tac_toe"), RoomState)).room
    await house.end("one")
    read, may_read = RoomTakeover._fetch, asyncio.Event()

    async def read_later(takeover: RoomTakeover, batch: Sequence[RoomRow]) -> bool:
        await may_read.wait()
        return await read(takeover, batch)

    monkeypatch.setattr(RoomTakeover, "_fetch", read_later)
    one, two = await house.open("one"), await house.open("two")
    there = [await one.enter("bob"), await two.enter("eve")]
    for who in there:
        assert (await who.ask(Watch(id=2, room=room), Error)).code == "room/moving"
        assert (await who.ask(Watch(id=3, room=room + 10_000), Error)).code == "lobby/no-room"
    may_read.set()
    for who in there:
        while not isinstance(
            answer := await who.ask(Watch(id=4, room=room), messages.Push), RoomState
        ):
            assert isinstance(answer, Error)
            assert answer.code == "room/moving"
            await asyncio.sleep(0.02)  # nobody tells


async def test_a_name_belongs_to_one_session_whichever_server_it_came_to(house: House) -> None:
    one, two = await house.open("one"), await house.open("two")
    ann, other = await one.raw(), await two.raw()
    token = (await ann.hello("ann")).token
    await other.upgrade(request_frame(Hello(id=1, version=1, name="Ann")))
    refusal = await other.hear(Error)
    assert (refusal.code, refusal.suggestion) == ("session/name-taken", "Ann-2")
    tab = await two.raw()
    await tab.upgrade(request_frame(Hello(version=1, token=token)))
    assert (await tab.hear(Welcome)).name == "ann"


async def test_two_who_take_one_name_at_once_do_not_both_get_it(house: House) -> None:
    servers = [await house.open("one"), await house.open("two")]
    clients = [await server.raw() for server in servers for _ in range(4)]
    for client in clients:
        await client.upgrade(request_frame(Hello(id=1, version=1, name="ann")))
    answers = [(await client.read()).message for client in clients]
    assert [type(answer) for answer in answers].count(Welcome) == 1
    refused = [answer.code for answer in answers if isinstance(answer, Error)]
    assert refused == 7 * ["session/name-taken"]


async def test_the_lobby_of_each_server_is_that_of_the_house(house: House) -> None:
    one, two = await house.open("one"), await house.open("two")
    ann, bob = await one.enter("ann"), await two.enter("bob")
    rooms = [
        (await who.ask(Create(id=1, game="connect_four"), RoomState)).room for who in (ann, bob)
    ]
    for who in (ann, bob):
        lobby = await who.ask(Lobby(id=2), LobbyList)
        while len(lobby.rooms) < 2:
            await asyncio.sleep(0.05)
            lobby = await who.ask(Lobby(id=2), LobbyList)
        assert sorted(line.room for line in lobby.rooms) == sorted(rooms)
        assert [person.name for person in lobby.people] == ["ann", "bob"]


async def test_a_server_that_was_declared_dead_stores_nothing_and_says_so(house: House) -> None:
    one = await house.open("one")
    ann = await one.enter("ann")
    room = (await ann.ask(Create(id=1, game="tic_tac_toe"), RoomState)).room
    db = await asyncpg.connect(house.database, server_settings={"search_path": "plyhouse"})
    await db.execute("DELETE FROM node")
    events = one.hub.rooms.actors[room].room.seq
    ann.send(request_frame(messages.Say(id=2, room=room, text="still here")))
    await one.until(lambda: house.entries["one"].why or one.outage.ended)
    assert await db.fetchval("SELECT max(seq) FROM event WHERE room = $1", room) == events
    await db.close()


async def test_a_host_sees_all_servers(house: House) -> None:
    one, two = await house.open("one"), await house.open("two")
    await two.enter("bob")
    answers: list[object] = []
    from server.admin.service import AdminService

    service = AdminService(one.hub, lambda: None)
    service.nodes = house.entries["one"].nodes
    await one.until(lambda: len(house.entries["one"].members()) == 2)
    await one.until(lambda: house.entries["one"].nodes()[1].connections == 1)
    service.ask("nodes", {}, "127.0.0.1", answers.append)
    (listing,) = answers
    assert isinstance(listing, Listing)
    seen = [(row.here, row.line, row.ladders, row.connections) for row in listing.rows]  # type: ignore[attr-defined]
    assert seen == [(True, False, True, 0), (False, True, False, 1)]


async def test_what_does_not_go_together_is_said_so(tmp_path: Path, house: House) -> None:
    with pytest.raises(StoreError, match="--advertise goes with --database"):
        entry_of(HousePlace(tmp_path, None, "ws://a:1/ws"))
    with pytest.raises(StoreError, match="by which address others reach it"):
        advertised("0.0.0.0:8765", secure=False)
    with pytest.raises(StoreError, match="is HOST:PORT"):
        advertised("here", secure=False)
    with pytest.raises(StoreError, match="no address of a line"):
        entry_of(HousePlace(tmp_path, house.database, "ws://a:1/ws", "nowhere"))
    with pytest.raises(StoreError, match="say by --line-at where others reach it"):
        entry_of(HousePlace(tmp_path, house.database, "ws://a:1/ws", "0.0.0.0:0"))
    known = tmp_path / "open.secret"
    known.write_text("x" * 20)
    known.chmod(0o644)
    with pytest.raises(StoreError, match="chmod 600"):
        entry_of(HousePlace(tmp_path, house.database, "ws://a:1/ws", secret=known))
    await house.open("one")
    with pytest.raises(StoreError, match="using this database"):
        async with opened(HousePlace(tmp_path / "alone", house.database), Config()):
            pass
    same = HousePlace(
        tmp_path / "same", house.database, house.entries["one"].url,
        secret=tmp_path / "cluster.secret",
    )  # fmt: skip
    with pytest.raises(
        StoreError, match=r"cluster, number 1, advertises ws:\S+ and has its line at"
    ):
        async with opened(same, Config()):
            pass


async def test_a_server_that_comes_back_at_once_waits_for_its_former_lease(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    port = _free_port()
    url = advertised(f"127.0.0.1:{port}", secure=False)
    await house.open("one")
    gone = await asyncpg.connect(
        house.database
    )  # the former run's session, which seems to be there
    db = await asyncpg.connect(house.database)
    try:
        await gone.execute(f"SELECT pg_advisory_lock({PRESENT}, 7)")
        await db.execute(
            "INSERT INTO plyhouse.node (id, epoch, addr, version, until)"
            " VALUES ('7.99999', 99999, $1, 1, now() + interval '2 seconds')", f"127.0.0.1:1 {url}"
        )  # fmt: skip
        await house.open("two", port)
        assert await db.fetchval("SELECT count(*) FROM plyhouse.node WHERE id = '7.99999'") == 0
        assert house.entries["two"].node.key.number == 2
        said = [r.message for r in caplog.records if "waiting up to" in r.message]
        (sentence,) = said
        assert re.fullmatch(
            rf"a server that has this one's address as well \(\S+ {url}\) was there until just now:"
            r" waiting up to \d\.\d s for its lease to run out",
            sentence,
        )
    finally:
        await gone.close()
        await db.close()


async def test_the_seat_of_a_machine_that_is_gone_without_a_word_is_left_to_it(
    house: House,
) -> None:
    gone = await asyncpg.connect(house.database)  # its session, which seems to be there
    try:
        await gone.execute(f"SELECT pg_advisory_lock({PRESENT}, 1)")
        await house.open("one")
        assert house.entries["one"].node.key.number == 2
    finally:
        await gone.close()


async def test_a_lease_is_renewed_though_the_session_that_was_lost_seems_to_be_there(
    house: House,
) -> None:
    one = await house.open("one")
    lease = house.entries["one"].lease
    lost, lease._table = lease._table, None  # without a word to the database
    renewed = lease.lease.value.renewed
    lease.hurry()
    await one.until(lambda: lease.lease.value.renewed > renewed)
    await one.until(lost.db.is_closed)


async def test_a_server_whose_session_has_ended_is_missed_by_one_that_is_slow(
    house: House, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await house.open("one")
    read, lease = member_table.read_members, house.entries["one"].lease

    async def read_slowly(db: Any) -> Any:
        if lease._silent and not lease._gone:
            await asyncio.sleep(0.2)  # as on a busy machine, which later is not
        return await read(db)

    monkeypatch.setattr(member_table, "read_members", read_slowly)
    seat, db = await asyncpg.connect(database), await asyncpg.connect(database)
    try:
        await seat.execute(f"SELECT pg_advisory_lock({PRESENT}, 7)")
        await db.execute(
            "INSERT INTO plyhouse.node (id, epoch, addr, version, until)"
            " VALUES ('7.99999', 99999, '127.0.0.1:1 ', 1, now() + interval '1 hour')"
        )
        await _until_watched(db, {7})
        await seat.close()
        await one.until(lambda: [m.key.number for m in house.entries["one"].members()] == [1])
    finally:
        await db.close()


async def test_who_is_a_member_no_more_takes_no_rooms(house: House) -> None:
    one = await house.open("one")
    ann = await one.enter("ann")
    room = (await ann.ask(Create(id=1, game="tic_tac_toe"), RoomState)).room
    await house.end("one")
    db = await asyncpg.connect(house.database, server_settings={"search_path": "plyhouse"})
    try:
        woken = member_table.MemberTable(db, MemberKey(7, 1))
        assert await woken.orphans() == 1
        assert await woken.claim(5, lambda row: True, []) == ([], [])
        assert await woken.claim_rest(lambda row: True) == []
        owner = await db.fetchval("SELECT owner FROM room WHERE number = $1", room)
        assert owner != id_of(woken.me)
    finally:
        await db.close()


async def test_a_watch_that_hears_nothing_is_begun_anew(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched: list[str] = []

    async def say_nothing(db: Any, lock: str) -> bool:
        watched.append(lock)
        return bool(await asyncio.get_running_loop().create_future())

    monkeypatch.setattr("server.cluster.lease.take_lock", say_nothing)
    monkeypatch.setattr("server.cluster.lease.LOCK_MS", -1_900)  # so that it waits for 0.1 s
    one = await house.open("one")
    await house.open("two")
    await one.until(lambda: len(watched) > 4)


async def test_who_has_just_come_is_watched_at_once(
    house: House, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node, "LOCK_MS", 600_000)  # for which who is watched already would be
    await house.open("one")
    await house.open("two")
    db = await asyncpg.connect(database)
    try:
        await _until_watched(db, {1, 2})
        await house.open("three")
        await _until_watched(db, {1, 2, 3})
    finally:
        await db.close()


async def test_a_lease_is_renewed_though_looking_for_rooms_takes_too_long(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.cluster.lease.ANSWER_S", 0.6)
    one = await house.open("one")
    lease = house.entries["one"].lease
    await one.until(lambda: house.entries["one"].cluster.ladders.here)
    db = await asyncpg.connect(house.database)
    try:
        async with db.transaction():
            await db.execute("LOCK TABLE plyhouse.room IN ACCESS EXCLUSIVE MODE")
            for _ in range(2):
                lease._beats = 0  # the next beat looks for rooms
                renewed = lease.lease.value.renewed
                lease.hurry()
                await one.until(lambda renewed=renewed: lease.lease.value.renewed > renewed)
                await one.until(lambda: not lease._claiming.done())
                assert lease.lease.is_good()
        assert lease.failures == 0
    finally:
        await db.close()


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")  # as a connection is given up
async def test_a_server_knows_that_it_is_cut_off_though_it_was_claiming_rooms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.cluster.entry.TTL_S", 0.6)
    monkeypatch.setattr("server.cluster.lease.ANSWER_S", 0.3)
    cut_off = asyncio.Event()
    monkeypatch.setattr("server.cluster.joining.RoomTakeover.cut_off", lambda _: cut_off.set())
    with PostgresServer(durable=False) as database:
        house = House(tmp_path, database.url())
        keep = member_table.MemberTable._keep

        async def keep_in_silence(*words: Any) -> Any:
            database.pause(True)
            return await keep(*words)

        try:
            one = await house.open("one")
            await one.until(lambda: house.entries["one"].cluster.ladders.here)
            monkeypatch.setattr(member_table.MemberTable, "_keep", keep_in_silence)
            await (await one.enter("ann")).ask(Create(id=1, game="tic_tac_toe"), RoomState)
            db = await asyncpg.connect(house.database)
            await db.execute("UPDATE plyhouse.room SET owner = NULL")
            await db.close()
            house.entries["one"].lease._beats = 0  # the next beat looks for rooms
            await asyncio.wait_for(cut_off.wait(), PATIENCE)
        finally:
            database.pause(False)
            await house.close()


async def test_a_server_that_stops_in_the_middle_of_a_claim_keeps_nobody_waiting(
    house: House,
) -> None:
    one = await house.open("one")
    lease, now = house.entries["one"].lease, asyncio.get_running_loop().time
    await one.until(lambda: lease.lease.value.is_settled(now()))
    settings = {"search_path": "plyhouse"}
    stopped, db = [await asyncpg.connect(house.database, server_settings=settings) for _ in "12"]
    try:
        await db.execute(
            "INSERT INTO node (id, epoch, addr, version, until)"
            " VALUES ('7.1', 1, '127.0.0.1:1 ', 1, now() - interval '1 second')"
        )
        await stopped.execute("BEGIN")
        await stopped.execute(member_table.BOUNDED)
        assert await stopped.fetchval(member_table.MEMBER, "7.1")
        async with asyncio.timeout(PATIENCE):
            while await db.fetchval("SELECT count(*) FROM node") > 1:  # noqa: ASYNC110
                await asyncio.sleep(0.02)  # the database tells nobody
        assert (lease.lease.is_good(), lease.failures) == (True, 0)
    finally:
        stopped.terminate()
        await db.close()


async def _until_watched(db: Any, numbers: set[int]) -> None:
    """Wait until somebody waits for the seat of each of these members, and for no other."""
    waiting: set[int] = set()
    async with asyncio.timeout(PATIENCE):
        while waiting != numbers:
            await asyncio.sleep(0.02)  # the database tells nobody
            rows = await db.fetch(
                "SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND classid = $1"
                " AND NOT granted", PRESENT
            )  # fmt: skip
            waiting = {int(row[0]) for row in rows}
