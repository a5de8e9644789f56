"""What many people need, reckoned from unit costs."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from bench.capacity.sizing import Costs, Machine, most_players, needs

GB = 10**9
COSTS = Costs(
    moves_per_s=8_000, cpu_us_move=200, kb_start=40_000, kb_player=10, sent_move=1_200,
    logged_move=100, hello_us=1_000,
)  # fmt: skip
MACHINE = Machine(cores=4, memory=8 * GB, disk=10**6 * GB, connections=10_000, rooms=5_000)


def test_a_small_house_needs_nearly_nothing() -> None:
    small = needs(100, 5, COSTS, MACHINE)
    assert small.moves_per_s == 10, "fifty matches with a move every five seconds"
    assert small.cores == pytest.approx(0.002)
    assert small.log_gb_day == pytest.approx(10 * 100 * 86_400 / GB)
    assert small.sent_mb_s == pytest.approx(0.012)
    assert small.back_s == pytest.approx(0.1)
    assert small.servers == 1
    assert small.uses[0].share < 0.02


def test_what_runs_out_first_depends_on_the_machine() -> None:
    limits = needs(20_000, 5, COSTS, MACHINE)
    assert {use.what for use in limits.uses[:2]} == {"`--set connections`", "`--set rooms`"}
    assert limits.uses[0].share == 2
    assert limits.servers == 2

    open_house = replace(MACHINE, connections=10**7, rooms=10**7)
    busy = needs(100_000, 5, COSTS, open_house)
    assert busy.uses[0].what == "70 % of a core's time"
    assert busy.uses[0].share == pytest.approx(10_000 * 200e-6 / 0.7)
    assert busy.servers == 3, "2 cores, each busy for 70 % of its time"

    assert (
        needs(10_000, 5, COSTS, replace(MACHINE, disk=GB)).uses[0].what.startswith("the free disk")
    )
    assert (
        needs(10_000, 5, COSTS, replace(MACHINE, memory=GB // 10)).uses[0].what.endswith("memory")
    )


@pytest.mark.parametrize(
    "machine",
    [MACHINE, replace(MACHINE, memory=GB // 10), replace(MACHINE, disk=20 * GB)],
    ids=["limits", "memory", "disk"],
)
def test_one_server_is_enough_until_the_first_thing_runs_out(machine: Machine) -> None:
    most = most_players(5, COSTS, machine)
    assert needs(most, 5, COSTS, machine).uses[0].share == pytest.approx(1, abs=0.01)


def test_what_a_system_does_not_tell_is_left_out() -> None:
    untold = replace(COSTS, cpu_us_move=None, kb_start=None, kb_player=None, hello_us=None)
    reckoned = needs(1_000, 5, untold, replace(MACHINE, memory=None))
    assert (reckoned.memory_mb, reckoned.back_s) == (None, None)
    assert reckoned.cores == pytest.approx(100 / 8_000), "as without any pause"
