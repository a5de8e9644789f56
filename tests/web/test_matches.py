"""Whole matches against a bot, by clicking on the board until the result shows."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.web.house import House, await_turn, come_in, sit_down

pytestmark = pytest.mark.browser

OPEN = {
    "tic_tac_toe": "[data-cell].open",
    "connect_four": "[data-column].open",
    "ultimate_tic_tac_toe": "[data-cell].open",
}
STONES = {
    "tic_tac_toe": ".mark.there",
    "connect_four": ".stone.there",
    "ultimate_tic_tac_toe": ".cell .mark.there",
}


@pytest.mark.parametrize("game", OPEN)
def test_a_whole_match_is_played_by_clicking(page: Page, house: House, game: str) -> None:
    come_in(page, house.url, f"clicks {game}"[:24])
    sit_down(page, game)
    plays = 0
    while await_turn(page):
        expect(page.locator(STONES[game])).to_have_count(2 * plays)
        if plays:
            expect(page.locator(f".board .last[data-cell], {'.stone.last'}").first).to_be_visible()
        page.locator(OPEN[game]).last.click()
        plays += 1
    ended = page.locator(".status")
    expect(ended).to_contain_text(re.compile(r"(You win|wins): line\.|A draw: full\."))
    drawn = "A draw" in (ended.text_content() or "")
    expect(page.locator(OPEN[game])).to_have_count(0)
    assert moves_shown(page.locator(".moves li span")) >= 2 * plays - 1
    scores = page.locator(".player .score").all_text_contents()
    assert sorted(scores) == (["½", "½"] if drawn else ["0", "1"])


def moves_shown(cells: Locator) -> int:
    return sum(1 for text in cells.all_text_contents() if text)


def test_a_game_without_a_drawing_is_played_with_its_actions_as_buttons(
    page: Page, house: House
) -> None:
    come_in(page, house.url, "plain")
    sit_down(page, "pebbles")
    while await_turn(page):
        expect(page.locator(".board .position")).not_to_be_empty()
        page.locator("[data-action]").first.click()
    expect(page.locator("[data-action]")).to_have_count(0)


def test_a_match_is_played_without_a_mouse(page: Page, house: House) -> None:
    come_in(page, house.url, "keys")
    sit_down(page, "tic_tac_toe")
    while await_turn(page):
        page.locator("[data-cell].open").first.focus()
        page.keyboard.press("Enter")
    expect(page.locator(".status")).to_contain_text(":")


def test_ultimate_lights_the_boards_where_one_may_play(page: Page, house: House) -> None:
    come_in(page, house.url, "lit")
    sit_down(page, "ultimate_tic_tac_toe")
    assert await_turn(page)
    expect(page.locator(".small.lit")).to_have_count(9)
    page.locator("[data-cell='55']").click()
    assert await_turn(page)
    sent = page.locator(".cell.last").get_attribute("data-cell")
    assert sent is not None
    lit = page.locator(".small.lit").get_attribute("data-board")
    assert (sent[0], lit) == ("5", sent[1])
    opened = page.locator("[data-cell].open").evaluate_all("all => all.map(c => c.dataset.cell[0])")
    assert set(opened) == {lit}
