"""How a server enters a cluster and leaves it: its line, row and lease, its share of the rooms.

This is put together around a server as server/app.py builds one; see `ClusterEntry.join`.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import os
import secrets
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from protocol.files import whole_file
from protocol.messages import Hello
from server.admin import house
from server.admin.core.views import NodeView
from server.admin.service import AdminService
from server.cluster.cluster import Cluster
from server.cluster.core.membership import ClusterMember
from server.cluster.forwarding import RoomPlace
from server.cluster.handover import Handover
from server.cluster.joining import LookUps, RoomTakeover, house_mark, house_token, number_blocks
from server.cluster.lease import LeaseKeeper, OwnLease
from server.cluster.line.handshake import BadSecret, read_secret
from server.cluster.line.signals import LogWentBack
from server.cluster.lines import LineAddress, Lines
from server.cluster.member_table import SharedNode, check_newcomer, place_of
from server.cluster.members import FarServers
from server.core.names.register import HOUSE
from server.figures.figures import ClusterFigures
from server.hub import Hub
from server.services.loading import Loading
from server.services.neighbours import Neighbours
from server.store.contract import Fenced, RoomRow, Store, StoreError, WentBack
from server.store.postgres.address import connect, explained
from server.store.postgres.node import ServerNode
from server.store.postgres.opening import OpenedHouse, open_house
from server.store.postgres.store import PostgresStore

log = logging.getLogger("plyhouse")
TTL_S: Final = 3.0  # of a lease: so long at most until a machine that is gone is missed
LEAVE_S: Final = 5.0  # in which a server that is stopped hands over what it has
HEAR_S: Final = 5.0  # as long as the pauses between two looks at a database that is away grow
MEETING_S: Final = 0.02  # between two looks at whether all lines are up


class ClusterPlace(NamedTuple):
    """Where a server is, for those who look for it.

    `url`: for clients; `line`: where it listens for the other servers; `secret`: the file with what
    these know; `reached`: where they reach the line, if not there.
    """

    url: str
    line: LineAddress
    secret: Path
    reached: LineAddress | None = None


class SharedStore(PostgresStore):
    """A store of several servers: at its start a server has no room; it claims its share later.

    `closed` is called once it is.
    """

    def __init__(
        self, url: str, opened: OpenedHouse, node: ServerNode, closed: Callable[[], None]
    ) -> None:
        super().__init__(url, opened, node)
        self._closed = closed

    async def aclose(self) -> None:
        """Write what waits, give up this server's row, and close the connections."""
        try:
            await super().aclose()
        finally:
            self._closed()

    def open_room_rows(self) -> list[RoomRow]:
        """None: see member_table.py."""
        return []

    def locate(self, number: int, done: Callable[[RoomPlace | None], None]) -> None:
        """Hand to `done` where a room is, None if the log cannot be read now."""
        self._reader.read(partial(place_of, number), f"the owner of room {number}", done)


class ClusterEntry:
    """A server on its way into a cluster.  `why`: why it was thrown out, once it was."""

    def __init__(self, place: ClusterPlace, database: str) -> None:
        """Bind the line's address, and read the secret.

        Raises:
            StoreError: the one or the other cannot be, with a sentence that says why.
        """
        self.url = place.url
        self.database = database
        self.secret = _secret(place)
        self._socket = _bound(place.line)
        bound = LineAddress(*self._socket.getsockname()[:2])
        self._reach = partial(connect, database, "plyhouse lease")
        self.node = SharedNode(str(place.reached or bound), place.url, TTL_S, self._reach)
        self.why: str | None = None
        self.store: SharedStore | None = None
        self._servers: FarServers | None = None
        self._own_lease: OwnLease | None = None
        self.cluster: Cluster | None = None
        self.lease: LeaseKeeper | None = None
        self._handover: Handover | None = None
        self._takeover: RoomTakeover | None = None
        self._leaving: asyncio.Task[None] | None = None

    async def open_store(self, clock_was_wrong: int | None) -> SharedStore:
        """Open the log as one of several servers.

        Raises:
            StoreError: it cannot be.
            WrongClock: this machine's clock is not the database's.
        """
        try:
            check = partial(check_newcomer, mark=house_mark(self.secret))
            opened = await open_house(self.database, self.node, clock_was_wrong, check)
        except BaseException:
            self.close()
            raise
        self.store = SharedStore(self.database, opened, self.node, self.close)
        self.store.news.ended.append(self._lost_the_log)
        self._servers = FarServers(self.node.key, self.url)
        return self.store

    async def neighbours(self) -> Neighbours:
        """Return what a server with this log is built with."""
        store, servers = self._opened()
        rooms, sessions = await number_blocks(store, "room"), await number_blocks(store, "session")
        return Neighbours(servers, LookUps(store).ask, rooms, sessions)

    def _opened(self) -> tuple[SharedStore, FarServers]:
        if self.store is None or self._servers is None:
            raise AssertionError("a server begins with a log")
        return self.store, self._servers

    async def begin(self, data: Path, hub: Hub) -> None:
        """Have a server without rooms share its names and connections with the others.

        Raises:
            StoreError: the house's own session cannot be stored, or its token's file not written.
        """
        store, servers = self._opened()
        names, look_up = hub.lobby.names, LookUps(store).ask
        lease = self._own_lease = OwnLease(TTL_S)
        self.cluster = Cluster(servers, hub, lease.is_good, store.locate)
        token = house_token(self.secret)
        for is_last in (False, True):  # another server may have made the house's session
            known: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
            look_up(names, Hello(version=1, name=HOUSE), known.set_result)
            await known  # if it cannot be looked up, it cannot be stored either
            try:
                await house.open_house(data, store, names, hub.now(), token)
            except StoreError:  # two servers make it at once
                if is_last:
                    raise
            else:
                return

    @asynccontextmanager
    async def join(
        self, loading: Loading, store: Store, admin: AdminService, stop: Callable[[], None]
    ) -> AsyncIterator[None]:
        """Be a member: have lines to the others, renew the lease, take over what is without an
        owner.  `stop` is called when this server is no member any more.

        Raises:
            DatabaseAway: the database does not answer.
        """
        cluster, own, ended = self.cluster, self._own_lease, partial(self._thrown_out, stop)
        if cluster is None or own is None:
            raise AssertionError("a server begins before it joins")
        admin.acted.append(cluster.host_acted)
        lines = Lines(cluster, self.secret, own.is_good, ended)
        await lines.listen(self._socket)
        takeover = self._takeover = RoomTakeover(cluster, lines, loading, store, ended)
        self.lease = LeaseKeeper(
            self.node.key, own, self.node.session, self._reach, takeover, ended
        )
        self._handover = Handover(cluster, self.lease, store)
        news = cluster.news
        news.acted.append(admin.catch_up)
        news.died.append(lines.died)
        news.handed.append(self.lease.take)
        news.freed.append(self.lease.hurry)
        news.went_back.append(self._opened()[0].look_again)
        try:
            try:
                await self.lease.begin()
            except Exception as error:  # noqa: BLE001 - it is raised again
                raise explained(error, self.database) from None
            await self._meet(lines)
            yield
        finally:
            if self._leaving is not None:
                self._leaving.cancel()
            await self.lease.close()
            cluster.close()
            await lines.close()

    async def _meet(self, lines: Lines) -> None:
        """Wait until there is a line to each member that is there, for as long as that is likely.

        Else who comes at once finds rooms that this server knows of but does not reach.
        """
        deadline = asyncio.get_running_loop().time() + TTL_S
        while asyncio.get_running_loop().time() < deadline:
            others = [m for m in self.members() if m.key != self.node.key and m.left_s > 0]
            if all(lines.is_up(member.key) for member in others):
                return
            await asyncio.sleep(MEETING_S)
        log.warning("some servers of the cluster are not reached by a line; see --line")

    def _lost_the_log(self, fenced: Fenced) -> None:
        """Hand nothing over, as nothing can be written any more; have others look at the log."""
        self.why = self.why or str(fenced)
        if isinstance(fenced, WentBack) and self.cluster is not None:
            self.cluster.servers.tell_all(LogWentBack(False))

    async def hear_the_others(self) -> None:
        """Wait until all servers have told what was lost: who is connected here hears it from them
        as long as there are lines.
        """
        if self.cluster is None:
            return
        servers = self.cluster.servers
        servers.tell_all(LogWentBack(True))
        deadline = asyncio.get_running_loop().time() + HEAR_S
        while any(far.outbox is not None and not far.has_told for far in servers):
            if asyncio.get_running_loop().time() >= deadline:
                return
            await asyncio.sleep(MEETING_S)

    def _thrown_out(self, stop: Callable[[], None], why: str) -> None:
        if self.why is None:
            self.why = why
            log.error("%s", why)
            stop()

    def members(self) -> list[ClusterMember]:
        """Return the members as they were at the last beat."""
        return self.lease.members if self.lease is not None else []

    def nodes(self) -> list[NodeView]:
        """Return all members as a host is shown them, as they were at the last beat."""
        return [self._view(member) for member in self.members()]

    def _view(self, member: ClusterMember) -> NodeView:
        cluster, key = self.cluster, member.key
        if cluster is None:
            raise AssertionError("who has members has begun")
        here, far = key == self.node.key, cluster.servers.find(key)
        peers = cluster.forwarding.peers if here else far.peers if far is not None else ()
        place = cluster.ladders
        return NodeView(
            node=key.number, epoch=key.epoch, url=member.url, version=member.version,
            lease_ms=int(member.left_s * 1000), connections=len(peers), here=here,
            rooms=cluster.hub.rooms.total() if here else len(cluster.replication.rooms_of(key)),
            ladders=place.here if here else place.at == key,
            line=far is not None and far.outbox is not None,
            drains=cluster.forwarding.draining if here else far is not None and far.draining,
        )  # fmt: skip

    def figures(self) -> ClusterFigures | None:
        """Return what is measured of this server as one of several, once it is."""
        cluster, lease, takeover, handover = (
            self.cluster,
            self.lease,
            self._takeover,
            self._handover,
        )
        if cluster is None or lease is None or takeover is None or handover is None:
            return None
        forwarding = cluster.forwarding
        gauges = {
            "server_number": self.node.key.number,
            "servers": sum(1 for member in lease.members if member.left_s > 0),
            "lines": sum(1 for far in cluster.servers if far.outbox is not None),
            "lease_seconds": lease.lease.left_s(),
            "lease_epoch": self.node.key.epoch,
            "forwards_waiting": forwarding.waiting(),
        }
        counters = {
            "forwards": forwarding.forwarded,
            "lease_failures": lease.failures,
            "rooms_taken": takeover.taken,
            "rooms_handed": handover.handed,
        }
        return ClusterFigures(
            self.node.key.number, forwarding.draining, gauges, counters, forwarding.times,
            takeover.times,
        )  # fmt: skip

    def leave_then(self, stop: Callable[[], None]) -> None:
        """Hand everything over, and end this server once that is done."""
        if self._handover is not None and self._leaving is None:
            self._leaving = asyncio.get_running_loop().create_task(self._handover.all())
            self._leaving.add_done_callback(partial(_ended, stop))

    async def leave(self) -> None:
        """Hand everything over in the time that there is; what is left others take once we end."""
        if self._handover is None or self.why is not None:
            return
        if self._leaving is None and self._handover.able():
            self._leaving = asyncio.get_running_loop().create_task(self._handover.all())
        if self._leaving is not None:
            await asyncio.wait([self._leaving], timeout=LEAVE_S)

    def send_all_away(self) -> None:
        """Have all connections come back at another server."""
        if self.cluster is not None:
            self.cluster.drain()
            others = [
                far.url
                for far in self.cluster.servers
                if far.outbox is not None and not far.draining
            ]
            for n, peer in enumerate(list(self.cluster.forwarding.peers.values())):
                at = others[n % len(others)] if others else None
                self.cluster.forwarding.send_away(peer, at or None)

    def close(self) -> None:
        """Let go of the line's address."""
        with suppress(OSError):
            self._socket.close()


def _ended(stop: Callable[[], None], leaving: asyncio.Task[None]) -> None:
    """End a server that has handed over what it had, or could not."""
    if leaving.cancelled():
        return
    error = leaving.exception()
    if error is not None:
        log.error("handing over has failed; the others take what is left", exc_info=error)
    stop()


def _secret(place: ClusterPlace) -> bytes:
    """Return the cluster's secret; one for servers of this machine alone is made if there is none.

    Raises:
        StoreError: it cannot be used.
    """
    path = place.secret
    try:
        if not path.exists() and _is_loopback(place.line.host):
            path.parent.mkdir(parents=True, exist_ok=True)
            _make_secret(path)
        return read_secret(path)
    except BadSecret as error:
        raise StoreError(str(error)) from None
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from None


def _make_secret(path: Path) -> None:
    """Write a new secret, unless another server of this machine does so in this moment."""
    own = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        whole_file.write(own, (secrets.token_urlsafe(32) + "\n").encode(), private=True)
        os.link(own, path)  # whole, or not at all
    except FileExistsError:
        pass
    finally:
        own.unlink(missing_ok=True)
    whole_file.sync_folder(path.parent)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _bound(line: LineAddress) -> socket.socket:
    family = socket.AF_INET6 if ":" in line.host else socket.AF_INET
    try:
        return socket.create_server((line.host, line.port), family=family)
    except OSError as error:
        raise StoreError(f"the line cannot listen at {line}: {error.strerror}") from None


def parse_line(text: str) -> LineAddress:
    """Read HOST:PORT.

    Raises:
        StoreError: it is none.
    """
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdecimal() or int(port) > 65_535:
        raise StoreError(f"{text!r} is no address of a line: it is HOST:PORT")
    return LineAddress(host.strip("[]"), int(port))
