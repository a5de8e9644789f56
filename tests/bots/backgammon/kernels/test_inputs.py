"""Every input of the nets against a second, slow computation that shares nothing with the first.

A board is two sorted tuples, as in tests/games/backgammon/brute.py: the checkers of a side and of
the other one, each by the pips that it still has to go.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import pytest

from bots.backgammon.kernels import inputs
from games.backgammon import GAME
from tests.games.backgammon import brute
from tests.games.backgammon.brute import Board

TABLE = [0] * (inputs.ESCAPES + 1)
inputs.list_escapes(TABLE)
PAIRS = [(a, b) for a in range(1, 7) for b in range(1, a + 1)]
HIGH_HOME = range(19, 25)  # the other side's home


def boards(n: int) -> list[Board]:
    """Boards on which something happens, plain ones of a random game, and one that is over."""
    rng = random.Random("inputs")
    over = (0,) * 15, (1,) * 15
    return [*(brute.random_board(rng) for _ in range(n)), *played(rng, n), over]


def played(rng: random.Random, n: int) -> Iterator[Board]:
    """The first boards of a random game after every third turn, from both sides by turns."""
    board = brute.board(GAME.initial().state, 0)
    for k in range(3 * n):
        found = brute.turns(board, (rng.randint(1, 6), rng.randint(1, 6)))
        mine, theirs = rng.choice(sorted(found))
        if not any(mine):
            return
        board = (theirs, mine)
        if k % 3 == 0:
            yield board


def shown(board: Board, seat: int = 0, dice: tuple[int, int] = (0, 0)) -> list[float]:
    """The features of the first side, on roll at `seat`."""
    out = [9.0] * inputs.FEATURES
    inputs.features(brute.state(board, dice, seat), TABLE, out)
    return out


def hit_by_steps(board: Board, dice: tuple[int, ...]) -> int:
    """The dearest pips that single steps with these dice, in this order, can hit; 0 for none."""
    if not dice:
        return 0
    best = 0
    for after in brute.steps(board, dice[0]).values():
        lost = sum(after[1]) - sum(board[1])
        best = max(best, lost, hit_by_steps((after[0], board[1]), dice[1:]))
    return best


def orders(a: int, b: int) -> list[tuple[int, ...]]:
    return [(a,) * 4] if a == b else [(a, b), (b, a)]


@cache
def shots(board: Board) -> tuple[int, int]:
    """How many of 36 rolls hit, if the other die need not be played, and what they cost."""
    rolls = pips = 0
    for a, b in PAIRS:
        lost = max(hit_by_steps(board, dice) for dice in orders(a, b))
        weight = 1 if a == b else 2
        rolls += weight * (lost > 0)
        pips += weight * lost
    return rolls, pips


def test_a_roll_counts_though_another_turn_plays_the_larger_die() -> None:
    board: Board = ((0,) * 14 + (9,), (1,) * 12 + (17, 21, 21))  # a blot on our 8, a wall on our 4
    assert hit_by_steps(board, (1, 4)) == 8, "but 9/5 is the only turn"
    assert shown(board)[6] == pytest.approx(shots(board)[0] / 36)
    assert shots(board)[0] == 11


@cache
def escaping(theirs: tuple[int, ...], point: int) -> int:
    """How many of 36 rolls take a checker from `point` by one die and then by both."""
    wall = {25 - p for p in theirs if theirs.count(p) > 1 and p < 25}
    rolls = 0
    for a, b in PAIRS:
        if point - a - b not in wall and not {point - a, point - b} <= wall:
            rolls += 1 if a == b else 2
    return rolls


@cache
def reference(board: Board) -> list[float]:
    """The features of the first side, as inputs.py names them, in its order."""
    mine, theirs = board
    on = [p for p in mine if p > 0]  # checkers on the board or the bar
    off = 15 - len(on)
    rear, their_rear = mine[-1], theirs[-1]
    made = [p for p in range(1, 25) if mine.count(p) > 1]
    wall = [p for p in range(1, 25) if theirs.count(25 - p) > 1]
    past = [p for p in on if p <= 25 - their_rear]  # those that nobody can meet any more
    home = len([p for p in made if p <= 6]) / 6
    rolls, pips = shots(board)
    held = [36 - escaping(theirs, p) for p in range(15, 25)]
    near = [36 - escaping(theirs, p) for p in range(15, 25) if p <= rear]
    primes = [len(run) for run in runs(made)]
    behind = sorted(set(on))[:-1]
    mean = sum(on) / len(on) if on else 0
    spare = sum(max(on.count(p) - 2, 0) * (p - 1) for p in range(2, 7))
    return [
        min(off, 5) / 5, min(max(off - 5, 0), 5) / 5, max(off - 10, 0) / 5,
        sum(mine) / 167,
        home,
        home if their_rear == 25 else 0,
        rolls / 36, pips / (12 * 36),
        escaping(theirs, rear) / 36 if on else 1,
        max(held) / 36, (max(held) / 36) ** 2, max(near, default=0) / 36,
        sum((p - 5) * escaping(theirs, p) for p in on if p > 6) / 3600,
        sum(p - (25 - their_rear) for p in on if p > 25 - their_rear) / 152,
        max(primes, default=0) / 6, float(max(primes, default=0) >= 5),
        sum((p - mean) ** 2 for p in on) / len(on) / 50 if on else 0,
        len([p for p in on if p < 25 and on.count(p) == 1]) / 5,
        len([p for p in on if p > 18]) / 5,
        sum(past) / 100,
        (spare + sum(p - 6 for p in on if 6 < p < 19)) / 100,
        sum(max(on.count(p) - 3, 0) for p in range(1, 25)) / 6,
        len([p for p in on if p < 3]) / 6,
        rear / 25,
        *anchors(on, made, wall),
        escaping(theirs, behind[-1]) / 36 if behind else 1,
        min(on.count(25), 2) / 2 * (len([p for p in wall if p > 18]) / 6) ** 2,
    ]  # fmt: skip


def runs(points: list[int]) -> Iterator[list[int]]:
    """Points next to each other."""
    run: list[int] = []
    for p in points:
        if run and p != run[-1] + 1:
            yield run
            run = []
        run.append(p)
    yield run


def anchors(on: list[int], made: list[int], wall: list[int]) -> list[float]:
    """The five features of the other side's home."""
    held = [p for p in made if p in HIGH_HOME]
    checkers = sum(on.count(p) for p in held)
    closed = len([p for p in wall if p in HIGH_HOME])
    return [
        (max(held) - 18) / 6 if held else 0,
        (25 - min(held)) / 6 if held else 0,
        (closed / 6) ** 2,
        (checkers - 3) / 4 if len(held) > 1 else 0,
        checkers / 8 if len(held) == 1 else 0,
    ]


@pytest.mark.parametrize("n", [3, pytest.param(100, marks=pytest.mark.slow)])
def test_every_feature_is_what_the_second_computation_says(n: int) -> None:
    for k, (mine, theirs) in enumerate(boards(n)):
        out = shown((mine, theirs), k % 2)
        assert shown((mine, theirs), k % 2, (3, 1)) == out, "the dice are not seen"
        ahead = sum(theirs) - sum(mine)
        both = [ahead / 100, max(-1.0, min(1.0, ahead / 25))]
        want = [*reference((mine, theirs)), *reference((theirs, mine)), *both]
        assert len(want) == inputs.FEATURES
        for i, told in enumerate(out):
            assert told == pytest.approx(want[i], abs=1e-12), (i % inputs.SIDE, mine, theirs)
