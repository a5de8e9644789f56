"""Scales of plots."""

from __future__ import annotations

import pytest

from client.ladder.plots import Scale


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-312.5, 871.0), (0, 100_000), (3, 3.5)])
def test_ticks_are_few_round_numbers(low: float, high: float) -> None:
    ticks = Scale(low, high, 0, 1).ticks(9)
    assert 3 <= len(ticks) <= 10
    assert all(low - 1e-6 <= tick <= high + 1e-6 for tick in ticks)
    step = ticks[1] - ticks[0]
    assert f"{step:e}"[0] in "125"
