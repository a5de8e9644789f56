"""The other servers of a cluster that this one knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from protocol.parts import RoomLine
from server.cluster.core.membership import MemberKey
from server.cluster.far import FarServer, Framing
from server.cluster.line.signals import Signal
from server.net import frames

SOCKETS: Final = Framing(frames.frame, frames.payload_of)


class FarServers:
    """The other members, by key.

    `me`: this server's own key; `url`: where clients reach it, if it says so; `framing`: as its
    sockets do it.
    """

    def __init__(self, me: MemberKey, url: str = "", framing: Framing = SOCKETS) -> None:
        self.me = me
        self.url = url
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

    def total(self) -> int:
        """Return how many public rooms other servers have."""
        return sum(far.total for far in self)

    def rows(self) -> list[RoomLine]:
        """Return the lobby's rows of the newest rooms of other servers."""
        return [line for far in self for line in far.lines.values()]

    def best_for(self, owners: Sequence[tuple[int, int]], here: int) -> str | None:
        """Return where a player with these rooms best connects: where most of them are, or here."""
        url = self.url
        for owner, count in Counter(owners).most_common(1):
            far = self.find(MemberKey(*owner))
            if count > here and far is not None and far.url and not far.draining:
                url = far.url
        return url or None

    def tell_all(self, signal: Signal) -> None:
        """Send a signal to all that there is a line to."""
        for far in self._servers.values():
            if far.outbox is not None:
                far.outbox.send(signal)
