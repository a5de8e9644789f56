"""People as they are listed: how strong they are, there and at the table; and friends."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from lab.arena.local_server import ServerProcess
from tests.web.conftest import Visit
from tests.web.lobby.test_lobby import rewrite
from tests.web.visitor import await_turn, come_in

pytestmark = pytest.mark.browser


def test_a_rating_stands_beside_a_name_and_changes_with_a_match(
    visit: Visit, server: ServerProcess
) -> None:
    ann, bob = visit().page, visit().page
    matches = [12, 12, 12, 13]  # those that count in each answer; the first after the end is old

    def rated(message: dict[str, Any]) -> dict[str, Any]:
        if message["type"] != "ratings":
            return message
        if not message.get("rows"):
            best = {"name": "rated ann", "matches": 24, "elo": 104.4, "error": 39.6}
            return message | {"rows": [best]}
        count = matches.pop(0) if len(matches) > 1 else matches[0]
        known = {"matches": count, "elo": 10.2 if count == 12 else 17.6, "error": 30.0}
        return message | {"rows": [row | known for row in message["rows"]]}

    rewrite(bob, rated)
    come_in(ann, server.url, "rated ann")
    come_in(bob, server.url, "rated bob")
    bob.locator("[data-game=tic_tac_toe]").first.click()
    expect(bob.locator(".best li")).to_have_text("rated ann +104 ±40 · 24 rated matches")
    expect(bob.locator("[data-person='rated ann']")).to_contain_text("+10 ±30")
    ann.locator("[data-game=tic_tac_toe]").first.click()
    ann.locator("#clock").select_option("2")
    ann.locator("#rated").check()
    ann.locator("[data-way=table]").click()
    bob.locator(".rooms li", has_text="rated ann").get_by_role("button").first.click()
    strip = bob.locator(".player", has_text="rated ann")
    expect(strip.locator(".rating")).to_have_text("+10 ±30")
    for cell, page in (("1", ann), ("2", bob)):  # before both have moved, giving up costs nothing
        assert await_turn(page)
        page.locator(f"[data-cell='{cell}']").click()
    ann.locator("[data-do=resign]").click()
    ann.get_by_role("alertdialog").get_by_role("button").last.click()
    expect(strip.locator(".rating")).to_have_text("+18 ±30 (+8)")


def test_a_friend_is_shown_first_and_said_when_they_come(
    visit: Visit, server: ServerProcess
) -> None:
    ann, bea, zoe = visit().page, visit().page, visit().page
    for page, name in ((ann, "star ann"), (bea, "star bea"), (zoe, "star zoe")):
        come_in(page, server.url, name)
    others = ann.locator("[data-person^='star ']")
    expect(others).to_have_count(2)
    expect(others.first).to_contain_text("star bea")
    ann.get_by_role("button", name="A star for star zoe").click()
    expect(others.first).to_contain_text("star zoe")
    for page in (zoe, bea):
        page.goto("about:blank")
    expect(others).to_have_count(0)
    for page in (bea, zoe):
        page.goto(server.url)
    expect(ann.locator(".notice")).to_contain_text(["Star zoe is here."])
    expect(others.first).to_contain_text("star zoe")
    ann.reload()
    expect(others.first.locator(".star")).to_have_attribute("aria-pressed", "true")
