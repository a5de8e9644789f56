"""Photographs every screen of the page for docs/pictures/; to be looked at after each change.

    python -m tests.web.pictures

It plays a little against bots of a server of its own, at each of the sizes that count.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.web.conftest import FLAGS
from tests.web.visitor import ROOT, await_turn, come_in, opened

FOLDER: Final = ROOT / "docs" / "pictures"
BOTS: Final = "random,mcts,minimax,gammon"


class Shape(NamedTuple):
    """A window: its name in file names, its size, and light or dark."""

    name: str
    width: int
    height: int
    colours: str = "light"


SHAPES: Final = (
    Shape("phone", 360, 640),
    Shape("landscape", 844, 390),
    Shape("laptop", 1280, 800),
    Shape("laptop-dark", 1280, 800, "dark"),
    Shape("desktop", 1920, 1080),
)
PLAYED: Final = {  # what is played before the picture, typed
    "connect_four": ("4", "3", "5"),
    "tic_tac_toe": ("5",),
    "ultimate_tic_tac_toe": ("55",),
    "backgammon": (),
}


@contextmanager
def visitor(browser: Browser, shape: Shape, url: str) -> Iterator[Page]:
    """Somebody with a window of this shape, who is in the lobby."""
    size = {"width": shape.width, "height": shape.height}
    context = browser.new_context(
        viewport=size, color_scheme=shape.colours, reduced_motion="reduce"
    )  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(url)
    page.screenshot(path=FOLDER / f"door-{shape.name}.png")
    come_in(page, url, f"Anna {shape.name}")
    yield page
    context.close()


def photograph(page: Page, screen: str, shape: Shape) -> None:
    """Take the picture of a screen as it stands."""
    page.mouse.move(0, 0)
    page.screenshot(path=FOLDER / f"{screen}-{shape.name}.png")
    print(f"{screen}-{shape.name}", file=sys.stderr)


def play(page: Page, url: str, game: str, shape: Shape) -> None:
    """Sit down against a bot, make some moves, and take a picture; then give it up."""
    page.locator(f"[data-game={game}]").first.click()
    page.locator("[data-way=bot]").click()
    for action in PLAYED[game]:
        if not await_turn(page):
            break
        page.keyboard.type(action)
        page.keyboard.press("Enter")
    await_turn(page)
    photograph(page, game, shape)
    page.goto(f"{url}/#")
    expect(page.locator("[data-way=bot]")).to_be_visible()


def take_pictures(browser: Browser, url: str) -> None:
    """All screens in all shapes."""
    for shape in SHAPES:
        with visitor(browser, shape, url) as page:
            for game in PLAYED if shape.name in ("phone", "laptop") else ("backgammon",):
                play(page, url, game, shape)
            photograph(page, "lobby", shape)


def main() -> None:
    """Write all pictures anew."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as data,
        opened(Path(data), BOTS) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        take_pictures(browser, server.url)
        browser.close()


if __name__ == "__main__":
    main()
