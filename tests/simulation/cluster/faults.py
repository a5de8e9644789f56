"""What goes wrong with several servers, and when: see tests/simulation/faults.py."""

from __future__ import annotations

import random

from tests.simulation.faults import Fault

CLIENTS = (
    "cut",
    "half_cut",
    "shut_up",
    "shut_down",
    "shut_both",
    "slow",
    "client_sleeps",
    "cut_all",
)
SERVERS = (
    "kill", "vanish", "stop", "drain", "pause", "doze", "clock_ahead", "clock_back",
    "break_lines", "part_one_way", "part", "alone",
    "break_database", "mute_database", "deaf_database", "lose_database", "slow_database",
    "fall_of_database",
)  # fmt: skip


def draw(seed: str, seconds: float) -> list[Fault]:
    """Return the faults of a seed, in order; those of servers are what is looked at here."""
    rng = random.Random(f"{seed} faults")
    found = []
    for kind in (*CLIENTS, *SERVERS):
        is_servers = kind in SERVERS
        if rng.random() < (0.4 if is_servers else 0.2):
            for _ in range(rng.randrange(1, 4 if is_servers else 8)):
                lasts = min(60.0, rng.expovariate(1 / 8))
                found.append(Fault(seconds * rng.random(), kind, rng.randrange(10**6), lasts))
    return sorted(found)
