"""Random numbers for search: xorshift32 in a one-int list or array, the same plain and compiled.

Not for dice that people must trust: those come from games/dice.py.
Source: G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8(14), 2003: 13, 17, 5.
"""

from __future__ import annotations

from collections.abc import MutableSequence

from games.kernel import kernel

State = MutableSequence[int]


@kernel
def below(rng: State, n: int) -> int:
    """Return a number in [0, n), 1 <= n < 2**30; advances `rng`.

    The high bits choose (multiply and shift), so the bias is at most n / 2**32.
    """
    x = rng[0]
    x ^= (x << 13) & 0xFFFFFFFF
    x ^= x >> 17
    x ^= (x << 5) & 0xFFFFFFFF
    rng[0] = x
    return (x * n) >> 32


def seeded(seed: int) -> list[int]:
    """Return a fresh generator for any integer seed; neighbouring seeds give unrelated streams."""
    x = (seed * 0x9E3779B97F4A7C15 + 0x632BE59BD9B4E019) & (2**64 - 1)
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & (2**64 - 1)
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & (2**64 - 1)
    return [(x >> 32) or 1]  # xorshift never leaves 0
