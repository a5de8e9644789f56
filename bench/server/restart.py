"""`plyhouse bench restart`: a server starts over a house full of open matches.

The house was closed in peace; after the figures the server is killed, and starts over the same.

A few matches are played in a server without sockets, and what it stores of them is copied under
other numbers and names until there are as many rooms as were asked for.  Measured is how long the
port stays closed, when a player has the welcome and the match, how much processor time it takes
until all rooms are read, and what `create` and the list of the lobby cost there.
"""

from __future__ import annotations

import argparse
import asyncio
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgpack
from rich.console import Console

from bench.server.server import UNLIMITED
from bench.support.process import MeasuredServer, cores, cpu_us
from bench.support.report import (
    Report,
    Spread,
    complain,
    output,
    progress,
    slim_table,
    spread,
)
from bench.support.wire import Wire, WireError
from bots.arena.local_server import ServerFailed
from protocol import messages
from protocol.messages import Create, Hello, Leave, Lobby, LobbyList, MatchState, RoomState, Welcome
from protocol.parts import Options
from server.core.session import hash_token
from server.store import open_store
from server.store.contract import EventRow, PastRow, RoomRow, Row, SessionRow, Store
from tests.server.memory_store import MemoryStore
from tests.server.scene import BLITZ, Scene

HOST: Final = "127.0.0.1"
PLIES: Final = "15376284"  # a match that goes on: the ninth ply would end it in a draw
WITH_WHO: Final = frozenset({"created", "joined", "started"})  # events that name players
CHUNK: Final = 20_000  # rows of an append
QUIET_S: Final = 0.5  # without work, and the server has read all
ASKED: Final = 200  # times that `create` and the list are asked for
SETTINGS: Final = {**UNLIMITED, "rooms": 10**9, "lobby_every_ms": 1, "frames_per_second": 10**9}


class RestartReport(Report, kw_only=True):
    """What a start costs; seconds, but for `create_us` and `list_us`: microseconds of CPU."""

    rooms: int
    matches: int
    open_s: Spread
    killed_open_s: Spread
    welcome_s: Spread
    open_cpu_s: Spread
    all_cpu_s: Spread
    memory_mb: Spread
    create_us: Spread
    list_us: Spread


class Round(NamedTuple):
    """The figures of one start, as in RestartReport."""

    open_s: float
    killed_open_s: float
    welcome_s: float
    open_cpu_s: float
    all_cpu_s: float
    memory_mb: float
    create_us: float
    list_us: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of `plyhouse bench restart`."""
    parser.add_argument(
        "--rooms", type=int, default=1_000, help="open rooms with a match under way"
    )
    parser.add_argument("--matches", type=int, default=1, help="matches of each, the last included")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")


def run(args: argparse.Namespace) -> int:
    """Measure and report; 2 if nothing could be measured."""
    if min(args.rooms, args.matches, args.rounds) < 1:
        return complain("restart", "rooms, matches and rounds are 1 or more")
    try:
        with tempfile.TemporaryDirectory(prefix="plyhouse-bench-") as folder:
            report = measure(Path(folder), args.rooms, args.matches, args.rounds)
    except (ServerFailed, WireError, OSError) as error:
        return complain("restart", error)
    output(report, args.json, show)
    return 0


def measure(folder: Path, rooms: int, matches: int, rounds: int) -> RestartReport:
    """Fill a house and start it again and again.

    Raises:
        ServerFailed, WireError, OSError: where there is no /proc, too.
    """
    full = folder / "full"
    asyncio.run(_fill_file(full, rooms, matches))
    _opened_after(MeasuredServer(folder / "empty"))  # compiles the modules
    figures = []
    for number in range(rounds):
        data = folder / "data"
        shutil.copytree(full, data)
        figures.append(_round(data))
        shutil.rmtree(data)
        progress(f"start {number + 1}: port open after {figures[-1].open_s:.2f} s")
    spreads = [spread(values) for values in zip(*figures, strict=True)]
    open_s, killed_open_s, welcome_s, open_cpu_s, all_cpu_s, memory_mb, create_us, list_us = spreads
    return RestartReport(
        rooms=rooms, matches=matches, open_s=open_s, killed_open_s=killed_open_s,
        welcome_s=welcome_s, open_cpu_s=open_cpu_s, all_cpu_s=all_cpu_s, memory_mb=memory_mb,
        create_us=create_us, list_us=list_us,
    )  # fmt: skip


# ------------------------------------------------------------ a house that is full


class Recorded(MemoryStore):
    """A log in memory that keeps all rows as they were appended."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Row] = []

    def append(self, rows: list[Row], done: Any) -> None:
        """As the contract says."""
        self.rows += rows
        super().append(rows, done)


async def _fill_file(data: Path, rooms: int, matches: int) -> None:
    store = open_store(data)
    await fill(store, rooms, matches)
    store.close()


async def fill(store: Store, rooms: int, matches: int) -> None:
    """Make the log of a house with so many open rooms, in each of which two are at a match.

    They are the sessions 2n - 1 and 2n of room n, with the tokens that `token_of` tells.
    """
    pattern = _played(matches)
    waiting: list[Row] = []
    for room in range(1, rooms + 1):
        waiting += _copied(pattern, room)
        if len(waiting) >= CHUNK or room == rooms:
            await _append(store, waiting)
            waiting = []
    progress(f"{rooms} rooms are stored, of {len(pattern)} rows each")


def _played(matches: int) -> list[Row]:
    """Return the rows of one room, of two players who have played this many matches in it."""
    store = Recorded()
    scene = Scene(store=store)
    at = scene.match(options=BLITZ)
    players = {0: at.ann, 1: at.bob}
    for number in range(1, matches + 1):
        at.name, at.turn = f"{at.room}.{number}", scene.rooms.actors[at.room].room.seq
        for action in PLIES:
            match = _match(scene, at.room)
            mover = next(
                p for p in players.values()
                if match.players[match.position.to_move].same(p.peer.who)
            )  # fmt: skip
            at.turn = match.turn
            mover.say(at.play(action))
            scene.wait(3_000)
        if number == matches:
            break
        at.ann.say(messages.Resign(match=at.name))
        for player in players.values():
            player.say(messages.Ready(room=at.room))
            player.transport.frames.clear()
    scene.close()
    return store.rows


def _match(scene: Scene, room: int) -> Any:
    return scene.rooms.actors[room].room.match


def token_of(number: int) -> str:
    """Return the token of a session of the house that is full."""
    return f"token-{number}"


def _copied(pattern: Sequence[Row], room: int) -> Iterator[Row]:
    """Yield the rows of a room as those of another one, with players of its own."""
    first = 2 * room - 1
    for row in pattern:
        if isinstance(row, EventRow):
            body = _renamed(row.body, first) if row.kind in WITH_WHO else row.body
            yield row._replace(room=room, body=body)
        elif isinstance(row, SessionRow):
            number = first + row.number - 1
            yield row._replace(number=number, name=f"p{number}", token=hash_token(token_of(number)))
        elif isinstance(row, RoomRow):
            yield row._replace(number=room, body=_renamed(row.body, first))
        elif isinstance(row, PastRow):
            one, two = first + row.one - 1, first + row.two - 1
            yield row._replace(room=room, one=one, one_name=f"p{one}", two=two, two_name=f"p{two}")


def _renamed(body: bytes, first: int) -> bytes:
    """Return the body of an event with other players in the place of ann and bob."""

    def rename(value: Any) -> Any:
        if isinstance(value, list):
            if len(value) >= 2 and value[1] in ("ann", "bob"):
                number = first + value[0] - 1
                return [number, f"p{number}", *value[2:]]
            return [rename(item) for item in value]
        if isinstance(value, dict):
            return {key: rename(item) for key, item in value.items()}
        return value

    return bytes(msgpack.packb(rename(msgpack.unpackb(body))))


async def _append(store: Store, rows: list[Row]) -> None:
    done = asyncio.get_running_loop().create_future()
    store.append(rows, done.set_result)
    if (error := await done) is not None:
        raise OSError(str(error))


# ------------------------------------------------------------ a start


def _round(data: Path) -> Round:
    server = MeasuredServer(data, SETTINGS, core=cores()[0])
    began = time.perf_counter()
    server.start()
    try:
        open_s = time.perf_counter() - began
        open_cpu = cpu_us(server.pid)
        wire = Wire(HOST, server.port)
        wire.ask(Hello(version=1, token=token_of(1)), Welcome)
        wire.wait_for(MatchState)
        welcome_s = time.perf_counter() - began
        all_cpu = _settled(server.pid)
        memory = (server.memory() or 0) / 1e6
        create_us, list_us = _asked(server)
        wire.close()
    finally:
        server.kill()
    killed_open_s = _opened_after(server)
    return Round(
        open_s, killed_open_s, welcome_s, open_cpu / 1e6, all_cpu / 1e6, memory, create_us, list_us
    )


def _opened_after(server: MeasuredServer) -> float:
    """Start a server and stop it, and return after how many seconds its port was open."""
    began = time.perf_counter()
    server.start()
    took = time.perf_counter() - began
    server.stop()
    return took


def _settled(pid: int) -> float:
    """Wait until a server has nothing to do, and return its processor time so far, in us."""
    while True:
        before = cpu_us(pid)
        time.sleep(QUIET_S)  # another process tells nobody that it rests; its CPU time does
        after = cpu_us(pid)
        if after - before < QUIET_S * 1e6 / 50:
            return before


def _asked(server: MeasuredServer) -> tuple[float, float]:
    """Return what it costs to open and leave a room, and what a new list costs beside that."""
    alone = _rooms_opened(server.pid, server.port)
    follower = Wire(HOST, server.port)
    follower.hello()
    follower.ask(Lobby(id=1, follow=True), LobbyList)
    follower.go()
    followed = _rooms_opened(server.pid, server.port)
    follower.close()
    return alone, max(0.0, followed - alone)


def _rooms_opened(pid: int, port: int) -> float:
    wire = Wire(HOST, port)
    wire.hello(f"host{secrets.randbelow(10**6)}")
    before = cpu_us(pid)
    for number in range(ASKED):
        room = wire.ask(Create(id=number, game="tic_tac_toe", options=Options()), RoomState).room
        wire.ask(Leave(id=number, room=room), messages.Ok)
        time.sleep(0.004)  # longer than `lobby_every_ms`: each has a list of its own
    cost = (cpu_us(pid) - before) / ASKED
    wire.close()
    return cost


def show(report: RestartReport) -> None:
    """Print the report for people."""
    table = slim_table(
        f"{report.rooms} rooms, {report.matches} matches each", [""], ["median", "low", "high"]
    )
    for name in Round._fields:
        value: Spread = getattr(report, name)
        table.add_row(name, f"{value.median:,.3f}", f"{value.low:,.3f}", f"{value.high:,.3f}")
    console = Console()
    console.print(table)
    console.print(f"{report.place}.")
