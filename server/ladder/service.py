"""All ladders of this server: requests about them, and news of rooms and bots for them.

The service finds the ladder that a request means; ladder/actor.py does what it asks for.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from protocol import ladder as wire
from protocol.errors import Code, Refusal
from protocol.messages import Error, Ok, Request
from protocol.parts import Options
from server.config import PRICES, Config
from server.core import seating, session
from server.core.admission import networks
from server.core.events import NotReplayed, Who
from server.core.lobby import LobbyState, Presence
from server.core.room import Room
from server.ladder.actor import STANDINGS_MS, LadderActor, first_rows
from server.ladder.core import comparing, members, rating, standing
from server.ladder.core.events import Made, read
from server.ladder.core.formats import BadLadderFormat, parse_format
from server.ladder.core.ladder import Ladder, LadderPlayer
from server.rooms.directory import RoomDirectory
from server.rooms.peers import EncodedAnswer, Peer, Route, with_re
from server.rooms.wall_clock import WallClock
from server.store.contract import EventRow, RoomRow, Store

PAGE: Final = 100  # pairs in a message
MAX_HISTORY: Final = 200_000  # bytes of a message with all ratings that there were, about

log = logging.getLogger("plyhouse")


class LaddersElsewhere(NamedTuple):
    """What every server has to know of the ladders that one of them has.

    `sessions`: that own a ladder, or have played on one; `versions`: as which version each bot in
    the middle of a pair has to come, by session and program, and the sentence that says so.
    """

    sessions: frozenset[int] = frozenset()
    versions: Mapping[tuple[int, str | None], tuple[str, str]] = {}


class LadderService:
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
    ) -> None:
        self.store = store
        self.clock = clock
        self.lobby = lobby
        self.rooms = rooms
        self.config = config
        self.by_name: dict[str, LadderActor] = {}
        self.by_number: dict[int, LadderActor] = {}
        self.opened_from: dict[int, str] = {}  # the address of each that was opened since the start
        self.stopped = False
        self._encoded = EncodedAnswer(
            self._list, PRICES["ladder standing"], STANDINGS_MS, self._version
        )
        self.draining = False  # no new pairs
        self.paired: list[Callable[[], None]] = []  # called before a new pair's rooms are opened
        # Called when a connection follows a ladder from now on, or no more.
        self.followed: Callable[[Peer, str, bool], None] = lambda peer, name, on: None
        self.elsewhere = LaddersElsewhere()
        self._stamps = 0
        self._timer: asyncio.TimerHandle | None = None  # of `freed`, and when it rings
        self._timer_at = 0.0

    def load(self, rows: Sequence[EventRow]) -> None:
        """Read a ladder from its log, as far as it can be read."""
        number = rows[0].room
        try:
            first = read(rows[0].kind, rows[0].body)
            if not isinstance(first, Made):
                raise NotReplayed("its first event is another")
            actor = LadderActor(self, Ladder(number, first))
            for row in rows[1:]:
                if row.seq != actor.ladder.seq + 1:
                    raise NotReplayed(f"seq {row.seq} follows seq {actor.ladder.seq}")
                actor.ladder.fold(read(row.kind, row.body))
        except (NotReplayed, LookupError, ValueError) as error:
            log.error("ladder %d cannot be read and stays shut: %s", number, error)
            return
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

    def _let_go(self, actor: LadderActor) -> None:
        ladder, name = actor.ladder, actor.ladder.made.name
        actor.stop()
        for peer in actor.followers:
            self.followed(peer, name, False)
        del self.by_name[name.casefold()], self.by_number[ladder.number]
        self.opened_from.pop(ladder.number, None)
        self.store.append([RoomRow(ladder.number, 0)], _told_if_not_stored)

    def _keep(self, actor: LadderActor) -> None:
        self.by_name[actor.ladder.made.name.casefold()] = actor
        self.by_number[actor.ladder.number] = actor

    def reseated(self, old: Room | None, new: Room) -> None:
        """Look for new pairs when others sit in a room than before."""
        self.freed()

    def leg_changed(self, room: Room) -> None:
        """Hand a stored change of a ladder's room to that ladder."""
        leg, actor = room.leg, self.rooms.actors.get(room.number)
        if leg is not None and actor is not None and leg.ladder in self.by_number:
            self.by_number[leg.ladder].leg_changed(actor, leg)

    def removed(self, room: Room) -> None:
        """Tell a ladder that one of its rooms is closed."""
        self.freed()
        leg = room.leg
        if leg is not None and leg.ladder in self.by_number:
            self.by_number[leg.ladder].removed(room, leg)

    def presence_changed(self) -> None:
        """Somebody has come or gone."""
        for actor in self.by_number.values():
            actor.changed()
        self.freed()

    def freed(self, wait_s: float = 0.0) -> None:
        """Look for new pairs: a slot may be free, or will be in `wait_s` seconds."""
        if self.stopped or self.draining or not self.by_number:
            return
        at = self.clock.loop.time() + wait_s
        if self._timer is not None:
            if self._timer_at <= at:
                return
            self._timer.cancel()
        self._timer, self._timer_at = self.clock.call_later(wait_s, self._advance), at

    def _advance(self) -> None:
        """Begin pairs; the ladders take turns with a bot that plays on many of them."""
        self._timer = None
        if self.draining:
            return
        for actor in sorted(self.by_number.values(), key=lambda actor: actor.latest):
            actor.advance()

    def next_stamp(self) -> int:
        """Return a number that is larger than those before it."""
        self._stamps += 1
        return self._stamps

    def forget(self, peer: Peer) -> None:
        """Forget a connection that is gone."""
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
            self.freed((min(held) - now) / 1000 + 0.001)
        return presence.bot.slots - others - len(held)

    def running_pairs(self) -> Counter[tuple[int, str | None]]:
        """Return how many pairs each bot plays now, on all ladders."""
        pairs: Counter[tuple[int, str | None]] = Counter()
        for actor in self.by_number.values():
            for player in actor.ladder.players:
                running = player.running + actor.beginning.count(player.number)
                if running:
                    pairs[player.who.session, player.who.program] += running
        return pairs

    def check_version(self, who: Who, version: str) -> None:
        """Refuse a bot of which another version has pairs under way.

        Raises:
            Refusal: ladder/version-clash.
        """
        for actor in self.by_number.values():
            for player in actor.ladder.players:
                if player.running and player.who.same(who) and player.version != version:
                    raise Refusal(Code.LADDER_VERSION_CLASH, _clash(actor.ladder, player))
        other, text = self.elsewhere.versions.get((who.session, who.program), (version, ""))
        if other != version:
            raise Refusal(Code.LADDER_VERSION_CLASH, text)

    def for_others(self) -> LaddersElsewhere:
        """Return what other servers have to know of the ladders here."""
        running = [
            (actor.ladder, player)
            for actor in self.by_number.values()
            for player in actor.ladder.players
            if player.running
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
        players = {player.who.session for ladder in ladders for player in ladder.players}
        return owners | players | self.elsewhere.sessions

    def drain(self) -> None:
        """Begin no more pairs; those that are being played go on."""
        self.draining = True

    def stop(self) -> None:
        """End with the server."""
        self.stopped = True
        if self._timer is not None:
            self._timer.cancel()
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
        self.opened_from.clear()
        self.draining = False

    def routes(self) -> dict[type[Request], Route]:
        """Return which request goes where."""
        return {
            wire.LadderCreate: self.create,
            wire.LadderJoin: self.join,
            wire.LadderLeave: self.leave,
            wire.LadderStatus: self.status,
            wire.LadderPairs: self.pairs,
            wire.LadderHistory: self.history,
            wire.LadderCompare: self.compare,
            wire.LadderStop: self.halt,
            wire.LadderDrop: self.drop,
        }

    def create(self, peer: Peer, request: wire.LadderCreate, now: int) -> None:
        """Open a ladder."""
        made = self._made(peer, request, now)
        actor = LadderActor(self, Ladder(self.rooms.take_number(), made))
        self.by_name[made.name.casefold()] = actor  # nobody else takes the name meanwhile
        self.opened_from[actor.ladder.number] = peer.transport.origin

        def stored(error: Exception | None) -> None:
            if error is not None:
                del self.by_name[made.name.casefold()], self.opened_from[actor.ladder.number]
                self._not_stored(peer, request, error)
                return
            self._keep(actor)
            actor.answer(peer, request.id)

        self.store.append(first_rows(self.store.epoch, actor.ladder), stored)

    def _made(self, peer: Peer, request: wire.LadderCreate, now: int) -> Made:
        if not rating.available():
            raise Refusal(
                Code.LADDER_NO_RATINGS,
                "a ladder needs numpy for its ratings: the host installs 'plyhouse[fast]'",
            )
        name = self._checked_name(request.name)
        self._check_number(peer)
        invited, code = members.invited(request)
        game = seating.find_game(request.game)
        try:
            seating.check_options(game, Options(clock=request.clock, rated=True))
            form = parse_format(request.format)
        except BadLadderFormat as error:
            raise Refusal(Code.LADDER_BAD_FORMAT, str(error)) from None
        except Refusal as no:
            raise Refusal(Code.LADDER_BAD_OPTION, no.text) from None
        seed = secrets.randbits(32) if request.seed is None else request.seed % 2**32
        return Made(
            now, name, game.name, request.clock, str(form), peer.me(), request.quota, seed,
            request.players, invited, code, request.siblings,
        )  # fmt: skip

    def _check_number(self, peer: Peer) -> None:
        """Refuse one more ladder than may run: of all, of this owner, or from this address."""
        config, owner, address = self.config, peer.me().session, peer.transport.origin
        running = [k.ladder for k in self.by_name.values() if k.ladder.finished is None]
        if len(running) >= config.ladders:
            raise Refusal(Code.LADDER_TOO_MANY, f"this server runs at most {config.ladders}")
        own = sum(1 for ladder in running if ladder.made.owner.session == owner)
        session = self.lobby.names.sessions.get(owner)
        most = 1 if session is not None and session.guest else config.ladders_per_session
        if own >= most:
            raise Refusal(
                Code.LADDER_TOO_MANY,
                f"{own} of yours are running, and you may have {most}: stop one",
            )
        others = [self.opened_from.get(ladder.number, "") for ladder in running]
        full = networks.full(address, others, config.ladders_per_address)
        if full is not None:
            text = f"{full.here} are running that {full.words} has opened"
            raise Refusal(Code.LADDER_TOO_MANY, text)

    def _checked_name(self, text: str) -> str:
        try:
            name = session.check_name(text)
        except Refusal as no:
            raise Refusal(Code.LADDER_BAD_NAME, no.text) from None
        if " " in name:
            raise Refusal(Code.LADDER_BAD_NAME, "a ladder's name has no spaces")
        if name.casefold() in self.by_name:
            raise Refusal(Code.LADDER_NAME_TAKEN, f"there is a ladder called {name} already")
        return name

    def join(self, peer: Peer, request: wire.LadderJoin, now: int) -> None:
        """Let a bot join."""
        actor = self._find(request.ladder)
        who, presence = peer.me(), peer.presence
        if presence is None or presence.bot is None:
            raise Refusal(
                Code.LADDER_NOT_A_BOT, "only a program plays on a ladder: say hello with `bot`"
            )
        bot, made = presence.bot, actor.ladder.made
        if not presence.plays(made.game):
            raise Refusal(
                Code.LADDER_WRONG_GAME,
                f"{made.name} is of {made.game}, and {who.title()} plays {', '.join(bot.games)}",
            )
        self.check_version(who, bot.version)
        salt, slots = seating.checked_salt(request.salt), request.slots or bot.slots
        anchor = self.lobby.names.is_house(who.session)

        def decide(now: int) -> list[Any]:
            ladder = actor.ladder
            return [ladder.join(who, bot.version, salt, slots, anchor, now, request.code)]

        actor.ask(decide, self._answer(peer, request))

    def leave(self, peer: Peer, request: wire.LadderLeave, now: int) -> None:
        """Let a bot leave."""
        actor, who = self._find(request.ladder), peer.me()
        actor.ask(lambda now: actor.ladder.leave(who, now), self._answer(peer, request))

    def halt(self, peer: Peer, request: wire.LadderStop, now: int) -> None:
        """End a ladder for its owner."""
        actor, who = self._find(request.ladder), peer.me()
        actor.ask(lambda now: actor.ladder.stop(who, now), self._answer(peer, request))

    def drop(self, peer: Peer, request: wire.LadderDrop, now: int) -> None:
        """Have a player begin no more pairs, for the ladder's owner."""
        actor, who = self._find(request.ladder), peer.me()
        actor.ask(
            lambda now: members.drop(actor.ladder, who, request.player, now),
            self._answer(peer, request),
        )

    def status(self, peer: Peer, request: wire.LadderStatus, now: int) -> None:
        """Answer with the list or a ladder's standings; send each new one, or no more."""
        if request.ladder is None:
            self._encoded.send(peer, request.id, now)
            return
        actor = self._find(request.ladder)
        if request.follow or peer in actor.followers:
            self.followed(peer, actor.ladder.made.name, request.follow)
        (actor.followers.add if request.follow else actor.followers.discard)(peer)
        actor.answer(peer, request.id)

    def lines(self) -> tuple[wire.LadderLine, ...]:
        """Return all ladders as a list has them, the newest first."""
        newest = sorted(self.by_number.values(), key=lambda actor: -actor.ladder.number)
        return tuple(standing.line(actor.ladder, len(actor.matchmaker.slots())) for actor in newest)

    def _version(self) -> int:
        """Return a number that grows with each event of any ladder."""
        return sum(actor.ladder.seq for actor in self.by_number.values())

    def _list(self) -> wire.Ladders:
        return wire.Ladders(ladders=self.lines())

    def pairs(self, peer: Peer, request: wire.LadderPairs, now: int) -> None:
        """Answer with a page of finished pairs."""
        ladder = self._find(request.ladder).ladder
        page = ladder.over[request.since : request.since + PAGE]
        until = request.since + len(page)
        peer.send(
            wire.PairPage(
                re=request.id,
                ladder=ladder.made.name,
                pairs=tuple(standing.pair_line(ladder, pair) for pair in page),
                next=until if until < len(ladder.over) else None,
            )
        )

    def history(self, peer: Peer, request: wire.LadderHistory, now: int) -> None:
        """Answer with the ratings over time."""
        actor = self._find(request.ladder)
        points = actor.rater.history
        longest = max((len(p.title.encode()) for p in actor.ladder.players), default=0)
        ratings = max((len(point.ratings) for point in points), default=0)
        every = 1 + len(points) * ratings * (longest + 60) // MAX_HISTORY
        points = points[::-1][::every][::-1]
        peer.send(
            wire.RatingHistory(re=request.id, ladder=actor.ladder.made.name, points=tuple(points))
        )

    def compare(self, peer: Peer, request: wire.LadderCompare, now: int) -> None:
        """Answer with the differences of players."""
        actor = self._find(request.ladder)
        ratings, rated = actor.rater.ratings, actor.rater.rated
        answer = comparing.differences(actor.ladder, ratings, rated, request.players)
        peer.charge(PRICES["ladder difference"] * len(answer.differences))
        peer.send(with_re(answer, request.id))

    def _find(self, name: str) -> LadderActor:
        actor = self.by_name.get(name.strip().casefold())
        if actor is not None and actor.ladder.number in self.by_number:
            return actor
        names = sorted(actor.ladder.made.name for actor in self.by_number.values())
        there = ", ".join(names[:40])
        raise Refusal(
            Code.LADDER_UNKNOWN,
            f"there is no ladder called {name[:40]!r}; there are: {there}"
            if there
            else f"there is no ladder called {name[:40]!r}, nor any other yet",
        )

    def _answer(self, peer: Peer, request: Request) -> Callable[[Exception | None], None]:
        def answer(error: Exception | None) -> None:
            if isinstance(error, Refusal):
                peer.refuse(error, request.id)
            elif error is not None:
                self._not_stored(peer, request, error)
            elif request.id is not None:
                peer.send(Ok(re=request.id))

        return answer

    def _not_stored(self, peer: Peer, request: Request, error: Exception) -> None:
        log.error("a ladder: not stored: %s", error)
        text = "the server could not store this, so it did not happen"
        peer.send_error(Error(code=Code.SERVER_NOT_STORED, text=text), request.id)


def _clash(ladder: Ladder, player: LadderPlayer) -> str:
    """Say why a bot has to come as the version that is in the middle of a pair."""
    return (
        f"{player.title} is in the middle of {player.running} pairs on {ladder.made.name}; connect"
        f" as version {player.version}, or wait until they are over"
    )


def _told_if_not_stored(error: Exception | None) -> None:
    if error is not None:
        log.error("a ladder that is over is read again at the next start: %s", error)
