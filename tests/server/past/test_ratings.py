"""Ratings of people: the intervals hold what they promise, and what counts as what."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import pytest

from protocol.parts import Result
from server.core.events import Who
from server.core.past.summary import MatchSummary
from server.ladder.core.rating import expected
from server.past import ratings
from server.past.ratings import RatedMatch
from server.rooms.index_rows import row_of
from server.store.contract import PastRow

DAY = ratings.DAY_MS


def evening(
    rng: random.Random, strength: Sequence[float], meetings: int, first: float = 30.0
) -> list[RatedMatch]:
    """People meet whom they like, most of them for a rematch, with draws; `first`: Elo of moving
    first.  Their strength says what they score on average, as the model has it.
    """
    matches: list[RatedMatch] = []
    for _ in range(meetings):
        a, b = rng.sample(range(len(strength)), 2)
        for _ in range(rng.choice((1, 1, 2, 2, 2, 3))):
            chance = expected(strength[a] - strength[b] + first)
            drawn, fate = 0.2 * min(chance, 1 - chance), rng.random()
            score = 1.0 if fate < chance - drawn / 2 else 0.5 if fate < chance + drawn / 2 else 0.0
            matches.append(RatedMatch(len(matches), a, b, score))
            a, b = b, a
    return matches


def test_intervals_hold_the_truth_in_95_of_100_cases() -> None:
    rng = random.Random(20)
    inside, outside, wide = 0, 0, 0.0
    for _ in range(60):
        strength = [rng.gauss(0, 150) for _ in range(8)]
        mean = math.fsum(strength) / len(strength)
        field = ratings.fitted(evening(rng, strength, 80))
        for person, (elo, error) in field.now.ratings.items():
            hit = abs(elo - (strength[person] - mean)) <= error
            inside, outside, wide = inside + hit, outside + (not hit), wide + error
    rated = inside + outside
    assert rated > 450
    assert 0.93 < inside / rated < 0.97
    assert 60 < wide / rated < 160


def test_a_match_alone_counts_once_and_a_pair_as_two() -> None:
    rng = random.Random(4)
    alone = [RatedMatch(n, 1, 2, float(rng.random() < 0.7)) for n in range(100)]
    pairs = [
        match._replace(one=2, two=1, score=1 - match.score) if n % 2 else match
        for n, match in enumerate(alone)
    ]
    (one, two) = (ratings.fitted(matches).now.ratings[1] for matches in (alone, pairs))
    assert one.elo == pytest.approx(two.elo, rel=0.1)
    assert one.error == pytest.approx(two.error, rel=0.25)


def test_two_in_a_row_with_seats_swapped_are_a_pair() -> None:
    matches = [
        RatedMatch(1, 5, 6, 1.0), RatedMatch(2, 7, 5, 0.5), RatedMatch(3, 6, 5, 0.0),
        RatedMatch(4, 6, 5, 1.0), RatedMatch(5, 6, 5, 0.5),
    ]  # fmt: skip
    pairs = ratings.paired(matches, {5: 0, 6: 1, 7: 2})
    assert list(zip(pairs.one, pairs.two, pairs.first, pairs.second, strict=True)) == [
        (0, 1, 1.0, 1.0),  # both won by 5
        (1, 0, 1.0, 1.0),  # alone: 6 began the next one as well
        (2, 0, 0.5, 0.5),
        (1, 0, 0.5, 0.5),
    ]


def test_who_never_met_has_a_field_of_their_own() -> None:
    matches = [RatedMatch(n, 1, 2, 1.0) for n in range(12)]
    matches += [RatedMatch(n, 3, 4, 1.0) for n in range(20, 32)]
    matches += [RatedMatch(n, 4, 5, 1.0) for n in range(40, 45)]
    field = ratings.fitted(matches)
    assert field.size == {1: 2, 2: 2, 3: 3, 4: 3, 5: 3}
    assert set(field.now.ratings) == {1, 2, 3, 4}  # 5 has played too few
    told = ratings.rating_of(5, "go", field, [])
    assert (told.elo, told.interval, told.matches, told.curve) == (None, None, 5, ())
    assert ratings.rating_of(99, "go", field, []).matches == 0
    assert ratings.fitted([]) == ratings.NOBODY_RATED


def test_a_curve_has_a_point_a_day_and_stays_short() -> None:
    matches = [RatedMatch(n * DAY // 2, 1, 2, float(n % 2)) for n in range(40)]
    assert ratings.days(matches) == list(range(2, 41, 2))
    long = [RatedMatch(n * DAY, 1, 2, float(n % 3 == 0)) for n in range(1_000)]
    chosen = ratings.days(long)
    assert len(chosen) <= ratings.MAX_DAYS
    assert chosen[-1] == 1_000
    assert set(chosen[:-1]) <= set(ratings.days(long[:999]))  # which were fitted already
    assert ratings.days([]) == []


def test_a_rating_is_told_with_its_past() -> None:
    matches = [RatedMatch(n * DAY // 2, 1, 2, float(n % 3 > 0)) for n in range(40)]
    field = ratings.fitted(matches)
    curve = [ratings.fitted(matches[:count]).now for count in ratings.days(matches)[:-1]]
    told = ratings.rating_of(1, "go", field, curve)
    assert (told.matches, told.field, told.doubtful) == (40, 2, False)
    assert [moment.at for moment in told.curve] == [
        matches[count - 1].at for count in ratings.days(matches) if count >= ratings.MIN_RATED
    ]
    assert told.elo == told.curve[-1].elo
    assert told.interval is not None
    assert sum(told.interval) / 2 == pytest.approx(told.elo, abs=0.1)


def test_friends_who_give_up_to_each_other_are_marked_and_nobody_else() -> None:
    rng = random.Random(3)
    honest = evening(rng, [0.0, 50.0, 100.0, 0.0], 60)
    assert ratings.one_sided(honest) == frozenset()
    given = [RatedMatch(1_000 + n, 0, 3, 0.0, giver=0) for n in range(12)]
    assert ratings.one_sided([*honest, *given]) == {0, 3}
    assert ratings.rating_of(3, "go", ratings.fitted([*honest, *given]), []).doubtful


def row(at: int, one: int, two: int, winner: int | None, how: str = "rules") -> PastRow:
    """A rated match in the index."""
    players = (Who(one, f"p{one}"), Who(two, f"p{two}"))
    returns = {0: (1.0, -1.0), 1: (-1.0, 1.0), None: (0.0, 0.0)}[winner]
    result = Result(winner=winner, returns=returns, how=how, reason=how)  # type: ignore[arg-type]
    return row_of(at, 1, MatchSummary("go", players, at, result, 9, "", True, True))


def test_rows_become_matches_of_the_people_who_played_last() -> None:
    rows = [row(9, 1, 2, 1, "resign"), row(8, 2, 3, None), row(7, 3, 4, 0), row(6, 1, 2, 0)]
    assert ratings.matches_of(rows, 3) == [
        RatedMatch(8, 2, 3, 0.5), RatedMatch(9, 1, 2, 0.0, giver=1)
    ]  # fmt: skip
    assert len(ratings.matches_of(rows, 4)) == 4
    assert ratings.matches_of([rows[0]._replace(body=b"\xc1")], 4)[0].giver is None
