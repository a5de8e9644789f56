"""Runs the core: one actor a room, without task, queue or lock.

A room takes its next message only when the events of the last one are durable: until then `busy`
is set, and what comes waits in a bounded inbox.  Then the new room replaces the old, and only then
is anything sent.  The one variable that says which value a room has is RoomActor.room.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

from msgspec.structs import replace

from games.clock import LAG_PER_MOVE
from games.game import BrokenRules
from protocol.errors import Code, Refusal
from protocol.messages import Error, Ok, Play, Request
from server.config import BYTES_PER_MICRO, PUSH, REPEATED, STORED_BYTE, STORED_BYTES
from server.core import life, playing
from server.core import room as rooms
from server.core.effects import (
    Ask,
    Broadcast,
    Dismiss,
    Effect,
    Follow,
    LogError,
    Reply,
    Resend,
    SendInvitation,
    ShowMatch,
    ShowRoom,
)
from server.core.events import Closed, Ended, Event, Played, Who, write_body
from server.core.orders import Alarm, Emptied, Occupied, Order, Restarted, Stalled, Unstalled
from server.core.room import NOBODY, Asker, Room
from server.rooms import peers
from server.rooms import snapshot as snapshots
from server.rooms.disk import A_ROW
from server.rooms.host import Host
from server.rooms.index_rows import rows_at_end
from server.rooms.match_view import MatchView
from server.rooms.peers import AT_ONCE, Delivery, Peer, Refused
from server.rooms.room_view import SharedRoom
from server.rooms.snapshot import Base
from server.store.contract import EventRow, Fenced, Row

log = logging.getLogger("plyhouse")


class RoomActor:
    """The owner of one room."""

    __slots__ = (
        "base", "broadcasts", "busy", "host", "inbox", "leaving", "next_base", "peers", "pending",
        "room", "stalled", "timer", "timer_at",
    )  # fmt: skip

    def __init__(self, host: Host, room: Room, base: Base | None = None) -> None:
        self.host = host
        self.room = room
        self.base = base  # what the room was before its newest match, if that is not its first
        self.next_base = base  # the same once what is pending is stored
        self.peers: list[Peer] = []
        self.busy = False
        self.broadcasts: list[tuple[Callable[[Peer], bytes], Delivery, str | None]] = []
        self.stalled = False  # from a failed append until the log can be written again
        self.inbox: deque[Delivery] | None = None  # made when something has to wait
        self.leaving: Callable[[], None] | None = None  # called once nothing is being stored
        self.pending: tuple[Room, Sequence[Effect], Delivery] | None = None
        self.timer: asyncio.TimerHandle | None = None
        self.timer_at = 0

    def ask(self, request: Request, peer: Peer, now: int, refused: Refused = None) -> None:
        """Take a player's request in its turn.

        Raises:
            Refusal: room/busy, if too much waits already.
        """
        asker = Asker(peer.who or peer.me(), peer.lag, self.room.number in peer.follows)
        delivery = Delivery(request, asker, peer, now, refused)
        if self.busy:
            peers.check_inbox(self.inbox or (), peer, self.host.config)
        self._deliver(delivery)

    def tell(self, order: Order, who: Who | None, now: int) -> None:
        """Take an order of the server, which is never refused."""
        self._deliver(Delivery(order, Asker(who) if who is not None else NOBODY, None, now))

    def _deliver(self, delivery: Delivery) -> None:
        if not self.busy:
            self._handle(delivery)
        elif self.inbox is None:
            self.inbox = deque((delivery,))
        else:
            self.inbox.append(delivery)

    def _handle(self, delivery: Delivery) -> None:
        """Ask the core; what it wants stored is performed when it is durable."""
        message, asker, now = delivery.message, delivery.asker, delivery.now
        try:
            if type(message) is Play and message.note is not None and self.host.disk.is_tight:
                message = self.host.disk.let_play(message, delivery.peer, now)
            room, events, effects = life.handle(self.room, message, asker, now, self.host.fresh)
            if events:
                self.commit(room, events, effects, delivery)
            else:
                self.room = room
                self._perform(effects, delivery)
                self._rearm()
        except Refusal as no:
            delivery.refuse(no)
        except Exception:  # noqa: BLE001 - a bug closes this room alone; `_fail` logs it
            self._fail(delivery)

    def commit(
        self,
        room: Room,
        events: Sequence[Event],
        effects: Sequence[Effect],
        delivery: Delivery,
        more: Sequence[Row] = (),
    ) -> None:
        """Have events stored, and `more` beside them; the room waits until they are."""
        rows, peer = self._rows(room, events, more), delivery.peer
        if peer is not None:  # beside what its request costs: see Disk
            size = sum([A_ROW + len(row.body) for row in rows if type(row) is EventRow])
            if peer.stored is None:
                peer.stored = self.host.disk.allowances(peer.transport.origin, delivery.now)
            for left in peer.stored:
                left.level -= size
            if size > STORED_BYTES:
                peer.charge((size - STORED_BYTES) * STORED_BYTE)
        self.busy, self.pending = True, (room, effects, delivery)
        times, done = self.host.times, self._stored
        self.host.store.append(rows, done if times.begun is None else times.measured(rows, done))

    def _rows(self, room: Room, events: Sequence[Event], more: Sequence[Row] = ()) -> list[Row]:
        epoch, number, seq = self.host.store.epoch, room.number, room.seq - len(events)
        rows: list[Row] = []
        for event in events:
            seq += 1
            match = room.played if type(event) is Played else rooms.match_of(room, event)
            rows.append(EventRow(number, seq, epoch, event.kind, match, write_body(event)))
        if len(events) == 1 and type(events[0]) is Played:  # a ply more, too: see snapshot.MANY
            return rows
        if room.secret is self.host.fresh.secret or room.code is self.host.fresh.code:
            self.host.refresh()
        if Ended in map(type, events):
            rows += rows_at_end(room)
        old = self.room if self.room is not room else None
        self.next_base, changed = snapshots.rows_after(old, room, events, self.base)
        return [*rows, *changed, *more]

    def _stored(self, error: Exception | None) -> None:
        pending, self.pending, self.busy = self.pending, None, False
        if error is None:
            self.base = self.next_base
        else:
            self.next_base = self.base
        if pending is None:
            if self.room.state == "closed":  # it failed while this was being stored
                return
            raise AssertionError("the store answers each append once")
        room, effects, delivery = pending
        try:
            if error is not None:
                self._not_stored(error, room, delivery)
            else:
                self._take(room, effects, delivery)
        except Exception:  # noqa: BLE001 - a bug closes this room alone; `_fail` logs it
            self._fail(delivery)
        if self.inbox or self.leaving is not None:
            self.go_on()

    def when_stored(self, then: Callable[[], None]) -> None:
        """Call `then` once nothing is being stored, before anything else is done."""
        self.leaving = then
        self.go_on()

    def go_on(self) -> None:
        """Take what waits, until something has to be stored."""
        if self.leaving is not None and not self.busy:
            then, self.leaving = self.leaving, None
            then()
        while self.inbox and not self.busy:
            self._handle(self.inbox.popleft())
        if not self.inbox:
            self.inbox = None

    def _take(self, room: Room, effects: Sequence[Effect], delivery: Delivery) -> None:
        """Replace the room, as its events are durable, and announce it."""
        old, self.room = None if room is self.room else self.room, room
        news = self.host.announcements
        for announce in news.stored:
            announce(old, room)
        if old is None or room.state != old.state:
            for announce in news.changed:
                announce(old, room)
        seats = old.seats if old is not None else (None, None)
        if room.seats is not seats and room.seats != seats and room.seats != seats[::-1]:
            for announce in news.reseated:
                announce(old, room)
        self._perform(effects, delivery)
        self._rearm()
        if room.leg is not None:
            for who in room.seats if old is None else ():  # who have not asked to see it
                for peer in peers.connections_of(self.host.lobby, who) if who is not None else ():
                    self.follow(peer)
            self._announce_leg()

    def _announce_leg(self) -> None:
        """Let its ladder decide what comes next."""
        if self.room.leg is not None:
            for announce in self.host.announcements.leg_changed:
                announce(self.room)

    def _not_stored(self, error: Exception, room: Room, delivery: Delivery) -> None:
        code = {"code": Code.SERVER_NOT_STORED}
        log.error("room %d: not stored: %s", self.room.number, error, extra=code)
        text = "the server could not store this, so it did not happen; clocks stand still"
        is_fenced = isinstance(error, Fenced)  # then it is not known here, and this server ends
        if not is_fenced:
            delivery.answer(Error(code=Code.SERVER_NOT_STORED, text=text))
        if room is self.room:  # it was being opened; waiting requests hear that it is closed
            self.room = replace(self.room, state="closed")
            self.host.remove(self.room.number)
        elif is_fenced:  # its new owner may have gone on: what is here would be to go back
            self.stalled = True
        else:
            self.host.not_stored(self.room.number, error, delivery.now)

    def stall(self, now: int) -> None:
        """Stand still: the log cannot be written, or it is not known whether it can."""
        self.stalled = True
        for announce in self.host.announcements.stalled:
            announce(self.room)
        self._handle(Delivery(Stalled(), NOBODY, None, now))  # no player pays for retries

    def unstall(self) -> None:
        """Go on: the log can be written again."""
        self.stalled = False
        delivery = Delivery(Unstalled(), NOBODY, None, self.host.now())
        self._deliver(delivery)
        try:
            self._announce_leg()  # what was not stored may be due again
        except Exception:  # noqa: BLE001 - a bug closes this room alone; `_fail` logs it
            self._fail(delivery)

    def _fail(self, delivery: Delivery) -> None:
        """Close a room in which the server has a bug, and tell everybody who asked or follows.

        The bug costs this room alone.  Its log stays for the host to look into.  Rules that fail
        at showing what they led to cost a match that is on, if it can be shown without them.
        """
        error = sys.exception()
        if isinstance(error, BrokenRules) and self.room.playing() is not None:
            with suppress(BrokenRules):  # which may be unable to write the position
                now, fresh = self.host.now(), self.host.fresh
                self.commit(*life.give_up(self.room, delivery.asker, now, fresh, error), delivery)
                return
        room, text = self.room, "the server made a mistake in this room and closed it"
        if isinstance(error, BrokenRules):
            text = f"the rules of {room.game} failed, so this room was closed"
        code = {"code": Code.ROOM_FAILED}
        log.exception("room %d failed after seq %d", room.number, room.seq, extra=code)
        unanswered, self.inbox, self.pending = (delivery, *(self.inbox or ())), None, None
        for each in unanswered:
            each.answer(Error(code=Code.ROOM_FAILED, text=text))
        others = [peer for peer in self.peers if peer is not delivery.peer]
        peers.send_all(others, Error(code=Code.ROOM_FAILED, text=text))
        self.room = replace(room, state="closed")
        closed, at = replace(self.room, seq=room.seq + 1), max(self.host.now(), room.touched)
        self.host.store.append(self._rows(closed, [Closed(at, text)], ()), self._failed)
        self.host.remove(room.number)

    def _failed(self, error: Exception | None) -> None:
        if error is not None:
            log.error("room %d opens again at the next start: %s", self.room.number, error)

    def _perform(self, effects: Sequence[Effect], delivery: Delivery) -> None:
        if len(effects) > 1 and not self.host.batch.open:
            with self.host.batch:
                self._perform(effects, delivery)
            return
        answered = False
        for effect in effects:
            answered |= PERFORM[type(effect)](self, effect, delivery)
        peer, number = delivery.peer, getattr(delivery.message, "id", None)  # no order has one
        if not answered and peer is not None and number is not None:
            peer.send(Ok(seq=self.room.seq, re=number))  # it was granted
        if self.broadcasts:
            self._send_to_crowd()
        if self.room.state == "closed":
            self.host.remove(self.room.number)

    def _show_match(self, effect: ShowMatch, delivery: Delivery) -> bool:
        """Send the match's state to all who follow the room, and start its clock."""
        now, match = self.host.now(), self.room.match
        assert match is not None, "only a match asks to be shown"
        view = MatchView(self.room, match, now)
        self._send(view.frame_for, delivery, match.name)
        self.room = playing.shown(self.room, match.turn, now)
        return False

    def _show_room(self, effect: ShowRoom, delivery: Delivery) -> bool:
        """Send the room's state to all who follow it, and announce it."""
        self._send(SharedRoom(self.room, self._watching(), self.host.now()).frame_for, delivery)
        for announce in self.host.announcements.shown:
            announce(self.room)
        return False

    def _broadcast(self, effect: Broadcast, delivery: Delivery) -> bool:
        seat_of, to = self.room.seat_of, effect.seated
        heard = [peer for peer in self.peers if to in (None, seat_of(peer.who) is not None)]
        self._charge(heard, peers.send_all(heard, effect.message), delivery)
        return False

    def _reply(self, effect: Reply, delivery: Delivery) -> bool:
        delivery.answer(effect.message)
        return delivery.request is not None

    def _resend(self, effect: Resend, delivery: Delivery) -> bool:
        if delivery.peer is not None:
            delivery.peer.charge(REPEATED)
            self._show_match_to(delivery.peer)
        return False

    def _dismiss(self, effect: Dismiss, delivery: Delivery) -> bool:
        for peer in [peer for peer in self.peers if effect.who.same(peer.who)]:
            self.unfollow(peer)
        return False

    def _send_invitation(self, effect: SendInvitation, delivery: Delivery) -> bool:
        if delivery.peer is not None:
            self.host.invite(self.room.number, effect, delivery.peer)
        return False

    def _log_error(self, effect: LogError, delivery: Delivery) -> bool:
        log.error("match %s", effect.text)
        return False

    def _ask(self, effect: Ask, delivery: Delivery) -> bool:
        if delivery.peer is not None and delivery.request is not None:
            self.host.ask_hint(effect, delivery.peer, delivery.request)
        return True

    def _send(
        self, frame_for: Callable[[Peer], bytes], delivery: Delivery, key: str | None = None
    ) -> None:
        """Send all who follow the room a frame, the players before all others."""
        everybody = self.peers[:AT_ONCE]
        if len(self.peers) > AT_ONCE:
            self.broadcasts.append((frame_for, delivery, key))
        for peer in everybody:
            peer.transport.push(frame_for(peer), key)
        if len(self.peers) > 2 or type(delivery.message) is not Play:
            self._charge(everybody, sum([len(frame_for(peer)) for peer in everybody]), delivery)

    def _send_to_crowd(self) -> None:
        """Send the crowd what the first few were sent at once: it takes long."""
        crowd, waiting, self.broadcasts = self.peers[AT_ONCE:], self.broadcasts, []
        for frame_for, delivery, key in waiting:
            self._charge(crowd, peers.send_in_turn(crowd, frame_for, key), delivery)

    def _charge(self, audience: Sequence[Peer], sent: int, delivery: Delivery) -> None:
        """Charge the one who asked for the bytes that these were sent.

        A play costs its player nothing, so those who look on pay: else one address could have many
        look on while it plays with itself.
        """
        if type(delivery.message) is Play:
            for peer in audience:
                if self.room.seat_of(peer.who) is None:
                    peer.charge(PUSH + sent / len(audience) / BYTES_PER_MICRO)
        elif delivery.peer is not None:
            delivery.peer.charge(PUSH * len(audience) + sent / BYTES_PER_MICRO)

    def _show_match_to(self, peer: Peer) -> None:
        """Send the match's state, if there has been one, to one connection."""
        now, match = self.host.now(), self.room.match
        if match is None:
            return
        view = MatchView(self.room, match, now)
        own = view.view_of(peer)
        peer.send_payload(view.payload(own, peer.text), match.name)
        if own is not None and own[0] == match.position.to_move:
            self.room = playing.shown(self.room, match.turn, now)

    def _set_follow(self, effect: Follow, delivery: Delivery) -> bool:
        """Let the asker's connection follow or not."""
        peer = delivery.peer
        if peer is None:
            return False
        if not effect.on:
            self.unfollow(peer)
            return False
        if peer.state == "gone" and self.room.seat_of(peer.who) is not None:
            for other in peers.connections_of(self.host.lobby, delivery.asker.who):  # it came again
                self.follow(other)
            return True
        self.follow(peer, delivery.request.id if delivery.request is not None else None)
        return True

    def follow(self, peer: Peer, re: int | None = None) -> None:
        """Show a connection all that happens here from now on, beginning with the present state."""
        if peer.state == "gone":
            return
        if self.room.number not in peer.follows:
            was_empty = not self._is_occupied()
            peer.follow(self.room.number)
            is_player = self.room.seat_of(peer.who) is not None
            self.peers.insert(0 if is_player else len(self.peers), peer)
            if was_empty and self.room.hosts(peer.who):
                self.tell(Occupied(), peer.who, self.host.now())
        with self.host.batch:
            now = self.host.now()
            peer.send(peers.with_re(rooms.state(self.room, peer.who, self._watching(), now), re))
            self._show_match_to(peer)

    def unfollow(self, peer: Peer) -> None:
        """Show a connection this room no more."""
        peer.unfollow(self.room.number)
        if peer not in self.peers:
            return
        self.peers.remove(peer)
        if self.room.state != "closed" and self.room.hosts(peer.who) and not self._is_occupied():
            self.tell(Emptied(), peer.who, self.host.now())

    def _is_occupied(self) -> bool:
        """Return whether somebody follows the room whose presence keeps it open."""
        return any(self.room.hosts(peer.who) for peer in self.peers)

    def _watching(self) -> int:
        seats, seat_of = self.room.seats, self.room.seat_of
        return sum(1 for p in self.peers if p.who not in seats and seat_of(p.who) is None)

    def _rearm(self) -> None:
        """Have the timer ring when the room wants it; too early costs less than one a move."""
        clock = self.room.match.clock if self.room.match is not None else None
        if (
            self.timer is not None and clock is not None and clock.lasts(self.timer_at)
            and self.room.leg is None
        ):  # fmt: skip
            return  # nearly always after a play
        due = playing.wake_at(self.room)
        if due is None or self.stalled or (self.timer is not None and self.timer_at <= due):
            return  # where the log cannot be written nothing that is due could be stored
        self.cancel_timer()
        if clock is not None and clock.timed:
            # Before the flag, whatever lag is forgiven: so the next play need not set it anew.
            early = due - LAG_PER_MOVE - 1
            due = early if early > self.host.now() else due
        self.timer_at = due
        self.timer = self.host.clock.call_at(due, self._ring)

    def _ring(self) -> None:
        self.timer = None
        due, now = playing.wake_at(self.room), self.host.now()
        if due is not None and due <= now and not self.stalled:
            self.tell(Alarm(), None, now)
        if not self.busy:
            self._rearm()

    def start(self, at: int, used: int = 0, until: int = 0) -> None:
        """Do what is due after the log was read; `at`: when this server began; see Restarted."""
        self.tell(Restarted(used, until), None, at)
        self._ring()

    def stop(self) -> None:
        """End: the room is closed."""
        self.cancel_timer()
        for peer in list(self.peers):
            self.unfollow(peer)

    def cancel_timer(self) -> None:
        """Let no timer ring any more."""
        if self.timer is not None:
            self.timer.cancel()


# What the core asks for; each returns whether that is the answer to the request.
PERFORM: Final[dict[type[Effect], Callable[[RoomActor, Any, Delivery], bool]]] = {
    ShowMatch: RoomActor._show_match,
    ShowRoom: RoomActor._show_room,
    Broadcast: RoomActor._broadcast,
    Reply: RoomActor._reply,
    Resend: RoomActor._resend,
    Follow: RoomActor._set_follow,
    Dismiss: RoomActor._dismiss,
    SendInvitation: RoomActor._send_invitation,
    LogError: RoomActor._log_error,
    Ask: RoomActor._ask,
}
