"""What the load generators share: one loop that serves many connections, and what it counts.

A generator is a process of its own.  Its members are connections (bench/support/wire.py), each
served when something has come for it.
"""

from __future__ import annotations

import argparse
import gc
import os
import selectors
import subprocess
import sys
import time
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

import msgspec

from bench.support.process import cores, cpu_of, pinned_note, written_by
from bench.support.wire import Wire, WireError
from lab.arena.local_server import ROOT, ServerFailed, ServerProcess
from protocol.parts import ClockOptions

GAME: Final = "tic_tac_toe"
CLOCK: Final = ClockOptions(base_ms=3_600_000, increment_ms=1_000)  # it runs, but no flag falls
STALL: Final = 5.0  # seconds without a move: the server is stuck
A_WHILE: Final = 0.1  # seconds that are waited for messages before the clock is looked at
QUOTED: Final = 20  # that many errors are kept as text; all are counted
BUSY: Final = 0.85  # above this share of its core the generator may be what is measured

clock = time.perf_counter


class MatchHead(msgspec.Struct):
    """What a generator reads of a message; skipping the rest of a `match` takes a microsecond."""

    type: str
    match: str = ""
    seq: int = 0
    turn: int = 0
    ply: int = 0
    code: str = ""
    text: str = ""
    legal: msgspec.Raw = msgspec.Raw()  # empty if the message has none
    result: msgspec.Raw = msgspec.Raw()


@dataclass(slots=True)
class Counts:
    """What happened since the measured time began."""

    moves: int = 0
    matches: int = 0
    bytes: int = 0
    errors: int = 0
    times: array[float] = field(default_factory=lambda: array("d"))
    complaints: list[str] = field(default_factory=list)

    def blame(self, error: str) -> None:
        self.errors += 1
        if len(self.complaints) < QUOTED:
            self.complaints.append(error)


class Load(msgspec.Struct, kw_only=True):
    """What a generator measured.  A move's time is from its sending until it has been shown.

    What is told of the server and its database is None where that cannot be had: processor time in
    seconds, and bytes that it had written to the disk.
    """

    seconds: float
    moves: int
    p50_ms: float
    p99_ms: float
    busy: float = 0.0  # share of one core that the generator used
    matches: int = 0
    bytes: int = 0
    server_cpu: float | None = None
    server_written: int | None = None
    database_cpu: float | None = None
    errors: int = 0
    complaints: list[str] = []

    @property
    def moves_per_s(self) -> float:
        return self.moves / self.seconds

    @property
    def cpu_us(self) -> float | None:
        return self.a_move(self.server_cpu, 1e6)

    def a_move(self, value: float | None, unit: float = 1.0) -> float | None:
        return None if value is None else unit * value / max(1, self.moves)


# The figures that servers are compared by.
MEASURES: Final[dict[str, Callable[[Load], float | None]]] = {
    "moves a second": lambda load: load.moves_per_s,
    "server CPU a move, us": lambda load: load.cpu_us,
    "move until both see it, p50 ms": lambda load: load.p50_ms,
    "the same, p99 ms": lambda load: load.p99_ms,
    "bytes to both a move": lambda load: load.a_move(load.bytes),
}
MORE_MEASURES: Final[dict[str, Callable[[Load], float | None]]] = {
    **MEASURES,
    "its database's CPU a move, us": lambda load: load.a_move(load.database_cpu, 1e6),
    "bytes onto the disk a move": lambda load: load.a_move(load.server_written),
    "load generator busy, %": lambda load: 100 * load.busy,
}


class Member(Protocol):
    """One connection of a generator."""

    @property
    def wire(self) -> Wire:
        """Its socket."""

    def show(self, payload: bytes) -> None:
        """A message has come for it."""


class Generator:
    """Members, the loop that serves them, and what they count in `counts`."""

    def __init__(self) -> None:
        self.counts = Counts()
        self.members: list[Member] = []
        self._selector = selectors.DefaultSelector()

    def start(self) -> None:
        for member in self.members:
            waiting = member.wire.go()
            self._selector.register(member.wire.sock, selectors.EVENT_READ, member)
            for payload in waiting:
                member.show(payload)

    def run(self, seconds: float) -> float:
        """Play for `seconds`; returns how long it really was."""
        begin = now = moved = clock()
        select, before = self._selector.select, 0
        while now - begin < seconds:
            for key, _ in select(A_WHILE):
                member: Member = key.data
                try:
                    for payload in member.wire.receive():
                        member.show(payload)
                except (OSError, WireError, msgspec.DecodeError) as error:
                    self.counts.blame(str(error))
                    self._selector.unregister(member.wire.sock)
            now = clock()
            if self.counts.moves != before:
                before, moved = self.counts.moves, now
            elif now - moved > STALL:
                self.counts.blame(f"no move for {STALL:.0f} s")
                break
        return now - begin

    def reset(self) -> None:
        self.counts = Counts(errors=self.counts.errors, complaints=self.counts.complaints)

    def close(self) -> None:
        for member in self.members:
            member.wire.close()
        self._selector.close()


def measured(
    generator: Generator, seconds: float, warm_up: float, server_pid: int | None = None
) -> Load:
    """Let a generator play for `warm_up` seconds uncounted and `seconds` counted, and close it."""
    gc.disable()  # nothing here makes cycles, and a pause of ours would be counted as the server's
    try:
        generator.start()
        generator.run(warm_up)
        generator.reset()
        busy, before, written = time.process_time(), *_server(server_pid)
        took = generator.run(seconds)
        busy, (after, end) = time.process_time() - busy, _server(server_pid)
    finally:
        gc.enable()
        generator.close()
    counts = generator.counts
    if not counts.moves:
        counts.blame("no move was answered")
    p50, p99 = percentiles(counts.times)
    return Load(
        seconds=took, moves=counts.moves, p50_ms=p50, p99_ms=p99, busy=busy / took,
        matches=counts.matches, bytes=counts.bytes,
        server_cpu=after - before if before is not None and after is not None else None,
        server_written=end - written if written is not None and end is not None else None,
        errors=counts.errors, complaints=counts.complaints,
    )  # fmt: skip


def _server(pid: int | None) -> tuple[float | None, int | None]:
    return (None, None) if pid is None else (cpu_of(pid), written_by(pid))


def percentiles(times: Sequence[float]) -> tuple[float, float]:
    """The median and the 99th percentile in milliseconds, of times in seconds; 0 of none."""
    ordered = sorted(times) or [0.0]
    last = len(ordered) - 1
    return 1e3 * ordered[len(ordered) // 2], 1e3 * ordered[min(last, len(ordered) * 99 // 100)]


def load_on(server: ServerProcess, module: str, words: Sequence[object]) -> Load:
    """Start a server, let the generator in `module` load it once, and stop it.

    The generator is a process of its own, on a core of its own where the system can pin it.

    Raises:
        ServerFailed: the server did not start, or the generator measured nothing.
    """
    server.start()
    try:
        core = cores()[1]
        command = [sys.executable, "-m", module, "--port", server.port, *words]
        command += ["--server-pid", server.pid, *([] if core is None else ["--core", core])]
        done = subprocess.run(
            [str(word) for word in command], cwd=ROOT, capture_output=True, text=True, check=False
        )
    finally:
        code = server.stop()
    if not done.stdout:
        raise ServerFailed(f"the load generator measured nothing: {done.stderr.strip()[-500:]}")
    load = msgspec.json.decode(done.stdout, type=Load)
    if code != 0:
        load.errors += 1
        end = server.complaints()[-500:]
        load.complaints.append(f"the server ended with exit code {code}; its log: {end}")
    return load


def notes_of(loads: Iterable[tuple[object, Load]]) -> list[str]:
    slow = {str(side) for side, load in loads if load.busy > BUSY}
    limit = f"THE LOAD GENERATOR WAS THE LIMIT, so these may be faster: {', '.join(sorted(slow))}."
    never = f"The load generator was never busy for more than {BUSY:.0%} of its time."
    return [pinned_note(), limit if slow else never]


def problems_of(loads: Iterable[tuple[object, Load]]) -> list[str]:
    return [f"{side}: {complaint}" for side, load in loads for complaint in load.complaints]


def main(
    argv: Sequence[str] | None, about: str | None, what: str, number: int,
    make: Callable[[str, int, int], Generator],
) -> int:  # fmt: skip
    """Measure one server and print the load as JSON: the exit code.

    `what`: of what there are `number` by default; `make`: from host, port and their number.
    """
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--warm-up", type=float, default=1.0)
    parser.add_argument("--core", type=int, help="stay on this processor core")
    parser.add_argument("--server-pid", type=int, help="measure this process's CPU time as well")
    parser.add_argument(f"--{what}", type=int, default=number, dest="number")
    args = parser.parse_args(argv)
    if args.core is not None:
        os.sched_setaffinity(0, {args.core})
    try:
        load = measured(
            make(args.host, args.port, args.number), args.seconds, args.warm_up, args.server_pid
        )
    except (OSError, WireError) as error:
        print(error, file=sys.stderr)
        return 1
    print(msgspec.json.encode(load).decode())
    return 0 if load.errors == 0 else 1
