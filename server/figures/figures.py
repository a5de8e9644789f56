"""All figures of a server at one moment, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from server.figures.histogram import Histogram


class Figures(NamedTuple):
    """`gauges` are as they are now, `counters` since the start; exposition.py says what each is.

    `refusals`: by code; `moves`: by stage, ns; `commits`: ns; `groups`: appends; `lag`: ns.
    """

    gauges: Mapping[str, int]
    counters: Mapping[str, int]
    refusals: Mapping[str, int]
    moves: Mapping[str, Histogram]
    commits: Histogram
    groups: Histogram
    lag: Histogram
