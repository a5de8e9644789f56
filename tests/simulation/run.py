"""One run: a house, its players and its faults, all from one seed.

    simulate(17)                the run of seed 17, and what was wrong with it
    simulate(17, keep={1, 4})   the same with two of its faults only

A run plays for some minutes while things go wrong, then all is mended, players only end the
matches that they are in, and all go.  Whatever is to hold is looked at on the way (story.py) and at
the end.  The same seed makes the same run, byte for byte, in any process: time, secrets and chance
are the loop's own as long as it lasts.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import random
import secrets
import string
import sys
import time
from collections.abc import Callable, Collection, Iterator
from typing import Any, NamedTuple

from protocol.parts import ClockOptions, Options
from server.config import Config
from server.rooms.peers import Peer
from tests.simulation import faults
from tests.simulation.faults import Fault
from tests.simulation.ladders import BOTS, LadderBot, LadderOwner, Standings
from tests.simulation.log import Disk
from tests.simulation.loop import Host, SimulatedLoop
from tests.simulation.network import Network
from tests.simulation.players import Onlooker, Player, Table
from tests.simulation.server import Server
from tests.simulation.story import Story, Wrong

GAMES = ("tic_tac_toe",) * 6 + ("connect_four",) * 3 + ("ultimate_tic_tac_toe",)
CLOCKS = (
    None, ClockOptions(base_ms=30_000), ClockOptions(base_ms=60_000, increment_ms=2_000),
    ClockOptions(per_move_ms=20_000), ClockOptions(base_ms=180_000, begin_ms=0),
)  # fmt: skip
ENDING_S = 240.0  # for the matches that are on when all is mended
UNANSWERED_S = 120.0  # after which a request whose line is up is not going to be answered


class Report(NamedTuple):
    """What came of a run."""

    seed: str
    failure: str | None
    digest: str
    messages: int
    plays: int
    calls: int
    faults: list[Fault]  # all of this seed's
    kept: list[int]  # the numbers of those that happened


class World:
    """All of it, with one server; one with several is cluster/world.py."""

    loop_type: type[SimulatedLoop] = SimulatedLoop
    story_type: type[Story] = Story
    has_ladder = True

    def __init__(self, seed: str, minutes: float, tables: int, trace: Any) -> None:
        self.seed = seed
        self.loop = self.loop_type(seed)
        self.disk = self.make_disk()
        self.story = self.story_type(self.disk, trace)
        self.network = Network(seed, self.loop, self.story)
        self.seconds = 60 * minutes
        self.config = Config(inbox=8)
        self.server: Server | None = None
        self.servers = 0
        self.ahead = 0.0
        self.down_since: float | None = None
        self.hurries = False  # matches that are on are ended, and none is begun
        self.is_over = False
        rng = random.Random(f"{seed} world")
        pace = rng.choice((8.0, 15.0, 30.0))
        self.tables = [
            Table(
                n, rng.choice(GAMES), Options(clock=rng.choice(CLOCKS), public=rng.random() < 0.8)
            )
            for n in range(tables)
        ]
        self.players = [
            Player(self, 2 * table.number + seat, table, seat, pace * (0.3 + 1.4 * rng.random()))
            for table in self.tables
            for seat in (0, 1)
        ]
        self.players += [
            Onlooker(self, 2 * tables + n, self.tables[0], 0, 30.0) for n in range(1 + tables // 10)
        ]
        self.errors = Errors()
        if self.has_ladder:
            self.story.standings = Standings(self.disk)
            first = len(self.players)
            self.players.append(LadderOwner(self, first))
            self.players += [LadderBot(self, first + n) for n in range(1, BOTS + 1)]

    def make_disk(self) -> Any:
        """Return what is durable."""
        return Disk(self.seed, self.loop)

    def draw_faults(self) -> list[Fault]:
        """Return what goes wrong, in order."""
        return faults.draw(self.seed, self.seconds)

    def replaced(self) -> list[tuple[Any, str, Any]]:
        """Return what else is the run's own: of which module or class, its name, what it is."""
        return [(Peer, "__hash__", lambda peer: peer.transport.number)]

    def server_at(self, player: Player, url: str | None) -> Any:
        """Return the server that a player comes to, who was sent to `url` perhaps."""
        return self.server

    async def run(self, plan: list[Fault]) -> None:
        """Let it happen."""
        loop, began = self.loop, self.loop.now
        self.open_server()
        tasks = [self._begin(player) for player in self.players]
        for fault in plan:
            loop.call_at(began + fault.at, self._strike, fault)
        for until in range(10, int(self.seconds) + 1, 10):
            await asyncio.sleep(began + until - loop.now)
            self.look()
        await self._mend()
        self.hurries = True
        deadline = loop.now + ENDING_S
        while loop.now < deadline and not self._all_ended():
            await asyncio.sleep(1.0)
            self.look()
        if not self._all_ended():
            raise Wrong(f"a match has not ended: {self._unended()}")
        await asyncio.sleep(5.0)
        self._check_shown_to_the_end()
        if self.has_ladder:
            self.story.standings.check(self.server)
        self.is_over = True
        await asyncio.sleep(UNANSWERED_S)
        self.look()
        for player, task in zip(self.players, tasks, strict=True):
            if not player.is_done:
                raise Wrong(f"{player.host.name} waits for ever, having begun to {player.doing}")
            assert task is not None
        self._check_gone()

    def _begin(self, player: Player) -> list[Any]:
        holder: list[Any] = []

        def begin() -> None:
            task = self.loop.create_task(player.live())
            task.add_done_callback(self._ended)
            holder.append(task)

        self.loop.soon(player.host, begin)
        return holder

    def _ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self.loop.failures.append({"message": "a player failed", "exception": error})

    # ------------------------------------------------------------ servers

    def open_server(self) -> None:
        """Have a server there from now on."""
        self.servers += 1
        server = Server(f"s{self.servers}", self.loop, self.disk, self.config, self.ahead)
        self.server = server
        self.loop.soon(server.host, server.start)
        if self.down_since is not None:
            self.story.away.append((self.down_since, self.loop.now))
            self.down_since = None

    def _reopen(self) -> None:
        if self.server is not None and self.server.host.is_over:
            self.open_server()

    def _strike(self, fault: Fault) -> None:
        """Have something go wrong."""
        self.story.note(f"fault {fault}")
        loop, server, lasts = self.loop, self.server, fault.lasts
        assert server is not None
        match fault.kind:
            case "kill" | "power":
                if not server.host.is_over:
                    self.down_since = loop.now
                    server.die(fault.kind == "power")
                    loop.call_later(0.2 + min(lasts, 40.0), self._reopen)
            case "stop":
                if not server.host.is_over and server.is_listening:
                    self.down_since = loop.now
                    loop.soon(server.host, lambda: loop.create_task(server.stop()))
                    loop.call_later(10.0 + min(lasts, 40.0), self._reopen)
            case "pause":
                if not server.host.is_over and not server.host.is_stopped:
                    loop.stop_host(server.host)
                    since = loop.now
                    loop.call_later(lasts, self._wake, server.host, since)
            case "slow_disk":
                self.disk.delay_s = lasts / 20
                loop.call_later(lasts, self._restore_disk)
            case "full_disk":
                self.disk.fails = True
                loop.call_later(lasts, self._restore_disk)
            case "clock_ahead" | "clock_back":
                self.ahead += lasts * (60 if fault.kind == "clock_ahead" else -20)
                server.host.ahead = self.ahead
            case _:
                self.strike_client(fault)

    def strike_client(self, fault: Fault) -> None:
        """Have something go wrong with a player's machine, or between it and the servers."""
        loop, lasts = self.loop, fault.lasts
        player = self.players[fault.who % len(self.players)]
        lines = [line for line in self.network.lines.values() if line.client is player.host]
        match fault.kind:
            case "client_sleeps":
                if not player.host.is_stopped:
                    loop.stop_host(player.host)
                    loop.call_later(lasts, self._wake, player.host, None)
            case "cut":
                for line in lines:
                    line.cut()
            case "half_cut":
                for line in lines:
                    line.cut(client=fault.who % 2 == 0, server=fault.who % 2 == 1)
            case "cut_all":
                for line in list(self.network.lines.values()):
                    line.cut()
            case "shut_up" | "shut_down" | "shut_both":
                for up in (True, False):
                    if fault.kind in ("shut_both", "shut_up" if up else "shut_down"):
                        self.network.set_shut(player.host.name, up, True)
                        loop.call_later(lasts, self.network.set_shut, player.host.name, up, False)
            case "slow":
                self.network.set_slow(player.host.name, 0.05 + lasts / 10)
                loop.call_later(3 * lasts, self.network.set_slow, player.host.name, 0.0)
            case _:
                raise AssertionError(fault.kind)

    def _wake(self, host: Host, since: float | None) -> None:
        if host.is_stopped and not host.is_over:
            self.loop.wake_host(host)
            if since is not None:
                self.story.away.append((since, self.loop.now))

    def _restore_disk(self) -> None:
        self.disk.delay_s, self.disk.fails = 0.0, False

    async def _mend(self) -> None:
        """Have nothing go wrong any more."""
        self.story.note("all is mended")
        self._restore_disk()
        self.mend_clients()
        await asyncio.sleep(130.0)  # what was begun comes to its end: pauses, starts
        self._restore_disk()
        self._reopen()

    def mend_clients(self) -> None:
        """Have all players be there, and be reached."""
        for player in self.players:
            self.network.set_slow(player.host.name, 0.0)
            for up in (True, False):
                self.network.set_shut(player.host.name, up, False)
            self._wake(player.host, None)

    # ------------------------------------------------------------ what has to hold

    def look(self) -> None:
        """Hold what can be seen from outside at any time."""
        for failure in self.loop.failures:
            error = failure.get("exception")
            raise error if isinstance(error, Wrong) else Wrong(f"{failure}") from error
        if self.errors.found:
            raise Wrong(self.errors.found[0])
        now = self.loop.now
        for player in self.players:
            waits = player.since is not None and now - player.since > 3 * UNANSWERED_S
            if waits and self.hurries and player.connection is not None:
                raise Wrong(
                    f"{player.host.name} was never answered, having begun to {player.doing}"
                )
        self.look_at_servers()

    def look_at_servers(self) -> None:
        """Hold what each keeps against what it may."""
        self.look_at(self.server)
        server = self.server
        if server is not None and server.is_listening and server.log.is_stuck():
            raise Wrong("an append waits, and nothing is being written")

    def look_at(self, server: Any) -> None:
        """Hold what one keeps against what it may."""
        if server is None or server.host.is_over or not server.is_listening:
            return
        if server.most_waiting > self.config.inbox:
            raise Wrong(f"{server.most_waiting} requests have waited in one room")
        if len(server.hub.peers) > 3 * len(self.players) + 200:
            raise Wrong(f"the hub has {len(server.hub.peers)} connections")

    def _unended(self) -> list[str]:
        assert self.server is not None
        if not self.server.is_listening:
            return ["no server"]
        rooms = self.server.hub.rooms
        return [
            actor.room.match.name
            for actor in rooms.actors.values()
            if actor.room.match is not None and actor.room.match.result is None
        ] + [f"room {number}" for number in rooms.unloaded]

    def _all_ended(self) -> bool:
        return not self._unended()

    def _check_shown_to_the_end(self) -> None:
        """All goes on, and everybody who sits in a room has seen how its last match has ended."""
        assert self.server is not None
        still = [n for n, actor in self.server.hub.rooms.actors.items() if actor.stalled]
        if still or self.server.outage.lasts:
            raise Wrong(f"the log can be written, and rooms {still} stand still")
        for player in self.players:
            connection = player.connection
            if connection is None or not connection.linked:
                raise Wrong(f"{player.host.name} has no connection, though all is well")
            for number, state in player.replica.rooms.items():
                actor = self.server.hub.rooms.actors.get(number)
                if actor is None or actor.room.match is None or state.state == "closed":
                    continue
                sits = any(
                    seat is not None and seat.name == connection.name for seat in actor.room.seats
                )
                shown = player.replica.matches.get(actor.room.match.name)
                if sits and (shown is None or shown.result is None):
                    raise Wrong(
                        f"{player.host.name} was not shown the end of {actor.room.match.name}"
                    )

    def _check_gone(self) -> None:
        """Nothing is kept of those who have gone."""
        assert self.server is not None
        hub = self.server.hub
        if hub.peers or self.server.ends:
            raise Wrong(f"{len(hub.peers)} connections are left of those who have gone")
        if any(presence.links for presence in hub.lobby.present.values()):
            raise Wrong("somebody is here who has gone")


class Errors(logging.Handler):
    """What a server complains about: nothing but that its disk fails is to be expected here."""

    def __init__(self, expected: Collection[str] = ("not stored", "no recovery")) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []
        self.expected = expected

    def emit(self, record: logging.LogRecord) -> None:
        """Keep what is a bug."""
        text = record.getMessage()
        if record.exc_info is not None or not any(words in text for words in self.expected):
            self.found.append(self.formatter.format(record) if self.formatter else text)


@contextlib.contextmanager
def _of_the_loop(world: World) -> Iterator[None]:
    """Have time, secrets and the server's words be the loop's as long as this lasts."""
    loop, rng = world.loop, random.Random(f"{world.seed} secrets")
    letters = string.ascii_letters + string.digits
    replaced: list[tuple[Any, str, Any]] = [
        (time, "time", loop.wall), (time, "monotonic", loop.time),
        (time, "perf_counter_ns", lambda: int(loop.now * 1e9)), (time, "thread_time", loop.time),
        (secrets, "token_bytes", lambda size=32: rng.randbytes(size)),
        (secrets, "token_urlsafe", lambda size=32: "".join(rng.choices(letters, k=size * 4 // 3))),
        (secrets, "choice", rng.choice), (secrets, "randbelow", rng.randrange),
        (secrets, "randbits", rng.getrandbits),
        *world.replaced(),  # sets of connections would be in the order of their places in memory
    ]  # fmt: skip
    real = [getattr(place, name) for place, name, _ in replaced]
    log = logging.getLogger("plyhouse")
    before = log.handlers[:], log.propagate, log.level
    world.errors.setFormatter(logging.Formatter("%(message)s"))
    log.handlers, log.propagate = [world.errors], False
    log.setLevel(logging.ERROR)
    was_on = gc.isenabled()
    gc.disable()
    try:
        for place, name, value in replaced:
            setattr(place, name, value)
        yield
    finally:
        for (place, name, _), value in zip(replaced, real, strict=True):
            setattr(place, name, value)
        log.handlers, log.propagate = before[:2]
        log.setLevel(before[2])
        if was_on:
            gc.enable()


def simulate(
    seed: int | str,
    *,
    minutes: float = 10.0,
    tables: int = 20,
    keep: Collection[int] | None = None,
    trace: Any = None,
    history: Any = None,
    world: Callable[[str, float, int, Any], World] = World,
) -> Report:
    """Run a seed in a `world`.

    `keep`: the numbers of the faults that are to happen, None: all; `trace`: a text file that gets
    all that was said; `history`: one that gets the plays as history.py writes them.
    """
    with _unheard():
        house = world(str(seed), minutes, tables, trace)
        report = _simulate(house, keep)
        if history is not None:
            house.story.history.write(history)
        del house
        gc.collect()  # of what a run has left behind, some waits for what never comes
        logging.disable(logging.NOTSET)
    return report


@contextlib.contextmanager
def _unheard() -> Iterator[None]:
    """Let no word be said of tasks that go while they wait."""
    hook, sys.unraisablehook = sys.unraisablehook, lambda _: None
    try:
        yield
    finally:
        sys.unraisablehook = hook


def _simulate(world: World, keep: Collection[int] | None) -> Report:
    drawn = world.draw_faults()
    kept = [number for number in range(len(drawn)) if keep is None or number in keep]
    failure, plays = None, 0
    with _of_the_loop(world):
        try:
            world.loop.run_until_complete(world.run([drawn[number] for number in kept]))
            plays = world.story.check_log()
        except Wrong as wrong:
            failure = str(wrong)
        finally:
            _bury(world)
    digest = world.story.digest.hexdigest()
    return Report(
        world.seed, failure, digest, world.story.messages, plays, world.loop.calls_made, drawn, kept
    )


def _bury(world: World) -> None:
    """End what a run has left: tasks that wait for what never comes are no failures."""
    world.loop.set_exception_handler(lambda _, what: None)
    for task in asyncio.all_tasks(world.loop):
        task._log_destroy_pending = False  # type: ignore[attr-defined]
    world.loop.close()
    logging.disable()  # until all of it is gone: see `simulate`
