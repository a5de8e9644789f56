"""How many new names one address may take: names cost the one who takes them nothing."""

from __future__ import annotations

from protocol.errors import Code, Refusal
from server.core.session import Bucket

HOUR_MS = 3_600_000


class NewNames:
    """The new names of each address, at most `an_hour`; guests' names count."""

    def __init__(self, an_hour: int) -> None:
        self.an_hour = an_hour
        self._buckets: dict[str, Bucket] = {}

    def take(self, address: str, now: int) -> None:
        """Count one more new name; Refusal session/too-many-names."""
        bucket = self._buckets.get(address)
        if bucket is None:
            bucket = self._buckets[address] = Bucket(self.an_hour, now)
        if not bucket.take(now, self.an_hour * 1000 / HOUR_MS, self.an_hour):
            raise Refusal(
                Code.SESSION_TOO_MANY_NAMES,
                f"your address has taken {self.an_hour} new names within an hour; come back with"
                " the token of one of them, or in a while",
            )

    def forget(self, now: int) -> None:
        """Forget the addresses that have taken none for an hour."""
        self._buckets = {a: b for a, b in self._buckets.items() if now - b.at < HOUR_MS}
