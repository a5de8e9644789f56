"""`plyhouse results`: how well the bots of the house play, measured here, as a page with charts.

It plays for so many minutes of one core in all, and writes the page; with more minutes the same
command goes on, and the intervals get narrower.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from bots.commands.arguments import BadOption
from bots.online import readiness
from bots.online.entry import make_entry
from bots.online.output import log_to_stderr
from lab.commands.farm_options import BAD_INPUT, add_jobs, parse_jobs
from lab.experiments import catalog, document, plots, sweep_report
from lab.experiments.catalog import GAMES, PARTS
from lab.experiments.cell import Cell
from lab.experiments.document import Rate, Study
from lab.experiments.journal import BadJournal, Journal
from lab.experiments.plots import Chart
from lab.experiments.running import Experiment
from lab.experiments.sample import CellSample
from lab.experiments.workers import Schedule
from lab.farm.executor import WorkerFailed
from lab.farm.farm import open_executor
from lab.farm.where import Where
from protocol.files import whole_file

MINUTES: Final = 120.0  # of one core: an hour on two
MAX_MINUTES: Final = 100_000.0
SEED: Final = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `plyhouse results`."""
    parser.add_argument(
        "--minutes", type=float, default=MINUTES, metavar="M",
        help="of play on one core, with what was played before; 0 only writes the page "
        f"(default: {MINUTES:g})",
    )  # fmt: skip
    parser.add_argument(
        "--part", action="append", choices=PARTS, metavar="PART",
        help=f"play only this: {', '.join(PARTS)}; may be given repeatedly",
    )  # fmt: skip
    parser.add_argument(
        "--game", action="append", choices=GAMES, metavar="GAME",
        help=f"play only this: {', '.join(GAMES)}; may be given repeatedly",
    )  # fmt: skip
    add_jobs(parser)
    parser.add_argument("--seed", type=int, default=SEED, help=f"default: {SEED}")
    parser.add_argument(
        "--out", type=Path, default=Path("docs"), metavar="FOLDER",
        help="for results.md, and for journal and charts in results/ (default: docs)",
    )  # fmt: skip
    parser.add_argument("--fresh", action="store_true", help="start anew; ignore the journal")


def run(args: argparse.Namespace, rate: Rate | None) -> int:
    """Play, and write the page; `rate` fits ratings, None: there is no numpy.

    Returns:
        0 done, 1 if a bot failed or a file cannot be written, 2 for bad input, 130 after Ctrl-C.
    """
    log_to_stderr()
    try:
        if rate is None:
            raise BadOption("ratings need numpy: pip install 'plyhouse[fast]'")
        _check(args)
        place = parse_jobs(args)
        names = [game for game in GAMES if game in (args.game or GAMES)]
        parts = args.part or PARTS
        chosen = catalog.cells(args.seed, parts, names)
        if "landmarks" in parts:
            for reason in catalog.missing_landmarks(names):
                _say(f"plyhouse: {reason}: of games against it, the page keeps what is known")
        path = args.out / "results" / "journal.jsonl"
        with Journal(path, catalog.head(args.seed), fresh=args.fresh) as journal:
            return _play(args, rate, chosen, journal, place)
    except (*BAD_INPUT, BadJournal) as error:
        _say(f"plyhouse: {error}")
        return 2
    except WorkerFailed as error:
        _say(f"plyhouse: {error}; what was played before is kept, and the same command goes on")
    except OSError as error:
        file = error.filename or "a file of the results"
        _say(f"plyhouse: {file} cannot be written: {error.strerror}")
    return 1


def _check(args: argparse.Namespace) -> None:
    if not 0 <= args.minutes <= MAX_MINUTES:
        raise BadOption(f"--minutes must be 0 to {MAX_MINUTES:,.0f}, not {args.minutes:g}")


def _play(
    args: argparse.Namespace, rate: Rate, chosen: list[Cell], journal: Journal, place: Where
) -> int:
    cells = {cell.key: cell for cell in chosen}
    schedule = Schedule(catalog.goals(chosen, args.seed), journal.batches, by_cost=True)
    experiment = Experiment(cells, args.seed, schedule, journal)
    before = sum(batch.sample.seconds for batch in journal.batches)
    interrupted = False
    try:
        if before < 60 * args.minutes:
            _prepare(chosen)
            with open_executor(place) as experiment.executor:
                experiment.run("results", 60 * args.minutes - before)
    except KeyboardInterrupt:
        interrupted = True
    journal.compact()
    _write(args, rate, journal)
    return 130 if interrupted else int(experiment.failed)


def _prepare(chosen: list[Cell]) -> None:
    """Compile, or load, what is going to play."""
    pairs = dict.fromkeys((s.program, c.game) for c in chosen for s in (c.a, c.b))
    entries = [make_entry(program, seed=0, only=(game,)) for program, game in pairs]
    asyncio.run(readiness.prepare(entries, _say))


def _write(args: argparse.Namespace, rate: Rate, journal: Journal) -> None:
    """Write page and charts from all that the journal holds."""
    samples: dict[str, CellSample] = {}
    for batch in journal.batches:
        samples.setdefault(batch.cell, CellSample()).merge(batch.sample)
    minutes = sum(sample.seconds for sample in samples.values()) / 60
    date = datetime.now(UTC).strftime("%d %B %Y").lstrip("0")
    study = Study(samples, args.seed, rate, minutes, date, machine())
    charts = {} if plots.missing() else _charts(study)
    for name, (panels, caption) in charts.items():
        plots.draw(panels, caption, args.out / "results" / name)
    page = args.out / "results.md"
    whole_file.write(page, document.page(study, list(charts)).encode())
    missing = "; without charts, as there is no matplotlib" if plots.missing() else ""
    _say(f"plyhouse: {page}, after {minutes:.1f} minutes of play{missing}")


def _charts(study: Study) -> dict[str, tuple[list[Chart], str]]:
    """What there is to draw, by the name of its file, and the line below it."""
    sweep = catalog.playouts(study.seed)
    cells = sweep_report.swept(sweep, {c.key: study.sample(c.key) for c in sweep.cells()})
    swept = sweep_report.charts(sweep, cells) if any(c.sample.pairs for c in cells) else []
    charts = {
        "growth.svg": (document.growth_charts(study), "95 % intervals from pairs"),
        "playouts.svg": (swept, f"{sweep_report.title(sweep)}; {sweep_report.WHAT}"),
    }
    return {name: chart for name, chart in charts.items() if chart[0]}


def machine() -> str:
    """The machine and its interpreter, as far as it says."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    chip = f"{models[0]}, " if models else ""
    return f"{chip}{os.cpu_count()} cores, {sweep_report.machine()}"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
