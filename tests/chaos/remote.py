"""A ladder whose bots are far away, in network namespaces: links that go down, a server that dies.

    north ──veth── server ──veth── south

The server has one namespace, each of two owners with two bots another.  The link to the north goes
down for a while, then for longer than anybody may be away, and between the two the server is killed
and started again.  This is for `unshare` to start, in a network namespace of its own, so that
nothing of it is left when it ends:

    unshare --user --map-root-user --net python -m tests.chaos.remote FOLDER
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from bench.support.players import BACKOFF
from client.connection import connect
from lab.arena.local_server import ROOT, ServerProcess
from protocol.ladder import LadderCreate, LadderState, Standing
from protocol.parts import ClockOptions
from tests.chaos.account import judge, read_log, recount
from tests.chaos.bots import Owner, patiently

LADDER: Final = "remote"
GAME: Final = "connect_four"
CLOCK: Final = ClockOptions(base_ms=300_000, increment_ms=1_000)  # so that no flag falls first
FAR: Final = {"north": 1, "south": 2}  # and the number of its network, 10.77.n.0
TIME_LIMIT: Final = 420.0


class Phase(msgspec.Struct):
    """A part of the scenario: its length, and how many pairs ended in it, of north and of all."""

    what: str
    seconds: float
    pairs: int
    north: int


class RemoteReport(msgspec.Struct):
    """The outcome.  `how`: how the scored matches ended; `void`: why pairs did not count."""

    phases: list[Phase]
    pairs: int
    how: dict[str, int]
    void: dict[str, int]
    standing: list[Standing]
    problems: list[str]


class FarNetwork:
    """A namespace of its own, joined to ours by a pair of veths; ours has its name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.here, self.there = (f"10.77.{FAR[name]}.{host}" for host in (1, 2))
        # What `cat` gives back was said in the new namespace, so then that is there.
        self._holder = subprocess.Popen(
            ["unshare", "--net", "cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._await_namespace()
        pid = str(self._holder.pid)
        ip("link", "add", "dev", name, "type", "veth", "peer", "name", "eth0", "netns", pid)
        ip("addr", "add", f"{self.here}/24", "dev", name)
        ip("link", "set", name, "up")
        self._inside("ip", "addr", "add", f"{self.there}/24", "dev", "eth0")
        for device in ("lo", "eth0"):
            self._inside("ip", "link", "set", device, "up")

    def set(self, up: bool) -> None:
        """Let it carry, or not."""
        ip("link", "set", self.name, "up" if up else "down")

    def start(self, words: Sequence[str], log: Path) -> subprocess.Popen[bytes]:
        """Start a program over there."""
        with log.open("ab") as out:
            return subprocess.Popen(
                [*self._door(), *words], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out, stderr=out
            )

    def close(self) -> None:
        """End the namespace, and the link with it."""
        self._holder.kill()
        self._holder.communicate()

    def _door(self) -> list[str]:
        return ["nsenter", "--net", "--target", str(self._holder.pid)]

    def _inside(self, *words: str) -> None:
        subprocess.run([*self._door(), *words], check=True)

    def _await_namespace(self) -> None:
        if self._holder.stdin is None or self._holder.stdout is None:
            raise RuntimeError("the holder was started without pipes")
        with contextlib.suppress(BrokenPipeError):  # it has ended, as its answer tells
            self._holder.stdin.write(b"there?\n")
            self._holder.stdin.flush()
        if not self._holder.stdout.readline():
            raise OSError("unshare made no network namespace")


def ip(*words: str) -> None:
    """Run ip(8)."""
    subprocess.run(["ip", *words], check=True)


@contextmanager
def far_away(server: ServerProcess, folder: Path) -> Iterator[FarNetwork]:
    """The two networks with their bots; yields the one to the north."""
    networks = [FarNetwork(name) for name in FAR]
    bots: list[subprocess.Popen[bytes]] = []
    try:
        for network in networks:
            words = [sys.executable, "-m", "plyhouse", "bot", "mcts", "random", "--ms", "20"]
            words += ["--url", f"http://{network.here}:{server.port}", "--name", network.name]
            words += ["--ladder", LADDER, "--token-file", str(folder / f"{network.name}.tokens")]
            bots.append(network.start(words, folder / f"{network.name}.log"))
        yield networks[0]
    finally:
        for bot in bots:
            bot.terminate()
        for bot in bots:
            bot.wait()
        for network in networks:
            network.close()


class Scenario:
    """What happens, phase by phase."""

    def __init__(self, owner: Owner, north: FarNetwork, server: ServerProcess) -> None:
        self.owner = owner
        self.north = north
        self.server = server
        self.phases: list[Phase] = []

    async def play(self, away: float, long_away: float, pairs: int) -> None:
        """Play it all: cut off for `away` and `long_away` seconds, with `pairs` in between."""
        await self._until("all are there", lambda s: s.ladder.here == 2 * len(FAR))
        await self._until("it begins", self._more(pairs))
        self.north.set(up=False)
        await self._pause(f"north is cut off for {away:g} s", away)
        self.north.set(up=True)
        await self._until("until north has ended a pair again", self._more(1, north=True))
        await asyncio.to_thread(self.server.kill)
        await asyncio.to_thread(self.server.start)
        await self._until("killed, started again, and played on", self._more(pairs, north=True))
        self.north.set(up=False)
        await self._pause(f"north is cut off for {long_away:g} s", long_away)
        self.north.set(up=True)
        await self._until("until north has ended pairs again", self._more(pairs, north=True))

    def _more(self, count: int, north: bool = False) -> Callable[[LadderState], bool]:
        """Whether `count` more pairs have ended; `north`: of its bots."""
        pairs, ours = self._counts(self.owner.transcript.last)
        if north:
            return lambda state: self._counts(state)[1] >= ours + count
        return lambda state: self._counts(state)[0] >= pairs + count

    async def _until(self, what: str, enough: Callable[[LadderState], bool]) -> None:
        began, before = time.monotonic(), self._counts(self.owner.transcript.last)
        self._note(what, began, before, await self.owner.until(enough))

    async def _pause(self, what: str, seconds: float) -> None:
        began, before = time.monotonic(), self._counts(self.owner.transcript.last)
        await asyncio.sleep(seconds)
        self._note(what, began, before, self.owner.transcript.last)

    def _note(
        self, what: str, began: float, before: tuple[int, int], state: LadderState | None
    ) -> None:
        pairs, north = self._counts(state)
        took = time.monotonic() - began
        self.phases.append(Phase(what, round(took, 1), pairs - before[0], north - before[1]))
        print(msgspec.json.encode(self.phases[-1]).decode(), file=sys.stderr, flush=True)

    def _counts(self, state: LadderState | None) -> tuple[int, int]:
        """Pairs that count: of all, and of north's bots."""
        if state is None:
            return 0, 0
        north = sum(row.pairs for row in state.standings if row.player.startswith("north/"))
        return state.ladder.pairs, north


async def carry_out(
    folder: Path, away: float, long_away: float, pairs: int, settings: Mapping[str, int]
) -> RemoteReport:
    """Connect the networks, play the scenario, judge its log.  We are in the server's namespace."""
    ip("link", "set", "lo", "up")
    server = ServerProcess(folder / "data", settings, host="0.0.0.0")
    await asyncio.to_thread(server.start)
    try:
        async with asyncio.timeout(TIME_LIMIT):
            connection = await connect(server.address, name="host", backoff=BACKOFF)
            owner = Owner(connection, LADDER)
            await connection.request(
                LadderCreate(name=LADDER, game=GAME, clock=CLOCK, seed=1, players=2 * len(FAR))
            )
            async with asyncio.TaskGroup() as group:
                group.create_task(owner.follow())
                with far_away(server, folder) as north:
                    scenario = Scenario(owner, north, server)
                    await scenario.play(away, long_away, pairs)
                    await patiently(lambda: connection.ladder_stop(LADDER))
                    await owner.until(lambda state: state.ladder.state == "finished")
                await owner.read_pairs()
                await connection.close()
    finally:
        code = await asyncio.to_thread(server.stop)
    return _outcome(owner, scenario.phases, server, code)


def _outcome(owner: Owner, phases: list[Phase], server: ServerProcess, code: int) -> RemoteReport:
    log = read_log(server.data / "plyhouse.db")
    account = recount(log)
    problems = judge(log, owner.transcript, {})
    log_text = server.complaints()
    if code != 0 or "Traceback" in log_text:
        problems.append(f"the server ended with exit code {code}: {log_text[-2_000:]}")
    return RemoteReport(
        phases=phases,
        pairs=len(account.counted()),
        how=Counter(scored.result.how for scored in account.scored.values()),
        void=Counter(account.void.values()),
        standing=list(owner.transcript.last.standings) if owner.transcript.last is not None else [],
        problems=problems,
    )


def main() -> int:
    """Play the scenario, and print the outcome as JSON."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.remote", description=__doc__)
    parser.add_argument("folder", type=Path, help="for data and logs")
    parser.add_argument("--away", type=float, default=20.0, help="seconds that north is cut off")
    parser.add_argument("--long-away", type=float, default=130.0, help="and later once more")
    parser.add_argument("--pairs", type=int, default=6, help="that are played in between")
    parser.add_argument(
        "--silent", type=int, metavar="MS", help="until the server closes a silent connection"
    )
    args = parser.parse_args()
    settings = {"silent_ms": args.silent, "ping_ms": args.silent // 2} if args.silent else {}
    args.folder.mkdir(parents=True, exist_ok=True)
    outcome = asyncio.run(carry_out(args.folder, args.away, args.long_away, args.pairs, settings))
    print(msgspec.json.encode(outcome).decode())
    return 1 if outcome.problems else 0


if __name__ == "__main__":
    sys.exit(main())
