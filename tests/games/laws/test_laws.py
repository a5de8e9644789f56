"""Every game keeps every law of games/laws."""

from __future__ import annotations

import pytest

from games import registry
from games.game import Game
from games.laws import check, kernels, playouts, texts
from tests.games.laws.walks import sampled


@pytest.mark.parametrize("law", check.LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("name", registry.names())
def test_a_game_keeps_the_law(name: str, law: check.Law) -> None:
    verdict = check.check(law, sampled(name))
    assert verdict.what is None, verdict.sentence()
    assert verdict.tried > 0 or not had(registry.game(name), law)


def had(game: Game, law: check.Law) -> bool:
    """Whether a game has what a law is about."""
    optional = {
        texts.symmetries: game.symmetries,
        kernels.static_values: game.evaluate,
        kernels.tactics: game.tactic,
        kernels.playouts: game.playout,
        playouts.fair: game.playout,
    }
    return bool(optional.get(law, True))


def test_laws_have_titles_of_their_own_and_the_quick_ones_are_among_them() -> None:
    titles = [check.title(law) for law in check.LAWS]
    assert len(set(titles)) == len(titles)
    assert set(check.QUICK) < set(check.LAWS)
