"""`plyhouse bench ladder`: how many matches a ladder gets through, what followers and ratings cost.

    play     twenty bots that move at once, on a server that is alone on one core where the system
             can pin it; every move is durable before it is shown, as always
    page     the same with and without followers of the standings, one after the other each round
    rating   the fit of a long ladder, as the server's rating thread does it

The absolute rates move with the machine and the hour: compare figures of one sitting only.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
from rich.console import Console
from rich.table import Table

from bench.ladder.load import LadderLoad
from bench.server.server import BUSY, UNLIMITED, raise_file_limit
from bench.support.generator import load_on
from bench.support.process import MeasuredServer, cores
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
from lab.arena.local_server import ServerFailed
from server.ladder.core import rating

PARTS: Final = ("play", "page", "rating")
TARGET: Final = 1_000  # matches a minute that twenty bots are to get through, on one core
RATED_IN: Final = 2.0  # seconds in which RATED pairs of PLAYERS are to be rated
PLAYERS, RATED = 200, 100_000
STRONG: Final = 250.0  # Elo: how far the players of the rating part are apart
DRAWN: Final = 0.2  # ... and the share of their matches that is drawn, if they are near enough
FITS: Final = 5  # of which the median counts: one takes a tenth of a second


class Playing(msgspec.Struct, kw_only=True):
    """Several runs with the same number of followers.  Times are milliseconds."""

    followers: int
    matches_per_minute: Spread
    moves_per_s: Spread
    p50_ms: Spread
    p99_ms: Spread
    server_cpu_ms: Spread | None  # a match
    generator_busy: Spread
    standings_per_s: Spread  # to each follower
    bytes_per_standing: Spread


class Rating(msgspec.Struct, kw_only=True):
    """The fit of one ladder; `off`: standard deviation of what it is wrong by, in Elo."""

    players: int
    pairs: int
    seconds: Spread
    off: float


class LadderReport(Report, kw_only=True, omit_defaults=True):
    """Everything that was measured.  The ratios are of medians, with followers to without."""

    bots: int
    seconds: float
    rounds: int
    play: Playing | None = None
    page: Playing | None = None
    ratio_matches: float | None = None
    ratio_p50: float | None = None
    ratio_p99: float | None = None
    rating: Rating | None = None
    pinned: bool
    generator_is_the_limit: bool = False
    errors: int = 0
    complaints: list[str] = msgspec.field(default_factory=list)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe `plyhouse bench ladder`."""
    parser.add_argument("--part", choices=PARTS, action="append", help="default: all")
    parser.add_argument("--bots", type=int, default=20, help="on the ladder (default 20)")
    parser.add_argument("--followers", type=int, default=20, help="of part page (default 20)")
    parser.add_argument("--seconds", type=float, default=10.0, help="measured, each run")
    parser.add_argument("--rounds", type=int, default=3, help="each with fresh servers")
    parser.add_argument("--warm-up", type=float, default=1.0, help="seconds not counted")
    parser.add_argument("--pairs", type=int, default=RATED, help="rated by part rating")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Measure and print; 1 if anything went wrong meanwhile, 2 if it could not be measured."""
    wrong = _wrong(args)
    if wrong is not None:
        return complain("ladder", wrong)
    raise_file_limit(args.bots + args.followers + 200)
    try:
        report = measure(args, args.part or PARTS)
    except (ServerFailed, OSError) as error:
        return complain("ladder", error)
    output(report, args.json, show)
    return 0 if report.errors == 0 else 1


def _wrong(args: argparse.Namespace) -> str | None:
    if args.bots < 2:
        return "a ladder needs at least 2 bots"
    if args.rounds < 1 or args.seconds <= 0 or args.warm_up < 0:
        return "there is at least 1 round, of more than 0 seconds"
    if args.followers < 1 or args.pairs < 1:
        return "there is at least 1 follower, and 1 pair to rate"
    if not rating.available():
        return "a ladder needs numpy for its ratings: install 'plyhouse[fast]'"
    return None


def measure(args: argparse.Namespace, parts: Sequence[str]) -> LadderReport:
    """Run what was asked for."""
    report = LadderReport(
        bots=args.bots, seconds=args.seconds, rounds=args.rounds, pinned=cores()[0] is not None
    )
    if "play" in parts or "page" in parts:
        alone, followed = _runs(args, followers=args.followers if "page" in parts else 0)
        report.play = _playing(alone)
        if followed:
            report.page = _playing(followed)
            _compare(report, report.play, report.page)
        loads = alone + followed
        report.generator_is_the_limit = report.play.generator_busy.median > BUSY
        report.errors = sum(load.errors for load in loads)
        report.complaints = [error for load in loads for error in load.complaints]
    if "rating" in parts:
        report.rating = rate(PLAYERS, args.pairs, FITS)
    return report


def _runs(args: argparse.Namespace, followers: int) -> tuple[list[LadderLoad], list[LadderLoad]]:
    """The loads of each round: without followers, and with them if there are to be any."""
    folder = Path(tempfile.mkdtemp(prefix="plyhouse-bench-"))
    alone, followed = list[LadderLoad](), list[LadderLoad]()
    try:
        for number in range(args.rounds):
            alone.append(one_run(folder / f"alone-{number}", args, 0))
            rates = f"{alone[-1].matches_per_minute:,.0f} matches/min"
            if followers:
                followed.append(one_run(folder / f"followed-{number}", args, followers))
                rates += f", followed {followed[-1].matches_per_minute:,.0f}"
            progress(f"round {number + 1} of {args.rounds}: {rates}")
        return alone, followed
    finally:
        shutil.rmtree(folder)


def one_run(data: Path, args: argparse.Namespace, followers: int) -> LadderLoad:
    """Let the bots loose on a server once."""
    words = ["--bots", args.bots, "--followers", followers]
    words += ["--seconds", args.seconds, "--warm-up", args.warm_up]
    server = MeasuredServer(data, UNLIMITED, core=cores()[0])
    return load_on(server, "bench.ladder.load", words, LadderLoad)


def _playing(loads: Sequence[LadderLoad]) -> Playing:
    each = max(1, loads[0].followers)
    return Playing(
        followers=loads[0].followers,
        matches_per_minute=spread([load.matches_per_minute for load in loads]),
        moves_per_s=spread([load.moves_per_s for load in loads]),
        p50_ms=spread([load.p50_ms for load in loads]),
        p99_ms=spread([load.p99_ms for load in loads]),
        server_cpu_ms=spread_or_none([load.server_cpu_ms for load in loads]),
        generator_busy=spread([load.generator_busy for load in loads]),
        standings_per_s=spread([load.standings / each / load.seconds for load in loads]),
        bytes_per_standing=spread([load.bytes_per_standing for load in loads]),
    )


def _compare(report: LadderReport, alone: Playing, followed: Playing) -> None:
    report.ratio_matches = _ratio(followed.matches_per_minute, alone.matches_per_minute)
    report.ratio_p50 = _ratio(followed.p50_ms, alone.p50_ms)
    report.ratio_p99 = _ratio(followed.p99_ms, alone.p99_ms)


def _ratio(one: Spread, other: Spread) -> float | None:
    return one.median / other.median if other.median else None


def rate(players: int, pairs: int, rounds: int, seed: int = 1) -> Rating:
    """Fit the same simulated ladder several times; the first fit also loads what it needs."""
    from server.ladder.core import fitting  # which needs numpy

    truth, played = simulated(players, pairs, seed)
    took: list[float] = []
    for number in range(rounds + 1):
        began = time.perf_counter()
        fit = fitting.fit(players, played, 0)
        if number:
            took.append(time.perf_counter() - began)
    wrong = [e - strength for e, strength in zip(fit.elo, truth, strict=True) if e is not None]
    return Rating(players=players, pairs=pairs, seconds=spread(took), off=statistics.pstdev(wrong))


def simulated(players: int, pairs: int, seed: int) -> tuple[list[float], rating.Pairs]:
    """Strengths in Elo, and pairs of players that are drawn at random and play as these say."""
    draw = random.Random(seed)
    truth = [draw.gauss(0.0, STRONG) for _ in range(players)]
    met = [draw.sample(range(players), 2) for _ in range(pairs)]

    def score(one: int, two: int) -> float:
        points = rating.expected(truth[one] - truth[two])
        drawn = min(DRAWN, 2 * points, 2 - 2 * points)  # so that `points` stays what is expected
        luck = draw.random() - points
        return 1.0 if luck < -drawn / 2 else 0.5 if luck < drawn / 2 else 0.0

    first = [score(one, two) for one, two in met]
    second = [score(one, two) for one, two in met]
    return truth, rating.Pairs([m[0] for m in met], [m[1] for m in met], first, second)


def show(report: LadderReport) -> None:
    """Print the report for people."""
    console = Console()
    if report.play is not None:
        console.print(_table(report, report.play, report.page))
    if report.rating is not None:
        console.print(_rated(report.rating))
    for sentence in _remarks(report):
        console.print(sentence)


def _table(report: LadderReport, play: Playing, page: Playing | None) -> Table:
    title = f"{report.bots} bots that move at once, {report.seconds:g} s a run"
    follow = [f"{page.followers} follow"] if page is not None else []
    table = slim_table(title, [""], ["alone", *follow])
    rows: list[tuple[str, str, str]] = [
        ("matches a minute", "matches_per_minute", ",.0f"),
        ("moves a second", "moves_per_s", ",.0f"),
        ("move until the opponent sees it, p50 ms", "p50_ms", ".1f"),
        ("the same, p99 ms", "p99_ms", ".1f"),
        ("server CPU a match, ms", "server_cpu_ms", ".2f"),
        ("standings a second to each", "standings_per_s", ".2f"),
        ("bytes of a standing", "bytes_per_standing", ",.0f"),
        ("load process busy", "generator_busy", ".0%"),
    ]
    for name, field, style in rows:
        figures = [getattr(side, field) for side in (play, page) if side is not None]
        table.add_row(name, *(_cell(figure, style) for figure in figures))
    return table


def _cell(figure: Spread | None, style: str) -> str:
    if figure is None or not figure.high:
        return "-"
    low, high = format(figure.low, style), format(figure.high, style)
    return f"{format(figure.median, style)} ({low} to {high})"


def _rated(fit: Rating) -> str:
    seconds = fit.seconds
    return (
        f"Rating {fit.pairs:,} pairs of {fit.players} bots: {seconds.median:.2f} s "
        f"({seconds.low:.2f} to {seconds.high:.2f}); off by {fit.off:.1f} Elo."
        f" {_met(seconds.median <= RATED_IN)} of {RATED_IN:g} s for {RATED:,}."
    )


def _remarks(report: LadderReport) -> list[str]:
    sentences = [f"{report.place}."]
    if report.play is not None:
        met = _met(report.play.matches_per_minute.median >= TARGET)
        sentences.insert(0, f"{met} of {TARGET:,} matches a minute.")
        if report.ratio_p50 is not None and report.ratio_matches is not None:
            sentences.insert(
                1,
                f"Followers to none: {report.ratio_matches:.2f} of the matches, a median move"
                f" takes {report.ratio_p50:.2f} times as long, p99 {report.ratio_p99 or 0:.2f}.",
            )
        if report.pinned:
            sentences.append("Server and bots each had a core to themselves.")
        else:
            sentences.append("NOT PINNED: server and bots shared the cores as the system liked.")
        if report.generator_is_the_limit:
            sentences.append("The bots were busy most of the time: the server may be faster.")
    sentences.append(errors_text(report.errors, report.complaints))
    return sentences


def _met(good: bool) -> str:
    return "Within the target" if good else "MISSED the target"
