"""OpenSpiel's bots; where its package is installed."""

from __future__ import annotations

from typing import Any
from unittest.mock import MagicMock

import pytest

from bots.bot import Budget, CannotPlay, Situation
from bots.roster import openspiel
from bots.roster.openspiel import OpenSpielBot
from games import registry
from games.rng import below, seeded

installed = pytest.mark.skipif(
    OpenSpielBot.missing() is not None, reason=str(OpenSpielBot.missing())
)
GAMES = OpenSpielBot.GAMES


@pytest.mark.parametrize(
    ("version", "missing"),
    [("1.6.9", True), ("2.0", True), ("2.0.0rc1", True), ("2.0.1", False), ("2.1.dev0", False)],
)
def test_a_version_with_another_ultimate_tic_tac_toe_is_refused(
    version: str, missing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openspiel.importlib.util, "find_spec", lambda name: name)
    monkeypatch.setattr(openspiel, "version", lambda name: version)
    sentence = OpenSpielBot.missing()
    assert (sentence is not None) is missing
    assert not missing or "pip install 'open_spiel>=2.0.1'" in str(sentence)


def test_what_steers_its_search_does_nothing_where_it_does_not_search() -> None:
    words = {"bot": "uniform_random", "exploration": 3.0}
    assert set(OpenSpielBot.ineffective(registry.game("connect_four"), words)) == {"exploration"}
    assert not OpenSpielBot.ineffective(registry.game("connect_four"), words | {"bot": "mcts"})


def test_a_turn_that_is_over_is_searched_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[int] = []

    class Spiel:
        RandomRolloutEvaluator = staticmethod(lambda *_: None)

        @staticmethod
        def MCTSBot(*words: object) -> Any:  # noqa: N802
            searched.append(words[3])  # type: ignore[arg-type]
            return MagicMock()

    monkeypatch.setattr(openspiel, "_spiel", lambda: Spiel)
    bot = OpenSpielBot()
    for stop in (0, 1):
        bot._search(MagicMock(), 10_000, [stop])
    assert searched == [10_000, openspiel.FIRST_SIMULATIONS]


@installed
@pytest.mark.parametrize("name", GAMES)
def test_its_legal_actions_are_ours(name: str) -> None:
    rng, game = seeded(4), registry.game(name)
    for _ in range(8):
        position, actions = game.initial(), list[str]()
        while position.outcome() is None:
            bot, legal = OpenSpielBot(), position.legal_actions()
            bot.follow(Situation("1.1", tuple(actions)))
            state = bot.state_of(position)
            ours = {openspiel._theirs(position, action) for action in legal}
            theirs = set()
            for action in state.legal_actions():
                inside = state.child(action) if openspiel._is_free(position) else None
                cells = inside.legal_actions() if inside is not None else ()
                theirs |= {(action, cell) for cell in cells} or {(action,)}
            assert ours == theirs, str(position)
            action = legal[below(rng, len(legal))]
            actions.append(game.format_action(position, action))
            position = position.apply(action)


@installed
@pytest.mark.parametrize("kind", ["mcts", "uniform_random"])
@pytest.mark.parametrize("name", GAMES)
def test_each_of_its_bots_plays_each_game_to_its_end(name: str, kind: str) -> None:
    game = registry.game(name)
    position, actions, bot = game.initial(), list[str](), OpenSpielBot(bot=kind)
    while position.outcome() is None:
        bot.follow(Situation("1.1", tuple(actions)))
        choice = bot.choose(position, Budget(nodes=20))
        assert -1 <= choice.value <= 1
        actions.append(game.format_action(position, choice.action))
        position = position.apply(choice.action)


@installed
def test_it_wins_where_it_can_and_knows_it() -> None:
    game = registry.game("tic_tac_toe")
    position, actions = game.initial(), ["1", "4", "2", "5"]
    for text in actions:
        position = position.apply(game.parse_action(position, text))
    bot = OpenSpielBot(seed=1)
    bot.follow(Situation("1.1", tuple(actions)))
    choice = bot.choose(position, Budget(nodes=500))
    assert (game.format_action(position, choice.action), choice.value) == ("3", 1.0)


@installed
def test_a_position_alone_is_not_enough() -> None:
    game = registry.game("tic_tac_toe")
    position = game.initial()
    position = position.apply(position.legal_actions()[0])
    with pytest.raises(CannotPlay, match="needs all actions so far"):
        OpenSpielBot().choose(position, Budget(nodes=1))
