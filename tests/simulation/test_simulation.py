"""The simulated house: what holds of a run, and that a run notices what does not hold."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.simulation.guards import GUARDS, changed, without
from tests.simulation.run import simulate

ROOT = Path(__file__).parents[2]
# Seeds that have failed, with minutes and tables.  A change of the simulation makes other runs of
# them, so what each has found has a test of its own as well.
CASES = [
    (104, 3, 8),  # a flag fell while the server ended and read no more: server/rooms/test_restart
]


def test_a_short_run_is_well_and_the_same_once_more() -> None:
    """So many minutes and tables as there is time for."""
    first, second = (simulate(7, minutes=0.5, tables=2) for _ in range(2))
    assert first.failure is None
    assert first.plays > 0
    assert first == second


def test_the_words_of_each_guard_stand_where_it_is_said() -> None:
    """Else a run without it would be one with it."""
    assert all(changed(guard) for guard in GUARDS.values())


@pytest.mark.parametrize("name", ["turn", "stored before shown", "ladder stored first"])
def test_a_run_notices_a_guard_that_is_out(name: str) -> None:
    """Some of them, quickly; `python -m tests.simulation --guards` tries all."""
    with without(name):
        assert any(simulate(seed, minutes=1, tables=2).failure for seed in range(10))
    assert simulate(0, minutes=0.2, tables=1).failure is None


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_what_a_seed_has_found_is_mended(case: tuple[int, float, int]) -> None:
    """See CASES."""
    seed, minutes, tables = case
    assert simulate(seed, minutes=minutes, tables=tables).failure is None


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_a_whole_run_is_well_and_the_same_in_another_process(seed: int) -> None:
    """Whatever the order of its sets of texts."""
    here = simulate(seed)
    assert here.failure is None
    there = subprocess.run(
        [sys.executable, "-m", "tests.simulation", "--seed", str(seed)],
        cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": "7"}, capture_output=True, text=True,
        timeout=600, check=False,
    )  # fmt: skip
    assert there.returncode == 0, there.stdout + there.stderr
    assert here.digest in there.stdout
