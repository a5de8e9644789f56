"""How strong people are at one game: the rated matches of a house, as pairs for the ladders' model.

The model is that of server/ladder/core/rating.py, fitted by its `fitting`.  Its unit is a pair: two
matches with the seats swapped.  A rematch swaps seats, so two matches in a row between the same two
people are one.  A match that stays alone is a pair with both legs alike: the errors are those of
pairs, in which legs may depend on each other in any way, so it counts as the one match that it is;
and as both legs are alike, it says nothing about what moving first is worth.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from protocol.past import PersonRating, RatedPerson, RatingMoment
from server.core.events import NotReplayed
from server.core.past.summary import read_summary
from server.ladder.core.gifts import Elsewhere, Gifts
from server.ladder.core.rating import Pairs, Ratings
from server.store.contract import DRAWN, PastRow

MIN_RATED: Final = 10  # rated matches of a person, below which nothing is said of a rating
MAX_DAYS: Final = 60  # points of a curve
DAY_MS: Final = 24 * 3_600_000
GIVEN: Final = ("resign", "flag", "abandon", "crash", "disconnect")  # how a match is given up


class RatedMatch(NamedTuple):
    """A rated match.  `one`, `two`: sessions by seat; `score`: of `one`, which moved first.

    `giver`: the session that gave it up, if one did.
    """

    at: int
    one: int
    two: int
    score: float
    giver: int | None = None


class SessionRating(NamedTuple):
    """A rating and half of its 95 % interval, in Elo."""

    elo: float
    error: float


class Moment(NamedTuple):
    """The ratings at a time, by session, of everybody who had played enough by then."""

    at: int
    ratings: Mapping[int, SessionRating]


class FieldRatings(NamedTuple):
    """The ratings of all who play one game.

    `played`: rated matches of each session; `size`: of how many people zero is the mean, for each;
    `doubtful`: sessions in one-sided pairings.
    """

    now: Moment
    played: Mapping[int, int]
    size: Mapping[int, int]
    doubtful: frozenset[int]


NOBODY_RATED = FieldRatings(Moment(0, {}), {}, {}, frozenset())


def matches_of(rows: Iterable[PastRow], people: int) -> list[RatedMatch]:
    """Return the matches of rows that come newest first, oldest first; of so many people at most.

    Where one more person would come in, the older matches are left out.
    """
    known: set[int] = set()
    matches: list[RatedMatch] = []
    for row in rows:
        known |= {row.one, row.two}
        if len(known) > people:
            break
        score = 0.5 if row.outcome == DRAWN else 1.0 - row.outcome
        matches.append(RatedMatch(row.at, row.one, row.two, score, _giver(row)))
    return matches[::-1]


def _giver(row: PastRow) -> int | None:
    try:
        result = read_summary(row.body).result
    except NotReplayed:
        return None
    if result.how not in GIVEN or result.winner is None:
        return None
    return row.two if result.winner == 0 else row.one


def paired(matches: Sequence[RatedMatch], numbers: Mapping[int, int]) -> Pairs:
    """Return matches as pairs of players by number: two in a row with seats swapped are one pair.

    A match that has no companion has two legs that are alike.
    """
    alone: dict[frozenset[int], RatedMatch] = {}
    pairs: list[tuple[int, int, float, float]] = []
    for match in matches:
        key = frozenset((match.one, match.two))
        before = alone.pop(key, None)
        if before is not None and before.one == match.two:
            pairs.append((before.one, before.two, before.score, 1.0 - match.score))
            continue
        if before is not None:
            pairs.append((before.one, before.two, before.score, before.score))
        alone[key] = match
    pairs += [(match.one, match.two, match.score, match.score) for match in alone.values()]
    return Pairs(
        [numbers[one] for one, _, _, _ in pairs],
        [numbers[two] for _, two, _, _ in pairs],
        [first for _, _, first, _ in pairs],
        [second for _, _, _, second in pairs],
    )


def fitted(matches: Sequence[RatedMatch]) -> FieldRatings:
    """Rate everybody who has played these matches, oldest first.  It needs numpy, and time."""
    if not matches:
        return NOBODY_RATED
    from server.ladder.core import fitting  # 13 MB of numpy, in a house where people are rated

    sessions = sorted({session for match in matches for session in (match.one, match.two)})
    numbers = {session: number for number, session in enumerate(sessions)}
    ratings = fitting.fit(len(sessions), paired(matches, numbers))
    played = dict.fromkeys(sessions, 0)
    for match in matches:
        played[match.one] += 1
        played[match.two] += 1
    sizes = [ratings.group.count(group) for group in ratings.group]
    return FieldRatings(
        Moment(matches[-1].at, _by_session(sessions, ratings, played)),
        played,
        dict(zip(sessions, sizes, strict=True)),
        one_sided(matches),
    )


def _by_session(
    sessions: Sequence[int], ratings: Ratings, played: Mapping[int, int]
) -> dict[int, SessionRating]:
    return {
        session: SessionRating(elo, error)
        for session, elo, error in zip(sessions, ratings.elo, ratings.error, strict=True)
        if elo is not None and error is not None and played[session] >= MIN_RATED
    }


def one_sided(matches: Iterable[RatedMatch]) -> frozenset[int]:
    """Return who gives matches up to one other, or is given some, far more often than else."""
    gifts = Gifts()
    met: dict[tuple[int, int], int] = {}
    played: dict[int, int] = {}
    given: dict[int, int] = {}
    for match in matches:
        key = (min(match.one, match.two), max(match.one, match.two))
        met[key] = met.get(key, 0) + 1
        for session in key:
            played[session] = played.get(session, 0) + 1
        if match.giver is not None:
            given[match.giver] = given.get(match.giver, 0) + 1
            gifts.note(match.giver, key[0] if match.giver == key[1] else key[1])
    for key, count in met.items():
        elsewhere = [
            Elsewhere(played[a] - count, given.get(a, 0) - gifts.given[a, b])
            for a, b in (key, key[::-1])
        ]
        gifts.judge(key, count, *elsewhere)
    return frozenset(session for pairing in gifts.one_sided for session in pairing)


def days(matches: Sequence[RatedMatch]) -> list[int]:
    """Return after how many matches a curve has its points: at the ends of days, evenly chosen.

    The choice stays the same while days come, until there are twice as many.
    """
    ends = [n for n, (old, new) in enumerate(pairwise(matches), 1) if _day(old) != _day(new)]
    ends += [len(matches)] if matches else []
    step = 1
    while len(ends) >= MAX_DAYS * step:
        step *= 2
    chosen = ends[step - 1 :: step]
    return chosen if chosen[-1:] == ends[-1:] else [*chosen, ends[-1]]


def _day(match: RatedMatch) -> int:
    return match.at // DAY_MS


def rating_of(
    session: int, game: str, field: FieldRatings, curve: Sequence[Moment]
) -> PersonRating:
    """Return what is told of somebody's rating; `curve`: of days before, oldest first."""
    played = field.played.get(session, 0)
    now = field.now.ratings.get(session)
    if now is None:
        return PersonRating(game=game, matches=played, least=MIN_RATED)
    earlier = [moment for moment in curve if session in moment.ratings and moment.at < field.now.at]
    return PersonRating(
        game=game,
        matches=played,
        least=MIN_RATED,
        elo=_rounded(now.elo),
        interval=(_rounded(now.elo - now.error), _rounded(now.elo + now.error)),
        field=field.size[session],
        curve=tuple(
            RatingMoment(at=at, elo=_rounded(rated.elo), error=_rounded(rated.error))
            for at, ratings in (*earlier, field.now)
            for rated in (ratings[session],)
        ),
        doubtful=session in field.doubtful,
    )


def row_of(name: str, session: int | None, field: FieldRatings) -> RatedPerson:
    """Return the row of a table that tells of somebody's rating."""
    if session is None:  # no one has that name
        return RatedPerson(name=name)
    now = field.now.ratings.get(session)
    return RatedPerson(
        name=name,
        matches=field.played.get(session, 0),
        elo=_rounded(now.elo) if now is not None else None,
        error=_rounded(now.error) if now is not None else None,
        doubtful=session in field.doubtful,
    )


def best(field: FieldRatings, names: Mapping[int, str], most: int) -> list[RatedPerson]:
    """Return the rows of so many at most of those who have a name, the strongest first."""
    rated = [session for session in field.now.ratings if session in names]
    rated.sort(key=lambda session: (-field.now.ratings[session].elo, session))
    return [row_of(names[session], session, field) for session in rated[:most]]


def _rounded(elo: float) -> float:
    return round(elo, 1)
