"""`plyhouse bench capacity`: how many people this machine serves, and what runs out first.

More and more people play at a human pace, until a move takes too long or a core is too busy.  From
what that costs, and from a run without any pause, the needs of 100, of 10,000 and of a million
people are reckoned (sizing.py).  The server has a core to itself, the people another one.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
from rich.console import Console
from rich.table import Table

from bench.capacity import sizing
from bench.capacity.sizing import BUSY, Costs, Machine, Reckoning
from bench.server.load import ServerLoad
from bench.server.server import UNLIMITED, one_round, raise_file_limit
from bench.support.generator import load_on
from bench.support.process import MeasuredServer, cores, cpu_us
from bench.support.report import (
    Report,
    complain,
    errors_text,
    load_average,
    output,
    print_load,
    progress,
    slim_table,
)
from bench.support.wire import Wire, WireError
from bots.arena.local_server import ServerFailed
from server.config import Config

HOST: Final = "127.0.0.1"
PLAYERS: Final = "100,1000,4000"
MOST: Final = 20_000
EXAMPLES: Final = (100, 10_000, 1_000_000)
FULL: Final = 200  # matches of the run without any pause
HELLOS: Final = 400
IDLE: Final = 1.0  # a load average above this: somebody else is at work here
SETTINGS: Final = {**UNLIMITED, "connections": 10**6, "rooms": 10**6, "names_per_address": 10**9}


class PacedRound(msgspec.Struct):
    """So many people at matches, at a human pace."""

    players: int
    moves_per_s: float
    p50_ms: float
    p99_ms: float
    cpu_us: float | None
    busy: float | None  # share of the server's core
    memory_mb: float | None
    held: bool


class CapacityReport(Report, kw_only=True):
    """Everything that was measured, and what follows from it."""

    pace: float
    limit_ms: float
    load: float | None
    rounds: list[PacedRound]
    costs: Costs
    here: Machine
    enough_for: int  # people on one server, as its settings are
    needs: list[Reckoning]
    errors: int
    complaints: list[str]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of `plyhouse bench capacity`."""
    parser.add_argument(
        "--players", default=PLAYERS,
        help=f"how many people to try, fewest first (default {PLAYERS})",
    )  # fmt: skip
    parser.add_argument(
        "--pace", type=float, default=3.0, help="seconds between a match's moves (default 3)"
    )
    parser.add_argument(
        "--limit-ms", type=float, default=100.0,
        help="the p99 of a move that people do not notice (default 100)",
    )  # fmt: skip
    parser.add_argument("--seconds", type=float, default=8.0, help="measured, each time")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Measure and print; 1 if anything went wrong meanwhile, 2 if it could not be measured."""
    players = _players(args.players)
    if players is None:
        return complain("capacity", f"--players are numbers from 2 to {MOST:,}, such as {PLAYERS}")
    if not (args.pace > 0 and args.limit_ms > 0 and args.seconds > 0):
        return complain("capacity", "the pace, the limit and the seconds are above 0")
    raise_file_limit(max(players) + 2 * FULL + 200)
    folder = Path(tempfile.mkdtemp(prefix="plyhouse-bench-"))
    try:
        report = measure(folder, players, args.pace, args.limit_ms, args.seconds)
    except (ServerFailed, WireError, OSError) as error:
        return complain("capacity", error)
    finally:
        shutil.rmtree(folder)
    output(report, args.json, show)
    return 0 if report.errors == 0 else 1


def _players(text: str) -> list[int] | None:
    try:
        numbers = sorted({int(part) for part in text.split(",")})
    except ValueError:
        return None
    return numbers if numbers[0] >= 2 and numbers[-1] <= MOST else None


def measure(
    folder: Path, players: Sequence[int], pace: float, limit_ms: float, seconds: float
) -> CapacityReport:
    """Let more and more people play, and reckon what others need.

    Raises:
        ServerFailed, WireError, OSError: nothing could be measured.
    """
    busy = load_average()
    full, logged = _without_pause(folder / "full", seconds)
    hello_us, at_start = _hellos(folder / "hellos")
    loads, rounds = [full], list[PacedRound]()
    for number in players:
        load, memory = _at_pace(folder / f"paced-{number}", number // 2, pace, seconds)
        loads.append(load)
        rounds.append(_round(load, memory, limit_ms))
        progress(
            f"{number:,} people: p99 {load.p99_ms:.1f} ms{'' if rounds[-1].held else ', too much'}"
        )
        if not rounds[-1].held:
            break
    costs = _costs(full, logged, rounds, hello_us, at_start)
    machine = machine_of(folder)
    return CapacityReport(
        pace=pace,
        limit_ms=limit_ms,
        load=busy,
        rounds=rounds,
        costs=costs,
        here=machine,
        enough_for=sizing.most_players(pace, costs, machine),
        needs=[sizing.needs(number, pace, costs, machine) for number in EXAMPLES],
        errors=sum(load.errors for load in loads),
        complaints=[text for load in loads for text in load.complaints],
    )


def machine_of(folder: Path) -> Machine:
    """Return what this machine has, and what a server is set to."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # not every system tells
        memory = None
    config = Config()
    free = shutil.disk_usage(folder).free
    return Machine(os.cpu_count() or 1, memory, free, config.connections, config.rooms)


# ------------------------------------------------------------ what is measured


class LastMemory(MeasuredServer):
    """A server of which it is known how much memory it held in the end."""

    held: int | None = None

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to end, and wait."""
        self.held = self.memory()
        return super().stop(how)


def _without_pause(data: Path, seconds: float) -> tuple[ServerLoad, float]:
    """Return a load as heavy as can be, and the bytes that its log keeps of a move."""
    server, warm_up = MeasuredServer(data, SETTINGS, core=cores()[0]), 1.0
    load = one_round(server, FULL, seconds, warm_up)
    progress(f"without any pause: {load.moves_per_s:,.0f} moves/s")
    moves = load.moves_per_s * (load.seconds + warm_up)
    return load, sum(file.stat().st_size for file in data.rglob("*.db")) / max(1.0, moves)


def _hellos(data: Path) -> tuple[float | None, int | None]:
    """Return the processor time of a hello, and how much memory a server holds at its start."""
    server = MeasuredServer(data, SETTINGS, core=cores()[0])
    server.start()
    wires: list[Wire] = []
    try:
        memory = server.memory()
        before = cpu_us(server.pid)
        for _ in range(HELLOS):
            wire = Wire(HOST, server.port)
            wires.append(wire)
            wire.hello()
        return (cpu_us(server.pid) - before) / HELLOS, memory
    except FileNotFoundError:  # no /proc here
        return None, None
    finally:
        for wire in wires:
            wire.close()
        server.stop()


def _at_pace(
    data: Path, matches: int, pace: float, seconds: float
) -> tuple[ServerLoad, int | None]:
    """Return the load of so many matches, and the memory that the server held at its end."""
    server = LastMemory(data, SETTINGS, core=cores()[0])
    words = ["--matches", matches, "--pace", pace, "--seconds", seconds, "--warm-up", 1.5 * pace]
    load = load_on(server, "bench.capacity.paced", words, ServerLoad)
    return load, server.held


def _round(load: ServerLoad, memory: int | None, limit_ms: float) -> PacedRound:
    cpu = load.server_cpu_us
    busy = None if cpu is None else cpu * load.moves_per_s / 1e6
    return PacedRound(
        players=2 * load.matches,
        moves_per_s=load.moves_per_s,
        p50_ms=load.p50_ms,
        p99_ms=load.p99_ms,
        cpu_us=cpu,
        busy=busy,
        memory_mb=None if memory is None else memory / 1e6,
        held=load.p99_ms <= limit_ms and (busy is None or busy <= BUSY),
    )


def _costs(
    full: ServerLoad,
    logged: float,
    rounds: Sequence[PacedRound],
    hello_us: float | None,
    at_start: int | None,
) -> Costs:
    """Return the unit costs; people's are those of the largest number that was held, if any was."""
    best = next((each for each in reversed(rounds) if each.held), rounds[0])
    each = None
    if best.memory_mb is not None and at_start is not None:
        each = max(0.0, best.memory_mb * 1e6 - at_start) / best.players / 1024
    return Costs(
        moves_per_s=full.moves_per_s,
        cpu_us_move=best.cpu_us,
        kb_start=None if at_start is None else at_start / 1024,
        kb_player=each,
        sent_move=full.bytes_per_move,
        logged_move=logged,
        hello_us=hello_us,
    )


# ------------------------------------------------------------ what is said


def show(report: CapacityReport) -> None:
    """Print the report for people."""
    console = Console()
    title = f"People who play, a match's moves {report.pace:g} s apart"
    columns = ["moves/s", "p50 ms", "p99 ms", "CPU us a move", "of a core", "MB"]
    table = slim_table(title, ["people"], columns)
    for each in report.rounds:
        table.add_row(
            f"{each.players:,}{'' if each.held else ', too many'}", f"{each.moves_per_s:,.0f}",
            f"{each.p50_ms:.1f}", f"{each.p99_ms:.1f}", _told(each.cpu_us, ".0f"),
            _told(each.busy, ".1%"), _told(each.memory_mb, ".0f"),
        )  # fmt: skip
    console.print(table)
    console.print(_needs_table(report.needs))
    for sentence in _sentences(report):
        console.print(sentence)
    print_load(console, report.load, IDLE)
    console.print(f"{report.place}. {errors_text(report.errors, report.complaints)}")


def _needs_table(rows: Sequence[Reckoning]) -> Table:
    columns = ["moves/s", "servers", "memory, MB", "sent, MB/s", "log, GB/day", "all back, s"]
    table = slim_table("What so many people need", ["people"], columns)
    for row in rows:
        table.add_row(
            f"{row.players:,}", f"{row.moves_per_s:,.0f}", f"{row.servers:,}",
            _told(row.memory_mb, ",.0f"), f"{row.sent_mb_s:,.2f}", f"{row.log_gb_day:,.2f}",
            _told(row.back_s, ",.1f"),
        )  # fmt: skip
    return table


def _sentences(report: CapacityReport) -> list[str]:
    costs = report.costs
    said = [
        f"Without any pause: {costs.moves_per_s:,.0f} moves/s."
        f" Sent a move: {costs.sent_move:,.0f} bytes; kept in the log: {costs.logged_move:,.0f}.",
        f"One server as it is set is enough for {report.enough_for:,} people.",
    ]
    for needs in report.needs:
        first = needs.uses[0]
        what = "first to run out" if first.share > 1 else "most used"
        said.append(
            f"{needs.players:,} people on one server: {what}: {first.what}: {first.share:,.0%}."
        )
    return said


def _told(value: float | None, style: str) -> str:
    return "-" if value is None else format(value, style)
