"""Photographs every screen of the page for docs/pictures/; to be looked at after each change.

    python -m tests.web.pictures

It plays a little against bots of a server of its own, at each of the sizes that count; the ladder
is made up.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from playwright.sync_api import Browser, Page, expect, sync_playwright

from lab.arena.local_server import ServerProcess
from server.admin.token import read_token
from tests.web import fake_ladder
from tests.web.conftest import FLAGS
from tests.web.fake_ladder import NAME, FakeServer
from tests.web.visitor import ROOT, await_turn, opened

FOLDER: Final = ROOT / "docs" / "pictures"
BOTS: Final = "random,mcts,minimax,gammon"


class Shape(NamedTuple):
    """A window: its name in file names, its size, light or dark, and what its reader speaks."""

    name: str
    width: int
    height: int
    colours: str = "light"
    language: str = "en"


SHAPES: Final = (
    Shape("phone", 360, 640),
    Shape("landscape", 844, 390),
    Shape("laptop", 1280, 800),
    Shape("laptop-dark", 1280, 800, "dark"),
    Shape("desktop", 1920, 1080),
    Shape("phone-german", 360, 640, "dark", "de"),
)
PATIENCE_MS: Final = 90_000  # bots are slow until their code is compiled
SMALL: Final = ("phone", "laptop")  # where every screen is taken
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
        viewport=size,  # type: ignore[arg-type]
        color_scheme=shape.colours,  # type: ignore[arg-type]
        reduced_motion="reduce",
        locale=shape.language,
    )
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto(url)
    page.locator("#main input").first.wait_for()
    page.screenshot(path=FOLDER / f"door-{shape.name}.png")
    page.locator("#main input").first.fill(f"Anna {shape.name}")
    page.locator(".sign-in button.primary").click()
    expect(page.locator("[data-way=bot]")).to_be_visible()
    yield page
    context.close()


def photograph(page: Page, screen: str, shape: Shape) -> None:
    """Take the picture of a screen as it stands."""
    page.mouse.move(0, 0)
    page.screenshot(path=FOLDER / f"{screen}-{shape.name}.png")
    print(f"{screen}-{shape.name}", file=sys.stderr)


def play(page: Page, url: str, game: str, shape: Shape) -> None:
    """Sit down against a bot, make some moves, and take a picture; then give it up."""
    page.locator(f".new-table [data-game={game}]").first.click()
    page.locator("[data-way=bot]").click()
    for action in PLAYED[game]:
        if not await_turn(page):
            break
        page.keyboard.type(action)
        page.keyboard.press("Enter")
    await_turn(page)
    photograph(page, game, shape)
    if game == "backgammon" and shape.name in SMALL:
        page.locator(".gear.rules").click()
        expect(page.get_by_role("dialog")).to_be_visible()
        photograph(page, "rules", shape)
        page.keyboard.press("Escape")
    page.goto(f"{url}/#")
    expect(page.locator("[data-way=bot]")).to_be_visible()


def look_back(page: Page, url: str, shape: Shape) -> None:
    """Play a match to its end, and photograph its page and one's own."""
    page.locator(".new-table [data-game=tic_tac_toe]").first.click()
    page.locator("#rival").select_option("house/random")
    page.locator("[data-way=bot]").click()
    while await_turn(page):
        page.locator("[data-cell].open").first.click()
    photograph(page, "won-or-lost", shape)
    record = page.locator("a[href^='/match/']").first.get_attribute("href")
    page.locator("[data-do=leave]").click()
    expect(page.locator("[data-way=bot]")).to_be_visible()
    page.goto(f"{url}{record}")
    expect(page.locator("svg").first).to_be_visible()
    photograph(page, "match", shape)
    page.goto(f"{url}/person/Anna {shape.name}")
    expect(page.locator(".matches a").first).to_be_visible()
    photograph(page, "person", shape)
    page.goto(f"{url}/#")
    expect(page.locator("[data-way=bot]")).to_be_visible()


def look_elsewhere(page: Page, server: ServerProcess, shape: Shape) -> None:
    """Photograph the pages of whoever runs the house, of nothing, and of a server that is away."""
    page.goto(f"{server.url}/admin")
    page.locator("#token").fill(read_token(server.data / "admin.token").token)
    page.keyboard.press("Enter")
    expect(page.locator(".host tr").first).to_be_visible()
    photograph(page, "host", shape)
    for screen, path in (("missing", "nothing"), ("offline", "offline.html")):
        page.goto(f"{server.url}/{path}")
        expect(page.locator("#title")).to_be_visible()
        photograph(page, screen, shape)


def look_at_a_ladder(page: Page, url: str, shape: Shape) -> None:
    """Photograph the page of a ladder, as a fake server tells of it."""
    FakeServer(page, ladder_status=fake_ladder.state(), ladder_history=fake_ladder.history())
    page.goto(f"{url}/ladder/{NAME}")
    expect(page.locator(".plot .curve").first).to_be_visible()
    photograph(page, "ladder", shape)


def take_pictures(browser: Browser, server: ServerProcess) -> None:
    """All screens in all shapes."""
    url = server.url
    for shape in SHAPES:
        with visitor(browser, shape, url) as page:
            if shape.name != "landscape" and shape.name != "desktop":
                look_back(page, url, shape)
            for game in PLAYED if shape.name in SMALL else ("backgammon",):
                play(page, url, game, shape)
            photograph(page, "lobby", shape)
            if shape.name in SMALL:
                look_elsewhere(page, server, shape)
            if shape.name not in ("landscape", "desktop"):
                look_at_a_ladder(page.context.new_page(), url, shape)


def main() -> None:
    """Write all pictures anew."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as data,
        opened(Path(data), BOTS) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        take_pictures(browser, server)
        browser.close()


if __name__ == "__main__":
    main()
