"""`plyhouse bench memory`: what a connection costs in memory, by what its player does.

Each figure comes from a fresh server that has served some already, so that what is read and
allocated once is not counted: the growth of its resident memory, by connection.  *Here*: welcomed,
and in no room.  *Seated*: in a room whose match is on, where nobody moves; half a room and half a
match are counted with each.  *Playing*: the same after some whole matches.
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from rich.console import Console

from bench.server.load import DRAWN, MatchGenerator
from bench.server.server import UNLIMITED, raise_file_limit, seat
from bench.support.process import MeasuredServer
from bench.support.report import (
    Report,
    Spread,
    complain,
    output,
    progress,
    slim_table,
    spread,
)
from bench.support.wire import Wire, WireError
from bots.arena.local_server import ServerFailed

HOST: Final = "127.0.0.1"
WARM_UP: Final = 100  # connections at most that are not counted
MATCHES: Final = 3  # that each two have played through before the memory is read
# ... and moves in all, however few play: by then SQLite's cache, which is 2 MB once, is full.
MOVES: Final = 20_000
SLICE_S: Final = 0.25
MOST_S: Final = 120.0  # to play them in
# Nobody here answers a ping while others are seated.
SETTINGS: Final = {**UNLIMITED, "silent_ms": 3_600_000, "frames_per_second": 10**9}


class MemoryReport(Report, kw_only=True):
    """Kilobytes (1,024 bytes) of a server's memory, for each connection."""

    connections: int
    start_mb: Spread
    here_kb: Spread
    seated_kb: Spread
    playing_kb: Spread


class MemoryRound(NamedTuple):
    """The figures of one round, as in MemoryReport."""

    start_mb: float
    here_kb: float
    seated_kb: float
    playing_kb: float


Fill = Callable[[contextlib.ExitStack, int, int], None]  # keeps so many connections, at a port


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of `plyhouse bench memory`."""
    parser.add_argument("--connections", type=int, default=2_000, help="of each kind")
    parser.add_argument("--rounds", type=int, default=3, help="each with fresh servers")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Measure and report; 2 if nothing could be measured."""
    if args.connections < 2 or args.rounds < 1:
        return complain("memory", "connections start at 2, rounds at 1")
    raise_file_limit(args.connections + WARM_UP + 200)
    try:
        with tempfile.TemporaryDirectory(prefix="plyhouse-bench-") as folder:
            report = measure(Path(folder), args.connections // 2 * 2, args.rounds)
    except (ServerFailed, WireError, OSError) as error:
        return complain("memory", error)
    output(report, args.json, show)
    return 0


def measure(folder: Path, connections: int, rounds: int) -> MemoryReport:
    """Measure each kind in turns.

    Raises:
        ServerFailed, WireError, OSError: where there is no /proc, too.
    """
    figures = []
    for number in range(rounds):
        grown = [_grown(folder / f"{number}-{fill.__name__}", fill, connections) for fill in FILLS]
        start = sum(before for before, _ in grown) / len(grown)
        figures.append(MemoryRound(start / 1e6, *(each for _, each in grown)))
        each = ", ".join(f"{name[:-3]} {kb:.1f}" for name, kb in figures[-1]._asdict().items())
        progress(f"round {number + 1} of {rounds}: {each}")
    start_mb, here_kb, seated_kb, playing_kb = map(spread, zip(*figures, strict=True))
    return MemoryReport(
        connections=connections, start_mb=start_mb, here_kb=here_kb, seated_kb=seated_kb,
        playing_kb=playing_kb,
    )  # fmt: skip


def _grown(data: Path, fill: Fill, connections: int) -> tuple[float, float]:
    """Return the bytes of a server at its start, and kB for each of so many connections."""
    server = MeasuredServer(data, SETTINGS)
    with _running(server), contextlib.ExitStack() as kept:
        start = _memory(server)
        fill(kept, server.port, min(WARM_UP, connections))
        before = _memory(server)
        fill(kept, server.port, connections)
        return start, (_memory(server) - before) / connections / 1024


@contextlib.contextmanager
def _running(server: MeasuredServer) -> Iterator[None]:
    server.start()
    try:
        yield
    finally:
        server.stop()


def _memory(server: MeasuredServer) -> int:
    memory = server.memory()
    if memory is None:
        raise OSError("the system does not tell how much memory a process has")
    return memory


def _here(kept: contextlib.ExitStack, port: int, connections: int) -> None:
    for _ in range(connections):
        wire = Wire(HOST, port)
        kept.callback(wire.close)
        wire.hello()


def _seated(kept: contextlib.ExitStack, port: int, connections: int) -> None:
    for _ in range(connections // 2):
        wires: list[Wire] = []
        seat(wires, port, 1)
        for wire in wires:
            kept.callback(wire.close)


def _playing(kept: contextlib.ExitStack, port: int, connections: int) -> None:
    players = MatchGenerator(HOST, port, connections // 2)
    kept.callback(players.close)
    players.start()
    moves, seconds = max(MATCHES * len(DRAWN) * (connections // 2), MOVES), 0.0
    while players.counts.moves < moves:
        seconds += players.run(SLICE_S)
        if players.counts.errors or seconds > MOST_S:
            why = (*players.counts.complaints, f"the matches are not over after {seconds:.0f} s")
            raise WireError(why[0])


FILLS: Final[tuple[Fill, ...]] = (_here, _seated, _playing)


def show(report: MemoryReport) -> None:
    """Print the report for people."""
    table = slim_table(f"{report.connections:,} connections", [""], ["median", "low", "high"])
    rows = {
        "server at start, MB": report.start_mb,
        "a connection that is here, kB": report.here_kb,
        "seated at a match, kB": report.seated_kb,
        "playing, kB": report.playing_kb,
    }
    for name, value in rows.items():
        table.add_row(name, f"{value.median:.1f}", f"{value.low:.1f}", f"{value.high:.1f}")
    console = Console()
    console.print(table)
    console.print(f"{report.place}.")
