"""`plyhouse bench server`: how many moves a second one server stores and shows.

Each round starts a fresh server, alone on one core where the system can pin it, with the load
generator (bench/server/load.py) on another; every move is durable before it is shown, as always.
The absolute rate moves with the machine and the hour: compare figures of one sitting only.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec
from rich.console import Console

from bench.server.load import ServerLoad
from bench.support.generator import CLOCK, GAME, load_on
from bench.support.log_place import LogPlace, add_argument, log_place
from bench.support.process import MeasuredServer, YardstickProcess, cores
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
from bench.support.wire import Wire, WireError
from lab.arena.local_server import NO_ALLOWANCES, ServerFailed, ServerProcess
from protocol.messages import Create, Join, MatchState, Ready, RoomState
from protocol.parts import Options

# One address plays for everybody here, faster than any person: the limits per address are lifted.
UNLIMITED = {
    **NO_ALLOWANCES,
    "connections_per_address": 10_000,
    "names_per_address": 1_000_000,
    "rooms_per_address": 10_000,
}
YARDSTICK_S = 2.0  # seconds are enough for the yardstick
BUSY = 0.85  # above this share of its core the generator may be what is measured
WARM_UP_ROOMS = 20  # make the server import and allocate what it needs only once


class DatabaseFigures(msgspec.Struct, kw_only=True):
    """The same server with its log in a PostgreSQL, in the same rounds."""

    moves_per_s: Spread
    share_of_file: Spread  # its moves a second by those with the log in a file
    p50_ms: Spread
    p99_ms: Spread
    server_cpu_us: Spread | None
    database_cpu_us: Spread | None  # warm-up and start included


class ServerReport(Report, kw_only=True):
    """Everything that was measured.  Times are milliseconds, memory kilobytes (1,024 bytes)."""

    matches: int
    seconds: float
    rounds: int
    moves_per_s: Spread
    yardstick_moves_per_s: Spread  # bench/server/yardstick.py in the same rounds
    share_of_yardstick: Spread  # the figure that can be compared between machines
    p50_ms: Spread
    p99_ms: Spread
    bytes_per_move: Spread
    server_cpu_us: Spread | None
    server_kernel_share: Spread | None
    generator_busy: Spread
    generator_is_the_limit: bool
    pinned: bool
    kb_at_start: float | None
    kb_per_connection: float | None
    idle_connections: int
    errors: int
    complaints: list[str]
    database: DatabaseFigures | None = None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe `plyhouse bench server`."""
    parser.add_argument("--matches", type=int, default=200, help="matches at once (default 200)")
    parser.add_argument("--seconds", type=float, default=5.0, help="measured, each round")
    parser.add_argument("--rounds", type=int, default=3, help="each with a fresh server")
    parser.add_argument("--warm-up", type=float, default=1.0, help="seconds not counted")
    parser.add_argument(
        "--idle", type=int, default=2_000, help="connections for the memory figure; 0: none"
    )
    add_argument(parser)
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Measure and print; 1 if anything went wrong meanwhile, 2 if it could not be measured."""
    if args.matches < 1 or args.rounds < 1 or args.seconds <= 0 or args.idle < 0:
        return complain("server", "matches and rounds start at 1, seconds above 0, idle at 0")
    raise_file_limit(max(args.idle, 2 * args.matches) + 200)
    try:
        with log_place(args.database) as place:
            report = measure(
                args.matches, args.seconds, args.rounds, args.warm_up, args.idle, place
            )
    except (ServerFailed, WireError, OSError) as error:
        return complain("server", error)
    output(report, args.json, show)
    return 0 if report.errors == 0 else 1


def measure(
    matches: int, seconds: float, rounds: int, warm_up: float, idle: int, place: LogPlace
) -> ServerReport:
    """Run all rounds, then the memory measurement."""
    folder = Path(tempfile.mkdtemp(prefix="plyhouse-bench-"))
    try:
        core, loads, yardsticks = cores()[0], [], []
        others: list[ServerLoad] = []
        shares: list[float | None] = []
        for number in range(rounds):
            server = MeasuredServer(folder / f"round-{number}", UNLIMITED, core=core)
            load = one_round(server, matches, seconds, warm_up)
            if place.database is not None:
                other = folder / f"database-{number}"
                server = MeasuredServer(other, UNLIMITED, core=core, words=place.words)
                before = place.own.cpu_s() if place.own is not None else None
                others.append(one_round(server, matches, seconds, warm_up))
                shares.append(_database_share(place, before, others[-1]))
            yardstick = YardstickProcess(folder / f"yardstick-{number}", core=core)
            yardsticks.append(one_round(yardstick, matches, min(seconds, YARDSTICK_S), warm_up))
            loads.append(load)
            progress(f"round {number + 1} of {rounds}: {load.moves_per_s:,.0f} moves/s")
        at_start, each = memory(folder / "memory", idle) if idle else (None, None)
        report = _report(loads, yardsticks, matches, seconds, idle, at_start, each)
        if others:
            report.database = _database_figures(loads, others, shares)
            report.errors += sum(load.errors for load in others)
            report.complaints += [error for load in others for error in load.complaints]
        return report
    finally:
        shutil.rmtree(folder)


def _database_share(place: LogPlace, before: float | None, load: ServerLoad) -> float | None:
    """Return the database's CPU a move, in microseconds."""
    if place.own is None or before is None:
        return None
    return 1e6 * (place.own.cpu_s() - before) / max(1, load.moves)


def _database_figures(
    loads: Sequence[ServerLoad], others: Sequence[ServerLoad], shares: Sequence[float | None]
) -> DatabaseFigures:
    return DatabaseFigures(
        moves_per_s=spread([load.moves_per_s for load in others]),
        share_of_file=spread(
            [b.moves_per_s / (a.moves_per_s or 1) for a, b in zip(loads, others, strict=True)]
        ),
        p50_ms=spread([load.p50_ms for load in others]),
        p99_ms=spread([load.p99_ms for load in others]),
        server_cpu_us=spread_or_none([load.server_cpu_us for load in others]),
        database_cpu_us=spread_or_none(shares),
    )


def one_round(server: ServerProcess, matches: int, seconds: float, warm_up: float) -> ServerLoad:
    """Load a server once."""
    words = ["--matches", matches, "--seconds", seconds, "--warm-up", warm_up]
    return load_on(server, "bench.server.load", words, ServerLoad)


def memory(data: Path, connections: int) -> tuple[float | None, float | None]:
    """kB of a server at its start, and kB for each of many players at matches who do nothing."""
    server = MeasuredServer(data, UNLIMITED)
    server.start()
    wires: list[Wire] = []
    try:
        at_start = server.memory()
        seat(wires, server.port, WARM_UP_ROOMS)
        before = server.memory()
        seat(wires, server.port, connections // 2)
        after = server.memory()
    finally:
        for wire in wires:
            wire.close()
        server.stop()
    if at_start is None or before is None or after is None:
        return None, None
    return at_start / 1024, (after - before) / (connections // 2 * 2) / 1024


def seat(wires: list[Wire], port: int, rooms: int) -> None:
    """Open rooms with two players each, whose match is on."""
    for _ in range(rooms):
        first, second = Wire("127.0.0.1", port), Wire("127.0.0.1", port)
        wires += (first, second)
        first.hello()
        second.hello()
        options = Options(clock=CLOCK)
        room = first.ask(Create(id=1, game=GAME, options=options), RoomState).room
        second.ask(Join(id=1, room=room), RoomState)
        first.send(Ready(room=room))
        second.ask(Ready(room=room), MatchState)
        first.wait_for(MatchState)


def raise_file_limit(files: int) -> None:
    """Let this process, and those it starts, open this many files, or what the system allows."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < files:
        limit = files if hard == resource.RLIM_INFINITY else min(files, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))


def show(report: ServerReport) -> None:
    """Print the report for people."""
    title = f"{report.matches} matches at once, {report.seconds:g} s a round"
    table = slim_table(title, [""], ["median", "range"])
    rows: list[tuple[str, Spread | None, str]] = [
        ("durable moves a second", report.moves_per_s, ",.0f"),
        ("the same of a server that does nothing", report.yardstick_moves_per_s, ",.0f"),
        ("share of that", report.share_of_yardstick, ".0%"),
        ("move until both players see it, p50 ms", report.p50_ms, ".1f"),
        ("the same, p99 ms", report.p99_ms, ".1f"),
        ("bytes to both players a move", report.bytes_per_move, ",.0f"),
        ("server CPU a move, us", report.server_cpu_us, ".1f"),
        ("of it in the kernel", report.server_kernel_share, ".0%"),
        ("load generator busy", report.generator_busy, ".0%"),
    ]
    if (database := report.database) is not None:
        rows += [
            ("in a PostgreSQL: durable moves a second", database.moves_per_s, ",.0f"),
            ("share of those in a file", database.share_of_file, ".0%"),
            ("move until both players see it, p50 ms", database.p50_ms, ".1f"),
            ("the same, p99 ms", database.p99_ms, ".1f"),
            ("server CPU a move, us", database.server_cpu_us, ".1f"),
            ("the database's CPU a move, us", database.database_cpu_us, ".1f"),
        ]
    for name, figure, style in rows:
        if figure:
            low, high = format(figure.low, style), format(figure.high, style)
            table.add_row(name, format(figure.median, style), f"{low} to {high}")
    if report.kb_at_start is not None and report.kb_per_connection is not None:
        table.add_row("server at start, MB", f"{report.kb_at_start / 1024:.1f}", "")
        name = f"kB a connection ({report.idle_connections:,} at matches, idle)"
        table.add_row(name, f"{report.kb_per_connection:.1f}", "")
    console = Console()
    console.print(table)
    for sentence in _remarks(report):
        console.print(sentence)


def _remarks(report: ServerReport) -> list[str]:
    sentences = [f"{report.place}."]
    if report.pinned:
        sentences.append("Server and load generator each had a core to themselves.")
    else:
        sentences.append("NOT PINNED: the system moved server and load generator between cores.")
    if report.generator_is_the_limit:
        sentences.append("The load generator was busy most of the time: the server may be faster.")
    sentences.append(errors_text(report.errors, report.complaints))
    return sentences


def _report(
    loads: Sequence[ServerLoad],
    yardsticks: Sequence[ServerLoad],
    matches: int,
    seconds: float,
    idle: int,
    at_start: float | None,
    each: float | None,
) -> ServerReport:
    busy = spread([load.generator_busy for load in loads])
    return ServerReport(
        matches=matches,
        seconds=seconds,
        rounds=len(loads),
        moves_per_s=spread([load.moves_per_s for load in loads]),
        yardstick_moves_per_s=spread([yardstick.moves_per_s for yardstick in yardsticks]),
        share_of_yardstick=spread(
            [a.moves_per_s / (b.moves_per_s or 1) for a, b in zip(loads, yardsticks, strict=True)]
        ),
        p50_ms=spread([load.p50_ms for load in loads]),
        p99_ms=spread([load.p99_ms for load in loads]),
        bytes_per_move=spread([load.bytes_per_move for load in loads]),
        server_cpu_us=spread_or_none([load.server_cpu_us for load in loads]),
        server_kernel_share=spread_or_none([load.server_kernel_share for load in loads]),
        generator_busy=busy,
        generator_is_the_limit=busy.median > BUSY,
        pinned=cores()[0] is not None,
        kb_at_start=at_start,
        kb_per_connection=each,
        idle_connections=idle // 2 * 2,
        errors=sum(load.errors for load in [*loads, *yardsticks]),
        complaints=[error for load in [*loads, *yardsticks] for error in load.complaints],
    )
