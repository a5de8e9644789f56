"""Figures for /metrics and /healthz, counted as plain ints and formatted only when asked."""

from __future__ import annotations

from collections.abc import Iterable, Sized

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from server.core.room import Room
from server.hub import Hub
from server.rooms.outage import Outage


class Metrics(Collector):
    """Reads the server's figures when it is asked.

    It subscribes to `changed`, to count the events.  `sockets` are all that are open.
    """

    def __init__(self, hub: Hub, outage: Outage, sockets: Sized) -> None:
        self.hub = hub
        self.outage = outage
        self.sockets = sockets
        self.events = 0
        self._registry = CollectorRegistry()
        self._registry.register(self)

    def changed(self, old: Room | None, new: Room) -> None:
        """Count the events that were stored."""
        self.events += new.seq - (old.seq if old is not None else 0)

    def played(self, _: Room) -> None:
        """Count a play."""
        self.events += 1

    def collect(self) -> Iterable[Metric]:
        """Return what Prometheus sees."""
        actors = self.hub.rooms.actors
        playing = sum(1 for actor in actors.values() if actor.room.state == "playing")
        yield GaugeMetricFamily("plyhouse_connections", "Open sockets", value=len(self.sockets))
        yield GaugeMetricFamily("plyhouse_rooms", "Open rooms", value=self.hub.rooms.total())
        if not self.hub.rooms.asleep:  # for a while after a start nobody has counted them
            yield GaugeMetricFamily("plyhouse_matches", "Matches under way", value=playing)
        yield CounterMetricFamily("plyhouse_frames", "Frames received", value=self.hub.frames)
        yield CounterMetricFamily("plyhouse_events", "Events stored", value=self.events)

    def text(self) -> bytes:
        """Return the page /metrics."""
        return generate_latest(self._registry)

    def health(self) -> dict[str, object]:
        """Return the page /healthz: which server this is, and that it answers."""
        rooms = self.hub.rooms
        return {
            "ok": not self.outage.waiting,
            "server": rooms.store.server,
            "epoch": rooms.store.epoch,
            "rooms": rooms.total(),
        }
