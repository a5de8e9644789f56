"""The process of an attacker: prepares, then carries out a round for each line it is sent.

    python -m bench.attacks.strike NAME PORT PLAN       PLAN: an AssaultPlan in JSON

It says `ready` when it has prepared, takes a line for each round, and answers each with what the
round did, in JSON.  It ends when its standard input does.
"""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import time
from typing import Final

import msgspec

from bench.attacks import floods, hoarding, ladders, malformed, sockets
from bench.attacks.hostile import Assault, AssaultPlan, Attack, strike_once
from bench.support.process import raise_file_limit

# A new attack is a row in the table of its family.
ATTACKS: Final[dict[str, Attack]] = {
    attack.name: attack
    for family in (floods, hoarding, ladders, sockets, malformed)
    for attack in family.ATTACKS
}
MAX_MEMORY: Final = 4 << 30  # bytes of address space: an attack must not take the machine
NICE: Final = 10  # below the control, whose time is measured
FILES: Final = 12_000


async def serve(assault: Assault, attack: Attack) -> None:
    if attack.prepare is not None:
        await attack.prepare(assault)
    print("ready", flush=True)
    loop = asyncio.get_running_loop()
    while await loop.run_in_executor(None, sys.stdin.readline):
        busy = time.process_time()
        counts = await strike_once(assault, attack, prepare=False)
        counts.busy = (time.process_time() - busy) / max(counts.seconds, 1e-9)
        print(msgspec.json.encode(counts).decode(), flush=True)
    await assault.close()


def limit_ourselves() -> None:
    """Stand back behind everybody else, and never take more memory than this."""
    import resource  # Linux alone has the addresses that attacks come from

    raise_file_limit(FILES)
    os.nice(NICE)
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))


def main(name: str, port: str, plan: str) -> None:
    limit_ourselves()
    gc.freeze()
    assault = Assault(int(port), msgspec.json.decode(plan, type=AssaultPlan))
    asyncio.run(serve(assault, ATTACKS[name]))


if __name__ == "__main__":
    main(*sys.argv[1:])
