"""The host's page: a token, who is here, and what is done to them, confirmed."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from lab.arena.local_server import ServerProcess
from server.admin.token import read_token
from tests.web.conftest import Visit
from tests.web.visitor import PHONE, come_in, fits, sit_down

pytestmark = pytest.mark.browser


def enter(page: Page, server: ServerProcess) -> None:
    # The whole file, as it is when it is pasted: a field takes no line feed.
    page.get_by_label("Token").fill((server.data / "admin.token").read_text().replace("\n", ""))
    page.get_by_role("button", name="Come in").click()
    expect(page.get_by_role("heading", name="Here now")).to_be_visible()


def test_the_host_s_page_is_german_where_the_browser_is(
    own_server: ServerProcess, visit: Visit
) -> None:
    host = visit(locale="de", viewport=PHONE).page
    ann = visit(forgive="WebSocket").page
    come_in(ann, own_server.url, "ann")
    sit_down(ann, "tic_tac_toe")
    host.goto(f"{own_server.url}/admin")
    host.get_by_label("Schlüssel").fill(read_token(own_server.data / "admin.token").token)
    host.get_by_role("button", name="Eintreten").click()
    expect(host.get_by_role("heading", name="Jetzt da")).to_be_visible()
    expect(host.locator("tr", has_text="ann – house").first).to_contain_text(
        "Tic-Tac-ToePartie läuft"
    )
    assert fits(host)
    host.get_by_role("button", name="ann stumm schalten", exact=True).click()
    expect(host.get_by_role("dialog")).to_contain_text("Wie lange")
    host.get_by_label("Wie lange").select_option("1h")
    host.get_by_role("dialog").get_by_role("button", name="Stumm schalten").click()
    expect(host.locator("tr", has_text="ann").filter(has_text="stumm").first).to_be_visible()


def test_a_host_comes_in_tells_all_bans_one_and_stops_the_server(
    own_server: ServerProcess, visit: Visit
) -> None:
    host = visit(forgive="401", viewport=PHONE).page
    ann, eve = visit(forgive="WebSocket").page, visit(forgive="WebSocket").page
    come_in(ann, own_server.url, "ann")
    sit_down(ann, "tic_tac_toe")
    come_in(eve, own_server.url, "eve")
    host.goto(f"{own_server.url}/admin")
    host.get_by_label("Token").fill("guess")
    host.get_by_role("button", name="Come in").click()
    expect(host.locator("#state")).to_contain_text("this is not the host's token")
    enter(host, own_server)
    expect(host.locator("tr", has_text="ann")).to_have_count(2)  # among visitors, and at a table
    assert fits(host)

    host.get_by_label("Notice").fill("tea at five")
    host.get_by_role("button", name="Send").click()
    expect(ann.locator(".notice")).to_contain_text("tea at five")
    expect(host.get_by_label("Notice")).to_have_value("")

    host.get_by_role("button", name="Ban eve", exact=True).click()
    host.get_by_role("button", name="Leave it").click()
    expect(host.locator("dialog")).to_have_count(0)
    host.get_by_role("button", name="Ban eve", exact=True).click()
    host.get_by_label("How long").select_option("1h")
    host.get_by_label("Why").fill("cheating")
    host.get_by_role("dialog").get_by_role("button", name="Ban").click()
    expect(eve.locator("#link")).to_contain_text("banned from this server for 1 h: cheating")
    expect(host.locator("tr", has_text="banned eve for 1 h: cheating")).to_be_visible()
    host.get_by_role("button", name="Lift the ban of eve").click()
    expect(host.get_by_text("Nobody is banned or muted.")).to_be_visible()

    host.reload()  # the tab has kept the token
    expect(host.locator("tr", has_text="unbanned eve")).to_be_visible()
    host.get_by_role("button", name="Drain and stop").click()
    host.get_by_role("button", name="Drain", exact=True).click()
    expect(ann.locator(".notice", has_text="about to stop")).to_be_visible()
    expect(host.get_by_role("button", name="Stop now")).to_be_visible()


def test_a_host_bans_and_releases_somebody_who_is_in_no_list(
    own_server: ServerProcess, visit: Visit
) -> None:
    ann = visit(forgive="WebSocket").page
    come_in(ann, own_server.url, "ann")
    sit_down(ann, "tic_tac_toe")
    ann.close()
    host = visit(forgive="400", viewport=PHONE).page
    host.goto(f"{own_server.url}/admin")
    enter(host, own_server)
    expect(host.get_by_role("heading", name="Servers")).to_be_hidden()  # this one is alone
    expect(host.get_by_role("button", name="Kick ann", exact=True)).to_have_count(0)
    card = host.locator("section", has_text="Somebody who is in no list")
    card.get_by_role("button", name="Ban").click()  # nobody is named
    expect(host.locator("dialog")).to_have_count(0)
    card.get_by_label("Name or address").fill("ann")
    card.get_by_role("button", name="Close all").click()
    host.get_by_role("dialog").get_by_role("button", name="Close them").click()
    expect(host.locator("#state")).to_contain_text("1 room of ann closed")
    expect(host.locator("tr", has_text="The log")).to_contain_text("MB")
    expect(host.get_by_text("plyhouse purge --help")).to_be_visible()
    for who, verb, done in (
        ("ann", "Release", "the name ann is free"),
        ("192.0.2.7", "Ban", "banned"),
    ):
        card.get_by_label("Name or address").fill(who)
        card.get_by_role("button", name=verb, exact=True).click()
        host.get_by_role("dialog").get_by_role("button", name=verb, exact=True).click()
        expect(host.locator("#state")).to_contain_text(done)
    expect(host.get_by_role("button", name="Lift the ban of 192.0.2.7")).to_be_visible()
    card.get_by_label("Name or address").fill("ann")
    card.get_by_role("button", name="Release", exact=True).click()
    host.get_by_role("dialog").get_by_role("button", name="Release").click()
    expect(host.locator("#state")).to_contain_text("nobody has the name 'ann'")
    assert fits(host)


def test_a_host_opens_stops_and_removes_a_ladder(own_server: ServerProcess, visit: Visit) -> None:
    host = visit(forgive="400", viewport=PHONE).page
    host.goto(f"{own_server.url}/admin")
    enter(host, own_server)
    card = host.locator("section", has_text="Open a ladder of the house")
    for game, done in (("chess", "no game"), ("connect_four", "the ladder club is open")):
        for label, value in (("Name", "club"), ("Game", game), ("Clock", "10s+0.1s")):
            card.get_by_label(label, exact=True).fill(value)
        card.get_by_role("button", name="Open").click()
        expect(host.locator("#state")).to_contain_text(done)
    row = host.locator("tr", has_text="club").filter(has_text="Connect")
    for verb, done in (("Stop", "stopped"), ("Remove", "removed")):
        row.get_by_role("button", name=f"{verb} the ladder club").click()
        host.get_by_role("dialog").get_by_role("button", name=f"{verb} it").click()
        expect(host.locator("#state")).to_contain_text(f"the ladder club is {done}")
    expect(host.get_by_text("There is no ladder.")).to_be_visible()
    assert fits(host)
