"""`plyhouse bench plug`: pull the plug, thousands of times, and see what comes back.

Every write, sync and change of names of a server under load is recorded by strace, and all that it
sends.  From the record disks are built as a loss of power at some moment could have left them
(disk.py), and each is opened as a server does at its start.  What any client had been shown by then
must be there, once, and no such disk may be refused.  So for a server that is killed, sealed,
backed up while it serves, restored, and begun on the database of an older version; and for disks
that fail: what cannot be synced is dropped by the system, which says so once.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import logging
import os
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Final, NamedTuple

from bench.plug.database import DatabaseImage, DatabaseTrial
from bench.plug.disk import NameMoved, Operation, SentBytes, Synced, TrialStep, VolatileDisk
from bench.plug.image import Expected, Image
from bench.plug.trial import Trial
from bench.support.log_place import HERE
from bench.support.report import BadPlan, FigureTable, Report, progress

IMAGES: Final = {None: 10_000, HERE: 500}


class PlugReport(Report, kw_only=True):
    """What came back."""

    images: int
    seed: int


class Cut(NamedTuple):
    """A moment at which the power goes: so many operations have begun; and the image of it."""

    operations: int
    image: int


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--images", type=int, help="disks (default 10,000; of a database 500)")
    parser.add_argument(
        "--database", choices=[HERE], help="those of a PostgreSQL that is started for it"
    )
    parser.add_argument("--matches", type=int, default=6, help="at once (default 6)")
    parser.add_argument("--seconds", type=float, default=6.0, help="under load, each time")
    parser.add_argument("--seed", type=int, default=1, help="of the moments, and of what is left")
    parser.add_argument("--keep", type=Path, help="folder for the disks with which it went wrong")


def measure(args: argparse.Namespace, folder: Path) -> PlugReport:
    images = args.images if args.images is not None else IMAGES[args.database]
    if images < 1 or args.matches < 1 or not args.seconds > 0:
        raise BadPlan("images and matches start at 1, seconds above 0")
    of, kind = (DatabaseTrial, DatabaseImage) if args.database else (Trial, Image)
    trial = of(folder, args.matches, args.seconds)
    operations = asyncio.run(trial.carry_out())
    return try_images(operations, trial.disk, images, args.seed, args.keep, kind=kind)


def try_images(
    operations: Sequence[Operation], root: Path, images: int, seed: int, keep: Path | None = None,
    jobs: int | None = None, kind: type[Image] = Image,
) -> PlugReport:  # fmt: skip
    """Open so many disks."""
    cuts = sorted(choose(operations, images, seed))
    progress(f"{len(operations):,} operations recorded; {images:,} disks are made of them")
    jobs = jobs or os.cpu_count() or 1
    shares = [(operations, cuts[number::jobs], root, seed, keep, kind) for number in range(jobs)]
    if jobs == 1:
        problems = _try_share(*shares[0])
    else:
        with ProcessPoolExecutor(jobs, get_context("spawn"), initializer=logging.disable) as pool:
            problems = list(itertools.chain(*pool.map(_try_share, *zip(*shares, strict=True))))
    kinds = Counter(type(each).__name__ for each in operations if each is not None)
    counts = Counter(_step_at(operations, cut.operations) for cut in cuts)
    report = PlugReport(images=images, seed=seed, problems=sorted(problems))
    report.tables = [
        FigureTable("Disks as a loss of power left them", ["disks"],
                    {title: [count] for title, count in counts.items()}),
        FigureTable("Recorded", ["times"], {
            "writes": [kinds["Written"]], "syncs": [kinds["Synced"]],
            "names made, changed, removed": [
                sum(count for name, count in kinds.items() if name.startswith("Name"))
            ],
            "messages to clients": [kinds["SentBytes"]],
        }),
    ]  # fmt: skip
    report.verdict = (
        f"of {images:,} losses of power none lost anything shown, none doubled anything, and none"
        " left a house that is refused"
    )
    return report


def choose(operations: Sequence[Operation], images: int, seed: int) -> Iterator[Cut]:
    """Choose moments, as many in each step: before syncs, after something was shown or a file got
    another name, or any.
    """
    draw = random.Random(seed)
    begins = [n for n, each in enumerate(operations) if type(each) is TrialStep]
    steps = list(itertools.pairwise([*begins, len(operations)]))
    of_kind = {
        (begin, kind): [n for n in range(begin, end) if type(operations[n]) is kind]
        for begin, end in steps
        for kind in (Synced, SentBytes, NameMoved)
    }
    for image in range(images):
        begin, end = steps[image % len(steps)]
        syncs, sents = of_kind[begin, Synced], of_kind[begin, SentBytes]
        moves = of_kind[begin, NameMoved]
        match draw.randrange(5):
            case 0 if syncs:
                yield Cut(draw.choice(syncs), image)
            case 1 if sents:
                yield Cut(draw.choice(sents) + 1, image)
            case 2 if moves:
                yield Cut(draw.choice(moves) + 1, image)
            case _:
                yield Cut(draw.randrange(begin + 1, end + 1), image)


def _step_at(operations: Sequence[Operation], count: int) -> str:
    step = next(each for each in reversed(operations[:count]) if type(each) is TrialStep)
    return step.title


def _try_share(
    operations: Sequence[Operation], cuts: Sequence[Cut], root: Path, seed: int, keep: Path | None,
    kind: type[Image],
) -> list[str]:  # fmt: skip
    """Open the disks of some cuts, which are in order; say what is wrong with them."""
    disk, expected, done, problems = VolatileDisk(kind.journaled), Expected(), 0, list[str]()
    memory = Path("/dev/shm")  # quicker, where there is one
    for cut in cuts:
        for number in range(done, cut.operations):
            what = operations[number]
            if type(what) is TrialStep:
                expected.begin(what)
            elif type(what) is SentBytes:
                expected.hear(what)
            else:
                disk.carry_out(number, what)
        done = cut.operations
        with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
            image = kind(disk, expected, root, Path(folder), cut.image)
            image.write(random.Random(f"{seed} {cut.image}"))
            wrong = image.judge()
            if wrong and keep is not None:
                image.write(random.Random(f"{seed} {cut.image}"), keep / str(cut.image))
        where = f"disk {cut.image} ({_step_at(operations, done)}, operation {done})"
        problems += [f"{where}: {each}" for each in wrong]
    return problems
