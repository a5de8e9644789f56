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
import contextlib
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

from bench.plug.disk import Operation, SentBytes, Synced, TrialStep, VolatileDisk
from bench.plug.shown import Shown
from bench.plug.trial import Trial
from bench.support.process import UNLIMITED
from bench.support.report import BadPlan, FigureTable, Report, progress
from lab.arena.local_server import ServerFailed, ServerProcess
from server.store import open_store
from server.store.contract import EventRow, SessionRow, StoreError
from server.store.sqlite import copies

BEFORE: Final = "before-restore-1"  # where a restore puts what was there
TOKENS: Final = ("house-bots.json", "admin.token")
AGAIN: Final = 8  # one image of so many is opened twice, ...
SERVED: Final = 100  # ... and one of so many first by a server in a process of its own


class PlugReport(Report, kw_only=True):
    """What came back."""

    images: int
    seed: int


class Expected:
    """What has to be on the disk at some moment."""

    def __init__(self) -> None:
        self.houses: dict[str, list[Shown]] = {}  # by folder; while one is restored: either
        self.backup: tuple[str, Shown] | None = None
        self.is_copied = self.is_serving = False
        self.house = ""

    def hear(self, what: SentBytes) -> None:
        self.houses[self.house][-1].hear(what)
        self.is_serving = True

    def begin(self, step: TrialStep) -> None:
        here, self.is_serving = self.houses.get(self.house, [Shown()]), False
        match step.what:
            case "copy":
                self.backup = step.where, here[-1].copy()
                return
            case "copied":
                self.is_copied = True
                return
            case "restore":
                assert self.backup is not None
                here = [*here, self.backup[1].copy()]
            case "restored":
                self.houses[str(Path(step.where) / BEFORE)] = here[:1]
                here = here[1:]
            case "older":
                here = [here[-1].copy()]
            case "serve":
                here = self.houses.get(step.where, [Shown()])
        self.house = step.where
        self.houses[self.house] = here


class Cut(NamedTuple):
    """A moment at which the power goes: so many operations have begun; and the image of it."""

    operations: int
    image: int


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--images", type=int, default=10_000, help="disks (default 10,000)")
    parser.add_argument("--matches", type=int, default=6, help="at once (default 6)")
    parser.add_argument("--seconds", type=float, default=6.0, help="under load, each time")
    parser.add_argument("--seed", type=int, default=1, help="of the moments, and of what is left")
    parser.add_argument("--keep", type=Path, help="folder for the disks with which it went wrong")


def measure(args: argparse.Namespace, folder: Path) -> PlugReport:
    if args.images < 1 or args.matches < 1 or not args.seconds > 0:
        raise BadPlan("images and matches start at 1, seconds above 0")
    operations = asyncio.run(Trial(folder, args.matches, args.seconds).carry_out())
    return try_images(operations, folder / "disk", args.images, args.seed, args.keep)


def try_images(
    operations: Sequence[Operation], root: Path, images: int, seed: int, keep: Path | None = None,
    jobs: int | None = None,
) -> PlugReport:  # fmt: skip
    """Open so many disks."""
    cuts = sorted(choose(operations, images, seed))
    progress(f"{len(operations):,} operations recorded; {images:,} disks are made of them")
    jobs = jobs or os.cpu_count() or 1
    shares = [(operations, cuts[number::jobs], root, seed, keep) for number in range(jobs)]
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
    """Choose moments, as many in each step: before syncs, after something was shown, or any."""
    draw = random.Random(seed)
    begins = [n for n, each in enumerate(operations) if type(each) is TrialStep]
    steps = list(itertools.pairwise([*begins, len(operations)]))
    of_kind = {
        (begin, kind): [n for n in range(begin, end) if type(operations[n]) is kind]
        for begin, end in steps
        for kind in (Synced, SentBytes)
    }
    for image in range(images):
        begin, end = steps[image % len(steps)]
        syncs, sents = of_kind[begin, Synced], of_kind[begin, SentBytes]
        match draw.randrange(4):
            case 0 if syncs:
                yield Cut(draw.choice(syncs), image)
            case 1 if sents:
                yield Cut(draw.choice(sents) + 1, image)
            case _:
                yield Cut(draw.randrange(begin + 1, end + 1), image)


def _step_at(operations: Sequence[Operation], count: int) -> str:
    step = next(each for each in reversed(operations[:count]) if type(each) is TrialStep)
    return step.title


def _try_share(
    operations: Sequence[Operation], cuts: Sequence[Cut], root: Path, seed: int, keep: Path | None
) -> list[str]:
    """Open the disks of some cuts, which are in order; say what is wrong with them."""
    disk, expected, done, problems = VolatileDisk(), Expected(), 0, list[str]()
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
            image = Image(disk, expected, root, Path(folder), cut.image)
            image.write(random.Random(f"{seed} {cut.image}"))
            wrong = image.judge()
            if wrong and keep is not None:
                image.write(random.Random(f"{seed} {cut.image}"), keep / str(cut.image))
        where = f"disk {cut.image} ({_step_at(operations, done)}, operation {done})"
        problems += [f"{where}: {each}" for each in wrong]
    return problems


class Image:
    """A disk after a loss of power, in a folder."""

    def __init__(
        self, disk: VolatileDisk, expected: Expected, root: Path, folder: Path, number: int
    ) -> None:
        self._disk, self._expected, self._number = disk, expected, number
        self._root, self._folder = root, folder

    def write(self, draw: random.Random, folder: Path | None = None) -> None:
        for name, file in self._disk.image(draw).items():
            path = (folder or self._folder) / Path(name).relative_to(self._root)
            if file is None:
                path.mkdir(parents=True, exist_ok=True)
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file[0])
            if file[1]:
                os.utime(path, ns=(file[1], file[1]))

    def judge(self) -> list[str]:
        """What is wrong with it."""
        house, problems = self._expected.house, list[str]()
        if self._expected.is_serving:  # first: who starts here writes one of them anew
            problems += self._judge_tokens(self._here(house))
        for name, shown in self._expected.houses.items():
            if name in (house, f"{house}/{BEFORE}"):
                problems += self._judge_house(self._here(name), shown)
        if self._expected.is_copied and self._number % AGAIN == 1:
            assert self._expected.backup is not None
            name, copied = self._expected.backup
            problems += [f"backup: {each}" for each in self._judge_copy(self._here(name), copied)]
        return problems

    def _here(self, name: str) -> Path:
        return self._folder / Path(name).relative_to(self._root)

    def _judge_house(self, house: Path, shown: Sequence[Shown]) -> list[str]:
        problems = list[str]()
        if self._number % SERVED == SERVED - 1 and len(shown) == 1:
            problems += _serve(house)
        try:
            there = look(house)
        except StoreError as error:
            if len(shown) == 1 or self._expected.backup is None:
                return [*problems, f"refused: {error}"]
            shown = shown[1:]  # a restore that was cut is done again
            copies.restore(self._here(self._expected.backup[0]), house)
            there = look(house)
        missing: list[str] = min([each.missing(*there) for each in shown], key=len)
        problems += missing
        if not problems and self._number % AGAIN == 0:
            problems = shown[-1].missing(*look(house))
        return problems

    def _judge_copy(self, backup: Path, shown: Shown) -> list[str]:
        house = self._folder / "copied"
        try:
            copies.restore(backup, house)
            return shown.missing(*look(house))
        except StoreError as error:
            return [str(error)]

    def _judge_tokens(self, house: Path) -> list[str]:
        """Once a server answers, the tokens of its house stay."""
        problems = []
        for name in TOKENS:
            due = self._disk.content(f"{self._expected.house}/{name}")
            path = house / name
            if due is not None and (not path.exists() or path.read_bytes() != due):
                problems.append(f"{name} is lost")
        return problems


def look(house: Path) -> tuple[list[SessionRow], dict[int, list[EventRow]]]:
    """Open a house as a server does; its logins and the events of its rooms."""
    with contextlib.closing(open_store(house)) as store:
        rooms = range(1, store.last_room() + 1)
        return store.sessions(), {room: store.all_events(room) for room in rooms}


def _serve(house: Path) -> list[str]:
    """Start a server on it, and end it."""
    server = ServerProcess(house, UNLIMITED)
    try:
        server.start()
        code = server.stop()
    except ServerFailed as error:
        return [str(error)]
    is_well = code == 0 and "Traceback" not in server.complaints()
    return [] if is_well else [f"a server ended with {code}: {server.complaints()[-500:]}"]
