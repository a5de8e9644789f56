"""The server's clock at start: what the log says of the time, and what the machine says."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import Any, cast

import pytest

from protocol.errors import Code
from protocol.messages import (
    VERSION,
    Create,
    Decline,
    Hello,
    Invite,
    Link,
    Linked,
    MatchState,
    Ok,
    RoomState,
    Welcome,
)
from protocol.parts import BotInfo, ClockOptions, Options
from server.app import opened
from server.config import Config
from server.rooms.wall_clock import DAY_MS, GAP_MS, WallClock, WrongClock
from server.store import open_store
from tests.server.manual_loop import ManualLoop
from tests.server.scene import Scene
from tests.support.live_server import LiveServer

NOW = 1_800_000_000_000
HOUR, MINUTE = 3_600_000, 60_000
YEARS = 73 * 365 * DAY_MS


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """The machine's clock: it stands at `ms`."""
    clock = {"ms": NOW}
    monkeypatch.setattr(time, "time", lambda: clock["ms"] / 1000)
    return clock


def clock(last_at: int) -> WallClock:
    return WallClock(cast(Any, ManualLoop()), last_at)


def test_it_is_never_before_the_log_nor_far_behind_it() -> None:
    assert clock(0).now() == clock(NOW - 5).now() == NOW
    assert clock(NOW + 60_000).now() == NOW + 60_000
    assert clock(NOW + DAY_MS).now() == NOW + DAY_MS
    ahead = clock(0)
    for at in (NOW + DAY_MS + 1, NOW + YEARS, 10**17):
        with pytest.raises(WrongClock, match=r"2027-01-15 08:00 UTC.*--clock-was-wrong"):
            clock(at)
        with pytest.raises(WrongClock, match="--clock-was-wrong"):
            ahead.begin_after(at)
    assert ahead.now() == NOW


@pytest.mark.parametrize(
    ("last_at", "lines"),
    [(0, 0), (NOW - GAP_MS, 0), (NOW - GAP_MS - 1, 1), (NOW + GAP_MS, 0), (NOW + GAP_MS + 1, 1)],
)
def test_a_long_gap_is_worth_a_warning(
    last_at: int, lines: int, caplog: pytest.LogCaptureFixture
) -> None:
    clock(last_at).warn_of_gap()
    assert len(caplog.records) == lines


def wait(clock: WallClock, seconds: float) -> None:
    """Let the loop turn for so long."""
    loop = cast(Any, clock.loop)
    until = loop.at + seconds
    while loop.next(until):
        pass


def test_while_the_machine_stands_still_this_clock_does_too() -> None:
    at = clock(0)
    at.start()
    wait(at, 5)
    assert at.now() == NOW + 5_000
    cast(Any, at.loop).at += 60
    assert at.now() == NOW + 5_000
    cast(Any, at.loop).at += 0.2  # a turn of the loop that took long
    assert at.now() == NOW + 5_200
    at.stop()
    cast(Any, at.loop).at += 60
    assert at.now() == NOW + 65_200
    assert cast(Any, at.loop).pending() == 0


def test_it_goes_forward_to_the_machines_clock_and_never_back(
    machine: dict[str, int], caplog: pytest.LogCaptureFixture
) -> None:
    at, steps = clock(0), list[int]()
    at.stepped.append(steps.append)
    at.start()
    machine["ms"] += 999
    wait(at, 0.1)
    assert (at.now(), steps) == (NOW + 100, [])
    machine["ms"] += 8 * HOUR
    wait(at, 0.1)
    assert at.now() == machine["ms"]
    assert steps == [8 * HOUR + 799]
    assert "2027-01-15 16:00 UTC, 28801 s later" in caplog.text
    machine["ms"] -= 3 * HOUR
    wait(at, 0.1)
    assert at.now() == NOW + 999 + 8 * HOUR + 100
    assert len(steps) == 1


@pytest.mark.parametrize("left_ms", [3_000, MINUTE])
def test_a_play_that_lay_in_the_socket_while_the_machine_stood_still_is_in_time(
    left_ms: int, machine: dict[str, int]
) -> None:
    scene = Scene()
    scene.hub.rooms.clock.start()
    match = scene.match(options=Options(clock=ClockOptions(base_ms=left_ms, begin_ms=0)))

    def stand_still() -> None:
        """Nobody turns the loop for ten seconds."""
        scene.loop.at += 10
        machine["ms"] += 10_000

    machine["ms"] += 1_000
    scene.wait(1_000)
    stand_still()
    match.ann.say(match.play("5"))
    spent_ms = match.ann.last(MatchState).events[-1].spent_ms or 0
    assert 900 <= spent_ms <= 1_000  # up to when the loop was seen to be there last
    stand_still()  # and bob, who cannot be heard, does not lose
    scene.wait(200)
    shown = match.bob.last(MatchState).clocks
    assert shown is not None
    assert shown.remaining[0] == left_ms - spent_ms
    assert left_ms - 200 <= shown.remaining[1] <= left_ms
    machine["ms"] += left_ms
    scene.wait(left_ms + 200)
    assert match.bob.result().how == "flag"


def test_a_step_takes_nothing_from_what_waits(machine: dict[str, int]) -> None:
    scene = Scene()
    scene.hub.rooms.clock.start()
    ann, cat = scene.enter("ann"), scene.connect()
    bot = scene.enter("bob", bot=BotInfo(program="p"))
    code = ann.ask(Link(id=1), Linked).code
    ann.say(Invite(room=scene.room(ann), who="bob/p"))
    machine["ms"] += 8 * HOUR
    scene.wait(100)
    assert scene.now() == NOW + 8 * HOUR
    assert ann.refused(Invite(id=2, room=scene.room(ann), who="bob/p")) == Code.INVITE_BUSY
    bot.ask(Decline(id=1, room=1), Ok)
    cat.say(Hello(version=VERSION, link=code))
    assert cat.last(Welcome).name == "ann"


async def test_a_step_ends_no_connection(tmp_path: Path, machine: dict[str, int]) -> None:
    async with opened(tmp_path, Config().with_settings(["close_grace_ms=1"])) as running:
        server = LiveServer(running)
        raw = await server.raw()
        await raw.hello()
        machine["ms"] += 8 * HOUR
        running.gateway.clock._compare()
        assert running.gateway.now() >= NOW + 8 * HOUR
        running.gateway._sweep()
        await raw.ask(Create(id=1, game="tic_tac_toe"), RoomState)
        await server.close()


async def visit(folder: Path, **options: Any) -> tuple[int, list[int]]:
    """Enter a server, open a room there, and leave; return its time, and the times in its log."""
    async with opened(folder, Config().with_settings(["close_grace_ms=1"]), **options) as running:
        server = LiveServer(running)
        raw = await server.raw()
        now = cast(Welcome, await raw.hello()).now
        await raw.ask(Create(id=1, game="tic_tac_toe"), RoomState)
        await server.close()
    with contextlib.closing(open_store(folder)) as store:
        seen = [row.seen for row in store.sessions()]
    return now, seen


async def test_a_clock_that_was_years_ahead_once_is_refused_and_can_be_repaired(
    tmp_path: Path, machine: dict[str, int]
) -> None:
    machine["ms"] = NOW + YEARS
    assert (await visit(tmp_path))[0] >= NOW + YEARS
    with contextlib.closing(open_store(tmp_path)) as store:
        rows = store.all_events(1)
    machine["ms"] = NOW
    with pytest.raises(WrongClock, match="2099-12-28"):
        await visit(tmp_path)
    now, seen = await visit(tmp_path, clock_was_wrong=True)
    assert NOW <= now < NOW + 60_000
    assert max(seen) < NOW + 60_000
    with contextlib.closing(open_store(tmp_path)) as store:
        assert store.all_events(1)[: len(rows)] == rows  # the log stays as it is
    now, _ = await visit(tmp_path)
    assert NOW <= now < NOW + 60_000


async def test_a_room_alone_tells_of_a_clock_that_was_ahead(
    tmp_path: Path, machine: dict[str, int]
) -> None:
    machine["ms"] = NOW + YEARS
    await visit(tmp_path)
    open_store(tmp_path, clock_was_wrong=NOW).close()  # its sessions are mended, and
    machine["ms"] = NOW
    now, _ = await visit(tmp_path)  # its room is older than that
    assert NOW <= now < NOW + 60_000
    machine["ms"] = NOW - 3 * DAY_MS
    with pytest.raises(WrongClock):
        await visit(tmp_path)


def test_it_says_for_how_long_it_has_been_there_without_a_break(machine: dict[str, int]) -> None:
    here = clock(NOW - HOUR)
    here.start()
    assert here.up_ms() == 0
    wait(here, 5)
    machine["ms"] += 5_000
    assert here.up_ms() == 5_000
    machine["ms"] += HOUR  # it slept meanwhile
    wait(here, 1)
    assert here.up_ms() <= 1_000
    here.stop()
