"""What programs do to a disk and send to others, as strace tells it, in the order in which it was.

Why strace: it sees what the kernel sees, SQLite's writes and Python's alike, needs no compiler and
no file system of ours, and stops a thread at each call, so that all calls have one order.
The shared memory of SQLite, `-shm`, is left out: whoever opens a database first makes it anew.
"""

from __future__ import annotations

import heapq
import os
import re
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from bench.plug.disk import (
    Dated,
    NameMade,
    NameMoved,
    NameRemoved,
    NotSynced,
    Operation,
    Resized,
    SentBytes,
    Synced,
    Written,
)
from bench.support.report import Missing

CALLS: Final = (
    "open,openat,creat,lseek,write,writev,pwrite64,pwritev,pwritev2,ftruncate,truncate,fallocate,"
    "fsync,fdatasync,sync,syncfs,sync_file_range,mkdir,mkdirat,rename,renameat,renameat2,link,"
    "linkat,symlink,symlinkat,unlink,unlinkat,rmdir,utimensat,mmap,sendto,sendmsg,sendfile,"
    "copy_file_range"
)
SYNCS: Final = ("fsync", "fdatasync")
ENDED: Final = re.compile(r"\+\+\+ (exited|killed)")
LINE: Final = re.compile(r"(\d+) +(\d+\.\d+) (.*)")
CALL: Final = re.compile(r"(\w+)\((.*)\) += (-?\d+)(.*)")
FILE: Final = re.compile(r"(\d+)<((?:\\x..)+)>(\(deleted\))?")
TEXT: Final = re.compile(r'"((?:\\x..)*)"')
NUMBER: Final = re.compile(r", (-?\d+)$")
DATE: Final = re.compile(r"tv_sec=(\d+).*?tv_nsec=(\d+)")
RESUMED: Final = re.compile(r"<\.\.\. \w+ resumed>")
UNFINISHED: Final = " <unfinished ...>"
WOKEN: Final = b"\0"  # what a thread sends to a loop of asyncio in its own process
SHARED_MEMORY: Final = "-shm"
PATIENCE_S: Final = 20.0


def tracer(trace: Path, fault: str = "") -> list[str]:
    """The words before a command that has its calls written to `trace`.

    `fault`: which of them fail, as strace takes it: `fdatasync:error=EIO:when=9+5`.

    Raises:
        Missing: there is no strace here.
    """
    if shutil.which("strace") is None:
        raise Missing("strace is not here: `apt-get install strace`, or what your system calls it")
    how = ["-DDD", "-f", "--seccomp-bpf", "-y", "-ttt", "-xx", "-s", str(1 << 24)]
    how += ["-e", f"inject={fault}"] if fault else []
    return ["strace", *how, "-e", f"trace={CALLS}", "-o", str(trace)]


class Marked(NamedTuple):
    """What a trial itself has to say, and when (time.time())."""

    at: float
    operations: list[Operation]


def await_end(trace: Path) -> None:
    """Wait until all is written of a program that has ended."""
    deadline = time.monotonic() + PATIENCE_S
    while not ENDED.search(_last_line(trace)):
        if time.monotonic() > deadline:
            raise Missing("strace does not work here: may it trace other programs?")
        time.sleep(0.01)  # by -DDD strace is no child of ours that could be waited for


def _last_line(trace: Path) -> str:
    if not trace.exists():
        return ""
    with trace.open("rb") as file:
        file.seek(max(0, trace.stat().st_size - 200))
        return file.read().decode().rstrip("\n").rpartition("\n")[2]


def found(root: Path, folder: Path) -> list[Operation]:
    """A folder in `root` and what is in it, which no program was traced to make, as durable."""
    there: list[Operation] = []
    for path in [folder, *sorted(folder.rglob("*"))]:
        there.append(NameMade(str(path), path.is_dir()))
        if path.is_file() and not path.name.endswith(SHARED_MEMORY):
            there += [Written(str(path), 0, path.read_bytes()), Synced(str(path), 1 << 60)]
        there.append(Synced(str(path.parent), 1 << 60))
    return there


def read_traces(traces: Sequence[Path], marks: Iterable[Marked], root: Path) -> list[Operation]:
    """All operations in a folder and all that was sent, in order."""
    reader = _Reader(str(root))
    lines = [_lines(number, trace) for number, trace in enumerate(traces)]
    said = ((mark.at, -1, "", mark.operations) for mark in marks)
    for _, number, thread, what in heapq.merge(*lines, said, key=lambda line: line[0]):
        if isinstance(what, str):
            reader.take(number, thread, what)
        else:
            reader.tell(what)
    return reader.operations


def _lines(number: int, trace: Path) -> Iterator[tuple[float, int, str, str | list[Operation]]]:
    with trace.open() as file:
        for line in file:
            if match := LINE.match(line):
                yield float(match[2]), number, match[1], match[3]


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))


class _Reader:
    """Makes operations of lines."""

    def __init__(self, root: str) -> None:
        self.operations: list[Operation] = []
        self._root = root
        self._begun: dict[tuple[int, str], tuple[str, int]] = {}  # by thread: text, and its place
        self._at: dict[tuple[int, str], int] = {}  # where a file is written to next
        self._known: set[str] = set()

    def tell(self, operations: list[Operation]) -> None:
        self.operations += operations
        self._known |= {each.path for each in operations if isinstance(each, NameMade)}

    def take(self, trace: int, thread: str, text: str) -> None:
        who = trace, thread
        if text.endswith(UNFINISHED):
            self._begun[who] = text[: -len(UNFINISHED)], len(self.operations)
            self.operations.append(None)  # its place: from now on it may be on the disk
            return
        place = len(self.operations)
        if match := RESUMED.match(text):
            begun, place = self._begun.pop(who, ("", place))
            text = begun + text[match.end() :]
        if (call := CALL.match(text)) and (int(call[3]) >= 0 or call[1] in SYNCS):
            for what in self._read(trace, call[1], call[2], int(call[3]), call[4], place):
                if isinstance(what, Synced | NotSynced) or place == len(self.operations):
                    self.operations.append(what)
                else:
                    self.operations[place], place = what, len(self.operations)

    def _read(
        self, trace: int, name: str, words: str, code: int, rest: str, place: int
    ) -> Iterator[Operation]:
        """What a call that went well has done."""
        file = FILE.match(words)
        path = _bytes(file[2]).decode() if file else ""
        if name.startswith("send") and name != "sendfile":
            data = b"".join(_bytes(text) for text in TEXT.findall(words))
            if data != WOKEN:
                yield SentBytes(f"{trace} {path}", data[:code])
            return
        if name in ("open", "openat", "creat") and (file := FILE.match(f"{code}{rest}".strip())):
            path = _bytes(file[2]).decode()
        is_named = name.startswith(("mkdir", "rename", "unlink", "rmdir", "utimens"))
        names = [path]
        if is_named:  # a PostgreSQL stays in its folder, all others say where
            names = [str(Path(self._root, _bytes(text).decode())) for text in TEXT.findall(words)]
        if not any(self._is_ours(each) for each in names) or (file and file[3]):
            return
        match name:
            case "open" | "openat" | "creat":
                yield from self._opened(trace, code, path, words, name == "creat")
            case "lseek":
                self._at[trace, path] = code
            case "write" | "writev" | "pwrite64" | "pwritev":
                data = b"".join(_bytes(text) for text in TEXT.findall(words))[:code]
                offset = self._at.get((trace, path), 0)
                if name.startswith("p"):
                    match = NUMBER.search(words)
                    assert match is not None, words[-80:]
                    offset = int(match[1])
                else:
                    self._at[trace, path] = offset + code
                yield Written(path, offset, data)
            case "ftruncate":
                yield Resized(path, int(words.rpartition(", ")[2]))
            case "fsync" | "fdatasync":
                yield Synced(path, place) if code == 0 else NotSynced(path, place)
            case "mkdir" | "mkdirat":
                self._known.add(names[-1])
                yield NameMade(names[-1], is_folder=True)
            case "rename" | "renameat" | "renameat2":
                self._known.discard(names[0])
                self._known.add(names[1])
                yield NameMoved(names[0], names[1])
            case "unlink" | "unlinkat" | "rmdir":
                self._known.discard(names[0])
                yield NameRemoved(names[0])
            case "utimensat":
                date = DATE.findall(words)[-1]
                yield Dated(names[0], int(date[0]) * 10**9 + int(date[1]))
            case "sync_file_range":  # a wish, and no promise
                return
            case "mmap" if "MAP_SHARED" not in words or "PROT_WRITE" not in words:
                return
            case _:
                raise Missing(f"there is no way yet to follow what this does to {path}: {name}")

    def _is_ours(self, path: str) -> bool:
        is_inside = path == self._root or path.startswith(self._root + os.sep)
        return is_inside and not path.endswith(SHARED_MEMORY)

    def _opened(
        self, trace: int, code: int, path: str, words: str, is_made: bool
    ) -> Iterator[Operation]:
        self._at[trace, path] = 0
        if path not in self._known and (is_made or "O_CREAT" in words):
            self._known.add(path)
            yield NameMade(path)
        elif "O_TRUNC" in words:
            yield Resized(path, 0)
