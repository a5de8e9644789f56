"""Makes the opening book of connect four (bots/engine/book.py): `python -m lab.book`.

It writes what it has solved to a journal, so it can be stopped and goes on where it was.  No entry
depends on the order of work or on how often it was stopped: a score is a fact, and of equal actions
the search takes one by rule.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from bots.engine import book, compiled
from bots.engine.book import GAME, Entries, mirrored, name
from bots.engine.solvers import PLENTY, ConnectFour
from games.game import END, Position
from lab.farm.executor import Task, as_done
from lab.farm.farm import open_executor
from lab.farm.where import processes
from protocol.files import whole_file

JOURNAL: Final = Path("build") / "connect_four.journal"


def starts() -> Iterator[Position]:
    """The empty board and each opening of two plies, up to mirror image."""
    yield GAME.initial()
    keys = set()
    for first in range(7):
        for second in range(7):
            position = GAME.initial().apply(first).apply(second)
            key, turned = name(position)
            if not turned and key not in keys:
                keys.add(key)
                yield position


def follow(start: Position, seat: int, best: Callable[[Position], tuple[int, int]]) -> Entries:
    """What `seat` needs from `start` on, where `best` gives the score and action of a position.

    Whichever side is to move, all positions of an edge have the same number of stones.
    """
    entries: Entries = {}
    edge = [start]
    while edge and edge[0].state[2] < book.PLIES:
        after: dict[int, Position] = {}
        for position in edge:
            actions = position.legal_actions()
            if position.to_move == seat:
                key, turned = name(position)
                entry = best(mirrored(position) if turned else position)
                if entry[0] == 21 - position.state[2] // 2:
                    continue  # won at once
                entries[key] = entry
                actions = (6 - entry[1] if turned else entry[1],)
            replies = [position.apply(action) for action in actions]
            after.update((name(p)[0], p) for p in replies if p.to_move != END)
        edge = list(after.values())
    return entries


class Maker:
    """Solves positions, or finds them in the journal, and writes there what it has solved."""

    def __init__(self, journal: Path, *, wide: bool = True) -> None:
        self._journal = journal
        self._search = ConnectFour(GAME, wide=wide)
        self._known: Entries = {}

    def entries(self, start: Position, seat: int) -> Entries:
        return follow(start, seat, self._best)

    def _best(self, position: Position) -> tuple[int, int]:
        key, _ = name(position)
        if key not in self._known:
            self._known |= read_journal(self._journal)  # others write there, too
        if key not in self._known:
            solution = self._search.solve(position, PLENTY, [0])
            self._known[key] = solution.high, solution.best
            with self._journal.open("a") as journal:
                journal.write(f"{key} {solution.high} {solution.best}\n")
        return self._known[key]


def read_journal(journal: Path) -> Entries:
    """What a journal holds; a last line that was cut off is left out."""
    entries: Entries = {}
    if journal.exists():
        for line in journal.read_text().splitlines(keepends=True):
            if line.endswith("\n"):
                key, score, action = map(int, line.split())
                entries[key] = score, action
    return entries


_makers: list[Maker] = []  # one a process: what it has found out helps with the next start


def _work(start: Position, seat: int, journal: Path) -> tuple[Position, Entries]:
    if not _makers:
        _makers.append(Maker(journal))
    return start, _makers[0].entries(start, seat)


def _make(journal: Path, jobs: int) -> Entries:
    """All entries of the book, with a line for each start and seat that is done."""
    entries: Entries = {}
    began = time.monotonic()
    tasks = [Task(_work, (p, seat, journal), str(p)) for p in starts() for seat in (0, 1)]
    with open_executor(processes(jobs)) as executor:
        for i, (_, (start, more)) in enumerate(as_done(executor, tasks), 1):
            entries |= more
            line = f"{i} of {len(tasks)}: {start}, {len(entries)} positions"
            print(f"{line}, {time.monotonic() - began:.0f} s", flush=True)
    return entries


def main() -> int:
    """Make the book."""
    parser = argparse.ArgumentParser(prog="python -m lab.book", description=main.__doc__)
    parser.add_argument("--out", type=Path, default=book.FILE, help="default: where bots look")
    parser.add_argument("--journal", type=Path, default=JOURNAL, help=f"default: {JOURNAL}")
    parser.add_argument("--jobs", type=int, default=1, help="processes of 600 MB; default 1")
    args = parser.parse_args()
    if not compiled.available():
        print("without numba this would take days: pip install 'plyhouse[fast]'", file=sys.stderr)
        return 2
    args.journal.parent.mkdir(parents=True, exist_ok=True)
    entries = _make(args.journal, args.jobs)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    whole_file.write(args.out, book.pack(entries))
    print(f"{args.out}: {len(entries)} positions, {args.out.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
