"""A game of self-play move by move, its targets by hand, and a step of learning as the gradient."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from math import log
from typing import Any

import pytest

from bots.backgammon.kernels import net
from bots.backgammon.nets import Nets, kernels
from games.backgammon import GAME, evaluate
from games.backgammon.playouts import throw
from games.game import END, Ints, Position
from games.rng import seeded
from lab.training.kernels import selfplay
from lab.training.kernels.training_records import GameArrays
from tests.bots.backgammon import tiny
from tests.bots.backgammon.endings import few
from tests.bots.backgammon.kernels.test_lookahead import Slow, turned
from tests.bots.backgammon.tiny import Tiny, near, position

PLAIN = kernels(selfplay, plain=True)
SHORT = kernels(selfplay, plain=True, setup=few)  # games begin with two checkers a side
STATE = GAME.state_size


class Game:
    """Room for a game, and one played into it."""

    def __init__(
        self, asked: Tiny, code: Any, seed: int, whole: bool = True, stop: int = 0
    ) -> None:
        self.boards = [0] * (selfplay.MAX_POSITIONS * STATE)
        self.chances = [0.0] * (selfplay.MAX_POSITIONS * 5)
        game = GameArrays(self.boards, self.chances)
        self.count = code.play_game(
            seeded(seed), whole, game, asked.net, asked.space, asked.flag(stop)
        )

    def board(self, n: int) -> tuple[int, ...]:
        return tuple(self.boards[n * STATE : (n + 1) * STATE])

    def told(self, n: int) -> list[float]:
        return self.chances[n * 5 : (n + 1) * 5]


def start(setup: Callable[[Ints], None]) -> list[int]:
    s = [0] * STATE
    setup(s)
    return s


def by_hand(slow: Slow, seed: int, whole: bool) -> list[tuple[int, ...]]:
    """The same game over the game's own positions."""
    s, rng = start(few), seeded(seed)
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
def test_a_game_is_what_the_best_turns_make_of_its_dice(whole: bool) -> None:
    asked = tiny.plain()
    slow = Slow(asked)
    ends = set()
    for seed in range(6):
        game = Game(asked, SHORT, seed, whole)
        wanted = by_hand(slow, seed, whole)
        assert [game.board(n) for n in range(game.count)] == wanted
        for n, state in enumerate(wanted):
            assert near(game.told(n), slow.static(Position(GAME, state)))
        ends.add(net.kind(wanted[-1], 4))
    assert ends == ({net.OVER} if whole else ends & {net.OVER, net.EXACT})
    assert whole or net.EXACT in ends


def test_a_game_that_is_stopped_or_too_long_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Game(tiny.plain(), SHORT, 1, stop=1).count == 0
    monkeypatch.setattr(SHORT, "MAX_POSITIONS", 3)
    assert Game(tiny.plain(), SHORT, 1).count == 0


CONTACT = position({24: 15}, {24: 15}).state
KNOWN = position({1: 1}, {1: 2}).state
SAID = [
    [0.6, 0.2, 0.1, 0.3, 0.05],
    [0.5, 0.3, 0.2, 0.2, 0.1],
    [0.8, 0.4, 0.1, 0.1, 0.0],
    [0.0, 0.0, 0.0, 1.0, 0.0],  # lost, a gammon
]


def aimed(said: list[list[float]], rate: float, states: list[tuple[int, ...]]) -> list[list[float]]:
    boards = [x for state in states for x in state]
    chances = [x for one in said for x in one]
    asked = tiny.plain()
    PLAIN.aim(GameArrays(boards, chances), len(said), rate, asked.net, asked.space)
    return [chances[i : i + 5] for i in range(0, len(chances), 5)]


@pytest.mark.parametrize("rate", [0, 0.25])
def test_a_target_is_a_part_of_each_that_follows(rate: float) -> None:
    """With lambda nought it is what was said next."""
    wanted = [SAID[3]]
    for said in SAID[:0:-1]:
        mixed = [rate * a + (1 - rate) * b for a, b in zip(wanted[0], said, strict=True)]
        wanted.insert(0, turned(mixed))
    for told, target in zip(aimed(SAID, rate, [CONTACT] * 4), wanted, strict=True):
        assert near(told, target)


def test_what_the_table_knows_is_its_own_target() -> None:
    """And what comes before it learns from the table, not from how the dice fell then."""
    found = aimed(SAID, 1, [CONTACT, CONTACT, KNOWN, KNOWN])
    for told, wanted in zip(found, [SAID[2], turned(SAID[2]), SAID[2], SAID[3]], strict=True):
        assert near(told, wanted)


def learnt(
    states: list[tuple[int, ...]], targets: list[list[float]], which: int, alpha: float
) -> tuple[list[float], list[float], int]:
    """The weights before and after, and from how many positions was learnt."""
    asked = Tiny(Nets(tiny.weights(4), plain=True))
    before = list(asked.net.weights)
    game = GameArrays([x for state in states for x in state], [x for one in targets for x in one])
    n = PLAIN.learn(game, len(states), which, alpha, asked.net, asked.space)
    return before, list(asked.net.weights), n


def said(w: list[float], which: int, state: tuple[int, ...]) -> list[float]:
    """What the net says of a position, not yet held to what can be."""
    asked = Tiny(Nets(tiny.weights(4), plain=True))
    asked.net.weights[:] = w
    net.evaluate_net(state, which, asked.net, asked.space)
    return asked.chances


def forced(state: tuple[int, ...]) -> set[int]:
    """The outputs that cannot be but 0: there is no gammon where a checker is off."""
    mine, theirs = state[26 * state[52]], state[26 - 26 * state[52]]
    return ({1, 2} if theirs else set()) | ({3, 4} if mine else set())


def cross_entropy(w: list[float], which: int, state: tuple[int, ...], target: list[float]) -> float:
    """Of what the net says of a position."""
    return -sum(
        t * log(y) + (1 - t) * log(1 - y)
        for o, (t, y) in enumerate(zip(target, said(w, which, state), strict=True))
        if o not in forced(state)
    )


TARGET = [0.9, 0.5, 0.1, 0.05, 0.01]
KINDS = {
    net.CONTACT: position({24: 2, 13: 5, 8: 3, 6: 5}, {24: 2, 13: 4, 8: 3, 6: 6}).state,
    net.ONE_WAY: position({13: 2, 8: 6, 6: 7}, {24: 1, 6: 14}, seat=1).state,
    net.RACE: position({6: 8, 4: 7}, {7: 1, 5: 14}).state,
}


@pytest.mark.parametrize(("mine", "theirs"), [(14, 15), (15, 14)])
def test_what_cannot_happen_is_not_learnt(mine: int, theirs: int) -> None:
    """And has no share in the error."""
    state = position({6: mine - 1, 9: 1}, {6: theirs - 1, 9: 1}).state
    certain = forced(state)
    other = [1 - t if o in certain else t for o, t in enumerate(TARGET)]
    before, after, n = learnt([state], [TARGET], net.RACE, 0.1)
    assert (n, len(certain)) == (1, 2)
    assert after == learnt([state], [other], net.RACE, 0.1)[1]
    hidden, end = tiny.HIDDEN[net.RACE], len(before)
    for o in range(net.OUTPUTS):
        row = end - net.OUTPUTS * (hidden + 1) + o * hidden
        own = [*range(row, row + hidden), end - net.OUTPUTS + o]
        assert all((before[i] == after[i]) == (o in certain) for i in own), o


def test_positions_are_learnt_from_in_order_by_the_net_that_judges_them() -> None:
    states = [KINDS[net.CONTACT], KINDS[net.RACE], KNOWN, KINDS[net.CONTACT], KINDS[net.ONE_WAY]]
    over = position({6: 15}, {}).state
    targets = [TARGET, TARGET, [1.0, 0, 0, 0, 0], SAID[0], SAID[1], SAID[3]]
    for which, n in ((net.CONTACT, 2), (net.ONE_WAY, 1), (net.RACE, 2)):
        assert learnt([*states, over], targets, which, 0.1)[2] == n, "and KNOWN teaches races"


def test_scatter_is_random_and_leaves_the_biases_of_outputs() -> None:
    shape, n = tiny.plain().nets.shape, sum(map(net.size, tiny.HIDDEN))
    w = [9.0] * n
    selfplay.scatter(w, shape, seeded(1), 0.1)
    end = 0
    for hidden in tiny.HIDDEN:
        begin, end = end, end + net.size(hidden)
        assert w[end - net.OUTPUTS : end] == [0] * net.OUTPUTS
        part = w[begin : end - net.OUTPUTS]
        assert -0.1 <= min(part) < -0.09
        assert 0.09 < max(part) <= 0.1
        assert abs(sum(part) / len(part)) < 0.01


def points(slow: Slow, seed: int, seat: int) -> float:
    """A match game over the game's own positions; what the nets win at `seat`."""
    s, rng = start(few), seeded(seed)
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
def test_a_match_game_counts_the_points_of_the_nets(seat: int) -> None:
    asked = tiny.plain()
    slow = Slow(asked)
    found = [
        SHORT.match_game(seeded(seed), seat, asked.net, asked.space, asked.flag())
        for seed in range(8)
    ]
    assert found == [points(slow, seed, seat) for seed in range(8)]
    assert {-1, 1} <= set(found)
