"""What clients have stored, and how much room there is for it.

A row is kept for good, so its bytes are paid beside its request's price: by day, by the one who
asked, for the address and its networks.  A player who has stored as much as a day allows plays on,
as a match is bounded, and begins nothing new.  On a disk that is nearly full no one chats, and
notes are left out, so that what is left is for moves.  The house's own bots are the host's.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from protocol.errors import Code, Refusal
from protocol.messages import Notice, Play
from server.config import STORED_BYTES, STORED_PER_MICRO, Config
from server.core.admission.networks import Network, networks
from server.core.lobby import LobbyState
from server.core.session import Allowance
from server.rooms.peers import Peer
from server.store.contract import EventRow, Row, Space, Store

A_ROW: Final = 64  # bytes of a row beside its body: its key, its checksum, and its place in a page
DAY_S: Final = 86_400
LOOK_MS: Final = 1_000  # after which the disk is asked again
MAX_SHOWN: Final = 20  # addresses and networks that a host is shown
TOLD_MS: Final = 3_600_000  # after which an address is told again that notes are left out


class Disk:
    """How much each address has stored today, and how much room is left."""

    def __init__(
        self, store: Store, config: Config, lobby: LobbyState, now: Callable[[], int]
    ) -> None:
        self._store = store
        self._config = config
        self._lobby = lobby
        self._now = now
        self._left: dict[str, Allowance] = {}  # bytes, by address or network
        self._told: dict[str, int] = {}  # when, by address
        self._space = Space(None, None)
        self._looked: int | None = None

    def space(self) -> Space:
        """Return how much is free, and how much the log takes, as of a moment ago."""
        now = self._now()
        if self._looked is None or now - self._looked >= LOOK_MS:
            self._looked, self._space = now, self._store.space()
        return self._space

    def paid(self, rows: list[Row], peer: Peer | None) -> list[Row]:
        """Return rows that are about to be stored, once the peer has paid for the events."""
        if peer is None:
            return rows
        size = 0
        for row in rows:
            if type(row) is EventRow:
                size += A_ROW + len(row.body)
        if size > STORED_BYTES:
            peer.charge((size - STORED_BYTES) / STORED_PER_MICRO)
        for network in networks(peer.transport.origin):
            self._allowance(network).level -= size
        return rows

    def _allowance(self, network: Network) -> Allowance:
        left = self._left.get(network.name)
        if left is None:
            day = self._config.stored_bytes_per_address * network.times
            left = self._left[network.name] = Allowance(day / DAY_S, day, self._now())
        return left

    def check_day(self, peer: Peer) -> None:
        """Refuse to begin something for a player who has stored as much as a day allows.

        Raises:
            Refusal: server/disk-full.
        """
        no = self._spent(peer)
        if no is not None:
            raise no

    def check(self, peer: Peer) -> None:
        """Refuse what only fills the disk, as chat does.

        Raises:
            Refusal: server/disk-full.
        """
        no = self._low(peer) or self._spent(peer)
        if no is not None:
            raise no

    def let_play(self, play: Play, peer: Peer | None) -> Play:
        """Return a play, without a note that only fills the disk; that is told, but seldom."""
        if play.note is None or peer is None:
            return play
        no = self._low(peer) or self._spent(peer)
        if no is None:
            return play
        now, address = self._now(), peer.transport.origin
        if now - self._told.get(address, now - TOLD_MS) >= TOLD_MS:
            self._told[address] = now
            peer.notify(Notice(text=f"{no.text}; moves are stored without their notes"))
        return replace(play, note=None)

    def _low(self, peer: Peer) -> Refusal | None:
        free = self.space().free
        if free is None or free >= self._config.disk_reserve_bytes or self._is_own(peer):
            return None
        text = "the server's disk is nearly full, and what is left is for moves"
        return Refusal(Code.SERVER_DISK_FULL, text)

    def _spent(self, peer: Peer) -> Refusal | None:
        now = self._now()
        for network in networks(peer.transport.origin):
            left = self._left.get(network.name)
            if left is None or left.level > 0:
                continue
            left.refill(now)
            if left.level <= 0 and not self._is_own(peer):
                wait = 1 + int(-left.level * 1000 / left.rate)
                text = f"{network.words()} has had as much stored as a day allows; play on"
                return Refusal(Code.SERVER_DISK_FULL, text, retry_ms=wait)
        return None

    def _is_own(self, peer: Peer) -> bool:
        who = peer.who
        return who is not None and self._lobby.names.is_house(who.session)

    def stored_lately(self) -> list[tuple[str, int, int]]:
        """Return the addresses and networks that had most stored: how many bytes, of how many."""
        for left in self._left.values():
            left.refill(self._now())
        stored = [(of, round(a.burst - a.level), round(a.burst)) for of, a in self._left.items()]
        return heapq.nlargest(MAX_SHOWN, stored, key=lambda each: each[1])

    def forget(self, now: int) -> None:
        """Forget who has the whole day left, and who was told long ago."""
        for name in [name for name, left in self._left.items() if left.is_full(now)]:
            del self._left[name]
        for name in [name for name, at in self._told.items() if now - at >= TOLD_MS]:
            del self._told[name]
