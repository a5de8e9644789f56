"""openspiel: bots of DeepMind's OpenSpiel, where its Python package is installed.

By default its Monte Carlo tree search in C++, with one random playout at each leaf and proofs of
wins and losses; `bot=uniform_random` is its one at random.  It plays by the rules of OpenSpiel,
from the first action on: so it follows the match, and every action of ours is done on its board.

Cells and columns have the same numbers there.  In ultimate tic-tac-toe it takes two actions for
one of ours where the board is free to choose: the board, then the cell.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from bots.bot import (
    MAX_NODES,
    Bot,
    Budget,
    CannotPlay,
    Choice,
    Setting,
    Situation,
    Value,
    unforced,
)
from games import registry
from games.game import Game, Ints, Position
from games.ultimate_tic_tac_toe.rules import ANY

OLDEST: Final = (2, 0, 1)  # before, ultimate was another game: open_spiel issue 1567
INSTALLED_BY: Final = "pip install 'open_spiel>=2.0.1'"
FORCED: Final = 11  # where a state of ultimate tic-tac-toe has the board to play on
MEGABYTES: Final = 1_000  # its tree may grow so large
FIRST_SIMULATIONS: Final = 50  # by which its speed is known, where its time is limited
SPENT: Final = 0.8  # of its time: it cannot be stopped


class OpenSpielBot(Bot):
    """Plays as a bot of OpenSpiel does."""

    SETTINGS = (
        Setting(
            "bot", "mcts", "which of its bots",
            words=("mcts", "uniform_random"),
        ),
        Setting("exploration", 2.0, "how much UCT tries what looks worse", 0.0, 10.0),
    )  # fmt: skip
    LEVELS = (10, 40, 160, 640, 2_500, 10_000, 40_000, 160_000)
    GAMES = ("tic_tac_toe", "ultimate_tic_tac_toe", "connect_four")
    FOLLOWS = True

    def __init__(self, *, seed: int = 0, **settings: Value) -> None:
        super().__init__(seed=seed, **settings)
        self._situation: Situation | None = None
        self._ms: int | None = None
        self._searches = 0

    @classmethod
    def missing(cls) -> str | None:
        """Where to get it."""
        if importlib.util.find_spec("pyspiel") is None:
            return f"OpenSpiel is not installed ({INSTALLED_BY})"
        with suppress(PackageNotFoundError):  # built by hand: its builder knows
            installed = version("open_spiel")
            if _numbers(installed) < OLDEST:
                why = "plays ultimate tic-tac-toe on a wrong board after a free choice"
                return f"OpenSpiel {installed} {why}; a newer one does not ({INSTALLED_BY})"
        return None

    @classmethod
    def ineffective(cls, game: Game, settings: Mapping[str, Value]) -> dict[str, str]:
        """What steers its search, where it does not search."""
        if settings["bot"] == "mcts":
            return {}
        return {"exploration": f"exploration has no effect: bot={settings['bot']} does not search"}

    def follow(self, situation: Situation) -> None:
        self._situation = situation

    def choose(self, position: Position, budget: Budget, stop: Ints | None = None) -> Choice:
        """As `think`, within the time of the budget as far as that can be foreseen."""
        self._ms = unforced(position, budget).ms
        return super().choose(position, budget, stop)

    def think(self, position: Position, nodes: int, stop: Ints) -> Choice:
        """Its choice in this position.

        Raises:
            CannotPlay: the actions so far are not known.
        """
        state = self.state_of(position)
        if self.settings["bot"] != "mcts":
            return Choice(self._step(state, position), value=0.0, nodes=1)
        began = time.perf_counter()
        if self._ms is not None and nodes > FIRST_SIMULATIONS:
            self._search(state, FIRST_SIMULATIONS, stop)
            pace = FIRST_SIMULATIONS / (time.perf_counter() - began)
            left = self._ms / 1000 * SPENT - (time.perf_counter() - began)
            nodes = min(nodes, max(FIRST_SIMULATIONS, int(pace * left / (1 + _is_free(position)))))
        nodes = min(nodes, MAX_NODES)
        best = self._search(state, nodes, stop)
        action, value, note = int(best.action), _value(best), f"{best.explore_count} visits"
        if _is_free(position):
            state.apply_action(action)
            inside = self._search(state, nodes, stop)
            action, nodes = 9 * action + int(inside.action), 2 * nodes
        elif position.game.name == "ultimate_tic_tac_toe":
            action += 9 * position.state[FORCED]
        return Choice(action, value, nodes, note)

    def state_of(self, position: Position) -> Any:
        """Return OpenSpiel's state after the actions that led to `position`.

        Raises:
            CannotPlay: they are not known, or lead somewhere else.
        """
        game, situation, self._situation = position.game, self._situation, None
        actions = situation.actions if situation is not None else None
        ours = registry.game(game.name).initial()
        if actions is None:
            if position != ours:
                raise CannotPlay("OpenSpiel needs all actions so far, and here they are not known")
            actions = ()
        state = _spiel().load_game(game.name).new_initial_state()
        for text in actions:
            action = game.parse_action(ours, text)
            for theirs in _theirs(ours, action):
                state.apply_action(theirs)
            ours = ours.apply(action)
        if ours != position:
            raise CannotPlay(f"the actions so far do not lead to {position}")
        return state

    def _search(self, state: Any, simulations: int, stop: Ints) -> Any:
        """The best child of the root after a search with a seed of its own, a short one once `stop`
        is set: one that has begun cannot be ended.
        """
        if stop[0]:
            simulations = min(simulations, FIRST_SIMULATIONS)
        spiel, seed = _spiel(), (self.seed + self._searches) % 2**31
        self._searches += 1
        evaluator = spiel.RandomRolloutEvaluator(1, seed)
        proofs, talk = True, False
        bot = spiel.MCTSBot(
            state.get_game(), evaluator, self.settings["exploration"], simulations, MEGABYTES,
            proofs, seed, talk,
        )  # fmt: skip
        return bot.mcts_search(state).best_child()

    def _step(self, state: Any, position: Position) -> int:
        """The action of its bot at random."""
        spiel, player, seed = _spiel(), state.current_player(), self.seed + self._searches
        self._searches += 1
        bot = spiel.make_uniform_random_bot(player, seed % 2**31)
        action = int(bot.step(state))
        if _is_free(position):
            state.apply_action(action)
            return 9 * action + int(bot.step(state))
        if position.game.name == "ultimate_tic_tac_toe":
            return 9 * int(position.state[FORCED]) + action
        return action


def _numbers(text: str) -> tuple[int, ...]:
    """The numbers that a version begins with: 2, 0 and 1 of "2.0.1rc1"."""
    return tuple(int(number) for number in re.match(r"[\d.]*", text)[0].split(".") if number)  # type: ignore[index]


def _spiel() -> Any:
    return importlib.import_module("pyspiel")


def _is_free(position: Position) -> bool:
    return position.game.name == "ultimate_tic_tac_toe" and position.state[FORCED] == ANY


def _theirs(position: Position, action: int) -> tuple[int, ...]:
    """What OpenSpiel has for an action of ours in `position`."""
    if position.game.name != "ultimate_tic_tac_toe":
        return (action,)
    return (action // 9, action % 9) if _is_free(position) else (action % 9,)


def _value(node: Any) -> float:
    """The value of a searched child, for the player who plays it."""
    if node.outcome:
        return max(-1.0, min(1.0, float(node.outcome[node.player])))
    return max(-1.0, min(1.0, float(node.total_reward / max(1, node.explore_count))))


BOT = OpenSpielBot
