"""The garbage collector looks the more seldom, the more connections there are."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path

import pytest

from server import collector
from server.app import opened
from server.config import Config


class Idle:
    """A connection that nothing is due for."""

    def waits_for_nothing(self) -> bool:
        return True

    def hang_up(self) -> None:
        """It has no socket."""

    drop = hang_up

    def sweep(self, now: int) -> None:
        """Nothing is due."""


async def test_a_server_fits_the_collector_to_its_connections(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    thresholds: list[tuple[int, ...]] = []
    looks: list[int] = []
    monkeypatch.setattr(gc, "set_threshold", lambda *each: thresholds.append(each))
    monkeypatch.setattr(gc, "get_count", lambda: (collector.MIN_OBJECTS + 1, len(looks), 0))
    monkeypatch.setattr(gc, "collect", lambda generation=2: looks.append(generation) or 0)
    async with opened(tmp_path, Config().with_settings(["sweep_ms=10"])) as running:
        assert thresholds == [(collector.MIN_OBJECTS, *collector.OLDER)]
        crowd = [Idle() for _ in range(2_000)]
        running.gateway.sockets.update(crowd)
        while len(thresholds) < 9:  # noqa: ASYNC110  (nobody tells)
            await asyncio.sleep(0.005)
        running.gateway.sockets.difference_update(crowd)
    assert looks[1:8] == [0, 0, 0, 0, 0, 1, 1]  # the first is that of the start
    assert thresholds[8] == (2_000 * collector.EACH, *collector.OLDER)
