"""Pearson's chi-square test without tables: how likely chance alone is as far off as this."""

from __future__ import annotations

import math


def likelihood(square: float, freedom: int) -> float:
    """How likely a chi-square of so many degrees of freedom is at least `square`.

    The upper regularised gamma function Q(freedom / 2, square / 2), by its finite sums for whole
    and half-whole arguments.
    """
    half = square / 2
    if half == 0:
        return 1.0
    if freedom % 2:
        start, tail = 0.5, math.erfc(math.sqrt(half))
    else:
        start, tail = 0.0, 0.0
    for i in range(freedom // 2):
        power = i + start
        tail += math.exp(power * math.log(half) - half - math.lgamma(power + 1))
    return tail
