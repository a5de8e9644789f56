"""The server's clock at start: what the log says of the time, and what the machine says."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import Any, cast

import pytest

from protocol.messages import Create, RoomState, Welcome
from server.app import opened
from server.config import Config
from server.rooms.wall_clock import DAY_MS, WallClock, WrongClock
from server.store import open_store
from tests.server.manual_loop import ManualLoop
from tests.support.live_server import LiveServer

NOW = 1_800_000_000_000
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


@pytest.mark.parametrize(("last_at", "lines"), [(0, 0), (NOW - DAY_MS, 0), (NOW - DAY_MS - 1, 1)])
def test_a_long_gap_is_worth_a_warning(
    last_at: int, lines: int, caplog: pytest.LogCaptureFixture
) -> None:
    clock(last_at).warn_of_gap()
    assert len(caplog.records) == lines


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
