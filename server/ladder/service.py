"""All ladders of this server: requests about them, and news of rooms and bots for them.

The service finds the ladder that a request means; ladder/actor.py does what it asks for.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import compress
from typing import Any, Final

from protocol import ladder as wire
from protocol.errors import Code, Refusal
from protocol.messages import Error, Ok, Request
from protocol.parts import ClockOptions, Options
from server.config import LADDER_DIFFERENCE, LADDER_STANDING
from server.core import seating, session
from server.core.admission import networks
from server.core.events import Who
from server.core.names.register import YOUNG_MS
from server.ladder.actor import STANDINGS_MS, LadderActor
from server.ladder.core import comparing, members, rating, standing
from server.ladder.core.events import Made
from server.ladder.core.formats import BadLadderFormat, parse_format
from server.ladder.core.ladder import Ladder
from server.ladder.core.players import Most
from server.ladder.directory import LadderDirectory
from server.rooms.peers import EncodedAnswer, Peer, Route, connections_of, with_re

BUSY_MS: Final = 500  # after which it is worth asking again where the log is slow
PAGE: Final = 100  # pairs in a message
MAX_HISTORY: Final = 200_000  # bytes of a message with all ratings that there were, about

log = logging.getLogger("plyhouse")


class LadderService(LadderDirectory):
    """What is asked about the ladders that are here."""

    @cached_property
    def _encoded(self) -> EncodedAnswer:
        """The list of all, as it is sent; made here, so that the directory alone is given parts."""
        return EncodedAnswer(self._list, LADDER_STANDING, STANDINGS_MS, self._version)

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
        self._check_name(request.name)
        self._check_number(peer)
        self._check_clock(request.clock)
        made = self.made(request, peer.me(), now)

        def stored(actor: LadderActor, error: Exception | None) -> None:
            if error is not None:
                self._not_stored(peer, request, error)
            else:
                actor.answer(peer, request.id)

        self.open(made, peer.transport.origin, stored)

    def made(self, request: wire.LadderCreate, owner: Who, now: int) -> Made:
        """Return the first event of a ladder, as it is asked for.

        Raises:
            Refusal: no ladder can be like that.
        """
        name = self._check_name(request.name)
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
            now, name, game.name, request.clock, str(form), owner, request.quota, seed,
            request.players, invited, code, request.siblings, request.by_owner,
        )  # fmt: skip

    def _check_clock(self, clock: ClockOptions) -> None:
        """Refuse a clock by which who does not move holds a slot for too long."""
        if clock.begin_ms:
            raise Refusal(
                Code.LADDER_BAD_OPTION, "no match of a ladder has a time to begin: its clock runs"
            )
        base, move = self.config.ladder_base_ms, self.config.ladder_move_ms
        if (clock.base_ms or 0) > base or max(clock.increment_ms, clock.each_ms or 0) > move:
            raise Refusal(
                Code.LADDER_BAD_OPTION,
                f"a clock of a ladder has at most {base // 60_000} minutes for a match and"
                f" {move // 60_000} for a move, unless the host opens it",
            )

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
        opened = [self.opened_from(ladder) for ladder in running]
        self._check_address(address, opened, config.ladders_per_address)
        names, now = self.lobby.names, self.clock.now()
        if names.is_new(owner, now):
            new = [names.is_new(ladder.made.owner.session, now) for ladder in running]
            self._check_address(
                address, compress(opened, new), config.new_ladders_per_address,
                ", by guests and under names younger than an hour",
            )  # fmt: skip

    def _check_address(self, address: str, opened: Iterable[str], most: int, by: str = "") -> None:
        full = networks.full(address, opened, most)
        if full is not None:
            text = f"{full.here} are running that {full.words} has opened{by}"
            raise Refusal(Code.LADDER_TOO_MANY, text)

    def _check_name(self, text: str) -> str:
        if not rating.available():
            raise Refusal(
                Code.LADDER_NO_RATINGS,
                "a ladder needs numpy for its ratings: the host installs 'plyhouse[fast]'",
            )
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
        actor = self._asked(request.ladder)
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
        names, network = self.lobby.names, networks.customer(peer.transport.origin)
        anchor = names.is_house(who.session)
        answer = self._answer(peer, request)

        def decide(now: int) -> list[Any]:
            self._note_networks(actor.ladder)
            most = Most(self.config.ladder_players, self.config.ladder_players_per_owner)
            young = names.is_new(who.session, now, YOUNG_MS)
            entered = actor.ladder.join(
                who, bot.version, salt, slots, anchor, now, request.code, most, network, young
            )
            return [entered]

        def joined(error: Exception | None) -> None:
            player = actor.ladder.find(who, bot.version) if error is None else None
            if player is not None:
                player.network = network
            answer(error)

        actor.ask(decide, joined)

    def _note_networks(self, ladder: Ladder) -> None:
        """Note from where those bots are here who joined before this server began."""
        for player in ladder.players if ladder.made.by_owner else ():
            for peer in () if player.network else connections_of(self.lobby, player.who):
                player.network = networks.customer(peer.transport.origin)

    def _asked(self, name: str) -> LadderActor:
        """Return the ladder that something is asked of.

        Raises:
            Refusal: ladder/unknown, or room/busy where too much waits there.
        """
        actor = self.find(name)
        if actor.waiting() >= self.config.inbox:
            text = f"too many requests wait on {name}; ask again in a moment"
            raise Refusal(Code.ROOM_BUSY, text, retry_ms=BUSY_MS)
        return actor

    def leave(self, peer: Peer, request: wire.LadderLeave, now: int) -> None:
        actor, who = self._asked(request.ladder), peer.me()
        actor.ask(lambda now: actor.ladder.leave(who, now), self._answer(peer, request))

    def halt(self, peer: Peer, request: wire.LadderStop, now: int) -> None:
        self.stop_for(peer.me(), self._asked(request.ladder), self._answer(peer, request))

    def drop(self, peer: Peer, request: wire.LadderDrop, now: int) -> None:
        """Have a player begin no more pairs, for the ladder's owner."""
        actor = self._asked(request.ladder)
        self.drop_for(peer.me(), actor, request.player, self._answer(peer, request))

    def status(self, peer: Peer, request: wire.LadderStatus, now: int) -> None:
        """Answer with the list or a ladder's standings; send each new one, or no more."""
        if request.ladder is None:
            self._encoded.send(peer, request.id, now)
            return
        actor = self.find(request.ladder)
        if request.follow or peer in actor.followers:
            self.note_followed(peer, actor.ladder.made.name, request.follow)
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
        ladder = self.find(request.ladder).ladder
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
        actor = self.find(request.ladder)
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
        actor = self.find(request.ladder)
        ratings, rated = actor.rater.ratings, actor.rater.rated
        answer = comparing.differences(actor.ladder, ratings, rated, request.players)
        peer.charge(LADDER_DIFFERENCE * len(answer.differences))
        peer.send(with_re(answer, request.id))

    def find(self, name: str) -> LadderActor:
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
