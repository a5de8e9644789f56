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
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol, TypeVar

import msgspec

from bench.support.process import Cpu, cores, cpu_of, written_by
from bench.support.wire import Wire, WireError
from lab.arena.local_server import ROOT, ServerFailed, ServerProcess
from protocol.parts import ClockOptions

GAME: Final = "tic_tac_toe"
CLOCK: Final = ClockOptions(base_ms=3_600_000, increment_ms=1_000)  # it runs, but no flag falls
STALL: Final = 5.0  # seconds without a move: the server is stuck
A_WHILE: Final = 0.1  # seconds that are waited for messages before the clock is looked at
QUOTED: Final = 20  # that many errors are kept as text; all are counted

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


class Load(msgspec.Struct, kw_only=True):
    """What any generator measures.  A move's time is from its sending until it has been shown."""

    seconds: float
    moves: int
    moves_per_s: float
    p50_ms: float
    p99_ms: float
    generator_busy: float  # share of one core that this process used
    errors: int
    complaints: list[str]


@dataclass(slots=True)
class Counts:
    """What happened since the measured time began."""

    moves: int = 0
    matches: int = 0
    standings: int = 0
    bytes: int = 0
    errors: int = 0
    times: array[float] = field(default_factory=lambda: array("d"))
    complaints: list[str] = field(default_factory=list)

    def blame(self, error: str) -> None:
        """Count an error, and keep the first few as text."""
        self.errors += 1
        if len(self.complaints) < QUOTED:
            self.complaints.append(error)


class Member(Protocol):
    """One connection of a generator."""

    @property
    def wire(self) -> Wire:
        """Its socket."""

    def show(self, payload: bytes) -> None:
        """A message has come for it."""


class Generator:
    """Members, the loop that serves them, and what they count in `counts`.

    `stall`: after so many seconds without a move the server is taken to be stuck.
    """

    stall = STALL

    def __init__(self) -> None:
        self.counts = Counts()
        self.members: list[Member] = []
        self._selector = selectors.DefaultSelector()

    def start(self) -> None:
        """Begin to listen to all members."""
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
            for key, _ in select(self.act(now)):
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
            elif now - moved > self.stall:
                self.counts.blame(f"no move for {self.stall:.0f} s")
                break
        return now - begin

    def act(self, now: float) -> float:
        """Do what is due by itself; returns for how long to wait for messages after it."""
        return A_WHILE

    def reset(self) -> None:
        """Begin to count anew; errors of the warm-up stay."""
        self.counts = Counts(errors=self.counts.errors, complaints=self.counts.complaints)

    def close(self) -> None:
        """Close all connections."""
        for member in self.members:
            member.wire.close()
        self._selector.close()


class MeasuredTime(NamedTuple):
    """A measured time, in seconds, and what was used in it."""

    seconds: float
    busy: float  # share of one core that this process used
    server: Cpu | None  # of the server; None if its process id is not given
    written: int | None  # bytes that the server had written to the disk; None as above


def measured(
    generator: Generator, seconds: float, warm_up: float, server_pid: int | None = None
) -> MeasuredTime:
    """Let a generator play for `warm_up` seconds uncounted and `seconds` counted, and close it."""
    gc.disable()  # nothing here makes cycles, and a pause of ours would be counted as the server's
    try:
        generator.start()
        generator.run(warm_up)
        generator.reset()
        busy, before = time.process_time(), cpu_of(server_pid) if server_pid else None
        written = written_by(server_pid) if server_pid else None
        took = generator.run(seconds)
        busy = time.process_time() - busy
        after = cpu_of(server_pid) if server_pid else None
        end = written_by(server_pid) if server_pid else None
    finally:
        gc.enable()
        generator.close()
    used = None
    if before and after:
        used = Cpu(after.user - before.user, after.kernel - before.kernel)
    more = end - written if written is not None and end is not None else None
    return MeasuredTime(took, busy / took, used, more)


def percentiles(times: Sequence[float]) -> tuple[float, float]:
    """The median and the 99th percentile in milliseconds, of times in seconds; 0 of none."""
    ordered = sorted(times) or [0.0]
    last = len(ordered) - 1
    return 1e3 * ordered[len(ordered) // 2], 1e3 * ordered[min(last, len(ordered) * 99 // 100)]


L = TypeVar("L", bound=Load)


def load_on(server: ServerProcess, module: str, words: Sequence[object], kind: type[L]) -> L:
    """Start a server, let the generator in `module` load it once, and stop it.

    The generator is a process of its own, on a core of its own where the system can pin it.

    Raises:
        ServerFailed: the server did not start, or the generator measured nothing.
    """
    server.start()
    try:
        load = loaded(server, module, words, kind, cores()[1])
    finally:
        code = server.stop()
    if code != 0:
        load.errors += 1
        end = server.complaints()[-500:]
        load.complaints.append(f"the server ended with exit code {code}; its log: {end}")
    return load


def loaded(
    server: ServerProcess, module: str, words: Sequence[object], kind: type[L], core: int | None
) -> L:
    """Let a generator load a server that is there, on this core (None: on any).

    Raises:
        ServerFailed: the generator measured nothing.
    """
    command = [sys.executable, "-m", module, "--port", server.port, *words]
    command += ["--server-pid", server.pid, *([] if core is None else ["--core", core])]
    done = subprocess.run(
        [str(word) for word in command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if not done.stdout:
        raise ServerFailed(f"the load generator measured nothing: {done.stderr.strip()[-500:]}")
    return msgspec.json.decode(done.stdout, type=kind)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that all generators have."""
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--warm-up", type=float, default=1.0)
    parser.add_argument("--core", type=int, help="stay on this processor core")
    parser.add_argument("--server-pid", type=int, help="measure this process's CPU time as well")


def run(args: argparse.Namespace, name: str, measure: Callable[[], L]) -> int:
    """Measure one server and print the load as JSON: the exit code."""
    if args.core is not None:
        os.sched_setaffinity(0, {args.core})
    try:
        load = measure()
    except (OSError, WireError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1
    print(msgspec.json.encode(load).decode())
    return 0 if load.errors == 0 else 1
