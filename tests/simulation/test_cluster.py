"""Several simulated servers on one database: what holds of a run."""

from __future__ import annotations

import pytest

from tests.simulation.cluster.guards import CLUSTER_GUARDS
from tests.simulation.cluster.world import ClusterWorld
from tests.simulation.guards import changed
from tests.simulation.run import simulate


def test_a_short_run_of_three_servers_is_well_and_the_same_once_more() -> None:
    first, second = (simulate(3, minutes=0.5, tables=2, world=ClusterWorld) for _ in range(2))
    assert first.failure is None
    assert first.plays > 0
    assert first == second


def test_the_words_of_each_guard_of_several_servers_stand_where_it_is_said() -> None:
    assert all(changed(guard) for guard in CLUSTER_GUARDS.values())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_run_of_three_servers_is_well(seed: int) -> None:
    assert simulate(seed, minutes=5, tables=10, world=ClusterWorld).failure is None
