"""One attack on one server of its own: quiet seconds, two rounds of the attack, and what it cost.

The server has a core to itself where the system can pin it, and an upper bound on its memory; the
attackers are a process of their own (bench/attacks/strike.py) with a lower priority than the
control, whose moves are measured.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from bench.attacks import newcomer
from bench.attacks.control import ControlFigures, ControlMatch
from bench.attacks.hostile import HOST, PROXY, AssaultPlan, Attack, AttackCounts
from bench.attacks.newcomer import NewcomerFigures
from bench.support.process import MeasuredServer, cores, cpu_of, pinned
from lab.arena.local_server import ROOT, ServerFailed
from server.config import Config
from server.ladder.core import rating

SAMPLE_S: Final = 0.25
SECOND: Final = round(1 / SAMPLE_S)  # samples in a second
PREPARING_S: Final = 120.0  # for an attacker to get ready
SETTLE_S: Final = 1.0  # what preparing left the server to do would else count as quiet
SPARE_S: Final = 60.0  # beyond its time for a round: an attacker who waits for answers
SERVER_MEMORY: Final = 4 << 30  # bytes of address space that a server may take
MEGA: Final = 1024 * 1024
PLAIN: Final = {"PLYHOUSE_PLAIN": "1"}
LIMITS: Final = re.compile(r".*_micros|.*_burst|.*_per_\w+|rooms")
WITHOUT_LIMITS: Final = {
    name: 10**9 for name in Config.__struct_fields__ if LIMITS.fullmatch(name)
}  # what an address may have and spend, as much as nothing here comes to


class RoundFigures(msgspec.Struct, kw_only=True):
    """One round of an attack.

    `cpu` and `worst_second` are shares of a core that the server used, `waited` the share of the
    time in which it wanted a core and others had it; `memory_mb` is what it held some seconds
    afterwards.
    """

    control: ControlFigures
    attack: AttackCounts
    newcomer: NewcomerFigures
    cpu: float
    worst_second: float
    waited: float
    memory_mb: float


class AttackFigures(msgspec.Struct, kw_only=True):
    """What one attack did to a server.

    `breaks`: it was a house without limits; `problems`: what must not be, in sentences.
    """

    attack: str
    about: str
    breaks: bool
    quiet: ControlFigures
    quiet_cpu: float
    quiet_waited: float
    before_mb: float
    rounds: list[RoundFigures] = []
    rooms_left: int = 0  # some seconds after the last round
    log_lines: int = 0
    problems: list[str] = []

    @property
    def p50_ratio(self) -> float:
        """The control's median during the worse round, to the quiet seconds before."""
        return self._ratio([r.control.p50_ms for r in self.rounds], self.quiet.p50_ms)

    @property
    def p99_ratio(self) -> float:
        return self._ratio([r.control.p99_ms for r in self.rounds], self.quiet.p99_ms)

    @property
    def made_share(self) -> float:
        """Moves made of moves due in the worse round, to the same in the quiet seconds."""
        quiet = self.quiet.made / max(1, self.quiet.due)
        return min(r.control.made / max(1, r.control.due) for r in self.rounds) / max(quiet, 1e-9)

    @staticmethod
    def _ratio(values: list[float], quiet: float) -> float:
        return max(values) / max(quiet, 1e-9)


class CampaignPlan(NamedTuple):
    """How an attack is measured: seconds before (`quiet`) and after each round (`rest`), and the
    control's moves a second (`pace`); `limits` of the server that differ from their defaults.
    """

    assault: AssaultPlan
    quiet: float = 5.0
    rounds: int = 2
    rest: float = 3.0
    pace: float = 20.0
    limits: Mapping[str, int] = {}


class BesiegedServer(MeasuredServer):
    """A server with one of the house's bots, on a core of its own and with bounded memory.

    `anchors`: it has those, too, on the core of the other bots, and in plain Python: they would not
    come before their code is compiled.
    """

    def __init__(
        self, data: Path, limits: Mapping[str, int] | None = None, *, core: int | None = None,
        anchors: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(data, limits, core=core, env=PLAIN if anchors else None)
        self.anchors = anchors

    def start(self) -> None:
        """Start it, and bound its memory: what goes beyond fails in there, and is seen."""
        super().start()
        with suppress(ImportError, AttributeError):  # only Linux can bound another process
            import resource

            resource.prlimit(self.pid, resource.RLIMIT_AS, (SERVER_MEMORY, SERVER_MEMORY))

    def move_bots(self, core: int | None) -> None:
        """Send the process of the bots, which the server has started, to another core."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children")
        if core is None or not children.exists():
            return
        for child in children.read_text().split():
            with suppress(ProcessLookupError):
                for task in Path(f"/proc/{child}/task").iterdir():
                    os.sched_setaffinity(int(task.name), {core})

    @property
    def lines(self) -> int:
        return self.log.read_bytes().count(b"\n")

    def _command(self) -> list[str]:
        command = super()._command()
        command[command.index("serve")] = "up"
        command += ["--bots", "random", "--trust-proxy", PROXY]
        return command if self.anchors else [*command, "--no-anchors"]


class Gauge(NamedTuple):
    """A process at a moment: seconds of processor time and of waiting for a core, bytes."""

    at: float
    cpu: float
    waited: float
    memory: int

    @classmethod
    def of(cls, server: MeasuredServer) -> Gauge:
        cpu = cpu_of(server.pid) or 0.0
        return cls(time.monotonic(), cpu, waited_for_core(server.pid), server.memory() or 0)

    def cpu_until(self, end: Gauge) -> float:
        return (end.cpu - self.cpu) / max(end.at - self.at, 1e-9)

    def waited_until(self, end: Gauge) -> float:
        """The share of the time between two looks in which it waited for a core."""
        return (end.waited - self.waited) / max(end.at - self.at, 1e-9)


def waited_for_core(pid: int) -> float:
    """Seconds in which a process was ready to run, but others ran; 0 where that is not told."""
    waited = 0
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError, ValueError, IndexError):  # a thread may end meanwhile
                waited += int((task / "schedstat").read_text().split()[1])
    return waited / 1e9


@contextmanager
def watched(server: MeasuredServer) -> Iterator[list[Gauge]]:
    """Look at a server all the time; the list is whole at the end."""
    gauges, done = [Gauge.of(server)], threading.Event()

    def look() -> None:
        while not done.wait(SAMPLE_S):
            gauges.append(Gauge.of(server))

    thread = threading.Thread(target=look, name="gauge", daemon=True)
    thread.start()
    try:
        yield gauges
    finally:
        done.set()
        thread.join()
        gauges.append(Gauge.of(server))


def worst_second(gauges: list[Gauge]) -> float:
    spans = list(zip(gauges, gauges[SECOND:], strict=False)) or [(gauges[0], gauges[-1])]
    return max(begin.cpu_until(end) for begin, end in spans)


class Attackers:
    """The process of the attackers."""

    def __init__(self, name: str, port: int, plan: AssaultPlan, core: int | None) -> None:
        words = [name, str(port), msgspec.json.encode(plan).decode()]
        pipe = subprocess.PIPE
        with pinned(core):
            self._process = subprocess.Popen(
                [sys.executable, "-m", "bench.attacks.strike", *words],
                cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True,
            )  # fmt: skip
        self._limit = plan.seconds + SPARE_S
        self._line(PREPARING_S)

    def strike(self) -> AttackCounts:
        """One round.

        Raises:
            ServerFailed: the attackers could not do it.
        """
        assert self._process.stdin is not None  # it is a pipe
        self._process.stdin.write("go\n")
        self._process.stdin.flush()
        return msgspec.json.decode(self._line(self._limit), type=AttackCounts)

    def stop(self) -> None:
        try:
            self._process.communicate(timeout=SPARE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()

    def _line(self, limit: float) -> str:
        assert self._process.stdout is not None  # it is a pipe
        watchdog = threading.Timer(limit, self._process.kill)
        watchdog.start()
        try:
            line = self._process.stdout.readline()
        finally:
            watchdog.cancel()
        if not line:
            assert self._process.stderr is not None  # it is a pipe
            raise ServerFailed(f"the attackers ended: {self._process.stderr.read()[-1_500:]}")
        return line


def carry_out(attack: Attack, plan: CampaignPlan, folder: Path) -> AttackFigures:
    """Start a server, attack it, and say what came of it.

    Raises:
        ServerFailed: server or attackers did not work.
        WireError: the control's match did not begin.
    """
    core, other = cores()
    limits = {**(WITHOUT_LIMITS if attack.breaks else {}), **plan.limits}
    server = BesiegedServer(folder / attack.name, limits, core=core, anchors=attack.anchors)
    server.start()
    control = ControlMatch(HOST, server.port, plan.pace)
    try:
        control.start()
        server.move_bots(other)
        attackers = Attackers(attack.name, server.port, plan.assault, other)
        try:
            figures = _measure(attack, plan, server, control, attackers)
        finally:
            attackers.stop()
            control.stop()
    except BaseException:
        server.stop()
        raise
    if (code := server.stop()) != 0:
        figures.problems.append(f"the server ended with exit code {code}")
    figures.log_lines = server.lines
    if "Traceback" in server.complaints():
        figures.problems.append("there is a traceback in the log")
    return figures


def _measure(
    attack: Attack, plan: CampaignPlan, server: BesiegedServer, control: ControlMatch,
    attackers: Attackers,
) -> AttackFigures:  # fmt: skip
    time.sleep(SETTLE_S)  # what starting has stirred up is no part of the quiet seconds
    with watched(server) as gauges:
        time.sleep(plan.quiet)  # control and gauges have threads of their own: this is measured
    before, end = gauges[0], gauges[-1]
    _visit(server)  # the first costs memory once
    figures = AttackFigures(
        attack=attack.name,
        about=attack.about,
        breaks=attack.breaks,
        quiet=control.figures(before.at, end.at),
        quiet_cpu=before.cpu_until(end),
        quiet_waited=before.waited_until(end),
        before_mb=Gauge.of(server).memory / MEGA,
    )
    for _ in range(plan.rounds):
        figures.rounds.append(_round(plan, server, control, attackers))
    figures.rooms_left = newcomer.visit(HOST, server.port, ladders=False).rooms
    figures.problems += sorted({problem for r in figures.rounds for problem in _problems(r)})
    return figures


def _round(
    plan: CampaignPlan, server: BesiegedServer, control: ControlMatch, attackers: Attackers
) -> RoundFigures:
    with watched(server) as gauges:
        counts = attackers.strike()
    visit = _visit(server)
    time.sleep(plan.rest)  # for the server to let go of what is left, before memory is read
    return RoundFigures(
        control=control.figures(gauges[0].at, gauges[-1].at),
        attack=counts,
        newcomer=visit,
        cpu=gauges[0].cpu_until(gauges[-1]),
        worst_second=worst_second(gauges),
        waited=gauges[0].waited_until(gauges[-1]),
        memory_mb=Gauge.of(server).memory / MEGA,
    )


def _visit(server: BesiegedServer) -> NewcomerFigures:
    able = rating.available()
    return newcomer.visit(HOST, server.port, ladders=able, anchors=able and server.anchors)


def _problems(figures: RoundFigures) -> Iterator[str]:
    yield from figures.attack.wrong
    for what, why in figures.newcomer.refused.items():
        yield f"a newcomer's {what} was refused: {why}"
    for code, times in figures.control.refused.items():
        yield f"the control was told {code} ({times} times)"
