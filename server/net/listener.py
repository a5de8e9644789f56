"""Accepts connections: a few in one turn of the event loop, and none that would only be refused.

asyncio's own server accepts all that wait at once, and builds each before anybody can look whose it
is; no move is answered meanwhile.  Here what is refused is closed at once, and after it the others
wait for a moment in the system's queue.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import socket
from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

from server.net.addresses import Address
from server.net.gateway import Gateway

Open: TypeAlias = Callable[[str | None], asyncio.Protocol]

WAITING: Final = 1_024  # connections in the system's queue
AT_ONCE: Final = 8  # accepted in one turn of the event loop: a millisecond
REFUSED_S: Final = 0.005  # from some that were refused to the next: a twentieth of a core
NO_FILES_S: Final = 1.0  # until it is tried again, when the system has no file left
NO_FILES: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})

log = logging.getLogger("plyhouse")


class Listener:
    """The sockets on which a server listens.

    `open_` returns the protocol for a connection from a host, with TLS or without; None: the host
    is that of its transport.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, gateway: Gateway, open_: Open) -> None:
        self.loop = loop
        self.gateway = gateway
        self.open = open_
        self.sockets: list[socket.socket] = []
        self._servers: list[asyncio.Server] = []  # asyncio's, where the loop has no `add_reader`
        self._beginning: set[asyncio.Task[object]] = set()  # the loop holds its tasks only weakly
        self._pauses: dict[socket.socket, asyncio.TimerHandle] = {}

    async def listen(self, host: str, port: int) -> None:
        """Listen on all addresses that the host stands for.

        Raises:
            OSError, UnicodeError: one of them cannot be listened on.
        """
        # As bytes: Python reads 10 ms of tables to see that a name in ASCII is in ASCII.
        name = host.encode() if host.isascii() else host
        infos = await self.loop.getaddrinfo(
            name, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        try:
            for family, kind, protocol, _, address in dict.fromkeys(infos):
                dual = host == "::" and socket.has_dualstack_ipv6()
                self.sockets.append(_listening(family, kind, protocol, address, dual))
        except BaseException:
            self.close()
            raise
        for each in self.sockets:
            try:
                self.loop.add_reader(each, self._accept, each)
            except NotImplementedError:  # on Windows
                self._servers.append(
                    await self.loop.create_server(partial(self.open, None), sock=each)
                )

    def close(self) -> None:
        """Listen no more."""
        for timer in self._pauses.values():
            timer.cancel()
        for task in self._beginning:
            task.cancel()  # which closes what it was about to open
        for server in self._servers:
            server.close()
        for each in self.sockets:
            if not self._servers and each.fileno() >= 0:
                self.loop.remove_reader(each)
            each.close()

    def _accept(self, listening: socket.socket) -> None:
        refused = False
        for _ in range(AT_ONCE):
            try:
                accepted, address = listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                break
            except OSError as error:
                if error.errno not in NO_FILES:
                    raise
                if self.gateway.end_idle(AT_ONCE):
                    self._pause(listening, REFUSED_S)  # asyncio closes them in the next turn
                    return
                log.error("no connection can be accepted just now: %s", os.strerror(error.errno))
                self._pause(listening, NO_FILES_S)
                return
            home = self.gateway.admit(address[0])
            if home is None:
                refused = True
                accepted.close()
            elif home.pace.resting is not None:
                home.pace.wait(Arrival(self, home, accepted, address[0]).go_on)
            else:
                self.begin(accepted, address[0])
                home.pace.rest_if_fast()
        if refused:
            self._pause(listening, REFUSED_S)

    def begin(self, accepted: socket.socket, host: str) -> None:
        """Hand a connection to the gateway."""
        accepted.setblocking(False)
        factory = partial(self.open, host)
        self.gateway.arriving += 1
        task = self.loop.create_task(self.loop.connect_accepted_socket(factory, accepted))
        self._beginning.add(task)
        task.add_done_callback(self._begun)

    def _begun(self, task: asyncio.Task[object]) -> None:
        self._beginning.discard(task)
        self.gateway.arriving -= 1
        if not task.cancelled():
            task.exception()  # who has gone by now is no event of ours

    def _pause(self, listening: socket.socket, seconds: float) -> None:
        self.loop.remove_reader(listening)
        self._pauses[listening] = self.loop.call_later(seconds, self._go_on, listening)

    def _go_on(self, listening: socket.socket) -> None:
        del self._pauses[listening]
        self.loop.add_reader(listening, self._accept, listening)


class Arrival:
    """A connection that is not opened before its address has rested.

    It counts as one of its address's.  Nothing of it is read, and it is opened when its address has
    rested, be its peer gone or not.
    """

    def __init__(
        self, listener: Listener, home: Address, accepted: socket.socket, host: str
    ) -> None:
        self.listener = listener
        self.home = home
        self.accepted = accepted
        self.host = host
        home.count(1)
        listener.gateway.arriving += 1

    def go_on(self) -> None:
        """Open it."""
        self.home.count(-1)
        self.listener.gateway.arriving -= 1
        self.listener.begin(self.accepted, self.host)


def _listening(
    family: int, kind: int, protocol: int, address: tuple[object, ...], dual: bool
) -> socket.socket:
    """Return a socket that listens, set up as asyncio does it; `dual`: to IPv4 as well as IPv6."""
    listening = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, not dual)
        listening.bind(address)
        listening.listen(WAITING)
        listening.setblocking(False)
    except BaseException:
        listening.close()
        raise
    return listening
