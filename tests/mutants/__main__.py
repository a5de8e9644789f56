"""Breaks promises in a copy of the tree, one at a time, and sees that a check notices.

    python -m tests.mutants                 # what there is
    python -m tests.mutants unsynced        # one, after its check has passed as all is; --all: all
    python -m tests.mutants --turn          # ten, as the commit says, where all tests have passed

It ends with 1 if a check passes though its promise is broken, or takes longer than LIMIT_S.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from tests.mutants.catalog import MUTANTS, PROMISES, Mutant

ROOT: Final = Path(__file__).parents[2]
A_TURN: Final = 10
LIMIT_S: Final = 60.0  # for a check; most take two
FAILED: Final = 1  # what pytest ends with where tests failed; 2 and more: it could not run them
LEFT_OUT: Final = shutil.ignore_patterns(
    ".git", ".venv", "build", "node_modules", "__pycache__", ".*_cache", "pictures", "shared"
)


class Copy:
    """A copy of the tree, in which a place at a time is written otherwise."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "plyhouse"
        shutil.copytree(ROOT, self.root, ignore=LEFT_OUT, symlinks=True)
        self._changes = 0

    @contextlib.contextmanager
    def broken(self, mutant: Mutant) -> Iterator[None]:
        """Break it as long as this lasts."""
        path = self.root / mutant.file
        whole = path.read_text("utf-8")
        self._write(path, whole.replace(mutant.old, mutant.new))
        try:
            yield
        finally:
            self._write(path, whole)

    def _write(self, path: Path, text: str) -> None:
        """Write a file with a time of change of its own, by which Python sees that it is new."""
        self._changes += 1
        at = path.stat().st_mtime + self._changes
        path.write_text(text, "utf-8")
        os.utime(path, (at, at))

    def check(self, mutant: Mutant) -> tuple[int | None, str]:
        """Run a mutant's check: what pytest ends with (None: not in time), and its last line."""
        words = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
        try:
            done = subprocess.run(
                [*words, *mutant.check.split()],
                cwd=self.root,
                env={**os.environ, "PYTHONPATH": str(self.root)},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=LIMIT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None, f"not done within {LIMIT_S:.0f} s"
        lines = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
        return done.returncode, (lines or (done.stdout + done.stderr).splitlines() or [""])[-1][
            :150
        ]


def run(mutants: Sequence[Mutant], *, first_whole: bool) -> int:
    """Try these; 1 if one was not noticed.

    Args:
        mutants: what to break.
        first_whole: run each check first as all is, which must pass.
    """
    missed, whole = list[str](), dict[str, tuple[int | None, str]]()
    with tempfile.TemporaryDirectory(prefix="plyhouse-mutants-") as folder:
        copy = Copy(Path(folder))
        for mutant in mutants:
            began = time.monotonic()
            if first_whole and mutant.check not in whole:
                whole[mutant.check] = copy.check(mutant)
            code, line = whole.get(mutant.check, (0, ""))
            if code != 0:
                print(f"{mutant.name}: its check fails as all is: {line}", flush=True)
                missed.append(mutant.name)
                continue
            with copy.broken(mutant):
                code, line = copy.check(mutant)
            if code != FAILED:
                missed.append(mutant.name)
            word = "noticed" if code == FAILED else "NOT NOTICED"
            print(f"{mutant.name}: {word} ({time.monotonic() - began:.0f} s): {line}", flush=True)
    print(f"{len(mutants) - len(missed)} of {len(mutants)} were noticed.")
    return 1 if missed else 0


def turn_of_today() -> tuple[int, str]:
    """A number that changes with each commit, or where there is none each day; and from what."""
    with contextlib.suppress(OSError, subprocess.CalledProcessError):
        command = ["git", "rev-parse", "HEAD"]
        commit = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        return int(commit, 16), f"commit {commit[:8]}"
    today = datetime.now(UTC).date()
    return today.toordinal(), f"{today}"


def of_turn(number: int) -> list[Mutant]:
    """Ten of the mutants at most, of as many promises as can be."""
    turns = count_turns()
    return list(MUTANTS.values())[number % turns :: turns]


def count_turns() -> int:
    """In how many turns all are tried."""
    return -(-len(MUTANTS) // A_TURN)


def main(argv: Sequence[str] | None = None) -> int:
    """Try what the command line says."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--turn", action="store_true", help="ten, as the commit says")
    parser.add_argument("--all", action="store_true")
    args = parser.parse_args(argv)
    unknown = [name for name in args.names if name not in MUTANTS]
    if unknown:
        parser.error(f"there is no mutant {unknown[0]!r}; without a name all are listed")
    if args.all:
        return run(list(MUTANTS.values()), first_whole=True)
    if args.turn:
        number, why = turn_of_today()
        print(f"Turn {number % count_turns() + 1} of {count_turns()}, by {why}:", flush=True)
        return run(of_turn(number), first_whole=False)
    if args.names:
        return run([MUTANTS[name] for name in args.names], first_whole=True)
    for promise, mutants in PROMISES.items():
        print(f"{promise}: {', '.join(each.name for each in mutants)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
