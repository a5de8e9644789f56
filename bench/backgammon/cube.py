"""`plyhouse bench cube`: what our use of the doubling cube gives away, as GNU Backgammon judges it.

losses  points given away a decision, for money and at scores, beside GNU Backgammon with fewer
        plies than the two of the judge (bench/backgammon/cube_corpus.py)
times   milliseconds of one thread's CPU time a decision

Points count the cube as it stands as 1, at the scores of a match, too.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
from rich.console import Console
from rich.table import Table

from bench.backgammon import cube_corpus
from bench.backgammon.cube_corpus import GAP, KINDS, PLIES, Corpus, CubeQuestion, Kind
from bench.backgammon.gnubg_program import CubeVerdict, GnuCube
from bench.backgammon.loss import EQUAL
from bench.backgammon.match import Interval, interval
from bench.support.report import (
    Missing,
    Report,
    code_text,
    complain,
    load_average,
    output,
    print_load,
    slim_table,
)
from bots.arena.local_server import ROOT
from bots.backgammon.cube.cube_judge import CubeJudge
from bots.backgammon.cube.match_table import BadTable
from bots.backgammon.judge import Judge, nets_file
from bots.backgammon.weights import BadWeights
from bots.engine import compiled

KEPT: Final = ROOT / "build" / "backgammon-cube.json"
BUSY: Final = 0.5  # of the load at the beginning: from here on times mean little
WARM_UP: Final = 5  # decisions at each number of plies before any is timed

# What is wanted, at least and to aim at: points a decision, before the roll and in answers; ms.
GOALS: Final = {
    "money": ((0.0017, 0.0011), (0.0042, 0.0018)),
    "match": ((0.0040, 0.0015), (0.0040, 0.0015)),
}
MEAN_MS: Final = {2: (60.0, 30.0)}


class CubeLoss(msgspec.Struct, kw_only=True):
    """What somebody gives away in decisions of one kind.  `loss`: points a decision."""

    kind: Kind
    answers: bool
    player: str
    decisions: int
    loss: Interval
    alike: float


class CubeTime(msgspec.Struct, kw_only=True):
    """Milliseconds a decision, looked `plies` ahead."""

    plies: int
    decisions: int
    mean: float
    longest: float


class CubeReport(Report, kw_only=True):
    """Everything that was measured."""

    losses: list[CubeLoss]
    times: list[CubeTime]
    weights: str
    peer: str
    seed: int
    compiled: bool
    load: float | None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe `plyhouse bench cube`."""
    parser.add_argument(
        "--doubles", type=int, default=1_000, metavar="N", help="decisions before a roll (1000)"
    )
    parser.add_argument(
        "--answers", type=int, default=300, metavar="N", help="answers to a double (300)"
    )
    parser.add_argument(
        "--plies", type=int, choices=(0, 1, 2), help="to look ahead (default: 0, 1 and 2)"
    )
    parser.add_argument(
        "--for", dest="kind", choices=KINDS, help="money, or scores of matches (default: both)"
    )
    parser.add_argument(
        "--weights", type=Path, metavar="FILE",
        help="others than the shipped ones, which the decisions come from all the same",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--kept", type=Path, default=KEPT, metavar="FILE", help="where decisions are kept"
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Measure and print; 1 if GNU Backgammon is missing, 2 if nothing can be measured."""
    if args.doubles < 1 or args.answers < 1:
        return complain("cube", ValueError("there is one decision of each kind at least"))
    try:
        cubes = CubeJudge(Judge(weights=args.weights))
        judge = Judge()
    except (BadWeights, BadTable) as error:
        return complain("cube", error)
    load = load_average()
    try:
        gnu = GnuCube()
    except Missing as error:
        complain("cube", error)
        return 1
    try:
        kinds = KINDS if args.kind is None else (args.kind,)
        questions = _questions(judge, gnu, kinds, args)
    except Missing as error:
        complain("cube", error)
        return 1
    finally:
        gnu.close()
    plies = PLIES if args.plies is None else (args.plies,)
    file = args.weights or nets_file()
    report = CubeReport(
        losses=[], times=[], weights=file.name, peer=gnu.version, seed=args.seed,
        compiled=compiled.available(), load=load,
    )  # fmt: skip
    measure(cubes, plies, questions, report)
    output(report, args.json, show)
    return 0


def _questions(
    judge: Judge, gnu: GnuCube, kinds: Sequence[Kind], args: argparse.Namespace
) -> dict[Kind, list[CubeQuestion]]:
    """The decisions of each kind: kept ones, or new ones, which are kept."""
    made = cube_corpus.made_by(judge, gnu, args.seed, args.doubles, args.answers)
    kept = cube_corpus.read(args.kept, made)
    for kind in kinds:
        if kind not in kept:
            corpus = Corpus(judge, gnu, args.seed)
            kept[kind] = corpus.questions(kind, args.doubles, args.answers)
            cube_corpus.keep(args.kept, made, kept)
    return {kind: kept[kind] for kind in kinds}


def measure(
    cubes: CubeJudge,
    plies: Sequence[int],
    questions: dict[Kind, list[CubeQuestion]],
    report: CubeReport,
) -> None:
    """Put into the report what everybody gives away, and how long we take."""
    everything = [question for asked in questions.values() for question in asked]
    ours: dict[int, dict[int, CubeVerdict]] = {}
    for n in plies:
        ours[n], took = _timed(cubes, n, everything)
        report.times.append(took)
    for kind, asked in questions.items():
        for answers in (False, True):
            some = [question for question in asked if question.answer == answers]
            players = {f"ours, {n}-ply": [ours[n][id(q)] for q in some] for n in plies}
            players |= {
                f"GNU Backgammon, {n}-ply": [q.verdicts[n] for q in some] for n in PLIES[:-1]
            }
            for player, verdicts in players.items():
                losses = [lost(q, said) for q, said in zip(some, verdicts, strict=True)]
                report.losses.append(_loss(kind, answers, player, losses))


def _timed(
    cubes: CubeJudge, plies: int, questions: Sequence[CubeQuestion]
) -> tuple[dict[int, CubeVerdict], CubeTime]:
    """Our verdict on each question, by its id, and how long they took."""
    verdicts: dict[int, CubeVerdict] = {}
    spent: list[float] = []
    for question in questions[:WARM_UP]:
        our_verdict(cubes, question, plies)
    for question in questions:
        began = time.thread_time_ns()
        verdicts[id(question)] = our_verdict(cubes, question, plies)
        spent.append((time.thread_time_ns() - began) / 1e6)
    took = CubeTime(
        plies=plies, decisions=len(spent), mean=statistics.fmean(spent), longest=max(spent)
    )
    return verdicts, took


def our_verdict(cubes: CubeJudge, question: CubeQuestion, plies: int) -> CubeVerdict:
    """What we say of a question, in points with the cube counted as 1."""
    judgement = cubes.judge(question.position, question.stakes, plies)
    assert judgement is not None, "nothing stops it"
    assert judgement.taken is not None, "who is asked may double"
    assert judgement.cash is not None, "who is asked may double"
    points = (judgement.stays, judgement.taken, judgement.cash)
    return CubeVerdict(*(judgement.points(value) for value in points))


def lost(question: CubeQuestion, verdict: CubeVerdict) -> float:
    """Points that somebody with this verdict gives away, by that of the most plies."""
    truth = question.verdicts[-1]
    doubled = min(truth.taken, truth.cash)
    if question.answer:
        return (truth.taken if verdict.taken <= verdict.cash else truth.cash) - doubled
    doubles = min(verdict.taken, verdict.cash) > verdict.stays
    return max(truth.stays, doubled) - (doubled if doubles else truth.stays)


def _loss(kind: Kind, answers: bool, player: str, losses: Sequence[float]) -> CubeLoss:
    """The loss of a player, from the points lost in each decision."""
    return CubeLoss(
        kind=kind, answers=answers, player=player, decisions=len(losses), loss=interval(losses),
        alike=statistics.fmean(loss < EQUAL for loss in losses),
    )  # fmt: skip


def show(report: CubeReport) -> None:
    """Print the report for people."""
    console = Console()
    for kind in dict.fromkeys(row.kind for row in report.losses):
        console.print(_loss_table(kind, [row for row in report.losses if row.kind == kind]))
    table = slim_table("Milliseconds of one thread's CPU time a decision", [""],
                       ["n", "mean", "longest", "goal, mean"])  # fmt: skip
    for row in report.times:
        goal = "/".join(f"{ms:g}" for ms in MEAN_MS.get(row.plies, ()))
        figures = f"{row.mean:.2f}", f"{row.longest:.1f}"
        table.add_row(f"{row.plies}-ply", str(row.decisions), *figures, goal)
    console.print(table)
    console.print(
        f"{report.weights}, {report.place}, {code_text(report.compiled)}, GNU Backgammon "
        f"{report.peer}; ± is 95 %, seed {report.seed}."
    )
    print_load(console, report.load, BUSY)
    for sentence in missed(report):
        console.print(f"OFF ITS TARGET: {sentence}")


def _loss_table(kind: Kind, rows: Sequence[CubeLoss]) -> Table:
    what = "for money" if kind == "money" else "at scores of matches"
    goals = ", ".join(f"{least:g}/{aim:g}" for least, aim in GOALS[kind])
    title = f"Points lost a cube decision {what}, by GNU Backgammon 2-ply; goals {goals}"
    table = slim_table(title, [""], ["before the roll", "alike", "answers", "alike"])
    for player in dict.fromkeys(row.player for row in rows):
        cells = []
        for row in rows:
            if row.player == player:
                margin = row.loss.margin
                bar = "" if margin is None else f" ± {margin:.4f}"
                cells += [f"{row.loss.mean:.4f}{bar}", f"{row.alike:.1%}"]
        table.add_row(player, *cells)
    counts = [str(row.decisions) for row in rows if row.player == rows[0].player]
    table.caption = f"{' and '.join(counts)} decisions, all of them within {GAP:g} points"
    return table


def missed(report: CubeReport) -> list[str]:
    """What is worse than its target, of our furthest lookahead."""
    sentences = []
    best = f"ours, {max((row.plies for row in report.times), default=0)}-ply"
    for row in report.losses:
        goal = GOALS[row.kind][row.answers][0]
        if row.player == best and row.loss.mean > goal:
            what = "answers" if row.answers else "before the roll"
            sentences.append(f"{row.kind}, {what}: {row.loss.mean:.4f} points of {goal:.4f}")
    for took in report.times:
        least = MEAN_MS.get(took.plies, (None, None))[0]
        if least is not None and took.mean > least:
            sentences.append(f"{took.plies}-ply, mean {took.mean:.1f} ms of {least:g}")
    return sentences
