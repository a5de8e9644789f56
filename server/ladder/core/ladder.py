"""A ladder: who plays on it, which pairs are being played, and how the others ended.

It is the fold of its events, like a room.  Unlike a room it is an owner and not a value, because it
has hundreds of thousands of pairs.  A question (`join`, `leave`, `leg_over` ...) changes nothing:
it returns the events that answer it, or raises a Refusal.  `fold` makes an event happen, once it is
stored.  Time, secrets, ratings and who is connected are arguments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from dataclasses import dataclass
from typing import Final, assert_never

from msgspec import Struct

from games import registry
from games.game import Game
from protocol.errors import Code, Refusal
from protocol.notation import same_code
from protocol.parts import Result
from server.core.events import NotReplayed, Who
from server.core.match import Match
from server.core.names.text import clean
from server.core.playing import RULES_FAILED
from server.core.room import HOUSE
from server.ladder.core import events
from server.ladder.core.gifts import Elsewhere, Gifts
from server.ladder.core.openings import Opening, openings
from server.ladder.core.players import RECENT, LadderPlayer, LadderPlayers, Most

FORFEITS: Final = RECENT // 10  # of its last matches; one more, and it is suspended
FORFEITED: Final = frozenset({"flag", "illegal", "crash", "disconnect"})
LOST_BY: Final = FORFEITED | {"resign"}
ROOM: Final = Most()
REPEATS: Final = 3  # openings that are played again before a pairing counts as exhausted


class LegResult(Struct, frozen=True):
    """How a leg ended; see Scored."""

    room: int
    result: Result
    plies: int
    digest: bytes


@dataclass(slots=True)
class Pair:
    """A pair that is being played, or was: `legs` fill as they end.

    `rooms`: where legs are played, as far as that is known; it is not stored.
    """

    event: events.Paired
    legs: list[LegResult | None]
    rooms: list[int | None]
    void: str | None = None

    @property
    def over(self) -> bool:
        """Whether both legs have ended."""
        return None not in self.legs

    def score(self, leg: int) -> float:
        """Return what `one` made of a leg that is over: 0, 0.5 or 1."""
        return seat_score(self._leg(leg).result, leg)

    def points(self) -> float:
        """Points a game of `one`, over both legs."""
        return sum(self._leg(leg).result.returns[leg] for leg in (0, 1)) / 2

    def _leg(self, leg: int) -> LegResult:
        ended = self.legs[leg]
        if ended is None:
            raise NotReplayed(f"leg {leg} of pair {self.event.pair} is not over")
        return ended


class Ladder:
    """A ladder; its `number` is one of the numbers of rooms."""

    def __init__(self, number: int, made: events.Made) -> None:
        self.number = number
        self.made = made
        self.seq = 1
        self.finished: str | None = None
        self.game: Game = registry.game(made.game)
        self.openings: tuple[Opening, ...] = openings(self.game, made.seed)
        self.players = LadderPlayers()
        self.running: dict[int, Pair] = {}
        self.over: list[Pair] = []  # in the order in which they ended, void ones included
        self.counted: list[Pair] = []  # of these, those that count
        self.last_pair = 0
        self.exhausted: set[tuple[int, int]] = set()
        self.tally: dict[tuple[int, int], tuple[int, float]] = {}  # pairs, points of the lower
        self._between: Counter[tuple[int, int]] = Counter()  # begun and not void
        self.gifts = Gifts()
        # Ordinals of void pairs, which are used again.
        self._free: dict[tuple[int, int], list[int]] = {}
        # (lower, higher, opening) -> the two legs of the first such pair, the lower's seat 0 first
        self._digests: dict[tuple[int, int, int], tuple[bytes, bytes]] = {}
        self._repeats: Counter[tuple[int, int]] = Counter()  # pairs that went as before; -1: not

    def join(
        self, who: Who, version: str, salt: str, slots: int, anchor: bool, now: int,
        code: str | None = None, most: Most = ROOM, network: str = "", young: bool = False,
    ) -> events.Entered:  # fmt: skip
        """Return the event of a bot that joins, or joins again.

        `network`: from where, one customer's; `young`: whether its owner's name is new.

        Raises:
            Refusal: ladder/finished, ladder/not-invited, ladder/suspended or ladder/quota.
        """
        self._check_running()
        if not anchor:
            self._check_invited(who, code)
        player = self.find(who, version)
        if player is not None and player.suspended is not None:
            raise Refusal(Code.LADDER_SUSPENDED, f"{player.title}: {player.suspended}")
        others = sum(
            p.slots for p in self.players.of_owner(who.session) if p.member and not p.who.same(who)
        )
        if not anchor and others + slots > self.made.quota:
            raise Refusal(
                Code.LADDER_QUOTA,
                f"the bots of {who.name} may play {self.made.quota} pairs at once here: "
                f"{others} are taken by other bots, and this one asks for {slots}",
            )
        if player is not None:
            number = player.number
        else:
            number = self.players.place_for(who, anchor, most)
        if not self.made.by_owner or anchor:
            return events.Entered(now, number, who, clean(version), salt, slots, anchor)
        voice = self.players.voice_from(network, who)
        return events.Entered(now, number, who, clean(version), salt, slots, anchor, voice, young)

    def _check_invited(self, who: Who, code: str | None) -> None:
        made = self.made
        if not made.members and made.code is None:
            return
        names = {who.name.casefold(), who.title().casefold()}
        bot = (who.session, who.program)
        known = who.session == made.owner.session or any(self.players.of_bot(bot))
        if known or not names.isdisjoint(name.casefold() for name in made.members):
            return
        if made.code is None or not same_code(made.code, code):
            raise Refusal(
                Code.LADDER_NOT_INVITED,
                f"{made.name} is for who was invited by {made.owner.name}: join with its code",
            )

    def leave(self, who: Who, now: int) -> list[events.LadderEvent]:
        """Return the events of a bot that leaves; Refusal ladder/not-joined if it is no member."""
        versions = self.players.of_bot((who.session, who.program))
        members = [player for player in versions if player.member]
        if not members:
            raise Refusal(Code.LADDER_NOT_JOINED, f"{who.title()} is not on {self.made.name}")
        return [events.Withdrew(now, p.number) for p in members]

    def stop(self, who: Who, now: int) -> list[events.LadderEvent]:
        """End the ladder for its owner, or the host.

        Raises:
            Refusal: ladder/not-owner or ladder/finished.
        """
        self.check_owner(who, "stop")
        host = who.session == HOUSE.session
        return self.finish("stopped by the host" if host else "stopped by its owner", now)

    @property
    def is_of_host(self) -> bool:
        """Return whether the host has opened it, and no visitor."""
        return self.made.owner.session == HOUSE.session

    def check_owner(self, who: Who, what: str) -> None:
        """Refuse what only owner and host may do, while it is on: `what`, such as `stop`."""
        self._check_running()
        if who.session not in (self.made.owner.session, HOUSE.session):
            owner, ladder = self.made.owner.name, self.made.name
            text = f"only {owner} may {what} {ladder}; you are {who.title()} here"
            raise Refusal(Code.LADDER_NOT_OWNER, text)

    def finish(self, why: str, now: int) -> list[events.LadderEvent]:
        """Return the events that end the ladder; pairs that are on become void."""
        voided = [events.Voided(now, pair, "the ladder ended") for pair in self.running]
        return [*voided, events.Finished(now, why)]

    def begin(self, one: int, two: int, why: str, secret: bytes, now: int) -> events.Paired:
        """Return a pair of these two, with the next opening or the next dice."""
        pair = self.last_pair + 1
        ordinal = self._ordinal(_key(one, two))
        opening = self.openings[ordinal % len(self.openings)]
        dice = self.game.has_chance
        return events.Paired(
            now, pair, one, two, ordinal, opening,
            deal=f"L{self.number}.{pair}" if dice else None,
            secret=secret if dice else None,
            salts=(self.players[one].salt, self.players[two].salt) if dice else ("", ""),
            why=why,
        )  # fmt: skip

    def leg_over(
        self, pair: int, leg: int, room: int, match: Match, now: int
    ) -> list[events.LadderEvent]:
        """Return the events of a leg's end; none if it is known, or the pair is void.

        Where the rules of the game fail, the ladder ends: they would fail again.
        """
        running, result = self.running.get(pair), match.result
        if running is None or running.legs[leg] is not None or result is None:
            return []
        if result.reason == RULES_FAILED:
            return self.finish(f"the rules of {self.game.title} failed", now)
        if result.how in ("void", "abort"):
            return [events.Voided(now, pair, result.reason)]
        moves, spent = events.moves_of(match)
        scored = events.Scored(
            now, pair, leg, room, result, match.ply, moves, spent, events.digest_of(match)
        )
        return [scored, *self._suspensions(running.event, leg, result, now)]

    def _suspensions(
        self, pair: events.Paired, leg: int, result: Result, now: int
    ) -> list[events.LadderEvent]:
        if result.how not in FORFEITED or result.winner is None:
            return []
        seats = (pair.one, pair.two) if leg == 0 else (pair.two, pair.one)
        loser = self.players[seats[1 - result.winner]]
        lost = 1 + sum(list(loser.forfeits)[1 - RECENT :])
        if lost <= FORFEITS or loser.suspended is not None:
            return []
        return [
            events.Suspended(
                now,
                loser.number,
                f"{lost} of its last {RECENT} matches were lost by flag, illegal actions, crashes "
                "or absence; bring it again as a new version",
            )
        ]

    def _ordinal(self, key: tuple[int, int]) -> int:
        """Which pair of these two is next: that of a void one, else one more than there were."""
        return min(self._free.get(key, ()), default=self._between[key])

    def _check_running(self) -> None:
        if self.finished is not None:
            raise Refusal(Code.LADDER_FINISHED, f"{self.made.name} is over: {self.finished}")

    def played(self, one: int, two: int) -> int:
        """Return how many pairs these two have begun that are not void."""
        return self._between[_key(one, two)]

    def scored(self, one: int, two: int) -> int:
        """Return how many pairs of these two are over and count."""
        return self.tally.get(_key(one, two), (0, 0.0))[0]

    def is_exhausted(self, one: int, two: int) -> bool:
        """Return whether these two have played all openings, and play them always alike."""
        return _key(one, two) in self.exhausted

    def may_meet(self, one: int, two: int) -> bool:
        """Return whether these two play each other at all on this ladder.

        Two bots of one owner could give each other any result, so they do not, unless the ladder
        says so; those of its own owner, and anchors, may.
        """
        a, b = self.players[one], self.players[two]
        if a.who.session != b.who.session or self.made.siblings or (a.anchor and b.anchor):
            return True
        return a.who.session == self.made.owner.session

    def is_one_sided(self, one: int, two: int) -> bool:
        """Return whether one of them gives up against the other alone; see gifts.py."""
        return _key(one, two) in self.gifts.one_sided

    def counts(self, pair: Pair) -> bool:
        """Return whether a pair that is over tells something; see the function `counts`."""
        return counts(pair, len(self.openings), self.exhausted)

    def find(self, who: Who, version: str) -> LadderPlayer | None:
        return self.players.find(who, version)

    def fold(self, event: events.LadderEvent) -> None:
        """Make an event happen.

        Raises:
            NotReplayed: if it cannot have happened after those before it.
        """
        if self.finished is not None and not isinstance(event, events.Withdrew):
            raise NotReplayed(f"the ladder was over: {self.finished}")
        self.seq += 1
        match event:
            case events.Entered():
                self.players.enter(event)
            case events.Withdrew():
                self.players.leave(self._player(event.player))
            case events.Paired():
                self._paired(event)
            case events.Scored():
                self._scored(event)
            case events.Voided():
                self._voided(event)
            case events.Suspended():
                self._player(event.player).suspended = event.why
            case events.Finished():
                if self.running:
                    raise NotReplayed("a ladder is over when no pair is on")
                self.finished = event.why
            case events.Made():
                raise NotReplayed("a ladder is made once")
            case _:
                assert_never(event)

    def _paired(self, e: events.Paired) -> None:
        if e.pair != self.last_pair + 1 or e.one == e.two:
            raise NotReplayed(f"pair {e.pair} of {e.one} and {e.two} is not the next")
        one, two, key = self._player(e.one), self._player(e.two), _key(e.one, e.two)
        if e.ordinal != self._ordinal(key):
            raise NotReplayed(f"pair {e.pair}: its ordinal is {self._ordinal(key)}")
        if e.ordinal in (free := self._free.get(key, [])):
            free.remove(e.ordinal)
        self.running[e.pair] = Pair(e, [None, None], [None, None])
        self.last_pair = e.pair
        self._between[key] += 1
        self.players.begin(one, two)

    def _scored(self, e: events.Scored) -> None:
        pair = self._pair(e.pair)
        if e.leg not in (0, 1) or pair.legs[e.leg] is not None:
            raise NotReplayed(f"leg {e.leg} of pair {e.pair} is not on")
        pair.legs[e.leg] = LegResult(e.room, e.result, e.plies, e.digest)
        seats = (pair.event.one, pair.event.two)[:: 1 if e.leg == 0 else -1]
        for seat, number in enumerate(seats):
            player = self.players[number]
            player.moves += e.moves[seat]
            player.spent += e.spent[seat]
            lost = e.result.how in FORFEITED and e.result.winner == 1 - seat
            player.lost_or_not(lost, e.moves[seat])
        if pair.over:
            self._compare(pair)
            self._close(pair)
            self._count(pair)

    def _compare(self, pair: Pair) -> None:
        """Note whether a pair with an opening that was played before went the same way."""
        if self.game.has_chance:
            return
        one, two, ordinal = pair.event.one, pair.event.two, pair.event.ordinal
        key, digests = _key(one, two), [leg.digest for leg in pair.legs if leg is not None]
        at = (*key, ordinal % len(self.openings))
        now = (digests[0], digests[1]) if one == key[0] else (digests[1], digests[0])
        before = self._digests.get(at)
        if ordinal < len(self.openings) or before is None:
            self._digests[at] = now
        elif before != now:
            self._repeats[key] = -1
        elif self._repeats[key] >= 0:
            self._repeats[key] += 1
            if self._repeats[key] >= min(REPEATS, len(self.openings)):
                self.exhausted.add(key)

    def _count(self, pair: Pair) -> None:
        self.counted.append(pair)
        self._sum_up(pair)
        one, two = self.players[pair.event.one], self.players[pair.event.two]
        for player, sign in ((one, 1), (two, -1)):
            player.pairs += 1
            player.points[sign * pair.points()] += 1
        for leg in (0, 1):
            score, how = pair.score(leg), _how(pair, leg)
            _add(one, score, how)
            _add(two, 1.0 - score, how)
            if how in LOST_BY and score != 0.5:
                self.gifts.note(*((one.number, two.number)[:: 1 if score == 0.0 else -1]))
        key = _key(one.number, two.number)
        self.gifts.judge(
            key, 2 * self.tally[key][0], self._elsewhere(*key), self._elsewhere(*key[::-1])
        )

    def _elsewhere(self, number: int, other: int) -> Elsewhere:
        """Return what a player did against all but one other."""
        player, matches = self.players[number], 2 * self.tally[_key(number, other)][0]
        given = sum(player.lost_by.values()) - self.gifts.given[number, other]
        return Elsewhere(2 * player.pairs - matches, given)

    def _sum_up(self, pair: Pair) -> None:
        key = _key(pair.event.one, pair.event.two)
        points = pair.score(0) + pair.score(1)
        count, score = self.tally.get(key, (0, 0.0))
        self.tally[key] = (count + 1, score + (points if pair.event.one == key[0] else 2 - points))

    def _voided(self, e: events.Voided) -> None:
        pair = self._pair(e.pair)
        pair.void = e.why
        self._close(pair)
        key = _key(pair.event.one, pair.event.two)
        self._between[key] -= 1
        self._free.setdefault(key, []).append(pair.event.ordinal)
        for number, other in ((pair.event.one, pair.event.two), (pair.event.two, pair.event.one)):
            self.players[number].forget_pair(other)

    def _close(self, pair: Pair) -> None:
        del self.running[pair.event.pair]
        self.over.append(pair)
        for number in (pair.event.one, pair.event.two):
            self.players[number].running -= 1

    def _player(self, number: int) -> LadderPlayer:
        if not 0 <= number < len(self.players):
            raise NotReplayed(f"there is no player {number}")
        return self.players[number]

    def _pair(self, number: int) -> Pair:
        pair = self.running.get(number)
        if pair is None:
            raise NotReplayed(f"pair {number} is not on")
        return pair


def counts(pair: Pair, openings: int, exhausted: Set[tuple[int, int]]) -> bool:
    """Return whether a pair that is over tells something: of what is exhausted, the first round.

    `openings`: how many there are; `exhausted`: pairings, as (lower, higher).
    """
    return pair.event.ordinal < openings or _key(pair.event.one, pair.event.two) not in exhausted


def seat_score(result: Result, seat: int) -> float:
    """Return the match points of a seat: 1, 0.5 or 0."""
    return 0.5 if result.winner is None else float(result.winner == seat)


def _add(player: LadderPlayer, score: float, how: str) -> None:
    player.score += score
    player.wins += score == 1.0
    player.draws += score == 0.5
    player.losses += score == 0.0
    if score == 0.0 and how in LOST_BY:
        player.lost_by[how] += 1


def _how(pair: Pair, leg: int) -> str:
    ended = pair.legs[leg]
    return "" if ended is None else ended.result.how


def _key(one: int, two: int) -> tuple[int, int]:
    return (one, two) if one < two else (two, one)
