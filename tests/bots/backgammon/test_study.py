"""Positions of a lesson: how they are kept, which of them a net learns, and how it does."""

from __future__ import annotations

import random
from math import log, sqrt
from typing import Any

import pytest

from bots import compiled
from bots.nets import Nets, kernels
from bots.search.backgammon import inputs, net, study
from bots.search.backgammon.inputs import INPUTS, SIGHTS
from bots.weights import Weights
from games.backgammon import GAME
from games.rng import seeded
from tests.bots.backgammon import tiny
from tests.bots.backgammon.test_selfplay import KINDS
from tests.bots.backgammon.tiny import Tiny, position
from tests.games.backgammon import brute

PLAIN = kernels("study", plain=True)
STATE = GAME.state_size


# ---------------------------------------------------------------- keeping


def boards(n: int) -> list[tuple[int, ...]]:
    """Boards without dice, both seats on roll, of all kinds."""
    rng = random.Random("boards")
    found = [tuple(brute.state(brute.random_board(rng), (0, 0), k % 2)) for k in range(n)]
    full = position({6: 15}, {25: 15}), position({25: 15}, {1: 15}, seat=1)
    return [*found, *(here.state for here in (*tiny.KINDS, *full))]


def shown(state: Any) -> tuple[list[int], list[float], list[float]]:
    """The inputs of a position, their values, and its sights."""
    listed, times, sights = [0] * INPUTS, [0.0] * INPUTS, [0.0] * SIGHTS
    inputs.sights(state, tiny.plain().nets.escapes, sights)
    n = net.list_inputs(state, sights, listed, times)
    return listed[:n], times[:n], sights


def kept(code: Any, states: list[tuple[int, ...]], plain: bool = True) -> Any:
    packed = compiled.ints(study.PACKED * len(states), plain)
    s = compiled.ints(STATE, plain)
    for i, state in enumerate(states):
        s[:] = state
        code.pack(s, packed, study.PACKED * i)
    return packed


def read(packed: Any, i: int, code: Any = PLAIN) -> tuple[int, ...]:
    s = [9] * STATE
    code.unpack(packed, study.PACKED * i, s)
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


@pytest.mark.slow
@pytest.mark.usefixtures("with_numba")
def test_compiled_it_is_kept_alike() -> None:
    states, fast = boards(500), kernels("study", plain=False)
    packed = kept(fast, states, plain=False)
    assert [int(x) for x in packed] == kept(PLAIN, states)
    s = compiled.ints(STATE)
    for i, state in enumerate(states):
        fast.unpack(packed, study.PACKED * i, s)
        assert tuple(int(x) for x in s) == on_roll(state)


# ---------------------------------------------------------------- choosing


def test_good_turns_are_the_first_ones_of_all_that_are_sorted() -> None:
    rng = random.Random(3)
    for _ in range(200):
        n, count, gap = rng.randint(1, 12), rng.randint(1, 6), rng.random()
        before = [rng.randint(-20, 20) / 20 for _ in range(n)]
        turns, values = list(range(100, 100 + n)), list(before)
        good = PLAIN.good_turns(turns, values, n, count, gap)
        best = sorted(before, reverse=True)
        assert values[:good] == [v for v in best[:count] if v >= best[0] - gap]
        assert [before[turn - 100] for turn in turns] == values, "turns go with their values"
        assert sorted(turns) == list(range(100, 100 + n))


def test_what_lies_beyond_the_turns_is_not_looked_at() -> None:
    turns, values = [7, 8, 9], [0.1, 0.2, 5.0]
    assert PLAIN.good_turns(turns, values, 2, 4, 1.0) == 2
    assert (turns, values) == ([8, 7, 9], [0.2, 0.1, 5.0])


def picked(which: int, without: tuple[str, ...] = (), n: int = 6) -> list[int]:
    """Which of n positions a net learns from."""
    bare = tiny.weights()
    nets = Nets(Weights(bare.hidden, bare.values, {}, without), plain=True)
    kinds, order = [0, 2, 1, 0, 2, 2, 0], [-1] * 8
    count = PLAIN.pick(kinds, n, which, nets.shape, order)
    assert order[count:] == [-1] * (8 - count)
    return order[:count]


def test_a_net_learns_from_its_own_kind() -> None:
    assert picked(net.CONTACT) == [0, 3]
    assert picked(net.ONE_WAY) == [2]
    assert picked(net.RACE) == [1, 4, 5]
    assert picked(net.CONTACT, n=7) == [0, 3, 6]
    assert picked(net.CONTACT, n=0) == []


def test_a_net_that_is_two_learns_from_both_kinds() -> None:
    assert picked(net.CONTACT, ("one-way",)) == [0, 2, 3]
    assert picked(net.RACE, ("one-way", "exact", "sights")) == [1, 4, 5]


def shuffled(n: int, seed: int) -> list[int]:
    order = list(range(n + 2))
    PLAIN.shuffle(order, n, seeded(seed))
    assert order[n:] == [n, n + 1], "only the first n"
    return order[:n]


def test_an_order_holds_all_and_differs_by_seed() -> None:
    orders = [shuffled(50, seed) for seed in range(5)]
    assert all(sorted(order) == list(range(50)) for order in orders)
    assert len({tuple(order) for order in orders}) == 5
    assert orders[0] == shuffled(50, 0)
    assert shuffled(0, 1) == []
    assert shuffled(1, 1) == [0]


def test_all_orders_are_alike_likely() -> None:
    rng, seen = seeded(1), dict.fromkeys(range(6), 0)
    for _ in range(1200):
        order = [0, 1, 2]
        PLAIN.shuffle(order, 3, rng)
        seen[2 * order[0] + (order[1] > order[2])] += 1
    assert 150 < min(seen.values()) <= max(seen.values()) < 250


# ---------------------------------------------------------------- learning

BATCHES = {
    net.CONTACT: [
        KINDS[net.CONTACT],
        position({24: 2, 13: 5, 8: 3, 6: 5}, {25: 1, 5: 13}, seat=1).state,
        position({22: 1, 2: 9}, {20: 1, 3: 14}).state,
    ],
    net.ONE_WAY: [
        KINDS[net.ONE_WAY],
        position({24: 1, 2: 9}, {5: 3, 4: 4}).state,
        position({12: 3, 5: 12}, {20: 1, 3: 14}).state,
    ],
    net.RACE: [
        KINDS[net.RACE],
        position({5: 3, 2: 4}, {6: 8, 3: 7}, seat=1).state,
        position({5: 3, 2: 4}, {6: 8, 3: 2}).state,
    ],
}
TARGETS = [[0.9, 0.5, 0.1, 0.05, 0.01], [0.3, 0.2, 0.0, 0.6, 0.2], [0.5, 0.0, 0.0, 0.3, 0.1]]


class Pupil:
    """Small random nets of which one learns from three positions; after `steps` steps."""

    def __init__(self, which: int, spread: float = 0.02, plain: bool = True) -> None:
        self.asked = Tiny(Nets(tiny.weights(4, spread=spread), plain=plain))
        self.which = which
        self.w = self.asked.nets.w
        self.begin, self.hidden = (int(x) for x in self.asked.nets.shape[2 * which : 2 * which + 2])
        self.n = net.size(self.hidden)
        self.slope, self.mean, self.square = (compiled.singles(self.n, plain) for _ in range(3))
        self.code = kernels("study", plain)
        self.packed = kept(self.code, BATCHES[which], plain)
        self.targets = compiled.singles(15, plain)
        self.targets[:] = [x for target in TARGETS for x in target]
        self.steps = 0
        self.blame = compiled.singles(max(self.asked.nets.hidden), plain)
        self.slope[:] = [7.0] * self.n  # what was there does not count

    def _given(self, rate: float, steps: int) -> tuple[Any, ...]:
        plain, nets = self.asked.nets.plain, self.asked.nets
        return (
            self.packed, self.targets, self.which, rate, steps, compiled.ints(STATE, plain), nets.w,
            nets.shape, nets.escapes, *self.asked.desk.single, self.blame, self.slope, self.mean,
            self.square,
        )  # fmt: skip

    def step(self, *which: int, rate: float = 1e-3) -> float:
        """One step by these of the positions."""
        order = compiled.ints(len(which) + 1, self.asked.nets.plain)
        order[:] = [2, *which]  # the first is not asked for
        self.steps += 1
        given = self._given(rate, self.steps)
        return float(self.code.study(order, 1, len(which) + 1, *given))

    def all(self, order: list[int], batch: int, rate: float = 1e-3) -> float:
        """One pass over these of the positions."""
        n = len(order)
        those = compiled.ints(n, self.asked.nets.plain)
        those[:] = order
        total = self.code.study_all(those, n, batch, *self._given(rate, self.steps))
        self.steps += -(-n // batch)
        return float(total)

    def own(self) -> list[float]:
        return [float(x) for x in self.w[self.begin : self.begin + self.n]]


def said(w: list[float], which: int, state: tuple[int, ...]) -> list[float]:
    """What the net says of a position, not yet held to what can be."""
    asked = tiny.plain(4)
    begin, hidden = asked.nets.shape[2 * which : 2 * which + 2]
    listed, times, _ = shown(state)
    work, told = [0.0] * hidden, [0.0] * net.OUTPUTS
    net.add_up(w, begin, hidden, listed, times, len(listed), work, 0)
    net.fire(w, begin, hidden, work, told)
    return told


def forced(state: tuple[int, ...]) -> set[int]:
    """The outputs that cannot be but 0: there is no gammon where a checker is off."""
    s = on_roll(state)
    return ({1, 2} if s[26] else set()) | ({3, 4} if s[0] else set())


def cross_entropy(w: list[float], which: int) -> float:
    """Of what a net says of its three positions, summed up."""
    total = 0.0
    for state, target in zip(BATCHES[which], TARGETS, strict=True):
        for o, (t, y) in enumerate(zip(target, said(w, which, state), strict=True)):
            if o not in forced(state):
                total -= t * log(y) + (1 - t) * log(1 - y)
    return total


def test_there_are_batches_with_outputs_that_are_forced_and_without() -> None:
    for which, states in BATCHES.items():
        assert [net.kind(state, 4) for state in states] == [which] * 3
        assert forced(states[0]) == set()
    assert [forced(state) for state in BATCHES[net.RACE][1:]] == [{3, 4}, {1, 2, 3, 4}]
    assert forced(BATCHES[net.CONTACT][2]) == {3, 4}


@pytest.mark.parametrize("which", BATCHES)
def test_the_slope_is_that_of_the_cross_entropy_of_the_batch(which: int) -> None:
    """Against finite differences; a unit's slope is that of tanh, which it is only near to."""
    pupil = Pupil(which)
    before = list(pupil.w)
    error = pupil.step(0, 1, 2)
    wins = [said(before, which, state)[0] for state in BATCHES[which]]
    assert error == pytest.approx(
        sum((y - target[0]) ** 2 for y, target in zip(wins, TARGETS, strict=True))
    )
    outputs = range(INPUTS * pupil.hidden, pupil.n)
    there = [i for i in range(outputs[0]) if pupil.slope[i] != 0]
    for i in [*random.Random(which).sample(there, 30), *outputs]:
        w = list(before)
        w[pupil.begin + i] += 1e-5
        up = cross_entropy(w, which)
        w[pupil.begin + i] -= 2e-5
        slope = (up - cross_entropy(w, which)) / 2e-5
        rel = 1e-4 if i in outputs else 0.01
        assert pupil.slope[i] == pytest.approx(slope, rel=rel, abs=1e-6), i
    listed = {i for state in BATCHES[which] for i in shown(state)[0]}
    assert {i // pupil.hidden for i in there} == listed, "inputs that are 0 have no part in it"


@pytest.mark.parametrize("which", BATCHES)
def test_no_other_net_is_changed(which: int) -> None:
    pupil = Pupil(which)
    before = list(pupil.w)
    pupil.step(0, 1, 2)
    moved = [i for i, (a, b) in enumerate(zip(before, pupil.w, strict=True)) if a != b]
    assert pupil.begin <= moved[0] <= moved[-1] < pupil.begin + pupil.n


def test_three_steps_of_adam_by_hand() -> None:
    """As it was published, but for where the small number against 0 / 0 is added."""
    pupil, rate = Pupil(net.RACE), 0.01
    mean, square = [0.0] * pupil.n, [0.0] * pupil.n
    for step, batch in enumerate(((0, 1, 2), (1, 2), (0,)), 1):
        before = pupil.own()
        pupil.step(*batch, rate=rate)
        moved = [a - b for a, b in zip(pupil.own(), before, strict=True)]
        least = 1e-7 / sqrt(1 - 0.999**step)
        for i in range(pupil.n):
            slope = pupil.slope[i] / len(batch)
            mean[i] = 0.9 * mean[i] + 0.1 * slope
            square[i] = 0.999 * square[i] + 0.001 * slope**2
            hat, square_hat = mean[i] / (1 - 0.9**step), square[i] / (1 - 0.999**step)
            wanted = -rate * hat / (sqrt(square_hat) + least)
            assert moved[i] == pytest.approx(wanted, rel=1e-6, abs=1e-12)
            if step == 1 and abs(slope) > 1e-3:
                assert abs(moved[i]) == pytest.approx(rate, rel=0.01), "as long for each"
    assert pupil.mean == pytest.approx(mean)
    assert pupil.square == pytest.approx(square)


def test_a_step_is_by_the_mean_of_its_batch() -> None:
    one, two = Pupil(net.RACE), Pupil(net.RACE)
    error = one.step(0)
    assert two.step(0, 0) == pytest.approx(2 * error)
    assert two.own() == pytest.approx(one.own())
    assert list(two.slope) == pytest.approx([2 * g for g in one.slope])


def test_a_pass_takes_a_step_for_each_batch() -> None:
    """The last one is of what is left; and steps are counted on from pass to pass."""
    one, two = Pupil(net.RACE), Pupil(net.RACE)
    total = one.all([2, 0, 1, 1, 0], 2)
    assert one.steps == 3
    assert total == pytest.approx(two.step(2, 0) + two.step(1, 1) + two.step(0))
    assert one.own() == two.own()
    assert one.all([1, 2], 2) == two.step(1, 2)
    assert one.own() == two.own()
    assert one.all([], 2) == 0
    assert one.own() == two.own()


@pytest.mark.parametrize("which", [net.ONE_WAY, net.RACE])
def test_passes_over_few_positions_bring_the_error_down(which: int) -> None:
    pupil = Pupil(which, spread=0.5)
    left = least(which)
    before = cross_entropy(list(pupil.w), which) - left
    errors = [pupil.all([0, 1, 2], 3, rate=0.05) for _ in range(80)]
    assert errors[-1] < 0.2 * errors[0]
    assert 0 <= cross_entropy(list(pupil.w), which) - left < 0.05 * before


def least(which: int) -> float:
    """The cross entropy of three positions when the net says just what it should."""
    total = 0.0
    for state, target in zip(BATCHES[which], TARGETS, strict=True):
        for o in set(range(net.OUTPUTS)) - forced(state):
            for t in (target[o], 1 - target[o]):
                total -= t * log(t) if t else 0.0
    return total


@pytest.mark.slow
@pytest.mark.usefixtures("with_numba")
@pytest.mark.parametrize("which", BATCHES)
def test_compiled_and_plain_learn_alike(which: int) -> None:
    """Single precision and double, but for rounding."""
    fast, slow = Pupil(which, spread=0.5, plain=False), Pupil(which, spread=0.5)
    for order in ([0, 1, 2], [2, 1, 0]):
        assert fast.all(order, 2) == pytest.approx(slow.all(order, 2), rel=1e-3)
    assert [float(x) for x in fast.w] == pytest.approx(list(slow.w), abs=1e-4)
