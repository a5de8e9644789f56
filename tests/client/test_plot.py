"""Scales and panels of plots."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET

import pytest

from client.plot import Axis, Curve, Panel, Scale, panels, round_scale


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-312.5, 871.0), (0, 100_000), (3, 3.5)])
def test_ticks_are_few_round_numbers(low: float, high: float) -> None:
    ticks = Scale(low, high, 0, 1).ticks(9)
    assert 3 <= len(ticks) <= 10
    assert all(low - 1e-6 <= tick <= high + 1e-6 for tick in ticks)
    step = ticks[1] - ticks[0]
    assert f"{step:e}"[0] in "125"


def test_a_scale_goes_from_one_round_number_to_another() -> None:
    powers = round_scale([150, 20_000], 0, 300, log=True)
    assert powers.ticks() == [100, 1_000, 10_000, 100_000]
    assert [powers(x) for x in (100, 100_000)] == [0, 300]
    assert powers(1_000) == pytest.approx(100)
    even = round_scale([1.2, 8.7], 90, 10)
    assert (even.ticks()[0], even.ticks()[-1]) == (1, 9)
    assert math.isclose(even(5), 50)


def test_names_are_written_so_that_xml_can_be_read() -> None:
    curve = Curve("a < b & c", [(1, 1), (10, 10)])
    root = ET.fromstring(panels([Panel("<t>", Axis("x"), Axis("y"), [curve])], "a & b"))
    texts = {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"a < b & c", "<t>", "a & b"} <= texts
