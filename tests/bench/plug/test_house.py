"""A house under load, a backup of it, and its restore: 200 losses of power lose nothing of it.

Mutants of the product are given to this test, and it must notice each.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bench.plug import image
from bench.plug.plug import try_images
from bench.plug.trial import Trial

pytestmark = [
    pytest.mark.slow,
    pytest.mark.socket,
    pytest.mark.skipif(shutil.which("strace") is None, reason="there is no strace"),
]


async def test_nothing_shown_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image, "SERVED", 1_000)  # servers are started by the longer run
    operations = await Trial(tmp_path, rooms=2, seconds=0.6).carry_out(brief=True)
    assert try_images(operations, tmp_path / "disk", 200, seed=1, jobs=1).problems == []
