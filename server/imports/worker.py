"""The program that reads one file of a match: `python -m server.imports.worker [FORMAT]`.

The file comes on stdin, packed by gzip or as it is.  What goes out is `+` and the answer, packed: a
document (protocol/reading/imported.py), or the file in another format; or `-` and a sentence.

It is a process of its own since a file may be made to be slow, as every turn of it may be one of
thousands: what a thread does for long, all connections wait for, and no one can end it.
"""

from __future__ import annotations

import gzip
import os
import select
import sys
import threading
import zlib
from typing import Final

import msgspec

from protocol.reading import files
from protocol.reading.imported import imported_match
from protocol.records import formats
from protocol.records.record import Altered, NotARecord, RecordError

CPU_SECONDS: Final = 20  # a match to 25 points takes one
MEMORY_BYTES: Final = 512 << 20  # which holds some 100 of it
GZIP: Final = b"\x1f\x8b"


def answer(data: bytes, name: str | None) -> bytes:
    """Return the document of a file, or the file in the format of this name.

    Raises:
        RecordError, Altered: it cannot be read, or cannot be written so.
    """
    match = files.read(unpacked(data))
    if name is None:
        return msgspec.json.encode(imported_match(match))
    *before, last = match.games
    return formats.write(last, name, before, whole=True)


def unpacked(data: bytes) -> bytes:
    """Return the data without gzip, if it has that; no more than a file may have, and a byte.

    Raises:
        NotARecord: it is damaged.
    """
    if not data.startswith(GZIP):
        return data
    try:
        return zlib.decompressobj(wbits=31).decompress(data, files.MAX_BYTES + 1)
    except zlib.error:
        raise NotARecord("this file was damaged on its way; send it once more") from None


def limit() -> None:
    """Take no more than a part of this machine, and let all others go first; where it can be."""
    try:
        import resource
    except ImportError:  # Windows has none; who started it ends it
        return
    os.nice(10)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def end_with_reader() -> None:
    """End when no process reads what goes out: a server that is killed cannot end this one."""
    reader = select.poll()
    reader.register(sys.stdout, 0)  # no event but its end, which is always told
    reader.poll()
    os._exit(1)


def main() -> int:
    limit()
    if hasattr(select, "poll"):  # Windows has none
        threading.Thread(target=end_with_reader, daemon=True).start()
    data = sys.stdin.buffer.read()
    try:
        out = b"+" + gzip.compress(answer(data, sys.argv[1] if len(sys.argv) > 1 else None), 6)
    except (RecordError, Altered) as error:
        out = b"-" + str(error).encode()
    sys.stdout.buffer.write(out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
