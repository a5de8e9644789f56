"""Every game keeps every law of games/laws."""

from __future__ import annotations

import pytest

from games import registry
from games.game import Game
from games.laws import check, kernels, playouts, texts
from games.laws.sample import MAX_PLIES, PLIES, Sample


@pytest.mark.parametrize("plies", [PLIES // 12, pytest.param(PLIES, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", registry.names())
def test_a_game_keeps_every_law(name: str, plies: int) -> None:
    """Of long games the short run looks at the first plies only."""
    sample = Sample(registry.game(name), plies, plies if plies < PLIES else MAX_PLIES)
    verdicts = [(law, check.check(law, sample)) for law in check.LAWS]
    assert [verdict.sentence() for _, verdict in verdicts if verdict.what is not None] == []
    idle = [law.__name__ for law, verdict in verdicts if not verdict.tried]
    assert [law.__name__ for law in check.LAWS if not had(registry.game(name), law)] == idle


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
