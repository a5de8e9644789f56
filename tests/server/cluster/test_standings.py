"""Who follows a ladder's standings goes on doing so when the ladders come from another server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import asyncpg
import pytest

from protocol import parts
from protocol.errors import Code, Refusal
from protocol.ladder import LadderCreate, LadderJoin, LadderState, LadderStatus
from protocol.messages import Error, Hello, Welcome
from server.cluster.member_table import MemberTable
from server.store.contract import RoomRow
from tests.server.cluster.far_scene import FarScene
from tests.server.cluster.test_database import House
from tests.server.cluster.test_handover import seen
from tests.server.scene import Player
from tests.support.live_server import LiveServer, RawClient, request_frame

CLOCK = parts.ClockOptions(base_ms=60_000)
MAKE = LadderCreate(id=1, name="cup", game="tic_tac_toe", clock=CLOCK, seed=1)
FOLLOW = LadderStatus(id=2, ladder="CUP", follow=True)
BOT = parts.BotInfo(program="bot", games=["tic_tac_toe"], slots=1)


class Followed:
    """A ladder at the owner, and eve at the front, who follows it."""

    def __init__(self) -> None:
        pytest.importorskip("numpy", reason="ratings need numpy")
        self.scene = FarScene()
        self.front, self.owner = self.scene.clusters
        self.scene.enter("ann").ask(MAKE, LadderState)
        self.eve: Player = self.scene.enter("eve")
        self.eve.ask(FOLLOW, LadderState)
        self.scene.pass_on()
        self.eve.heard()

    def part(self) -> None:
        """The line is cut; both notice."""
        self.front.parted(self.owner.servers.me)
        self.owner.parted(self.front.servers.me)

    def join(self) -> None:
        """The line is up again."""
        self.scene.lines.join(self.front, self.owner)
        self.wait(100)

    def wait(self, ms: int) -> None:
        """So much time goes by, in which all is heard that is said."""
        self.scene.pass_on()
        self.scene.wait(ms)
        self.scene.pass_on()

    def change(self) -> list[int]:
        """Have something change on the ladder; how often eve is told, each time as how many say."""
        self.scene.owner.services.ladders.by_name["cup"].changed()
        self.wait(2_000)
        return [state.ladder.players for state in self.eve.heard_of(LadderState)]


def test_who_follows_is_told_again_after_a_line_was_cut_and_once_only() -> None:
    followed = Followed()
    assert followed.change() == [0]
    followed.part()
    assert followed.change() == []
    followed.join()
    assert len(followed.eve.heard_of(LadderState)) == 1  # as it stands now
    assert followed.change() == [0]


def test_who_follows_no_more_or_is_gone_is_not_asked_for_again() -> None:
    for ends in ("asks", "goes"):
        followed = Followed()
        if ends == "asks":
            followed.eve.ask(LadderStatus(id=3, ladder="cup"), LadderState)
            followed.scene.pass_on()
            followed.eve.heard()
        else:
            followed.eve.go()
        assert followed.front.ladders.followed == {}
        followed.part()
        followed.join()
        assert followed.change() == []


def test_it_is_asked_once_more_while_too_much_is_on_its_way() -> None:
    followed = Followed()
    followed.part()
    routes, local = followed.scene.hub.routes, followed.scene.hub.routes[LadderStatus]
    busy = Refusal(Code.ROOM_BUSY, "too much", retry_ms=500)
    asked: list[int] = []

    def route(peer: object, request: object, now: int) -> None:
        asked.append(now)
        raise busy

    routes[LadderStatus] = route
    followed.join()
    assert len(asked) == 1
    routes[LadderStatus] = local
    followed.wait(500)
    assert followed.change() == [0, 0]
    assert followed.eve.heard_of(Error) == []


def test_who_follows_a_ladder_that_is_not_there_any_more_is_told_so() -> None:
    followed = Followed()
    followed.part()
    ladders = followed.scene.owner.services.ladders
    ladders._let_go(ladders.by_name["cup"])
    followed.join()
    assert [error.code for error in followed.eve.heard_of(Error)] == ["ladder/unknown"]


@pytest.fixture
async def house(tmp_path: Path, database: str) -> AsyncIterator[House]:
    house = House(tmp_path, database)
    yield house
    await house.close()


async def hear_of(client: RawClient, players: int) -> None:
    """Wait until standings come with so many players."""
    while (await client.hear(LadderState)).ladder.players != players:
        pass


@pytest.mark.postgres
@pytest.mark.socket
@pytest.mark.parametrize("way", ["drain", "takeover"])
async def test_standings_go_on_at_all_servers_when_the_ladders_go_to_another(
    house: House, way: str
) -> None:
    pytest.importorskip("numpy", reason="ratings need numpy")
    one, two, three = [await house.open(name) for name in ("one", "two", "three")]
    await seen(one, house, 3)
    ann, bob, eve = [await server.enter(name) for server, name in
                     ((one, "ann"), (two, "bob"), (three, "eve"))]  # fmt: skip
    await eve.ask(MAKE, LadderState)
    followers = [ann, bob, eve] if way == "drain" else [bob, eve]
    for who in followers:
        await who.ask(FOLLOW, LadderState)
    if way == "drain":
        ended = asyncio.Event()
        house.entries["one"].leave_then(ended.set)
        await asyncio.wait_for(ended.wait(), 60)
    else:
        db = await asyncpg.connect(house.database)
        await db.execute("DELETE FROM plyhouse.node WHERE id LIKE '1.%'")
        await db.close()
    ladders = two.hub.services.ladders.by_name
    await two.until(lambda: "cup" in ladders and len(ladders["cup"].followers) == len(followers))
    await join(three)
    for who in followers:
        await asyncio.wait_for(hear_of(who, 1), 60)


@pytest.mark.postgres
@pytest.mark.socket
async def test_ladders_are_here_though_the_answer_that_they_were_claimed_was_lost(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("numpy", reason="ratings need numpy")
    claim_rest, lost = MemberTable.claim_rest, list[RoomRow]()

    async def lose_the_answer(table: MemberTable, mine: Callable[[RoomRow], bool]) -> list[RoomRow]:
        rows = await claim_rest(table, mine)
        if not lost and rows:
            lost.extend(rows)
            raise ConnectionResetError("the answer was lost")
        return rows

    one = await house.open("one")
    await one.until(lambda: house.entries["one"].cluster.ladders.here)
    await (await one.enter("ann")).ask(MAKE, LadderState)
    await house.end("one")
    monkeypatch.setattr(MemberTable, "claim_rest", lose_the_answer)
    two = await house.open("two")
    await two.until(lambda: house.entries["two"].cluster.ladders.here)
    assert len(lost) == 1
    assert list(two.hub.services.ladders.by_name) == ["cup"]


async def join(server: LiveServer) -> None:
    """Have a bot join the ladder."""
    bot = await server.raw()
    await bot.upgrade(request_frame(Hello(version=1, name="own", bot=BOT)))
    await bot.hear(Welcome)
    bot.send(request_frame(LadderJoin(ladder="cup")))
