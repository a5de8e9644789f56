"""How many new names one address may take: names cost the one who takes them nothing."""

from __future__ import annotations

from protocol.errors import Code, Refusal
from server.core.session import Allowance

HOUR_S = 3_600


class NewNames:
    """The new names of each address, at most `an_hour`; guests' names count."""

    def __init__(self, an_hour: int) -> None:
        self.an_hour = an_hour
        self._left: dict[str, Allowance] = {}

    def take(self, address: str, now: int) -> None:
        """Count one more new name; "" is no address, and has no limit.

        Raises:
            Refusal: session/too-many-names.
        """
        if not address:
            return
        left = self._left.get(address)
        if left is None:
            left = self._left[address] = Allowance(self.an_hour / HOUR_S, self.an_hour, now)
        left.refill(now)
        if left.level < 1:
            raise Refusal(
                Code.SESSION_TOO_MANY_NAMES,
                f"your address has taken {self.an_hour} new names within an hour; come back with"
                " the token of one of them, or in a while",
            )
        left.level -= 1

    def forget(self, now: int) -> None:
        """Forget the addresses that have taken none for long enough."""
        self._left = {a: left for a, left in self._left.items() if not left.is_full(now)}
