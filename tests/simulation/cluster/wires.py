"""What joins machines: connections of bytes or messages, in order, late, and at times not at all.

A Wire is a TCP connection between two machines.  What is sent arrives whole and in order, unless
one end is gone; while its direction is shut it waits, as TCP tries again.  An end whose machine
went without a word hears and says nothing, and the other one finds that out by itself.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Callable
from typing import Any

from tests.simulation.loop import Host, SimulatedLoop

LATE_S = 0.0004  # of a message between two machines, about


class Machine:
    """A machine: `host`: the process that runs there now, None: none; `is_off`: without a word."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.host: Host | None = None
        self.is_off = False
        self.listens: dict[int, Callable[[], Any]] = {}  # by port: makes the protocol of a line


class End:
    """One end of a wire, at a process."""

    __slots__ = ("arrives", "held", "host", "is_open", "lost", "machine", "other", "receive")

    def __init__(self, machine: Machine, host: Host) -> None:
        self.machine, self.host = machine, host
        self.is_open = True
        self.receive: Callable[..., None] = _deaf
        self.lost: Callable[[], None] = _deaf
        self.arrives = 0.0  # when the last that was sent to this end arrives
        self.held: deque[tuple[Callable[..., None], tuple[Any, ...]]] = deque()
        self.other: End


def _deaf(*_: object) -> None:
    """Hear nothing yet."""


class Wires:
    """All of them, between servers, and between these and the database."""

    def __init__(self, seed: str, loop: SimulatedLoop) -> None:
        self.loop = loop
        self.rng = random.Random(f"{seed} wires")
        self.ends: dict[End, None] = {}
        self.shut: set[tuple[str, str]] = set()  # from this machine to that one

    def join(self, one: Machine, one_host: Host, two: Machine, two_host: Host) -> End:
        """Return one's end of a new wire; `other` of it is two's."""
        near, far = End(one, one_host), End(two, two_host)
        near.other, far.other = far, near
        self.ends[near] = self.ends[far] = None
        return near

    def send(self, end: End, *args: Any) -> None:
        """Send something from an end to the other."""
        if end.is_open:
            self._carry(end.other, self._deliver, (end.other, args))

    def _carry(self, to: End, call: Callable[..., None], args: tuple[Any, ...]) -> None:
        if to.held or (to.other.machine.name, to.machine.name) in self.shut:
            to.held.append((call, args))
            return
        at = self.loop.now + LATE_S * (0.5 + self.rng.random())
        to.arrives = at = max(at, to.arrives)
        self.loop.at(to.host, at, self._arrive, to, call, args)

    def _arrive(self, to: End, call: Callable[..., None], args: tuple[Any, ...]) -> None:
        if to.is_open:
            call(*args)

    def _deliver(self, to: End, args: tuple[Any, ...]) -> None:
        to.receive(*args)

    def close(self, end: End) -> None:
        """End a wire here: the other end hears of it after all that was sent."""
        if end.is_open:
            end.is_open = False
            self._carry(end.other, self._hang_up, (end.other,))
            self._forget(end)

    def _hang_up(self, end: End) -> None:
        end.is_open = False
        self._forget(end)
        end.lost()

    def _forget(self, end: End) -> None:
        if not end.is_open and not end.other.is_open:
            self.ends.pop(end, None)
            self.ends.pop(end.other, None)

    def break_off(self, one: Machine, two: Machine) -> None:
        """Have all wires between two machines be lost at both ends, with all that is under way."""
        for end in list(self.ends):
            if end.machine is one and end.other.machine is two and end.is_open:
                end.is_open = end.other.is_open = False
                for each in (end, end.other):
                    self.loop.soon(each.host, each.lost)
                self._forget(end)

    def end_process(self, host: Host, silently: bool) -> None:
        """A process is gone: the other ends of its wires hear of it, unless `silently`."""
        for end in list(self.ends):
            if end.host is host and end.is_open:
                if silently:
                    end.is_open = False
                    self._forget(end)
                else:
                    self.close(end)

    def reset_left(self, machine: Machine) -> None:
        """A machine is there again, and knows nothing of what its former process was joined to."""
        for end in list(self.ends):
            is_left = end.machine is machine and not end.is_open and end.host is not machine.host
            if is_left and end.other.is_open:
                self._carry(end.other, self._hang_up, (end.other,))

    def set_shut(self, source: str, target: str, shut: bool) -> None:
        """Let nothing through from one machine to another, or let through what was held."""
        if shut:
            self.shut.add((source, target))
            return
        self.shut.discard((source, target))
        for end in list(self.ends):
            if end.held and (end.other.machine.name, end.machine.name) == (source, target):
                held, end.held = end.held, deque()
                for call, args in held:
                    self._carry(end, call, args)

    def is_shut(self, one: str, two: str) -> bool:
        """Whether nothing gets through between two machines, in one direction at least."""
        return (one, two) in self.shut or (two, one) in self.shut

    async def reach(self, source: Machine, target: Machine) -> None:
        """Return once a connection could be made to a machine; ConnectionRefusedError if none.

        Where nothing gets through it never returns: whoever asks has a time of its own.
        """
        if target.is_off or self.is_shut(source.name, target.name):
            await self.loop.create_future()
        await asyncio.sleep(2 * LATE_S * (0.5 + self.rng.random()))


class LineTransport:
    """A transport of asyncio's for a line between servers."""

    def __init__(self, wires: Wires, end: End, protocol: asyncio.Protocol) -> None:
        self._wires, self._end, self._protocol = wires, end, protocol
        end.receive, end.lost = protocol.data_received, self._lost

    def write(self, data: bytes) -> None:
        """As asyncio says."""
        self._wires.send(self._end, data)

    def get_write_buffer_size(self) -> int:
        """As asyncio says: what waits at the other end, as nothing gets through."""
        held = self._end.other.held
        return sum(len(args[1][0]) for _, args in held if len(args) == 2)

    def get_extra_info(self, name: str) -> tuple[str, int]:
        """As asyncio says."""
        return self._end.other.machine.name, 0

    def is_closing(self) -> bool:
        """As asyncio says."""
        return not self._end.is_open

    def close(self) -> None:
        """As asyncio says; all that was written goes first."""
        if self._end.is_open:
            self._wires.close(self._end)
            self._wires.loop.call_soon(self._lost)

    abort = close

    def _lost(self) -> None:
        protocol, self._protocol = self._protocol, asyncio.Protocol()
        protocol.connection_lost(None)


class Listener:
    """What `create_server` returns."""

    def __init__(self, machine: Machine, port: int) -> None:
        self._machine, self._port = machine, port

    def close(self) -> None:
        """As asyncio says."""
        self._machine.listens.pop(self._port, None)


class ClusterLoop(SimulatedLoop):
    """A loop whose hosts can make lines to each other: see server/cluster/lines.py."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self.wires = Wires(seed, self)
        self.machines: dict[str, Machine] = {}

    async def create_server(self, factory: Any, *, sock: Any) -> Any:  # type: ignore[override]
        """As asyncio says; `sock`: an Address."""
        sock.machine.listens[sock.port] = factory
        return Listener(sock.machine, sock.port)

    async def create_connection(self, factory: Any, host: str, port: int) -> Any:  # type: ignore[override]
        """As asyncio says."""
        here = next(each for each in self.machines.values() if each.host is self.host)
        there, wires, own = self.machines[host], self.wires, self.host
        await wires.reach(here, there)
        other = there.host
        if there.is_off or other is None or other.is_over or port not in there.listens:
            raise ConnectionRefusedError("no server listens there")
        end = wires.join(here, own, there, other)
        protocol = factory()
        transport = LineTransport(wires, end, protocol)
        self.soon(other, self._accept, end.other, there.listens[port])
        protocol.connection_made(transport)
        return transport, protocol

    def _accept(self, end: End, factory: Any) -> None:
        protocol = factory()
        protocol.connection_made(LineTransport(self.wires, end, protocol))
