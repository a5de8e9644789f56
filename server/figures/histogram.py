"""A histogram of plain ints, without a lock: to observe costs a fifth of a microsecond."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

MS: Final = 1_000_000  # nanoseconds
TIMES_NS: Final = tuple(
    int(ms * MS)
    for ms in (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500)
)  # of what usually takes a fraction of a millisecond

LONG_NS: Final = tuple(  # of what usually takes a fraction of a second
    int(ms * MS)
    for ms in (5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000)
)


class Histogram:
    """How many values were at most each of the ascending `bounds`, and their sum."""

    __slots__ = ("_counts", "bounds", "sum")

    def __init__(self, bounds: Sequence[int]) -> None:
        self.bounds = tuple(bounds)
        self.sum = 0
        self._counts = [0] * (len(self.bounds) + 1)  # of values between two bounds

    def observe(self, value: int) -> None:
        self._counts[bisect_left(self.bounds, value)] += 1
        self.sum += value

    @property
    def count(self) -> int:
        return sum(self._counts)

    def cumulative(self) -> Iterator[tuple[int | None, int]]:
        """Yield each bound and how many values were at most that; at last None, and all."""
        return zip((*self.bounds, None), accumulate(self._counts), strict=True)
