"""How many new names one address may take: names cost the one who takes them nothing."""

from __future__ import annotations

from protocol.errors import Code, Refusal
from server.core.admission.networks import Network, networks
from server.core.session import TokenBucket

HOUR_S = 3_600


class NewNames:
    """The new names of each address, at most `an_hour`; guests' names count."""

    def __init__(self, an_hour: int) -> None:
        self.an_hour = an_hour
        self._left: dict[str, TokenBucket] = {}  # by address or network

    def take(self, address: str, now: int) -> None:
        """Count one more new name; "" is no address, and has no limit.

        Raises:
            Refusal: session/too-many-names.
        """
        taken = [(network, self._of(network, now)) for network in networks(address)]
        for network, left in taken:
            left.refill(now)
            if left.level < 1:
                raise Refusal(
                    Code.SESSION_TOO_MANY_NAMES,
                    f"{network.words()} has taken {self.an_hour * network.times:,} new names within"
                    " an hour; come back with the token of one of them, or in a while",
                )
        for _, left in taken:
            left.level -= 1

    def _of(self, network: Network, now: int) -> TokenBucket:
        left = self._left.get(network.name)
        if left is None:
            most = self.an_hour * network.times
            left = self._left[network.name] = TokenBucket(most / HOUR_S, most, now)
        return left

    def forget(self, now: int) -> None:
        """Forget the addresses that have taken none for long enough."""
        self._left = {a: left for a, left in self._left.items() if not left.is_full(now)}
