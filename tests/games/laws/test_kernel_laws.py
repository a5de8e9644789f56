"""What holds of every game's kernels: lists and arrays agree, and each keeps to its own memory."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import TypeAlias

import pytest

from games import registry, rng
from games.game import CHANCE, END, Game, Ints, Position
from games.kernel import is_kernel
from tests.games.laws.walks import positions, some, walks

CANARY = 0x5EED
MARGIN = 8  # so many canaries live behind each buffer; an index below 0 meets them too

KERNELS = ("setup", "mover", "legal", "play", "points", "key")
OPTIONAL = ("weight", "evaluate", "tactic", "playout")


Memory: TypeAlias = Callable[[list[int]], Ints]


def plain(values: list[int]) -> Ints:
    """A buffer as the server has it."""
    return [*values, *[CANARY] * MARGIN]


def compact(values: list[int]) -> Ints:
    """A buffer like a bot's: 64 bits and no more."""
    return array("q", [*values, *[CANARY] * MARGIN])


@pytest.fixture(params=registry.names())
def game(request: pytest.FixtureRequest) -> Game:
    return registry.game(request.param)


def evaluations(game: Game) -> set[Callable[[Ints], int]]:
    """All static values that the game has, each once."""
    return {*game.evaluations.values(), *([game.evaluate] if game.evaluate else [])}


class Bench:
    """A state with buffers around it, each with canaries behind."""

    def __init__(self, game: Game, memory: Memory) -> None:
        self.game = game
        self.s = memory([0] * game.state_size)
        self.out = memory([0] * game.max_legal)
        self.tmp = memory([0] * game.scratch)

    def load(self, position: Position) -> None:
        for i, value in enumerate(position.state):
            self.s[i] = value

    def state(self) -> tuple[int, ...]:
        return tuple(self.s)[: self.game.state_size]

    def legal(self) -> tuple[int, ...]:
        n = self.game.legal(self.s, self.out, self.tmp)
        assert type(n) is int
        return tuple(self.out)[:n]

    def check(self) -> None:
        """The canaries live, and the state is ints that fit 62 bits and a sign."""
        for buffer in (self.s, self.out, self.tmp):
            assert list(buffer)[-MARGIN:] == [CANARY] * MARGIN
        assert all(type(v) is int and abs(v) < 2**62 for v in self.state())


@pytest.fixture(params=[plain, compact])
def bench(game: Game, request: pytest.FixtureRequest) -> Bench:
    return Bench(game, request.param)


def test_every_kernel_is_marked(game: Game) -> None:
    assert all(is_kernel(getattr(game, name)) for name in KERNELS)
    optional = [getattr(game, name) for name in OPTIONAL]
    assert all(is_kernel(f) for f in optional if f is not None)
    assert all(is_kernel(f) for f in game.evaluations.values())
    assert not game.evaluations or game.evaluate in game.evaluations.values()


def test_setup_writes_the_whole_first_state(game: Game, bench: Bench) -> None:
    for i in range(game.state_size):
        bench.s[i] = 77
    game.setup(bench.s)
    bench.check()
    assert bench.state() == game.initial().state


def test_a_walk_played_in_place_is_the_walk_of_positions(game: Game, bench: Bench) -> None:
    for walk in walks(game.name):
        game.setup(bench.s)
        for position, action in zip(walk.positions, (*walk.actions, None), strict=True):
            assert bench.state() == position.state
            assert game.mover(bench.s) == position.to_move
            assert bench.legal() == position.legal_actions()
            assert bench.state() == position.state, "legal() writes no state"
            if action is not None:
                game.play(bench.s, action)
            bench.check()


def test_any_legal_action_keeps_to_its_memory(game: Game, bench: Bench) -> None:
    for position in positions(game.name)[::3]:
        for action in some(position.legal_actions(), 12):
            bench.load(position)
            game.play(bench.s, action)
            bench.check()
            assert bench.state() == position.apply(action).state


def test_questions_change_nothing_and_answer_in_ints(game: Game, bench: Bench) -> None:
    for position in positions(game.name):
        bench.load(position)
        answers = [game.mover(bench.s), game.key(bench.s)]
        if position.to_move == END:
            answers.append(game.points(bench.s))
        if position.to_move == CHANCE and game.weight:
            answers += [game.weight(bench.s, a) for a in position.legal_actions()]
        if position.to_move >= 0:
            answers += [evaluate(bench.s) for evaluate in evaluations(game)]
        assert all(type(a) is int for a in answers)
        bench.check()
        assert bench.state() == position.state


def test_actions_are_small_and_not_negative(game: Game) -> None:
    for position in positions(game.name):
        assert all(0 <= a < 2**31 for a in position.legal_actions())


def test_a_key_fits_62_bits_and_tells_most_states_apart(game: Game, bench: Bench) -> None:
    keys = set()
    for position in positions(game.name):
        bench.load(position)
        k = game.key(bench.s)
        assert 0 <= k < 2**62
        assert k == game.key(list(position.state))
        keys.add(k)
    assert len(keys) > 0.99 * len(positions(game.name))


def test_a_static_value_stays_within_its_bound(game: Game, bench: Bench) -> None:
    for position in positions(game.name):
        for evaluate in evaluations(game) if position.to_move >= 0 else ():
            bench.load(position)
            assert abs(evaluate(bench.s)) <= 10_000
            assert evaluate(bench.s) == evaluate(list(position.state))


def wins(position: Position) -> tuple[int, ...]:
    """The actions after which the mover has won, found by trying them all."""
    return tuple(
        a for a in position.legal_actions() if _won_by(position.apply(a), position.to_move)
    )


def _won_by(position: Position, seat: int) -> bool:
    outcome = position.outcome()
    return outcome is not None and outcome.returns[seat] > 0


def test_tactic_writes_just_the_winning_actions_if_there_are_any(game: Game, bench: Bench) -> None:
    for position in positions(game.name):
        if game.tactic is None or len(position.legal_actions()) > 500:
            continue
        bench.load(position)
        n = game.tactic(bench.s, bench.out, bench.tmp)
        if position.to_move < 0:
            assert n == 0, "silent where nobody decides"
            continue
        actions = tuple(bench.out)[:n]
        bench.check()
        assert bench.state() == position.state
        assert set(actions) <= set(position.legal_actions())
        assert list(actions) == sorted(set(actions))
        if best := wins(position):
            assert actions == best
        for other in set(position.legal_actions()) - set(actions) if actions and not best else ():
            assert wins(position.apply(other)), f"in {position} {other} need not be stopped"


def test_a_playout_ends_within_bounds_and_follows_its_seed(game: Game, bench: Bench) -> None:
    if game.playout is None:
        return
    for seed, position in enumerate(positions(game.name)):
        bench.load(position)
        points = game.playout(bench.s, rng.seeded(seed), bench.out, bench.tmp)
        bench.check()
        assert type(points) is int
        assert abs(points) <= game.max_return
        bench.load(position)
        assert points == game.playout(bench.s, rng.seeded(seed), bench.out, bench.tmp)
        outcome = position.outcome()
        assert outcome is None or points == outcome.returns[0]
