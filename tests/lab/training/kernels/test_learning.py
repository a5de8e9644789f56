"""Positions of a lesson: how they are kept, which of them a net learns, and how it does."""

from __future__ import annotations

import random
from math import sqrt
from typing import Any

import pytest

from bots.backgammon.kernels import inputs, net
from bots.backgammon.nets import Nets, kernels
from bots.engine import compiled
from games.backgammon import GAME
from lab.training.kernels import learning
from lab.training.kernels.training_records import Exploration, Samples, Slopes
from tests.bots.backgammon import tiny
from tests.bots.backgammon.tiny import Tiny, position
from tests.games.backgammon import brute
from tests.lab.training.kernels import test_selfplay

PLAIN = kernels(learning, plain=True)
STATE = GAME.state_size


def boards(n: int) -> list[tuple[int, ...]]:
    """Boards without dice, both seats on roll, of all kinds."""
    rng = random.Random("boards")
    found = [tuple(brute.state(brute.random_board(rng), (0, 0), k % 2)) for k in range(n)]
    full = position({6: 15}, {25: 15}), position({25: 15}, {1: 15}, seat=1)
    return [*found, *(here.state for here in (*tiny.KINDS, *full))]


def shown(state: Any) -> tuple[list[int], list[float], list[float]]:
    """The inputs of a position, their values, and its features."""
    listed, times, features = [0] * inputs.INPUTS, [0.0] * inputs.INPUTS, [0.0] * inputs.FEATURES
    inputs.features(state, tiny.plain().net.escapes, features)
    n = net.list_inputs(state, features, listed, times)
    return listed[:n], times[:n], features


def kept(code: Any, states: list[tuple[int, ...]], plain: bool = True) -> Any:
    packed = compiled.ints(learning.PACKED * len(states), plain)
    s = compiled.ints(STATE, plain)
    for i, state in enumerate(states):
        s[:] = state
        code.pack(s, packed, learning.PACKED * i)
    return packed


def read(packed: Any, i: int, code: Any = PLAIN) -> tuple[int, ...]:
    s = [9] * STATE
    code.unpack(packed, learning.PACKED * i, s)
    return tuple(s)


def on_roll(state: tuple[int, ...]) -> tuple[int, ...]:
    """The same position with seat 0 on roll."""
    halves = state[:26], state[26:52]
    mine, theirs = halves if state[52] == 0 else halves[::-1]
    return (*mine, *theirs, 0, 0, 0)


def test_a_position_that_was_kept_shows_the_same() -> None:
    states = boards(40)
    packed = kept(PLAIN, states)
    assert {state[52] for state in states} == {0, 1}
    for i, state in enumerate(states):
        assert read(packed, i) == on_roll(state)
        assert shown(read(packed, i)) == shown(state)
        assert net.kind(read(packed, i), 4) == net.kind(state, 4)
    assert 0 <= min(packed) <= max(packed) < 1 << 52


def test_good_turns_are_the_first_ones_of_all_that_are_sorted() -> None:
    rng = random.Random(3)
    for _ in range(200):
        n, count, gap = rng.randint(1, 12), rng.randint(1, 6), rng.random()
        before = [rng.randint(-20, 20) / 20 for _ in range(n)]
        turns, values = list(range(100, 100 + n)), list(before)
        good = PLAIN.good_turns(turns, values, n, Exploration(16, count, gap))
        best = sorted(before, reverse=True)
        assert values[:good] == [v for v in best[:count] if v >= best[0] - gap]
        assert [before[turn - 100] for turn in turns] == values, "turns go with their values"
        assert sorted(turns) == list(range(100, 100 + n))


BATCHES = {
    net.CONTACT: [
        test_selfplay.KINDS[net.CONTACT],
        position({24: 2, 13: 5, 8: 3, 6: 5}, {25: 1, 5: 13}, seat=1).state,
        position({22: 1, 2: 9}, {20: 1, 3: 14}).state,
    ],
    net.ONE_WAY: [
        test_selfplay.KINDS[net.ONE_WAY],
        position({24: 1, 2: 9}, {5: 3, 4: 4}).state,
        position({12: 3, 5: 12}, {20: 1, 3: 14}).state,
    ],
    net.RACE: [
        test_selfplay.KINDS[net.RACE],
        position({5: 3, 2: 4}, {6: 8, 3: 7}, seat=1).state,
        position({5: 3, 2: 4}, {6: 8, 3: 2}).state,
    ],
}
TARGETS = [test_selfplay.TARGET, [0.3, 0.2, 0.0, 0.6, 0.2], [0.5, 0.0, 0.0, 0.3, 0.1]]


class Student:
    """Small random nets of which one learns from three positions; after `steps` steps."""

    def __init__(self, which: int, spread: float = 0.02, plain: bool = True) -> None:
        self.asked = Tiny(Nets(tiny.weights(4, spread=spread), plain=plain))
        self.which = which
        self.weights = self.asked.nets.weights
        self.begin, self.width = (int(x) for x in self.asked.nets.shape[2 * which : 2 * which + 2])
        self.n = net.size(self.width)
        self.slopes = Slopes(*(compiled.singles(self.n, plain) for _ in range(3)))
        self.slopes.slope[:] = [7.0] * self.n  # what was there does not count
        self.code = kernels(learning, plain)
        kinds, targets = compiled.ints(3, plain), compiled.singles(15, plain)
        targets[:] = [x for target in TARGETS for x in target]
        self.samples = Samples(kept(self.code, BATCHES[which], plain), targets, kinds)
        self.steps = 0

    def step(self, *order: int, rate: float = 1e-3) -> float:
        """One step by these of the positions."""
        return self.all(list(order), len(order), rate)

    def all(self, order: list[int], batch: int, rate: float = 1e-3) -> float:
        """One pass over these of the positions."""
        n, those = len(order), compiled.ints(len(order), self.asked.nets.plain)
        those[:] = order
        total = self.code.learn_all(
            those, n, batch, self.samples, self.which, rate, self.steps, self.asked.net,
            self.asked.space, self.slopes,
        )  # fmt: skip
        self.steps += -(-n // batch)
        return float(total)

    def own(self) -> list[float]:
        return [float(x) for x in self.weights[self.begin : self.begin + self.n]]


def entropy(w: list[float], which: int) -> float:
    """The cross-entropy of a net's three positions, summed up."""
    pairs = zip(BATCHES[which], TARGETS, strict=True)
    return sum(test_selfplay.cross_entropy(w, which, state, target) for state, target in pairs)


@pytest.mark.parametrize("which", BATCHES)
def test_the_slope_is_that_of_the_cross_entropy_of_the_batch(which: int) -> None:
    """Against finite differences; a unit's slope is that of tanh, which it is only near to."""
    student = Student(which)
    before = list(student.weights)
    error = student.step(0, 1, 2)
    wins = [test_selfplay.said(before, which, state)[0] for state in BATCHES[which]]
    assert error == pytest.approx(
        sum((y - target[0]) ** 2 for y, target in zip(wins, TARGETS, strict=True))
    )
    outputs = range(inputs.INPUTS * student.width, student.n)
    there = [i for i in range(outputs[0]) if student.slopes.slope[i] != 0]
    for i in [*random.Random(which).sample(there, 8), *outputs[::3]]:
        w = list(before)
        w[student.begin + i] += 1e-5
        up = entropy(w, which)
        w[student.begin + i] -= 2e-5
        slope = (up - entropy(w, which)) / 2e-5
        rel = 1e-4 if i in outputs else 0.01
        assert student.slopes.slope[i] == pytest.approx(slope, rel=rel, abs=1e-6), i
    listed = {i for state in BATCHES[which] for i in shown(state)[0]}
    assert {i // student.width for i in there} == listed, "inputs that are 0 have no part in it"


@pytest.mark.parametrize("which", BATCHES)
def test_a_step_of_self_play_goes_down_that_slope_as_far_as_it_is_told(which: int) -> None:
    """All of it is reckoned with the weights before it, and no other net is changed."""
    student = Student(which, spread=0.5)
    student.step(0)
    before, after, n = test_selfplay.learnt(BATCHES[which][:1], TARGETS[:1], which, 1.0)
    wanted = [0.0] * len(before)
    wanted[student.begin : student.begin + student.n] = student.slopes.slope
    assert n == 1
    moved = [b - a for b, a in zip(before, after, strict=True)]
    assert moved == pytest.approx(wanted, rel=1e-6, abs=1e-9)


def test_three_steps_of_adam_by_hand() -> None:
    """As it was published, but for where the small number against 0 / 0 is added."""
    student, rate = Student(net.RACE), 0.01
    mean, square = [0.0] * student.n, [0.0] * student.n
    for step, batch in enumerate(((0, 1, 2), (1, 2), (0,)), 1):
        before = student.own()
        student.step(*batch, rate=rate)
        moved = [a - b for a, b in zip(student.own(), before, strict=True)]
        least = 1e-7 / sqrt(1 - 0.999**step)
        for i in range(student.n):
            slope = student.slopes.slope[i] / len(batch)
            mean[i] = 0.9 * mean[i] + 0.1 * slope
            square[i] = 0.999 * square[i] + 0.001 * slope**2
            hat, square_hat = mean[i] / (1 - 0.9**step), square[i] / (1 - 0.999**step)
            wanted = -rate * hat / (sqrt(square_hat) + least)
            assert moved[i] == pytest.approx(wanted, rel=1e-6, abs=1e-12)
            if step == 1 and abs(slope) > 1e-3:
                assert abs(moved[i]) == pytest.approx(rate, rel=0.01), "as long for each"
    assert student.slopes.mean == pytest.approx(mean)
    assert student.slopes.square == pytest.approx(square)


def test_a_pass_takes_a_step_for_each_batch() -> None:
    """The last one is of what is left; and steps are counted on from pass to pass."""
    one, two = Student(net.RACE), Student(net.RACE)
    total = one.all([2, 0, 1, 1, 0], 2)
    assert one.steps == 3
    assert total == pytest.approx(two.step(2, 0) + two.step(1, 1) + two.step(0))
    assert one.own() == two.own()
    assert one.all([1, 2], 2) == two.step(1, 2)
    assert one.own() == two.own()
    assert one.all([], 2) == 0
    assert one.own() == two.own()


@pytest.mark.slow
@pytest.mark.usefixtures("with_numba")
@pytest.mark.parametrize("which", BATCHES)
def test_compiled_and_plain_learn_alike(which: int) -> None:
    """Single precision and double, but for rounding."""
    fast, slow = Student(which, spread=0.5, plain=False), Student(which, spread=0.5)
    for order in ([0, 1, 2], [2, 1, 0]):
        assert fast.all(order, 2) == pytest.approx(slow.all(order, 2), rel=1e-3)
    assert [float(x) for x in fast.weights] == pytest.approx(list(slow.weights), abs=1e-4)
