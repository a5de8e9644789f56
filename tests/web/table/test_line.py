"""A line that dies in a match: told truly, noticed soon, and a move waits for it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from lab.arena.local_server import ServerProcess
from tests.web.conftest import Visit
from tests.web.visitor import await_turn, begin

pytestmark = pytest.mark.browser

REFUSED = r"WebSocket connection to .* failed|net::ERR_"  # Chromium's own words in the console


class Line:
    """The line of a page to its server; where it is dead nothing comes through, nor breaks."""

    def __init__(self, page: Page) -> None:
        self.is_dead = False
        self.tries = 0
        page.route_web_socket("**/ws", self._open)

    def _open(self, socket: WebSocketRoute) -> None:
        self.tries += 1
        if self.is_dead:
            return  # no one answers the hello
        server = socket.connect_to_server()
        socket.on_message(lambda text: self.is_dead or server.send(text))
        server.on_message(lambda text: self.is_dead or socket.send(text))


def test_a_dead_line_is_noticed_without_a_move_and_a_move_waits_for_it_or_is_taken_back(
    page: Page, server: ServerProcess
) -> None:
    line = Line(page)
    begin(page, server.url, "silent", "connect_four", clock="4")
    page.locator("[data-column='1']").click()  # before both have moved no clock runs
    assert await_turn(page)
    line.is_dead = True
    expect(page.locator("#link")).to_contain_text("Connection lost. Trying again")
    expect(page.locator(".status")).to_have_text("Your line is down; your clock may be running.")
    expect(page.locator(".here.unknown")).to_have_count(2)
    running = page.locator("[data-unlinked] .clock.running")
    before = running.inner_text()
    expect(running).not_to_have_text(before)  # it runs on, as it may do there
    board = page.locator(".board").bounding_box()
    page.locator("[data-column='4']").click()
    expect(page.locator(".note")).to_have_text("Waits for the line: column 4.")
    expect(page.locator(".stone.plan")).to_have_count(1)
    assert page.locator(".board").bounding_box() == board
    page.get_by_role("button", name="Take it back").click()
    expect(page.locator(".notice")).to_contain_text("The move is taken back.")
    expect(page.locator(".stone.plan")).to_have_count(0)
    page.locator("[data-column='2'].open").click()
    expect(page.locator(".note")).to_have_text("Waits for the line: column 2.")
    line.is_dead = False
    expect(page.locator("#link")).to_have_text(
        re.compile(r"^Connected again\. Your line was down for \d+ s; clocks ran on\.")
    )
    assert await_turn(page)
    expect(page.locator(".moves li").nth(1)).to_contain_text("2")
    assert line.tries > 1


def test_a_server_that_was_away_is_told_from_a_line_that_was_down(
    own_server: ServerProcess, visit: Visit
) -> None:
    page = visit(forgive=REFUSED).page
    begin(page, own_server.url, "stands", "connect_four", clock="4")
    page.locator("[data-column='1']").click()  # before both have moved no clock runs
    assert await_turn(page)
    own_server.kill()
    expect(page.locator(".status")).to_contain_text("Your line is down")
    own_server.start()
    expect(page.locator("#link")).to_have_text(
        re.compile(r"^Connected again\. The server was away for \d+ s; no clock ran meanwhile\."),
        timeout=30_000,
    )
    assert await_turn(page)
    expect(page.locator("[data-unlinked]")).to_have_count(0)
