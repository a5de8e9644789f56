"""A game of self-play move by move, its targets by hand, and a step of learning as the gradient."""

from __future__ import annotations

import random
from itertools import count
from math import log
from typing import Any

import pytest

from bots import compiled
from bots.nets import Nets, kernels
from bots.search.backgammon import inputs, net, selfplay
from bots.search.backgammon.inputs import INPUTS, SIGHTS
from games.backgammon import GAME, evaluate
from games.backgammon.playouts import throw
from games.game import END, Position
from games.rng import seeded
from tests.bots.backgammon import tiny
from tests.bots.backgammon.test_lookahead import Slow
from tests.bots.backgammon.tiny import Tiny, near, position

PLAIN = kernels("selfplay", plain=True)
STATE = GAME.state_size
FEW = position({20: 1, 4: 1}, {20: 1, 4: 1}).state[:52]  # two checkers a side


@pytest.fixture
def code(monkeypatch: pytest.MonkeyPatch) -> Any:
    """selfplay.py in plain Python, for short games: they begin with FEW."""
    made = kernels("selfplay", plain=True)
    monkeypatch.setattr(made, "setup", few)
    return made


def few(s: Any) -> None:
    s[:] = [*FEW, -1, 0, 0]


class Game:
    """Room for a game, and one played into it."""

    def __init__(self, asked: Tiny, code: Any, seed: int, whole: bool = True) -> None:
        self.boards = [0] * (selfplay.LONGEST * STATE)
        self.chances = [0.0] * (selfplay.LONGEST * 5)
        self.rng = seeded(seed)
        s = [0] * STATE
        self.count = code.play_game(
            self.rng, whole, self.boards, self.chances, s, asked.t, asked.turns, asked.values,
            asked.tmp, *asked.nets.given, *asked.desk.given, asked.flag(),
        )  # fmt: skip

    def board(self, n: int) -> tuple[int, ...]:
        return tuple(self.boards[n * STATE : (n + 1) * STATE])

    def told(self, n: int) -> list[float]:
        return self.chances[n * 5 : (n + 1) * 5]


def by_hand(slow: Slow, seed: int, whole: bool) -> list[tuple[int, ...]]:
    """The same game over the game's own positions."""
    s, rng = [*FEW, -1, 0, 0], seeded(seed)
    found: list[tuple[int, ...]] = []
    throw(s, rng)
    for turn in count():
        found.append(tuple(s))
        here = Position(GAME, tuple(s))
        if here.to_move == END or (not whole and net.kind(s, 4) == net.EXACT):
            return found
        if turn > 0:
            throw(s, rng)
        s = list(slow.best(Position(GAME, tuple(s))).state)
    raise AssertionError


@pytest.mark.parametrize("whole", [True, False])
def test_a_game_is_what_the_best_turns_make_of_its_dice(code: Any, whole: bool) -> None:
    asked = tiny.plain()
    slow = Slow(asked)
    ends = set()
    for seed in range(6):
        game = Game(asked, code, seed, whole)
        wanted = by_hand(slow, seed, whole)
        assert [game.board(n) for n in range(game.count)] == wanted
        for n, state in enumerate(wanted):
            assert near(game.told(n), slow.static(Position(GAME, state)))
        ends.add(net.kind(wanted[-1], 4))
    assert ends == ({net.OVER} if whole else ends & {net.OVER, net.EXACT})
    assert whole or net.EXACT in ends


@pytest.mark.slow
def test_a_game_of_a_whole_board_is_played_to_its_end() -> None:
    game = Game(tiny.plain(), kernels("selfplay", plain=True), 3)
    assert 20 < game.count <= selfplay.LONGEST
    assert net.kind(game.board(0), 4) == net.CONTACT
    assert net.kind(game.board(game.count - 1), 4) == net.OVER


def test_a_game_that_is_too_long_is_not_kept(code: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code, "LONGEST", 3)
    assert Game(tiny.plain(), code, 1).count == 0


def test_a_stop_ends_a_game(code: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = tiny.plain()
    monkeypatch.setattr(asked, "flag", lambda: [1])
    assert Game(asked, code, 1).count == 0


# ---------------------------------------------------------------- targets

CONTACT = position({24: 15}, {24: 15}).state
KNOWN = position({1: 1}, {1: 2}).state
SAID = [
    [0.6, 0.2, 0.1, 0.3, 0.05],
    [0.5, 0.3, 0.2, 0.2, 0.1],
    [0.8, 0.4, 0.1, 0.1, 0.0],
    [0.0, 0.0, 0.0, 1.0, 0.0],  # lost, a gammon
]


def turned(told: list[float]) -> list[float]:
    win, gammon, backgammon, lost, lost_backgammon = told
    return [1 - win, lost, lost_backgammon, gammon, backgammon]


def mixed(rate: float, target: list[float], said: list[float]) -> list[float]:
    return [rate * a + (1 - rate) * b for a, b in zip(target, said, strict=True)]


def aimed(said: list[list[float]], rate: float, states: list[tuple[int, ...]]) -> list[list[float]]:
    boards = [x for state in states for x in state]
    chances = [x for one in said for x in one]
    PLAIN.aim(boards, chances, len(said), 4, rate, [0] * STATE, [9.0] * 5)
    return [chances[i : i + 5] for i in range(0, len(chances), 5)]


def test_with_lambda_one_all_targets_are_the_result() -> None:
    won = turned(SAID[3])
    found = aimed(SAID, 1, [CONTACT] * 4)
    for told, wanted in zip(found, [won, SAID[3], won, SAID[3]], strict=True):
        assert near(told, wanted)


def test_with_lambda_nought_a_target_is_what_was_said_next() -> None:
    found = aimed(SAID, 0, [CONTACT] * 4)
    for told, wanted in zip(found, [*map(turned, SAID[1:]), SAID[3]], strict=True):
        assert near(told, wanted)


def test_with_lambda_between_it_is_a_part_of_each() -> None:
    last = SAID[3]
    third = turned(mixed(0.25, last, last))
    second = turned(mixed(0.25, third, SAID[2]))
    first = turned(mixed(0.25, second, SAID[1]))
    for told, wanted in zip(aimed(SAID, 0.25, [CONTACT] * 4), [first, second, third, last],
                            strict=True):  # fmt: skip
        assert near(told, wanted)
    assert second[0] == pytest.approx(1 - (0.25 * 1 + 0.75 * 0.8))


def test_what_the_table_knows_is_its_own_target() -> None:
    """And what comes before it learns from the table, not from how the dice fell then."""
    found = aimed(SAID, 1, [CONTACT, CONTACT, KNOWN, KNOWN])
    for told, wanted in zip(found, [SAID[2], turned(SAID[2]), SAID[2], SAID[3]], strict=True):
        assert near(told, wanted)


def test_a_game_of_one_position_has_its_target() -> None:
    assert aimed(SAID[3:], 0.5, [CONTACT]) == SAID[3:]


# ---------------------------------------------------------------- learning


def learnt(
    states: list[tuple[int, ...]], targets: list[list[float]], which: int, alpha: float,
    spread: float = 0.02,
) -> tuple[list[float], list[float], int]:  # fmt: skip
    """The weights before and after, and from how many positions was learnt."""
    asked = Tiny(Nets(tiny.weights(4, spread=spread), plain=True))
    nets, before = asked.nets, list(asked.nets.w)
    n = PLAIN.learn(
        [x for state in states for x in state], [x for one in targets for x in one], len(states),
        which, alpha, [0] * STATE, nets.w, nets.shape, nets.escapes, *asked.desk.single,
        [9.0] * max(nets.hidden),
    )  # fmt: skip
    return before, list(nets.w), n


def cross_entropy(w: list[float], state: tuple[int, ...], target: list[float]) -> float:
    """Of what the net says of a position, not yet held to what can be."""
    asked = tiny.plain(4)
    shape, desk = asked.nets.shape, asked.desk
    which = min(net.kind(state, 4), net.RACE)
    listed, times, shown, work, told = desk.single
    inputs.sights(state, asked.nets.escapes, shown)
    n = net.list_inputs(state, shown, listed, times)
    work[:] = [0.0] * len(work)
    net.add_up(w, shape[2 * which], shape[2 * which + 1], listed, times, n, work, 0)
    net.fire(w, shape[2 * which], shape[2 * which + 1], work, told)
    return -sum(t * log(y) + (1 - t) * log(1 - y) for t, y in zip(target, told, strict=True))


TARGET = [0.9, 0.5, 0.1, 0.05, 0.01]
KINDS = {
    net.CONTACT: position({24: 2, 13: 5, 8: 3, 6: 5}, {24: 2, 13: 4, 8: 3, 6: 6}).state,
    net.ONE_WAY: position({13: 2, 8: 6, 6: 7}, {24: 1, 6: 14}, seat=1).state,
    net.RACE: position({6: 8, 4: 7}, {7: 1, 5: 14}).state,
}


@pytest.mark.parametrize("which", KINDS)
def test_a_step_is_the_gradient_of_the_cross_entropy(which: int) -> None:
    """Against finite differences; a unit's slope is that of tanh, which it is only near to."""
    state = KINDS[which]
    assert net.kind(state, 4) == which
    before, after, n = learnt([state], [TARGET], which, 1e-3)
    assert n == 1
    moved = [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    begin, hidden = tiny.plain().nets.shape[2 * which : 2 * which + 2]
    inside = range(begin, begin + net.size(hidden))
    assert set(moved) <= set(inside), "no other net is changed"
    outputs = begin + INPUTS * hidden
    assert set(moved) >= set(range(outputs, inside[-1] + 1))
    for i in [*random.Random(which).sample(moved, 60), *range(outputs, inside[-1] + 1)]:
        w = list(before)
        w[i] += 1e-5
        up = cross_entropy(w, state, TARGET)
        w[i] -= 2e-5
        slope = (up - cross_entropy(w, state, TARGET)) / 2e-5
        rel = 1e-4 if i >= outputs else 0.01
        assert (after[i] - before[i]) / 1e-3 == pytest.approx(-slope, rel=rel, abs=1e-7), i


def test_a_step_is_as_long_as_it_is_told() -> None:
    """So all of it is reckoned with the weights before it."""
    state = KINDS[net.CONTACT]
    (before, short, _), (_, long, _) = (
        learnt([state], [TARGET], net.CONTACT, alpha, spread=0.5) for alpha in (1e-3, 1.0)
    )
    steps = [(a - b, c - b) for b, a, c in zip(before, short, long, strict=True)]
    assert max(abs(1000 * one - other) for one, other in steps) < 1e-9


def test_only_inputs_that_are_not_nought_are_changed() -> None:
    state = KINDS[net.RACE]
    before, after, _ = learnt([state], [TARGET], net.RACE, 0.1)
    listed, times, shown = [0] * INPUTS, [0.0] * INPUTS, [0.0] * SIGHTS
    inputs.sights(state, tiny.plain().nets.escapes, shown)
    there = listed[: net.list_inputs(state, shown, listed, times)]
    start, hidden = tiny.plain().nets.shape[4:6]
    changed = {
        (i - start) // hidden
        for i in range(start, start + INPUTS * hidden)
        if before[i] != after[i]
    }
    assert changed == set(there)


@pytest.mark.parametrize(("mine", "theirs", "forced"), [(14, 15, (3, 4)), (15, 14, (1, 2))])
def test_what_cannot_happen_is_not_learnt(mine: int, theirs: int, forced: tuple[int, int]) -> None:
    state = position({6: mine - 1, 9: 1}, {6: theirs - 1, 9: 1}).state
    before, after, n = learnt([state], [TARGET], net.RACE, 0.1)
    assert n == 1
    hidden, end = tiny.HIDDEN[net.RACE], len(before)
    for o in range(net.OUTPUTS):
        row = end - net.OUTPUTS * (hidden + 1) + o * hidden
        own = [*range(row, row + hidden), end - net.OUTPUTS + o]
        assert all((before[i] == after[i]) == (o in forced) for i in own), o


def test_what_cannot_happen_has_no_share_in_the_error() -> None:
    state = position({6: 13, 9: 1}, {6: 14, 9: 1}).state
    one, other = (
        learnt([state], [[0.9, 0.5, 0.1, *lost]], net.RACE, 0.1)[1]
        for lost in ((0.0, 0.0), (1.0, 1.0))
    )
    assert one == other


def test_positions_are_learnt_from_in_order_by_the_net_that_judges_them() -> None:
    states = [KINDS[net.CONTACT], KINDS[net.RACE], KNOWN, KINDS[net.CONTACT], KINDS[net.ONE_WAY]]
    over = position({6: 15}, {}).state
    targets = [TARGET, TARGET, [1.0, 0, 0, 0, 0], SAID[0], SAID[1], SAID[3]]
    for which, n in ((net.CONTACT, 2), (net.ONE_WAY, 1), (net.RACE, 2)):
        assert learnt([*states, over], targets, which, 0.1)[2] == n, "and KNOWN teaches races"


def test_what_was_learnt_is_nearer() -> None:
    state = KINDS[net.CONTACT]
    before, after, _ = learnt([state] * 100, [TARGET] * 100, net.CONTACT, 0.05)
    told = [cross_entropy(w, state, TARGET) for w in (before, after)]
    least = -sum(t * log(t) + (1 - t) * log(1 - t) for t in TARGET)
    assert told[1] - least < (told[0] - least) / 20


# ---------------------------------------------------------------- weights as a whole


def test_blend_keeps_the_mean() -> None:
    mean = [9.0, 9.0]
    for k, w in enumerate(([1.0, 5.0], [2.0, 5.0], [6.0, -4.0]), 1):
        selfplay.blend(w, mean, 1 / k)
    assert mean == pytest.approx([3, 2])


def test_scatter_is_random_and_leaves_the_biases_of_outputs() -> None:
    shape, n = tiny.plain().nets.shape, sum(map(net.size, tiny.HIDDEN))
    both = []
    for seed in (1, 1, 2):
        w = [9.0] * n
        selfplay.scatter(w, shape, seeded(seed), 0.1)
        both.append(w)
    one, same, other = both
    assert one == same != other
    end = 0
    for hidden in tiny.HIDDEN:
        begin, end = end, end + net.size(hidden)
        assert one[end - net.OUTPUTS : end] == [0] * net.OUTPUTS
        part = one[begin : end - net.OUTPUTS]
        assert -0.1 <= min(part) < -0.09
        assert 0.09 < max(part) <= 0.1
        assert abs(sum(part) / len(part)) < 0.01


# ---------------------------------------------------------------- matches


def points(slow: Slow, seed: int, seat: int) -> float:
    """A match game over the game's own positions; what the nets win at `seat`."""
    s, rng = [*FEW, -1, 0, 0], seeded(seed)
    throw(s, rng)
    while True:
        here = Position(GAME, tuple(s))
        if here.to_move == seat:
            here = slow.best(here)
        else:
            left = [here.apply(action) for action in here.legal_actions()]
            here = min(left, key=lambda after: -20_000 if after.to_move == END else
                       evaluate(list(after.state)))  # fmt: skip
        outcome = here.outcome()
        if outcome is not None:
            return outcome.returns[seat]
        s = list(here.state)
        throw(s, rng)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_match_game_counts_the_points_of_the_nets(code: Any, seat: int) -> None:
    asked = tiny.plain()
    slow = Slow(asked)
    given = (
        [0] * STATE, asked.t, asked.turns, asked.values, asked.tmp, *asked.nets.given,
        *asked.desk.given, asked.flag(),
    )  # fmt: skip
    found = [code.match_game(seeded(seed), seat, *given) for seed in range(8)]
    assert found == [points(slow, seed, seat) for seed in range(8)]
    assert {-1, 1} <= set(found)


@pytest.mark.slow
def test_compiled_and_plain_learn_alike(fast: Tiny) -> None:
    """A step of single precision is that of double, but for rounding."""
    state, code = KINDS[net.CONTACT], kernels("selfplay", plain=False)
    _, after, _ = learnt([state] * 9, [TARGET] * 9, net.CONTACT, 0.05, spread=0.5)
    nets = Tiny(Nets(tiny.weights(4))).nets
    boards, targets = compiled.ints(9 * STATE), compiled.singles(45)
    boards[:], targets[:] = list(state) * 9, TARGET * 9
    n = code.learn(
        boards, targets, 9, net.CONTACT, 0.05, compiled.ints(STATE), nets.w, nets.shape,
        nets.escapes, *fast.desk.single, compiled.singles(max(nets.hidden)),
    )  # fmt: skip
    assert n == 9
    assert [float(x) for x in nets.w] == pytest.approx(after, abs=1e-4)
