"""Owns one ladder: its log, its pairs in their rooms, its ratings, and who follows it.

Like a room's actor it asks the ladder what is to happen, has that stored, and only then folds it in
and acts on it.  What is not stored is found again by looking, at a start as at any time: a leg
without room or score gets a room, and a finished room without a score is scored.
"""

from __future__ import annotations

import asyncio
import logging
import math
import secrets
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias, assert_never

from protocol.errors import Code, Refusal
from protocol.ladder import LadderState, LadderTold
from protocol.parts import Options
from server.config import LADDER_STANDING
from server.core import playing, seating
from server.core.events import Leg, write_body
from server.core.orders import Alarm, Close, Release
from server.core.room import NOBODY, Room
from server.ladder.core import members, schedule, standing
from server.ladder.core.events import (
    Entered,
    Finished,
    LadderEvent,
    Made,
    Paired,
    Scored,
    Suspended,
    Voided,
    Withdrew,
    plies_of,
)
from server.ladder.core.ladder import Ladder, Pair
from server.ladder.core.players import LadderPlayer
from server.ladder.host import LadderHost
from server.ladder.matchmaker import Matchmaker
from server.ladder.rater import Rater
from server.rooms.actor import RoomActor
from server.rooms.peers import Delivery, EncodedAnswer, Peer, connections_of, send_all
from server.store.contract import EventRow, RoomRow, Row

STANDINGS_MS: Final = 1_000  # from one message with the standings to the next
RETRY_S: Final = 5.0  # until what could not be stored is tried again

Decide: TypeAlias = Callable[[int], Sequence[LadderEvent]]  # now -> what is to happen
Answer: TypeAlias = Callable[[Exception | None], None]

log = logging.getLogger("plyhouse")


class Decision(NamedTuple):
    """Something to decide in its turn; `answer` hears how that went."""

    decide: Decide
    answer: Answer | None


class LadderActor:
    """The owner of one ladder."""

    def __init__(self, host: LadderHost, ladder: Ladder) -> None:
        self.host = host
        self.ladder = ladder
        self.rater = Rater(ladder, host.clock.loop, self._rated)
        self.matchmaker = Matchmaker(host, ladder, self.rater)
        self.legs: dict[tuple[int, int], RoomActor] = {}
        self.followers: set[Peer] = set()
        self.beginning: list[tuple[int, int]] = []  # the players of a pair that is being stored
        self.idle_ms = 0  # for so long only anchors were here
        self.latest = 0  # when it began a pair last, as LadderHost.next_stamp counts
        self._busy = False
        self._inbox: deque[Decision] = deque()
        self._timer: asyncio.TimerHandle | None = None  # of the next standings
        self._sent = 0.0
        self._encoded = EncodedAnswer(self.state, LADDER_STANDING, STANDINGS_MS)
        self._again: asyncio.TimerHandle | None = None
        self._held: Callable[[], None] | None = None  # called once nothing is being stored

    def ask(self, decide: Decide, answer: Answer | None = None) -> None:
        """Have something decided when what came before it is stored."""
        self._inbox.append(Decision(decide, answer))
        self._decide_next()

    def waiting(self) -> int:
        """Return how much waits to be decided: while the log is slow that could be anything."""
        return len(self._inbox)

    def hold(self, held: Callable[[], None]) -> None:
        """Decide nothing more; `held` is called once all that was decided is stored."""
        self._held = held
        self._decide_next()

    def give_up(self, no: Refusal) -> None:
        """End here, as another server has the ladder; who waits for an answer hears why."""
        self.stop()
        for decision in self._inbox:
            if decision.answer is not None:
                decision.answer(no)
        self._inbox.clear()

    def _decide_next(self) -> None:
        if self._held is not None and not self._busy:
            held, self._held, self._busy = self._held, None, True
            held()
        while self._inbox and not self._busy:
            decision = self._inbox.popleft()
            try:
                events = decision.decide(self.host.clock.now())
            except Refusal as no:
                if decision.answer is not None:
                    decision.answer(no)
                continue
            if events:
                self._store(events, decision)
            elif decision.answer is not None:
                decision.answer(None)

    def _store(self, events: Sequence[LadderEvent], decision: Decision) -> None:
        self._busy = True
        self.beginning = [(e.one, e.two) for e in events if isinstance(e, Paired)]
        self.latest = self.host.next_stamp() if self.beginning else self.latest
        epoch, number, seq = self.host.store.epoch, self.ladder.number, self.ladder.seq
        rows: list[Row] = [
            EventRow(number, seq + i, epoch, event.kind, None, write_body(event))
            for i, event in enumerate(events, 1)
        ]
        self.host.store.append(rows, lambda error: self._stored(events, decision, error))

    def _stored(
        self, events: Sequence[LadderEvent], decision: Decision, error: Exception | None
    ) -> None:
        self._busy, self.beginning = False, []
        freed: list[LadderPlayer] = []
        if error is None:
            for event in events:
                freed += self._freed_by(event)
                self.ladder.fold(event)
        if decision.answer is not None:
            decision.answer(error)
        if error is not None:
            log.error("ladder %s: not stored: %s", self.ladder.made.name, error)
            self.try_again()
            self._decide_next()
            return
        for event in events:
            self._act(event)
        self.changed()
        self._decide_next()
        if freed:
            self.host.freed(freed)
        else:
            self.advance()

    def _freed_by(self, event: LadderEvent) -> list[LadderPlayer]:
        """Return whose slots are free once this has happened to a pair."""
        if not isinstance(event, Scored | Voided):
            return []
        pair = self.ladder.running[event.pair].event
        return [self.ladder.players[number] for number in (pair.one, pair.two)]

    def try_again(self) -> None:
        """Look again in a while at all that may have to be done."""
        if self._again is None:
            self._again = self.host.clock.call_later(RETRY_S, self._look_again)

    def _look_again(self) -> None:
        self._again = None
        self.resume()

    def _act(self, event: LadderEvent) -> None:
        match event:
            case Paired():
                self.host.began(1)
                for tell in self.host.paired:
                    tell()
                self._open_legs(self.ladder.running[event.pair])
            case Scored():
                self._after_leg(event)
            case Voided():
                self.host.began(-1)
                self._close_rooms(event.pair, f"pair {event.pair} is void: {event.why}")
            case Suspended():
                player = self.ladder.players[event.player]
                self._tell(player, Code.LADDER_SUSPENDED, f"{player.title}: {event.why}")
            case Finished():
                log.info("ladder %s: %s", self.ladder.made.name, event.why)
                for player in self.ladder.players.active():
                    over = f"{self.ladder.made.name} is over: {event.why}"
                    self._tell(player, Code.LADDER_FINISHED, over)
                self.host.clock.loop.call_later(0, self.host.shelve)  # once it is wholly over
            case Entered():
                player = self.ladder.players[event.player]
                kin = members.siblings(self.ladder, self.matchmaker.format, player)
                if kin is not None:
                    self._tell(player, Code.LADDER_SIBLINGS, kin)
                self._tell_who_gave_way()
            case Made() | Withdrew():
                pass
            case _:
                assert_never(event)

    def _tell_who_gave_way(self) -> None:
        gone = self.ladder.players.gave_way
        if gone is not None:
            why = "had played no pair yet, and its place was needed; it may join again"
            self._tell(gone, Code.LADDER_QUOTA, f"{gone.title} {why}")

    def _after_leg(self, event: Scored) -> None:
        pair = self.ladder.running.get(event.pair)
        if pair is None:
            self.host.began(-1)
            self._close_rooms(event.pair, f"pair {event.pair} of {self.ladder.made.name} is over")
            self.rater.changed()
        elif pair.event.deal is None:
            self._close(event.pair, event.leg, f"leg {event.leg} of pair {event.pair} is over")
            self._open_legs(pair)

    def _tell(self, player: LadderPlayer, code: Code, text: str) -> None:
        message = LadderTold(ladder=self.ladder.made.name, code=code, text=text)
        for peer in connections_of(self.host.lobby, player.who):
            peer.notify(message)

    def _open_legs(self, pair: Pair) -> None:
        """Open the rooms that a pair lacks: one after the other, or with dice both at once."""
        for leg in (0, 1):
            if pair.legs[leg] is None and (pair.event.pair, leg) not in self.legs:
                self._open_leg(pair, leg)
            if pair.legs[leg] is None and pair.event.deal is None:
                return

    def _open_leg(self, pair: Pair, leg: int) -> None:
        e, made, players = pair.event, self.ladder.made, self.ladder.players
        one, two = players[e.one].who, players[e.two].who
        now, number = self.host.clock.now(), self.host.rooms.take_number()
        self.host.leg_opened(number, self.ladder, one, two)
        work = seating.open_leg(
            number,
            Leg(self.ladder.number, made.name, e.pair, leg, e.opening, e.deal),
            made.game,
            Options(clock=made.clock, rated=True),
            (one, two) if leg == 0 else (two, one),
            e.salts,
            e.secret,
            now,
        )
        self.legs[e.pair, leg] = self.host.rooms.open(work, Delivery(Alarm(), NOBODY, None, now))

    def leg_changed(self, actor: RoomActor, leg: Leg) -> None:
        """Look at a room of this ladder: a change of it is stored."""
        pair = self.ladder.running.get(leg.pair)
        if actor.room.state == "closed":
            return
        if pair is None or (pair.legs[leg.leg] is not None and pair.event.deal is None):
            actor.tell(Close("the ladder has its result"), None, self.host.clock.now())
            return
        self.legs[leg.pair, leg.leg] = actor  # which is not known after a start
        pair.rooms[leg.leg] = actor.room.number
        if actor.room.match is not None and actor.room.match.result is not None:
            self._score(actor, leg)
        if pair.event.deal is not None:
            self._release(leg.pair)

    def _score(self, actor: RoomActor, leg: Leg) -> None:
        number, ended = actor.room.number, actor.room.match
        if ended is not None:
            self.ask(lambda now: self.ladder.leg_over(leg.pair, leg.leg, number, ended, now))

    def _release(self, number: int) -> None:
        """Roll where a leg waits and the other has come to the same ply, or is over.

        After a crash the other may be beyond it: of two rolls only one was stored.
        """
        pair = self.ladder.running.get(number)
        if pair is None:
            return
        actors = [self.legs.get((number, leg)) for leg in (0, 1)]
        reached = [
            math.inf if pair.legs[leg] is not None else _reached(actor)
            for leg, actor in enumerate(actors)
        ]
        for leg, actor in enumerate(actors):
            ply = playing.waiting_ply(actor.room) if actor is not None else None
            if actor is not None and ply is not None and reached[1 - leg] >= ply:
                actor.tell(Release(ply), None, self.host.clock.now())

    def removed(self, room: Room, leg: Leg) -> None:
        """Void the pair of a closed room, unless the ladder has asked for that."""
        actor = self.legs.get((leg.pair, leg.leg))
        if actor is None or actor.room.number != room.number:
            return
        del self.legs[leg.pair, leg.leg]
        pair = self.ladder.running.get(leg.pair)
        if pair is not None and pair.rooms[leg.leg] is None:
            self.try_again()  # it could not be stored, so no client has seen it
        else:
            self._void(leg)

    def _void(self, leg: Leg) -> None:
        """Void a pair if this leg can no longer be played to its end."""

        def decide(now: int) -> list[LadderEvent]:
            pair = self.ladder.running.get(leg.pair)
            if pair is None or pair.legs[leg.leg] is not None:
                return []
            self.try_again()  # and not at once: the next one may end in the same way
            return [Voided(now, leg.pair, "its room could not go on")]

        self.ask(decide)

    def _close_rooms(self, pair: int, why: str) -> None:
        for leg in (0, 1):
            self._close(pair, leg, why)

    def _close(self, pair: int, leg: int, why: str) -> None:
        actor = self.legs.pop((pair, leg), None)
        if actor is not None:
            actor.tell(Close(why), None, self.host.clock.now())

    def resume(self) -> None:
        """Look at everything: after a start, or when something could not be stored."""
        for actor in list(self.host.rooms.actors.values()):
            leg = actor.room.leg
            if leg is None or leg.ladder != self.ladder.number:
                continue
            if actor.room.match is None:  # it could not be replayed
                self._void(leg)
            elif actor.busy:  # it is looked at once that is stored; till then it is not lacking
                if leg.pair in self.ladder.running:
                    self.legs.setdefault((leg.pair, leg.leg), actor)
            else:
                self.leg_changed(actor, leg)
        self.ask(self._open_all)
        self.advance()

    def _open_all(self, now: int) -> list[LadderEvent]:
        """Open what rooms are missing.  A pair is void whose dice are known, but not this leg."""
        voided: list[LadderEvent] = []
        for pair in list(self.ladder.running.values()):
            number = pair.event.pair
            lost = [k for k in (0, 1) if pair.legs[k] is None and (number, k) not in self.legs]
            dice_seen = pair.event.deal is not None and any(
                pair.legs[1 - k] is not None or _has_rolled(self.legs.get((number, 1 - k)))
                for k in lost
            )
            if dice_seen:
                voided.append(Voided(now, number, "a room of it is lost"))
            else:
                self._open_legs(pair)
        return voided

    def advance(self) -> None:
        """Begin the next pair, or end the ladder, if it is time for either."""
        must_wait = self._busy or self._inbox or self._again is not None
        if must_wait or self.ladder.finished is not None or self.host.stopped:
            return
        if not self.matchmaker.is_complete() or not self.host.may_look():
            return
        began = time.thread_time()
        why = self.matchmaker.conclusion() if not self.ladder.running else None
        pairing = self.matchmaker.next_pairing() if why is None else None
        self.host.looked(time.thread_time() - began)
        if why is not None:
            self.ask(lambda now: self.ladder.finish(why, now))
        elif pairing is not None:
            self._begin(pairing)

    def _begin(self, pairing: schedule.Pairing) -> None:
        one, two, why, secret = pairing.one, pairing.two, pairing.why, secrets.token_bytes(32)
        self.ask(lambda now: [self.ladder.begin(one, two, why, secret, now)])

    def state(self) -> LadderState:
        """Return the standings as they are now."""
        ratings, rated = self.rater.ratings, self.rater.rated
        slots, verdict = self.matchmaker.slots(), self.matchmaker.verdict()
        is_former = self.host.lobby.names.is_former
        waits = self.matchmaker.waits()
        return standing.state(self.ladder, ratings, rated, slots, verdict, is_former, waits)

    def _rated(self) -> None:
        self.changed()
        self.advance()

    def changed(self) -> None:
        """Send the standings to all who follow, soon."""
        self._encoded.changed()
        if self.followers and self._timer is None:
            wait = max(0.0, self._sent + STANDINGS_MS / 1000 - self.host.clock.loop.time())
            self._timer = self.host.clock.call_later(wait, self._send)

    def _send(self) -> None:
        self._timer = None
        self._sent = self.host.clock.loop.time()
        send_all(self.followers, self.state(), f"ladder {self.ladder.number}")

    def answer(self, peer: Peer, re: int | None) -> None:
        """Send the standings to one connection."""
        self._encoded.send(peer, re, self.host.clock.now())

    def stop(self) -> None:
        self.rater.stop()
        for timer in (self._timer, self._again):
            if timer is not None:
                timer.cancel()


def _reached(actor: RoomActor | None) -> float:
    """Return the ply of a leg's match: infinite once it is over, -1 where there is none."""
    match = actor.room.match if actor is not None else None
    if match is None:
        return -1
    return math.inf if match.result is not None else match.ply


def _has_rolled(actor: RoomActor | None) -> bool:
    """Return whether dice have been seen in a leg's room."""
    match = actor.room.match if actor is not None else None
    return match is not None and any(event.kind == "roll" for event in plies_of(match))


def first_rows(epoch: int, ladder: Ladder) -> list[Row]:
    """Return what is stored when a ladder is made."""
    body = write_body(ladder.made)
    event = EventRow(ladder.number, 1, epoch, ladder.made.kind, None, body)
    return [event, RoomRow(ladder.number, 1)]
