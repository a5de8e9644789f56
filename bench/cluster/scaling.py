"""`plyhouse bench scaling`: moves a second of several servers on one PostgreSQL, beside one server.

In turns: one server with its log in a file, and several on one PostgreSQL, among which the same
number of matches is shared out, each played where its room is.  Nothing is pinned: servers,
database and load generators share all cores of this machine, and no move is forwarded.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from rich.console import Console

from bench.cluster.networks import free_port
from bench.server.load import ServerLoad
from bench.server.server import UNLIMITED, raise_file_limit
from bench.support.generator import loaded
from bench.support.postgres import NoPostgres, PostgresServer
from bench.support.process import MeasuredServer
from bench.support.report import (
    Report,
    Spread,
    complain,
    errors_text,
    output,
    progress,
    slim_table,
    spread,
    spread_or_none,
)
from bench.support.wire import WireError
from bots.arena.local_server import ServerFailed


class ScalingReport(Report, kw_only=True):
    """Everything that was measured; processor time in microseconds a move, of all that share it."""

    servers: int
    matches: int
    rounds: int
    one_moves_per_s: Spread
    several_moves_per_s: Spread
    ratio: Spread  # of the second to the first, in each round
    one_cpu_us: Spread | None
    several_cpu_us: Spread | None
    database_cpu_us: Spread  # start and warm-up included
    p99_ms: Spread  # of the slowest of several
    errors: int
    complaints: list[str]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe `plyhouse bench scaling`."""
    parser.add_argument("--servers", type=int, default=2, help="on one PostgreSQL (default 2)")
    parser.add_argument("--matches", type=int, default=200, help="matches at once (default 200)")
    parser.add_argument("--seconds", type=float, default=5.0, help="measured, each round")
    parser.add_argument("--rounds", type=int, default=3, help="each with fresh servers")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Measure and print; 1 if anything went wrong meanwhile, 2 if it could not be measured."""
    if not 2 <= args.servers <= 16 or args.matches < args.servers or args.rounds < 1:
        return complain("scaling", "2 to 16 servers, a match for each, at least 1 round")
    if args.seconds <= 0:
        return complain("scaling", "seconds are above 0")
    raise_file_limit(2 * args.matches + 200)
    folder = Path(tempfile.mkdtemp(prefix="plyhouse-scaling-"))
    try:
        with PostgresServer() as postgres:
            report = _measure(args, folder, postgres)
    except (ServerFailed, WireError, NoPostgres, OSError) as error:
        return complain("scaling", error)
    finally:
        shutil.rmtree(folder)
    output(report, args.json, show)
    return 0 if report.errors == 0 else 1


def _measure(args: argparse.Namespace, folder: Path, postgres: PostgresServer) -> ScalingReport:
    ones: list[ServerLoad] = []
    several: list[list[ServerLoad]] = []
    shares: list[float] = []
    for number in range(args.rounds):
        alone = MeasuredServer(folder / f"one-{number}", UNLIMITED)
        ones += _load([alone], args.matches, args.seconds)
        postgres.run_sql([f"CREATE DATABASE round{number}"])
        url = postgres.url(f"round{number}")
        here = [_member(folder / f"{number}-{n}", folder, url) for n in range(args.servers)]
        before = postgres.cpu_s()
        several.append(_load(here, args.matches, args.seconds))
        moves = sum(load.moves for load in several[-1])
        shares.append(1e6 * (postgres.cpu_s() - before) / max(1, moves))
        rates = ones[-1].moves_per_s, _rate(several[-1])
        progress(f"round {number + 1} of {args.rounds}: {rates[0]:,.0f} and {rates[1]:,.0f}")
    ratios = [_rate(many) / (one.moves_per_s or 1) for one, many in zip(ones, several, strict=True)]
    every = [*ones, *(load for loads in several for load in loads)]
    return ScalingReport(
        servers=args.servers,
        matches=args.matches,
        rounds=args.rounds,
        one_moves_per_s=spread([one.moves_per_s for one in ones]),
        several_moves_per_s=spread([_rate(loads) for loads in several]),
        ratio=spread(ratios),
        one_cpu_us=spread_or_none([one.server_cpu_us for one in ones]),
        several_cpu_us=spread_or_none([load.server_cpu_us for loads in several for load in loads]),
        database_cpu_us=spread(shares),
        p99_ms=spread([max(load.p99_ms for load in loads) for loads in several]),
        errors=sum(load.errors for load in every),
        complaints=[error for load in every for error in load.complaints],
    )


def _member(data: Path, folder: Path, database: str) -> MeasuredServer:
    port = free_port()
    words = ("--database", database, "--advertise", f"127.0.0.1:{port}")
    server = MeasuredServer(data, UNLIMITED, words=(*words, "--secret", str(folder / "secret")))
    server.port = port
    return server


def _load(servers: Sequence[MeasuredServer], matches: int, seconds: float) -> list[ServerLoad]:
    """Start servers, load all of them at once, and stop them."""
    words = ["--matches", matches // len(servers), "--seconds", seconds]
    load = partial(loaded, module="bench.server.load", words=words, kind=ServerLoad, core=None)
    begun: list[MeasuredServer] = []
    try:
        for server in servers:
            server.start()
            begun.append(server)
        with ThreadPoolExecutor(len(servers)) as pool:
            loads = list(pool.map(load, servers))
    finally:
        codes = [server.stop() for server in begun]
    for code, each in zip(codes, loads, strict=True):
        if code != 0:
            each.errors += 1
            each.complaints.append(f"a server ended with exit code {code}")
    return loads


def _rate(loads: Sequence[ServerLoad]) -> float:
    return sum(load.moves_per_s for load in loads)


def show(report: ScalingReport) -> None:
    """Print the report for people."""
    table = slim_table(f"{report.matches} matches at once", [""], ["median", "range"])
    many = f"{report.servers} servers on a PostgreSQL"
    rows: list[tuple[str, Spread | None, str]] = [
        ("one server: durable moves a second", report.one_moves_per_s, ",.0f"),
        (f"{many}: the same", report.several_moves_per_s, ",.0f"),
        ("ratio", report.ratio, ".2f"),
        ("one server: CPU a move, us", report.one_cpu_us, ".1f"),
        (f"{many}: the same", report.several_cpu_us, ".1f"),
        ("the PostgreSQL: the same", report.database_cpu_us, ".1f"),
        (f"{many}: p99 ms", report.p99_ms, ".1f"),
    ]
    for name, figure, style in rows:
        if figure:
            low, high = format(figure.low, style), format(figure.high, style)
            table.add_row(name, format(figure.median, style), f"{low} to {high}")
    console = Console()
    console.print(table)
    console.print(f"{report.place}.")
    console.print(errors_text(report.errors, report.complaints))
