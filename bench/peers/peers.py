"""`plyhouse bench peers`: ours beside bare websockets, Colyseus and boardgame.io.

All play the same drawn game of tic-tac-toe in the same closed loop (the next move when both players
have seen the last), each with a fresh server on a core of its own.  It is not equal work: ours has
each move on the disk before anybody sees it, keeps clocks, and sends the legal moves; Colyseus,
tuned to one patch a move and no tick, stores nothing; boardgame.io has its memory store, and sends
its whole state.  Only ratios inside a round mean anything, and only on a machine that is idle.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec
from rich.console import Console

from bench.peers import node
from bench.peers.interpreter import Interpreter, interpreter
from bench.peers.rounds import ALONE, BARE, OURS, Job, PeerRound, jobs, play_rounds, runner
from bench.server.load import ServerLoad
from bench.server.server import BUSY, raise_file_limit
from bench.support.process import cores
from bench.support.report import (
    Missing,
    Report,
    Spread,
    complain,
    errors_text,
    load_average,
    output,
    print_load,
    progress,
    slim_table,
    spread,
    spread_or_none,
)
from bench.support.wire import WireError
from lab.arena.local_server import ServerFailed

SIZES: Final = "200,1,10,1000"
MOST_MATCHES: Final = 10_000
IDLE: Final = 1.0  # a load average above this: somebody else is at work here


class PeerFigures(msgspec.Struct):
    """One server under so many matches.  Ratios are ours to its, inside a round."""

    name: str
    matches: int
    moves_per_s: Spread
    cpu_us: Spread | None
    p50_ms: Spread
    p99_ms: Spread
    bytes_per_move: Spread
    written_per_move: Spread | None
    generator_busy: Spread
    ours_to_it: dict[str, Spread | None]  # by the names of MEASURES


class SizeFigures(msgspec.Struct):
    """Ours under so many matches; the ratio is to the first number, inside a round."""

    matches: int
    cpu_to_first: Spread | None


class PeersReport(Report, kw_only=True):
    """Everything that was measured.  Times are milliseconds where nothing else is said."""

    interpreter: Interpreter
    versions: dict[str, str]
    left_out: str | None  # the sentence that says why others are not here
    rounds: int
    seconds: float
    pinned: bool
    load: float | None
    figures: list[PeerFigures]
    sizes: list[SizeFigures]
    sync_p50_ms: Spread
    sync_p99_ms: Spread
    # Ours alone, to Colyseus' alone and one sync of the disk
    p50_to_colyseus_and_sync: Spread | None
    p99_to_colyseus_and_sync: Spread | None
    errors: int
    complaints: list[str]


Measure = Callable[[ServerLoad], float | None]
MEASURES: Final[dict[str, Measure]] = {
    "moves/s": lambda load: load.moves_per_s,
    "CPU": lambda load: load.server_cpu_us,
    "p50": lambda load: load.p50_ms,
    "p99": lambda load: load.p99_ms,
    "bytes": lambda load: load.bytes_per_move,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe `plyhouse bench peers`."""
    parser.add_argument(
        "--matches", default=SIZES,
        help="numbers of matches at once: all servers play at the first, and at 1; ours at each"
        f" (default {SIZES}; 4000 takes half a minute a round)",
    )  # fmt: skip
    parser.add_argument("--rounds", type=int, default=7, help="at most (default 7)")
    parser.add_argument(
        "--minutes", type=float, default=3.8, help="no round begins that would end later"
    )
    parser.add_argument("--seconds", type=float, default=2.0, help="measured, each time")
    parser.add_argument("--warm-up", type=float, default=0.8, help="seconds not counted")
    parser.add_argument("--alone", action="store_true", help="ours and bare websockets only")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Measure and print; 1 if anything went wrong meanwhile, 2 if it could not be measured."""
    sizes = _sizes(args.matches)
    if sizes is None:
        return complain(
            "peers", f"--matches are numbers from 1 to {MOST_MATCHES:,}, such as {SIZES}"
        )
    if args.rounds < 1 or not (args.seconds > 0 and args.minutes > 0 and args.warm_up >= 0):
        return complain("peers", "rounds start at 1, seconds and minutes above 0")
    raise_file_limit(2 * max(sizes) + 200)
    busy = load_average()
    installed: Path | None = None
    left_out: str | None = "Colyseus and boardgame.io were not asked for."
    if not args.alone:
        try:
            installed, left_out = node.install(), None
        except (Missing, OSError) as error:
            left_out = str(error)
            progress(left_out)
    names = [OURS, BARE, *(node.SCRIPTS if installed else ())]
    folder = Path(tempfile.mkdtemp(prefix="plyhouse-bench-"))
    try:
        rounds = play_rounds(
            jobs(names, sizes),
            runner(installed, args.seconds, args.warm_up),
            folder,
            args.rounds,
            60 * args.minutes,
        )
        report = _report(rounds, sizes, args.seconds, installed, left_out, busy)
    except (ServerFailed, WireError, OSError) as error:
        return complain("peers", error)
    finally:
        shutil.rmtree(folder)
    output(report, args.json, show)
    return 0 if report.errors == 0 else 1


def _sizes(text: str) -> list[int] | None:
    """The numbers of a list, each once, in its order; None if it is none."""
    try:
        sizes = list(dict.fromkeys(int(word) for word in text.split(",")))
    except ValueError:
        return None
    return sizes if all(1 <= size <= MOST_MATCHES for size in sizes) else None


def _report(
    rounds: Sequence[PeerRound],
    sizes: Sequence[int],
    seconds: float,
    installed: Path | None,
    left_out: str | None,
    busy: float | None,
) -> PeersReport:
    loads = [load for each in rounds for load in each.loads.values()]
    return PeersReport(
        interpreter=interpreter(),
        versions=node.versions(installed),
        left_out=left_out,
        rounds=len(rounds),
        seconds=seconds,
        pinned=cores()[0] is not None,
        load=busy,
        figures=[_figures(rounds, job) for job in rounds[0].loads],
        sizes=[SizeFigures(size, _to_first(rounds, size, sizes[0])) for size in sizes],
        sync_p50_ms=spread([each.sync[0] for each in rounds]),
        sync_p99_ms=spread([each.sync[1] for each in rounds]),
        p50_to_colyseus_and_sync=_to_colyseus_and_sync(rounds, 0),
        p99_to_colyseus_and_sync=_to_colyseus_and_sync(rounds, 1),
        errors=sum(load.errors for load in loads),
        complaints=[complaint for load in loads for complaint in load.complaints],
    )


def _figures(rounds: Sequence[PeerRound], job: Job) -> PeerFigures:
    loads = [each.loads[job] for each in rounds]
    ours = Job(OURS, job.matches)
    return PeerFigures(
        name=job.name,
        matches=job.matches,
        moves_per_s=spread([load.moves_per_s for load in loads]),
        cpu_us=spread_or_none([load.server_cpu_us for load in loads]),
        p50_ms=spread([load.p50_ms for load in loads]),
        p99_ms=spread([load.p99_ms for load in loads]),
        bytes_per_move=spread([load.bytes_per_move for load in loads]),
        written_per_move=spread_or_none([load.server_written for load in loads]),
        generator_busy=spread([load.generator_busy for load in loads]),
        ours_to_it={
            name: spread_or_none(
                [ratio(of(each.loads[ours]), of(each.loads[job])) for each in rounds]
            )
            for name, of in MEASURES.items()
        },
    )


def _to_first(rounds: Sequence[PeerRound], size: int, first: int) -> Spread | None:
    """CPU a move of ours at `size`, to that at `first`."""
    pairs = [(each.loads[Job(OURS, size)], each.loads[Job(OURS, first)]) for each in rounds]
    return spread_or_none([ratio(a.server_cpu_us, b.server_cpu_us) for a, b in pairs])


def _to_colyseus_and_sync(rounds: Sequence[PeerRound], which: int) -> Spread | None:
    """The p50 (0) or p99 (1) of ours alone, to that of Colyseus alone and of one sync."""
    of: Measure = (MEASURES["p50"], MEASURES["p99"])[which]
    ratios = []
    for each in rounds:
        ours, theirs = (each.loads.get(Job(name, ALONE)) for name in (OURS, node.COLYSEUS))
        if ours and theirs:
            ratios.append(ratio(of(ours), (of(theirs) or 0.0) + each.sync[which]))
    return spread_or_none(ratios)


def ratio(ours: float | None, theirs: float | None) -> float | None:
    """One figure to another; None where there is nothing to compare."""
    return ours / theirs if ours and theirs else None


def show(report: PeersReport) -> None:
    """Print the report for people."""
    console = Console()
    for matches in dict.fromkeys(figures.matches for figures in report.figures):
        rows = [figures for figures in report.figures if figures.matches == matches]
        if len(rows) > 1:
            _show_beside(console, rows, report.seconds)
    _show_sizes(console, report)
    for sentence in _remarks(report):
        console.print(sentence, highlight=False)
    print_load(console, report.load, IDLE)


def _show_beside(console: Console, rows: Sequence[PeerFigures], seconds: float) -> None:
    matches = rows[0].matches
    title = f"{matches:,} at once, {seconds:g} s each: medians"
    right = ["moves/s", "CPU us", "p50 ms", "p99 ms", "bytes", "generator busy"]
    table = slim_table(title, ["a move of"], right)
    for row in rows:
        cells = (
            (row.moves_per_s, ",.0f"), (row.cpu_us, ".1f"), (row.p50_ms, ".2f"),
            (row.p99_ms, ".2f"), (row.bytes_per_move, ",.0f"), (row.generator_busy, ".0%"),
        )  # fmt: skip
        table.add_row(row.name, *(_median(*cell) for cell in cells))
    console.print(table)
    others = [row for row in rows if row.name != OURS]
    title = f"{matches:,} at once, a move of ours to one of theirs: median (range)"
    table = slim_table(title, [""], [row.name for row in others])
    for name in MEASURES:
        table.add_row(name, *(_ratio_text(row.ours_to_it[name]) for row in others))
    console.print(table)


def _show_sizes(console: Console, report: PeersReport) -> None:
    figures = {row.matches: row for row in report.figures if row.name == OURS}
    first = report.sizes[0].matches
    right = ["moves/s", "CPU us", f"to that at {first:,}", "p50 ms", "p99 ms", "written, B"]
    table = slim_table("Ours, by number of matches", ["matches"], right)
    for size in sorted(report.sizes, key=lambda size: size.matches):
        row = figures[size.matches]
        table.add_row(
            f"{size.matches:,}",
            _median(row.moves_per_s, ",.0f"),
            _median(row.cpu_us, ".1f"),
            _ratio_text(size.cpu_to_first),
            _median(row.p50_ms, ".2f"),
            _median(row.p99_ms, ".2f"),
            _median(row.written_per_move, ",.0f"),
        )
    console.print(table)


def _median(figure: Spread | None, style: str) -> str:
    return "" if figure is None else format(figure.median, style)


def _ratio_text(figure: Spread | None) -> str:
    if figure is None:
        return ""
    return f"{figure.median:.2f} ({figure.low:.2f} to {figure.high:.2f})"


def _remarks(report: PeersReport) -> list[str]:
    sync = f"p50 {report.sync_p50_ms.median:.2f} ms, p99 {report.sync_p99_ms.median:.2f} ms"
    sentences = [f"One sync of the disk: {sync}."]
    if report.p50_to_colyseus_and_sync:
        p50 = _ratio_text(report.p50_to_colyseus_and_sync)
        p99 = _ratio_text(report.p99_to_colyseus_and_sync)
        sentences.append(f"Ours alone, to Colyseus' and one sync: p50 {p50}, p99 {p99}.")
    if report.left_out:
        sentences.append(report.left_out)
    versions = ", ".join(f"{name} {version}" for name, version in report.versions.items())
    place = f"{report.machine}; {versions}" if versions else report.machine
    sentences += [f"{place}; {report.rounds} rounds.", report.interpreter.sentence]
    if report.pinned:
        sentences.append("Server and load generator each had a core to themselves.")
    else:
        sentences.append("NOT PINNED: the system moved server and load generator between cores.")
    slow = [
        f"{row.name} at {row.matches:,}"
        for row in report.figures
        if row.generator_busy.median > BUSY
    ]
    if slow:
        named = ", ".join(slow)
        sentences.append(f"THE LOAD GENERATOR WAS THE LIMIT, so these may be faster: {named}.")
    else:
        sentences.append(f"The load generator was never busy for more than {BUSY:.0%} of its time.")
    sentences.append(errors_text(report.errors, report.complaints))
    return sentences
