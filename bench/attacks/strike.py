"""The process of an attacker: prepares, then carries out a round for each line it is sent.

    python -m bench.attacks.strike history --port 8765 --seconds 5

It says `ready` when it has prepared, takes a line for each round, and answers each with what the
round did, in JSON.  It ends when its standard input does.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import sys
import time
from collections.abc import Sequence
from typing import Final

import msgspec

from bench.attacks.catalog import ATTACKS
from bench.attacks.hostile import Assault, AssaultPlan, Attack
from bench.server.server import raise_file_limit

MOST_MEMORY: Final = 4 << 30  # bytes of address space: an attack must not take the machine
NICE: Final = 10  # below the control, whose time is measured
FILES: Final = 12_000


async def serve(assault: Assault, attack: Attack) -> None:
    """Prepare, and carry out a round for each line."""
    if attack.prepare is not None:
        await attack.prepare(assault)
    print("ready", flush=True)
    loop = asyncio.get_running_loop()
    while await loop.run_in_executor(None, sys.stdin.readline):
        assault.begin()
        begin, busy = time.monotonic(), time.process_time()
        await attack.strike(assault)
        counts = assault.counts
        counts.seconds = time.monotonic() - begin
        counts.busy = (time.process_time() - busy) / max(counts.seconds, 1e-9)
        print(msgspec.json.encode(counts).decode(), flush=True)
    await assault.close()


def limit_ourselves() -> None:
    """Stand back behind everybody else, and never take more memory than this."""
    raise_file_limit(FILES)
    if hasattr(os, "nice"):
        os.nice(NICE)
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def main(argv: Sequence[str] | None = None) -> int:
    """Attack one server."""
    parser = argparse.ArgumentParser(prog="python -m bench.attacks.strike", description=__doc__)
    parser.add_argument("attack", choices=ATTACKS)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--core", type=int, help="stay on this processor core")
    add_plan_arguments(parser)
    args = parser.parse_args(argv)
    if args.core is not None:
        os.sched_setaffinity(0, {args.core})
    limit_ourselves()
    gc.freeze()
    asyncio.run(serve(Assault(args.port, plan_of(args)), ATTACKS[args.attack]))
    return 0


def add_plan_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that say how much of an attack is asked for."""
    parser.add_argument("--seconds", type=float, default=AssaultPlan().seconds, help="a round")
    parser.add_argument(
        "--addresses", type=int, default=AssaultPlan().addresses, help="of the attacker (default 1)"
    )
    parser.add_argument("--rate", type=float, help="messages a second of each connection")
    parser.add_argument("--count", type=int, help="rooms, names, frames ... in a round")
    parser.add_argument("--crowd", type=int, help="connections")


def plan_of(args: argparse.Namespace) -> AssaultPlan:
    """What those options say."""
    return AssaultPlan(args.seconds, args.addresses, args.rate, args.count, args.crowd)


if __name__ == "__main__":
    sys.exit(main())
