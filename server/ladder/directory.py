"""The ladders of this server: what they share, when they look for pairs, and when they end unasked.

A look for pairs is cheap, but anybody can cause one, by coming, going, or sitting down; so what
others do makes ladders look ten times a second at most, and all looks together have a bounded share
of a core.  No allowance pays for the rooms of a pair, either: so the number of pairs that are
played at the same time grows slowly, while one that follows another waits for nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Final, NamedTuple

from protocol.errors import Code, Refusal
from server.config import Config
from server.core.admission.networks import NetworkCounts
from server.core.events import NotReplayed, Who
from server.core.lobby import LobbyState, PlayerKey, Presence
from server.core.room import Room
from server.core.session import TokenBucket, wait_ms
from server.ladder.actor import Answer, LadderActor, first_rows
from server.ladder.core import members
from server.ladder.core.events import LadderEvent, Made, read
from server.ladder.core.ladder import Ladder
from server.ladder.core.players import LadderPlayer
from server.ladder.host import Busy
from server.rooms.admission import Admission, Concerned
from server.rooms.directory import RoomDirectory
from server.rooms.peers import Peer, connections_of
from server.rooms.wall_clock import WallClock
from server.store.contract import EventRow, RoomRow, Store

LOOK_S: Final = 0.1  # from one look for pairs to the next, where others than ladders cause it
LOOKING: Final = 100_000  # microseconds a second that all looks may take: a tenth of a core ...
SAVED: Final = 100_000  # ... of which so many may be saved up ...
MAX_OWED: Final = 3_000_000  # ... and so many owed, by looks that took longer
GROWTH: Final = 20  # pairs that may begin in a second, beside those that follow others ...
SPARED: Final = 20  # ... of which so many may be saved up
IDLE_S: Final = 60.0  # between two looks at whether anybody is on a ladder
KEPT_MS: Final = 3_600_000  # for bots to come back after a start, before a ladder counts as idle

log = logging.getLogger("plyhouse")


def told_if_not_stored(actor: LadderActor, error: Exception | None) -> None:
    """Write down that what was done to a ladder is undone by the next start."""
    if error is not None:
        log.error("ladder %s: not stored: %s", actor.ladder.made.name, error)


class LaddersElsewhere(NamedTuple):
    """What every server has to know of the ladders that one of them has.

    `sessions`: that own a ladder, or have played on one; `versions`: as which version each bot in
    the middle of a pair has to come, by session and program, and the sentence that says so.
    """

    sessions: frozenset[int] = frozenset()
    versions: Mapping[tuple[int, str | None], tuple[str, str]] = {}


class LadderDirectory:
    """The ladders that are running, and the newest of the others; the LadderHost of each.

    It subscribes to `reseated`, `leg_changed` and `removed`.
    """

    def __init__(
        self,
        store: Store,
        clock: WallClock,
        lobby: LobbyState,
        rooms: RoomDirectory,
        config: Config,
        admission: Admission,
    ) -> None:
        self.store = store
        self.clock = clock
        self.lobby = lobby
        self.rooms = rooms
        self.config = config
        self.admission = admission
        self.here = True  # and not on another server of the house
        self.by_name: dict[str, LadderActor] = {}
        self.by_number: dict[int, LadderActor] = {}
        self._opened_from: dict[int, str] = {}  # see `opened_from`
        self.stopped = False
        self.draining = False  # no new pairs
        self.paired: list[Callable[[], None]] = []  # called before a new pair's rooms are opened
        # Called when a connection follows a ladder from now on, or no more.
        self.followed: list[Callable[[Peer, str, bool], None]] = []
        self.elsewhere = LaddersElsewhere()
        self._stamps = 0
        self._timer: asyncio.TimerHandle | None = None  # of `freed`, and when it rings
        self._timer_at = 0.0
        self._next_look = 0.0
        self._looking = TokenBucket(LOOKING, SAVED, clock.now(), debt=MAX_OWED)
        self._growing = TokenBucket(GROWTH, SPARED, clock.now())
        self._freed: set[PlayerKey] = set()  # whose ladders look for pairs in a moment
        self._idle_timer: asyncio.TimerHandle | None = None

    def load(self, rows: Sequence[EventRow]) -> None:
        """Read a ladder from its log, as far as it can be read."""
        number = rows[0].room
        try:
            first = read(rows[0].kind, rows[0].body)
            if not isinstance(first, Made):
                raise NotReplayed("its first event is another")
            actor = LadderActor(self, Ladder(number, first))
            at = first.at
            for row in rows[1:]:
                if row.seq != actor.ladder.seq + 1:
                    raise NotReplayed(f"seq {row.seq} follows seq {actor.ladder.seq}")
                event = read(row.kind, row.body)
                actor.ladder.fold(event)
                at = max(at, event.at)
        except (NotReplayed, LookupError, ValueError) as error:
            log.error("ladder %d cannot be read and stays shut: %s", number, error)
            return
        silent = max(0, self.clock.now() - at)
        actor.idle_ms = min(silent, max(0, self.config.ladder_idle_ms - KEPT_MS))
        self._keep(actor)

    def resume(self) -> None:
        """Go on with all that was read, now that its rooms are there."""
        for actor in self.by_number.values():
            actor.rater.resume()
            actor.resume()
        self.shelve()

    def shelve(self) -> None:
        """Let go of the oldest ladders that are over, if there are too many: their logs stay."""
        over = [k for k in self.by_number.values() if k.ladder.finished is not None]
        over.sort(key=lambda actor: -actor.ladder.number)
        for actor in over[self.config.finished_ladders :]:
            self._let_go(actor)

    def open(
        self,
        made: Made,
        origin: str = "",
        stored: Callable[[LadderActor, Exception | None], None] = told_if_not_stored,
    ) -> None:
        """Open a ladder, from this address; `stored` hears how that went."""
        actor = LadderActor(self, Ladder(self.rooms.take_number(), made))
        self.by_name[made.name.casefold()] = actor  # no other ladder takes the name meanwhile
        self._opened_from[actor.ladder.number] = origin

        def done(error: Exception | None) -> None:
            if error is not None:
                del self.by_name[made.name.casefold()], self._opened_from[actor.ladder.number]
            else:
                self._keep(actor)
            stored(actor, error)

        self.store.append(first_rows(self.store.epoch, actor.ladder), done)

    def stop_for(self, who: Who, actor: LadderActor, answer: Answer | None = None) -> None:
        """End a ladder for its owner, or the host."""
        actor.ask(lambda now: actor.ladder.stop(who, now), answer)

    def drop_for(
        self, who: Who, actor: LadderActor, player: str, answer: Answer | None = None
    ) -> None:
        """Have a player begin no more pairs, for the ladder's owner, or the host."""
        actor.ask(lambda now: members.drop(actor.ladder, who, player, now), answer)

    def remove(self, actor: LadderActor) -> None:
        """End a ladder, and show it no more: its log stays."""

        def decide(now: int) -> Sequence[LadderEvent]:
            ladder = actor.ladder
            return [] if ladder.finished is not None else ladder.finish("removed by the host", now)

        def ended(error: Exception | None) -> None:
            if error is None:  # its rooms are being closed, of which it has yet to hear
                self.clock.call_later(0, lambda: self._let_go(actor))

        actor.ask(decide, ended)

    def note_followed(self, peer: Peer, ladder: str, on: bool) -> None:
        """Say that a connection follows a ladder from now on, or no more."""
        for tell in self.followed:
            tell(peer, ladder, on)

    def _let_go(self, actor: LadderActor) -> None:
        ladder, name = actor.ladder, actor.ladder.made.name
        if self.by_number.get(ladder.number) is not actor:
            return  # it was too old as well
        actor.stop()
        for peer in actor.followers:
            self.note_followed(peer, name, False)
        del self.by_name[name.casefold()], self.by_number[ladder.number]
        self._opened_from.pop(ladder.number, None)
        self.store.append([RoomRow(ladder.number, 0)], partial(told_if_not_stored, actor))

    def _keep(self, actor: LadderActor) -> None:
        self.by_name[actor.ladder.made.name.casefold()] = actor
        self.by_number[actor.ladder.number] = actor
        if self._idle_timer is None and not self.stopped:
            self._idle_timer = self.clock.call_later(IDLE_S, self._end_idle)

    def _end_idle(self) -> None:
        """End the ladders on which no player was for long; those that the host has opened go on."""
        self._idle_timer = None
        for actor in list(self.by_number.values()):
            ladder = actor.ladder
            if ladder.finished is not None or ladder.is_of_host or self.draining:
                continue
            attended = bool(actor.followers) or actor.matchmaker.is_attended()
            actor.idle_ms = 0 if attended else actor.idle_ms + round(IDLE_S * 1000)
            if actor.idle_ms >= self.config.ladder_idle_ms:
                actor.ask(partial(ladder.finish, "nobody was here for long"))
        if self.by_number:
            self._idle_timer = self.clock.call_later(IDLE_S, self._end_idle)

    def reseated(self, old: Room | None, new: Room) -> None:
        """Look for new pairs when others sit in a room than before."""
        self.look()

    def leg_changed(self, room: Room) -> None:
        """Hand a stored change of a ladder's room to that ladder."""
        leg, actor = room.leg, self.rooms.actors.get(room.number)
        if leg is not None and actor is not None and leg.ladder in self.by_number:
            self.by_number[leg.ladder].leg_changed(actor, leg)

    def removed(self, room: Room) -> None:
        """Tell a ladder that one of its rooms is closed."""
        self.look()
        leg = room.leg
        if leg is not None and leg.ladder in self.by_number:
            self.by_number[leg.ladder].removed(room, leg)

    def presence_changed(self) -> None:
        for actor in self.by_number.values():
            actor.changed()
        self.look()

    # ------------------------------------------------------------ looking for pairs

    def look(self, wait_s: float = 0.0) -> None:
        """Have all look for new pairs: a slot may be free, or will be in `wait_s` seconds.

        Anybody can cause that, so it happens ten times a second at most.
        """
        if self.stopped or self.draining or not self.by_number:
            return
        at = max(self.clock.loop.time() + wait_s, self._next_look)
        if self._timer is not None:
            if self._timer_at <= at:
                return
            self._timer.cancel()
        wait_s = max(0.0, at - self.clock.loop.time())
        self._timer, self._timer_at = self.clock.call_later(wait_s, self._advance), at

    def _advance(self) -> None:
        self._timer = None
        self._next_look = self.clock.loop.time() + LOOK_S
        self._advance_all(self.by_number.values())

    def _advance_all(self, actors: Iterable[LadderActor]) -> None:
        """Begin pairs: the host's ladders first; then they take turns with the bots they share."""
        for actor in sorted(actors, key=lambda a: (not a.ladder.is_of_host, a.latest)):
            actor.advance()

    def freed(self, players: Iterable[LadderPlayer]) -> None:
        """Have the ladders of these bots look for new pairs in a moment."""
        if not self._freed:
            self.clock.call_later(0, self._use_freed)
        self._freed.update(player.key for player in players)

    def _use_freed(self) -> None:
        keys, self._freed = self._freed, set()
        self._advance_all(
            actor
            for actor in self.by_number.values()
            if any(actor.ladder.players.is_member(key) for key in keys)
        )

    def may_look(self) -> bool:
        """Return whether there is time for one more pair; if not, all look again once there is."""
        if self.stopped or self.draining:
            return False
        wait = wait_ms([self._looking, self._growing], self.clock.now())
        if wait:
            self.look(wait / 1000)
        return not wait

    def looked(self, seconds: float) -> None:
        """Count the processor time of a look for a pair."""
        self._looking.level -= seconds * 1_000_000

    def began(self, pairs: int) -> None:
        """Count pairs that begin; below zero: that are over, which others may follow at once."""
        self._growing.level = min(SPARED, self._growing.level - pairs)

    def legs_left(self, ladder: Ladder, who: Who | None = None) -> int:
        """Return how many rooms may be opened for the owner of a ladder, or for a bot on it."""
        return self.admission.legs_left(self._owner_of(ladder) if who is None else self._of(who))

    def leg_opened(self, number: int, ladder: Ladder, one: Who, two: Who) -> None:
        """Count a room of a ladder, for its owner and for those of its bots."""
        concerned = self._owner_of(ladder) | self._of(one) | self._of(two)
        self.admission.leg_opened(number, concerned)

    def opened_from(self, ladder: Ladder) -> str:
        """Return the address that a ladder counts for, "" if it is not known.

        It was opened from there; or if that was before this server's start, as no log knows it, its
        owner has been seen there since.
        """
        number = ladder.number
        if not self._opened_from.get(number):
            self._opened_from[number] = min(self._of(ladder.made.owner).addresses, default="")
        return self._opened_from[number]

    def _owner_of(self, ladder: Ladder) -> Concerned:
        if ladder.is_of_host:
            return Concerned()
        address = self.opened_from(ladder)
        return Concerned(frozenset([ladder.made.owner.session]), frozenset(filter(None, [address])))

    def _of(self, who: Who) -> Concerned:
        """Return the session and the addresses of a bot; none of the house's own bots."""
        if self.lobby.names.is_house(who.session):
            return Concerned()
        links = connections_of(self.lobby, who)
        addresses = frozenset(filter(None, [peer.transport.origin for peer in links]))
        return Concerned(frozenset([who.session]), addresses)

    def next_stamp(self) -> int:
        """Return a number that is larger than those before it."""
        self._stamps += 1
        return self._stamps

    def forget(self, peer: Peer) -> None:
        for actor in self.by_number.values():
            actor.followers.discard(peer)

    def free_slots(self, presence: Presence) -> int:
        """Return the slots of a bot for pairs, those that it plays included.

        Slots for other rooms, which it sits in or is invited to, are not for pairs.
        """
        if presence.bot is None:
            return 0
        now, rooms = self.clock.now(), [self.rooms.room(number) for number in presence.rooms]
        others = sum(1 for room in rooms if room is not None and room.leg is None)
        held = [t for room, t in presence.held.items() if t > now and room not in presence.rooms]
        if held:
            self.look((min(held) - now) / 1000 + 0.001)
        return presence.bot.slots - others - len(held)

    def busy(self) -> Busy:
        """Return who plays now, on all ladders."""
        pairs, served, served_from = Counter[PlayerKey](), set[int](), NetworkCounts()
        for actor in self.by_number.values():
            players, running = actor.ladder.players, actor.ladder.running.values()
            on = ((pair.event.one, pair.event.two) for pair in running)
            for one, two in chain(on, actor.beginning):
                a, b = players[one], players[two]
                pairs[a.key] += 1
                pairs[b.key] += 1
                if a.anchor != b.anchor:
                    guest = (b if a.anchor else a).who
                    served.add(guest.session)
                    for address in self._of(guest).addresses:
                        served_from.add(address, 1)
        return Busy(pairs, frozenset(served), served_from)

    def is_served(self, busy: Busy, who: Who) -> bool:
        """Return whether an anchor plays a bot of this owner, or one from its address, already."""
        return who.session in busy.served or any(
            busy.served_from.full(address, 1) for address in self._of(who).addresses
        )

    def check_version(self, who: Who, version: str) -> None:
        """Refuse a bot of which another version has pairs under way.

        Raises:
            Refusal: ladder/version-clash.
        """
        for actor in self.by_number.values():
            for player in actor.ladder.players.of_bot((who.session, who.program)):
                if player.running and player.version != version:
                    raise Refusal(Code.LADDER_VERSION_CLASH, _clash(actor.ladder, player))
        other, text = self.elsewhere.versions.get((who.session, who.program), (version, ""))
        if other != version:
            raise Refusal(Code.LADDER_VERSION_CLASH, text)

    def for_others(self) -> LaddersElsewhere:
        """Return what other servers have to know of the ladders here."""
        running = [
            (actor.ladder, actor.ladder.players[number])
            for actor in self.by_number.values()
            for pair in actor.ladder.running.values()
            for number in (pair.event.one, pair.event.two)
        ]
        versions = {
            (player.who.session, player.who.program): (player.version, _clash(ladder, player))
            for ladder, player in running
        }
        return LaddersElsewhere(frozenset(self.sessions()), versions)

    def sessions(self) -> set[int]:
        """Return the sessions that own a ladder, or have played on one."""
        ladders = [actor.ladder for actor in self.by_number.values()]
        owners = {ladder.made.owner.session for ladder in ladders}
        players = set(chain.from_iterable(ladder.players.owners() for ladder in ladders))
        return owners | players | self.elsewhere.sessions

    def drain(self) -> None:
        """Begin no more pairs; those that are being played go on."""
        self.draining = True

    def stop(self) -> None:
        """End with the server."""
        self.stopped = True
        for timer in (self._timer, self._idle_timer):
            if timer is not None:
                timer.cancel()
        for actor in self.by_number.values():
            actor.stop()

    def is_settled(self) -> bool:
        """Return whether no ladder is just being opened."""
        return len(self.by_name) == len(self.by_number)

    def give_up(self, no: Refusal) -> None:
        """Let go of all ladders, which are held: another server has them."""
        for actor in self.by_number.values():
            actor.give_up(no)
        self.by_name.clear()
        self.by_number.clear()
        self._opened_from.clear()
        self.draining = False


def _clash(ladder: Ladder, player: LadderPlayer) -> str:
    """Say why a bot has to come as the version that is in the middle of a pair."""
    return (
        f"{player.title} is in the middle of {player.running} pairs on {ladder.made.name}; connect"
        f" as version {player.version}, or wait until they are over"
    )
