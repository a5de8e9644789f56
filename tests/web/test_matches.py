"""Whole matches against a bot, by clicking on the board until the result shows."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from bots.arena.local_server import ServerProcess
from tests.web.visitor import await_turn, begin, come_in, sit_down

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("game", "places", "stones"),
    [
        ("tic_tac_toe", "[data-cell].open", ".mark.there"),
        ("connect_four", "[data-column].open", ".stone.there"),
        ("ultimate_tic_tac_toe", "[data-cell].open", ".cell .mark.there"),
    ],
)
def test_a_whole_match_is_played_by_clicking(
    page: Page, server: ServerProcess, game: str, places: str, stones: str
) -> None:
    come_in(page, server.url, f"clicks {game}"[:24])
    sit_down(page, game)
    plays = 0
    while await_turn(page):
        expect(page.locator(stones)).to_have_count(2 * plays)
        if plays:
            expect(page.locator(".board .last[data-cell], .stone.last").first).to_be_visible()
        page.locator(places).last.click()
        plays += 1
    ended = page.locator(".status")
    expect(ended).to_contain_text(re.compile(r"^(You (won|lost)|A draw): .+\.$"))
    drawn = "A draw" in (ended.text_content() or "")
    expect(page.locator(places)).to_have_count(0)
    moves = page.locator(".moves li span").all_text_contents()
    assert sum(map(bool, moves)) >= 2 * plays - 1
    scores = page.locator(".player .score").all_text_contents()
    assert sorted(scores) == (["½", "½"] if drawn else ["0", "1"])


def test_a_game_without_a_drawing_is_played_with_its_actions_as_buttons(
    page: Page, server: ServerProcess
) -> None:
    come_in(page, server.url, "plain")
    sit_down(page, "pebbles")
    while await_turn(page):
        expect(page.locator(".board .position.drawn")).to_contain_text("heap 1")  # the server's
        page.locator("[data-action]").first.click()
    expect(page.locator("[data-action]")).to_have_count(0)


def test_a_match_is_played_without_a_mouse(page: Page, server: ServerProcess) -> None:
    come_in(page, server.url, "keys")
    sit_down(page, "tic_tac_toe")
    while await_turn(page):
        page.locator("[data-cell].open").first.focus()
        page.keyboard.press("Enter")
    expect(page.locator(".status")).to_contain_text(":")


def test_ultimate_lights_the_boards_where_one_may_play(page: Page, server: ServerProcess) -> None:
    begin(page, server.url, "lit", "ultimate_tic_tac_toe")
    expect(page.locator(".small.lit")).to_have_count(9)
    page.locator("[data-cell='55']").click()
    assert await_turn(page)
    sent = page.locator(".square.last").get_attribute("data-cell")
    assert sent is not None
    lit = page.locator(".small.lit").get_attribute("data-board")
    assert (sent[0], lit) == ("5", sent[1])
    opened = page.locator("[data-cell].open").evaluate_all("all => all.map(c => c.dataset.cell[0])")
    assert set(opened) == {lit}
