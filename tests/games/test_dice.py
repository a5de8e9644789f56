"""Dice that anybody can check: computed again by hand, and bound to their ply.

That they are fair is in test_dice_fairness.py.
"""

from __future__ import annotations

import dataclasses
import hashlib
import hmac
from typing import Any

import pytest

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
        {"name": "17.3"}, {"secret": bytes(SECRET_BYTES)}, {"salts": ("00fe", "c0ffee")},
        {"salts": ("00ff", "")}, {"salts": ("c0ffee", "00ff")},
    ],
    ids=["name", "secret", "salt 0", "salt 1", "salts exchanged"],
)  # fmt: skip
def test_name_secret_and_both_salts_decide(other: dict[str, Any]) -> None:
    deal = dataclasses.replace(DEAL, **other)
    assert [DEAL.roll(p, DIE) for p in range(60)] != [deal.roll(p, DIE) for p in range(60)]


def test_the_only_action_is_rolled_whatever_its_weight() -> None:
    assert {DEAL.roll(ply, ((5, weight),)) for ply in range(20) for weight in (1, 3, 7)} == {5}


def test_the_commitment_is_the_hash_of_the_secret() -> None:
    assert commitment(SECRET) == hashlib.sha256(SECRET).hexdigest()
    assert commitment(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
