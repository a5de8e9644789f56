"""`plyhouse bench attack`: attacks on a server, and what a match beside them noticed of each.

Each attack has a server of its own.  It comes from one address (`--addresses`: more), within what
the protocol allows; the control comes from another one.  First all is quiet for some seconds, then
there are two rounds.  Figures are of the worse round.

What is promised is looked at, too.  That this can fail shows the attack `unlimited`: its house has
no limits, and one that held would say that nothing is measured here.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from bench.attacks.campaign import AttackFigures, CampaignPlan, carry_out
from bench.attacks.hostile import AssaultPlan, most_frequent
from bench.attacks.strike import ATTACKS
from bench.support.report import (
    BadPlan,
    FigureTable,
    Missing,
    Report,
    busy_note,
    load_average,
    progress,
)
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


class AttackReport(Report, kw_only=True):
    """All attacks that were carried out."""

    addresses: int
    seconds: float
    load: float | None  # of the machine, before
    attacks: list[AttackFigures] = msgspec.field(default_factory=list)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    names, plan, usual = ", ".join(ATTACKS), CampaignPlan(AssaultPlan()), AssaultPlan()
    parser.add_argument("attacks", nargs="*", metavar="NAME", help=f"default: all, {names}")
    parser.add_argument("--seconds", type=float, help=f"a round (default {usual.seconds:g})")
    parser.add_argument(
        "--addresses", type=int, default=usual.addresses, help="of the attacker (default 1)"
    )
    parser.add_argument("--rate", type=float, help="messages a second of each connection")
    parser.add_argument("--count", type=int, help="rooms, names, frames ... in a round")
    parser.add_argument("--crowd", type=int, help="connections")
    parser.add_argument("--quiet", type=float, default=plan.quiet, help="seconds before")
    parser.add_argument("--rounds", type=int, default=plan.rounds, help="of each (default 2)")
    parser.add_argument(
        "--rest", type=float, default=plan.rest,
        help="seconds after each; 70: rooms are gone (default 3)",
    )  # fmt: skip
    parser.add_argument("--pace", type=float, default=plan.pace, help="the control's moves/s")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a limit of the server"
    )


def measure(args: argparse.Namespace, folder: Path) -> AttackReport:
    """Carry out what was asked for.

    What must not be is a problem, or more than is promised; of a house without limits, less.
    """
    for name in args.attacks:
        if name not in ATTACKS:
            raise BadPlan(f"there is no attack {name!r}; there are {', '.join(ATTACKS)}")
    if not sys.platform.startswith("linux"):
        raise Missing("it needs the addresses of Linux's loopback interface")
    if args.seconds is None:
        args.seconds = AssaultPlan().seconds if args.count is None else LONG_S
    amounts = [args.seconds, args.quiet, args.rounds, args.rest, args.pace, args.addresses]
    if min(amounts) <= 0 or args.addresses > 250:
        raise BadPlan("times, rounds and pace are above 0, addresses 1 to 250")
    assault = AssaultPlan(args.seconds, args.addresses, args.rate, args.count, args.crowd)
    limits = read_limits(args.set)
    plan = CampaignPlan(assault, args.quiet, args.rounds, args.rest, args.pace, limits)
    report = AttackReport(addresses=args.addresses, seconds=args.seconds, load=load_average())
    title = f"Attacks from {args.addresses} address(es); the control to the quiet seconds before"
    table = FigureTable(title, list(COLUMNS))
    report.tables.append(table)
    for name in args.attacks or ATTACKS:
        try:
            figures = carry_out(ATTACKS[name], plan, folder)
        except ServerFailed as error:  # what the others did is worth knowing all the same
            report.problems.append(f"{name}: {error}")
            continue
        report.attacks.append(figures)
        table.rows[name] = [of(figures) for _, of in COLUMNS.values()]
        progress(_line(figures))
        report.notes += [_line(figures), *(f"  {sentence}" for sentence in _verdict(figures))]
        if failed(figures):
            what = figures.problems or [*beyond(figures)] or ["it held: nothing is measured here"]
            report.problems += [f"{name}: {sentence}" for sentence in what]
    waited = [figures.quiet_waited for figures in report.attacks] or [0.0]
    report.notes += [
        " ".join(f"{column}: {about}." for column, (about, _) in COLUMNS.items()),
        f"While all was quiet it waited {min(waited):.0%} to {max(waited):.0%}.",
        *busy_note(report.load, LOAD),
    ]
    return report


def failed(figures: AttackFigures) -> bool:
    """Whether a house was harmed; of one that must be, whether nothing noticed that it was."""
    if figures.breaks:
        return not any(beyond(figures))
    return bool(figures.problems) or any(beyond(figures))


def read_limits(settings: list[str]) -> dict[str, int]:
    try:
        config = Config().with_settings(settings)
    except BadConfig as error:
        raise BadPlan(str(error)) from None
    names = [setting.partition("=")[0] for setting in settings]
    return {name: getattr(config, name) for name in names}


def _verdict(figures: AttackFigures) -> Iterator[str]:
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
            f" one; the server waited {_waited(figures):.0%} of the time for its core"
        )


def _waited(figures: AttackFigures) -> float:
    """The share of the time in which the server waited for its core, in the worst span."""
    return max(figures.quiet_waited, *(each.waited for each in figures.rounds))


def _are_times_its_own(figures: AttackFigures) -> bool:
    """Whether enough moves were timed, while the server had its core to itself."""
    moves = min(figures.quiet.due, *(each.control.due for each in figures.rounds))
    return moves >= MOVES and _waited(figures) <= WAITED


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


# What a column is, and its figure.
COLUMNS: Final[dict[str, tuple[str, Callable[[AttackFigures], str]]]] = {
    "p50": ("the control's median in the worse round, to quiet", lambda f: f"x{f.p50_ratio:.1f}"),
    "p99": ("its 99th percentile, likewise", lambda f: f"x{f.p99_ratio:.1f}"),
    "moves": ("made of those that were due, likewise", lambda f: f"{f.made_share:.0%}"),
    "CPU": ("share of a core that the server used",
            lambda f: f"{max(r.cpu for r in f.rounds):.0%}"),
    "worst s": ("the same in its worst second",
                lambda f: f"{max(r.worst_second for r in f.rounds):.0%}"),
    "waited": ("share of the time in which it wanted a core and others had it",
               lambda f: f"{max(r.waited for r in f.rounds):.0%}"),
    "MB": ("memory of the server before", lambda f: f"{f.before_mb:.0f}"),
    "after": ("after one round", lambda f: f"{f.rounds[0].memory_mb:.0f}"),
    "2nd": ("after two", lambda f: f"{f.rounds[-1].memory_mb:.0f}"),
    "log": ("lines in the server's log", lambda f: f"{f.log_lines}"),
}  # fmt: skip


def _line(figures: AttackFigures) -> str:
    """What an attack did, and what it was told, in one line."""
    last = figures.rounds[-1]
    counts, quiet = last.attack, figures.quiet
    parts = [
        f"{figures.attack}: quiet p50 {quiet.p50_ms:.1f} ms, p99 {quiet.p99_ms:.1f} ms;"
        f" {counts.messages:,} messages on {counts.connections:,} new connections"
    ]
    parts += [f"{times:,} {what}" for what, times in counts.done.items()]
    parts += [f"{times:,} {code}" for code, times in most_frequent(counts.codes)]
    parts += [f"{counts.turned_away:,} turned away"] if counts.turned_away else []
    parts += [f"{counts.cut:,} cut"] if counts.cut else []
    parts.append(f"longest wait {max(r.control.gap_s for r in figures.rounds):.1f} s")
    parts.append(f"newcomer's hello {last.newcomer.hello_ms:.0f} ms")
    worst = max(r.worst_second for r in figures.rounds)
    parts.append(f"worst second {worst:.0%}, p99 x{figures.p99_ratio:.1f}")
    parts.append(f"{last.newcomer.rooms:,} rooms and then {figures.rooms_left:,}")
    busy = max(r.attack.busy for r in figures.rounds)
    parts.append(f"attackers {busy:.0%} busy" + (" (THEY ARE THE LIMIT)" if busy > BUSY else ""))
    return ", ".join(parts)
