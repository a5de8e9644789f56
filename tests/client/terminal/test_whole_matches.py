"""Whole matches by keys in real terminals of three sizes: what counts is on every screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from games import registry
from lab.arena.local_server import ServerProcess
from tests.support.playing_by_eye import is_settled, play_to_the_end
from tests.support.screen import Size, TerminalWindow, window
from tests.support.terminal import exit_code

pytestmark = [pytest.mark.socket, pytest.mark.slow]
SIZES = (Size(100, 30), Size(80, 24), Size(60, 20))
GAMES = ("tic_tac_toe", "ultimate_tic_tac_toe", "connect_four", "backgammon")


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size.columns}x{size.rows}")
def test_each_screen_of_a_match_shows_what_its_player_needs(
    server: ServerProcess, tmp_path: Path, size: Size, game: str
) -> None:
    words = ("play", game, "--against", "random", "--url", server.url)
    name = f"{game[:3]}{size.columns}"
    with window(tmp_path, size, *words, name=name) as opened:
        opened.until(lambda: is_settled(opened))
        end = play_to_the_end(opened, game, name)
        title = registry.game(game).title
        opened.press("\x04")
        opened.until_the_end()
        assert opened.shows(rf"^{title}"), f"the last board is gone:\n{opened.text()}"
        assert opened.shows(end), opened.text()
        assert exit_code(opened.child) == 0


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size.columns}x{size.rows}")
def test_a_private_room_shows_its_command_and_link_in_one_piece(
    server: ServerProcess, tmp_path: Path, size: Size
) -> None:
    words = ("play", "backgammon", "--private", "--url", server.url)
    with window(tmp_path, size, *words, name=f"priv{size.columns}") as opened:
        opened.until(lambda: opened.shows("#code="))
        assert opened.shows(rf"^ *{server.url}/#code=[A-Z0-9]{{6}}\s*$"), opened.text()
        assert not opened.torn_words(), opened.text()
        _shows_a_whole_command(opened, server.url)


def _shows_a_whole_command(opened: TerminalWindow, url: str) -> None:
    """A command on one line, or on two of which the first ends in a backslash."""
    text = " ".join(opened.text().replace("\\\n", " ").split())
    assert f" --url {url} " in text, opened.text()
    assert "plyhouse play --join " in text, opened.text()
