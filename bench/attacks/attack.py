"""`plyhouse bench attack`: attacks on a server, and what a match beside them noticed of each.

Each attack has a server of its own.  It comes from one address (`--addresses`: more), within what
the protocol allows; the control comes from another one.  First all is quiet for some seconds, then
there are two rounds.  Figures are of the worse round.

What is promised is looked at, too.  That this can fail shows the attack `unlimited`: its house has
no limits, and one that held would say that nothing is measured here.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from rich.console import Console

from bench.attacks.campaign import AttackFigures, CampaignPlan, carry_out
from bench.attacks.catalog import ATTACKS
from bench.attacks.hostile import most_frequent
from bench.attacks.strike import add_plan_arguments, plan_of
from bench.support.report import (
    Report,
    complain,
    load_average,
    output,
    print_load,
    progress,
    slim_table,
)
from bench.support.wire import WireError
from lab.arena.local_server import ServerFailed
from server.config import BadConfig, Config

BUSY: Final = 0.85  # above this share of its core the attackers may be what is measured
LOAD: Final = 1.5  # more processes than that on two cores, and times say little
P99_RATIO: Final = 2.0  # what is promised: at most twice the quiet 99th percentile, ...
MEMORY_RATIO: Final = 1.5  # ... half as much memory again, level after a second round, ...
CPU_SHARE: Final = 0.25  # ... and a quarter of a core in any second
LEVEL: Final = 1.1
MOVES: Final = 50  # that were due, below which a 99th percentile is one move that was late
SHORT: Final = 1.0  # seconds of a round, below which its worst one is a guess
WAITED: Final = 0.05  # share of the time for its core, above which moves come late by others' doing
LONG_S: Final = 3_600.0  # for an attack of which a number is asked for, and no time
COLUMNS: Final = {
    "p50": "the control's median in the worse round, to quiet",
    "p99": "its 99th percentile, likewise",
    "moves": "made of those that were due, likewise",
    "CPU": "share of a core that the server used",
    "worst s": "the same in its worst second",
    "waited": "share of the time in which it wanted a core and others had it",
    "MB": "memory of the server before",
    "after": "after one round",
    "2nd": "after two",
    "out/in": "bytes that the attackers got for one of theirs",
    "log": "lines in the server's log",
}


class AttackReport(Report, kw_only=True):
    """All attacks that were carried out."""

    addresses: int
    seconds: float
    load: float | None  # of the machine, before
    attacks: list[AttackFigures]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe `plyhouse bench attack`."""
    names = ", ".join(ATTACKS)
    parser.add_argument("attacks", nargs="*", metavar="NAME", help=f"default: all, {names}")
    add_plan_arguments(parser)
    parser.set_defaults(seconds=None)
    parser.add_argument("--quiet", type=float, default=5.0, help="seconds before (default 5)")
    parser.add_argument("--rounds", type=int, default=2, help="of each attack (default 2)")
    parser.add_argument(
        "--rest", type=float, default=3.0, help="seconds after each; 70: rooms are gone (default 3)"
    )
    parser.add_argument("--pace", type=float, default=20.0, help="moves of the control a second")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a limit of the server",
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Carry out and print; 1 if anything was found that must not be, 2 if it could not be done.

    What must not be is a problem, or more than is promised; of a house without limits, less.
    """
    unknown = [name for name in args.attacks if name not in ATTACKS]
    if unknown:
        return complain("attack", f"there is no attack {unknown[0]!r}; there are {_names()}")
    if not sys.platform.startswith("linux"):
        return complain("attack", "it needs the addresses of Linux's loopback interface")
    if args.seconds is None:
        args.seconds = 5.0 if args.count is None else LONG_S
    amounts = [args.seconds, args.quiet, args.rounds, args.rest, args.pace, args.addresses]
    if min(amounts) <= 0 or args.addresses > 250:
        return complain("attack", "times, rounds and pace are above 0, addresses 1 to 250")
    try:
        limits = read_limits(args.set)
    except BadConfig as error:
        return complain("attack", error)
    plan = CampaignPlan(plan_of(args), args.quiet, args.rounds, args.rest, args.pace, limits)
    report = AttackReport(
        addresses=args.addresses, seconds=args.seconds, load=load_average(), attacks=[]
    )
    folder = Path(tempfile.mkdtemp(prefix="plyhouse-attack-"))
    try:
        for name in args.attacks or ATTACKS:
            figures = carry_out(ATTACKS[name], plan, folder)
            report.attacks.append(figures)
            progress(_line(figures))
    except (ServerFailed, WireError, OSError) as error:
        return complain("attack", error)
    finally:
        shutil.rmtree(folder)
    output(report, args.json, show)
    return 1 if any(map(failed, report.attacks)) else 0


def failed(figures: AttackFigures) -> bool:
    """Whether a house was harmed; of one that must be, whether nothing noticed that it was."""
    if figures.breaks:
        return not any(beyond(figures))
    return bool(figures.problems) or any(beyond(figures))


def read_limits(settings: list[str]) -> dict[str, int]:
    """The limits that differ from their defaults.

    Raises:
        BadConfig: there is none of such a name, or it cannot have such a value.
    """
    config = Config().with_settings(settings)
    names = [setting.partition("=")[0] for setting in settings]
    return {name: getattr(config, name) for name in names}


def show(report: AttackReport) -> None:
    """Print the report for people."""
    table = slim_table(
        f"Attacks from {report.addresses} address(es); the control to the quiet seconds before",
        ["attack"],
        list(COLUMNS),
    )
    for figures in report.attacks:
        table.add_row(*_row(figures))
    console = Console(width=100)
    console.print(table)
    sentences = (f"{column}: {about}." for column, about in COLUMNS.items())
    console.print(*sentences, highlight=False)
    waited = [figures.quiet_waited for figures in report.attacks]
    console.print(f"While all was quiet it waited {min(waited):.0%} to {max(waited):.0%}.")
    print_load(console, report.load, LOAD)
    for figures in report.attacks:
        console.print(_line(figures), highlight=False, markup=False)
        for sentence in _verdict(figures):
            console.print(f"  {sentence}", highlight=False, markup=False)
    console.print(f"{report.place}.")


def _verdict(figures: AttackFigures) -> Iterator[str]:
    """What is to be said of an attack, beside its figures."""
    more = list(beyond(figures))
    if figures.breaks:
        yield from (f"as it must be without limits: {sentence}" for sentence in more)
        if not more:
            yield "PROBLEM: this house has no limits, and it held: nothing is measured here"
        return
    yield from (f"BEYOND WHAT IS PROMISED: {sentence}" for sentence in more)
    if figures.p99_ratio > P99_RATIO and not _are_times_its_own(figures):
        yield (
            f"NOT JUDGED: the control's 99th percentile was {figures.p99_ratio:.1f} times the quiet"
            f" one, of {_moves(figures)} moves at least; the server waited"
            f" {_waited(figures):.0%} of the time for its core"
        )
    yield from (f"PROBLEM: {problem}" for problem in figures.problems)


def _waited(figures: AttackFigures) -> float:
    """The share of the time in which the server waited for its core, in the worst span."""
    return max(figures.quiet_waited, *(each.waited for each in figures.rounds))


def _moves(figures: AttackFigures) -> int:
    """The moves that were due in the shortest span."""
    return min(figures.quiet.due, *(each.control.due for each in figures.rounds))


def _are_times_its_own(figures: AttackFigures) -> bool:
    """Whether enough moves were timed, while the server had its core to itself."""
    return _moves(figures) >= MOVES and _waited(figures) <= WAITED


def beyond(figures: AttackFigures) -> Iterator[str]:
    """What was more than is promised: of memory, of CPU, and of time where that says something."""
    if figures.p99_ratio > P99_RATIO and _are_times_its_own(figures):
        yield f"the control's 99th percentile was {figures.p99_ratio:.1f} times the quiet one"
    first, last = figures.rounds[0].memory_mb, figures.rounds[-1].memory_mb
    if last > MEMORY_RATIO * figures.before_mb or last > LEVEL * first:
        yield f"memory grew from {figures.before_mb:.0f} to {first:.0f} and {last:.0f} MB"
    taken = max(each.worst_second for each in figures.rounds) - figures.quiet_cpu
    if taken > CPU_SHARE and max(each.attack.seconds for each in figures.rounds) >= SHORT:
        yield f"it took {taken:.0%} of a core in a second"


def _row(figures: AttackFigures) -> list[str]:
    rounds = figures.rounds
    sent = sum(r.attack.sent for r in rounds)
    received = sum(r.attack.received for r in rounds)
    return [
        figures.attack,
        f"x{figures.p50_ratio:.1f}",
        f"x{figures.p99_ratio:.1f}",
        f"{figures.made_share:.0%}",
        f"{max(r.cpu for r in rounds):.0%}",
        f"{max(r.worst_second for r in rounds):.0%}",
        f"{max(r.waited for r in rounds):.0%}",
        f"{figures.before_mb:.0f}",
        f"{rounds[0].memory_mb:.0f}",
        f"{rounds[-1].memory_mb:.0f}",
        f"{received / max(1, sent):.1f}",
        f"{figures.log_lines}",
    ]


def _line(figures: AttackFigures) -> str:
    """What an attack did, and what it was told, in one line."""
    last = figures.rounds[-1]
    counts, quiet = last.attack, figures.quiet
    parts = [
        f"{figures.attack}: quiet p50 {quiet.p50_ms:.1f} ms, p99 {quiet.p99_ms:.1f} ms;"
        f" {counts.messages:,} messages on {counts.connections:,} new connections"
    ]
    parts += [f"{times:,} {what}" for what, times in counts.done.items()]
    parts += [f"{times:,} {code}" for code, times in most_frequent(counts.codes.items())]
    parts += [f"{counts.turned_away:,} turned away"] if counts.turned_away else []
    parts += [f"{counts.cut:,} cut"] if counts.cut else []
    parts.append(f"longest wait {max(r.control.gap_s for r in figures.rounds):.1f} s")
    parts.append(f"newcomer's hello {last.newcomer.hello_ms:.0f} ms")
    parts.append(f"{last.newcomer.rooms:,} rooms and then {figures.rooms_left:,}")
    busy = max(r.attack.busy for r in figures.rounds)
    parts.append(f"attackers {busy:.0%} busy" + (" (THEY ARE THE LIMIT)" if busy > BUSY else ""))
    return ", ".join(parts)


def _names() -> str:
    return ", ".join(ATTACKS)
