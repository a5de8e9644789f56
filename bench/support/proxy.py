"""A bad network on purpose: a TCP proxy that delays, throttles, cuts in mid-frame and goes silent.

It stands between clients and a server on the loopback address and knows nothing of what it carries.
Which faults a connection suffers, and when, follows from the seed and the order of connections.  It
never alters or reorders bytes, as TCP does not either.  It repeats none, unless it is told which of
a client's frames may come twice, as from a client that does not know whether the first one arrived.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from websockets.utils import apply_mask

from bench.support.wire import frame_size, head_size

CHUNK = 4096
PAUSE = 0.001  # seconds between the pieces of a throttled connection, so that they stay pieces


class Fault(StrEnum):
    """What may happen to a connection."""

    CUT = "cut"  # both sockets are aborted, in the middle of a frame more often than not
    SILENCE = "silence"  # half open: nothing is carried any more, and nobody is told
    DELAY = "delay"  # every chunk arrives late
    THROTTLE = "throttle"  # a few bytes at a time
    DROP = "drop"  # one direction carries nothing more; the other one does until both are cut
    REPEAT = "repeat"  # a frame of the client's, twice


@dataclass(frozen=True, slots=True)
class Faults:
    """How bad the network is.

    A connection lives for about `life` bytes, both directions together; then it is cut or, one time
    in `silences`, goes silent for `silence` seconds and is cut then; every third time in one
    direction only.  One in four is delayed (by up to `delay` seconds a chunk), one in four
    throttled (to `trickle` bytes at a time).  Of the frames that may be repeated one in `repeats`
    is.
    """

    life: int = 4_000
    silences: int = 4
    silence: float = 0.3
    delay: float = 0.01
    trickle: int = 40
    repeats: int = 8


class Proxy:
    """Listens on a port of its own and carries connections; `faults` may be changed meanwhile."""

    def __init__(
        self,
        port: int,
        seed: int,
        faults: Faults | None,
        repeatable: Callable[[bytes], bool] | None = None,
    ) -> None:
        """Args:
        faults: None: a good network.
        repeatable: whether a client's frame with this payload may be sent twice; None: none.
        """
        self.target = port
        self._repeatable = repeatable
        self.faults = faults
        self.port = 0
        self.count: Counter[Fault] = Counter()
        self._random = random.Random(seed)
        self._server: asyncio.Server | None = None
        self._links: set[_CarriedConnection] = set()

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._carry, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        if self._server is None:
            return
        self._server.close()
        self.cut_all()
        await self._server.wait_closed()
        await asyncio.gather(*(link.ended.wait() for link in self._links))

    def cut_all(self) -> None:
        for link in self._links:
            link.cut()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:  # the server is down just now, which a client sees as a cut
            self.count[Fault.CUT] += 1
            writer.transport.abort()
            return
        link = _CarriedConnection(writer, far_writer, self._plan(), self.count.update)
        self._links.add(link)
        try:
            there = asyncio.create_task(link.carry(reader, far_writer, self._repeater()))
            back = asyncio.create_task(link.carry(far_reader, writer))
            await asyncio.wait((there, back))
        finally:
            link.cut()
            self._links.discard(link)
            link.ended.set()

    def _repeater(self) -> FrameRepeater | None:
        faults, repeatable, draw = self.faults, self._repeatable, self._random
        if faults is None or repeatable is None:
            return None

        def chosen(payload: bytes) -> bool:
            if not repeatable(payload) or draw.randrange(faults.repeats):
                return False
            self.count[Fault.REPEAT] += 1
            return True

        return FrameRepeater(chosen)

    def _plan(self) -> _FaultPlan:
        faults, draw = self.faults, self._random
        if faults is None:
            return _FaultPlan()
        delay, trickle = 0.0, CHUNK
        match draw.randrange(4):
            case 0:
                delay = faults.delay * draw.random()
            case 1:
                trickle = faults.trickle
        return _FaultPlan(
            life=1 + int(draw.expovariate(1 / faults.life)),
            silence=faults.silence if draw.randrange(faults.silences) == 0 else 0.0,
            one_way=draw.randrange(3) == 0,
            delay=delay,
            trickle=trickle,
        )


@dataclass(frozen=True, slots=True)
class _FaultPlan:
    """What one connection will suffer: `life` in bytes, None for no end."""

    life: int | None = None
    silence: float = 0.0
    one_way: bool = False
    delay: float = 0.0
    trickle: int = CHUNK


class FrameRepeater:
    """What a client sends, with some of its frames twice.

    Bytes go on as they come; only behind the end of a frame something may be put in.
    """

    def __init__(self, chosen: Callable[[bytes], bool]) -> None:
        """`chosen`: whether a frame with this payload is to be repeated."""
        self._chosen = chosen
        self._frame: bytes | None = None  # what has come of the frame; None before the handshake
        self._head = b""

    def feed(self, data: bytes) -> bytes:
        """Return what goes on of bytes that came."""
        if self._frame is None:
            self._head += data
            _, end, behind = self._head.partition(b"\r\n\r\n")
            if not end:
                return data
            self._frame, self._head = b"", b""
            return data[: len(data) - len(behind)] + self.feed(behind)
        out, at, frame = bytearray(), 0, self._frame + data
        begun = len(self._frame)  # bytes of the first frame that have gone on already
        while size := frame_size(frame[at:]):
            if at + size > len(frame):
                break
            out += frame[at + begun : at + size]
            if self._chosen(_unmasked(frame[at : at + size])):
                out += frame[at : at + size]
            at, begun = at + size, 0
        out += frame[at + begun :]
        self._frame = frame[at:]
        return bytes(out)


def _unmasked(frame: bytes) -> bytes:
    head = head_size(frame)
    return apply_mask(frame[head:], frame[head - 4 : head])


class _CarriedConnection:
    """One connection and its twin to the server."""

    def __init__(
        self,
        near: asyncio.StreamWriter,
        far: asyncio.StreamWriter,
        plan: _FaultPlan,
        count: Callable[[tuple[Fault, ...]], None],
    ) -> None:
        self.ended = asyncio.Event()
        self._writers = (near, far)
        self._plan = plan
        self._left = plan.life
        self._dropped: asyncio.StreamWriter | None = None  # the direction that carries nothing more
        self._silent = False
        self._count = count
        count((Fault.DELAY,) * (plan.delay > 0) + (Fault.THROTTLE,) * (plan.trickle < CHUNK))

    def cut(self) -> None:
        for writer in self._writers:
            writer.transport.abort()

    async def carry(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        repeater: FrameRepeater | None = None,
    ) -> None:
        """Carry one direction until it ends or the plan ends it."""
        try:
            while chunk := await reader.read(CHUNK):
                if repeater is not None:
                    chunk = repeater.feed(chunk)
                if self._plan.delay:
                    await asyncio.sleep(self._plan.delay)
                if not await self._pass_on(chunk, writer):
                    return
        except OSError:
            return  # the other side aborted, which the other direction sees as well
        finally:
            if not self._silent:
                self.cut()

    async def _pass_on(self, chunk: bytes, writer: asyncio.StreamWriter) -> bool:
        """Send a chunk, or what of it is within this connection's life; False once that is over."""
        for at in range(0, len(chunk), self._plan.trickle):
            piece = chunk[at : at + self._plan.trickle]
            others = self._dropped is not None and self._dropped is not writer
            if self._left is not None and not others and len(piece) >= self._left:
                await self._end(piece[: self._left], writer)
                return False
            if self._left is not None and not others:
                self._left -= len(piece)
            if writer.is_closing():
                return False
            writer.write(piece)
            await writer.drain()
            if self._plan.trickle < CHUNK:
                await asyncio.sleep(PAUSE)
        return True

    async def _end(self, last: bytes, writer: asyncio.StreamWriter) -> None:
        """The last bytes go through, then nothing does."""
        if self._left == 0:
            return  # the other direction has come here first
        self._left = 0
        one_way = self._plan.one_way and self._plan.silence > 0
        self._dropped = writer if one_way else None
        silence = Fault.DROP if one_way else Fault.SILENCE
        self._count((silence if self._plan.silence else Fault.CUT,))
        self._silent = True
        try:
            writer.write(last)
            await writer.drain()
            await asyncio.sleep(self._plan.silence)
        finally:
            self._silent = False
