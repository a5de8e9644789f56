"""Short games for tests: in place of the first position, one of two checkers a side."""

from __future__ import annotations

from games.game import Ints
from games.kernel import kernel


@kernel
def few(s: Ints) -> None:
    """Two checkers a side, which still have to pass each other; the dice say who begins."""
    for i in range(52):
        s[i] = 0
    for base in range(0, 52, 26):
        s[base] = 13
        s[base + 4] = 1
        s[base + 20] = 1
    s[52] = -1
    s[53] = 0
    s[54] = 0


@kernel
def behind(s: Ints) -> None:
    """Two checkers a side far behind, so that they stay in contact for a while."""
    few(s)
    for base in range(0, 52, 26):
        s[base + 4] = 0
        s[base + 24] = 1
