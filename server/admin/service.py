"""Does what the host asks: one act after the other, stored before it is carried out.

core/requests.py says what may be asked, core/rules.py what follows from it for those who come
later; here it happens to those who are here.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple, TypeAlias, assert_never

from protocol.errors import Code, Refusal
from protocol.messages import Notice
from server.admin.core import views
from server.admin.core.events import (
    HOUSE_LOG,
    Drained,
    HouseEvent,
    Kicked,
    LadderOrdered,
    Lifted,
    Noticed,
    Released,
    Restraint,
    Restricted,
    RoomShut,
    RoomsShut,
    Target,
    read,
)
from server.admin.core.requests import MAX_ROWS, Fields
from server.admin.core.rules import DRAIN, MAX_RESTRICTIONS, HouseRules
from server.admin.core.views import Done, Listing, NodeView
from server.admin.ladders import NO_SERVER, LadderDesk
from server.core.admission.networks import network_of
from server.core.events import NotReplayed, write_body
from server.core.orders import Close
from server.core.room import HOUSE
from server.hub import Hub
from server.net.addresses import address_of
from server.rooms.peers import Peer, connections_of, send_all
from server.store.contract import EventRow, ForgottenRow, Row

log = logging.getLogger("plyhouse")
MAX_WAITING: Final = 32  # acts, of which one is stored at a time
DRAINED_S: Final = 0.5  # between two looks at whether the last match is over

NOBODY: Final = "admin/nobody"  # codes of what a host is refused
NO_ROOM: Final = "admin/no-room"
NOT_RESTRICTED: Final = "admin/not-restricted"
OWN: Final = "admin/own"
BUSY: Final = "admin/busy"
NOT_STORED: Final = str(Code.SERVER_NOT_STORED)

Answer: TypeAlias = Callable[[Done | Listing | Refusal], None]
Perform: TypeAlias = Callable[[], str]  # carries an act out, and says what came of it


class Act(NamedTuple):
    """What is to be stored, and done then.  `rows`: what is stored with the event."""

    event: HouseEvent
    perform: Perform
    rows: tuple[Row, ...] = ()


class Wish(NamedTuple):
    """An act that was asked for; it is decided about in its turn."""

    fields: Fields
    by: str
    answer: Answer


class AdminService:
    """What a host can see and do.  `stop` ends the server in good order.

    `nodes` returns all servers, where there are several; `leave` hands over what this one has, too.
    """

    def __init__(
        self, hub: Hub, stop: Callable[[], None],
        nodes: Callable[[], Sequence[NodeView]] = tuple, leave: Callable[[], None] | None = None,
    ) -> None:  # fmt: skip
        self.hub, self.store, self._now = hub, hub.rooms.store, hub.now
        self.rules: HouseRules = hub.rules
        self._stop, self.nodes = stop, nodes
        self._leave = leave or stop
        self.acted: list[Callable[[int], None]] = []  # hear the seq of each act that is stored
        self._ladders = LadderDesk(hub.services.ladders)
        self._wishes: deque[Wish] = deque()
        self._busy = False
        self._timer: asyncio.TimerHandle | None = None  # of the end of a drain

    def ask(self, verb: str, given: Mapping[str, str], by: str, answer: Answer) -> None:
        """Answer what the host asks for, now or once it is stored.  `by`: from which address.

        A refusal is an answer, too.
        """
        try:
            fields = Fields(verb, given)
            if fields.changes:
                self._wish(Wish(fields, by, answer))
            elif verb == "log":
                self._read_log(fields.rows(), answer)
            else:
                answer(self._listing(verb))
        except Refusal as no:
            answer(no)

    # ------------------------------------------------------------ what the host sees

    def _listing(self, verb: str) -> Listing:
        now = self._now()
        match verb:
            case "who":
                rows: list[object] = list(self._visitors(now))
            case "rooms":
                actors, total = self.hub.rooms.newest(MAX_ROWS), self.hub.rooms.total()
                address = self.hub.admission.address
                newest = tuple(
                    views.room_view(a.room, len(a.peers), address(a.room.number), now)
                    for a in actors
                )
                return Listing(newest, total, self._state())
            case "ladders":
                rows = list(self.hub.services.ladders.lines())
            case "nodes":
                rows = list(self.nodes())
            case "disk":
                disk, reserve = self.hub.rooms.disk, self.hub.config.disk_reserve_bytes
                rows = [*views.disk_rows(*disk.space(now), reserve, disk.stored_lately(now))]
            case "bans":
                rows = [views.restriction_row(each, now) for each in self.rules.restrictions(now)]
            case _:
                raise AssertionError(f"core/requests.py knows {verb}, and nobody here does it")
        return Listing(tuple(rows[:MAX_ROWS]), len(rows), self._state())

    def _state(self) -> str:
        return "draining" if self.rules.draining else ""

    def _visitors(self, now: int) -> Iterator[views.VisitorRow]:
        here = self.hub.lobby.connected.values()
        for presence in sorted(here, key=lambda each: each.who.title().casefold()):
            who = presence.who
            addresses = [peer.transport.origin for peer in connections_of(self.hub.lobby, who)]
            yield views.VisitorRow(
                name=who.name,
                program=who.program,
                addresses=tuple(sorted(addresses)),
                rooms=tuple(sorted(presence.rooms)),
                muted=any(self.rules.restriction("mute", who.name, a, now) for a in addresses),
            )

    def _read_log(self, rows: int, answer: Answer) -> None:
        def show(events: list[EventRow] | None) -> None:
            if events is None:
                answer(Refusal(NOT_STORED, "the log cannot be read now"))
                return
            answer(Listing(tuple(map(_log_row, reversed(events))), self.rules.seq))

        self.store.read_events(HOUSE_LOG, max(0, self.rules.seq - rows), rows, show)

    # ------------------------------------------------------------ one act after the other

    def _wish(self, wish: Wish) -> None:
        if len(self._wishes) >= MAX_WAITING:
            raise Refusal(BUSY, "too many acts wait to be stored; ask again in a moment")
        self._wishes.append(wish)
        self._next()

    def _next(self) -> None:
        while self._wishes and not self._busy:
            wish = self._wishes.popleft()
            try:
                act = self._decide(wish)
            except Refusal as no:
                wish.answer(no)
                continue
            self._busy = True
            event = act.event
            seq, epoch = self.rules.seq + 1, self.store.epoch
            row = EventRow(HOUSE_LOG, seq, epoch, event.kind, None, write_body(event))
            self.store.append([row, *act.rows], partial(self._stored, wish, act))

    def _stored(self, wish: Wish, act: Act, error: Exception | None) -> None:
        self._busy = False
        if error is not None:
            log.error("an act of the host: not stored: %s", error)
            wish.answer(Refusal(NOT_STORED, "the server could not store this; it did not happen"))
        else:
            self.rules.fold(act.event, seq=self.rules.seq + 1)
            wish.answer(Done(act.perform()))
            for tell in self.acted:
                tell(self.rules.seq)
        self._next()

    def _decide(self, wish: Wish) -> Act:
        fields, by, now = wish.fields, wish.by, self._now()
        match fields.verb:
            case "ban" | "mute" as restraint:
                return self._restrict(restraint, fields, by, now)
            case "unban" | "unmute" as verb:
                return self._lift("ban" if verb == "unban" else "mute", fields, by, now)
            case "kick":
                return self._kick(fields, by, now)
            case "close":
                return self._close(fields, by, now)
            case "release":
                return self._release(fields, by, now)
            case "ladder":
                act = self._ladders.decide(fields, by, now)
                return Act(act.event, act.perform)
            case "notice":
                text, until = fields.text(), fields.until(now)
                event = Noticed(now, by, text, until)
                return Act(event, lambda: f"{_count(self._tell(text), 'connection')} told")
            case "drain" if fields.server():
                return self._drain_one(fields.server(), by, now)
            case "drain":
                at_once = self.rules.draining
                return Act(Drained(now, by, at_once), self._end if at_once else self._drain)
            case verb:
                raise AssertionError(f"core/requests.py knows {verb}, and nobody here does it")

    # ------------------------------------------------------------ people

    def _restrict(self, restraint: Restraint, fields: Fields, by: str, now: int) -> Act:
        target = _target(fields.target())
        self.rules.forget_expired(now)
        if len(self.rules.restrictions(now)) >= MAX_RESTRICTIONS:
            raise Refusal(BUSY, f"{MAX_RESTRICTIONS:,} bans and mutes are the most; lift some")
        event = Restricted(now, by, restraint, target, fields.until(now), fields.why())

        def perform() -> str:
            done = f"{target.text} is {views.DONE[restraint]}"
            if restraint == "mute":
                return done
            return f"{done}; {_count(self._turn_away(), 'connection')} ended"

        return Act(event, perform)

    def _turn_away(self) -> int:
        """End the connections of those who are banned, and return how many."""
        now, welcomed = self._now(), [peer for peer in self.hub.peers if peer.who is not None]
        return sum(self.hub.sessions.turn_away(peer, peer.me(), now) for peer in welcomed)

    def _lift(self, restraint: Restraint, fields: Fields, by: str, now: int) -> Act:
        target = _target(fields.target())
        if not self.rules.is_restricted(restraint, target, now):
            raise Refusal(NOT_RESTRICTED, f"{target.text} is not {views.DONE[restraint]}")
        done = f"{target.text} is {views.UNDONE[restraint]}"
        return Act(Lifted(now, by, restraint, target), lambda: done)

    def _kick(self, fields: Fields, by: str, now: int) -> Act:
        name, why = fields.name(), fields.why()
        _check_not_own(name)
        if not self._links(name):
            raise Refusal(NOBODY, f"nobody called {name!r} is connected")

        def perform() -> str:
            text = f"the host has ended your connection{_because(why)}"
            links = self._links(name)
            for peer in links:
                peer.bye(Code.SESSION_KICKED, text, 1008)
            return f"{_count(len(links), 'connection')} of {name} ended"

        return Act(Kicked(now, by, name, why), perform)

    def _release(self, fields: Fields, by: str, now: int) -> Act:
        names = self.hub.lobby.names
        name = fields.name()
        _check_not_own(name)
        number = names.by_name.get(name.casefold())
        if number is None:
            raise Refusal(NOBODY, f"nobody has the name {name!r}")
        name = names.sessions[number].name

        def perform() -> str:
            links = [peer for peer in self._present() if peer.me().session == number]
            for peer in links:
                peer.bye(Code.SESSION_RELEASED, "the host has set this name free", 1008)
                self.hub.sessions.lost(peer)
            session = names.sessions.get(number)
            if session is not None:
                names.drop(session)
            self.hub.sessions.forget(number)  # as its connections have gone, it was stored again
            return f"the name {name} is free; {_count(len(links), 'connection')} ended"

        return Act(Released(now, by, name, number), perform, (ForgottenRow(number),))

    def _links(self, name: str) -> list[Peer]:
        """Return the connections of a name, or of `name/program` alone."""
        key = name.casefold()
        return [
            peer
            for peer in self._present()
            if key in (peer.me().name.casefold(), peer.me().title().casefold())
        ]

    def _present(self) -> list[Peer]:
        """Return the connections of all who are here, at whichever server."""
        lobby = self.hub.lobby
        here = list(lobby.connected.values())
        return [peer for presence in here for peer in connections_of(lobby, presence.who)]

    # ------------------------------------------------------------ rooms, and the whole house

    def _close(self, fields: Fields, by: str, now: int) -> Act:
        if fields.of():
            return self._close_all(_target(fields.of()), fields.why(), by, now)
        number, why = fields.room(), fields.why()
        if self.hub.rooms.room(number) is None:
            raise Refusal(NO_ROOM, f"room {number} is not open")

        def perform() -> str:
            self._shut(number, why)
            return f"room {number} is closed"

        return Act(RoomShut(now, by, number, why), perform)

    def _close_all(self, target: Target, why: str, by: str, now: int) -> Act:
        if not self._opened_by(target):
            raise Refusal(NO_ROOM, f"no room is open that {target.text} has opened")

        def perform() -> str:
            return f"{_count(self._shut_all(target, why), 'room')} of {target.text} closed"

        return Act(RoomsShut(now, by, target, why), perform)

    def _opened_by(self, target: Target) -> list[int]:
        """Return the rooms that a name, or an address, has opened since the server's start."""
        admission = self.hub.admission
        if target.kind == "address":
            return admission.opened_from(target.text)
        number = self.hub.lobby.names.by_name.get(target.text.casefold())
        return admission.opened_by([number] if number is not None else [])

    def _shut_all(self, target: Target, why: str) -> int:
        """Close the rooms of somebody, as far as they are here, and return how many there were."""
        numbers = self._opened_by(target)
        for number in numbers:
            self.hub.rooms.room(number)  # it is loaded then
            self._shut(number, why)
        return len(numbers)

    def _shut(self, number: int, why: str) -> None:
        actor = self.hub.rooms.actors.get(number)
        if actor is not None:
            text = f"The host has closed room {number}{_because(why)}."
            send_all(actor.peers, Notice(text=text))
            actor.tell(Close(f"closed by the host{_because(why)}"), None, self._now())

    def _tell(self, text: str) -> int:
        """Push a notice to all who were welcomed, and return how many that are."""
        peers = [peer for peer in self.hub.peers if peer.presence is not None]
        send_all(peers, Notice(text=text))
        return len(peers)

    def _drain(self) -> str:
        """Let nothing new begin, tell all, and stop with the last match."""
        self.rules.draining = True
        self.hub.services.ladders.drain()
        told = self._tell(DRAIN)
        left = self._matches()
        self._look_whether_drained()
        return f"{_count(told, 'connection')} told; {_count(left, 'match', 'matches')} to wait for"

    def _drain_one(self, server: int, by: str, now: int) -> Act:
        """Have one of several servers hand over what it has, and end."""
        nodes = {row.node: row for row in self.nodes()}
        row = nodes.get(server)
        if row is None:
            there = ", ".join(map(str, sorted(nodes))) or "none; this one is alone"
            raise Refusal(NO_SERVER, f"there is no server {server}; there are: {there}")
        if not row.drains and all(other.drains for other in nodes.values() if other is not row):
            text = f"there is no other server to take what server {server} has; `drain` alone ends"
            raise Refusal(NO_SERVER, f"{text} the whole house once its matches are over")
        event = Drained(now, by, row.drains, server)

        def perform() -> str:
            self._follow_drain(event)
            if event.at_once:
                return f"server {server} stops now; the others take over what it still has"
            return f"server {server} hands over {_count(row.rooms, 'room')}, and stops then"

        return Act(event, perform)

    def _follow_drain(self, event: Drained) -> None:
        """Do what one server is asked for, if it is this one."""
        if any(row.here and row.node == event.server for row in self.nodes()):
            if event.at_once:
                self._end()
            else:
                self._leave()

    def _look_whether_drained(self) -> None:
        if self._matches():
            self._later(DRAINED_S, self._look_whether_drained)
        else:
            self._later(DRAINED_S, self._stop)  # what came last is still stored

    def _matches(self) -> int:
        """Count the matches that somebody who plays in them is here for; others wait in the log."""
        return sum(
            1
            for actor in self.hub.rooms.actors.values()
            if actor.room.state == "playing" and None in actor.room.away
        )

    def _end(self) -> str:
        self._later(0, self._stop)
        return "the server stops now"

    def _later(self, wait_s: float, call: Callable[[], None]) -> None:
        self.close()
        self._timer = self.hub.rooms.clock.call_later(wait_s, call)

    # ------------------------------------------------------------ acts of other servers

    def catch_up(self, seq: int) -> None:
        """Follow what the host has asked of other servers, up to this act."""
        if seq > (since := self.rules.seq):
            self.store.read_events(HOUSE_LOG, since, seq - since, partial(self._follow, seq))

    def _follow(self, seq: int, rows: list[EventRow] | None) -> None:
        if rows is None:  # a ban is none that some servers do not know of
            wait_s = self.hub.config.retry_ms / 1000
            self.hub.rooms.clock.call_later(wait_s, partial(self.catch_up, seq))
        for row in rows or ():
            if row.seq != self.rules.seq + 1:
                continue  # it was read twice
            try:
                event = read(row.kind, row.body)
                self.rules.fold(event, seq=row.seq)
            except NotReplayed as error:
                log.error("an order of the host, seq %d, cannot be read: %s", row.seq, error)
                self.rules.seq = row.seq
            else:
                self._perform_here(event)

    def _perform_here(self, event: HouseEvent) -> None:
        """Do what an act of another server means here; that one ends whom it names itself."""
        match event:
            case Restricted(restraint="ban"):
                self._turn_away()
            case Noticed():
                self._tell(event.text)
            case RoomShut():
                self._shut(event.room, event.why)
            case RoomsShut():
                self._shut_all(event.target, event.why)
            case Drained(server=0, at_once=True):
                self._end()
            case Drained(server=0):
                self._drain()
            case Drained():
                self._follow_drain(event)
            case Restricted() | Lifted() | Kicked() | Released() | LadderOrdered():
                pass
            case _:
                assert_never(event)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()


def _log_row(row: EventRow) -> views.LogRow:
    try:
        return views.log_row(row.seq, read(row.kind, row.body))
    except NotReplayed as error:
        return views.LogRow(row.seq, 0, "", row.kind, f"cannot be read: {error}")


def _target(text: str) -> Target:
    address = address_of(text) or network_of(text)
    if address:
        return Target("address", address)
    _check_not_own(text)
    return Target("name", text)


def _check_not_own(name: str) -> None:
    if name.casefold() == HOUSE.name or name.casefold().startswith(f"{HOUSE.name}/"):
        raise Refusal(OWN, f"{name} is the server's own; `plyhouse serve` runs without its bots")


def _because(why: str) -> str:
    return f": {why}" if why else ""


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
