"""The readable searches against slower, independent truth and positions with one right answer."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

import pytest

from bots import registry
from bots.bot import Budget
from bots.reading.simple_minimax import PER_PLY, SimpleMinimax
from games import registry as games
from games.game import CHANCE, Position
from tests.bots.engine.trees import at
from tests.bots.positions import undecided

TESTS = Path(__file__).parents[2]
SIGNATURES = tomllib.loads((TESTS / "vectors" / "signatures.toml").read_text())
PLENTY = 10**9


@cache
def worth(position: Position, ply: int = 0) -> float:
    """What a position is worth to seat 0 under best play: plain minimax over Positions."""
    outcome = position.outcome()
    if outcome is not None:
        return outcome.returns[0] / position.game.max_return * (1 - ply * PER_PLY)
    if position.to_move == CHANCE:
        chances = position.chance()
        total = sum(weight for _, weight in chances)
        return sum(w * worth(position.apply(a), ply + 1) for a, w in chances) / total
    values = [worth(position.apply(a), ply + 1) for a in position.legal_actions()]
    return max(values) if position.to_move == 0 else min(values)


def test_expectiminimax_weighs_every_roll() -> None:
    for notation in ("1/3/2 19/20 17 black 1", "4/2/3 16/20 16 white 1", "2/2/4 18/19 18 white 4"):
        position = at("pebbles", notation)
        found = SimpleMinimax(position.game).run(list(position.state), PLENTY, [0])
        sign = 1 if position.to_move == 0 else -1
        assert found.solved
        assert found.value == pytest.approx(sign * worth(position), abs=1e-12)


def test_mcts_makes_exactly_the_simulations_it_was_given() -> None:
    position = games.game("connect_four").initial()
    for nodes in (1, 7, 8, 300):
        for playouts in (1, 3):
            bot = registry.bot("mcts", playouts=playouts)
            for _ in range(2):
                assert bot.choose(position, Budget(nodes=nodes)).nodes == nodes


def test_minimax_breaks_ties_by_seed_or_by_the_lowest_action() -> None:
    position = games.game("tic_tac_toe").initial()
    budget = Budget(nodes=30)

    def chosen(**settings: object) -> set[int]:
        return {
            registry.bot("minimax", seed=seed, **settings).choose(position, budget).action
            for seed in range(12)
        }

    assert chosen(ties="lowest") == {0}
    assert len(chosen()) > 3


def test_mcts_at_its_top_level_finds_the_only_good_action_of_tic_tac_toe() -> None:
    """Where any other action is worse, in wins and in draws with at most five cells free: there the
    budget is never used up, as a proof ends the search after a few hundred simulations.
    """
    top = Budget(nodes=registry.bot_class("mcts").LEVELS[-1])
    for position in undecided()[10::34]:
        free = len(position.legal_actions())
        if len(keeping(position)) > 1 or free == 1 or (free > 5 and not round(worth(position))):
            continue
        choice = registry.bot("mcts", seed=1, megabytes=1).choose(position, top)
        assert [choice.action] == keeping(position), position
        assert choice.nodes < 1_000


def keeping(position: Position) -> list[int]:
    """The actions after which a position is worth as much as before, but for the plies it takes."""
    worths = {action: round(worth(position.apply(action))) for action in position.legal_actions()}
    return [action for action, after in worths.items() if after == round(worth(position))]


@pytest.mark.parametrize("key", SIGNATURES)
def test_the_signature_of_the_search_is_as_pinned(key: str) -> None:
    pinned = SIGNATURES[key]
    position = at(pinned["game"], pinned["position"])
    bot = registry.bot(pinned["bot"], seed=1, **pinned["settings"])
    choice = bot.choose(position, Budget(nodes=pinned.get("budget", PLENTY)))
    assert {"nodes": choice.nodes, "note": choice.note} == {
        "nodes": pinned["nodes"],
        "note": pinned["note"],
    }
