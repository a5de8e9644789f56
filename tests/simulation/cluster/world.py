"""Three servers on one database, with everything that can happen to them, from one seed.

    simulate(17, world=ClusterWorld)

What is the product's own here: server/cluster whole, with its lines, leases, take-overs and
hand-overs, hub, rooms and sessions of each server, and what writes to the database.  Simulated are
what carries bytes (wires.py), the database (database.py, tables.py) and, as with one server, time,
clients' machines and the network between these and the servers.
"""

from __future__ import annotations

import asyncio
import random
from typing import Any

from server.cluster.lines import ServerLine
from server.rooms.peers import Peer
from tests.simulation.cluster import faults, tables
from tests.simulation.cluster.database import KEPT_ALIVE_S, Database
from tests.simulation.cluster.server import ClusterServer, url_of
from tests.simulation.cluster.story import ClusterStory
from tests.simulation.cluster.wires import ClusterLoop, Machine
from tests.simulation.faults import Fault
from tests.simulation.players import Player
from tests.simulation.run import Errors, World
from tests.simulation.story import Wrong

EXPECTED = (
    "not stored", "no recovery", "cannot be read", "has taken over", "have taken over",
    "does not reach the database", "another server has it, too", "reads wait",
)  # fmt: skip
SETTLE_S = 10.0  # in which all servers know the same once nothing happens any more


class ClusterWorld(World):
    """All of it."""

    loop_type = ClusterLoop
    story_type = ClusterStory
    has_ladder = False
    loop: ClusterLoop
    story: ClusterStory

    def __init__(
        self, seed: str, minutes: float, tables: int, trace: Any, servers: int = 3
    ) -> None:
        super().__init__(seed, minutes, tables, trace)
        self.rng = random.Random(f"{seed} cluster")
        self.errors = Errors(EXPECTED)
        self.machines = [Machine(f"s{n}") for n in range(1, servers + 1)]
        self.loop.machines = {machine.name: machine for machine in self.machines}
        self.running: dict[str, ClusterServer] = {}
        self.ahead_of = dict.fromkeys(self.loop.machines, 0.0)
        self.down: set[str] = set()  # machines on which nothing is begun for now
        self.shut: list[tuple[str, str]] = []
        self.is_mended = False

    def make_disk(self) -> Any:
        """Return the database's tables."""
        self.wires = self.loop.wires
        self.database = Database(self.seed, self.wires)
        self.database.tables.gone = self._gone
        return self.database.tables

    def draw_faults(self) -> list[Fault]:
        """See faults.py."""
        return faults.draw(self.seed, self.seconds)

    def replaced(self) -> list[tuple[Any, str, Any]]:
        """See World: also what makes SQL of rows, and what waits at random."""
        from server.admin import house
        from server.store.postgres import writing

        uniform = random.Random(f"{self.seed} waits").uniform
        return [
            (Peer, "__hash__", lambda peer: peer.transport.number),
            (ServerLine, "__hash__", lambda line: int.from_bytes(line.own.nonce[:4])),
            (writing, "statement", tables.statement),
            (random, "uniform", uniform),
            (house, "read_tokens", lambda path: {}),
            (house.whole_file, "write", lambda *_, **__: None),
        ]

    # ------------------------------------------------------------ servers

    def open_server(self) -> None:
        """Have all be there."""
        for machine in self.machines:
            self._start(machine)

    def _start(self, machine: Machine) -> None:
        now = self.running.get(machine.name)
        if machine.name in self.down or (now is not None and not now.has_ended):
            return
        self.servers += 1
        machine.is_off = False
        server = ClusterServer(self, machine, self.servers, self.ahead_of[machine.name])
        self.running[machine.name] = server
        self.wires.reset_left(machine)
        self.loop.soon(server.host, server.start)

    def left(self, server: ClusterServer, wait_s: float) -> None:
        """A run has come to its end by itself; another is begun in a while."""
        self.story.note(f"{server.host.name} has ended")
        self.loop.soon(self.loop.world, self._end_run, server)
        self.loop.at(self.loop.world, self.loop.now + wait_s, self._start, server.machine)

    def _end_run(self, server: ClusterServer) -> None:
        if not server.host.is_over:
            self.loop.end_host(server.host)
            self.wires.end_process(server.host, False)
            server.machine.listens.clear()
            for end in list(server.ends.values()):
                end.line.cut(server=False)

    def _restart(self, machine: Machine) -> None:
        self.down.discard(machine.name)
        self._start(machine)

    def server_at(self, player: Player, url: str | None) -> Any:
        """Return where a player was sent, or any server, as by a balancer."""
        by_url = {url_of(server.machine): server for server in self.running.values()}
        if url is not None:
            return by_url.get(url)
        return player.rng.choice(list(self.running.values()))

    def _gone(self, node: str) -> None:
        """A member was deleted: while it was not there, no clock ran in its rooms."""
        server = next((s for s in self.running.values() if s.id == node), None)
        since = server.stopped_at if server is not None else self.died_at.get(node)
        if since is not None:
            self.story.was_away(self._rooms_of(node), since, self.loop.now)

    @property
    def died_at(self) -> dict[str, float]:
        """When runs that have ended were killed."""
        return self.__dict__.setdefault("_died_at", {})

    def _rooms_of(self, node: str) -> list[int]:
        return [n for n, owner in self.database.tables.room_owner.items() if owner == node]

    # ------------------------------------------------------------ faults

    def _strike(self, fault: Fault) -> None:
        """Have something go wrong."""
        if fault.kind in faults.CLIENTS:
            self.story.note(f"fault {fault}")
            self.strike_client(fault)
            return
        machine = self.machines[fault.who % len(self.machines)]
        other = self.machines[(fault.who + 1 + fault.who // 7 % 2) % len(self.machines)]
        self.story.note(f"fault {fault}: {machine.name}, {other.name}")
        lasts, server = fault.lasts, self.running[machine.name]
        match fault.kind:
            case "kill" | "vanish":
                self._kill(server, fault.kind == "vanish", lasts)
            case "stop" | "drain":
                if server.is_listening and not server.host.is_over:
                    act = server.stops.set if fault.kind == "stop" else server.drain
                    self.loop.soon(server.host, act)
            case "pause" | "doze":
                self._pause(server, lasts if fault.kind == "pause" else 2.0 + lasts % 4)
            case "clock_ahead" | "clock_back":
                ahead = lasts * (60 if fault.kind == "clock_ahead" else -20)
                self.ahead_of[machine.name] += ahead
                self.ahead = max(self.ahead, *map(abs, self.ahead_of.values()))
                server.host.ahead = self.ahead_of[machine.name]
            case "break_lines":
                self.wires.break_off(machine, other)
            case "part_one_way":
                self._shut([(machine.name, other.name)], lasts)
            case "part":
                self._shut(_both(machine.name, other.name), lasts)
            case "alone":
                others = [m.name for m in self.machines if m is not machine] + ["db"]
                self._shut([pair for o in others for pair in _both(machine.name, o)], lasts)
            case _:
                self._strike_database(fault.kind, machine, lasts)

    def _strike_database(self, kind: str, machine: Machine, lasts: float) -> None:
        database = self.database
        match kind:
            case "break_database":
                self.wires.break_off(machine, database.machine)
            case "mute_database":
                self._shut([("db", machine.name)], lasts)
            case "deaf_database":
                self._shut([(machine.name, "db")], lasts)
            case "lose_database":
                self._shut(_both(machine.name, "db"), lasts)
            case "slow_database":
                database.delay_s = lasts / 20
                self.loop.call_later(lasts, self._restore_disk)
            case "fall_of_database":
                if database.is_up:
                    database.fall()
                    self.loop.call_later(min(lasts, 20.0), database.rise)
            case _:
                raise AssertionError(kind)

    def _kill(self, server: ClusterServer, silently: bool, lasts: float) -> None:
        if server.host.is_over:
            return
        backends = self.database.backends.values()
        left = [each for each in backends if each.end_.other.host is server.host]
        server.die(silently)
        if server.id and server.stopped_at is not None:
            self.died_at[server.id] = server.stopped_at
        if silently:  # the database asks now and then whether they are there
            late = min(KEPT_ALIVE_S, 0.2 + lasts + 10 * self.rng.random())
            for backend in left:
                self.loop.call_later(late, backend.end, False)
        self.down.add(server.machine.name)
        self.loop.call_later(0.2 + min(lasts, 40.0), self._restart, server.machine)

    def _pause(self, server: ClusterServer, lasts: float) -> None:
        if server.host.is_over or server.host.is_stopped:
            return
        self.loop.stop_host(server.host)
        server.stopped_at = self.loop.now
        self.loop.call_later(lasts, self._go_on, server)

    def _go_on(self, server: ClusterServer) -> None:
        if server.host.is_stopped and not server.host.is_over and server.stopped_at is not None:
            self.story.was_away(self._rooms_of(server.id), server.stopped_at, self.loop.now)
            server.stopped_at = None
            self.loop.wake_host(server.host)

    def _shut(self, pairs: list[tuple[str, str]], lasts: float) -> None:
        for pair in pairs:
            self.wires.set_shut(*pair, True)
            self.loop.call_later(lasts, self.wires.set_shut, *pair, False)

    def _restore_disk(self) -> None:
        self.database.delay_s = 0.0

    async def _mend(self) -> None:
        """Have nothing go wrong any more."""
        self.story.note("all is mended")
        self.mend_clients()
        for pair in list(self.wires.shut):
            self.wires.set_shut(*pair, False)
        await asyncio.sleep(100.0)  # what was begun comes to its end: pauses, starts
        self._restore_disk()
        self.is_mended = True

    # ------------------------------------------------------------ what has to hold

    def look_at_servers(self) -> None:
        """See World."""
        for server in self.running.values():
            self.look_at(server)

    def _unended(self) -> list[str]:
        gone = [name for name, server in self.running.items() if not server.is_listening]
        return gone + [f"{room}.{match}" for room, match in self.database.tables.unended.items()]

    def owner_of(self, number: int) -> ClusterServer | None:
        """Return who has a room, as the database says."""
        owner = self.database.tables.room_owner.get(number)
        return next((s for s in self.running.values() if s.id == owner), None)

    def _check_shown_to_the_end(self) -> None:
        """All goes on, all servers know the same, and every player has seen the end."""
        for server in self.running.values():
            still = [n for n, actor in server.hub.rooms.actors.items() if actor.stalled]
            if still or server.outage.lasts:
                raise Wrong(f"all can be written, and {server.id}'s rooms {still} stand still")
        self._check_same()
        for player in self.players:
            self._check_saw_end(player)

    def _check_saw_end(self, player: Player) -> None:
        connection = player.connection
        if connection is None or not connection.linked:
            raise Wrong(f"{player.host.name} has no connection, though all is well")
        for number, state in player.replica.rooms.items():
            owner = self.owner_of(number)
            actor = owner.hub.rooms.actors.get(number) if owner is not None else None
            if actor is None or actor.room.match is None or state.state == "closed":
                continue
            sits = any(s is not None and s.name == connection.name for s in actor.room.seats)
            seen = player.replica.matches.get(actor.room.match.name)
            if sits and (seen is None or seen.result is None):
                raise Wrong(f"{player.host.name} was not shown the end of {actor.room.match.name}")

    def _check_same(self) -> None:
        """Each open room has one owner, who has it, and all others know that."""
        for number, row in self.database.tables.rooms.items():
            if not row.open:
                continue
            owner = self.owner_of(number)
            if owner is None:
                raise Wrong(f"room {number} has no owner, though all is well")
            if row.body and number not in owner.hub.rooms.actors:
                raise Wrong(f"room {number} is {owner.id}'s, which does not have it")
            for server in self.running.values():
                self._check_known(server, number, owner)

    def _check_known(self, server: ClusterServer, number: int, owner: ClusterServer) -> None:
        rooms = server.hub.rooms
        if server is owner:
            if number in rooms.far:
                raise Wrong(f"{server.id} has room {number}, and believes it elsewhere")
        elif number in rooms.actors:
            raise Wrong(f"{server.id} has room {number}, which is {owner.id}'s")
        elif number not in rooms.far and self.database.tables.rooms[number].body:
            raise Wrong(f"{server.id} does not know of room {number}, which is {owner.id}'s")
        elif number in rooms.far and rooms.far[number].owner != tuple(
            map(int, owner.id.split("."))
        ):
            raise Wrong(
                f"{server.id} has room {number} at {rooms.far[number].owner}, not {owner.id}"
            )

    def _check_gone(self) -> None:
        """Nothing is kept of those who have gone."""
        for server in self.running.values():
            hub = server.hub
            if hub.peers or server.ends:
                raise Wrong(f"{len(hub.peers)} connections are left of those who have gone")
            if any(presence.links for presence in hub.lobby.present.values()):
                raise Wrong(f"somebody is at {server.id} who has gone")


def _both(one: str, two: str) -> list[tuple[str, str]]:
    return [(one, two), (two, one)]
