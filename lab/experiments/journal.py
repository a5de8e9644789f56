"""The journal of an experiment: a file of JSON lines that is all it goes on from.

The first line says what the experiment is.  Each other one is a batch of pairs, on the disk before
it is counted: after a kill at any moment, what the file holds is what was played.  A last line that
was cut is taken away when the file is opened again; its pairs are played anew.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, Self

import msgspec

from lab.experiments.cell import Batch
from lab.experiments.sample import CellSample
from protocol.files import whole_file

BEGINNING: Final = b'{"journal"'  # of every journal


class BadJournal(ValueError):
    """A journal that cannot be gone on with; the sentence says why, and what to do."""


class Journal:
    """An open journal, and all that has been played: `batches`.

    `head`: what the experiment is, as plain values.
    """

    def __init__(self, path: Path, head: dict[str, Any], *, fresh: bool = False) -> None:
        """Open it, or begin it; `fresh`: begin it in any case.

        Raises:
            BadJournal: it belongs to another experiment, is damaged, or another process has it.
            OSError: it cannot be written.
        """
        self.path = path
        self.head = head
        self.batches: list[Batch] = []
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file: IO[bytes] = path.open("a+b")
        try:
            self._take()
            if fresh:
                self._file.truncate(0)
            self._read()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()

    def append(self, batch: Batch) -> None:
        """Write a batch; it is on the disk when this returns."""
        self._write(batch)
        self._sync()
        self.batches.append(batch)

    def compact(self) -> None:
        """Write the file anew with as few lines as say the same, all at once."""
        merged = merge(self.batches)
        for batch in merged:
            batch.sample.a.round()
            batch.sample.b.round()
        lines = [msgspec.json.encode(line) + b"\n" for line in (self.head, *merged)]
        whole_file.write(self.path, b"".join(lines))
        self.batches = merged

    def _take(self) -> None:
        """Keep others away, as long as the file is open; where the system has such locks."""
        if sys.platform == "win32":
            return
        import fcntl

        try:
            fcntl.flock(self._file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BadJournal(f"another process is writing {self.path}") from None

    def _read(self) -> None:
        self._file.seek(0)
        content = self._file.read()
        whole = content[: content.rfind(b"\n") + 1]
        lines = whole.splitlines()
        if not lines and not (content.startswith(BEGINNING) or BEGINNING.startswith(content)):
            raise BadJournal(f"{self.path} is no journal; --out writes elsewhere")
        if not lines:
            self._file.truncate(0)
            self._write(self.head)
            self._sync()
            return
        if _decoded(lines[0], Any) != self.head:
            raise BadJournal(
                f"{self.path} belongs to another experiment; --out writes elsewhere, --fresh "
                "starts anew"
            )
        self._file.truncate(len(whole))
        for number, line in enumerate(lines[1:], 2):
            batch = _decoded(line, Batch)
            if batch is None:
                raise BadJournal(f"{self.path}, line {number} is damaged; --fresh starts anew")
            self.batches.append(batch)

    def _write(self, line: object) -> None:
        self._file.write(msgspec.json.encode(line) + b"\n")

    def _sync(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())


def _decoded(line: bytes, kind: Any) -> Any:
    """The line as this kind of value; None where it is none."""
    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def merge(batches: list[Batch]) -> list[Batch]:
    """Batches that say the same: of each cell, those that follow one another are one."""
    merged: list[Batch] = []
    for batch in sorted(batches, key=lambda b: (b.cell, b.first)):
        last = merged[-1] if merged else None
        if last is not None and (last.cell, last.end) == (batch.cell, batch.first):
            last.sample.merge(batch.sample)
            continue
        sample = CellSample()
        sample.merge(batch.sample)
        merged.append(Batch(batch.cell, batch.first, sample, batch.error))
    return merged
