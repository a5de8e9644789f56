"""How a ladder looks on the wire: its row in the list, its standings, its pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import msgspec

from protocol import ladder as wire
from protocol.notation import format_match
from server.core.events import Who
from server.ladder.core import rating, sprt
from server.ladder.core.gifts import deviate
from server.ladder.core.ladder import Ladder, Pair
from server.ladder.core.players import LadderPlayer
from server.ladder.core.rating import Pairs, Ratings

MAX_CROSSED: Final = 40  # players in the crosstable of a message: 780 cells
MAX_LIVE: Final = 50
MAX_RECENT: Final = 20
MAX_RATED: Final = 300  # players in one point of the history
MAX_BYTES: Final = 240 * 1024  # of all that, so that a frame holds it
PINNED: Final = "random"  # the anchor whose rating is 0
REMARKABLE: Final = 3.0  # how uneven results are of which is said against whom


def pinned(ladder: Ladder) -> int | None:
    """Return the player whose rating is 0, or None: the first anchor that plays at random."""
    anchors = (p for p in ladder.players if p.anchor and p.who.program == PINNED and p.pairs)
    return next((player.number for player in anchors), None)


def pairs(counted: Sequence[Pair], exact: frozenset[tuple[int, int]]) -> Pairs:
    """What the ratings are fitted to; `exact`: pairings that are exhausted, as (lower, higher)."""
    one = [pair.event.one for pair in counted]
    two = [pair.event.two for pair in counted]
    return Pairs(
        one,
        two,
        [pair.score(0) for pair in counted],
        [pair.score(1) for pair in counted],
        [(min(a, b), max(a, b)) in exact for a, b in zip(one, two, strict=True)] if exact else (),
    )


def verdict(ladder: Ladder, new: int, old: int, test: wire.Hypotheses) -> sprt.SprtVerdict:
    """Return what a test of `new` against `old` says so far."""
    counts, score = [0] * 5, 0.0
    for pair in ladder.counted:
        if {pair.event.one, pair.event.two} == {new, old} and ladder.counts(pair):
            points = pair.score(0) + pair.score(1)
            points = points if pair.event.one == new else 2 - points
            counts[round(2 * points)] += 1
            score += points
    if ladder.is_exhausted(new, old):
        return sprt.judge_exact(score / (2 * sum(counts)), sum(counts), test)
    return sprt.judge(counts, test)


def line(ladder: Ladder, here: int) -> wire.LadderLine:
    """Return the row of a ladder in the list; `here`: how many of its players are connected."""
    made = ladder.made
    return wire.LadderLine(
        name=made.name,
        game=made.game,
        format=made.format,
        clock=made.clock,
        state="running" if ladder.finished is None else "finished",
        owner=made.owner.title(),
        at=made.at,
        players=len(ladder.players),
        here=here,
        pairs=len(ladder.counted),
        invited=bool(made.members) or made.code is not None,
        siblings=made.siblings,
        by_owner=made.by_owner,
    )


def state(
    ladder: Ladder,
    ratings: Ratings | None,
    rated: int,
    slots: Mapping[int, int],
    verdict: wire.Verdict | None,
    is_former: Callable[[Who], bool] = lambda who: False,
    waits: tuple[wire.LadderWait, ...] = (),
) -> wire.LadderState:
    """The whole standings, of as many players as a frame holds: 400 with the longest Latin names.

    `ratings` rest on the first `rated` pairs; `slots`: of who is here; `is_former`: whether a name
    is not its owner's any more; `waits`: see core/members.py.
    """
    order = ranked(ladder, ratings)
    zero = pinned(ladder)
    first = None if ladder.game.has_chance else ratings  # dice, not seats, say who moves first
    cross = _cross(ladder, [player.number for player in order[:MAX_CROSSED]])
    live = tuple(pair_line(ladder, p) for p in list(ladder.running.values())[-MAX_LIVE:])
    recent = tuple(pair_line(ladder, pair) for pair in reversed(ladder.over[-MAX_RECENT:]))
    rows = (
        _standing(ladder, player, rank, ratings, slots.get(player.number, 0), is_former(player.who))
        for rank, player in enumerate(order, 1)
    )
    return wire.LadderState(
        ladder=line(ladder, len(slots)),
        seq=ladder.seq,
        standings=_fitting(rows, MAX_BYTES - sum(map(_size, (cross, live, recent, waits)))),
        cross=cross,
        live=live,
        recent=recent,
        rated=rated,
        pinned=ladder.players[zero].title if zero is not None else None,
        field=_round(ratings.mean()) if ratings is not None else None,
        first_move=_round(first.first_move) if first is not None else None,
        first_move_error=_round(first.first_move_error) if first is not None else None,
        verdict=verdict,
        waits=waits,
    )


def _size(part: object) -> int:
    """Bytes of a part of a message in JSON, which is the longer encoding."""
    return len(msgspec.json.encode(part)) + 1


def _fitting(rows: Iterable[wire.Standing], limit: int) -> tuple[wire.Standing, ...]:
    """As many of these rows as `limit` bytes hold."""
    fitting: list[wire.Standing] = []
    for row in rows:
        limit -= _size(row)
        if limit < 0:
            break
        fitting.append(row)
    return tuple(fitting)


def ranked(ladder: Ladder, ratings: Ratings | None) -> list[LadderPlayer]:
    """Return the players, the best first; those without a rating come last."""

    def key(player: LadderPlayer) -> tuple[bool, int, float, int]:
        elo, group = _rating(ratings, player.number)
        return elo is None, group, -(elo or 0.0), player.number

    return sorted(ladder.players, key=key)


def _rating(ratings: Ratings | None, number: int) -> tuple[float | None, int]:
    """Elo and group; a player who came after the fit has none."""
    if ratings is None or number >= len(ratings.elo):
        return None, 0
    return ratings.elo[number], ratings.group[number]


def _standing(
    ladder: Ladder,
    player: LadderPlayer,
    rank: int,
    ratings: Ratings | None,
    slots: int,
    former: bool,
) -> wire.Standing:
    elo, group = _rating(ratings, player.number)
    error = ratings.error[player.number] if ratings is not None and elo is not None else None
    worth, worth_error = None, None
    if ladder.game.max_return > 1 and player.points:
        worth, worth_error = rating.mean_error(player.points)
    uneven, most_from = _uneven(ladder, player.number, ratings)
    return wire.Standing(
        player=player.title,
        rank=rank,
        rating=_round(elo),
        error=_round(error),
        group=group if elo is not None else 0,
        pairs=player.pairs,
        score=player.score,
        wins=player.wins,
        draws=player.draws,
        losses=player.losses,
        lost_by=dict(player.lost_by),
        voids=player.voids,
        points=_round(worth, 3),
        points_error=_round(worth_error, 3),
        move_ms=_round(player.spent / player.moves) if player.moves else None,
        slots=slots,
        busy=player.running,
        anchor=player.anchor,
        suspended=player.suspended,
        uneven=_round(uneven),
        most_from=None if most_from is None else ladder.players[most_from].title,
        former=former,
    )


def _uneven(
    ladder: Ladder, number: int, ratings: Ratings | None
) -> tuple[float | None, int | None]:
    """How far a player's results depart from its rating, and from whom it has most if that is far.

    The larger of two normal deviates: that of the results against each opponent, and that of what
    opponents have given up that give up against this player alone.
    """
    if ratings is None:
        return None, None
    uneven, most_from = ratings.departure(number)
    given, giver = _gifts(ladder, number, ratings)
    if given > (uneven or 0.0):
        uneven, most_from = given, giver
    return uneven, most_from if uneven is not None and uneven >= REMARKABLE else None


def _gifts(ladder: Ladder, taker: int, ratings: Ratings) -> tuple[float, int | None]:
    """How much more was given up to a player than its rating wins; who gave most."""
    givers = [a if b == taker else b for a, b in ladder.gifts.one_sided if taker in (a, b)]
    given = matches = 0
    lost = 0.0
    for giver in givers:
        mine, other = _rating(ratings, taker)[0], _rating(ratings, giver)[0]
        times = ladder.gifts.given[giver, taker]
        if mine is not None and other is not None and times > ladder.gifts.given[taker, giver]:
            together = 2 * ladder.tally[min(giver, taker), max(giver, taker)][0]
            given, matches = given + times, matches + together
            lost += together * rating.expected(mine - other)
    most = max(givers, key=lambda giver: ladder.gifts.given[giver, taker], default=None)
    return (deviate(given, matches, lost / matches), most) if matches else (0.0, None)


def _cross(ladder: Ladder, best: Sequence[int]) -> tuple[wire.Cross, ...]:
    """The cells between these players, whose places in the list are their places in `best`."""
    place = {number: i for i, number in enumerate(best)}
    cells: list[wire.Cross] = []
    for (low, high), (count, score) in ladder.tally.items():
        if low in place and high in place:
            one, two = place[low], place[high]
            cells.append(
                wire.Cross(one=one, two=two, pairs=count, score=score,
                      exact=(low, high) in ladder.exhausted)
            )  # fmt: skip
    return tuple(sorted(cells, key=lambda cell: (cell.one, cell.two)))


def pair_line(ladder: Ladder, pair: Pair) -> wire.PairLine:
    """Return a pair with its legs."""
    e = pair.event
    first, second = (_leg(pair, leg) for leg in (0, 1))
    return wire.PairLine(
        pair=e.pair,
        one=ladder.players[e.one].title,
        two=ladder.players[e.two].title,
        at=e.at,
        legs=(first, second),
        opening=e.opening,
        why=e.why,
        void=pair.void,
    )


def _leg(pair: Pair, leg: int) -> wire.PairLeg:
    ended = pair.legs[leg]
    if ended is None:
        room = pair.rooms[leg]
        return wire.PairLeg(match=format_match(room, 1) if room is not None else None)
    return wire.PairLeg(match=format_match(ended.room, 1), result=ended.result, plies=ended.plies)


def point(ladder: Ladder, ratings: Ratings, at: int, rated: int) -> wire.RatingPoint:
    """Return the ratings at one time, of the best if there are many."""
    rows = [
        wire.RatingOf(player=player.title, rating=round(elo, 1), error=round(error or 0.0, 1))
        for player, elo, error in zip(ladder.players, ratings.elo, ratings.error, strict=False)
        if elo is not None
    ]
    if len(rows) > MAX_RATED:
        rows = sorted(rows, key=lambda row: -row.rating)[:MAX_RATED]
    return wire.RatingPoint(at=at, pairs=rated, ratings=tuple(rows))


def _round(value: float | None, digits: int = 1) -> float | None:
    return None if value is None else round(value, digits) + 0.0  # which makes 0.0 of -0.0
