"""The lines of a server to the others: one a pair, over TCP, made anew when it breaks.

Of two servers the one with the smaller number dials.  What is said within one turn of the loop goes
out in one piece.  A line to which too much would have to be kept is cut, as is one that is silent;
when it is up again each end tells the other all there is to know.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import socket
import statistics
from collections import deque
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple, cast

from server.cluster.cluster import Cluster
from server.cluster.core.membership import ClusterMember, MemberKey
from server.cluster.line import handshake
from server.cluster.line.handshake import MAX_FRAME, MAX_GREETING, BadLine, Frames, Introduction
from server.cluster.line.outbox import Outbox
from server.cluster.line.signals import (
    Beat,
    MemberDismissed,
    UnknownSignal,
    read_signal,
    write_signal,
)

log = logging.getLogger("plyhouse")
GREETING_S: Final = 5.0  # in which a line has to be up
BEAT_S: Final = 1.0
PLAYING_S: Final = 0.25  # the same where the other end's players play here, as clocks depend on it
UNANSWERED: Final = 2  # beats after which the other end is not reached, beside what the way takes
MAX_BEATS: Final = 16  # of which it is known when they were sent
SILENT_S: Final = 3.0  # after which the other end is gone, whatever TCP says: as long as a lease
MAX_HELD: Final = 64 * 1024 * 1024  # bytes for an end that does not read: then the line is cut
FIRST_WAIT_S: Final = 0.1  # before a line is dialled again; doubles
MAX_WAIT_S: Final = 1.0
DIAL_S: Final = 1.5  # for an end that does not answer; TCP by itself would try it ever less often
LAGS: Final = 5  # of which the median counts


class LineAddress(NamedTuple):
    """Where a server listens for lines."""

    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


class ServerLine(asyncio.Protocol):
    """One end of a line.  `dials`: the other end is that member; None: it was dialled here."""

    def __init__(self, lines: Lines, dials: MemberKey | None) -> None:
        self.lines = lines
        self.dials = dials
        self.key: MemberKey | None = None  # of the other end, once it has proved who it is
        self.own = lines.introduce()
        self.other: Introduction | None = None
        self.frames = Frames(MAX_GREETING)
        self.outbox = Outbox(self._flush_soon, self._written)
        self.transport: asyncio.Transport
        self.heard = lines.loop.time()
        self.is_leased = False  # the other end, as it said last
        self.ended = lines.loop.create_future()
        self._lags: deque[float] = deque(maxlen=LAGS)
        self._beats: dict[float, int] = {}  # sent: by what they say, when by the rooms' clock
        self._pause = BEAT_S  # between the last beat and the next
        self._timer: asyncio.TimerHandle | None = None

    # ------------------------------------------------------------ asyncio's calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Say who this is."""
        self.transport = cast(asyncio.Transport, transport)
        self.lines.open.add(self)
        self._timer = self.lines.loop.call_later(GREETING_S, self._late)
        self._write(handshake.write_introduction(self.own))

    def data_received(self, data: bytes) -> None:
        """Take what has come."""
        self.heard = self.lines.loop.time()
        try:
            for payload in self.frames.take(data):
                if self.key is not None:
                    self._take(payload)
                else:
                    self._greet(payload)
        except BadLine as why:
            log.warning("a line from %s is cut: %s", self._peer(), why)
            self.cut()

    def connection_lost(self, exc: Exception | None) -> None:
        """Let go of it."""
        if self._timer is not None:
            self._timer.cancel()
        self.lines.lost(self)
        if not self.ended.done():
            self.ended.set_result(None)

    # ------------------------------------------------------------ until it is up

    def _greet(self, payload: bytes) -> None:
        if self.other is None:
            self.other = handshake.read_introduction(payload)
            if self.dials is not None and self.other.key != self.dials:
                raise BadLine(f"server {self.other.number} answers in place of {self.dials.number}")
            if self.other.number == self.own.number:
                raise BadLine(f"it says that it is server {self.own.number}, as is this one")
            if self.dials is None:
                self._prove()  # who dials is the last to prove anything
            return
        role: handshake.Role = "answers" if self.dials is not None else "dials"
        if not handshake.is_proof(payload, self._proof(role)):
            raise BadLine("it does not know the cluster's secret")
        if self.dials is not None:
            self._prove()
        self._begin(self.other)

    def _proof(self, role: handshake.Role) -> bytes:
        if self.other is None:
            raise AssertionError("nobody has introduced itself")
        pair = (self.own, self.other) if self.dials is not None else (self.other, self.own)
        return handshake.proof(self.lines.secret, role, *pair)

    def _prove(self) -> None:
        self._write(self._proof("dials" if self.dials is not None else "answers"))

    def _begin(self, other: Introduction) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self.key, self.frames.most = other.key, MAX_FRAME
        if self.lines.up(self, other):
            self._beat()
        else:
            log.warning("server %d is no member any more, and gets no line", other.number)
            self.dismiss()

    def _late(self) -> None:
        log.warning("a line from %s is cut: it does not say who it is", self._peer())
        self.cut()

    def _peer(self) -> str:
        name = self.transport.get_extra_info("peername")
        return f"{name[0]}:{name[1]}" if name else "somewhere"

    # ------------------------------------------------------------ once it is up

    def _take(self, payload: bytes) -> None:
        try:
            signal = read_signal(payload)
        except UnknownSignal as error:
            log.warning("a server of another version says what this one does not know: %s", error)
            return
        if isinstance(signal, Beat):
            self._take_beat(signal)
        elif isinstance(signal, MemberDismissed):
            self.lines.dismissed("the other servers say that they have taken over from this one")
        elif self.key is not None:
            try:
                self.lines.cluster.received(self.key, signal)
            except Exception:  # a bug costs this signal, and not the line with all that is on it
                log.exception("a signal of server %d has failed: %r", self.key.number, type(signal))

    def _beat(self) -> None:
        now = self.lines.loop.time()
        if now - self.heard > SILENT_S:
            log.warning("the line to %s is silent, and is cut", self._peer())
            self.cut()
            return
        cluster, key = self.lines.cluster, self.key
        if key is not None:
            unanswered, way = cluster.now() - self.outbox.reached, 2 * self.outbox.lag_ms
            if unanswered > UNANSWERED * self._pause * 1000 + way:
                cluster.silent(key)
            self._pause = PLAYING_S if cluster.plays_with(key) else BEAT_S
        if len(self._beats) == MAX_BEATS:
            del self._beats[next(iter(self._beats))]
        self._beats[now] = cluster.now()
        self.outbox.send(Beat(now, False, self.lines.is_leased()))
        self._timer = self.lines.loop.call_later(self._pause, self._beat)

    def _take_beat(self, beat: Beat) -> None:
        self.is_leased = beat.leased
        if not beat.answered:
            self.outbox.send(Beat(beat.at, True, self.lines.is_leased()))
            return
        self.outbox.reached = max(self.outbox.reached, self._beats.pop(beat.at, 0))
        if self.key is not None:
            self.lines.cluster.heard(self.key)
        self._lags.append(max(0.0, self.lines.loop.time() - beat.at))
        self.outbox.lag_ms = round(statistics.median(self._lags) * 1000 / 2)

    def _written(self) -> int:
        return self.transport.get_write_buffer_size()

    def _flush_soon(self) -> None:
        self.lines.loop.call_soon(self._flush)

    def _flush(self) -> None:
        signals = self.outbox.take()
        if self.transport.is_closing():
            return
        self.transport.write(
            b"".join([handshake.frame(write_signal(signal)) for signal in signals])
        )
        if self.transport.get_write_buffer_size() > MAX_HELD:
            log.warning("the line to %s is cut: the other end does not read", self._peer())
            self.cut()

    def _write(self, payload: bytes) -> None:
        self.transport.write(handshake.frame(payload))

    def dismiss(self) -> None:
        """Tell the other end that it is no member any more, and end."""
        self._write(write_signal(MemberDismissed()))
        self.transport.close()

    def cut(self) -> None:
        self.transport.abort()


class Lines:
    """All lines of this server.

    `is_leased`: whether this server's lease is good; `dismissed` is called with the reason when
    another server says that this one is no member any more.
    """

    def __init__(
        self,
        cluster: Cluster,
        secret: bytes,
        is_leased: Callable[[], bool],
        dismissed: Callable[[str], None],
    ) -> None:
        self.cluster = cluster
        self.me = cluster.servers.me
        self.url = cluster.servers.url
        self.secret = secret
        self.is_leased = is_leased
        self.dismissed = dismissed
        self.loop = asyncio.get_running_loop()
        self.open: set[ServerLine] = set()
        self._up: dict[MemberKey, ServerLine] = {}
        self._dialling: dict[MemberKey, asyncio.Task[None]] = {}
        self._dead: set[MemberKey] = set()
        self._listener: asyncio.Server | None = None

    def introduce(self) -> Introduction:
        """Return what this server says first on a new line."""
        return Introduction(self.me.number, self.me.epoch, self.url, secrets.token_bytes(32))

    async def listen(self, bound: socket.socket) -> None:
        """Take lines at the address of a socket that is bound."""
        self._listener = await self.loop.create_server(lambda: ServerLine(self, None), sock=bound)

    def expect(self, members: Iterable[ClusterMember]) -> None:
        """Have a line to each of these members, and to no others."""
        here = {member.key: member.address for member in members if member.key != self.me}
        for key in [key for key in self._up if key not in here]:
            self._up[key].cut()
        for key in [key for key in self._dialling if key not in here]:
            self._dialling.pop(key).cancel()
        for key, address in here.items():
            if key.number > self.me.number and key not in self._dialling:
                self._dialling[key] = self.loop.create_task(self._dial(key, address))

    def died(self, key: MemberKey) -> None:
        """Let no line be made to a member that is gone."""
        self._dead.add(key)
        line = self._up.get(key)
        if line is not None:
            line.dismiss()

    async def _dial(self, key: MemberKey, address: str) -> None:
        """Keep a line up to a member until it is expected no more."""
        host, _, port = address.rpartition(":")
        wait = FIRST_WAIT_S
        while True:
            try:
                async with asyncio.timeout(DIAL_S):
                    _, line = await self.loop.create_connection(
                        lambda: ServerLine(self, key), host.strip("[]"), int(port)
                    )
                await line.ended
                if line.key is not None:  # it was up
                    wait = FIRST_WAIT_S
            except OSError:
                pass  # no server is there, yet or any more
            except Exception:  # no other code would dial again
                log.exception("a line to server %d, at %s, has failed", key.number, address)
            await asyncio.sleep(wait)  # else an end that is gone would be dialled all the time
            wait = min(MAX_WAIT_S, wait * 2)

    def up(self, line: ServerLine, other: Introduction) -> bool:
        """Use a line whose other end has proved who it is; False: it is to be cut."""
        if other.key in self._dead:
            return False
        before = self._up.get(other.key)
        if before is not None:  # the other end has noticed that it was broken, and this one not yet
            self.lost(before)
            before.cut()
        self._up[other.key] = line
        self.cluster.met(other.key, line.outbox, other.url)
        return True

    def lost(self, line: ServerLine) -> None:
        """Let go of a line that has ended."""
        self.open.discard(line)
        if line.key is not None and self._up.get(line.key) is line:
            del self._up[line.key]
            self.cluster.parted(line.key)

    def is_any_leased(self) -> bool:
        """Return whether some other server has said lately that its lease is good."""
        return any(line.is_leased for line in self._up.values())

    def is_up(self, key: MemberKey) -> bool:
        return key in self._up

    async def close(self) -> None:
        """End them all."""
        for task in self._dialling.values():
            task.cancel()
        await asyncio.gather(*self._dialling.values(), return_exceptions=True)
        if self._listener is not None:
            self._listener.close()
        for line in list(self.open):
            line.cut()
        await asyncio.sleep(0)  # so that they hear of it
