"""Legal turns against an independent generator (brute.py), over random positions of every kind."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from games.backgammon import rules
from tests.games.backgammon.brute import Board, board, random_board, sequences, state, steps, turns

POSITIONS = 10_000
OFTEN = 300  # so many of POSITIONS are of each kind, or more
KINDS = (
    "two on the bar",
    "three on the bar",
    "a checker enters",
    "borne off with the exact number",
    "borne off from the highest point",
    "both sides bear off",
    "a double",
    "a double is played in part",
    "a first step spoils the second die",
    "only one order of the dice",
    "either die but not both",
    "only the smaller die",
    "a pass",
    "a hit",
    "two are hit",
    "two ways to the same position",
)


def kinds(here: Board, dice: tuple[int, int], found: dict[Board, int]) -> set[str]:
    """What there is to be seen in a position, by the other generator alone."""
    mine, theirs = here
    by_die = {die: steps(here, die) for die in dice}
    seen = {
        "two on the bar": mine.count(25) >= 2,
        "three on the bar": mine.count(25) >= 3,
        "a checker enters": mine[-1] == 25 and here not in found,
        "borne off with the exact number": any(
            die in after and mine[-1] <= 6 for die, after in by_die.items()
        ),
        "borne off from the highest point": any(
            mine[-1] < die and after for die, after in by_die.items()
        ),
        "both sides bear off": max(mine[-1], theirs[-1]) <= 6,
        "a pass": here in found,
        "a hit": any(end[1].count(25) > theirs.count(25) for end in found),
        "two are hit": any(end[1].count(25) > theirs.count(25) + 1 for end in found),
        "a double": dice[0] == dice[1],
    }
    more = _of_a_double(here, dice[0], found) if seen["a double"] else _of_two(here, dice, found)
    return {kind for kind, is_so in {**seen, **more}.items() if is_so}


def _of_a_double(here: Board, die: int, found: dict[Board, int]) -> dict[str, bool]:
    shortest = next(iter(found.values()))
    return {"a double is played in part": here not in found and shortest % 26 == 0}


def _of_two(here: Board, dice: tuple[int, int], found: dict[Board, int]) -> dict[str, bool]:
    larger, smaller = max(dice), min(dice)
    tried = [list(sequences(here, larger, smaller, 0)), list(sequences(here, smaller, larger, 1))]
    both = [[turn for turn in order if len(turn.dice) == 2] for order in tried]
    possible = bool(both[0] or both[1])
    spoilt = any(
        not steps(turn.board, smaller if turn.dice == (larger,) else larger)
        for turn in [*tried[0], *tried[1]]
        if len(turn.dice) == 1
    )
    return {
        "a first step spoils the second die": possible and spoilt,
        "only one order of the dice": bool(both[0]) != bool(both[1]),
        "either die but not both": bool(tried[0] and tried[1]) and not possible,
        "only the smaller die": bool(tried[1]) and not tried[0] and not possible,
        "two ways to the same position": len(both[0]) + len(both[1]) > len(found) > 1,
    }


def check(count: int, seed: int) -> Counter[str]:
    """Compare `count` random positions; how many there were of each kind."""
    rng, seen = random.Random(seed), Counter[str]()
    out, tmp = [0] * rules.MAX_LEGAL, [0] * rules.SCRATCH
    for _ in range(count):
        here, dice, seat = (
            random_board(rng),
            (rng.randint(1, 6), rng.randint(1, 6)),
            rng.randrange(2),
        )
        expected = turns(here, dice)
        s = state(here, dice, seat)
        n = rules.legal(s, out, tmp)
        assert out[:n] == sorted(expected.values()), (here, dice)
        for end, number in expected.items():
            after = s[:]
            rules.play(after, number)
            assert board(after, seat) == end, (here, dice, number)
            assert after[52:] == [1 - seat, 0, 0]
        seen.update(kinds(here, dice, expected))
    return seen


def test_legal_turns_are_those_of_the_independent_generator() -> None:
    seen = check(POSITIONS // 10, seed=1)
    assert all(seen[kind] >= OFTEN // 20 for kind in KINDS), seen


@pytest.mark.slow
def test_legal_turns_are_those_of_the_independent_generator_ten_thousand_times() -> None:
    seen = check(POSITIONS, seed=2)
    assert set(seen) == set(KINDS)
    assert all(seen[kind] >= OFTEN for kind in KINDS), seen
