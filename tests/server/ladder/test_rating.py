"""Ratings: what they find in ladders whose truth is known, and what they say where little is."""

from __future__ import annotations

import math
from typing import NamedTuple

import pytest

from server.ladder import rating
from server.ladder.rating import UNKNOWN, Pairs, Ratings, expected, fit, mean_error, student

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


def trials(ladders: int, players: int, pairs: int, kind: Kind):
    """For each player but the pinned: its mean error in Elo, and how often its interval was right;
    the same for the first move at the end.
    """
    rng = np.random.default_rng(5)
    off, right = np.zeros((ladders, players)), np.zeros((ladders, players))
    for k in range(ladders):
        strength, played = ladder(rng, players, pairs, kind)
        found = fit(players, played, pinned=0)
        errors = np.array([*found.error[1:], found.first_move_error])
        off[k] = [*(np.array(found.elo) - strength)[1:], found.first_move - FIRST_MOVE]
        right[k] = abs(off[k]) <= errors
    return off, right


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_known_strengths_are_found_and_intervals_hold_them(kind: Kind) -> None:
    off, right = trials(60, 6, 600, kind)
    assert abs(off[:, :-1].mean()) < 3 + 2 * off[:, :-1].mean(axis=1).std() / math.sqrt(60)
    assert 0.91 <= right.mean() <= 0.99


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_bias_is_under_3_elo_and_intervals_hold_the_truth_in_93_to_97_percent(kind: Kind) -> None:
    off, right = trials(2400, 8, 1600, kind)
    assert np.abs(off.mean(axis=0)).max() < 3
    for part in range(0, 2400, 300):
        assert 0.93 <= right[part : part + 300].mean() <= 0.97


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
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
    found = fit(2, Pairs([0] * many, [1] * many, scores * 1000, scores * 1000))
    assert expected(found.elo[0] - found.elo[1]) == pytest.approx(0.75, abs=1e-3)


def test_draws_are_half_points_and_make_intervals_shorter() -> None:
    drawn = fit(2, Pairs([0] * 100, [1] * 100, [0.5] * 100, [0.5] * 100))
    split = fit(2, Pairs([0] * 100, [1] * 100, [0.0, 1.0] * 50, [1.0, 0.0, 0.0, 1.0] * 25))
    assert drawn.elo == pytest.approx((0, 0))
    assert split.elo == pytest.approx((0, 0))
    assert 0 < drawn.error[0] < split.error[0] / 2


def test_moving_first_is_told_apart_from_strength() -> None:
    found = fit(2, Pairs([0] * 50, [1] * 50, [1.0] * 50, [0.0] * 50))
    assert found.elo == pytest.approx((0, 0))
    assert found.first_move > 400
    assert found.first_move_error > 100, "nobody ever lost the first move"


def test_nobody_at_all() -> None:
    found = fit(0, Pairs([], [], [], []))
    assert found.elo == found.error == found.group == ()
    assert found.first_move == 0.0
    assert found.first_move_error > 1000


def test_players_without_a_pair_have_no_rating() -> None:
    found = fit(3, Pairs([], [], [], []), pinned=1)
    assert found.elo == found.error == (None,) * 3
    assert found.group == (1, 0, 2)
    assert found.spread(0, 2) == UNKNOWN
    assert found.spread(2, 2) == 0.0
    assert fit(1, Pairs([], [], [], [])).group == (0,)


def test_a_newcomer_beside_rated_players_has_none_either() -> None:
    found = fit(3, Pairs([0], [2], [1.0], [0.5]), pinned=0)
    assert found.elo[1] is found.error[1] is None
    assert found.group == (0, 1, 0)
    assert found.spread(1, 2) == UNKNOWN
    assert found.spread(0, 2) < UNKNOWN


def test_one_pair_is_enough_for_a_wide_interval() -> None:
    found = fit(2, Pairs([1], [0], [1.0], [1.0]), pinned=0)
    assert found.elo[0] == found.error[0] == 0.0
    assert 50 < found.elo[1] < 400
    assert found.error[1] > found.elo[1], "two games prove nothing"


@pytest.mark.parametrize("pairs", [1, 5, 64, 10_000])
def test_nothing_but_wins_is_finite_and_uncertain(pairs: int) -> None:
    found = fit(2, Pairs([0] * pairs, [1] * pairs, [1.0] * pairs, [1.0] * pairs), pinned=1)
    assert math.isfinite(found.elo[0])
    assert 200 < found.error[0] < 2000
    # Whoever scores so much as this fails to win all of these games once in twenty times.
    least = 0.025 ** (1 / (2 * pairs))
    assert expected(found.elo[0] - found.error[0]) < least + 0.02


def test_a_chain_in_which_everybody_beats_the_next_is_finite() -> None:
    n, each = 5, 500
    one = [i for i in range(n - 1) for _ in range(each)]
    won = [1.0] * len(one)
    found = fit(n, Pairs(one, [i + 1 for i in one], won, won), pinned=n - 1)
    numbers = [*found.elo, *found.error, found.first_move, found.first_move_error]
    assert all(math.isfinite(x) for x in numbers)
    assert all(a > b for a, b in zip(found.elo, found.elo[1:], strict=False))
    assert all(e > 300 for e in found.error[:-1])


def test_the_first_bot_in_a_ladder_of_hopeless_ones_is_finite() -> None:
    one, two = [0] * 400, [1 + k % 4 for k in range(400)]
    found = fit(5, Pairs(one, two, [1.0] * 400, [1.0] * 400), pinned=1)
    assert all(math.isfinite(x) for x in (*found.elo, *found.error))
    assert found.elo[2] == pytest.approx(0, abs=0.01)


def test_groups_that_never_met_count_from_their_own_mean() -> None:
    pairs = Pairs([0, 2, 2, 5], [1, 3, 4, 6], [1.0, 0.5, 1.0, 0.0], [0.5, 0.0, 1.0, 0.0])
    pinned = fit(8, pairs, pinned=5)
    assert pinned.group == (2, 2, 1, 1, 1, 0, 0, 3)
    assert pinned.elo[5] == pinned.error[5] == 0.0
    assert sum(pinned.elo[2:5]) == pytest.approx(0, abs=1e-6)
    assert pinned.elo[7] is None
    free = fit(8, pairs)
    assert free.group == (1, 1, 0, 0, 0, 2, 2, 3)
    assert free.elo[:5] == pytest.approx(pinned.elo[:5])
    assert free.elo[5] == pytest.approx(-free.elo[6])


def test_spread_is_what_the_error_is_made_of() -> None:
    _, pairs = ladder(np.random.default_rng(2), 5, 100, Kind())
    found = fit(5, pairs, pinned=2)
    for i in range(5):
        assert 1.959964 * math.sqrt(found.spread(i, 2)) == pytest.approx(found.error[i])
    assert found.spread(0, 4) == pytest.approx(found.spread(4, 0))


def test_exact_pairs_add_no_sampling_error() -> None:
    one, two = [0] * 20, [1] * 20
    first, second = [1.0, 0.5] * 10, [1.0, 0.0] * 10
    found = fit(2, Pairs(one, two, first, second, [True] * 20), pinned=1)
    assert found.error == (0.0, 0.0)
    assert found.elo[0] == pytest.approx(fit(2, Pairs(one, two, first, second), 1).elo[0], abs=5)
    more = Pairs([*one, 2], [*two, 1], [*first, 1.0], [*second, 0.0], [*[True] * 20, False])
    mixed = fit(3, more, pinned=1)
    assert mixed.error[0] < mixed.error[2] / 4


def test_an_exact_100_percent_says_that_its_elo_is_a_guess() -> None:
    found = fit(2, Pairs([0] * 20, [1] * 20, [1.0] * 20, [1.0] * 20, [True] * 20), pinned=1)
    assert found.error[0] > 200


def near(found: Ratings, other: Ratings) -> None:
    assert found.elo == pytest.approx(other.elo, abs=1e-3)
    assert found.error == pytest.approx(other.error, abs=1e-3)
    assert found.first_move == pytest.approx(other.first_move, abs=1e-3)
    assert found.first_move_error == pytest.approx(other.first_move_error, abs=1e-3)


def test_the_same_pairs_give_the_same_ratings_in_any_order() -> None:
    rng = np.random.default_rng(3)
    _, pairs = ladder(rng, 7, 80, Kind(draws=0.3))
    found = fit(7, pairs, pinned=0)
    assert fit(7, pairs, pinned=0) == found
    order = rng.permutation(80)
    shuffled = Pairs(*([column[i] for i in order] for column in pairs[:4]))
    near(fit(7, shuffled, pinned=0), found)


def test_swapping_one_and_two_changes_nothing() -> None:
    _, (one, two, first, second, _) = ladder(np.random.default_rng(4), 5, 60, Kind(draws=0.3))
    swapped = Pairs(two, one, [1 - s for s in second], [1 - s for s in first])
    near(fit(5, swapped, pinned=0), fit(5, Pairs(one, two, first, second), pinned=0))


def test_renumbering_the_players_changes_nothing() -> None:
    rng = np.random.default_rng(6)
    _, pairs = ladder(rng, 9, 90, Kind(draws=0.3))
    found, number = fit(9, pairs, pinned=4), rng.permutation(9).tolist()
    renamed = pairs._replace(one=[number[i] for i in pairs.one], two=[number[i] for i in pairs.two])
    other = fit(9, renamed, pinned=number[4])
    back = {
        name: tuple(getattr(other, name)[number[i]] for i in range(9)) for name in ("elo", "error")
    }
    assert back["elo"] == pytest.approx(found.elo, abs=1e-3)
    assert back["error"] == pytest.approx(found.error, abs=1e-3)


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
