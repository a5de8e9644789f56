"""The addresses from which connections come: how many, what they have spent, how fast.

An *address* here is what one customer of a provider has: all of IPv4, but of IPv6 the first 64
bits, as the rest is theirs to choose; what it has and spends counts for its networks as well
(core/admission/networks.py).  What an address spends above its share of the time is not refused but
delayed: its connections wait in line, and others are served meanwhile.  That share is the whole
customer's, of IPv6 a /56: else its 256 networks would each have one, and the core together.
"""

from __future__ import annotations

import asyncio
import ipaddress
import math
from collections import deque
from collections.abc import Callable
from typing import Final, Protocol

from server.config import CONNECTION, Config
from server.core.admission.networks import Network, customer, networks
from server.core.session import AddressBuckets, TokenBucket, wait_ms
from server.net.proxies import NOBODY, Proxies
from server.rooms.wall_clock import WallClock

DEEP_MS: Final = 1_000  # a debt that takes so long is a reason not even to refuse


def address_of(host: str) -> str:
    """Return the address that a host, as the system writes it, counts to; "" if it has none."""
    try:
        ip = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return ""
    if isinstance(ip, ipaddress.IPv4Address):
        return str(ip)
    if ip.ipv4_mapped is not None:
        return str(ip.ipv4_mapped)
    return str(ipaddress.ip_network((ip, 64), strict=False))


class CountedConnection(Protocol):
    """A TCP connection as those see it that count it; sockets.Socket is the one there is.

    It is a Protocol as sockets.py imports all of them.  `holds`: see Gateway.hold; `opened`: since
    when it is there, or idle.
    """

    address: Address
    opened: int
    holds: int

    def waits_for_nothing(self) -> bool:
        """Return whether no client misses anything if it ends now."""

    def hang_up(self) -> None:
        """Close after what was written, and let it be idle no more."""

    def sweep(self, now: int) -> None:
        """Do what is due."""

    def drop(self) -> None:
        """End without a word."""


class Held:
    """What is kept in memory for connections, at most `most` bytes: of what they have not sent to
    their end, or do not take.

    Where it would be more, the one who has held longest gives way: who only comes in pieces, or
    reads slowly, is long done when its turn would be.
    """

    def __init__(self, most: float) -> None:
        self.most = most
        self.bytes = 0
        self.holding: dict[CountedConnection, None] = {}  # the oldest first

    def count(self, connection: CountedConnection, more: int, size: int) -> None:
        """Count `more` bytes for a connection, which are `size` now."""
        self.bytes += more
        if size:
            self.holding[connection] = None
        else:
            self.holding.pop(connection, None)

    def shed(self) -> None:
        """Have those give way that must."""
        while self.bytes > self.most:
            next(iter(self.holding)).drop()  # which then holds nothing


class CustomerPace:
    """How fast a customer goes: while it has been too fast, its connections wait here in line."""

    def __init__(self, config: Config, clock: WallClock) -> None:
        share = config.share_micros
        self.allowance = TokenBucket(share, config.pace_micros, clock.now(), debt=share)
        self.resting: asyncio.TimerHandle | None = None  # until when all wait
        self._clock = clock
        self._waiting: deque[Callable[[], None]] = deque()  # go on so after the rest

    def rest_if_fast(self) -> None:
        """Rest for a while if this customer goes too fast."""
        allowance = self.allowance
        if allowance.level > 0 or self.resting is not None:
            return
        allowance.refill(self._clock.now())
        if allowance.level <= 0:  # 0.001, as `now` is in whole milliseconds
            wait = 0.001 - allowance.level / allowance.rate
            self.resting = self._clock.call_later(wait, self._end_rest)

    def wait(self, go_on: Callable[[], None]) -> None:
        """Have a connection go on after the rest."""
        self._waiting.append(go_on)
        if self.resting is None:
            self.resting = self._clock.call_later(0, self._end_rest)

    def _end_rest(self) -> None:
        self.resting = None
        self.rest_if_fast()
        while self._waiting and self.resting is None:
            self._waiting.popleft()()
            self.rest_if_fast()


class NetworkUse:
    """What all connections of an address, or of a network, share; `pace`: where it is a customer's
    widest one.
    """

    def __init__(self, times: int, config: Config, clock: WallClock) -> None:
        micros, plays = config.address_micros * times, config.free_plays * times
        self.most = config.connections_per_address * times
        self.connections = 0  # and those that wait to be opened
        self.costs = TokenBucket(micros, micros * config.saved_ms / 1000, clock.now())
        self.plays = TokenBucket(plays, plays, clock.now())
        self.pace = CustomerPace(config, clock)
        self.held = Held(config.held_per_address * times)

    def is_idle(self, now: int) -> bool:
        """Return whether it can be forgotten: a new one would be the same."""
        return not self.connections and self.costs.is_full(now)


class Address:
    """One address: its connections, and what they share; `uses`: with whom."""

    def __init__(
        self, name: str, clock: WallClock, uses: tuple[NetworkUse, ...], pace: CustomerPace
    ) -> None:
        self.name = name
        self.clock = clock
        self.uses = uses  # its own first
        self.pace = pace
        self.limited = True
        self.idle: dict[
            CountedConnection, None
        ] = {}  # those over HTTP that may ask again, the oldest first
        self.allowances = AddressBuckets(
            costs=tuple([use.costs for use in uses]),
            pace=pace.allowance,
            plays=tuple([use.plays for use in uses]),
        )

    def lift_limits(self) -> None:
        """Let it never have spent anything, and never be crowded."""
        self.limited = False
        self.uses[0].held.most = math.inf
        costs, pace, plays = self.allowances
        for allowance in (*costs, pace, *plays):
            allowance.burst = allowance.level = math.inf

    @property
    def connections(self) -> int:
        """How many are open, or wait for that."""
        return self.uses[0].connections

    def count(self, change: int) -> None:
        """Count so many more, or fewer, connections: open ones, and those that wait for that."""
        for use in self.uses:
            use.connections += change

    def excess(self) -> int:
        """Return how many connections more than it may have it has, or a network of it."""
        if not self.limited:
            return 0
        return max(use.connections - use.most for use in self.uses)

    def debt_ms(self) -> int:
        """Return in how many ms it can pay for something again; 0: now."""
        return wait_ms(self.allowances.costs, self.clock.now())

    def owes_much(self) -> bool:
        """Return whether it is not even worth a refusal."""
        return self.debt_ms() > DEEP_MS

    def charge(self, micros: float) -> None:
        """Take what something has cost that belongs to no open WebSocket."""
        for costs in self.allowances.costs:
            costs.level -= micros
        self.allowances.pace.level -= micros

    def is_idle(self, now: int) -> bool:
        """Return whether it can be forgotten: a new one would be the same."""
        return self.uses[0].is_idle(now)


class Addresses:
    """All addresses that have connections, or have spent something lately.

    `proxies` has the connections from trusted proxies that have not said yet for whom they come.
    """

    def __init__(self, config: Config, clock: WallClock, trusted: Proxies = NOBODY) -> None:
        self.trusted = trusted
        self.config = config
        self.clock = clock
        use = NetworkUse(1, config, clock)
        self.proxies = Address("", clock, (use,), use.pace)
        self.proxies.lift_limits()
        self._known: dict[str, Address] = {}
        self._uses: dict[str, NetworkUse] = {}  # by address or network

    def of_connection(self, host: str) -> Address:
        """Return the address of a connection from this host, until it is known for whom it is."""
        return self.proxies if self.trusted.trusts(host) else self.find(host)

    def from_proxy(self, host: str) -> Address:
        """Count a connection from a proxy to the host that it is for, and return its address."""
        self.proxies.count(-1)
        address = self.find(host)
        address.count(1)
        address.charge(CONNECTION)
        return address

    def find(self, host: str) -> Address:
        """Return the address of this host."""
        name = address_of(host)
        address = self._known.get(name)
        if address is None:
            of = networks(name) or (Network("", 1),)
            uses = tuple([self._use(network) for network in of])
            pace = self._uses[customer(name)].pace
            address = self._known[name] = Address(name, self.clock, uses, pace)
        return address

    def _use(self, network: Network) -> NetworkUse:
        use = self._uses.get(network.name)
        if use is None:
            use = NetworkUse(network.times, self.config, self.clock)
            self._uses[network.name] = use
        return use

    def forget(self, now: int) -> None:
        """Forget those that hold nothing and owe nothing."""
        for name in [name for name, each in self._known.items() if each.is_idle(now)]:
            del self._known[name]
        wanted = {use for each in self._known.values() for use in each.uses}
        for name in [name for name, each in self._uses.items() if each not in wanted]:
            if self._uses[name].is_idle(now):
                del self._uses[name]

    def __len__(self) -> int:
        return len(self._known)


def forget_ends(transport: asyncio.BaseTransport) -> None:
    """Let asyncio forget the addresses of both ends, a quarter of a kB, which are not used."""
    names = getattr(transport, "_extra", None)  # of its own transports; other loops have others
    if isinstance(names, dict):
        names.pop("peername", None)
        names.pop("sockname", None)
