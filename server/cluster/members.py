"""The other servers of a cluster that this one knows."""

from __future__ import annotations

from collections.abc import Iterator

from server.cluster.core.membership import MemberKey
from server.cluster.far import FarServer, Framing
from server.cluster.line.signals import Signal


class FarServers:
    """The other members, by key.  `me`: this server's own key; `framing`: as its sockets do it."""

    def __init__(self, me: MemberKey, framing: Framing) -> None:
        self.me = me
        self._framing = framing
        self._servers: dict[MemberKey, FarServer] = {}

    def __iter__(self) -> Iterator[FarServer]:
        return iter(self._servers.values())

    def server(self, key: MemberKey) -> FarServer:
        """Return a member, which is known from now on."""
        far = self._servers.get(key)
        if far is None:
            far = self._servers[key] = FarServer(key, self._framing)
        return far

    def find(self, key: MemberKey) -> FarServer | None:
        return self._servers.get(key)

    def by_number(self, number: int) -> FarServer | None:
        """Return the newest run of a server that there is a line to."""
        runs = [f for f in self if f.key.number == number and f.outbox is not None]
        return max(runs, key=lambda far: far.key.epoch, default=None)

    def forget(self, key: MemberKey) -> FarServer | None:
        return self._servers.pop(key, None)

    def tell_all(self, signal: Signal) -> None:
        """Send a signal to all that there is a line to."""
        for far in self._servers.values():
            if far.outbox is not None:
                far.outbox.send(signal)
