"""Figures for /metrics and /healthz.

Counted as plain ints where things happen, put in form only when asked.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

if TYPE_CHECKING:
    from server.gateway import Gateway
    from server.house import House


class Metrics(Collector):
    """Reads the house when it is asked."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.gateway: Gateway | None = None
        self._registry = CollectorRegistry()
        self._registry.register(self)

    def collect(self) -> Iterable[Metric]:
        """What Prometheus sees."""
        connections = len(self.gateway.connections) if self.gateway is not None else 0
        playing = sum(1 for k in self.house.rooms.values() if k.room.state == "playing")
        yield GaugeMetricFamily("plyhouse_connections", "Open sockets", value=connections)
        yield GaugeMetricFamily("plyhouse_rooms", "Open rooms", value=len(self.house.rooms))
        yield GaugeMetricFamily("plyhouse_matches", "Matches under way", value=playing)
        yield CounterMetricFamily("plyhouse_frames", "Frames received", value=self.house.frames)
        yield CounterMetricFamily("plyhouse_events", "Events stored", value=self.house.events)

    def text(self) -> bytes:
        """The page /metrics."""
        return generate_latest(self._registry)

    def health(self) -> dict[str, object]:
        """The page /healthz: which server this is, and that it answers."""
        return {
            "ok": not self.house.outage.rooms,
            "server": self.house.store.server,
            "epoch": self.house.store.epoch,
            "rooms": len(self.house.rooms),
        }
