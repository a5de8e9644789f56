"""Photographs the terminal for docs/pictures/: a match of each game, and a ladder that is watched.

    python -m tests.web.terminal_pictures

It types into real terminals; what they show is drawn by Chromium.  To be looked at after each
change.
"""

from __future__ import annotations

import html
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, sync_playwright
from pyte.screens import Char

from lab.arena.local_server import ServerProcess
from tests.support.playing_by_eye import is_settled
from tests.support.screen import Size, TerminalWindow, window
from tests.support.terminal import PLYHOUSE, environment
from tests.web.conftest import FLAGS
from tests.web.visitor import ROOT, opened

FOLDER: Final = ROOT / "docs" / "pictures"
SIZE: Final = Size(80, 24)
PLAYED: Final = {  # who plays against whom, and what is typed before the picture
    "tic_tac_toe": ("ben", "mcts", ("5", "#1")),
    "ultimate_tic_tac_toe": ("eve", "mcts", ("55", "#1", "#2", "#3", "#1", "#2", "#1")),
    "connect_four": ("cleo", "mcts", ("4", "3", "5", "2")),
    "backgammon": ("ann", "gammon", ("#1", "#1", "#1")),
}
COLOURS: Final = {  # of a dark terminal, by pyte's names; its brown is the yellow of the standard
    "default": "#d8dee4", "black": "#1b1f24", "red": "#ff7b72", "green": "#56d364",
    "brown": "#e3b341", "blue": "#79c0ff", "magenta": "#d2a8ff", "cyan": "#56d4dd",
    "white": "#d8dee4", "brightblack": "#848d97", "brightgreen": "#7ee787",
    "brightred": "#ffa198", "brightbrown": "#f2cc60", "brightblue": "#a5d6ff",
    "brightcyan": "#b3f0ff", "brightmagenta": "#e2c5ff", "brightwhite": "#ffffff",
}  # fmt: skip
PAPER: Final = "#1b1f24"
PAGE: Final = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; background: {paper} }}
pre {{ display: inline-block; margin: 0; padding: 12px 14px; background: {paper}; color: {ink};
  font: 15px/17px "DejaVu Sans Mono", monospace }}
</style><pre>{text}</pre>"""


def markup(window: TerminalWindow) -> str:
    """What a window shows, as a page; cells of one style in one span."""
    rows = []
    for y in range(window.size.rows):
        cells = [window.screen.buffer[y][x] for x in range(window.size.columns)]
        rows.append("".join(_spans(cells)))
    return PAGE.format(paper=PAPER, ink=COLOURS["default"], text="\n".join(rows))


def _spans(cells: list[Char]) -> Iterator[str]:
    start = 0
    for end in range(1, len(cells) + 1):
        if end == len(cells) or _style(cells[end]) != _style(cells[start]):
            text = html.escape("".join(cell.data for cell in cells[start:end]))
            yield f'<span style="{_style(cells[start])}">{text}</span>'
            start = end


def _style(cell: Char) -> str:
    ink = _colour(cell.fg, COLOURS["default"])
    paper = _colour(cell.bg, PAPER)
    if cell.reverse:
        ink, paper = paper, ink
    weight = ";font-weight:bold" if cell.bold else ""
    back = f";background:{paper}" if paper != PAPER else ""  # it would cover the line above
    return f"color:{ink}{back}{weight}"


def _colour(name: str, default: str) -> str:
    """A colour by its name, or by the six digits that pyte has for others."""
    if name == "default":
        return default
    return COLOURS.get(name) or f"#{name}"


def photograph(browser: Browser, window: TerminalWindow, name: str) -> None:
    """Draw what a window shows."""
    page = browser.new_page(device_scale_factor=1.5)
    page.set_content(markup(window))
    page.locator("pre").screenshot(path=FOLDER / f"terminal-{name}.png")
    page.close()
    print(f"terminal-{name}", file=sys.stderr)


def play(browser: Browser, server: ServerProcess, home: Path, game: str) -> None:
    """Play a little, and take the picture."""
    person, bot, actions = PLAYED[game]
    words = ("play", game, "--against", bot, "--level", "3", "--url", server.url)
    with window(home / game, SIZE, *words, name=person) as terminal:
        terminal.until(lambda: is_settled(terminal))
        for action in actions:
            before = terminal.board()
            terminal.press(f"{action}\r")
            terminal.until(lambda before=before: _moved(terminal, before))  # type: ignore[misc]
        photograph(browser, terminal, game)


def _moved(terminal: TerminalWindow, before: list[str]) -> bool:
    return terminal.board() != before and is_settled(terminal)


@contextmanager
def ladder(server: ServerProcess, home: Path) -> Iterator[None]:
    """A ladder with three bots, which play while it is watched."""
    env = environment(home)
    create = ["ladder", "create", "friday", "--game", "connect_four", "--clock", "10s+0.1s"]
    subprocess.run([*PLYHOUSE, *create, "--url", server.url], env=env, check=True)
    bots = []
    for number, bot in enumerate(("mcts:2", "minimax:2", "flat:2")):
        program, level = bot.split(":")
        words = ["bot", program, "--level", level, "--ladder", "friday", "--url", server.url]
        bots.append(
            subprocess.Popen(
                [*PLYHOUSE, *words, "--quiet"],
                env=environment(home / str(number), ("ann", "bob", "cleo")[number]),
                stdout=subprocess.DEVNULL,
            )
        )
    try:
        yield
    finally:
        for child in bots:
            child.kill()
            child.wait()


def watch(browser: Browser, server: ServerProcess, home: Path) -> None:
    """Watch a ladder until each of its players has some pairs."""
    words = ("ladder", "watch", "friday", "--url", server.url)
    with ladder(server, home), window(home, Size(100, 30), *words, name="ada") as terminal:
        terminal.until(lambda: _pairs(terminal) >= 20)
        photograph(browser, terminal, "ladder")


def _pairs(terminal: TerminalWindow) -> int:
    """How many pairs are over, as the screen has it."""
    found = re.search(r"(\d+) pairs", terminal.text())
    return int(found[1]) if found else 0


def main() -> None:
    """Write all pictures of the terminal anew."""
    path = shutil.which("chromium")
    os.environ["PLYHOUSE_PLAIN"] = "1"  # the bots need not be compiled first
    with (
        tempfile.TemporaryDirectory() as folder,
        sync_playwright() as playwright,
        opened(Path(folder) / "data", "random,mcts,gammon") as server,
    ):
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        for game in PLAYED:
            play(browser, server, Path(folder), game)
        watch(browser, server, Path(folder) / "ladder")
        browser.close()


if __name__ == "__main__":
    main()
