"""All ladders of this server: what is asked of them, and what rooms and bots tell them.

Which ladder a request means is found here; what happens there is ladder_keeper.py's.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from protocol.errors import Code, Refusal
from protocol.ladder import (
    LadderCreate,
    LadderHistory,
    LadderJoin,
    LadderLeave,
    LadderPairs,
    LadderStatus,
    LadderStop,
    PairPage,
    RatingHistory,
)
from protocol.ladder import (
    Ladders as LadderList,
)
from protocol.messages import Error, Ok, Options, Request
from server.core import seating, session
from server.core.events import NotReplayed, Who
from server.core.lobby import Presence
from server.ladder import rating, standing
from server.ladder.events import KIND, Made, read
from server.ladder.formats import BadFormat, parse_format
from server.ladder.ladder import Ladder
from server.ladder_keeper import LadderKeeper, first_rows
from server.runtime import Keeper, Peer
from server.store.store import EventRow

if TYPE_CHECKING:
    from server.house import House

PAGE: Final = 100  # pairs in a message
MOST_HISTORY: Final = 200_000  # bytes of a message with all ratings that there were, about
MADE: Final = KIND[Made]  # the first event of a ladder, and of nothing else
ANCHORS: Final = "house"  # whose bots are the anchors

log = logging.getLogger("plyhouse")


class Ladders:
    """There is one."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.by_name: dict[str, LadderKeeper] = {}
        self.by_number: dict[int, LadderKeeper] = {}
        self.stopped = False
        self._turns = 0
        self._timer: asyncio.TimerHandle | None = None  # of `freed`, and when it rings
        self._timer_at = 0.0

    # ------------------------------------------------------------ what rooms and bots tell

    def load(self, rows: Sequence[EventRow]) -> None:
        """Read a ladder from its log, as far as it can be read."""
        number = rows[0].room
        try:
            made = read(rows[0].kind, rows[0].body)
            if not isinstance(made, Made):
                raise NotReplayed("its first event is another")
            keeper = LadderKeeper(self.house, Ladder(number, made))
            for row in rows[1:]:
                if row.seq != keeper.ladder.seq + 1:
                    raise NotReplayed(f"seq {row.seq} follows seq {keeper.ladder.seq}")
                keeper.ladder.fold(read(row.kind, row.body))
        except (NotReplayed, LookupError, ValueError) as error:
            log.error("ladder %d cannot be read and stays shut: %s", number, error)
            return
        self._keep(keeper)

    def resume(self) -> None:
        """Go on with all that was read, now that its rooms are there."""
        for keeper in self.by_number.values():
            keeper.rater.resume()
            keeper.resume()

    def _keep(self, keeper: LadderKeeper) -> None:
        self.by_name[keeper.ladder.made.name.casefold()] = keeper
        self.by_number[keeper.ladder.number] = keeper

    def stepped(self, keeper: Keeper) -> None:
        """Something was stored in a room; if it is a ladder's, that one wants to know."""
        leg = keeper.room.leg
        if leg is not None and leg.ladder in self.by_number:
            self.by_number[leg.ladder].stepped(keeper, leg)

    def removed(self, keeper: Keeper) -> None:
        """A room is closed."""
        self.freed()
        leg = keeper.room.leg
        if leg is not None and leg.ladder in self.by_number:
            self.by_number[leg.ladder].removed(keeper, leg)

    def present(self) -> None:
        """Somebody has come or gone."""
        for keeper in self.by_number.values():
            keeper.changed()
        self.freed()

    def freed(self, wait: float = 0.0) -> None:
        """Somebody may have got a slot free, or has one in `wait` seconds."""
        if self.stopped or not self.by_number:
            return
        at = self.house.loop.time() + wait
        if self._timer is not None:
            if self._timer_at <= at:
                return
            self._timer.cancel()
        self._timer, self._timer_at = self.house.loop.call_later(wait, self._advance), at

    def _advance(self) -> None:
        """Begin pairs; a bot that plays on many ladders is had by each of them in turn."""
        self._timer = None
        for keeper in sorted(self.by_number.values(), key=lambda keeper: keeper.latest):
            keeper.advance()

    def next_turn(self) -> int:
        """A number that is larger than those before it."""
        self._turns += 1
        return self._turns

    def forget(self, peer: Peer) -> None:
        """A connection is gone."""
        for keeper in self.by_number.values():
            keeper.followers.discard(peer)

    def free(self, presence: Presence) -> int:
        """Slots of a bot for pairs, those that it plays included: all but those for other rooms,
        which it sits in or is invited to.
        """
        if presence.bot is None:
            return 0
        now, rooms = self.house.now(), [self.house.rooms.get(number) for number in presence.rooms]
        others = sum(1 for keeper in rooms if keeper is not None and keeper.room.leg is None)
        held = [t for room, t in presence.held.items() if t > now and room not in presence.rooms]
        if held:
            self.freed((min(held) - now) / 1000 + 0.001)
        return presence.bot.slots - others - len(held)

    def busy(self) -> Counter[tuple[int, str | None]]:
        """The pairs that each bot plays now, on all ladders."""
        found: Counter[tuple[int, str | None]] = Counter()
        for keeper in self.by_number.values():
            for player in keeper.ladder.players:
                running = player.running + keeper.beginning.count(player.number)
                if running:
                    found[player.who.session, player.who.program] += running
        return found

    def check_version(self, who: Who, version: str) -> None:
        """Refusal ladder/version-clash if another version of this bot has pairs under way."""
        for keeper in self.by_number.values():
            for player in keeper.ladder.players:
                if player.running and player.who.same(who) and player.version != version:
                    raise Refusal(
                        Code.LADDER_VERSION_CLASH,
                        f"{player.title} is in the middle of {player.running} pairs on "
                        f"{keeper.ladder.made.name}; connect as version {player.version}, or wait "
                        "until they are over",
                    )

    def stop(self) -> None:
        """The server ends."""
        self.stopped = True
        if self._timer is not None:
            self._timer.cancel()
        for keeper in self.by_number.values():
            keeper.stop()

    # ------------------------------------------------------------ requests

    def create(self, peer: Peer, request: LadderCreate, now: int) -> None:
        """Open a ladder."""
        made = self._made(peer.me(), request, now)
        house = self.house
        number = house.take_number()
        keeper = LadderKeeper(house, Ladder(number, made))
        self.by_name[made.name.casefold()] = keeper  # nobody else takes the name meanwhile

        def stored(error: Exception | None) -> None:
            if error is not None:
                del self.by_name[made.name.casefold()]
                self._not_stored(peer, request, error)
                return
            self._keep(keeper)
            keeper.answer(peer, request.id)

        house.store.append(first_rows(house, keeper.ladder), stored)

    def _made(self, owner: Who, request: LadderCreate, now: int) -> Made:
        if not rating.available():
            raise Refusal(
                Code.LADDER_NO_RATINGS,
                "a ladder needs numpy for its ratings: the host installs 'plyhouse[fast]'",
            )
        name = self._checked_name(request.name)
        if len(self.by_name) >= self.house.config.ladders:
            raise Refusal(
                Code.LADDER_TOO_MANY, f"this server keeps at most {self.house.config.ladders}"
            )
        game = seating.find_game(request.game)
        try:
            seating.check_options(Options(clock=request.clock, rated=True))
            form = parse_format(request.format)
        except BadFormat as error:
            raise Refusal(Code.LADDER_BAD_FORMAT, str(error)) from None
        except Refusal as no:
            raise Refusal(Code.LADDER_BAD_OPTION, no.text) from None
        seed = secrets.randbits(32) if request.seed is None else request.seed % 2**32
        return Made(
            now, name, game.name, request.clock, str(form), owner, request.quota, seed,
            request.players,
        )  # fmt: skip

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

    def join(self, peer: Peer, request: LadderJoin, now: int) -> None:
        """A bot joins."""
        keeper = self._found(request.ladder)
        who, presence = peer.me(), peer.presence
        if presence is None or presence.bot is None:
            raise Refusal(
                Code.LADDER_NOT_A_BOT, "only a program plays on a ladder: say hello with `bot`"
            )
        bot, made = presence.bot, keeper.ladder.made
        if not presence.plays(made.game):
            raise Refusal(
                Code.LADDER_WRONG_GAME,
                f"{made.name} is of {made.game}, and {who.title()} plays {', '.join(bot.games)}",
            )
        self.check_version(who, bot.version)
        salt, slots = seating.checked_salt(request.salt), request.slots or bot.slots
        anchor = who.name == ANCHORS

        def decide(now: int) -> list[Any]:
            return [keeper.ladder.join(who, bot.version, salt, slots, anchor, now)]

        keeper.ask(decide, self._answer(peer, request))

    def leave(self, peer: Peer, request: LadderLeave, now: int) -> None:
        """A bot leaves."""
        keeper, who = self._found(request.ladder), peer.me()
        keeper.ask(lambda now: keeper.ladder.leave(who, now), self._answer(peer, request))

    def halt(self, peer: Peer, request: LadderStop, now: int) -> None:
        """The owner ends a ladder."""
        keeper, who = self._found(request.ladder), peer.me()
        keeper.ask(lambda now: keeper.ladder.stop(who, now), self._answer(peer, request))

    def status(self, peer: Peer, request: LadderStatus, now: int) -> None:
        """The list, or a standing, and whether to send more."""
        if request.ladder is None:
            newest = sorted(self.by_number.values(), key=lambda k: -k.ladder.number)
            lines = tuple(standing.line(k.ladder, len(k.slots())) for k in newest)
            peer.send(LadderList(re=request.id, ladders=lines))
            return
        keeper = self._found(request.ladder)
        if request.follow:
            keeper.followers.add(peer)
        else:
            keeper.followers.discard(peer)
        keeper.answer(peer, request.id)

    def pairs(self, peer: Peer, request: LadderPairs, now: int) -> None:
        """A page of pairs that are over."""
        ladder = self._found(request.ladder).ladder
        page = ladder.over[request.since : request.since + PAGE]
        until = request.since + len(page)
        peer.send(
            PairPage(
                re=request.id,
                ladder=ladder.made.name,
                pairs=tuple(standing.pair_line(ladder, pair) for pair in page),
                next=until if until < len(ladder.over) else None,
            )
        )

    def history(self, peer: Peer, request: LadderHistory, now: int) -> None:
        """The ratings over time."""
        keeper = self._found(request.ladder)
        points = keeper.rater.history
        longest = max((len(p.title.encode()) for p in keeper.ladder.players), default=0)
        ratings = max((len(point.ratings) for point in points), default=0)
        every = 1 + len(points) * ratings * (longest + 60) // MOST_HISTORY
        points = points[::-1][::every][::-1]
        peer.send(
            RatingHistory(re=request.id, ladder=keeper.ladder.made.name, points=tuple(points))
        )

    def _found(self, name: str) -> LadderKeeper:
        keeper = self.by_name.get(name.strip().casefold())
        if keeper is not None and keeper.ladder.number in self.by_number:
            return keeper
        there = ", ".join(sorted(k.ladder.made.name for k in self.by_number.values())[:40])
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
        peer.send(Error(code=Code.SERVER_NOT_STORED, text=text, re=request.id))


def _route(answer: Callable[..., None]) -> Callable[..., None]:
    """As House takes it: (house, peer, request, now)."""
    return lambda house, *asked: answer(house.ladders, *asked)


LADDER_ROUTES: dict[type[Request], Callable[..., None]] = {
    LadderCreate: _route(Ladders.create),
    LadderJoin: _route(Ladders.join),
    LadderLeave: _route(Ladders.leave),
    LadderStatus: _route(Ladders.status),
    LadderPairs: _route(Ladders.pairs),
    LadderHistory: _route(Ladders.history),
    LadderStop: _route(Ladders.halt),
}
