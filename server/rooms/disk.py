"""What clients have stored, and how much room there is for it.

A row is kept for good, so its bytes are paid beside its request's price: by day, by the one who
asked, for the address and its networks.  A player who has stored as much as a day allows plays on,
as a match is bounded, and begins nothing new.  On a disk that is nearly full no one chats, and
notes are left out, so that what is left is for moves.  The house's own bots are the host's.
"""

from __future__ import annotations

import heapq
from typing import Final
from weakref import WeakValueDictionary

from msgspec.structs import replace

from protocol.errors import Code, Refusal
from protocol.messages import Notice, Play
from server.config import Config
from server.core.admission.networks import Network, networks
from server.core.lobby import LobbyState
from server.core.session import TokenBucket
from server.rooms.peers import Peer
from server.store.contract import Space, Store

A_ROW: Final = 64  # bytes of a row beside its body: its key, its checksum, and its place in a page
DAY_S: Final = 86_400
LOOK_MS: Final = 1_000  # after which the disk is asked again
MAX_SHOWN: Final = 20  # addresses and networks that a host is shown
TOLD_MS: Final = 3_600_000  # after which an address is told again that notes are left out


class DayBucket(TokenBucket):
    """The bytes that an address, or a network, may have stored today."""

    __slots__ = ("__weakref__",)


class Disk:
    """How much each address has stored today, and how much room is left.

    A connection has the allowances of its address (`Peer.stored`), so that a move looks nothing up;
    `is_tight`: at the last sweep there was no room for some, so notes have to be looked at.
    """

    def __init__(self, store: Store, config: Config, lobby: LobbyState) -> None:
        self._store = store
        self._config = config
        self._lobby = lobby
        # By address or network, while a connection has it, or one that is gone has spent some.
        self._left: WeakValueDictionary[str, TokenBucket] = WeakValueDictionary()
        self._gone: set[TokenBucket] = set()
        self._told: dict[str, int] = {}  # when, by address
        self._space = Space(None, None)
        self._looked: int | None = None
        self.is_tight = False

    def space(self, now: int) -> Space:
        """Return how much is free, and how much the log takes, as of a moment ago."""
        if self._looked is None or now - self._looked >= LOOK_MS:
            self._looked, self._space = now, self._store.space()
        return self._space

    def allowances(self, origin: str, now: int) -> tuple[TokenBucket, ...]:
        """Return the bytes that an address, and its networks, may have stored today."""
        return tuple([self._allowance(network, now) for network in networks(origin)])

    def _allowance(self, network: Network, now: int) -> TokenBucket:
        left = self._left.get(network.name)
        if left is None:
            day = self._config.stored_bytes_per_address * network.times
            left = self._left[network.name] = DayBucket(day / DAY_S, day, now)
        return left

    def charge(self, peer: Peer, size: int, now: int) -> None:
        """Take what a row with a body of this size takes from what a connection may have stored."""
        if peer.stored is None:
            peer.stored = self.allowances(peer.transport.origin, now)
        for left in peer.stored:
            left.level -= A_ROW + size

    def let_go(self, peer: Peer) -> None:
        """Note that a connection is gone; what it has stored today is not forgotten by that."""
        self._gone.update(peer.stored or ())

    def check_day(self, peer: Peer, now: int) -> None:
        """Refuse to begin something for a player who has stored as much as a day allows.

        Raises:
            Refusal: server/disk-full.
        """
        no = self._spent(peer, now)
        if no is not None:
            raise no

    def check(self, peer: Peer, now: int) -> None:
        """Refuse what only fills the disk, as chat does.

        Raises:
            Refusal: server/disk-full.
        """
        no = self._low(peer, now) or self._spent(peer, now)
        if no is not None:
            raise no

    def let_play(self, play: Play, peer: Peer | None, now: int) -> Play:
        """Return a play, without a note that only fills the disk; that is told, but seldom."""
        if play.note is None or peer is None:
            return play
        no = self._low(peer, now) or self._spent(peer, now)
        if no is None:
            return play
        address = peer.transport.origin
        if now - self._told.get(address, now - TOLD_MS) >= TOLD_MS:
            self._told[address] = now
            peer.notify(Notice(text=f"{no.text}; moves are stored without their notes"))
        return replace(play, note=None)

    def _low(self, peer: Peer, now: int) -> Refusal | None:
        if not self._is_low(now) or self._is_own(peer):
            return None
        text = "the server's disk is nearly full, and what is left is for moves"
        return Refusal(Code.SERVER_DISK_FULL, text)

    def _is_low(self, now: int) -> bool:
        free = None if self._store.remote else self.space(now).free
        return free is not None and free < self._config.disk_reserve_bytes

    def _spent(self, peer: Peer, now: int) -> Refusal | None:
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

    def stored_lately(self, now: int) -> list[tuple[str, int, int]]:
        """Return the addresses and networks that had most stored: how many bytes, of how many."""
        left = {of: each for of, each in self._left.items() if not each.is_full(now)}
        stored = [(of, round(a.burst - a.level), round(a.burst)) for of, a in left.items()]
        return heapq.nlargest(MAX_SHOWN, stored, key=lambda each: each[1])

    def sweep(self, now: int) -> None:
        """Forget who has the whole day left, and who was told long ago; see whether it is tight."""
        self._gone = {left for left in self._gone if not left.is_full(now)}
        spent = any(left.level <= 0 for left in self._left.values())
        self.is_tight = spent or self._is_low(now)
        for name in [name for name, at in self._told.items() if now - at >= TOLD_MS]:
            del self._told[name]
