"""Laws that hold for every bot in every game it plays."""

from __future__ import annotations

import pytest

from bots import registry
from bots.bot import NOTE_BYTES, Bot, Budget, format_value, full_note
from games import registry as games
from games.game import CHANCE, IllegalAction
from games.rng import below, seeded
from tests.bots.positions import walk

GAMES = sorted({*games.names(), "pebbles"})
BOTS = registry.own_names()
PLAY_ALL = [bot for bot in BOTS if not registry.bot_class(bot).GAMES]
HANDFUL = "10/15/20 0/0 0 white hand"  # 3,000 legal actions


EACH_PAIR = [(bot, game) for bot in BOTS for game in registry.bot_class(bot).GAMES or GAMES]
# A playout there has some 190 plies; and gammon plays that game with the cube, too.
LONG = (("mcts", "backgammon"), ("flat", "backgammon"), ("gammon", "backgammon"))
AT_LENGTH = [pytest.param(*p, marks=pytest.mark.slow) if p in LONG else p for p in EACH_PAIR]


def a_bot(name: str, seed: int = 1) -> Bot:
    return registry.bot(name, seed=seed)


@pytest.mark.parametrize(("bot", "game"), AT_LENGTH)
def test_a_match_against_itself_ends_and_every_choice_is_in_order(bot: str, game: str) -> None:
    players, rng = (a_bot(bot, 1), a_bot(bot, 2)), seeded(3)
    position = games.game(game).initial()
    while position.outcome() is None:
        if position.to_move == CHANCE:
            rolls = position.legal_actions()
            position = position.apply(rolls[below(rng, len(rolls))])
            continue
        choice = players[position.to_move].choose(position, Budget(nodes=3))
        assert -1 <= choice.value <= 1
        assert 0 <= choice.nodes <= 3  # none where the value was proven before
        assert len(full_note(bot, choice, 12.345).encode()) <= NOTE_BYTES
        position = position.apply(choice.action)


@pytest.mark.parametrize(("bot", "game"), AT_LENGTH)
def test_choices_are_the_same_under_the_same_seed_nodes_and_earlier_calls(
    bot: str, game: str
) -> None:
    """And they leave the position as it was."""
    one, other = a_bot(bot), a_bot(bot)
    for position in walk(games.game(game), 4, seed=5):
        before = position.state
        assert one.choose(position, Budget(nodes=12)) == other.choose(position, Budget(nodes=12))
        assert position.state == before


@pytest.mark.parametrize("bot", PLAY_ALL)
@pytest.mark.parametrize("nodes", [1, 500, pytest.param(4_000, marks=pytest.mark.slow)])
def test_thousands_of_legal_actions_do_no_harm(bot: str, nodes: int) -> None:
    position = games.game("pebbles").parse_position(HANDFUL)
    choice = a_bot(bot).choose(position, Budget(nodes=nodes))
    assert choice.action in position.legal_actions()
    assert choice.nodes <= nodes
    assert len(full_note(bot, choice, 0.0).encode()) <= NOTE_BYTES


@pytest.mark.parametrize(("bot", "game"), EACH_PAIR)
def test_a_bot_that_is_stopped_or_has_a_limit_of_time_only_chooses_a_legal_action(
    bot: str, game: str
) -> None:
    position = walk(games.game(game), 4, seed=2)[0]
    stopped = a_bot(bot).choose(position, Budget(nodes=10**9), stop=[1])
    timed = a_bot(bot).choose(position, Budget(ms=4))
    assert {stopped.action, timed.action} <= set(position.legal_actions())


@pytest.mark.parametrize("bot", BOTS)
def test_where_no_seat_is_to_move_there_is_nothing_to_choose(bot: str) -> None:
    with pytest.raises(ValueError, match="no seat is to move"):
        a_bot(bot).choose(games.game("pebbles").initial(), Budget(nodes=1))


@pytest.mark.parametrize("bot", BOTS)
def test_levels_are_at_most_eight_and_grow_and_a_setting_takes_its_own_default_as_a_text(
    bot: str,
) -> None:
    levels = registry.bot_class(bot).LEVELS
    assert len(levels) <= 8
    assert list(levels) == sorted(set(levels))
    for setting in registry.bot_class(bot).SETTINGS:
        assert setting.read(format_value(setting.default)) == setting.default
        assert setting.meaning


def test_a_bot_that_breaks_the_rules_is_told_so() -> None:
    class Cheat(type(a_bot("random"))):  # type: ignore[misc]
        def think(self, position, nodes, stop):  # type: ignore[no-untyped-def]
            return super().think(position, nodes, stop).__class__(99, 0.0, 1)

    with pytest.raises(IllegalAction, match="99 is not legal in tic_tac_toe"):
        Cheat().choose(games.game("tic_tac_toe").initial(), Budget(nodes=1))
