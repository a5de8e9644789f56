"""`plyhouse bench server`: how many moves a second one server stores and shows.

Each round starts a fresh server, alone on one core where the system can pin it, with the load
generator (bench/load.py) on another; every move is durable before it is shown, as always.  The
absolute rate moves with the machine and the hour: compare figures of one sitting only.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from bench.load import CLOCK, GAME, Load
from bench.process import ROOT, ServerError, ServerProcess, YardstickProcess, cores
from bench.wire import Wire, WireError
from protocol.messages import Create, Join, MatchState, Options, Ready, RoomState

# One address plays for everybody here, faster than any person: the limits per address are lifted.
UNLIMITED = {
    "connections_per_address": 10_000,
    "messages_per_second": 1_000_000,
    "messages_burst": 1_000_000,
}
YARDSTICK_S = 2.0  # seconds are enough for the yardstick
BUSY = 0.85  # above this share of its core the generator may be what is measured
WARM_UP_ROOMS = 20  # make the server import and allocate what it needs only once


class Spread(msgspec.Struct):
    """A figure over several rounds."""

    median: float
    low: float
    high: float


class Report(msgspec.Struct, kw_only=True):
    """Everything that was found.  Times are milliseconds, memory kilobytes (1,024 bytes)."""

    matches: int
    seconds: float
    rounds: int
    moves_per_s: Spread
    yardstick_moves_per_s: Spread  # bench/yardstick.py in the same rounds
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
    said: list[str]
    python: str
    machine: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe `plyhouse bench server`."""
    parser.add_argument("--matches", type=int, default=200, help="matches at once (default 200)")
    parser.add_argument("--seconds", type=float, default=5.0, help="measured, each round")
    parser.add_argument("--rounds", type=int, default=3, help="each with a fresh server")
    parser.add_argument("--warm-up", type=float, default=1.0, help="seconds not counted")
    parser.add_argument(
        "--idle", type=int, default=2_000, help="connections for the memory figure; 0: none"
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Measure and print; 1 if anything went wrong meanwhile, 2 if it could not be measured."""
    if args.matches < 1 or args.rounds < 1 or args.seconds <= 0 or args.idle < 0:
        print("plyhouse bench server: matches, rounds and seconds start at 1", file=sys.stderr)
        return 2
    raise_file_limit(max(args.idle, 2 * args.matches) + 200)
    try:
        report = measure(args.matches, args.seconds, args.rounds, args.warm_up, args.idle)
    except (ServerError, WireError, OSError) as error:
        print(f"plyhouse bench server: {error}", file=sys.stderr)
        return 2
    if args.json:
        print(msgspec.json.encode(report).decode())
    else:
        show(report)
    return 0 if report.errors == 0 else 1


def measure(matches: int, seconds: float, rounds: int, warm_up: float, idle: int) -> Report:
    """Run all rounds, then the memory measurement."""
    folder = Path(tempfile.mkdtemp(prefix="plyhouse-bench-"))
    try:
        core, loads, sticks = cores()[0], [], []
        for number in range(rounds):
            server = ServerProcess(folder / f"round-{number}", UNLIMITED, core=core)
            load = one_round(server, matches, seconds, warm_up)
            stick = YardstickProcess(folder / f"yardstick-{number}", core=core)
            sticks.append(one_round(stick, matches, min(seconds, YARDSTICK_S), warm_up))
            loads.append(load)
            _progress(f"round {number + 1} of {rounds}: {load.moves_per_s:,.0f} moves/s")
        at_start, each = memory(folder / "memory", idle) if idle else (None, None)
        return _report(loads, sticks, matches, seconds, idle, at_start, each)
    finally:
        shutil.rmtree(folder)


def one_round(server: ServerProcess, matches: int, seconds: float, warm_up: float) -> Load:
    """Start a server, and run the load generator against it once."""
    load_core = cores()[1]
    server.start()
    try:
        command = [sys.executable, "-m", "bench.load", "--port", str(server.port)]
        command += ["--matches", str(matches), "--seconds", str(seconds)]
        command += ["--warm-up", str(warm_up), "--server-pid", str(server.pid)]
        if load_core is not None:
            command += ["--core", str(load_core)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    finally:
        code = server.stop()
    if not done.stdout:
        raise ServerError(f"the load generator found nothing: {done.stderr.strip()[-500:]}")
    load = msgspec.json.decode(done.stdout, type=Load)
    if code != 0:
        load.errors += 1
        load.said.append(f"the server ended with exit code {code}; its log: {_end_of(server.log)}")
    return load


def memory(data: Path, connections: int) -> tuple[float | None, float | None]:
    """kB of a server at its start, and kB for each of many players at matches who do nothing."""
    server = ServerProcess(data, UNLIMITED)
    server.start()
    wires: list[Wire] = []
    try:
        at_start = server.memory()
        _seat(wires, server.port, WARM_UP_ROOMS)
        before = server.memory()
        _seat(wires, server.port, connections // 2)
        after = server.memory()
    finally:
        for wire in wires:
            wire.close()
        server.stop()
    if at_start is None or before is None or after is None:
        return None, None
    return at_start / 1024, (after - before) / (connections // 2 * 2) / 1024


def _seat(wires: list[Wire], port: int, rooms: int) -> None:
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
    """Let this process, and those it starts, hold so many open files, or what the system allows."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < files:
        most = files if hard == resource.RLIM_INFINITY else min(files, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def show(report: Report) -> None:
    """Print the report for people."""
    table = Table(title=f"{report.matches} matches at once, {report.seconds:g} s a round")
    table.add_column("")
    table.add_column("median", justify="right")
    table.add_column("range", justify="right")
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
    for name, spread, style in rows:
        if spread:
            low, high = format(spread.low, style), format(spread.high, style)
            table.add_row(name, format(spread.median, style), f"{low} to {high}")
    if report.kb_at_start is not None and report.kb_per_connection is not None:
        table.add_row("server at start, MB", f"{report.kb_at_start / 1024:.1f}", "")
        name = f"kB a connection ({report.idle_connections:,} at matches, idle)"
        table.add_row(name, f"{report.kb_per_connection:.1f}", "")
    console = Console()
    console.print(table)
    for sentence in _remarks(report):
        console.print(sentence)


def _remarks(report: Report) -> list[str]:
    said = [f"{report.machine}, Python {report.python}."]
    if report.pinned:
        said.append("Server and load generator each had a core to themselves.")
    else:
        said.append("NOT PINNED: server and load generator shared the cores as the system liked.")
    if report.generator_is_the_limit:
        said.append("The load generator was busy most of the time: the server may be faster.")
    said.append(f"Errors: {report.errors}." + "".join(f"\n  {line}" for line in report.said))
    return said


def _report(
    loads: Sequence[Load],
    sticks: Sequence[Load],
    matches: int,
    seconds: float,
    idle: int,
    at_start: float | None,
    each: float | None,
) -> Report:
    busy = _spread([load.generator_busy for load in loads])
    return Report(
        matches=matches,
        seconds=seconds,
        rounds=len(loads),
        moves_per_s=_spread([load.moves_per_s for load in loads]),
        yardstick_moves_per_s=_spread([stick.moves_per_s for stick in sticks]),
        share_of_yardstick=_spread(
            [a.moves_per_s / (b.moves_per_s or 1) for a, b in zip(loads, sticks, strict=True)]
        ),
        p50_ms=_spread([load.p50_ms for load in loads]),
        p99_ms=_spread([load.p99_ms for load in loads]),
        bytes_per_move=_spread([load.bytes_per_move for load in loads]),
        server_cpu_us=_spread_or_none([load.server_cpu_us for load in loads]),
        server_kernel_share=_spread_or_none([load.server_kernel_share for load in loads]),
        generator_busy=busy,
        generator_is_the_limit=busy.median > BUSY,
        pinned=cores()[0] is not None,
        kb_at_start=at_start,
        kb_per_connection=each,
        idle_connections=idle // 2 * 2,
        errors=sum(load.errors for load in [*loads, *sticks]),
        said=[line for load in [*loads, *sticks] for line in load.said],
        python=platform.python_version(),
        machine=f"{platform.system()} {platform.machine()}",
    )


def _spread(values: Sequence[float]) -> Spread:
    return Spread(statistics.median(values), min(values), max(values))


def _spread_or_none(values: Sequence[float | None]) -> Spread | None:
    known = [value for value in values if value is not None]
    return _spread(known) if known else None


def _end_of(log: Path) -> str:
    return log.read_text(errors="replace")[-500:]


def _progress(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
