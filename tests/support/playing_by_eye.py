"""Plays a match to its end by what stands on the screen of a terminal, and looks at each screen."""

from __future__ import annotations

import random
import re

from games import registry
from tests.support.screen import TerminalWindow

ENDED = r"^ *(You (won|lost)|A draw)\b.*: \S.*\."
YOURS = r"^ *Your turn, "


def play_to_the_end(window: TerminalWindow, game: str, me: str, seed: int = 1) -> str:
    """Type legal actions that are to be seen until the match is over; return how it ended."""
    choices = random.Random(seed)
    for _ in range(2000):  # of backgammon at random, hundreds
        look(window, game, me)
        legal = legal_to_be_seen(window, game)
        assert legal, f"nothing to play is to be seen:\n{window.text()}"
        before = window.board()
        window.press(f"{choices.choice(legal)}\r")
        window.until(lambda before=before: window.board() != before and is_settled(window))  # type: ignore[misc]
        if window.shows(ENDED):
            look(window, game, me)
            assert window.shows("/rematch"), window.text()
            return next(line.strip() for line in window.lines() if re.search(ENDED, line))
    raise AssertionError("it did not end")


def is_settled(window: TerminalWindow) -> bool:
    """Return whether the match waits for this person, or is over, and nothing stands typed."""
    is_empty = any(line.rstrip() == "›" for line in window.lines())
    return is_empty and (window.shows(YOURS) or window.shows(ENDED))


def look(window: TerminalWindow, game: str, me: str) -> None:
    """Check that everything that a player needs is to be seen, and no word is torn."""
    text = window.text()
    title = registry.game(game).title
    assert window.shows(rf"^{title}\b"), f"no title:\n{text}"
    assert window.shows(rf"\b{me} \(you\)"), f"I am not to be seen:\n{text}"
    assert window.shows(r"\brandom\b"), f"the opponent is not to be seen:\n{text}"
    if window.shows(YOURS):
        assert window.shows(rf"\b{me} \(you\).*◀"), f"whose turn?\n{text}"
    assert window.shows(r"^›$|^› "), f"no prompt:\n{text}"
    assert window.shows(rf"{me} at .*/help"), f"no toolbar:\n{text}"
    board = registry.game(game).drawing(registry.game(game).initial(), 0, False).split("\n")
    assert len(window.board()) >= sum("│" in row or "─" in row for row in board), text
    assert not window.torn_words(), f"{window.torn_words()}\n{text}"


def legal_to_be_seen(window: TerminalWindow, game: str) -> list[str]:
    """The actions that are listed below the board; where none are, the cells with their names."""
    lines = [line.rstrip() for line in window.lines()]
    start = next((i for i, line in enumerate(lines) if re.search(YOURS, line)), len(lines))
    end = next((i for i, line in enumerate(lines) if line.startswith("›")), len(lines))
    listed: list[str] = []
    for line in lines[start + 1 : end]:
        cells = re.split(r" {2,}", line.partition("…")[0].strip())
        listed += [re.sub(r"^\d+ (?=\S)", "", cell) for cell in cells if cell]
    if listed or game != "ultimate_tic_tac_toe":
        return listed
    return re.findall(r"(?<!\S)[1-9]{2}(?!\S)", "\n".join(window.board()))
