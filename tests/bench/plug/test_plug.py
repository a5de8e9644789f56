"""`plyhouse bench plug`: calls are read off strace's lines, and no loss of power loses anything."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bench.plug import tracing
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
    TrialStep,
    Written,
)
from bench.plug.plug import try_images
from lab.arena.local_server import ROOT
from tests.support.command import Run

TRACED = pytest.mark.skipif(shutil.which("strace") is None, reason="there is no strace")
# A store in which chat is written, and moved soon; what was stored is told as a server tells it.
STORE = """
import asyncio, socket, sys
from pathlib import Path
from protocol.codec import encode
from protocol.messages import Said
from server.core.events import Chatted, Who, write_body
from server.store import open_store
from server.store.contract import EventRow, RoomRow
from server.store.sqlite import newest

newest.MAX_ROWS, newest.SLICE = 8, 1

async def write(store, client):
    for seq in range(1, 41):
        stored = asyncio.get_running_loop().create_future()
        chat, room = Chatted(0, Who(1, "ann"), f"{seq}"), seq % 5 + 1
        row = EventRow(room, (seq + 4) // 5, 1, "said", None, write_body(chat))
        store.append([row, RoomRow(room, 1)], stored.set_result)
        assert await stored is None
        told = encode(Said(room=room, seq=row.seq, name="ann", text=f"{seq}", at=0))
        client.send(bytes((0x82, len(told))) + told)

client, _ = socket.socketpair()
client.send(b"HTTP/1.1 101 Here it is\\r\\n\\r\\n")
store = open_store(Path(sys.argv[1]))
asyncio.run(write(store, client))
store.close()
"""


UNSYNCED = "store._db.execute('PRAGMA synchronous = OFF')"


def quoted(text: str) -> str:
    """A text as strace writes it."""
    return '"' + "".join(f"\\x{ord(each):02x}" for each in text) + '"'


def opened(number: int, path: str) -> str:
    """An open file as strace writes it."""
    return f"{number}<{quoted(path)[1:-1]}>"


A, B, E, D = "/d/a", "/d/b", "/d/e", "/d"
FILE = opened(4, A)
CALLS = {
    f"7 openat({opened(3, '/')}, {quoted(A)}, O_RDWR|O_CREAT, 0600) = {FILE}": NameMade(A),
    f"8 pwrite64({FILE}, {quoted('xyz')}, 3, 1024 <unfinished ...>": Written(A, 1024, b"xy"),
    f"7 sendto({opened(5, 'socket:[1]')}, {quoted('hi')}, 2, 0, NULL, 0) = 2": SentBytes(
        "0 socket:[1]", b"hi"
    ),
    f"7 fdatasync({FILE} <unfinished ...>": None,
    f"9 sendto({opened(6, 'socket:[2]')}, {quoted(chr(0))}, 1, 0, NULL, 0) = 1": None,
    "8 <... pwrite64 resumed>) = 2": None,
    f"8 write({FILE}, {quoted('ab')}, 2) = 2": Written(A, 0, b"ab"),
    "7 <... fdatasync resumed>) = 0": Synced(A, 4),
    f"7 lseek({FILE}, 7, SEEK_SET) = 7": None,
    f"7 write({FILE}, {quoted('c')}, 1) = 1": Written(A, 7, b"c"),
    f"7 ftruncate({FILE}, 9) = 0": Resized(A, 9),
    f"7 rename({quoted(A)}, {quoted(B)}) = 0": NameMoved(A, B),
    f"7 unlink({quoted(A)}) = -1 ENOENT (No such file)": None,
    f"7 mkdir({quoted(E)}, 0700) = 0": NameMade(E, is_folder=True),
    f"7 fsync({opened(9, D)}) = 0": Synced(D, 11),
    f"7 utimensat(AT_FDCWD, {quoted(B)}, [{{tv_sec=1, tv_nsec=5}}, {{tv_sec=2, tv_nsec=6}}], 0)"
    " = 0": Dated(B, 2_000_000_006),
    f"7 write({opened(1, '/tmp/log')}, {quoted('c')}, 1) = 1": None,
    f"7 ftruncate({opened(4, A + '-shm')}, 3) = 0": None,
    f"7 unlink({quoted(B)}) = 0": NameRemoved(B),
    "7 +++ exited with 0 +++": None,
}


def test_calls_become_operations_in_the_order_in_which_they_began(tmp_path: Path) -> None:
    trace, step = tmp_path / "trace", TrialStep("serve", D, "a step")
    trace.write_text(
        "".join(f"{call[:2]}{number}.5 {call[2:]}\n" for number, call in enumerate(CALLS))
    )
    read = tracing.read_traces([trace], [tracing.Marked(0.6, [step])], Path(D))
    expected: list[Operation] = [each for each in CALLS.values() if each is not None]
    expected.insert(1, step)
    assert [each for each in read if each is not None] == expected


def recorded(folder: Path, script: str, fault: str = "") -> list[Operation]:
    """What a program does that is given a house in a new folder."""
    trace, disk = folder / "trace", folder / "disk"
    disk.mkdir()
    command = [*tracing.tracer(trace, fault), sys.executable, "-c", script, str(disk / "house")]
    subprocess.run(command, cwd=ROOT, check=True)
    tracing.await_end(trace)
    begun = TrialStep("serve", str(disk / "house"), "a store")
    return tracing.read_traces([trace], [tracing.Marked(0, [begun])], disk)


@TRACED
def test_what_a_store_has_answered_comes_back_when_the_power_does(tmp_path: Path) -> None:
    report = try_images(recorded(tmp_path, STORE), tmp_path / "disk", 60, seed=1, jobs=1)
    assert report.problems == []


@TRACED
def test_nothing_is_lost_where_a_sync_fails_and_the_system_drops_what_it_had_to_write(
    tmp_path: Path,
) -> None:
    operations = recorded(tmp_path, STORE, "fdatasync:error=EIO:when=20+3")
    assert any(isinstance(each, NotSynced) for each in operations)
    assert try_images(operations, tmp_path / "disk", 60, seed=1, jobs=1).problems == []


@TRACED
def test_what_is_shown_and_not_synced_is_found_lost(tmp_path: Path) -> None:
    script = STORE.replace("asyncio.run", f"{UNSYNCED}; asyncio.run")
    report = try_images(recorded(tmp_path, script), tmp_path / "disk", 60, seed=1, jobs=1)
    assert report.problems


@TRACED
@pytest.mark.slow
@pytest.mark.socket
def test_houses_come_back_that_were_killed_copied_restored_and_upgraded(run: Run) -> None:
    code, out, _ = run("bench plug --images 400 --seconds 2 --matches 4")
    assert code == 0
    assert "VERDICT: of 400 losses of power none lost anything shown" in out


def test_without_strace_it_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    run("bench plug --images 1").refuses("", "strace is not here")
