"""Several simulated servers on one database: what holds of a run."""

from __future__ import annotations

import pytest

from tests.simulation.cluster.world import ClusterWorld
from tests.simulation.run import simulate


def test_a_short_run_of_three_servers_is_well_and_the_same_once_more() -> None:
    first, second = (simulate(3, minutes=0.5, tables=2, world=ClusterWorld) for _ in range(2))
    assert first.failure is None
    assert first.plays > 0
    assert first == second


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_run_of_three_servers_is_well(seed: int) -> None:
    assert simulate(seed, minutes=5, tables=10, world=ClusterWorld).failure is None
