"""Keeps one ladder: its log, its pairs in their rooms, its ratings, who looks at it.

Like a room's keeper it asks the ladder what is to happen, has that stored, and only then makes it
happen (`fold`) and acts on it.  What it does not store it finds again: a leg that has neither room
nor score gets a room, a room that has ended and is not scored is scored, at a start as at any time.
"""

from __future__ import annotations

import asyncio
import logging
import math
import secrets
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from msgspec.structs import replace

from protocol import codec
from protocol.errors import Code, Refusal
from protocol.ladder import LadderState, LadderTold, Verdict
from protocol.messages import Options
from server.core import playing, seating
from server.core.events import Leg, write_body
from server.core.lobby import Presence
from server.core.orders import Alarm, Close, Release
from server.core.room import NOBODY
from server.ladder import line, schedule, standing
from server.ladder.events import KIND, Finished, LadderEvent, Paired, Scored, Suspended, Voided
from server.ladder.formats import Format, matches, parse_format
from server.ladder.ladder import Ladder, Pair, Player
from server.rater import Rater
from server.runtime import Keeper, Peer, Waiting
from server.store.store import EventRow, RoomRow, Row

if TYPE_CHECKING:
    from server.house import House

STANDING_S: Final = 1.0  # between two standings to a follower
AGAIN_S: Final = 5.0  # until what could not be stored is tried again

Decide: TypeAlias = Callable[[int], Sequence[LadderEvent]]  # now -> what is to happen
Answer: TypeAlias = Callable[[Exception | None], None]

log = logging.getLogger("plyhouse")


class Step(NamedTuple):
    """Something that is to be decided in its turn; `answer` hears how that went."""

    decide: Decide
    answer: Answer | None


class LadderKeeper:
    """One ladder, in the event loop."""

    def __init__(self, house: House, ladder: Ladder) -> None:
        self.house = house
        self.ladder = ladder
        self.form: Format = parse_format(ladder.made.format)
        self.rater = Rater(ladder, house.loop, self._rated)
        self.legs: dict[tuple[int, int], Keeper] = {}
        self.followers: set[Peer] = set()
        self.beginning: list[int] = []  # players of a pair that is being stored
        self.latest = 0  # when it began a pair last, as Ladders.next_turn counts
        self._busy = False
        self._inbox: deque[Step] = deque()
        self._timer: asyncio.TimerHandle | None = None  # of the next standing
        self._sent = 0.0
        self._verdict: tuple[int, Verdict] | None = None  # after so many pairs
        self._again: asyncio.TimerHandle | None = None

    # ------------------------------------------------------------ deciding and storing

    def ask(self, decide: Decide, answer: Answer | None = None) -> None:
        """Have something decided when what came before it is stored."""
        self._inbox.append(Step(decide, answer))
        self._turn()

    def _turn(self) -> None:
        while self._inbox and not self._busy:
            step = self._inbox.popleft()
            try:
                events = step.decide(self.house.now())
            except Refusal as no:
                if step.answer is not None:
                    step.answer(no)
                continue
            if events:
                self._store(events, step)
            elif step.answer is not None:
                step.answer(None)

    def _store(self, events: Sequence[LadderEvent], step: Step) -> None:
        self._busy = True
        self.beginning = [n for e in events if isinstance(e, Paired) for n in (e.one, e.two)]
        self.latest = self.house.ladders.next_turn() if self.beginning else self.latest
        epoch, number, seq = self.house.store.epoch, self.ladder.number, self.ladder.seq
        rows: list[Row] = [
            EventRow(number, seq + i, epoch, KIND[type(event)], None, write_body(event))
            for i, event in enumerate(events, 1)
        ]
        self.house.store.append(rows, lambda error: self._stored(events, step, error))

    def _stored(self, events: Sequence[LadderEvent], step: Step, error: Exception | None) -> None:
        self._busy, self.beginning = False, []
        if error is None:
            for event in events:
                self.ladder.fold(event)
        if step.answer is not None:
            step.answer(error)
        if error is not None:
            log.error("ladder %s: not stored: %s", self.ladder.made.name, error)
            self.try_again()
            self._turn()
            return
        for event in events:
            self._act(event)
        self.changed()
        self._turn()
        if any(isinstance(event, Scored | Voided) for event in events):
            self.house.ladders.freed()
        else:
            self.advance()

    def try_again(self) -> None:
        """Look again in a while at all that may have to be done."""
        if self._again is None:
            self._again = self.house.loop.call_later(AGAIN_S, self._look_again)

    def _look_again(self) -> None:
        self._again = None
        self.resume()

    # ------------------------------------------------------------ acting on what is stored

    def _act(self, event: LadderEvent) -> None:
        match event:
            case Paired():
                self._open_legs(self.ladder.running[event.pair])
            case Scored():
                self._after_leg(event)
            case Voided():
                self._close_rooms(event.pair, f"pair {event.pair} is void: {event.why}")
            case Suspended():
                player = self.ladder.players[event.player]
                self._tell(player, Code.LADDER_SUSPENDED, f"{player.title}: {event.why}")
            case Finished():
                log.info("ladder %s: %s", self.ladder.made.name, event.why)
            case _:
                pass

    def _after_leg(self, event: Scored) -> None:
        pair = self.ladder.running.get(event.pair)
        if pair is None:
            self._close_rooms(event.pair, f"pair {event.pair} of {self.ladder.made.name} is over")
            self.rater.changed()
        elif pair.event.deal is None:
            self._close(event.pair, event.leg, f"leg {event.leg} of pair {event.pair} is over")
            self._open_legs(pair)

    def _tell(self, player: Player, code: Code, text: str) -> None:
        told = LadderTold(ladder=self.ladder.made.name, code=code, text=text)
        for link in self.house.links(player.who):
            link.send(told)

    # ------------------------------------------------------------ rooms

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
        now, number = self.house.now(), self.house.take_number()
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
        self.legs[e.pair, leg] = self.house.open_room(work, Waiting(Alarm(), NOBODY, None, now))

    def stepped(self, keeper: Keeper, leg: Leg) -> None:
        """A room of this ladder has something new, and it is stored."""
        pair = self.ladder.running.get(leg.pair)
        if keeper.room.state == "closed":
            return
        if pair is None or (pair.legs[leg.leg] is not None and pair.event.deal is None):
            keeper.tell(Close("the ladder has its result"), None, self.house.now())
            return
        self.legs[leg.pair, leg.leg] = keeper  # which is not known after a start
        pair.rooms[leg.leg] = keeper.room.number
        if keeper.room.match is not None and keeper.room.match.result is not None:
            self._score(keeper, leg)
        if pair.event.deal is not None:
            self._release(leg.pair)

    def _score(self, keeper: Keeper, leg: Leg) -> None:
        number, ended = keeper.room.number, keeper.room.match
        if ended is not None:
            self.ask(lambda now: self.ladder.leg_over(leg.pair, leg.leg, number, ended, now))

    def _release(self, number: int) -> None:
        """Roll where a leg waits and the other has come to the same ply, or is over.

        After a crash the other may be beyond it: of two rolls only one was stored.
        """
        pair = self.ladder.running.get(number)
        if pair is None:
            return
        both = [self.legs.get((number, leg)) for leg in (0, 1)]
        reached = [
            math.inf if pair.legs[leg] is not None else _reached(keeper)
            for leg, keeper in enumerate(both)
        ]
        for leg, keeper in enumerate(both):
            ply = playing.waiting_ply(keeper.room) if keeper is not None else None
            if keeper is not None and ply is not None and reached[1 - leg] >= ply:
                keeper.tell(Release(ply), None, self.house.now())

    def removed(self, keeper: Keeper, leg: Leg) -> None:
        """A room of this ladder is closed; if that was not asked for, its pair is void."""
        if self.legs.get((leg.pair, leg.leg)) is not keeper:
            return
        del self.legs[leg.pair, leg.leg]
        pair = self.ladder.running.get(leg.pair)
        if pair is not None and pair.rooms[leg.leg] is None:
            self.try_again()  # it could not be stored, so nobody has seen it
        else:
            self._void(leg)

    def _void(self, leg: Leg) -> None:
        """Have a pair void one of whose legs can no more be played to its end."""

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
        keeper = self.legs.pop((pair, leg), None)
        if keeper is not None:
            keeper.tell(Close(why), None, self.house.now())

    # ------------------------------------------------------------ going on

    def resume(self) -> None:
        """Look at everything: after a start, or when something could not be stored."""
        for keeper in list(self.house.rooms.values()):
            leg = keeper.room.leg
            if leg is None or leg.ladder != self.ladder.number:
                continue
            if keeper.room.match is None:  # it could not be replayed
                self._void(leg)
            elif keeper.busy:
                self.try_again()
            else:
                self.stepped(keeper, leg)
        self.ask(self._open_all)
        self.advance()

    def _open_all(self, now: int) -> list[LadderEvent]:
        """Open what rooms are missing.  A pair is void whose dice are known, but not this leg."""
        found: list[LadderEvent] = []
        for pair in list(self.ladder.running.values()):
            number = pair.event.pair
            lost = [k for k in (0, 1) if pair.legs[k] is None and (number, k) not in self.legs]
            known = pair.event.deal is not None and any(
                pair.legs[1 - k] is not None or _has_rolled(self.legs.get((number, 1 - k)))
                for k in lost
            )
            if known:
                found.append(Voided(now, number, "a room of it is lost"))
            else:
                self._open_legs(pair)
        return found

    def advance(self) -> None:
        """Begin the next pair, or end the ladder, if it is time for either."""
        waits = self._busy or self._inbox or self._again is not None
        if waits or self.ladder.finished is not None or self.house.ladders.stopped:
            return
        why = self._conclusion() if self._whole() and not self.ladder.running else None
        if why is not None:
            over: str = why
            self.ask(lambda now: self.ladder.finish(over, now))
            return
        choice = self._choice() if self._whole() else None
        if choice is None:
            return
        found, secret = choice, secrets.token_bytes(32)
        self.ask(lambda now: [self.ladder.begin(found.one, found.two, found.why, secret, now)])

    def _whole(self) -> bool:
        """Whether as many have joined as there are to be, anchors left out."""
        guests = sum(1 for player in self.ladder.players if not player.anchor)
        return guests >= self.ladder.made.players

    def _choice(self) -> schedule.Choice | None:
        test = self.verdict()
        if test is not None and test.word != "undecided":
            return None
        ladder, entrants = self.ladder, tuple(self._entrants())
        if all(ladder.players[entrant.number].anchor for entrant in entrants):
            return None  # anchors are there for others
        return schedule.choose(
            schedule.Field(
                self.form,
                entrants,
                ladder.played,
                self._quota(),
                ladder.is_exhausted,
                self.rater.ratings,
            )
        )

    def _entrants(self) -> Iterable[schedule.Entrant]:
        busy = self.house.ladders.busy()
        for player in self.ladder.players:
            if player.member and player.suspended is None:
                presence = self._presence(player)
                if presence is not None:
                    yield schedule.Entrant(
                        player.number,
                        player.title,
                        player.who.session,
                        min(
                            player.slots - player.running,
                            self.house.ladders.free(presence)
                            - busy[player.who.session, player.who.program],
                        ),
                        player.pairs + player.running,
                        tuple(player.opponents),
                        player.running,
                    )

    def _presence(self, player: Player) -> Presence | None:
        """Where the player is connected, in its version; None if it is not."""
        who = player.who
        found = self.house.lobby.present.get((who.session, who.program))
        if found is None or not found.links or found.bot is None:
            return None
        return found if found.bot.version == player.version else None

    def _quota(self) -> dict[int, int]:
        """By owner, the slots that it may still use; the house's own are not counted."""
        left: dict[int, int] = {}
        for player in self.ladder.players:
            if not player.anchor:
                owner = player.who.session
                left[owner] = left.get(owner, self.ladder.made.quota) - player.running
        return left

    def _conclusion(self) -> str | None:
        """Why it is over, if it is."""
        test = self.verdict()
        if test is not None and test.word != "undecided":
            return test.text
        ladder = self.ladder
        titles = {p.number: p.title for p in ladder.players if p.member and p.suspended is None}
        scored = lambda a, b: ladder.tally.get((min(a, b), max(a, b)), (0, 0.0))[0]  # noqa: E731
        if schedule.finished(self.form, titles, scored, ladder.is_exhausted):
            return "all pairs are played"
        return None

    def verdict(self) -> Verdict | None:
        """What a test of two bots says; None of another ladder, or while one of them is missing."""
        if self.form.kind != "sprt":
            return None
        found = [
            next((p for p in reversed(self.ladder.players) if matches(name, p.title)), None)
            for name in self.form.bots
        ]
        new, old = found
        if new is None or old is None or new is old:
            return None
        known = self._verdict
        if known is not None and known[0] == len(self.ladder.counted):
            return known[1]
        said = standing.verdict(self.ladder, new.number, old.number)
        verdict = Verdict(
            word=said.word, text=said.text, pairs=said.pairs, llr=round(said.llr, 3),
            lower=round(said.lower, 3), upper=round(said.upper, 3), more=said.more,
        )  # fmt: skip
        self._verdict = (len(self.ladder.counted), verdict)
        return verdict

    # ------------------------------------------------------------ who looks at it

    def state(self) -> LadderState:
        """The standing as it is now."""
        return standing.state(
            self.ladder, self.rater.ratings, self.rater.rated, self.slots(), self.verdict()
        )

    def slots(self) -> dict[int, int]:
        """The slots of the members that are connected."""
        return {
            p.number: p.slots
            for p in self.ladder.players
            if p.member and self._presence(p) is not None
        }

    def _rated(self) -> None:
        self.changed()
        self.advance()

    def changed(self) -> None:
        """Send a standing to all who follow, soon."""
        if self.followers and self._timer is None:
            wait = max(0.0, self._sent + STANDING_S - self.house.loop.time())
            self._timer = self.house.loop.call_later(wait, self._send)

    def _send(self) -> None:
        self._timer = None
        self._sent = self.house.loop.time()
        state = self.state()
        frames: dict[bool, bytes] = {}
        for peer in self.followers:
            frame = frames.get(peer.text)
            if frame is None:
                payload = codec.encode(state, peer.text)
                frame = frames[peer.text] = peer.line.frame(payload, peer.text)
            peer.line.push(frame, f"ladder {self.ladder.number}")

    def answer(self, peer: Peer, re: int | None) -> None:
        """Send the standing to one connection."""
        peer.send(replace(self.state(), re=re))

    def stop(self) -> None:
        """Do nothing any more."""
        self.rater.stop()
        for timer in (self._timer, self._again):
            if timer is not None:
                timer.cancel()


def _reached(keeper: Keeper | None) -> float:
    """The ply of a leg's match, which is infinite once it is over; -1 where there is none."""
    match = keeper.room.match if keeper is not None else None
    if match is None:
        return -1
    return math.inf if match.result is not None else match.ply


def _has_rolled(keeper: Keeper | None) -> bool:
    """Whether dice have been seen in a leg's room."""
    match = keeper.room.match if keeper is not None else None
    return match is not None and any(event.kind == "roll" for event in line.events_of(match))


def first_rows(house: House, ladder: Ladder) -> list[Row]:
    """What is stored when a ladder is made."""
    body = write_body(ladder.made)
    event = EventRow(ladder.number, 1, house.store.epoch, KIND[type(ladder.made)], None, body)
    return [event, RoomRow(ladder.number, 1)]
