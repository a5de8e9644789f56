"""Resigning at backgammon, where it has three prices."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from games import registry
from lab.arena.local_server import ServerProcess
from tests.web.conftest import Visit
from tests.web.test_table import do, opponents

pytestmark = pytest.mark.browser

GAME = registry.game("backgammon")


def play_a_turn(page: Page) -> None:
    """Type the first turn that is legal."""
    at = page.locator(".board").get_attribute("data-position") or ""
    page.keyboard.type(GAME.parse_position(at).legal_notation()[0])
    page.keyboard.press("Enter")


def test_less_than_the_full_price_is_an_offer_that_is_declined_or_accepted(
    visit: Visit, server: ServerProcess
) -> None:
    ann, bob = opponents(visit, server, "price", game="backgammon")
    turns = 0
    while not ann.locator("[data-do=resign]").count():  # when both have moved it costs something
        assert turns < 6
        expect(ann.locator(".status.yours").or_(ann.get_by_text("bob to move"))).to_be_visible()
        mover = ann if ann.locator(".status.yours").count() else bob
        expect(mover.locator(".status.yours")).to_be_visible()
        before = mover.locator(".board").get_attribute("data-position") or ""
        play_a_turn(mover)
        expect(ann.locator(".board")).not_to_have_attribute("data-position", before)
        turns += 1
    do(ann, "resign")
    sheet = ann.get_by_role("alertdialog", name="Resign this match?")
    expect(sheet).to_have_accessible_description(
        re.compile(r"price bob.? wins 3 points\. Offer .*price bob.? fewer points")
    )
    expect(sheet.get_by_role("button")).to_have_text(
        [
            "×",
            "Go on playing",
            "Offer 1 point (single game)",
            "Offer 2 points (gammon)",
            "Resign 3 points (backgammon)",
        ]
    )
    sheet.get_by_role("button", name="Offer 1 point").click()
    expect(sheet).to_have_count(0)
    expect(ann.locator(".offer")).to_contain_text("You offer to resign 1 point.")
    expect(bob.locator(".offer")).to_contain_text("price ann offers to resign 1 point.")
    expect(bob.locator("#announcer")).to_contain_text("price ann offers to resign 1 point.")
    expect(ann.locator(".status")).not_to_have_class(re.compile("over"))
    do(bob, "decline")
    expect(ann.locator(".note")).to_have_text(
        "price bob declines the points you offered and plays on."
    )
    expect(ann.locator(".offer")).to_have_count(0)
    mover = ann if ann.locator(".status.yours").count() else bob
    play_a_turn(mover)  # the same offer may be made again once somebody has moved
    expect(mover.locator(".status.yours")).to_have_count(0)
    do(ann, "resign")
    ann.keyboard.press("Tab")
    ann.keyboard.press("Tab")
    expect(sheet.get_by_role("button", name="Offer 2 points")).to_be_focused()
    ann.keyboard.press("Enter")
    expect(ann.locator(".offer")).to_contain_text("You offer to resign 2 points.")
    do(bob, "accept")
    expect(ann.locator(".status")).to_have_text("You resigned: price bob won 2 points.")
    expect(bob.locator(".status")).to_have_text("You won 2 points: price ann resigned.")
    for page, scores in ((ann, ["1", "0"]), (bob, ["0", "1"])):
        expect(page.locator(".player .score")).to_have_text(scores)
