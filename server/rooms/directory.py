"""All open rooms by number, each with its actor: the Host of every actor."""

from __future__ import annotations

import heapq
import logging
import secrets
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

from msgspec.structs import replace

from protocol.errors import Code, Refusal
from protocol.messages import Error, Request
from protocol.notation import BadNotation, MatchName, parse_match
from server.config import Config
from server.core.effects import Ask, SendInvitation
from server.core.lobby import LobbyState
from server.core.names.numbers import NumberBlocks
from server.core.orders import Disconnected, Reconnected, Stepped
from server.core.room import Room, Secrets, Work
from server.figures.move_times import MoveTimes
from server.rooms.actor import RoomActor
from server.rooms.disk import Disk
from server.rooms.host import Announcements
from server.rooms.peers import Delivery, Peer, send_all
from server.rooms.replay import ReadRoom, give_up, past_rows, read_room, read_rows
from server.rooms.snapshot import Base, Snapshot
from server.rooms.wall_clock import WallClock
from server.rooms.write_batch import WriteBatch
from server.store.contract import Conflict, DatabaseAway, Store, StoreError

log = logging.getLogger("plyhouse")

CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # none that is mistaken for another
MOVING_MS = 500  # after which it is worth asking again for a room that changes hands
WAITING_MS = 5_000  # the same of one that waits until a server has its rules
READ_AGAIN_S = 1.0  # after the log could not be read
CODE_LENGTH = 6  # 887 million codes, and a guess costs a message


def match_of(name: str) -> MatchName:
    """Return the match of this name.

    Raises:
        Refusal: lobby/no-room.
    """
    try:
        return parse_match(name)
    except BadNotation as error:
        raise Refusal(Code.LOBBY_NO_ROOM, str(error)) from None


def is_moving(number: int, waits: str | None = None) -> Refusal:
    """Return the answer to who asks for a room that no server has at the moment.

    `waits`: why not even for longer, if so.
    """
    if waits is not None:
        text = f"room {number} waits for a server that has its rules; here {waits}"
        return Refusal(Code.ROOM_MOVING, text, retry_ms=WAITING_MS)
    text = f"room {number} is on its way to another server; ask again in a moment"
    return Refusal(Code.ROOM_MOVING, text, retry_ms=MOVING_MS)


def random_code(length: int) -> str:
    """Return a code that people can read to each other."""
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(length))


def is_unread(number: int) -> Refusal:
    """Return the answer to who asks for a room of which the log says nothing at the moment."""
    text = f"room {number} cannot be read now; ask again in a moment"
    return Refusal(Code.ROOM_BUSY, text, retry_ms=MOVING_MS)


class NotLoaded(Refusal):
    """A room's events are not at hand: a client that asks for it is answered once they are.

    As a refusal it is the answer where they cannot be had.
    """

    def __init__(self, number: int) -> None:
        answer = is_unread(number)
        super().__init__(answer.code, answer.text, retry_ms=answer.retry_ms)
        self.number = number


class FarRoom(NamedTuple):
    """An open room of another server: who sits there and how it is found, and not what happens.

    `owner`: the number and the epoch of that server; `match`: the name of the one that is on;
    `arrives`: it was handed to that server, which has not told of it yet: so long that is likely,
    as a time in ms; 0: it has.
    """

    owner: tuple[int, int]
    room: Room
    match: str | None
    arrives: int = 0


class RoomDirectory:
    """The open rooms, and the numbers and codes of new ones.

    `times` measures moves.  `invite` hands over an invitation, `ask_hint` asks a bot for a hint;
    both may raise a Refusal.  `numbers`: of new rooms, None where this
    server alone gives them out.  `last_number` is the highest number of a room or ladder so far.
    `unloaded`: rooms whose events have not been read since the start; a client that asks for one by
    number finds it loaded.  `far`: the rooms of other servers, where there are some; hub and
    services hand what is asked about those on (server/cluster/).  `coming`: those that are this
    server's in the log since a moment ago, and are being read; `unknown`: those without an owner
    whose rules are not here, and why.
    """

    def __init__(
        self,
        store: Store,
        config: Config,
        clock: WallClock,
        lobby: LobbyState,
        *,
        times: MoveTimes,
        invite: Callable[[int, SendInvitation, Peer], None],
        ask_hint: Callable[[Ask, Peer, Request], None],
        numbers: NumberBlocks | None = None,
    ) -> None:
        self.store = store
        self.times = times
        self.config = config
        self.lobby = lobby
        self.actors: dict[int, RoomActor] = {}
        self.unloaded: dict[int, Snapshot] = {}
        self.far: dict[int, FarRoom] = {}
        self.coming: set[int] = set()
        self.unknown: dict[int, str] = {}
        self._fetching: dict[int, list[Callable[[], None]]] = {}  # what waits for these rooms
        self._began = 0  # when this server did, in ms
        self.last_number = 0
        self.numbers = numbers
        self.announcements = Announcements()
        self.batch = WriteBatch()
        self.disk = Disk(store, config, lobby)
        self.invite = invite
        self.ask_hint = ask_hint
        self.now = clock.now
        self.clock = clock
        self.refresh()

    # ------------------------------------------------------------ what an actor needs: see Host

    def refresh(self) -> None:
        """Replace `fresh`, of which the secret or the code was used."""
        code = random_code(CODE_LENGTH)
        while code in self.lobby.codes:
            code = random_code(CODE_LENGTH)
        self.fresh = Secrets(secrets.token_bytes(32), code)

    def remove(self, number: int) -> None:
        """Let go of a room that is closed; does nothing the second time."""
        actor = self.actors.pop(number, None)
        if actor is None:
            return
        actor.stop()
        self._let_go(actor.room)

    def give_up(self, number: int) -> list[Delivery]:
        """Let go of a room that another server has now; return what waited for its turn there."""
        actor = self.actors.pop(number)
        actor.cancel_timer()
        for peer in actor.peers:
            peer.hand_over(number)
        self._let_go(actor.room)
        return list(actor.inbox or ())

    def _let_go(self, room: Room) -> None:
        if room.code is not None:
            self.lobby.codes.pop(room.code, None)
        for announce in self.announcements.removed:
            announce(room)

    def take_number(self) -> int:
        """Return the number of a new room or ladder.

        Raises:
            Refusal: room/busy, where there is none at the moment.
        """
        number = self.next_number()
        if self.numbers is not None:
            self.numbers.take()
        self.saw_number(number)
        return number

    def next_number(self) -> int:
        """Return what `take_number` would."""
        return self.last_number + 1 if self.numbers is None else self.numbers.peek()

    def saw_number(self, number: int) -> None:
        """Note the number of a room of another server."""
        self.last_number = max(self.last_number, number)

    # ------------------------------------------------------------ rooms from the log

    def begin(self) -> None:
        """Have the rooms that are read from now on go on from now."""
        self._began = self.now()

    def add_unloaded(self, number: int, snapshot: Snapshot) -> None:
        """Add a room whose events were not read."""
        self.unloaded[number] = snapshot
        if snapshot.code is not None:
            self.lobby.codes[snapshot.code] = number
        room = snapshot.unloaded(number)
        for announce in self.announcements.listed:
            announce(room)

    def load(self, number: int) -> None:
        """Read a room; one that cannot be read is shut, or if that may pass, not loaded yet."""
        snapshot = self.unloaded.pop(number, None)
        if snapshot is None:
            return
        try:
            read = read_room(self.store, number, snapshot)
        except DatabaseAway as error:
            log.error("room %d cannot be read now: %s", number, error)
            self.unloaded[number] = snapshot
            return
        if read is None:
            self._let_go(snapshot.unloaded(number))
        else:
            self.restore(read, snapshot)

    def fetch(self, numbers: Sequence[int], then: Callable[[], None]) -> None:
        """Load those of these rooms that are not, and then call `then`; no one else waits for it.

        It is called as well if they cannot be read now.
        """
        wanted = [number for number in numbers if number in self.unloaded]
        if not wanted or not self.store.remote:
            then()
            return
        left = set(wanted)

        def come(number: int) -> None:
            left.discard(number)
            if not left:
                then()

        new = [number for number in wanted if number not in self._fetching]
        for number in wanted:
            self._fetching.setdefault(number, []).append(partial(come, number))
        if new:
            rooms = [(number, self.unloaded[number].since) for number in new]
            self.store.fetch(rooms, partial(self._have_come, new))

    def _have_come(self, numbers: Sequence[int], has_read: bool) -> None:
        for number in numbers:
            if has_read:
                self.load(number)
            for then in self._fetching.pop(number):
                then()

    def restore(self, read: ReadRoom, snapshot: Snapshot | None = None, used: int = 0) -> None:
        """Have a room go on that was read from the log.

        `snapshot`: as what it was unloaded, if it was; `used`: see Restarted.
        """
        actor = self._add(read.room, read.base)
        self._announce_loaded(read.room, snapshot)
        if read.error is None:
            actor.start(self._began, used, self.clock.latest)
            if snapshot is None:
                for announce in self.announcements.shown:  # all are away
                    announce(actor.room)
            return
        self._give_up(actor, read)

    def not_stored(self, number: int, error: Exception | None, now: int) -> None:
        """Have a room wait for the log; or go on by that, if it has something else there."""
        actor = self.actors[number]
        if isinstance(error, Conflict):
            self._read_again(actor)
        else:
            actor.stall(now)

    def _read_again(self, actor: RoomActor) -> None:
        """Have a room go on by the log, which has something else than was to be stored.

        What is asked meanwhile waits; all who follow it are shown what it is then.
        """
        number, actor.busy = actor.room.number, True

        def come(has_read: bool) -> None:
            try:
                read = read_rows(number, self.store.events_before(number)) if has_read else None
            except DatabaseAway:
                has_read = False
            except StoreError as damage:
                log.error("room %d stays shut: %s", number, damage)
                read = None
            if not has_read:
                self.clock.call_later(READ_AGAIN_S, ask)
                return
            actor.busy = False
            if read is None:
                self._shut(actor)
            else:
                self._replace(actor, read)
            actor.go_on()

        def ask() -> None:
            self.store.fetch([(number, 0)], come)

        ask()

    def _shut(self, actor: RoomActor) -> None:
        """Let go of a room that cannot be read any more; its log stays as it is."""
        text = f"room {actor.room.number} cannot be read any more, and stays shut"
        send_all(actor.peers, Error(code=Code.ROOM_FAILED, text=text))
        actor.room = replace(actor.room, state="closed")
        self.remove(actor.room.number)

    def _replace(self, actor: RoomActor, read: ReadRoom) -> None:
        """Have a room be what the log says, with those who are connected here."""
        old, news, now = actor.room, self.announcements, self.now()
        actor.room = room = replace(read.room, claim=old.claim)
        actor.base = actor.next_base = read.base
        for announce in (*news.stored, *news.changed, *news.reseated):
            announce(old, room)
        if read.error is not None:
            self._give_up(actor, read)
            return
        actor.start(now)
        for peer in list(actor.peers):
            actor.follow(peer)
        for who in room.seats:
            if who is not None and any(peer.who == who for peer in actor.peers):
                actor.tell(Reconnected(), who, now)

    def _give_up(self, actor: RoomActor, read: ReadRoom) -> None:
        """End a room that cannot be replayed, and its match void."""
        log.error("room %d: %s; its match is void", read.room.number, read.error)
        work = give_up(actor.room, self.now())
        delivery = Delivery(Disconnected(), work.asker, None, work.now)
        actor.commit(work.room, work.events, work.effects, delivery, past_rows(read.rows, work))

    def _announce_loaded(self, room: Room, snapshot: Snapshot | None) -> None:
        news = self.announcements
        if snapshot is None:
            for announce in (*news.changed, *news.reseated):
                announce(None, room)
            return
        for announce in news.changed:
            announce(room, room)
        if room.seats not in (snapshot.seats, snapshot.seats[::-1]):
            for announce in news.reseated:
                announce(replace(room, seats=snapshot.seats), room)

    # ------------------------------------------------------------ rooms by number

    def open(self, work: Work, delivery: Delivery) -> RoomActor:
        """Have a new room stored; it exists from now on, and is seen once it is stored."""
        actor = self._add(work.room)
        actor.commit(actor.room, work.events, work.effects, delivery)
        return actor

    def _add(self, room: Room, base: Base | None = None) -> RoomActor:
        room = replace(room, claim=(self.config.claim_ms, self.config.claim_bot_ms))
        actor = self.actors[room.number] = RoomActor(self, room, base)
        if room.code is not None:
            self.lobby.codes[room.code] = room.number
        return actor

    def find(self, number: int) -> RoomActor:
        """Return the actor of an open room.

        Raises:
            NotLoaded: it is to be fetched first.
            Refusal: room/closed, room/moving or lobby/no-room.
        """
        actor = self.actors.get(number)
        if actor is None:
            self.check_loaded(number)
            actor = self._loaded(number)
        if actor is not None:
            return actor
        if number in self.far or number in self.coming or number in self.unknown:
            raise self.is_moving(number)
        self.check_number(number)
        if number in self.unloaded:  # still: the log is away
            raise NotLoaded(number)
        raise Refusal(Code.ROOM_CLOSED, f"room {number} is closed")

    def is_moving(self, number: int) -> Refusal:
        """Return the answer to who asks for a room that no server has."""
        return is_moving(number, self.unknown.get(number))

    def check_loaded(self, number: int) -> None:
        """Let no client be kept waiting by a room of which the events are to be fetched first.

        Raises:
            NotLoaded: it is one.
        """
        if self.store.remote and number in self.unloaded:
            raise NotLoaded(number)

    def near(self, number: int, then: Callable[[], None] = lambda: None) -> Room | None:
        """Return an open room if that takes no time; else it is fetched, and `then` is called."""
        if self.store.remote and number in self.unloaded:
            self.fetch([number], then)
            return None
        return self.room(number)

    def check_number(self, number: int) -> None:
        """Refuse a number that no room, open or closed, has ever had.

        Raises:
            Refusal: lobby/no-room.
        """
        if not 0 < number <= self.last_number:
            raise Refusal(Code.LOBBY_NO_ROOM, f"there is no room {number}")

    def room(self, number: int) -> Room | None:
        """Return an open room; of one elsewhere as much as is known of it here."""
        actor = self._loaded(number)
        if actor is not None:
            return actor.room
        far = self.far.get(number)
        return far.room if far is not None else None

    def _loaded(self, number: int) -> RoomActor | None:
        if number in self.unloaded:
            self.load(number)
        return self.actors.get(number)

    def total(self) -> int:
        """Return how many rooms are open."""
        return len(self.actors) + len(self.unloaded)

    def newest(self, most: int) -> list[RoomActor]:
        """Return the newest open rooms, the newest first; not those that have to be fetched."""
        unloaded = () if self.store.remote else self.unloaded
        numbers = heapq.nlargest(most, chain(self.actors, unloaded))
        return [actor for number in numbers if (actor := self._loaded(number)) is not None]

    def step(self, ms: int) -> None:
        """Let the time go forward: all rooms know, and those not loaded yet begin so much later."""
        self._began += ms
        for actor in list(self.actors.values()):
            actor.tell(Stepped(ms), None, self.now())

    def unfollow(self, peer: Peer) -> None:
        """Show a connection no room any more."""
        for number in tuple(peer.follows):
            self.actors[number].unfollow(peer)
