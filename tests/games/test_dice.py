"""Dice that anybody can check: computed again by hand, fair, and bound to their ply."""

from __future__ import annotations

import dataclasses
import hashlib
import hmac
from itertools import pairwise

import pytest

from games import registry
from games.dice import SECRET_BYTES, Deal, commitment

SECRET = bytes(range(SECRET_BYTES))
DEAL = Deal("17.2", SECRET, ("00ff", "c0ffee"))
DIE = tuple((face, 1) for face in range(1, 7))


def by_hand(ply: int, i: int = 0) -> int:
    """A stranger's number of DEAL, written from the docstring alone."""
    message = b"plyhouse-deal-1\n17.2\n00ff\nc0ffee\n%d\n%d" % (ply, i)
    return int(hmac.new(SECRET, message, hashlib.sha256).hexdigest()[:16], 16)


def test_a_roll_can_be_computed_by_hand() -> None:
    for ply in range(200):
        assert DEAL.roll(ply, DIE) == 1 + by_hand(ply) % 6


def test_weights_are_widths_in_ascending_order() -> None:
    chances = ((0, 2), (1, 4), (4, 3), (7, 1))
    spread = [0, 0, 1, 1, 1, 1, 4, 4, 4, 7]
    for ply in range(200):
        assert DEAL.roll(ply, chances) == spread[by_hand(ply) % 10]


def test_these_rolls_were_made_once_and_never_change() -> None:
    assert [DEAL.roll(ply, DIE) for ply in range(12)] == [5, 3, 1, 4, 3, 1, 1, 1, 5, 4, 2, 6]
    assert by_hand(0) == 0xB63D1221F3B07A36


def test_a_number_that_would_favour_some_action_is_passed_over() -> None:
    half = 2**63 + 1  # 2**64 holds it once: nearly every second number is too large
    chances = ((0, half - 1), (1, 1))
    passed_over = [ply for ply in range(40) if by_hand(ply) >= half]
    assert len(passed_over) > 10
    for ply in range(40):
        i = next(i for i in range(64) if by_hand(ply, i) < half)
        assert DEAL.roll(ply, chances) == int(by_hand(ply, i) % half == half - 1)


def test_a_roll_does_not_depend_on_what_was_asked_before() -> None:
    forwards = [DEAL.roll(ply, DIE) for ply in range(50)]
    backwards = [DEAL.roll(ply, DIE) for ply in reversed(range(50))]
    assert forwards == backwards[::-1]
    assert forwards[7] == Deal("17.2", SECRET, ("00ff", "c0ffee")).roll(7, DIE)


@pytest.mark.parametrize(
    "other",
    [
        dataclasses.replace(DEAL, name="17.3"),
        dataclasses.replace(DEAL, secret=bytes(SECRET_BYTES)),
        dataclasses.replace(DEAL, salts=("00fe", "c0ffee")),
        dataclasses.replace(DEAL, salts=("00ff", "")),
        dataclasses.replace(DEAL, salts=("c0ffee", "00ff")),
    ],
    ids=["name", "secret", "salt 0", "salt 1", "salts exchanged"],
)
def test_name_secret_and_both_salts_decide(other: Deal) -> None:
    assert [DEAL.roll(p, DIE) for p in range(60)] != [other.roll(p, DIE) for p in range(60)]


def test_the_only_action_is_rolled_whatever_its_weight() -> None:
    assert {DEAL.roll(ply, ((5, weight),)) for ply in range(20) for weight in (1, 3, 7)} == {5}


def test_the_commitment_is_the_hash_of_the_secret() -> None:
    assert commitment(SECRET) == hashlib.sha256(SECRET).hexdigest()
    assert commitment(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def chi_square(deal: Deal, chances: tuple[tuple[int, int], ...], rolls: int) -> float:
    """How far the counts of so many plies lie from the weights."""
    seen = dict.fromkeys((action for action, _ in chances), 0)
    for ply in range(rolls):
        seen[deal.roll(ply, chances)] += 1
    total = sum(weight for _, weight in chances)
    expected = {action: rolls * weight / total for action, weight in chances}
    return sum((seen[a] - e) ** 2 / e for a, e in expected.items())


def test_fifty_thousand_rolls_fit_their_weights() -> None:
    # One secret in a thousand exceeds these limits (3, 5, 20 degrees of freedom); ours is fixed.
    pairs = tuple((10 * a + b, 1 if a == b else 2) for a in range(1, 7) for b in range(1, a + 1))
    pebbles = registry.game("pebbles")
    die = pebbles.initial().apply(0).chance()
    assert chi_square(DEAL, die, 10_000) < 16.27
    assert chi_square(DEAL, DIE, 20_000) < 20.52
    assert chi_square(DEAL, pairs, 20_000) < 45.31


def test_neighbouring_plies_do_not_know_of_each_other() -> None:
    pairs: dict[tuple[int, int], int] = {}
    rolls = [DEAL.roll(ply, DIE) for ply in range(18_001)]
    for pair in pairwise(rolls):
        pairs[pair] = pairs.get(pair, 0) + 1
    assert len(pairs) == 36
    assert sum((n - 500) ** 2 / 500 for n in pairs.values()) < 66.62  # 35 degrees of freedom


def test_a_game_s_dice_are_asked_for_with_its_own_weights() -> None:
    start = registry.game("pebbles").initial()
    assert start.chance() == ((0, 3), (1, 2))
    starts = [Deal(f"{room}.1", SECRET).roll(0, start.chance()) for room in range(1_000)]
    assert 340 < sum(starts) < 460
