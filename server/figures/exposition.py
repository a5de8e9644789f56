"""The figures in Prometheus' words: what each is called, and what it means.

This is the one file that needs its library, and is read when somebody asks for /metrics.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from server.figures.figures import ClusterFigures, Figures
from server.figures.histogram import Histogram

GAUGES = {
    "connections": "Open sockets",
    "connections_limit": "Sockets that may be open",
    "rooms": "Open rooms",
    "rooms_limit": "Rooms that may be open",
    "matches": "Matches under way",
    "people": "People who are connected, by name",
    "bots": "Bots that are connected",
    "ready": "1 if new players may come, 0 while the log is not written or the server drains",
    "draining": "1 while nothing new begins",
    "rooms_stalled": "Rooms that wait until the log can be written again",
    "append_waiting_seconds": "How long what is to be stored waits at most, 0 if nothing does",
    "rooms_storing": "Rooms whose last events are being stored",
    "inbox_requests": "Requests that wait in rooms, as events of these are being stored",
    "inbox_requests_longest": "Requests that wait in the room where most do",
    "reads_waiting": "Requests that wait until the log is read for them",
    "crowd_connections": "Connections that wait for their turn to be sent what a crowd is sent",
    "disk_free_bytes": "What is free on the disk of the log",
    "disk_reserve_bytes": "What is kept of it for moves: below it chat and notes are refused",
    "database_bytes": "What the log takes, with what is still to be written to its place",
    "lobby_followers": "Connections that follow the lobby",
}
COUNTERS = {
    "frames": "Frames received",
    "events": "Events stored",
    "lobby_bytes": "Bytes sent to who follows the lobby: lists, and changes",
}
CLUSTER_GAUGES = {
    "server_number": "Which of several servers this is",
    "servers": "Servers of the cluster whose lease is good, this one included",
    "lines": "Other servers that there is a line to",
    "lease_seconds": "What is left of this server's lease, 0 once it has run out",
    "lease_epoch": "The epoch of this run of the server: it grows whenever one joins",
    "forwards_waiting": "Requests that another server has not answered yet",
}
CLUSTER_COUNTERS = {
    "forwards": "Requests that were handed on to another server",
    "lease_failures": "Renewals of the lease that failed",
    "rooms_taken": "Rooms that were taken over, or that another server has handed over",
    "rooms_handed": "Rooms that were handed over to another server",
}
NANO = 1e-9  # seconds


def text(figures: Figures) -> bytes:
    """Return the page /metrics."""
    registry = CollectorRegistry()
    registry.register(_Families(figures))
    ProcessCollector(registry=registry)
    return generate_latest(registry)


class _Families(Collector):
    """What the library asks for families."""

    def __init__(self, figures: Figures) -> None:
        self.figures = figures

    def collect(self) -> Iterable[Metric]:
        return families(self.figures)


def families(figures: Figures) -> Iterator[Metric]:
    """Yield each metric with its values; what is not known yet is missing."""
    for name, about in GAUGES.items():
        if name in figures.gauges:
            yield GaugeMetricFamily(f"plyhouse_{name}", about, value=figures.gauges[name])
    for name, about in COUNTERS.items():
        yield CounterMetricFamily(f"plyhouse_{name}", about, value=figures.counters[name])
    refusals = CounterMetricFamily(
        "plyhouse_refusals", "Errors that were sent, by their code", labels=["code"]
    )
    for code, count in sorted(figures.refusals.items()):
        refusals.add_metric([code], count)
    yield refusals
    yield _histogram(
        "move_seconds", "Of some moves: how long they take, by stage", figures.moves, "stage", NANO
    )
    yield _histogram("commit_seconds", "How long commits take", {"": figures.commits}, "", NANO)
    yield _histogram("commit_appends", "Appends in a commit", {"": figures.groups}, "", 1)
    yield _histogram("loop_lag_seconds", "How late timers ring", {"": figures.lag}, "", NANO)
    if figures.cluster is not None:
        yield from _of_cluster(figures.cluster)


def _of_cluster(figures: ClusterFigures) -> Iterator[Metric]:
    for name, about in CLUSTER_GAUGES.items():
        yield GaugeMetricFamily(f"plyhouse_{name}", about, value=figures.gauges[name])
    for name, about in CLUSTER_COUNTERS.items():
        yield CounterMetricFamily(f"plyhouse_{name}", about, value=figures.counters[name])
    about = "Of requests with an `id`: from when they were handed on until the answer came"
    yield _histogram("forward_seconds", about, {"": figures.forwards}, "", NANO)
    about = "From when rooms were this server's until the last of them was read"
    yield _histogram("takeover_seconds", about, {"": figures.takeovers}, "", NANO)


def _histogram(
    name: str, about: str, histograms: Mapping[str, Histogram], label: str, unit: float
) -> Metric:
    family = HistogramMetricFamily(f"plyhouse_{name}", about, labels=[label] if label else [])
    for value, histogram in histograms.items():
        buckets = [
            ("+Inf" if bound is None else f"{bound * unit:g}", count)
            for bound, count in histogram.cumulative()
        ]
        family.add_metric([value] if label else [], buckets, histogram.sum * unit)
    return family
