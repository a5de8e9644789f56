"""One's own matches in the lobby, what ended while one was away, and a bot at any time."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from lab.arena.local_server import ServerProcess
from tests.web.conftest import Visit
from tests.web.visitor import PHONE, await_turn, begin, come_in, fits, sit_down

pytestmark = pytest.mark.browser


def to_lobby(page: Page) -> None:
    page.locator("[data-do=lobby]").click()
    expect(page.locator(".lobby")).to_be_visible()


def test_a_match_against_a_bot_ends_with_who_leaves_without_a_move_and_else_waits_in_the_lobby(
    visit: Visit, server: ServerProcess
) -> None:
    page = visit(viewport=PHONE).page
    own = page.locator(".my-matches [data-own]")
    begin(page, server.url, "comes and goes", "connect_four")
    to_lobby(page)
    expect(own).to_have_count(0)
    expect(page.locator("#tables a")).to_have_count(0)
    for _ in range(2):
        sit_down(page, "connect_four")
        assert await_turn(page)
        page.locator("[data-column='4']").click()
        assert await_turn(page)
        to_lobby(page)
    expect(own).to_have_count(2)
    expect(own.first).to_contain_text("random")
    expect(own.first).to_contain_text("Connect four · your turn")
    expect(own.first.locator("svg")).to_be_visible()
    assert fits(page)
    own.first.get_by_role("button", name="Go on: Connect four with random").click()
    assert await_turn(page)
    page.locator("[data-column='4']").click()
    assert await_turn(page)
    to_lobby(page)
    own.first.get_by_role("button", name="Give up: Connect four with random").click()
    page.get_by_role("button", name="Go on", exact=True).last.click()
    expect(own).to_have_count(2)
    own.first.get_by_role("button", name="Give up: Connect four with random").click()
    page.locator("[role=alertdialog] .danger").click()
    expect(own).to_have_count(1)
    expect(page.locator(".news li")).to_have_count(0)  # nobody was away


def test_what_ended_meanwhile_is_told_on_the_next_visit_until_it_has_been_read(
    visit: Visit, server: ServerProcess
) -> None:
    ann, bob = visit(), visit()
    come_in(ann.page, server.url, "ann was away")
    sit_down(ann.page, "connect_four", bot=None)
    room = re.sub(r".*#room=", "", ann.page.url)
    come_in(bob.page, server.url, "bob was here")
    bob.page.goto(f"{server.url}/#room={room}")
    bob.page.locator("[data-do=sit]").click()
    for page, column in ((ann.page, "4"), (bob.page, "4"), (ann.page, "5"), (bob.page, "5")):
        page.locator(".status.yours").wait_for()
        page.locator(f"[data-column='{column}']").click()
    ann.page.locator(".status.yours").wait_for()
    ann.page.close()
    to_lobby(bob.page)  # one need not go to the table to give up a match that the other has left
    bob.page.locator(".my-matches [data-do=give-up]").click()
    bob.page.locator("[role=alertdialog] .danger").click()
    expect(bob.page.locator(".my-matches [data-own]")).to_have_count(0)
    expect(bob.page.locator(".news li")).to_have_count(0)
    bob.page.close()

    page, claims = ann.tab(), [False]

    def route(socket: WebSocketRoute) -> None:
        def pass_on(text: str | bytes) -> None:
            message: dict[str, Any] = json.loads(text)
            if message["type"] == "matches" and claims[0]:
                for line in message["matches"]:
                    line["result"] |= {"how": "abandon", "winner": 1, "returns": [-1.0, 1.0]}
            socket.send(json.dumps(message))

        socket.connect_to_server().on_message(pass_on)

    page.route_web_socket("**/ws", route)
    page.goto(server.url)
    news = page.locator(".news li")
    expect(news).to_contain_text("You won: bob was here resigned.")
    expect(news).to_contain_text("Connect four · bob was here · today")
    expect(news.locator("svg")).to_be_visible()
    expect(page.get_by_role("heading", name="While you were away")).to_be_visible()
    claims[0] = True
    page.reload()
    expect(news).to_contain_text("bob was here claimed the match today.")
    page.get_by_role("button", name="Put away").click()
    expect(news).to_have_count(0)
    page.reload()
    expect(page.locator(".last-matches")).to_be_visible()
    expect(news).to_have_count(0)


def test_the_address_of_a_table_that_is_closed_leads_to_how_its_match_ended(
    visit: Visit, server: ServerProcess
) -> None:
    page = visit().page
    begin(page, server.url, "comes late", "connect_four")
    page.locator("[data-column='4']").click()
    assert await_turn(page)
    address = page.url
    room = address.partition("#room=")[2]
    page.locator("[data-do=resign]").click()
    page.locator("[role=alertdialog] .danger").click()
    page.locator("[data-do=leave]").click()
    expect(page.locator(".lobby")).to_be_visible()
    page.evaluate("room => { location.hash = `room=${room}`; }", room)
    page.wait_for_url(f"**/match/{room}.1")


def test_where_the_chosen_bot_has_no_time_another_of_that_strength_comes_and_that_is_said(
    visit: Visit, server: ServerProcess
) -> None:
    page = visit().page
    invited: list[dict[str, Any]] = []

    def route(socket: WebSocketRoute) -> None:
        line = socket.connect_to_server()

        def pass_on(text: str | bytes) -> None:
            message: dict[str, Any] = json.loads(text)
            if message["type"] == "invite":
                invited.append(message)
            if message["type"] == "invite" and len(invited) == 1:
                no = {"type": "error", "re": message["id"], "code": "invite/busy", "text": "busy"}
                socket.send(json.dumps(no))
            else:
                line.send(text)

        socket.on_message(pass_on)

    page.route_web_socket("**/ws", route)
    begin(page, server.url, "plays anybody", "connect_four")
    assert [message["who"] for message in invited] == ["house/random", "house"]
    assert invited[1]["strength"] == {"level": 4}
    expect(page.locator("#notices")).to_contain_text("another bot of that strength comes")
    expect(page.locator(".player", has_text="mcts")).to_be_visible()


def test_the_lobby_says_in_how_many_matches_it_is_ones_move_and_how_long_each_has(
    visit: Visit, server: ServerProcess
) -> None:
    page = visit(viewport=PHONE).page
    begin(page, server.url, "by post", "connect_four", clock="8")  # three days a move
    for column in "45":
        page.locator(f"[data-column='{column}']").click()
        assert await_turn(page)
    expect(page.locator(".clock.running")).to_have_text("2 d 23 h")
    to_lobby(page)
    expect(page.locator(".my-matches h2").last).to_have_text("Your move in 1 match")
    expect(page.locator(".my-matches [data-own]")).to_contain_text(
        "your turn · 2 d 23 h left · 3 days a move"
    )
    assert fits(page)
