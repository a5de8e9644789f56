"""Ratings: what they find in ladders whose truth is known, and what they say where little is."""

from __future__ import annotations

import math
from typing import NamedTuple

import pytest

from server.ladder.core import rating
from server.ladder.core.fitting import fit
from server.ladder.core.rating import (
    UNKNOWN,
    Pairs,
    RatingDifference,
    Ratings,
    expected,
    mean_error,
    student,
    superiority,
)

np = pytest.importorskip("numpy")

FIRST_MOVE = 40.0


class Kind(NamedTuple):
    """How results come about.  `luck`: how often both legs have the same luck, or, if negative,
    opposite luck, as with the same dice for either seat.
    """

    draws: float = 0.0
    luck: float = 0.0


KINDS = {
    "no draws": Kind(),
    "many draws": Kind(draws=0.7),
    "shared luck": Kind(draws=0.1, luck=0.7),
    "opposite luck": Kind(draws=0.1, luck=-0.7),
}


OF_EACH_KIND = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())


def play(rng, strength, one, two, kind: Kind) -> Pairs:
    """Pairs between these players, of these strengths in Elo."""
    apart = (strength[one] - strength[two]) / rating.ELO
    lead = FIRST_MOVE / rating.ELO
    u, v = rng.random((2, len(one)))
    v = np.where(rng.random(len(one)) < abs(kind.luck), u if kind.luck > 0 else 1 - u, v)
    legs = []
    for p, luck in ((apart + lead, u), (apart - lead, v)):
        p = 1 / (1 + np.exp(-p))
        half = np.minimum(kind.draws, 2 * np.minimum(p, 1 - p)) / 2
        legs.append(np.where(luck < p - half, 1.0, np.where(luck < p + half, 0.5, 0.0)))
    return Pairs(*(column.tolist() for column in (one, two, *legs)))


def ladder(rng, players: int, pairs: int, kind: Kind):
    """Strengths from 0 for player 0 up to 350, and pairs at random between them."""
    strength = np.linspace(0, 350, players)
    one = rng.integers(0, players, pairs)
    two = (one + rng.integers(1, players, pairs)) % players
    return strength, play(rng, strength, one, two, kind)


def apart(ratings: Ratings, one: int, two: int) -> RatingDifference:
    """The difference of two players that can be compared."""
    difference = ratings.difference(one, two)
    assert difference is not None
    return difference


def trials(ladders: int, players: int, pairs: int, kind: Kind):
    """For each player but the pinned: its mean error in Elo, and how often the interval of its
    difference to that one was right; the same for the first move at the end.
    """
    rng = np.random.default_rng(5)
    off, right = np.zeros((ladders, players)), np.zeros((ladders, players))
    for k in range(ladders):
        strength, played = ladder(rng, players, pairs, kind)
        ratings = fit(players, played, pinned=0)
        errors = [apart(ratings, player, 0).error for player in range(1, players)]
        errors = np.array([*errors, ratings.first_move_error])
        off[k] = [*(np.array(ratings.elo) - strength)[1:], ratings.first_move - FIRST_MOVE]
        right[k] = abs(off[k]) <= errors
    return off, right


@OF_EACH_KIND
def test_known_strengths_are_found_and_intervals_hold_them(kind: Kind) -> None:
    off, right = trials(60, 6, 600, kind)
    assert abs(off[:, :-1].mean()) < 3 + 2 * off[:, :-1].mean(axis=1).std() / math.sqrt(60)
    assert 0.91 <= right.mean() <= 0.99


@pytest.mark.slow
@OF_EACH_KIND
def test_bias_is_under_3_elo_and_intervals_hold_the_truth_in_93_to_97_percent(kind: Kind) -> None:
    off, right = trials(2400, 8, 1600, kind)
    assert np.abs(off.mean(axis=0)).max() < 3
    for part in range(0, 2400, 300):
        assert 0.93 <= right[part : part + 300].mean() <= 0.97


@pytest.mark.slow
@OF_EACH_KIND
def test_newcomers_with_ten_pairs_each_have_honest_intervals(kind: Kind) -> None:
    _, right = trials(1200, 8, 40, kind)
    assert 0.93 <= right[:, :-1].mean() <= 0.985


def test_elo_is_expected_score() -> None:
    assert expected(0) == 0.5
    assert expected(400) == pytest.approx(10 / 11)
    assert expected(-30) == pytest.approx(0.45693, abs=1e-5)
    assert expected(1e6) == 1.0
    many = 4000
    scores = [1.0] * 3 + [0.0]
    ratings = fit(2, Pairs([0] * many, [1] * many, scores * 1000, scores * 1000))
    assert expected(ratings.elo[0] - ratings.elo[1]) == pytest.approx(0.75, abs=1e-3)


def test_moving_first_is_told_apart_from_strength_and_draws_make_intervals_shorter() -> None:
    ratings = fit(2, Pairs([0] * 50, [1] * 50, [1.0] * 50, [0.0] * 50))
    assert ratings.elo == pytest.approx((0, 0))
    assert ratings.first_move > 400
    assert ratings.first_move_error > 100, "nobody ever lost the first move"
    drawn = fit(2, Pairs([0] * 100, [1] * 100, [0.5] * 100, [0.5] * 100))
    split = fit(2, Pairs([0] * 100, [1] * 100, [0.0, 1.0] * 50, [1.0, 0.0, 0.0, 1.0] * 25))
    assert drawn.elo == pytest.approx((0, 0))
    assert split.elo == pytest.approx((0, 0))
    assert 0 < drawn.error[0] < split.error[0] / 2


def test_players_without_a_pair_have_no_rating_though_others_have() -> None:
    ratings = fit(3, Pairs([], [], [], []), pinned=1)
    assert ratings.elo == ratings.error == (None,) * 3
    assert ratings.group == (1, 0, 2)
    assert ratings.spread(0, 2) == UNKNOWN
    assert ratings.spread(2, 2) == 0.0
    assert fit(1, Pairs([], [], [], [])).group == (0,)
    ratings = fit(3, Pairs([0], [2], [1.0], [0.5]), pinned=0)
    assert ratings.elo[1] is ratings.error[1] is None
    assert ratings.group == (0, 1, 0)
    assert ratings.spread(1, 2) == UNKNOWN
    assert ratings.spread(0, 2) < UNKNOWN
    ratings = fit(0, Pairs([], [], [], []))
    assert ratings.elo == ratings.error == ratings.group == ()
    assert ratings.first_move == 0.0
    assert ratings.first_move_error > 1000


def test_players_without_a_pair_are_in_no_matrix() -> None:
    two = fit(2, Pairs([0], [1], [1.0], [0.5]))
    ratings = fit(100_000, Pairs([7], [99_998], [1.0], [0.5]))
    assert [len(row) for row in ratings.covariance] == [2, 2]
    assert (ratings.elo[7], ratings.elo[99_998]) == two.elo
    assert ratings.difference(7, 99_998) == two.difference(0, 1)
    assert ratings.spread(7, 99_999) == UNKNOWN
    assert ratings.most_from[7] == 99_998


def test_one_pair_is_enough_for_a_wide_interval() -> None:
    ratings = fit(2, Pairs([1], [0], [1.0], [1.0]), pinned=0)
    assert ratings.elo[0] == 0.0
    assert 50 < ratings.elo[1] < 400
    difference = apart(ratings, 1, 0)
    assert difference.error > difference.elo, "two games prove nothing"
    assert ratings.error == pytest.approx((difference.error / 2,) * 2), "the mean is half-way"


@pytest.mark.parametrize("pairs", [1, 5, 64, 10_000])
def test_nothing_but_wins_is_finite_and_uncertain(pairs: int) -> None:
    ratings = fit(2, Pairs([0] * pairs, [1] * pairs, [1.0] * pairs, [1.0] * pairs), pinned=1)
    assert math.isfinite(ratings.elo[0])
    difference = apart(ratings, 0, 1)
    assert 200 < difference.error < 2000
    # Whoever scores so much as this fails to win all of these games once in twenty times.
    least = 0.025 ** (1 / (2 * pairs))
    assert expected(difference.elo - difference.error) < least + 0.02


def test_a_chain_and_the_first_of_hopeless_ones_are_finite() -> None:
    n, each = 5, 500
    one = [i for i in range(n - 1) for _ in range(each)]
    won = [1.0] * len(one)
    ratings = fit(n, Pairs(one, [i + 1 for i in one], won, won), pinned=n - 1)
    numbers = [*ratings.elo, *ratings.error, ratings.first_move, ratings.first_move_error]
    assert all(math.isfinite(x) for x in numbers)
    assert all(a > b for a, b in zip(ratings.elo, ratings.elo[1:], strict=False))
    assert all(apart(ratings, i, n - 1).error > 300 for i in range(n - 1))
    one, two = [0] * 400, [1 + k % 4 for k in range(400)]
    ratings = fit(5, Pairs(one, two, [1.0] * 400, [1.0] * 400), pinned=1)
    assert all(math.isfinite(x) for x in (*ratings.elo, *ratings.error))
    assert ratings.elo[2] == pytest.approx(0, abs=0.01)


def test_groups_that_never_met_count_from_their_own_mean() -> None:
    pairs = Pairs([0, 2, 2, 5], [1, 3, 4, 6], [1.0, 0.5, 1.0, 0.0], [0.5, 0.0, 1.0, 0.0])
    pinned = fit(8, pairs, pinned=5)
    assert pinned.group == (2, 2, 1, 1, 1, 0, 0, 3)
    assert pinned.elo[5] == 0.0
    assert pinned.error[5] == pinned.error[6] > 0
    assert pinned.difference(5, 2) is None
    assert pinned.difference(7, 5) is None
    assert pinned.difference(5, 8) is None, "it came after the fit"
    assert pinned.mean() == pytest.approx(pinned.elo[6] / 2)
    assert pinned.mean(3) is None
    assert sum(pinned.elo[2:5]) == pytest.approx(0, abs=1e-6)
    assert pinned.elo[7] is None
    free = fit(8, pairs)
    assert free.group == (1, 1, 0, 0, 0, 2, 2, 3)
    assert free.elo[:5] == pytest.approx(pinned.elo[:5])
    assert free.elo[5] == pytest.approx(-free.elo[6])


def test_spread_is_what_the_errors_are_made_of() -> None:
    _, pairs = ladder(np.random.default_rng(2), 5, 100, Kind())
    ratings = fit(5, pairs, pinned=2)
    for i in range(5):
        error = 1.959964 * math.sqrt(ratings.spread(i, 2))
        assert error == pytest.approx(apart(ratings, i, 2).error)
        to_all = [ratings.spread(i, j) for j in range(5)]
        between = [ratings.spread(j, k) for j in range(5) for k in range(j)]
        variance = sum(to_all) / 5 - sum(between) / 25  # of the distance to a mean, from squares
        assert 1.959964 * math.sqrt(variance) == pytest.approx(ratings.error[i])
    assert ratings.spread(0, 4) == pytest.approx(ratings.spread(4, 0))
    ahead, behind = apart(ratings, 4, 0), apart(ratings, 0, 4)
    assert (ahead.elo, ahead.error) == pytest.approx((-behind.elo, behind.error))
    assert ahead.los + behind.los == pytest.approx(1)
    assert ahead.los == pytest.approx(superiority(ahead.elo, ahead.error / 1.959964))


def test_exact_pairs_add_no_sampling_error_but_for_100_percent() -> None:
    one, two = [0] * 20, [1] * 20
    first, second = [1.0, 0.5] * 10, [1.0, 0.0] * 10
    ratings = fit(2, Pairs(one, two, first, second, [True] * 20), pinned=1)
    assert ratings.error == (0.0, 0.0)
    assert ratings.elo[0] == pytest.approx(fit(2, Pairs(one, two, first, second), 1).elo[0], abs=5)
    more = Pairs([*one, 2], [*two, 1], [*first, 1.0], [*second, 0.0], [*[True] * 20, False])
    mixed = fit(3, more, pinned=1)
    assert apart(mixed, 0, 1).error < apart(mixed, 2, 1).error / 4
    ratings = fit(2, Pairs([0] * 20, [1] * 20, [1.0] * 20, [1.0] * 20, [True] * 20), pinned=1)
    assert apart(ratings, 0, 1).error > 200


def near(found: Ratings, other: Ratings) -> None:
    for name in ("elo", "error", "first_move", "first_move_error"):
        assert getattr(found, name) == pytest.approx(getattr(other, name), abs=1e-3)


def test_neither_the_order_of_pairs_nor_of_their_players_changes_a_rating() -> None:
    rng = np.random.default_rng(3)
    _, pairs = ladder(rng, 7, 80, Kind(draws=0.3))
    ratings = fit(7, pairs, pinned=0)
    assert fit(7, pairs, pinned=0) == ratings
    order = rng.permutation(80)
    shuffled = Pairs(*([column[i] for i in order] for column in pairs[:4]))
    near(fit(7, shuffled, pinned=0), ratings)
    _, (one, two, first, second, _) = ladder(np.random.default_rng(4), 5, 60, Kind(draws=0.3))
    swapped = Pairs(two, one, [1 - s for s in second], [1 - s for s in first])
    near(fit(5, swapped, pinned=0), fit(5, Pairs(one, two, first, second), pinned=0))


def test_renumbering_the_players_changes_nothing() -> None:
    rng = np.random.default_rng(6)
    _, pairs = ladder(rng, 9, 90, Kind(draws=0.3))
    ratings, number = fit(9, pairs, pinned=4), rng.permutation(9).tolist()
    renamed = pairs._replace(one=[number[i] for i in pairs.one], two=[number[i] for i in pairs.two])
    other = fit(9, renamed, pinned=number[4])
    for name in ("elo", "error"):
        back = [getattr(other, name)[number[i]] for i in range(9)]
        assert back == pytest.approx(getattr(ratings, name), abs=1e-3)


def test_points_a_game_have_an_error_of_pairs() -> None:
    assert mean_error({}) == (0.0, None)
    assert mean_error({2.0: 1}) == (2.0, None)
    assert mean_error({1.0: 3}) == (1.0, None), "three alike do not say that all are"
    mean, half = mean_error({1.0: 2, -1.0: 1, 3.0: 1})
    assert mean == 1.0
    assert half == pytest.approx(3.182 * math.sqrt(8 / 3 / 4), rel=0.01)


@pytest.mark.parametrize(("freedom", "most"), [(1, 12.706), (2, 4.303), (4, 2.776), (30, 2.042)])
def test_students_quantiles(freedom: int, most: float) -> None:
    assert student(freedom) == pytest.approx(most, rel=0.006)


def test_without_numpy_a_ladder_can_ask_before_it_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    assert rating.available()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert not rating.available()
