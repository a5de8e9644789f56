"""`plyhouse bench server`: how many moves a second one server stores and shows.

Each round starts a fresh server, alone on one core where the system can pin it, with the load
generator (bench/server/load.py) on another; every move is durable before it is shown, as always.
In turns with it goes a server that does nothing with a move (bench/server/yardstick.py), and with
`--database` the same server with its log in a PostgreSQL.  Compare figures of one sitting only.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from bench.server.load import MatchGenerator
from bench.support.generator import (
    MEASURES,
    MORE_MEASURES,
    Load,
    load_on,
    notes_of,
    problems_of,
)
from bench.support.log_place import LogPlace, add_argument, log_place
from bench.support.process import (
    UNLIMITED,
    MeasuredServer,
    YardstickProcess,
    cores,
    raise_file_limit,
)
from bench.support.report import BadPlan, Report
from bench.support.rounds import by_side, in_turns, ratios
from protocol.messages import MatchState

OURS, BARE, IN_POSTGRES = "Plyhouse", "bare websockets", "in PostgreSQL"
WARM_UP_ROOMS: Final = 20  # make the server import and allocate what it needs only once


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--matches", type=int, default=200, help="matches at once (default 200)")
    parser.add_argument("--seconds", type=float, default=5.0, help="measured, each round")
    parser.add_argument("--rounds", type=int, default=3, help="each with a fresh server")
    parser.add_argument("--warm-up", type=float, default=1.0, help="seconds not counted")
    parser.add_argument(
        "--idle", type=int, default=2_000, help="connections for the memory figure; 0: none"
    )
    add_argument(parser)


def measure(args: argparse.Namespace, folder: Path) -> Report:
    """Run all rounds, then the memory measurement."""
    if args.matches < 1 or args.rounds < 1 or not args.seconds > 0 or args.idle < 0:
        raise BadPlan("matches and rounds start at 1, seconds above 0, idle at 0")
    raise_file_limit(max(args.idle, 2 * args.matches) + 200)
    words = ["--matches", args.matches, "--seconds", args.seconds, "--warm-up", args.warm_up]
    with log_place(args.database) as place:
        core = cores()[0]

        def ours(data: Path) -> Load:
            return _load(MeasuredServer(data, UNLIMITED, core=core), words)

        def bare(data: Path) -> Load:
            return _load(YardstickProcess(data, core=core), words)

        def in_postgres(data: Path) -> Load:
            server = MeasuredServer(data, UNLIMITED, core=core, words=place.words)
            return _with_database(server, words, place)

        sides = {OURS: ours, BARE: bare}
        if place.database is not None:
            sides[IN_POSTGRES] = in_postgres
        rounds = in_turns(
            sides, args.rounds, folder, lambda load: f"{load.moves_per_s:,.0f} moves/s"
        )
    loads = [each for results in rounds for each in results.items()]
    title = f"{args.matches} matches at once, {args.seconds:g} s a round"
    others = {f"to {side}": (OURS, side) for side in sides if side != OURS}
    report = Report(
        tables=[
            by_side(title, MORE_MEASURES, rounds, {side: side for side in sides}),
            ratios("Plyhouse, its log in a file, to others", MEASURES, rounds, others),
        ],
        notes=notes_of(loads),
        problems=problems_of(loads),
    )
    if args.idle:
        report.notes += memory(folder / "memory", args.idle)
    return report


def _load(server: MeasuredServer, words: list[object]) -> Load:
    return load_on(server, "bench.server.load", words)


def _with_database(server: MeasuredServer, words: list[object], place: LogPlace) -> Load:
    """Load a server, and say what its database took: warm-up and start included."""
    before = place.own.cpu_s() if place.own is not None else None
    load = _load(server, words)
    if place.own is not None and before is not None:
        load.database_cpu = place.own.cpu_s() - before
    return load


def memory(data: Path, connections: int) -> list[str]:
    """Say what a server takes at its start, and for each of many players at matches, who rest."""
    server = MeasuredServer(data, UNLIMITED)
    server.start()
    crowds: list[MatchGenerator] = []
    try:
        at_start = server.memory()
        crowds.append(seated(server.port, WARM_UP_ROOMS))
        before = server.memory()
        crowds.append(seated(server.port, connections // 2))
        after = server.memory()
    finally:
        for crowd in crowds:
            crowd.close()
        server.stop()
    if at_start is None or before is None or after is None:
        return []
    count = connections // 2 * 2
    return [
        f"A server takes {at_start / 2**20:.1f} MB at its start, and"
        f" {(after - before) / count / 1024:.1f} kB a connection ({count:,} at matches, idle)."
    ]


def seated(port: int, rooms: int) -> MatchGenerator:
    """Open rooms with two players each, whose match is on."""
    crowd = MatchGenerator("127.0.0.1", port, rooms)
    for match in crowd.matches:
        match.ready()
        for player in match.players:
            player.wire.wait_for(MatchState)
    return crowd
