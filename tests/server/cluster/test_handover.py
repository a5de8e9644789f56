"""A server hands over what it has while matches go on: rooms and clocks, ladders, connections."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

import asyncpg
import pytest

from protocol import parts
from protocol.ladder import LadderCreate, LadderJoin, LadderState, LadderStatus
from protocol.messages import (
    Bye,
    Create,
    Error,
    Hello,
    Join,
    MatchState,
    Play,
    Ready,
    RoomState,
    Watch,
    Welcome,
)
from server.admin.core.views import Done, Listing
from server.admin.service import AdminService
from server.cluster.member_table import id_of
from tests.server.cluster.test_database import House
from tests.support.live_server import LiveServer, RawClient, request_frame

pytestmark = [pytest.mark.postgres, pytest.mark.socket]
TIMED = parts.Options(clock=parts.ClockOptions(base_ms=600_000, begin_ms=0))


@pytest.fixture
async def house(tmp_path: Path, database: str) -> AsyncIterator[House]:
    house = House(tmp_path, database)
    yield house
    await house.close()


class Played(NamedTuple):
    """What one player saw of a match: the last state, the codes of errors, how often it played."""

    state: MatchState
    codes: list[str]
    plays: int


async def play_on(client: RawClient) -> Played:
    """Play whatever is first of what is legal, until the match is over."""
    codes: list[str] = []
    plays, turn = 0, 0
    while True:
        message = (await client.read()).message
        if isinstance(message, Error):
            codes.append(message.code)
        if not isinstance(message, MatchState):
            continue
        if message.result is not None:
            return Played(message, codes, plays)
        if message.legal and message.turn > turn:
            turn, plays = message.turn, plays + 1
            play = Play(match=message.match, turn=turn, action=message.legal[0])
            client.send(request_frame(play))


async def seat(ann: RawClient, bob: RawClient, game: str = "ultimate_tic_tac_toe") -> int:
    """A room with a match, of which nobody has read a word."""
    room = (await ann.ask(Create(id=1, game=game, options=TIMED), RoomState)).room
    await bob.ask(Join(id=1, room=room), RoomState)
    for who in (ann, bob):
        who.send(request_frame(Ready(room=room)))
    return room


def admin(house: House, name: str, stopped: list[str]) -> AdminService:
    """What a host asks of one server."""
    server, entry = house.running[name], house.entries[name]

    def stop() -> None:
        stopped.append(name)

    service = AdminService(server.hub, stop, entry.nodes, lambda: entry.leave_then(stop))
    service.acted.append(entry.cluster.host_acted)
    entry.cluster.news.acted[:] = [service.catch_up]  # in place of the server's own
    return service


async def asked(service: AdminService, verb: str, **fields: str) -> object:
    """The answer to what a host asks."""
    answer: asyncio.Future[object] = asyncio.get_running_loop().create_future()
    service.ask(verb, fields, "127.0.0.1", answer.set_result)
    return await asyncio.wait_for(answer, 60)


async def seen(server: LiveServer, house: House, count: int) -> None:
    """Wait until each server knows of all members."""
    for entry in house.entries.values():
        await server.until(lambda entry=entry: len(entry.members()) == count)


async def test_rooms_go_to_another_server_while_they_are_played(house: House) -> None:
    one, two, three = [await house.open(name) for name in ("one", "two", "three")]
    await seen(one, house, 3)
    pairs = [
        (await at.enter(f"a{n}"), await by.enter(f"b{n}"))
        for n, (at, by) in enumerate([(one, one), (one, two), (one, three)] * 3)
    ]
    rooms = [await seat(ann, bob) for ann, bob in pairs]
    eve = await one.enter("eve")
    await eve.ask(Watch(id=1, room=rooms[0]), RoomState)
    playing = [asyncio.ensure_future(play_on(who)) for pair in pairs for who in pair]
    await one.until(lambda: one.hub.rooms.actors[rooms[-1]].room.seq > 6)

    stopped: list[str] = []
    services = {name: admin(house, name, stopped) for name in house.running}
    answer = await asked(services["two"], "drain", server="1")
    assert answer == Done("server 1 hands over 9 rooms, and stops then")
    await one.until(lambda: stopped == ["one"])
    assert one.hub.rooms.total() == 0
    owners = [{n for n in rooms if n in each.hub.rooms.actors} for each in (two, three)]
    assert sorted(map(len, owners)) == [4, 5]
    assert set.union(*owners) == set(rooms)

    played = await asyncio.gather(*playing)
    assert [each.codes for each in played] == [[]] * len(played)
    for mine, yours in zip(played[::2], played[1::2], strict=True):
        assert mine.state.result == yours.state.result
        assert mine.plays + yours.plays == mine.state.ply
    while (last := await eve.hear(MatchState)).result is None:
        pass
    assert last.position == played[0].state.position

    figures = [house.entries[name].figures() for name in ("one", "two", "three")]
    assert [each.counters["rooms_handed"] for each in figures] == [9, 0, 0]
    taken = [each.counters["rooms_taken"] for each in figures]
    assert sorted(taken) == [0, 4, 5]
    assert all(each.counters["forwards"] > 0 for each in figures)
    assert [each.gauges["servers"] for each in figures] == [3, 3, 3]
    assert all(0 < each.gauges["lease_seconds"] <= 3 for each in figures)
    for name in house.running:
        assert house.entries[name].figures().drains == (name == "one")

    db = await asyncpg.connect(house.database, server_settings={"search_path": "plyhouse"})
    rows = await db.fetch("SELECT owner, count(*) FROM room WHERE open = 1 GROUP BY owner")
    assert {row[0] for row in rows} == {
        id_of(house.entries[name].node.key) for name in ("two", "three")
    }
    await db.close()


async def test_who_is_at_a_server_that_drains_is_sent_to_another_one(house: House) -> None:
    one, two = await house.open("one"), await house.open("two")
    await seen(one, house, 2)
    ann, bob = await one.enter("ann"), await two.enter("bob")
    room = await seat(ann, bob)
    await one.until(lambda: one.hub.rooms.actors[room].room.match)
    await house.end("one")
    bye = await ann.hear(Bye)
    assert (bye.code, bye.at) == ("server/moving", two.ws)
    actor = two.hub.rooms.actors[room]
    assert actor.room.playing() is not None
    assert (await bob.hear(MatchState)).room == room


async def test_what_a_player_has_used_of_its_time_goes_along(house: House) -> None:
    one, two = await house.open("one"), await house.open("two")
    await seen(one, house, 2)
    ann, bob = await one.enter("ann"), await one.enter("bob")
    room = await seat(ann, bob)
    await bob.hear(MatchState)
    match = one.hub.rooms.actors[room].room.match
    assert match is not None
    one.hub.rooms.actors[room].room = _thinking_since(one.hub.rooms.actors[room].room, 60_000)
    house.entries["one"].leave_then(lambda: None)
    await one.until(lambda: room in two.hub.rooms.actors)
    clock = two.hub.rooms.actors[room].room.match.clock  # type: ignore[union-attr]
    assert 60_000 <= clock.spent(clock.running or 0, two.hub.now()) < 70_000
    assert clock.paused is None


def _thinking_since(room: object, ms: int) -> object:
    from msgspec.structs import replace

    clock = room.match.clock  # type: ignore[attr-defined]
    clock = clock._replace(since=clock.since - ms)
    return replace(room, match=replace(room.match, clock=clock))  # type: ignore[attr-defined,type-var]


async def test_a_host_sees_who_drains_and_is_told_what_cannot_be(house: House) -> None:
    one = await house.open("one")
    stopped: list[str] = []
    service = admin(house, "one", stopped)
    assert "no other server" in str(await asked(service, "drain", server="1"))
    assert "there is no server 7; there are: 1" in str(await asked(service, "drain", server="7"))
    two = await house.open("two")
    await seen(one, house, 2)
    other = admin(house, "two", stopped)
    await one.until(lambda: two.hub.rules.seq == one.hub.rules.seq)
    house.entries["two"].cluster.drain()
    listing = await asked(other, "nodes")
    assert isinstance(listing, Listing)
    assert [row.drains for row in listing.rows] == [False, True]  # type: ignore[attr-defined]
    await one.until(lambda: [row.drains for row in house.entries["one"].nodes()] == [False, True])
    assert isinstance(await asked(service, "drain", server="2"), Done)  # once more: at once
    await one.until(lambda: stopped == ["two"])


async def compete(client: RawClient, codes: list[str]) -> None:
    """Play in all matches whatever is first of what is legal, for ever."""
    done: set[tuple[str, int]] = set()
    while True:
        message = (await client.read()).message
        if isinstance(message, Error):
            codes.append(message.code)
        if not isinstance(message, MatchState) or not message.legal or message.result is not None:
            continue
        if (message.match, message.turn) not in done:
            done.add((message.match, message.turn))
            play = Play(match=message.match, turn=message.turn, action=message.legal[0])
            client.send(request_frame(play))


async def test_ladders_go_on_at_another_server_with_the_pairs_that_are_played(house: House) -> None:
    pytest.importorskip("numpy", reason="ratings need numpy")
    one, two, three = [await house.open(name) for name in ("one", "two", "three")]
    await seen(one, house, 3)
    games, clock = ("connect_four", "backgammon"), parts.ClockOptions(base_ms=600_000)
    owner = await three.enter("owner")
    for n, game in enumerate(games):
        await owner.ask(
            LadderCreate(id=n, name=game, game=game, clock=clock, format="roundrobin:4", players=2),
            LadderState,
        )
    codes: list[str] = []
    bots = [await at.raw() for at in (two, three)]
    for n, bot in enumerate(bots):
        info = parts.BotInfo(program=f"bot{n}", games=list(games), slots=8)
        await bot.upgrade(request_frame(Hello(version=1, name=f"own{n}", bot=info)))
        await bot.hear(Welcome)
    for bot in bots:
        for game in games:
            bot.send(request_frame(LadderJoin(ladder=game)))
    playing = [asyncio.ensure_future(compete(bot, codes)) for bot in bots]

    def legs(server: LiveServer) -> int:
        """How many rooms of ladders a server has in which something was played."""
        rooms = [actor.room for actor in server.hub.rooms.actors.values()]
        return sum(1 for room in rooms if room.leg is not None and room.seq > 6)

    await one.until(lambda: legs(one) >= 4)
    before = {n for n, actor in one.hub.rooms.actors.items() if actor.room.match is not None}
    ended = asyncio.Event()
    house.entries["one"].leave_then(ended.set)
    await asyncio.wait_for(ended.wait(), 60)
    assert not one.hub.services.ladders.by_name
    assert before & set(two.hub.rooms.actors)
    ladders = two.hub.services.ladders.by_name
    await two.until(lambda: sorted(ladders) == sorted(games))
    async with asyncio.timeout(60):
        while not all(actor.ladder.finished for actor in ladders.values()):  # noqa: ASYNC110
            await asyncio.sleep(0.05)  # nobody tells
    for actor in ladders.values():
        over = actor.ladder.over
        assert [pair.void for pair in over] == [None] * 4
    for task in playing:
        task.cancel()
    assert codes == []
    status = await owner.ask(LadderStatus(id=9, ladder="backgammon"), LadderState)
    assert status.ladder.state == "finished"


async def test_a_server_says_over_http_which_it_is_and_that_no_players_should_come(
    house: House,
) -> None:
    one, two = await house.open("one"), await house.open("two")
    await seen(one, house, 2)
    assert {"ok": True, "node": 2, "draining": False}.items() <= (await page(two, "")).items()
    assert await page(two, "/ready") == {"ok": True, "obstacles": []}
    house.entries["two"].cluster.drain()
    assert (await page(two, ""))["draining"] is True
    (why,) = (await page(two, "/ready"))["obstacles"]
    assert why == "the server hands its rooms over to others, and stops then"
    assert (await page(one, "/ready"))["ok"] is True


async def page(server: LiveServer, path: str) -> dict[str, Any]:
    """The page /healthz of a server, or one below it."""
    raw = await server.raw()
    raw.send(f"GET /healthz{path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
    length = re.search(r"(?i)content-length: (\d+)", await raw.head())
    assert length is not None
    body: dict[str, Any] = json.loads(await raw.reader.readexactly(int(length[1])))
    return body
