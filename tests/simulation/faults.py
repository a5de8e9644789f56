"""What goes wrong, and when: a list that is drawn from the seed before anything happens.

Each fault is one line of it, by its number, so that a failing run is tried again without some of
them.  Which kinds there are at all, and how many, differs from seed to seed: where everything goes
wrong all the time, little is played.
"""

from __future__ import annotations

import random
from typing import NamedTuple

KINDS = (
    "kill", "power", "stop", "pause", "cut", "half_cut", "shut_up", "shut_down", "shut_both",
    "slow", "slow_disk", "full_disk", "clock_ahead", "clock_back", "cut_all", "client_sleeps",
)  # fmt: skip


class Fault(NamedTuple):
    """`at`, `lasts`: seconds from the start; `who`: a number by which somebody is chosen."""

    at: float
    kind: str
    who: int
    lasts: float


def draw(seed: str, seconds: float) -> list[Fault]:
    """Return the faults of a seed, in order."""
    rng = random.Random(f"{seed} faults")
    kinds = [kind for kind in KINDS if rng.random() < 0.5]
    faults = []
    for kind in kinds:
        is_servers = kind in ("kill", "power", "stop", "pause", "full_disk", "slow_disk")
        for _ in range(rng.randrange(1, 6 if is_servers else 12)):
            lasts = min(120.0, rng.expovariate(1 / 8))
            faults.append(Fault(seconds * rng.random(), kind, rng.randrange(10**6), lasts))
    return sorted(faults)
