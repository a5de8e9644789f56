"""The networks that an address is of, and how many of something each may have.

What limits call an *address* is what one customer has (server/net/addresses.py).  But a customer
may have many: of IPv6 often a /56, which is 256 of them, and a rented machine a /48; of IPv4
some neighbours in a /24.  So each limit of an address holds for these networks as well, where it is
some times as large: so little that none of them takes all, and enough for a whole street.
"""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

# By version of IP: how many bits a network has in common, and how many times as much it may have.
WIDER: Final = {4: ((24, 8),), 6: ((56, 2), (48, 8))}


LATELY: Final = 4_096  # addresses of which the networks are remembered


class Network(NamedTuple):
    """An address, or a network that it is of, and how many times an address's limit it has."""

    name: str
    times: int

    def words(self) -> str:
        """Return it as its customer is told of it."""
        return "your address" if self.times == 1 else f"your network {self.name}"


@lru_cache(LATELY)
def networks(address: str) -> tuple[Network, ...]:
    """Return an address and its networks, the narrowest first; "" is no address, and of none.

    It is asked at every move, so those of the last few thousand addresses are remembered.
    """
    if not address:
        return ()
    own, groups = Network(address, 1), address.removesuffix("::/64")
    if groups != address:
        value = 0
        for group in (*filter(None, groups.split(":")), *"0000")[:4]:
            value = value << 16 | int(group, 16)
        return (own, *[Network(_written(value, bits), times) for bits, times in WIDER[6]])
    if address.count(".") == 3:
        begin = address.rpartition(".")[0]
        return (own, *[Network(f"{begin}.0/{bits}", times) for bits, times in WIDER[4]])
    return (own,)


def _written(value: int, bits: int) -> str:
    """Return a network of the first 64 bits of an IPv6 address, as everybody writes it."""
    value = value >> 64 - bits << 64 - bits
    groups = [f"{value >> shift & 0xFFFF:x}" for shift in (48, 32, 16, 0)]
    while groups and groups[-1] == "0":
        groups.pop()
    return f"{':'.join(groups)}::/{bits}"


def network_of(text: str) -> str:
    """Return the network that a text such as 2001:db8::/56 names, if limits know such; else ""."""
    try:
        network = ipaddress.ip_network(text)
    except ValueError:
        return ""
    widths = [bits for bits, _ in WIDER[network.version]]
    return str(network) if "/" in text and network.prefixlen in widths else ""


class FullNetwork(NamedTuple):
    """A network that has as many of something as it may: `here` of them."""

    here: int
    words: str


class NetworkCounts:
    """How many of something each address has, and with it each network that it is of."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._networks: dict[str, tuple[Network, ...]] = {}  # of the addresses that have some

    def add(self, address: str, change: int) -> None:
        """Count so many more, or fewer, of an address."""
        own = self._networks.setdefault(address, self._of(address))
        for network in own:
            self._counts[network.name] += change
            if not self._counts[network.name]:
                del self._counts[network.name]
        if address not in self._counts:
            del self._networks[address]

    def full(self, address: str, most: int) -> FullNetwork | None:
        """Return what keeps this address from having one more, if each may have `most`."""
        for network in self._of(address):
            here = self._counts[network.name]
            if here >= most * network.times:
                return FullNetwork(here, network.words())
        return None

    def left(self, address: str, most: int) -> int:
        """Return how many more this address may have, if each may have `most`."""
        each = (most * one.times - self._counts[one.name] for one in self._of(address))
        return min(each, default=most)

    def weight(self, address: str) -> float:
        """Return how many an address has, or its share of those that a network of it has."""
        own = self._of(address)
        return max((self._counts[each.name] / each.times for each in own), default=0)

    def _of(self, address: str) -> tuple[Network, ...]:
        return self._networks.get(address) or networks(address)


def full(address: str, others: Iterable[str], most: int) -> FullNetwork | None:
    """Return what keeps this address from having one more beside those of `others`."""
    counts = NetworkCounts()
    for other in others:
        counts.add(other, 1)
    return counts.full(address, most)


def customer(address: str) -> str:
    """Return the widest network that is usually one customer's, of IPv6 the /56; "" if none."""
    return next((each.name for each in reversed(networks(address)) if each.times <= 2), "")
