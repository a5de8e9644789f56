"""Figures for /metrics and /healthz, counted as plain ints and formatted only when asked.

So is the library of Prometheus read: a server that starts would wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sized
from typing import Final

from server.core.room import Room
from server.figures.figures import ClusterFigures, Figures
from server.figures.histogram import TIMES_NS, Histogram
from server.figures.loop_lag import BOUNDS_NS
from server.hub import Hub
from server.rooms.outage import Outage

GROUPS: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500)  # appends of one commit
KEPT_MS: Final = 1_000  # a page of figures, which takes 2 ms to write; Prometheus asks in 10 s
LATE_S: Final = 2.0  # an append that waits longer: no new players should come
READY: Final = "ready"
ALIVE: Final = "alive"


class Metrics:
    """Reads the server's figures when it is asked.

    It subscribes to `changed` and `played`, to count the events.  `sockets` are all that are open;
    `crowd` are those that wait for their turn; `cluster` tells of this server as one of several.
    """

    def __init__(
        self,
        hub: Hub,
        outage: Outage,
        sockets: Sized = (),
        crowd: Sized = (),
        lag: Histogram | None = None,
        cluster: Callable[[], ClusterFigures | None] = lambda: None,
    ) -> None:
        self.hub = hub
        self.outage = outage
        self.sockets = sockets
        self.crowd = crowd
        self.lag = Histogram(BOUNDS_NS) if lag is None else lag
        self.cluster = cluster
        self.commits = Histogram(TIMES_NS)
        self.groups = Histogram(GROUPS)
        self.events = 0
        self._page = (-KEPT_MS, b"")  # when it was written, and what it says
        hub.rooms.store.watch_commits(self.committed)

    def stored(self, old: Room | None, new: Room) -> None:
        self.events += new.seq - (old.seq if old is not None else 0)

    def committed(self, took_ns: int, appends: int) -> None:
        self.commits.observe(took_ns)
        self.groups.observe(appends)

    def figures(self) -> Figures:
        """Return all figures as they are now."""
        hub = self.hub
        return Figures(
            gauges=self._gauges(),
            counters={
                "frames": hub.frames,
                "events": self.events,
                "lobby_bytes": hub.services.lobby_feed.sent,
            },
            refusals=hub.refusals,
            moves=hub.move_times.histograms,
            commits=self.commits,
            groups=self.groups,
            lag=self.lag,
            cluster=self.cluster(),
        )

    def _drains(self) -> bool:
        """Return whether this one of several servers hands over what it has."""
        cluster = self.cluster()
        return cluster is not None and cluster.drains

    def _gauges(self) -> dict[str, float]:
        hub, config = self.hub, self.hub.config
        actors = hub.rooms.actors.values()
        connected, people = len(hub.lobby.connected), len(hub.lobby.people)
        inboxes = [len(actor.inbox) for actor in actors if actor.inbox]
        gauges: dict[str, float] = {
            "connections": len(self.sockets),
            "connections_limit": config.connections,
            "rooms": hub.rooms.total(),
            "rooms_limit": config.rooms,
            "people": people,
            "bots": connected - people,
            "ready": int(not self.obstacles()),
            "draining": int(hub.rules.draining or self._drains()),
            "rooms_stalled": len(self.outage.waiting),
            "append_waiting_seconds": hub.rooms.store.waited_s(),
            "rooms_storing": sum(1 for actor in actors if actor.busy),
            "inbox_requests": sum(inboxes),
            "inbox_requests_longest": max(inboxes, default=0),
            "reads_waiting": hub.services.reads.waiting_now(),
            "crowd_connections": len(self.crowd),
            "lobby_followers": hub.services.lobby_feed.followers,
        }
        space = hub.rooms.disk.space(hub.now())
        if space.free is not None:
            gauges["disk_free_bytes"] = space.free
            gauges["disk_reserve_bytes"] = config.disk_reserve_bytes
        if space.used is not None:
            gauges["database_bytes"] = space.used
        if not hub.rooms.unloaded:  # for a while after a start they are not counted
            gauges["matches"] = sum(1 for actor in actors if actor.room.state == "playing")
        return gauges

    def text(self) -> bytes:
        """Return the page /metrics as it is now, or was a moment ago."""
        now = self.hub.now()
        if now - self._page[0] >= KEPT_MS:
            from server.figures import exposition

            self._page = (now, exposition.text(self.figures()))
        return self._page[1]

    def _log_fails(self) -> str | None:
        """Return what keeps the log from being written now, in a sentence."""
        if self.outage.lasts:
            return "the log cannot be written"
        if (waits := self.hub.rooms.store.waited_s()) > LATE_S:
            return f"the log has not answered for {waits:.0f} s"
        return None

    def obstacles(self) -> list[str]:
        """Return why no new players should come, in sentences; none: they may."""
        obstacles = []
        if (halted := self.hub.rooms.store.halted()) is not None:
            obstacles.append(f"{halted}; the server is to be started anew")
        if (failing := self._log_fails()) is not None:
            obstacles.append(failing)
        if self.hub.rules.draining:
            obstacles.append("the server is about to stop, and nothing new begins")
        elif self._drains():
            obstacles.append("the server hands its rooms over to others, and stops then")
        return obstacles

    def health(self, probe: str = "") -> dict[str, object]:
        """Return the page /healthz: which server this is, and that it answers.

        `probe`: ALIVE, unless a part of it has ended for good; READY, if new players may come.
        """
        halted = self.hub.rooms.store.halted()
        if probe == ALIVE:
            return {"ok": halted is None}
        if probe == READY:
            obstacles = self.obstacles()
            return {"ok": not obstacles, "obstacles": obstacles}
        rooms, cluster = self.hub.rooms, self.cluster()
        page: dict[str, object] = {
            "ok": self._log_fails() is None and halted is None,
            "server": rooms.store.server,
            "epoch": rooms.store.epoch,
            "rooms": rooms.total(),
        }
        if cluster is not None:
            page |= {"node": cluster.number, "draining": cluster.drains}
        return page
