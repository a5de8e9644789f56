"""Each attack for a moment, at one server: what it is told, and that a newcomer notices nothing.

Times are not looked at: `plyhouse bench attack` measures them.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from bench.attacks import newcomer, sockets
from bench.attacks.campaign import BesiegedServer
from bench.attacks.hostile import HOST, Assault, AssaultPlan, AttackCounts, strike_once
from bench.attacks.strike import ATTACKS
from bench.support.wire import Wire
from protocol.messages import Lobby, LobbyList
from server.config import Config
from server.ladder.core import rating

pytestmark = [pytest.mark.socket, pytest.mark.chaos]

NETWORKS = itertools.count(20)  # each attack comes from addresses where nobody was before
LADDERS = 18
SQUATTER = 19  # but this one, who has not left when the next attack begins
ROUNDS = 30  # of a moment each, at most, until an attack is refused
# Little is saved up, and much of it let through, so that it is soon spent.
LIMITS = {"saved_ms": 300, "share_micros": 250_000, "close_grace_ms": 200}
Strike = Callable[..., AttackCounts]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BesiegedServer]:
    """A server with a bot, which must end in good order after all of it."""
    server = BesiegedServer(tmp_path_factory.mktemp("attacks") / "data", LIMITS)
    server.start()
    try:
        wait_for_bot(server)
        yield server
    except BaseException:
        server.kill()
        raise
    assert server.stop() == 0, server.complaints()
    assert "Traceback" not in server.complaints()
    assert server.lines < 100


def wait_for_bot(server: BesiegedServer) -> None:
    """Return once the house's bot is in the lobby."""
    wire = Wire(HOST, server.port)
    wire.hello()
    deadline = time.monotonic() + 30
    while not wire.ask(Lobby(id=1, follow=False), LobbyList).bots:
        assert time.monotonic() < deadline, "the bot does not come"
        time.sleep(0.02)
    wire.close()


@pytest.fixture
def strike(server: BesiegedServer) -> Strike:
    """Play an attack for a moment, or until it is refused, from addresses of its own."""

    def strike(
        name: str, until: str = "", network: int | None = None, **amount: float
    ) -> AttackCounts:
        plan = AssaultPlan(**{"seconds": 0.05, **amount})  # type: ignore[arg-type]
        return asyncio.run(attacked(name, plan, until, network or next(NETWORKS)))

    async def attacked(name: str, plan: AssaultPlan, until: str, network: int) -> AttackCounts:
        assault = Assault(server.port, plan, network)
        try:
            counts = await strike_once(assault, ATTACKS[name])
            for _ in range(ROUNDS):
                if not until or until in counts.codes or counts.turned_away:
                    break
                counts = await strike_once(assault, ATTACKS[name], prepare=False)
            return counts
        finally:
            await assault.close()

    return strike


def welcome(server: BesiegedServer) -> newcomer.NewcomerFigures:
    """Somebody comes in, and is refused nothing."""
    figures = newcomer.visit(HOST, server.port, ladders=rating.available())
    assert figures.refused == {}
    return figures


@pytest.mark.parametrize("name", ["plays", "lobby", "history", "hints", "pings"])
def test_a_flood_is_refused(strike: Strike, server: BesiegedServer, name: str) -> None:
    counts = strike(name, "session/flood", rate=8_000, crowd=2, count=2)
    assert "session/flood" in counts.codes
    welcome(server)


@pytest.mark.parametrize("name", ["storm", "metrics", "deaf", "history-gone"])
def test_who_comes_and_goes_is_in_nobodys_way(
    strike: Strike, server: BesiegedServer, name: str
) -> None:
    """All may be turned away: their address still owes for what made the attack ready."""
    counts = strike(name, rate=8_000, crowd=4, count=2)
    assert counts.messages or counts.turned_away == counts.connections > 0
    welcome(server)


@pytest.mark.parametrize("name", ["unfinished", "half-sent"])
def test_what_has_no_end_is_in_nobodys_way(
    strike: Strike, server: BesiegedServer, name: str
) -> None:
    counts = strike(name, crowd=12)
    assert sum(counts.done.values()) == counts.connections - counts.turned_away > 0
    welcome(server)


def test_lag_is_not_forged(strike: Strike, server: BesiegedServer) -> None:
    counts = strike("pongs", seconds=0.3)
    assert counts.done.get("moves", 0) > 0
    assert counts.wrong == []
    welcome(server)


def test_rooms_of_one_address_do_not_fill_the_house(strike: Strike, server: BesiegedServer) -> None:
    counts = strike("rooms", "session/flood", count=30)
    assert counts.codes.keys() & {"lobby/too-many-rooms", "session/flood"}
    welcome(server)


def test_one_customers_networks_do_not_fill_the_house_with_matches(
    strike: Strike, server: BesiegedServer
) -> None:
    counts = strike("left", "lobby/too-many-rooms", count=6, crowd=3)
    assert counts.messages or counts.turned_away
    welcome(server)


def test_takebacks_end(strike: Strike, server: BesiegedServer) -> None:
    counts = strike("takebacks", seconds=10, crowd=1, count=1)  # it ends once it is refused
    assert counts.turned_away or counts.codes.keys() & {"match/not-allowed", "session/flood"}
    welcome(server)


def test_replays_are_paid(strike: Strike, server: BesiegedServer) -> None:
    counts = strike("replays", count=4, crowd=4)
    assert counts.done.keys() <= {"answered 200", "answered 404", "answered 429", "answered 503"}
    welcome(server)


def test_ladders_that_are_over_are_in_nobodys_way(strike: Strike, server: BesiegedServer) -> None:
    strike("ladders", count=20)
    welcome(server)


def test_bots_that_never_move_hold_few_rooms(strike: Strike, server: BesiegedServer) -> None:
    counts = strike("ladder-rooms", crowd=4, network=LADDERS)
    assert counts.done["ladders opened"] == 4
    assert counts.done.get("pairs held", 0) <= Config().rooms_per_address // 2
    welcome(server)


@pytest.mark.slow
def test_anchors_are_not_to_be_held(tmp_path: Path) -> None:
    server = BesiegedServer(tmp_path / "data", anchors=True)
    server.start()

    async def strike() -> tuple[AttackCounts, dict[str, str]]:
        assault = Assault(server.port, AssaultPlan(seconds=5), next(NETWORKS))
        try:
            counts = await strike_once(assault, ATTACKS["anchors"])
            visit = partial(newcomer.visit, HOST, server.port, anchors=True)
            return counts, (await asyncio.to_thread(visit)).refused
        finally:
            await assault.close()

    try:
        wait_for_bot(server)
        counts, refused = asyncio.run(strike())
    finally:
        server.stop()
    assert counts.done["slots of anchors held"] == 1
    assert refused == {}


def test_a_ladder_has_few_players_however_many_versions_come(
    strike: Strike, server: BesiegedServer
) -> None:
    counts = strike("versions", count=3)
    assert counts.done.get("versions", 0) <= counts.done["players that the ladder has"] <= 5
    welcome(server)


def test_who_waits_for_pairs_in_vain_is_in_nobodys_way(
    strike: Strike, server: BesiegedServer
) -> None:
    counts = strike("pairing", crowd=4, rate=1_000)
    assert counts.done["rooms opened and left"]
    welcome(server)


def test_ladders_that_are_left_alone_leave_room_for_others(
    strike: Strike, server: BesiegedServer
) -> None:
    counts = strike("ladders-kept", "ladder/too-many", count=4)
    assert "ladder/too-many" in counts.codes
    welcome(server)


@pytest.mark.parametrize("name", ["invitations", "tabs"])
def test_no_stranger_takes_all_slots_of_a_bot(
    strike: Strike, server: BesiegedServer, name: str
) -> None:
    """A bot of the house has 16, of which one address gets 12."""
    strike(name, network=SQUATTER, crowd=2, count=6)
    welcome(server)


def test_names_are_not_for_the_taking(strike: Strike, server: BesiegedServer) -> None:
    counts = strike("names", "session/too-many-names", count=40)
    assert counts.turned_away
    welcome(server)


def test_seekers_fill_no_house(strike: Strike, server: BesiegedServer) -> None:
    counts = strike("seeks", "lobby/too-many-rooms", count=8, crowd=2)
    assert counts.messages or counts.turned_away
    welcome(server)


def test_nobody_is_pestered(strike: Strike, server: BesiegedServer) -> None:
    counts = strike("pestering", rate=2_000, crowd=2)
    assert counts.done["invitations that reached one person"] < counts.messages / 4
    welcome(server)


def test_chat_before_many_is_refused(strike: Strike, server: BesiegedServer) -> None:
    counts = strike("chat", "session/flood", rate=500, crowd=5)
    assert "session/flood" in counts.codes
    welcome(server)


def test_one_address_holds_few_sockets(
    strike: Strike, server: BesiegedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "LOOKS", 1)  # whoever was let in may stay for ten seconds
    counts = strike("half-open", crowd=200)
    assert counts.done["sockets still open"] < 200
    welcome(server)


def test_wrong_frames_are_answered(strike: Strike, server: BesiegedServer) -> None:
    counts = strike("malformed", count=40)
    assert counts.codes.keys() & {"protocol/bad-frame", "protocol/bad-message"}
    welcome(server)


def test_memory_is_bounded(strike: Strike, server: BesiegedServer) -> None:
    """It has gone through all of the above by now; to start takes it some 40 MB."""
    memory = server.memory()
    assert memory is None or memory < 80e6
