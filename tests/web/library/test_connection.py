"""The connection to the server: a reload, a second tab, a server that dies and comes back."""

from __future__ import annotations

import re
import shutil

import pytest
from playwright.sync_api import Page, expect

from lab.arena.local_server import ServerProcess
from tests.web.conftest import Visit
from tests.web.visitor import await_turn, begin, come_in, sit_down

pytestmark = pytest.mark.browser

REFUSED = r"WebSocket connection to .* failed|net::ERR_"  # Chromium's own words in the console


def play(page: Page, column: int) -> None:
    """Make a move, and wait for the bot's."""
    page.bring_to_front()  # a tab that is not looked at is slow to take a click
    page.locator(f"[data-column='{column}'].open").click()
    assert await_turn(page)


def shown(page: Page) -> tuple[str | None, list[str]]:
    """The position and the list of moves."""
    moves = page.locator(".moves li").all_text_contents()
    return page.locator(".board").get_attribute("data-position"), moves


def test_a_reload_brings_back_a_match_that_is_longer_than_a_message(
    page: Page, server: ServerProcess
) -> None:
    begin(page, server.url, "reload", "ultimate_tic_tac_toe", clock="4")
    for _ in range(7):
        page.locator("[data-cell].open").first.click()
        assert await_turn(page)
    before = shown(page)
    assert len(before[1]) == 7
    page.reload()
    assert await_turn(page)
    expect(page.locator(".moves li")).to_have_count(7)
    assert shown(page) == before
    expect(page.locator(".clock.running")).to_be_visible()


def test_two_tabs_are_one_person_who_plays_in_either(visit: Visit, server: ServerProcess) -> None:
    visitor = visit()
    first = visitor.page
    come_in(first, server.url, "tabs")
    second = visitor.tab()
    second.goto(server.url)
    expect(second.locator("#me .name")).to_have_text("tabs")
    first.bring_to_front()
    sit_down(first, "connect_four")
    assert await_turn(first)
    second.goto(first.url)
    play(second, 4)
    expect(first.locator(".stone.there")).to_have_count(2)
    play(first, 4)
    expect(second.locator(".stone.there")).to_have_count(4)


def test_a_connection_that_was_lost_comes_back(own_server: ServerProcess, visit: Visit) -> None:
    page = visit(forgive=REFUSED).page
    begin(page, own_server.url, "patient", "connect_four", clock="4")
    play(page, 4)
    before = shown(page)
    own_server.kill()
    expect(page.locator("#link")).to_contain_text("Connection lost")
    own_server.start()
    expect(page.locator("#link")).to_contain_text("Connected again", timeout=30_000)
    assert await_turn(page)
    assert shown(page) == before
    expect(page.locator(".here.connected")).to_have_count(2, timeout=30_000)
    play(page, 3)
    expect(page.locator("#link")).to_be_hidden()


def test_a_server_with_other_data_knows_nobody(own_server: ServerProcess, visit: Visit) -> None:
    page = visit(forgive=REFUSED).page
    begin(page, own_server.url, "forgotten", "connect_four")
    own_server.stop()
    expect(page.locator("#link")).to_contain_text("Connection lost")
    shutil.rmtree(own_server.data)
    own_server.start()
    expect(page.get_by_label("Your name")).to_be_visible(timeout=30_000)
    expect(page.locator(".trouble")).not_to_be_empty()
    page.get_by_label("Your name").fill("forgotten")
    page.get_by_role("button", name="Enter", exact=True).click()
    expect(page.locator("#me .name")).to_have_text("forgotten")


def test_who_is_replaced_is_told_and_does_not_come_back(page: Page, server: ServerProcess) -> None:
    bye = '{"type": "bye", "code": "session/replaced", "text": "Somebody else is you now."}'
    page.add_init_script(
        """const Real = WebSocket; window.sockets = [];
           window.WebSocket = class extends Real {
             constructor(...all) { super(...all); window.sockets.push(this); }
           };"""
    )
    come_in(page, server.url, "replaced")
    page.evaluate("bye => sockets[0].onmessage({data: bye})", bye)
    expect(page.locator("#link")).to_have_text(re.compile("Somebody else is you now"))
    assert page.evaluate("sockets.length") == 1
    page.get_by_role("button", name="Connect here").click()
    expect(page.locator("#link")).to_be_hidden()
    expect(page.locator("#me .name")).to_have_text("replaced")


def test_who_watches_stays_while_the_room_is_on_its_way(
    visit: Visit, server: ServerProcess
) -> None:
    ann, page = visit().page, visit().page
    begin(ann, server.url, "watched", "connect_four")
    room = ann.url.rpartition("=")[2]
    page.add_init_script(
        """const Real = WebSocket; window.refusals = ["room/moving", "server/unanswered"];
           window.WebSocket = class extends Real {
             send(text) {
               const { type, id } = JSON.parse(text);
               const code = type === "watch" ? window.refusals.shift() : undefined;
               const no = { type: "error", re: id, code, text: "not now" };
               if (code) setTimeout(() => this.onmessage({ data: JSON.stringify(no) }));
               else super.send(text);
             }
           };"""
    )
    come_in(page, server.url, "watching")
    page.goto(f"{server.url}/#room={room}")
    expect(page.locator(".board")).to_be_visible()
    expect(page.locator(".player")).to_have_count(2)
    assert page.evaluate("refusals") == []
    assert page.url.endswith(f"#room={room}")
