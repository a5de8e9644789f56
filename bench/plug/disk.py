"""A disk as a loss of power may leave it: what was synced is there, of all else anything may be.

Of what was written and not synced any part may be missing, in any order: whole writes, or some of
their sectors.  A file may have its old length, or the new one with zeros or anything in its place.
Names that were made, changed or taken away may be as they were until their folder is synced; that a
file is synced says nothing about its name.  A rename alone is done as a whole, or not at all.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias, TypeVar

SECTORS: Final = (512, 4096)


class Written(NamedTuple):
    path: str
    offset: int
    data: bytes


class Resized(NamedTuple):
    path: str
    size: int


class Dated(NamedTuple):
    """A file was given a time of change, in ns."""

    path: str
    at: int


class NameMade(NamedTuple):
    path: str
    is_folder: bool = False


class NameMoved(NamedTuple):
    path: str
    to: str


class NameRemoved(NamedTuple):
    path: str


class Synced(NamedTuple):
    """A file or a folder is on the disk, as of the operation of this number."""

    path: str
    since: int


class NotSynced(NamedTuple):
    """A file could not be put on the disk, and the system has dropped what of it was to go there.

    So does Linux: it says so once, and takes what programs read there for written from then on.
    """

    path: str
    since: int


class SentBytes(NamedTuple):
    """Bytes went out to somebody."""

    stream: str
    data: bytes


class TrialStep(NamedTuple):
    """Something that a trial begins, or has done, in a folder or with a file; see `Trial`."""

    what: str
    where: str
    title: str


Content: TypeAlias = Written | Resized | Dated
Operation: TypeAlias = (
    Content | NameMade | NameMoved | NameRemoved | Synced | NotSynced | SentBytes | TrialStep | None
)
T = TypeVar("T")


class Inode:
    """A file: what is durable of it, and what is not yet."""

    def __init__(self) -> None:
        self.durable = bytearray()
        self.at = 0
        self.pending: list[tuple[int, Content]] = []

    def sync(self, since: int) -> None:
        done = [each for number, each in self.pending if number < since]
        self.pending = self.pending[len(done) :]
        self.at = _carry_out(self.durable, done, self.at, lambda write: [write])

    def drop(self, since: int) -> None:
        self.pending = [each for each in self.pending if each[0] >= since]

    def content(self) -> bytes:
        data = bytearray(self.durable)
        _carry_out(data, [each for _, each in self.pending], 0, lambda write: [write])
        return bytes(data)

    def image(self, draw: random.Random, stale: bool) -> tuple[bytes, int]:
        """What a loss of power now leaves of it, and its time of change (0: any)."""
        data, kept = bytearray(self.durable), some([each for _, each in self.pending], draw)
        ends = [each.offset + len(each.data) for _, each in self.pending if type(each) is Written]
        if (more := max(ends, default=0) - len(data)) > 0 and draw.random() < 0.3:
            data += draw.choice((bytes, draw.randbytes if stale else bytes))(more)
        sector = draw.choice((0, *SECTORS))

        def torn(write: Written) -> list[Written]:
            if not sector or draw.random() < 0.5:
                return [write]
            return [each for each in _cut(write, sector) if draw.random() < 0.5]

        at = _carry_out(data, kept, self.at, torn)
        return bytes(data), at


def _carry_out(
    data: bytearray, changes: Iterable[Content], at: int,
    parts: Callable[[Written], Sequence[Written]],
) -> int:  # fmt: skip
    """Change what is in a file; return its time of change then."""
    for change in changes:
        at = 0
        if type(change) is Dated:
            at = change.at
        elif type(change) is Resized:
            del data[change.size :]
            data += bytes(change.size - len(data))
        elif type(change) is Written:
            for _, offset, part in parts(change):
                data += bytes(max(0, offset - len(data)))
                data[offset : offset + len(part)] = part
    return at


def _cut(write: Written, sector: int) -> Iterator[Written]:
    """Cut a write where sectors of the disk begin."""
    begin, end = write.offset, write.offset + len(write.data)
    while begin < end:
        until = min(end, (begin // sector + 1) * sector)
        yield Written(write.path, begin, write.data[begin - write.offset : until - write.offset])
        begin = until


def some(pending: Sequence[T], draw: random.Random) -> Sequence[T]:
    """What is kept: nothing, all, all up to some moment, all but one, or any."""
    if not pending:
        return pending
    match draw.randrange(5):
        case 0:
            return []
        case 1:
            return pending
        case 2:
            return pending[: draw.randrange(len(pending) + 1)]
        case 3:
            lost = draw.randrange(len(pending))
            return [*pending[:lost], *pending[lost + 1 :]]
    return [each for each in pending if draw.random() < 0.5]


class Renaming:
    """A change of names, which is durable once the folders of all are synced."""

    def __init__(self, number: int, names: dict[str, Inode | None]) -> None:
        self.number = number
        self.names = names
        self.folders = {str(Path(name).parent) for name in names}


FOLDER: Final = Inode()  # stands for any folder among names


class VolatileDisk:
    """What is in a folder, and what of it is durable; names are full paths.

    `journaled`: it is one on which a file that is synced has its name, and all changes of names
    before it are done, in their order, and nothing stale shows where a file has grown.
    """

    def __init__(self, journaled: bool = False) -> None:
        self._journaled = journaled
        self.names: dict[str, Inode] = {}
        self._durable: dict[str, tuple[int, Inode | None]] = {}  # since which operation
        self._pending: list[Renaming] = []

    def carry_out(self, number: int, what: Operation) -> None:
        match what:
            case NameMade(path, is_folder):
                self._rename(number, {path: FOLDER if is_folder else Inode()})
            case NameRemoved(path) if path in self.names:
                self._rename(number, {path: None})
            case NameMoved(path, to) if path in self.names:
                self._rename(number, {path: None, to: self.names[path]})
            case Synced(path, since):
                if (file := self.names.get(path, FOLDER)) is not FOLDER:
                    file.sync(since)
                if file is FOLDER or self._journaled:
                    self._sync_names(path, since)
            case NotSynced(path, since) if path in self.names:
                self.names[path].drop(since)
            case Written(path) | Resized(path) | Dated(path) if path in self.names:
                self.names[path].pending.append((number, what))

    def content(self, path: str) -> bytes | None:
        """What programs read in a file now; None: there is none."""
        return self.names[path].content() if path in self.names else None

    def image(self, draw: random.Random) -> dict[str, tuple[bytes, int] | None]:
        """Everything that a loss of power now leaves, by name: content and time, or a folder."""
        names = dict(self._durable)
        kept = some(self._pending, draw)
        if self._journaled:
            kept = self._pending[: len(kept)]
        for each in kept:
            _set(names, each)
        there = {name: inode for name, (_, inode) in names.items() if inode is not None}
        gone = tuple(
            f"{name}/"
            for name, inode in self.names.items()
            if inode is FOLDER and name not in there
        )
        return {
            name: None if inode is FOLDER else inode.image(draw, stale=not self._journaled)
            for name, inode in sorted(there.items())
            if not name.startswith(gone)
        }

    def _rename(self, number: int, names: dict[str, Inode | None]) -> None:
        for name, inode in names.items():
            if inode is None:
                del self.names[name]
            else:
                self.names[name] = inode
        self._pending.append(Renaming(number, names))

    def _sync_names(self, path: str, since: int) -> None:
        for each in self._pending:
            if each.number < since:
                each.folders -= each.folders if self._journaled else {path}
        for each in self._pending:
            if not each.folders:
                _set(self._durable, each)
        self._pending = [each for each in self._pending if each.folders]


def _set(names: dict[str, tuple[int, Inode | None]], change: Renaming) -> None:
    for name, inode in change.names.items():
        if names.get(name, (-1, None))[0] < change.number:
            names[name] = (change.number, inode)
