"""Who may work for whom: a worker that is not like the machine that asks is refused."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from bots import registry
from bots.bot import Bot
from lab.farm import identity
from lab.farm.farm import open_executor
from lab.farm.identity import Identity
from lab.farm.where import BadFarm

OURS = Identity("3.11", "2026.8.0", "c0de", True, ("znver4", "1"))


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        ({"python": "3.12"}, "w runs Python 3.12, and this machine 3.11"),
        ({"dask": "2026.1.0"}, "w runs distributed 2026.1.0, and this machine 2026.8.0"),
        ({"code": "dead"}, "w has another version of Plyhouse than this machine, or other bots"),
        ({"compiled": False}, "w searches in plain Python, and this machine in machine code: ins"),
    ],
)
def test_a_worker_that_differs_is_refused(other: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadFarm) as error:
        identity.check("w", OURS._replace(**other), OURS)
    assert str(error.value).startswith(sentence)


def test_a_worker_on_another_processor_may_work() -> None:
    identity.check("w", OURS._replace(processor=("znver3", "2")), OURS)


def test_games_bots_and_nets_of_one_s_own_count_wherever_they_lie(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def digest(folder: str, text: str) -> str:
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(text)
        monkeypatch.setenv("PLYHOUSE_BOTS", str(tmp_path / folder))
        return identity._digest()

    before = identity._digest()
    one, same, changed = digest("a", "# one"), digest("b", "# one"), digest("c", "# two")
    assert one == same
    assert len({before, one, changed}) == 3
    monkeypatch.delenv("PLYHOUSE_BOTS")
    monkeypatch.setattr(registry, "_added", {"engine": Bot})
    assert identity._digest() == before, "a bot of this process has no file"
    (tmp_path / "my.nets").write_bytes(b"other nets")
    monkeypatch.setenv("PLYHOUSE_NETS", str(tmp_path / "my.nets"))
    assert identity._digest() != before


def test_without_the_extra_a_dask_scheduler_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(BadFarm, match=r"^dask:// needs dask.distributed: pip install 'plyhouse"):
        open_executor("dask://127.0.0.1:8786")
