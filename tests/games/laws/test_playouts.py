"""A game's own `playout` is the generic random game: every legal action alike, dice by weight.

From positions near the end the chance of each final state is worked out from the rules, and the
final states of many playouts are held against it by Pearson's chi-square test.  The seeds are
fixed, so the verdict is always the same.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from math import exp

import pytest

from games import registry
from games.game import CHANCE, END, Game, Ints, Position
from games.rng import seeded
from tests.games.chi_square import likelihood
from tests.games.laws.walks import positions, walks

LARGEST = 150  # positions that may still come where chances are worked out
PLAYOUTS = 1_000
LAST = 8  # plies of a game are looked at
POSITIONS = 4  # of each game
SURE = 1e-5  # one false alarm in 4,000 runs, were the seeds not fixed

GAMES = [name for name in registry.names() if registry.game(name).playout is not None]

Chances = dict[tuple[int, ...], Fraction]


class TooMany(Exception):
    """There are more positions to come than we look at."""


def ends(position: Position, seen: dict[Position, Chances]) -> Chances:
    """The chance of every final state, from here, when all play at random."""
    if position not in seen:
        if len(seen) >= LARGEST:
            raise TooMany
        seen[position] = {}
        results: Counter[tuple[int, ...]] = Counter()
        if position.to_move == END:
            results[position.state] = Fraction(1)  # type: ignore[assignment]
        for action, share in shares(position):
            for state, chance in ends(position.apply(action), seen).items():
                results[state] += share * chance  # type: ignore[assignment]
        seen[position] = dict(results)  # type: ignore[arg-type]
    return seen[position]


def shares(position: Position) -> list[tuple[int, Fraction]]:
    """How likely each action is in a random game."""
    weighed = position.chance() or [(a, 1) for a in position.legal_actions()]
    total = sum(weight for _, weight in weighed)
    return [(action, Fraction(weight, total)) for action, weight in weighed]


def p_value(found: Counter[tuple[int, ...]], chances: Chances, n: int) -> float:
    """How often chance alone is as far off as this, or further.

    Rare states are counted together.
    """
    cells: list[tuple[float, int]] = []
    rare, seen = 0.0, 0
    for state, chance in sorted(chances.items(), key=lambda item: (item[1], item[0])):
        if chance * n < 10 or 0 < rare * n < 10:
            rare += float(chance)
            seen += found[state]
        else:
            cells.append((float(chance), found[state]))
    if rare:
        cells.append((rare, seen))
    return likelihood(sum((k - n * p) ** 2 / (n * p) for p, k in cells), len(cells) - 1)


def late(game: Game) -> list[tuple[Position, Chances]]:
    """Positions of random games with few others to come, those with most final states first."""
    results = []
    for position in [p for w in walks(game.name) for p in w.positions[-LAST:-1]]:
        if len(position.legal_actions()) < 60:
            try:
                results.append((position, ends(position, {})))
            except TooMany:
                continue
    results.sort(key=lambda item: -len(item[1]))
    return results[:POSITIONS]


def played(
    game: Game, position: Position, seed: int, ints: Callable[[Iterable[int]], Ints]
) -> tuple[tuple[int, ...], int, int]:
    """The final state of a playout, its points, the generator afterwards; memory made by `ints`."""
    state, rng = ints(position.state), ints(seeded(seed))
    assert game.playout is not None
    points = game.playout(state, rng, ints([0] * game.max_legal), ints([0] * game.scratch))
    return tuple(state), points, rng[0]


@pytest.mark.parametrize("name", GAMES)
def test_every_legal_action_is_as_likely(name: str) -> None:
    game = registry.game(name)
    assert game.playout is not None
    late_ones = late(game)
    assert late_ones
    out, tmp, rng = [0] * game.max_legal, [0] * game.scratch, seeded(7)
    for position, chances in late_ones:
        results: Counter[tuple[int, ...]] = Counter()
        for _ in range(PLAYOUTS):
            state = list(position.state)
            points = game.playout(state, rng, out, tmp)
            results[tuple(state)] += 1
            assert points == game.points(state)
        assert set(results) <= set(chances), f"a game from {position} ends where none can"
        assert p_value(results, chances, PLAYOUTS) > SURE, f"{position}"


@pytest.mark.parametrize("name", GAMES)
def test_it_is_over_afterwards_and_its_points_are_the_rules_in_lists_and_arrays(name: str) -> None:
    game = registry.game(name)
    for seed, position in enumerate(positions(name)[::7]):
        state, points, rng = played(game, position, seed, list)
        assert game.mover(list(state)) == END
        assert points == game.points(list(state))
        Position(game, state).outcome()
        if position.to_move == END:
            assert state == position.state
        assert played(game, position, seed, lambda ints: array("q", ints)) == (state, points, rng)


def test_the_law_finds_an_action_that_is_preferred() -> None:
    """A die that shows one of three outcomes twice as often as it should."""
    chances = {(i,): Fraction(1, 3) for i in range(3)}
    fair = Counter({(0,): 330, (1,): 345, (2,): 325})
    crooked = Counter({(0,): 500, (1,): 250, (2,): 250})
    assert p_value(fair, chances, 1_000) == pytest.approx(exp(-0.325))  # chi-square 0.65
    assert p_value(crooked, chances, 1_000) < SURE


def test_dice_are_weighed() -> None:
    backgammon = registry.game("backgammon")
    roll = dict(shares(backgammon.initial()))
    assert backgammon.initial().to_move == CHANCE
    assert set(roll.values()) == {Fraction(1, 30)}
