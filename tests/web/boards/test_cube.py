"""Backgammon with the cube on the page: what is decided about it, and what is seen of it."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from bots.arena.local_server import ServerProcess
from games import registry
from tests.web.conftest import Visit
from tests.web.matches.players import PLACES
from tests.web.visitor import await_turn, come_in, sit_down

pytestmark = pytest.mark.browser

GAME = registry.game("backgammon_cube")
LATER = "-bA---D-C---eE---c-e----B-"
LAY = """async () => {
  const { boardOf } = await import("/boards/registry.js");
  const host = document.createElement("div");
  document.body.prepend(host);
  host.style.maxWidth = "700px";
  window.played = [];
  window.module = await boardOf("backgammon_cube");
  window.board = module.create(host, (action) => window.played.push(action));
}"""
SHOW = "(view) => { window.view = view; board.show(view); }"


def show(door: Page, rest: str, **other: Any) -> None:
    """Show a position to whoever decides there."""
    p = GAME.parse_position(f"XGID={LATER}:{rest}")
    view = {"last": None, "events": [], "over": False, "marks": [], "names": ["Anna", "Bert"]}
    view |= {"position": GAME.format_position(p), "toMove": p.to_move, "seat": p.to_move}
    door.evaluate(SHOW, view | {"legal": list(p.legal_notation())} | other)


def test_decisions_are_buttons_and_turns_are_played_on_the_board(door: Page) -> None:
    door.evaluate(LAY)
    buttons = door.locator(".cube-actions button")
    show(door, "0:0:-1:00:0:0:0:0:10")
    expect(buttons).to_have_text(["Roll", "Double"])
    buttons.nth(1).click()
    show(door, "0:0:-1:D:0:0:2:0:10")
    expect(buttons).to_have_text(["Take", "Drop", "Beaver"])
    assert door.evaluate("board.type('ta', false)") == "more"
    assert door.evaluate("board.type('take', true)") == "played"
    show(door, "1:1:1:52:0:0:2:0:10")
    expect(door.locator(".cube-actions")).to_be_hidden()
    assert door.evaluate("board.type('13/8 6/4', true)") == "played"
    assert door.evaluate("played") == ["double", "take", "13/8 6/4"]


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        ("0:0:-1:00:0:0:0:0:10", "The cube shows 1, in the middle."),
        (
            "1:-1:-1:D:3:2:0:7:10",
            "Bert doubles to 4. The cube shows 2, and is Bert’s. 3 to 2, to 7 points.",
        ),
        ("0:0:-1:B:0:0:2:0:10", "Anna beavers to 4. The cube shows 1, in the middle."),
        ("0:0:1:52:4:6:1:7:10", "Crawford game: nobody doubles. 4 to 6, to 7 points."),
    ],
)  # fmt: skip
def test_cube_score_and_offer_stand_above_the_board_and_are_read_out(
    door: Page, rest: str, words: str
) -> None:
    door.evaluate(LAY)
    show(door, rest, seat=None, legal=None)
    expect(door.locator(".cube-line")).to_have_text(words)
    assert door.evaluate("module.read(view)").startswith(words)


def test_hypergammon_has_three_checkers_a_side(door: Page) -> None:
    door.evaluate(LAY)
    p = GAME.parse_position(f"XGID=-aaa{'-' * 18}AAA-:0:0:1:31:0:0:0:3:10:3")
    door.evaluate(SHOW, {
        "last": None, "events": [], "over": False, "marks": [], "seat": 0, "toMove": 0,
        "position": GAME.format_position(p), "legal": list(p.legal_notation()),
    })  # fmt: skip
    expect(door.locator("[data-spot]")).to_have_count(6)


def test_a_match_against_a_bot_is_played_with_the_cube(visit: Visit, server: ServerProcess) -> None:
    page = visit().page
    come_in(page, server.url, "quirin")
    sit_down(page, "backgammon_cube", seat="0")
    for _ in range(400):
        if not await_turn(page):
            break
        buttons = page.locator(".cube-actions:not([hidden]) button")
        if buttons.count():
            names = [button.get_attribute("data-action") for button in buttons.all()]
            wanted = "double" if "double" in names else "drop"
            page.locator(f".cube-actions [data-action={wanted}]").click()
        elif isinstance(places := page.evaluate(PLACES), list) and places:
            page.mouse.click(*places[0])
        page.wait_for_timeout(50)  # the server answers, and what was played is seen to move
    expect(page.locator(".status.over")).to_contain_text("a dropped double")
