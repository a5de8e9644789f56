"""Finding an opponent on the page: who wants the same comes, be it from a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from lab.arena.local_server import ServerProcess
from tests.support.terminal import in_terminal
from tests.web.conftest import Visit
from tests.web.visitor import await_turn, come_in

pytestmark = pytest.mark.browser


def find(page: Page, clock: str) -> None:
    page.locator(".new-table [data-game=tic_tac_toe]").first.click()
    page.locator("#clock").select_option(clock)
    page.locator("[data-way=find]").click()
    expect(page.locator(".player").first).to_be_visible()


def test_a_page_and_a_terminal_that_want_the_same_play(
    visit: Visit, server: ServerProcess, tmp_path: Path
) -> None:
    page = visit().page
    come_in(page, server.url, "seek ann")
    find(page, "3")
    expect(page.locator(".inviting")).to_contain_text("Looking for an opponent for 0:")
    expect(page.locator(".inviting")).to_contain_text("5 min + 3 s")
    words = ("play", "tic_tac_toe", "--seek", "--any-clock", "--name", "seek tess")
    with in_terminal(tmp_path, *words, "--url", server.url, name="tess") as child:
        child.expect("seek ann")
        expect(page.locator(".player", has_text="seek tess")).to_be_visible()
        expect(page.locator(".status")).not_to_contain_text("Waiting")


def test_who_looks_for_an_opponent_may_stop(visit: Visit, server: ServerProcess) -> None:
    page = visit().page
    come_in(page, server.url, "stop ann")
    find(page, "any")
    expect(page.locator(".inviting")).to_contain_text("any clock")
    page.get_by_role("button", name="Stop looking").click()
    expect(page.locator("[data-way=find]")).to_be_visible()
    expect(page.locator(".rooms li", has_text="stop ann")).to_have_count(0)


def test_who_waits_is_offered_a_bot_and_goes_to_a_table_that_is_opened_since(
    visit: Visit, server: ServerProcess
) -> None:
    ann, bob = visit().page, visit().page
    ann.clock.install()
    come_in(ann, server.url, "long ann")
    find(ann, "4")
    ann.clock.fast_forward(31_000)
    expect(ann.locator(".inviting")).to_contain_text("A bot would play at once.")
    expect(ann.get_by_role("button", name="Call the bot")).to_be_visible()
    come_in(bob, server.url, "open bob")
    bob.locator(".new-table [data-game=tic_tac_toe]").first.click()
    bob.locator("#clock").select_option("4")
    bob.locator("[data-way=table]").click()
    expect(bob.locator(".player").first).to_be_visible()
    ann.clock.fast_forward(11_000)
    expect(ann.locator(".player", has_text="open bob")).to_be_visible()
    assert await_turn(bob)
