"""All figures of a server at one moment, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from server.figures.histogram import Histogram


class ClusterFigures(NamedTuple):
    """Of one of several servers.  `number`: which; `drains`: it hands over what it has.

    `gauges` and `counters` as below; `forwards`: from when a request was handed on until its
    answer came, ns; `takeovers`: from when rooms were this server's until the last was read, ns.
    """

    number: int
    drains: bool
    gauges: Mapping[str, float]
    counters: Mapping[str, int]
    forwards: Histogram
    takeovers: Histogram


class Figures(NamedTuple):
    """`gauges` are as they are now, `counters` since the start; exposition.py says what each is.

    `refusals`: by code; `moves`: by stage, ns; `commits`: ns; `groups`: appends; `lag`: ns;
    `cluster`: None for a server that is alone.
    """

    gauges: Mapping[str, float]
    counters: Mapping[str, int]
    refusals: Mapping[str, int]
    moves: Mapping[str, Histogram]
    commits: Histogram
    groups: Histogram
    lag: Histogram
    cluster: ClusterFigures | None = None
