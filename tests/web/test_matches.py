"""What is seen of a match against a bot, and how games without a drawing are played."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from lab.arena.local_server import ServerProcess
from tests.web.visitor import await_turn, begin, come_in, sit_down

pytestmark = pytest.mark.browser


def test_each_play_is_on_the_board_in_the_list_and_in_the_score(
    page: Page, server: ServerProcess
) -> None:
    come_in(page, server.url, "clicks")
    sit_down(page, "connect_four")
    plays = 0
    while await_turn(page):
        expect(page.locator(".stone.there")).to_have_count(2 * plays)
        if plays:
            expect(page.locator(".board .last[data-cell]")).to_have_count(1)
        page.locator("[data-column].open").last.click()
        plays += 1
    ended = page.locator(".status")
    expect(ended).to_contain_text(re.compile(r"^(You (won|lost)|A draw): .+\.$"))
    drawn = "A draw" in (ended.text_content() or "")
    expect(page.locator("[data-column].open")).to_have_count(0)
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
