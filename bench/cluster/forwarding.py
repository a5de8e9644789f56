"""`plyhouse bench forwarding`: what a move costs whose room is on another server.

Two servers on one PostgreSQL; all rooms are on the first.  Pairs of clients play there, one pair
connected to the first server and one to the second, in turns, so that both meet the same machine.
The time of a move is from sending `play` to its `ok`: stored, and shown to both.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import time
from functools import partial
from pathlib import Path

import msgspec

from bench.cluster.processes import ClusterProcesses, two_servers
from bench.support.process import cpu_us
from bench.support.report import Report, complain, tried
from client.connection import Connection, connect
from protocol.messages import MatchState

GAME = "ultimate_tic_tac_toe"
LIMIT_S = 300.0


class ForwardingReport(Report, kw_only=True):
    """Milliseconds of a move: the median and the 99th percentile, at the owner and through another
    server; and how many microseconds of processor time a move took of both servers together.
    """

    moves: int
    direct_p50: float
    direct_p99: float
    forwarded_p50: float
    forwarded_p99: float
    direct_cpu_us: float
    forwarded_cpu_us: float
    problems: list[str] = msgspec.field(default_factory=list)


class MeasuredPair:
    """Two clients in one room."""

    def __init__(self, players: tuple[Connection, Connection], room: int, seed: int) -> None:
        self.players = players
        self.room = room
        self.times: list[float] = []
        self.cpu_us = 0.0
        self._draw = random.Random(seed)

    async def play(self, count: int) -> None:
        """Play so many moves, one after the other, in as many matches as that takes."""
        while count > 0:
            for player in self.players:
                await player.ready(self.room)
            states = [await self._next(player, -1) for player in self.players]
            while states[0].result is None and count > 0:
                mover = next(n for n, state in enumerate(states) if state.legal)
                state, count = states[mover], count - 1
                action = self._draw.choice(state.legal or ())
                began = time.perf_counter()
                await self.players[mover].play(state.match, state.turn, action)
                self.times.append(1000 * (time.perf_counter() - began))
                states = [await self._next(player, state.turn) for player in self.players]
            if states[0].result is None:
                await self.players[0].resign(states[0].match)
                for player in self.players:
                    while (await self._next(player, -1)).result is None:
                        pass

    async def _next(self, player: Connection, turn: int) -> MatchState:
        """The next state of a match in which `turn` is answered."""
        async for message in player:
            if isinstance(message, MatchState) and message.turn > turn:
                return message
        raise AssertionError(f"a connection is lost: {player.reason}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe `plyhouse bench forwarding`."""
    parser.add_argument("--moves", type=int, default=1_000, help="of each kind (default 1000)")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Do it and print the report."""
    if args.moves < 10:
        return complain("forwarding", "at least 10 moves")
    trial = partial(carry_out, args.moves)
    return tried("forwarding", LIMIT_S, trial, None if args.json else show)


async def carry_out(moves: int, folder: Path) -> ForwardingReport:
    """Play at the owner and through the other server, in turns."""
    async with two_servers(folder) as cluster, asyncio.timeout(LIMIT_S):
        await cluster.start()
        direct, forwarded = await _measure(cluster, moves)
    return ForwardingReport(
        moves=len(direct.times),
        direct_p50=statistics.median(direct.times),
        direct_p99=statistics.quantiles(direct.times, n=100)[98],
        forwarded_p50=statistics.median(forwarded.times),
        forwarded_p99=statistics.quantiles(forwarded.times, n=100)[98],
        direct_cpu_us=direct.cpu_us / len(direct.times),
        forwarded_cpu_us=forwarded.cpu_us / len(forwarded.times),
    )


async def _measure(cluster: ClusterProcesses, moves: int) -> tuple[MeasuredPair, MeasuredPair]:
    owner, other = map(str, cluster.network.addresses)
    opener = await connect(owner)
    pairs = [await _sit(opener, address, seed) for seed, address in enumerate((owner, other))]
    for _ in range(10):
        for pair in pairs:
            before = _cpu_us(cluster)
            await pair.play(moves // 10)
            pair.cpu_us += _cpu_us(cluster) - before
    for pair in pairs:
        for player in pair.players:
            await player.close()
    await opener.close()
    return pairs[0], pairs[1]


def _cpu_us(cluster: ClusterProcesses) -> float:
    """The processor time of both servers so far."""
    return sum(cpu_us(server.pid) for server in cluster.servers)


async def _sit(opener: Connection, address: str, seed: int) -> MeasuredPair:
    """Seat two players who are connected to this address in a room of the opener's server."""
    room = (await opener.create(GAME, seat=None)).room
    players = (await connect(address), await connect(address))
    for player in players:
        await player.join(room)
    return MeasuredPair(players, room, seed)


def show(report: ForwardingReport) -> None:
    """Print the report for people."""
    print(f"{report.moves} moves of each kind; {report.place}")
    print(
        f"at the owner:            p50 {report.direct_p50:.2f} ms, p99 {report.direct_p99:.2f} ms"
    )
    far_p50, far_p99 = report.forwarded_p50, report.forwarded_p99
    print(f"through another server:  p50 {far_p50:.2f} ms, p99 {far_p99:.2f} ms")
    more, ratio = far_p50 - report.direct_p50, far_p50 / report.direct_p50
    cpu = report.forwarded_cpu_us, report.direct_cpu_us
    print(f"processor time of both servers: {cpu[1]:.0f} us a move, forwarded {cpu[0]:.0f} us")
    print(f"forwarding: {more:+.2f} ms at the median ({ratio:.2f}x)")
