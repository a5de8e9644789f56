"""hybrid is mcts first and minimax later; its classic form samples top-scored candidates."""

from __future__ import annotations

import random

import pytest

from bots import registry
from bots.bot import Budget
from bots.engine import compiled
from bots.engine.kernels import hybrid as classic
from bots.engine.kernels.hybrid import SCALE
from bots.roster import hybrid
from bots.roster.hybrid import SampledCandidate, Sampler, plies
from games import registry as games
from games.game import Position
from tests.games.laws.walks import walk, walks

ULTIMATE = games.game("ultimate_tic_tac_toe")
LINES = ULTIMATE.evaluations["lines"]
FEW = Budget(nodes=40)


def middle(ply: int) -> Position:
    return walk(ULTIMATE, random.Random(3)).positions[ply]


@pytest.mark.parametrize("name", registry.bot_class("hybrid").GAMES)
def test_the_position_says_how_many_plies_have_been_played(name: str) -> None:
    for found in walks(name):
        assert [plies(p) for p in found.positions] == list(range(len(found.positions)))


def test_it_says_which_games_it_plays() -> None:
    playing = [
        name for name in games.names() if registry.bot_class("hybrid").plays(games.game(name))
    ]
    assert playing == ["connect_four", "tic_tac_toe", "ultimate_tic_tac_toe"]
    assert all(name in hybrid.BEST_SWITCH for name in playing)


def test_up_to_the_switch_it_is_mcts_and_then_minimax() -> None:
    start = middle(10)
    tree = registry.bot("mcts", seed=5).choose(start, FEW)
    deep = registry.bot("minimax", seed=5).choose(start, Budget(nodes=5 * 40))
    for switch, choice in ((11, tree), (10, deep), (0, deep), (1_000, tree)):
        bot = registry.bot("hybrid", seed=5, switch=switch)
        found = bot.choose(start, FEW)
        assert (bot.forest() is not None) == (choice is tree)
        assert (found.action, found.value, found.note) == (choice.action, choice.value, choice.note)
        assert found.nodes == 40


@pytest.mark.parametrize(
    ("settings", "switch"),
    [
        ({}, hybrid.BEST_SWITCH["ultimate_tic_tac_toe"]),
        ({"form": "classic"}, 24),
        ({"form": "classic", "switch": 30}, 30),
        ({"switch": 0}, 0),
    ],
)
def test_the_switch_is_the_measured_one_or_the_classic_one_or_what_is_wished(
    settings: dict[str, object], switch: int
) -> None:
    bot = registry.bot("hybrid", seed=1, **settings)
    notes = [bot.choose(middle(ply), FEW).note for ply in (switch - 1, switch) if ply >= 0]
    assert [note.startswith("depth ") for note in notes] == [False, True][-len(notes) :]


def scored(position: Position) -> dict[int, int]:
    """By action: `lines` after it, for who plays it; an end is worth everything."""
    found = {}
    for action in position.legal_actions():
        then = position.apply(action)
        outcome = then.outcome()
        if outcome is None:
            found[action] = -LINES(list(then.state))
        else:
            found[action] = int(outcome.returns[position.to_move]) * SCALE
    return found


def candidates(found: list[SampledCandidate]) -> list[int]:
    return sorted(c.action for c in found)


def test_only_actions_of_the_highest_score_are_candidates() -> None:
    """A single one needs no games."""
    sampler, sizes = Sampler(ULTIMATE, 1, plain=True), list[int]()
    for position in walk(ULTIMATE, random.Random(4)).positions[:-1]:
        scores = scored(position)
        best = [a for a, score in scores.items() if score == max(scores.values())]
        found = sampler.think(position, 100, [int(len(best) > 1)])
        assert candidates(found) == best
        assert {c.games for c in found} == {0}
        sizes.append(len(best))
    assert sizes.count(1) > 3
    assert 9 in sizes


def test_of_equals_the_last_is_played() -> None:
    start = ULTIMATE.initial()
    assert Sampler(ULTIMATE, 1, plain=True).think(start, 100, [1])[0] == SampledCandidate(
        80, 0, 0.0
    )
    choice = registry.bot("hybrid", form="classic").choose(start, Budget(nodes=2))
    assert choice.nodes == 2
    assert choice.note.startswith("12 1 +0.00 | 11 1 +0.00 | 99 0 +0.00 | 98 0")


def test_who_was_never_sampled_comes_after_who_was() -> None:
    found = Sampler(ULTIMATE, 1, plain=True).think(ULTIMATE.initial(), 7, [0])
    assert [c.games for c in found] == [1] * 7 + [0] * 74
    assert {c.action for c in found[:7]} == set(range(7))


def test_the_candidates_take_turns_and_the_best_mean_comes_first() -> None:
    found = Sampler(ULTIMATE, 2, plain=True).think(middle(12), 100, [0])
    assert sum(c.games for c in found) == 100
    assert max(c.games for c in found) - min(c.games for c in found) <= 1
    assert [c.value for c in found] == sorted((c.value for c in found), reverse=True)
    assert all(-1 <= c.value <= 1 for c in found)


def test_a_sample_is_ten_plies_of_top_scored_actions() -> None:
    kernels = compiled.search(classic, ULTIMATE, plain=True, evaluate=LINES)
    for seed in range(12):
        position = middle(8 + 3 * seed)
        s, seat = list(position.state), position.to_move
        buffers = [[0] * 13, [0] * 81, [0] * 9]
        rng = [seed + 1]
        value = kernels.sample(s, seat, 10, rng, *buffers)
        twin, again = [seed + 1], position
        for _ in range(10):
            if again.outcome() is not None:
                break
            scores = scored(again)
            best = [a for a, score in scores.items() if score == max(scores.values())]
            again = again.apply(best[kernels.below(twin, len(best))])
        outcome = again.outcome()
        assert tuple(s) == again.state
        assert rng == twin
        if outcome is not None:
            assert value == outcome.returns[seat] * SCALE
        else:
            assert value == LINES(list(again.state)) * (1 if again.to_move == seat else -1)


def test_where_a_game_has_no_evaluation_every_action_is_a_candidate() -> None:
    game = games.game("tic_tac_toe")
    found = Sampler(game, 1, plain=True).think(game.initial(), 90, [0])
    assert candidates(found) == list(range(9))
    assert {c.games for c in found} == {10}


@pytest.mark.slow
@pytest.mark.usefixtures("with_numba")
@pytest.mark.parametrize("name", registry.bot_class("hybrid").GAMES)
def test_plain_and_compiled_sample_the_same(name: str) -> None:
    game = games.game(name)
    plain, fast = (Sampler(game, 3, plain=plain) for plain in (True, False))
    for position in walks(name)[0].positions[:-1:4]:
        assert plain.think(position, 60, [0]) == fast.think(position, 60, [0])


@pytest.mark.slow
@pytest.mark.usefixtures("with_numba")
def test_all_that_it_can_reach_is_compiled_before() -> None:
    kind = registry.bot_class("hybrid")
    kind.prepare(ULTIMATE)
    assert kind.ready(ULTIMATE)
