"""What so many people at matches need, from what was measured, and what of it runs out first.

Nothing is measured here.  Two people sit at a match, day and night, and each match has a move every
`pace` seconds.  A machine is planned to be busy for no more than BUSY of its time, as who waits for
a core that is always busy waits long.
"""

from __future__ import annotations

import math
from typing import Final

import msgspec

BUSY: Final = 0.7  # share of a core, or of the memory, that is planned with
DAY_S: Final = 86_400
MONTH_D: Final = 30


class Costs(msgspec.Struct, frozen=True):
    """What things cost on one machine; None: this system does not tell.

    `moves_per_s`: when there is no pause; the others are of people who think.  `hello_us`: a
    connection and its session, to the `welcome`; a second of a core brings back so many people.
    """

    moves_per_s: float
    cpu_us_move: float | None
    kb_start: float | None
    kb_player: float | None
    sent_move: float
    logged_move: float
    hello_us: float | None


class Machine(msgspec.Struct, frozen=True):
    """What there is: bytes of memory and of free disk, and the limits of the server's settings."""

    cores: int
    memory: int | None
    disk: int
    connections: int
    rooms: int


class Use(msgspec.Struct, frozen=True):
    """How much of one thing is used: 1 is all of it."""

    what: str
    share: float


class Reckoning(msgspec.Struct, frozen=True):
    """What so many people need, a server a core.

    `back_s`: how long a core takes to let all of them in again.
    """

    players: int
    moves_per_s: float
    cores: float
    memory_mb: float | None
    sent_mb_s: float
    log_gb_day: float
    back_s: float | None
    servers: int
    uses: list[Use]  # of one server with everything on it; the first runs out first


def needs(players: int, pace: float, costs: Costs, machine: Machine) -> Reckoning:
    """Return what `players` people need whose matches have a move every `pace` seconds."""
    moves = players / 2 / pace
    cpu = moves * (costs.cpu_us_move or 1e6 / costs.moves_per_s) / 1e6
    memory = _memory(players, costs)
    log = moves * costs.logged_move * DAY_S
    uses = [
        Use("70 % of a core's time", cpu / BUSY),
        Use("`--set connections`", players / machine.connections),
        Use("`--set rooms`", players / 2 / machine.rooms),
        Use("the free disk, in a month", log * MONTH_D / machine.disk),
    ]
    if memory is not None and machine.memory is not None:
        uses.append(Use("70 % of the memory", memory / (BUSY * machine.memory)))
    return Reckoning(
        players=players,
        moves_per_s=moves,
        cores=cpu,
        memory_mb=None if memory is None else memory / 1e6,
        sent_mb_s=moves * costs.sent_move / 1e6,
        log_gb_day=log / 1e9,
        back_s=None if costs.hello_us is None else players * costs.hello_us / 1e6,
        servers=max(1, math.ceil(max(cpu / BUSY, players / machine.connections))),
        uses=sorted(uses, key=lambda use: -use.share),
    )


def _memory(players: int, costs: Costs) -> float | None:
    if costs.kb_player is None or costs.kb_start is None:
        return None
    return (costs.kb_start + players * costs.kb_player) * 1024


def most_players(pace: float, costs: Costs, machine: Machine) -> int:
    """Return for how many people one server is enough: where the first thing runs out."""
    some = 1_000
    first, start = needs(some, pace, costs, machine).uses[0], 0.0
    if first.what == "70 % of the memory" and costs.kb_start is not None and machine.memory:
        start = costs.kb_start * 1024 / (BUSY * machine.memory)  # which nobody has to be there for
    return int(some * (1 - start) / (first.share - start))
