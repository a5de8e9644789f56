"""A PostgreSQL comes back from a loss of power as it promises, and not where it syncs nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bench.plug import database
from bench.plug.plug import PlugReport, try_images

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.socket,
    pytest.mark.skipif(shutil.which("strace") is None, reason="there is no strace"),
]


async def tried(folder: Path, images: int, durable: bool = True) -> PlugReport:
    trial = database.DatabaseTrial(folder, rooms=2, seconds=1, durable=durable)
    operations = await trial.carry_out()
    kind = database.DatabaseImage
    return try_images(operations, trial.disk, images, seed=1, jobs=1, kind=kind)


async def test_nothing_shown_is_lost(tmp_path: Path) -> None:
    assert (await tried(tmp_path, 12)).problems == []


async def test_without_syncs_it_is(tmp_path: Path) -> None:
    assert (await tried(tmp_path, 6, durable=False)).problems
