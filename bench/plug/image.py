"""One disk as a loss of power left it: written to a folder, opened, and compared."""

from __future__ import annotations

import contextlib
import functools
import os
import random
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from bench.plug.disk import SentBytes, TrialStep, VolatileDisk
from bench.plug.shown import Shown
from bench.support.process import UNLIMITED
from lab.arena.local_server import ServerFailed, ServerProcess
from server.store import open_store
from server.store.contract import EventRow, SessionRow, StoreError
from server.store.files import FILE
from server.store.sqlite import checking, copies

BEFORE: Final = "before-restore-"  # where a restore puts what was there
TOKENS: Final = ("house-bots.json", "admin.token")
AGAIN: Final = 8  # one image of so many is opened twice, and read as a server does, ...
SERVED: Final = 100  # ... and one of so many first by a server in a process of its own
ROWS: Final = 1 << 18  # that are known to be sound: most are in thousands of images


class Expected:
    """What has to be on the disk at some moment."""

    def __init__(self) -> None:
        self.houses: dict[str, list[Shown]] = {}  # by folder; while one is restored: either
        self.backup: tuple[str, Shown] | None = None
        self.is_copied = self.is_serving = False
        self.house = ""

    def hear(self, what: SentBytes) -> None:
        if self.house:  # else nothing has begun
            self.houses[self.house][-1].hear(what)
            self.is_serving = True

    def begin(self, step: TrialStep) -> None:
        last = self.houses.get(self.house, [Shown()])
        here, self.is_serving = self.houses.get(step.where, [Shown()]), False
        match step.what:
            case "copy":
                self.backup = step.where, last[-1].copy()
                return
            case "copied":
                self.is_copied = True
                return
            case "restore":
                assert self.backup is not None
                here = [*here, self.backup[1].copy()]
            case "restored":
                self.houses[f"{step.where}/{BEFORE}1"] = here[:1]
                here = here[1:]
            case "older":
                here = [last[-1].copy()]
        self.house = step.where
        self.houses[self.house] = here


class Image:
    """A disk after a loss of power, in a folder.  `journaled`: see VolatileDisk."""

    journaled = False

    def __init__(
        self, disk: VolatileDisk, expected: Expected, root: Path, folder: Path, number: int
    ) -> None:
        self._disk, self.expected, self._number = disk, expected, number
        self._root, self.folder = root, folder

    def write(self, draw: random.Random, folder: Path | None = None) -> None:
        folder, root = folder or self.folder, len(str(self._root))
        folder.mkdir(parents=True, exist_ok=True)
        for name, file in self._disk.image(draw).items():  # a folder comes before what is in it
            path = Path(f"{folder}{name[root:]}")
            if file is None:
                path.mkdir(exist_ok=True)
                continue
            path.write_bytes(file[0])
            if file[1]:
                os.utime(path, ns=(file[1], file[1]))

    def judge(self) -> list[str]:
        """What is wrong with it."""
        house, problems = self.expected.house, list[str]()
        if self.expected.is_serving:  # first: who starts here writes one of them anew
            problems += self._judge_tokens(self._here(house))
        for name, shown in self.expected.houses.items():
            was_there = name == f"{house}/{BEFORE}1" and shown[0].newest
            if name == house or was_there:
                problems += self._judge_house(self._here(name), shown)
        if self.expected.backup is not None:
            name, copied = self.expected.backup
            is_there = self._here(name).exists()
            # Once it is made it is there; before that it is not, or whole.
            if self._number % AGAIN == 1 if self.expected.is_copied else is_there:
                wrong = self._judge_copy(self._here(name), copied)
                problems += [f"backup: {each}" for each in wrong]
        return problems

    def _here(self, name: str) -> Path:
        return self.folder / Path(name).relative_to(self._root)

    def _judge_house(self, house: Path, shown: Sequence[Shown]) -> list[str]:
        problems = list[str]()
        if self._number % SERVED == SERVED - 1 and len(shown) == 1:
            problems += _serve(house)
        try:
            there = look(house)
        except StoreError as error:
            if len(shown) == 1 or self.expected.backup is None:
                return [*problems, f"refused: {error}"]
            try:
                copies.restore(self._here(self.expected.backup[0]), house)  # it is done again
                there = look(house)
            except StoreError as again:
                return [*problems, f"refused: {error}, and restored: {again}"]
            problems += self._judge_kept(house, shown[0])
            shown = shown[1:]
        missing: list[str] = min([each.missing(*there) for each in shown], key=len)
        problems += missing
        if not problems and self._number % AGAIN == 0:
            problems = shown[-1].missing(*look(house, as_server=True))
        return problems

    def _judge_kept(self, house: Path, shown: Shown) -> list[str]:
        """What was there is kept by restores that were cut, the first of which took it first."""
        whole = self.folder / "kept"
        whole.mkdir()
        for folder in sorted(house.glob(f"{BEFORE}*"), reverse=True):
            shutil.copytree(folder, whole, dirs_exist_ok=True)
        return [f"kept: {each}" for each in self._judge_copy(whole / FILE, shown)]

    def _judge_copy(self, backup: Path, shown: Shown) -> list[str]:
        house = self.folder / f"of {backup.name}"
        try:
            copies.restore(backup, house)
            return shown.missing(*look(house))
        except StoreError as error:
            return [str(error)]

    def _judge_tokens(self, house: Path) -> list[str]:
        """Once a server answers, the tokens of its house stay."""
        problems = []
        for name in TOKENS:
            due = self._disk.content(f"{self.expected.house}/{name}")
            path = house / name
            if due is not None and (not path.exists() or path.read_bytes() != due):
                problems.append(f"{name} is lost")
        return problems


def look(
    house: Path, as_server: bool = False
) -> tuple[list[SessionRow], dict[int, list[EventRow]]]:
    """Open a house as a server does; its logins and the events of its rooms.

    `as_server`: events are read as a server reads them, too, which takes five times as long.
    """
    with contextlib.closing(open_store(house)) as store:
        sessions = store.sessions()
        if as_server:
            numbers = range(1, store.last_room() + 1)
            return sessions, {room: store.all_events(room) for room in numbers}
    rooms = defaultdict[int, list[EventRow]](list)
    with contextlib.closing(sqlite3.connect(house / FILE)) as db:
        for values in db.execute(f"{checking.EVENTS[0]} ORDER BY room, seq"):
            rooms[values[0]].append(_sound(values))
    return sessions, rooms


@functools.lru_cache(ROWS)
def _sound(values: tuple[Any, ...]) -> EventRow:
    """Return an event whose checksum fits."""
    (row,) = checking.checked([values], "event")
    return EventRow(*row)


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
