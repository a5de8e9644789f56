"""The page on a phone: nothing is wider than the screen."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.web.conftest import Visit
from tests.web.house import House, await_turn, come_in, sit_down

pytestmark = pytest.mark.browser

PHONE = {"width": 360, "height": 740}
GAMES = ["tic_tac_toe", "connect_four", "ultimate_tic_tac_toe", "backgammon", "pebbles"]


def fits(page: Page) -> bool:
    """Whether nothing has to be scrolled sideways."""
    return page.evaluate("document.documentElement.scrollWidth <= window.innerWidth") is True


def test_nothing_is_wider_than_a_phone(visit: Visit, house: House) -> None:
    page = visit(viewport=PHONE).page
    page.goto(house.url)
    assert fits(page)
    come_in(page, house.url, "w" * 24)
    page.locator(".bots li").first.wait_for()
    assert fits(page)
    for game in GAMES:
        sit_down(page, game, clock="2")
        assert await_turn(page)
        assert fits(page), game
        assert page.locator(".board").bounding_box()["width"] > 300  # type: ignore[index]
        page.locator("[data-do=lobby]").click()
        expect(page.locator(".lobby")).to_be_visible()
        assert fits(page), game
    sit_down(page, "tic_tac_toe", bot=None)
    expect(page.locator(".inviting")).to_be_visible()
    assert fits(page)


def test_the_page_is_dark_where_the_person_wants_that(visit: Visit, house: House) -> None:
    def ground(scheme: str) -> object:
        page = visit(color_scheme=scheme).page
        page.goto(house.url)
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    assert ground("light") != ground("dark")
