"""The pages of two searches, which docs/site/pages.py puts into the docs as a site.

The picture of each, in docs/pictures, is made by `python -m tests.lab.tracing.pages`.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bots.bot import Budget
from bots.online.entry import make_entry
from games import registry as games
from lab.tracing.choice import choose
from lab.tracing.page_file import page
from lab.tracing.trace import record

DOCS: Final = Path(__file__).parents[3] / "docs"
SEED: Final = 7
NODES: Final = {"mcts": 150, "minimax": 3_000}
SHOWN: Final = {"mcts": "#64", "minimax": "#377"}  # the frame of the picture


def made(bot: str) -> str:
    """The page of a bot that thinks about tic-tac-toe after 5 1."""
    position = games.game("tic_tac_toe").initial()
    for action in ("5", "1"):
        position = position.apply(position.read(action))
    entry = make_entry(bot, seed=SEED, only=("tic_tac_toe",))
    return page(record(choose(position, entry, Budget(nodes=NODES[bot])), drawn=False))


def photograph() -> None:
    """Take the pictures."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium")
    with sync_playwright() as playwright, TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        tab = browser.new_page(viewport={"width": 1180, "height": 700})
        for bot, frame in SHOWN.items():
            file = Path(folder, f"{bot}.html")
            file.write_text(made(bot), "utf-8")
            tab.goto(file.as_uri() + frame)
            tab.screenshot(path=DOCS / "pictures" / f"search-{bot}.png", animations="disabled")
        browser.close()


if __name__ == "__main__":
    photograph()
