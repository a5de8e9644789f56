"""Runs the core: one Keeper a room, one Peer a connection.  No task, no queue, no lock.

A room takes its next message only when the last one's events are durable: until then `busy` is set,
and what comes waits in a bounded inbox.  Then the new room replaces the old, and only then is
anything sent. The one variable that says which value a room has is Keeper.room.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from msgspec.structs import replace

from protocol import codec
from protocol.errors import Code, Refusal
from protocol.messages import Error, MatchState, Ok, Push, Request
from server.core import life, playing
from server.core import match as matches
from server.core import room as rooms
from server.core.effects import (
    Ask,
    Broadcast,
    Dismiss,
    Effect,
    Follow,
    Remind,
    Reply,
    ShowMatch,
    ShowRoom,
    Summon,
    refusal,
)
from server.core.events import KIND, Closed, Dealt, Event, Who, write_body
from server.core.lobby import Presence
from server.core.match import Match
from server.core.orders import Alarm, Order, Restarted, Stalled, Unstalled
from server.core.room import NOBODY, Asker, Room
from server.core.session import Bucket
from server.store.store import EventRow, RoomRow, Row

if TYPE_CHECKING:
    from server.house import House

log = logging.getLogger("plyhouse")
ROOM_EVENTS = frozenset({"created", "joined", "left", "ready", "said", "closed"})


class Line(Protocol):
    """What the runtime needs of a socket; gateway.Connection is one."""

    def push(self, frame: bytes, key: str | None) -> None:
        """Send a built frame; of two with the same key that still wait, the newer replaces the
        older.
        """

    def frame(self, payload: bytes, text: bool) -> bytes:
        """A payload as the bytes of one frame, the same for all lines."""

    def end(self, code: int, reason: str) -> None:
        """Close after what was pushed."""


class Peer:
    """One connection as the house sees it.

    `state` is a key of session.LIFE, or "gone" once nothing more comes from it.
    """

    __slots__ = (
        "bucket", "follows", "lag", "line", "presence", "state", "strikes", "text", "who",
    )  # fmt: skip

    def __init__(self, line: Line, bucket: Bucket) -> None:
        self.line = line
        self.bucket = bucket
        self.state = "new"
        self.text = False
        self.lag = 0
        self.strikes = 0
        self.who: Who | None = None
        self.presence: Presence | None = None
        self.follows: set[int] | None = None

    def send(self, message: Push, key: str | None = None) -> None:
        """Encode one message and send it."""
        self.line.push(self.line.frame(codec.encode(message, self.text), self.text), key)

    def refuse(self, no: Refusal, re: int | None) -> None:
        """Answer a request with a coded no."""
        error = refusal(no)
        self.send(Error(code=error.code, text=error.text, legal=error.legal,
                        suggestion=error.suggestion, re=re))  # fmt: skip

    def me(self) -> Who:
        """Who this is, once it has been welcomed."""
        if self.who is None:
            raise AssertionError("a connection that is not open asks for nothing but a welcome")
        return self.who

    def asker(self, room: int) -> Asker:
        """Who asks, for the core."""
        return Asker(self.me(), self.lag, self.follows is not None and room in self.follows)


class Waiting(NamedTuple):
    """A message for a room, and who is to be answered."""

    message: Request | Order
    asker: Asker
    peer: Peer | None
    now: int


class Keeper:
    """The owner of one room."""

    __slots__ = (
        "busy",
        "house",
        "inbox",
        "known",
        "peers",
        "pending",
        "room",
        "timer",
        "timer_at",
    )

    def __init__(self, house: House, room: Room) -> None:
        self.house = house
        self.room = room
        self.peers: list[Peer] = []
        self.busy = False
        self.inbox: deque[Waiting] | None = None  # made when something has to wait
        self.pending: tuple[Room, Sequence[Effect], Waiting] | None = None
        self.known: tuple[Who | None, Who | None] = (None, None)
        self.timer: asyncio.TimerHandle | None = None
        self.timer_at = 0

    # ------------------------------------------------------------ in

    def ask(self, request: Request, peer: Peer, now: int) -> None:
        """A player's request, in its turn; refused if too much waits already."""
        if self.busy:
            self._check_inbox(peer)
        self.deliver(Waiting(request, peer.asker(self.room.number), peer, now))

    def tell(self, order: Order, who: Who | None, now: int) -> None:
        """An order of the runtime's; never refused."""
        self.deliver(Waiting(order, Asker(who) if who is not None else NOBODY, None, now))

    def deliver(self, waiting: Waiting) -> None:
        """Handle a message now, or when the room is free."""
        if not self.busy:
            self._step(waiting)
        elif self.inbox is None:
            self.inbox = deque((waiting,))
        else:
            self.inbox.append(waiting)

    def _check_inbox(self, peer: Peer) -> None:
        inbox, config = self.inbox or (), self.house.config
        mine = sum(1 for waiting in inbox if waiting.peer is peer)
        if len(inbox) >= config.inbox or mine >= config.inbox_per_session:
            raise Refusal(
                Code.ROOM_BUSY, "too many requests wait in this room; ask again in a moment"
            )

    # ------------------------------------------------------------ the step

    def _step(self, waiting: Waiting) -> None:
        self._guard(waiting, self._handle, waiting)

    def _guard(self, waiting: Waiting, do: Callable[..., None], *given: object) -> None:
        """Do one half of a step.

        A bug of ours, of whatever kind, costs this room alone, and nobody waits for an answer
        for ever: it is logged with its traceback, the room is closed, and all in it are told.
        """
        try:
            do(*given)
        except Exception:  # noqa: BLE001 - whatever it is, `_fail` logs it
            self._fail(waiting)

    def _handle(self, waiting: Waiting) -> None:
        """Ask the core; what it wants stored is performed when it is."""
        try:
            room, events, effects = life.handle(
                self.room, waiting.message, waiting.asker, waiting.now, self.house.fresh
            )
            if events:
                self.commit(room, events, effects, waiting)
            else:
                self.room = room
                self._perform(effects, waiting)
                self._rearm()
        except Refusal as no:
            if waiting.peer is not None and isinstance(waiting.message, Request):
                waiting.peer.refuse(no, waiting.message.id)

    def commit(
        self, room: Room, events: Sequence[Event], effects: Sequence[Effect], waiting: Waiting
    ) -> None:
        """Have events stored; the room waits until they are."""
        rows = self._rows(room, events)
        if room.secret is self.house.fresh.secret or room.code is self.house.fresh.code:
            self.house.refresh()
        self.busy = True
        self.pending = (room, effects, waiting)
        self.house.store.append(rows, self._stored)

    def _rows(self, room: Room, events: Sequence[Event]) -> list[Row]:
        seq = room.seq - len(events)
        epoch, number, played = self.house.store.epoch, room.number, room.played
        rows: list[Row] = []
        for event in events:
            seq += 1
            kind = KIND[type(event)]
            match = None if kind in ROOM_EVENTS else played
            if type(event) is Dealt and room.leg is None:  # a pair's deal has a name of its own
                match = int(event.deal.rpartition(".")[2])
            rows.append(EventRow(number, seq, epoch, kind, match, write_body(event)))
        if seq == len(events):
            rows.append(RoomRow(number, 1))
        if type(events[-1]) is Closed:
            rows.append(RoomRow(number, 0))
        return rows

    def _stored(self, error: Exception | None) -> None:
        pending, self.pending, self.busy = self.pending, None, False
        if pending is None:
            raise AssertionError("the store answers each append once")
        room, effects, waiting = pending
        if error is None:
            self._guard(waiting, self._take, room, effects, waiting)
        else:
            self._guard(waiting, self._not_stored, error, room, waiting)
        while self.inbox and not self.busy:
            self._step(self.inbox.popleft())

    def _take(self, room: Room, effects: Sequence[Effect], waiting: Waiting) -> None:
        """The events are durable: what they made of the room is what it is now."""
        new = room is self.room
        self.house.events += room.seq if new else room.seq - self.room.seq
        self.room = room
        if self.known != room.seats:
            self.house.reseated(self)
        if new:
            self.house.listing.changed(self)
        self._perform(effects, waiting)
        self._rearm()
        if room.leg is not None:
            if new:  # a ladder seats its players: they need not ask to see it
                for who in room.seats:
                    for link in self.house.links(who) if who is not None else ():
                        self.follow(link)
            self.house.ladders.stepped(self)

    def _not_stored(self, error: Exception, room: Room, waiting: Waiting) -> None:
        log.error("room %d: not stored: %s", room.number, error)
        if waiting.peer is not None and isinstance(waiting.message, Request):
            text = "the server could not store this, so it did not happen; clocks stand still"
            waiting.peer.send(Error(code=Code.SERVER_NOT_STORED, text=text, re=waiting.message.id))
        if room is self.room:  # it was to be opened; who waits for it is told that it is closed
            self.room = replace(room, state="closed")
            self.house.remove(self)
            return
        self.house.outage.begin(self)
        self._step(Waiting(Stalled(), NOBODY, None, waiting.now))  # trying is charged to nobody

    def unstall(self) -> None:
        """The log can be written again."""
        self.tell(Unstalled(), None, self.house.now())
        if self.room.leg is not None:  # it may have told this room what was not stored
            self.house.ladders.stepped(self)

    def _fail(self, waiting: Waiting) -> None:
        """Close a room whose handling has failed, and tell all who asked or look on.

        Its log stays for whoever looks into it.
        """
        room, why = self.room, "the server made a mistake in this room and closed it"
        log.exception("room %d failed after seq %d", room.number, room.seq)
        asked, self.inbox = (waiting, *(self.inbox or ())), None
        for each in asked:
            if each.peer is not None and isinstance(each.message, Request):
                each.peer.send(Error(code=Code.ROOM_FAILED, text=why, re=each.message.id))
        for peer in self.peers:
            if peer is not waiting.peer:
                peer.send(Error(code=Code.ROOM_FAILED, text=why))
        self.room = replace(room, state="closed")
        body, epoch = write_body(Closed(self.house.now(), why)), self.house.store.epoch
        closed = EventRow(room.number, room.seq + 1, epoch, KIND[Closed], None, body)
        self.house.store.append([closed, RoomRow(room.number, 0)], self._failed)
        self.house.remove(self)

    def _failed(self, error: Exception | None) -> None:
        if error is not None:
            log.error("room %d opens again at the next start: %s", self.room.number, error)

    # ------------------------------------------------------------ out

    def _perform(self, effects: Sequence[Effect], waiting: Waiting) -> None:
        answered = False
        for effect in effects:
            answered |= _PERFORM[type(effect)](self, effect, waiting)
        if waiting.peer is not None and isinstance(waiting.message, Request) and not answered:
            re = waiting.message.id
            if re is not None:
                waiting.peer.send(Ok(re=re, seq=self.room.seq))
        if self.room.state == "closed":
            self.house.remove(self)

    def _reply(self, effect: Reply, waiting: Waiting) -> bool:
        if waiting.peer is None or not isinstance(waiting.message, Request):
            return False
        waiting.peer.send(_with_re(effect.message, waiting.message.id))
        return True

    def _broadcast(self, effect: Broadcast, waiting: Waiting) -> bool:
        frames: dict[bool, bytes] = {}
        for peer in self.peers:
            if peer.text not in frames:
                payload = codec.encode(effect.message, peer.text)
                frames[peer.text] = peer.line.frame(payload, peer.text)
            peer.line.push(frames[peer.text], None)
        return False

    def show_room(self, effect: ShowRoom | None = None, waiting: Waiting | None = None) -> bool:
        """Send the room's state to all who follow it, and note it for the lobby."""
        room, watching = self.room, self._watching()
        frames: dict[tuple[int | None, bool, bool], bytes] = {}
        for peer in self.peers:
            text = peer.text
            kind = (room.seat_of(peer.who), room.owner.same(peer.who), text)
            frame = frames.get(kind)
            if frame is None:
                state = rooms.state(room, peer.who, watching)
                frame = frames[kind] = peer.line.frame(codec.encode(state, text), text)
            peer.line.push(frame, None)
        self.house.listing.changed(self)
        return False

    def _show_match(self, effect: ShowMatch, waiting: Waiting) -> bool:
        now, match = self.house.now(), self.room.match
        if match is None:
            raise AssertionError("only a match asks to be shown")
        state, mover = self._match_state(match, now)
        frames: dict[tuple[bool, bool], bytes] = {}
        for peer in self.peers:
            text = peer.text
            kind = (text, mover is not None and mover.same(peer.who))
            frame = frames.get(kind)
            if frame is None:
                message = _with_legal(state, match) if kind[1] else state
                frame = frames[kind] = peer.line.frame(codec.encode(message, text), text)
            peer.line.push(frame, state.match)
        self.room = playing.shown(self.room, state.turn, now)
        self.house.listing.moved(self)
        return False

    def _match_state(self, match: Match, now: int) -> tuple[MatchState, Who | None]:
        room = self.room
        state = matches.state(match, room.number, room.seq, now, rooms.absent(room))
        return state, match.players[state.to_move] if state.to_move >= 0 else None

    def _remind(self, effect: Remind, waiting: Waiting) -> bool:
        if waiting.peer is not None:
            self.show_match_to(waiting.peer)
        return False

    def show_match_to(self, peer: Peer) -> None:
        """Send the match's state, if there has been one, to one connection."""
        now, match = self.house.now(), self.room.match
        if match is None:
            return
        state, mover = self._match_state(match, now)
        mine = mover is not None and mover.same(peer.who)
        peer.send(_with_legal(state, match) if mine else state, state.match)
        if mine:
            self.room = playing.shown(self.room, state.turn, now)

    def _follow(self, effect: Follow, waiting: Waiting) -> bool:
        peer = waiting.peer
        if peer is None:
            return False
        if not effect.on:
            self.unfollow(peer)
            return False
        if peer.state == "gone" and self.room.seat_of(peer.who) is not None:
            for link in self.house.links(waiting.asker.who):  # it has come again meanwhile
                self.follow(link)
            return True
        re = waiting.message.id if isinstance(waiting.message, Request) else None
        self.follow(peer, re)
        return True

    def follow(self, peer: Peer, re: int | None = None) -> None:
        """Let a connection see all that happens here from now on, beginning with what is."""
        if peer.state == "gone":
            return
        if peer.follows is None:
            peer.follows = set()
        if self.room.number not in peer.follows:
            peer.follows.add(self.room.number)
            self.peers.append(peer)
        peer.send(_with_re(rooms.state(self.room, peer.who, self._watching()), re))
        self.show_match_to(peer)

    def _watching(self) -> int:
        return sum(1 for peer in self.peers if self.room.seat_of(peer.who) is None)

    def unfollow(self, peer: Peer) -> None:
        """The connection does not want to see this room any more, or is gone."""
        if peer in self.peers:
            self.peers.remove(peer)
        if peer.follows is not None:
            peer.follows.discard(self.room.number)

    def _dismiss(self, effect: Dismiss, waiting: Waiting) -> bool:
        for peer in [peer for peer in self.peers if effect.who.same(peer.who)]:
            self.unfollow(peer)
        return False

    def _summon(self, effect: Summon, waiting: Waiting) -> bool:
        self.house.summon(self.room.number, effect)
        return False

    def _ask_advice(self, effect: Ask, waiting: Waiting) -> bool:
        if waiting.peer is not None and isinstance(waiting.message, Request):
            self.house.advice.ask(effect, waiting.peer, waiting.message.id)
        return True

    # ------------------------------------------------------------ time

    def _rearm(self) -> None:
        """Have the timer ring when the room wants it.

        A timer that rings too early costs less than one a move.
        """
        due = playing.wake_at(self.room)
        if due is None or (self.timer is not None and self.timer_at <= due):
            return
        if self in self.house.outage.rooms:  # nothing that is due could be stored
            return
        if self.timer is not None:
            self.timer.cancel()
        self.timer_at = due
        self.timer = self.house.call_at(due, self._ring)

    def _ring(self) -> None:
        self.timer = None
        due = playing.wake_at(self.room)
        now = self.house.now()
        if due is not None and due <= now and self not in self.house.outage.rooms:
            self.tell(Alarm(), None, now)
        if not self.busy:
            self._rearm()

    def start(self) -> None:
        """The room was read from the log."""
        self.tell(Restarted(), None, self.house.now())
        self._rearm()

    def stop(self) -> None:
        """The room is gone from the house."""
        if self.timer is not None:
            self.timer.cancel()
        for peer in list(self.peers):
            self.unfollow(peer)


def _with_legal(state: MatchState, match: Match) -> MatchState:
    return matches.with_legal(state, match.position.legal_notation())


def _with_re(message: Push, re: int | None) -> Push:
    return message if re is None else replace(message, re=re)


_PERFORM: dict[type[Effect], Callable[..., bool]] = {
    Reply: Keeper._reply,
    Broadcast: Keeper._broadcast,
    ShowRoom: Keeper.show_room,
    ShowMatch: Keeper._show_match,
    Remind: Keeper._remind,
    Follow: Keeper._follow,
    Dismiss: Keeper._dismiss,
    Summon: Keeper._summon,
    Ask: Keeper._ask_advice,
}
