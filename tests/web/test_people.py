"""Names, codes, invitations, spectators; and names and chat that are meant as an attack."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from lab.arena.local_server import ServerProcess
from tests.web.conftest import Visit
from tests.web.visitor import await_turn, come_in, fits, sit_down

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=a()>"  # as long as a name may be, and it may hold no slash
CHAT = "<script>attacked()</script> <b onclick='x()'>&amp; {{7*7}} ${7*7}</b>"


def private_table(page: Page, url: str, name: str) -> str:
    """Open a table that is in no list; its code."""
    come_in(page, url, name)
    page.locator(".new-table [data-game=tic_tac_toe]").first.click()
    page.locator("[data-way=friend]").click()
    expect(page.locator("output.code")).to_be_visible()
    return page.locator("output.code").text_content() or ""


def test_two_people_meet_by_a_code_and_a_wrong_one_is_refused(
    visit: Visit, server: ServerProcess
) -> None:
    ann, bob = visit().page, visit().page
    code = private_table(ann, server.url, "code ann")
    assert len(code) == 6
    come_in(bob, server.url, "code bob")
    expect(bob.locator(".bots li").first).to_be_visible()  # the lobby is there, and
    expect(bob.locator(".rooms li", has_text="code ann")).to_have_count(0)
    bob.get_by_label("I have a code").fill("AAAAAA")
    bob.locator("form.code button").click()
    expect(bob.locator(".notice")).to_be_visible()
    bob.goto(f"{server.url}/#room=99999")
    expect(bob.locator(".notice")).to_have_count(2)
    expect(bob.locator(".lobby")).to_be_visible()
    bob.get_by_label("I have a code").fill(code.lower())
    bob.locator("form.code button").click()
    for cell, page in zip("14253", (ann, bob) * 3, strict=False):
        assert await_turn(page)
        page.locator(f"[data-cell='{cell}']").click()
    expect(ann.locator(".status")).to_contain_text("You won: ")
    expect(bob.locator(".status")).to_contain_text(re.compile("You lost: .+ for code ann\\."))


def test_a_link_with_the_code_is_copied_and_leads_to_the_table(
    visit: Visit, server: ServerProcess
) -> None:
    ann = visit(permissions=["clipboard-read", "clipboard-write"]).page
    bob, cyd = visit().page, visit().page
    code = private_table(ann, server.url, "link ann")
    ann.get_by_role("button", name="Copy the link").click()
    expect(ann.locator(".notice")).to_contain_text("copied")
    link = ann.evaluate("navigator.clipboard.readText()")
    assert link == f"{server.url}/#code={code}"
    come_in(bob, link, "link bob")
    assert await_turn(ann)
    come_in(cyd, link, "link cyd")  # no seat is left: cyd looks on
    expect(cyd.locator(".status")).to_have_text("link ann to move.")
    cyd.reload()
    expect(cyd.locator(".status")).to_have_text("link ann to move.")
    expect(cyd.locator("[data-cell].open")).to_have_count(0)


def own_devices(page: Page) -> Locator:
    """Where one's devices are shown."""
    page.locator("#me .mine").click()
    page.get_by_role("link", name="Your devices, recovery code").click()
    return page.locator("#devices")


def bring(page: Page, server: ServerProcess, code: str) -> None:
    page.goto(server.url)
    page.get_by_text("I have a name here already").click()
    page.get_by_label("Its recovery code").fill(code)
    page.get_by_role("button", name="Bring it here").click()


def test_a_recovery_code_is_shown_once_and_brings_the_name_to_another_browser(
    visit: Visit, server: ServerProcess
) -> None:
    old, new = visit(permissions=["clipboard-read", "clipboard-write"]).page, visit().page
    come_in(old, server.url, "carol")
    devices = own_devices(old)
    expect(devices).to_contain_text("no recovery code yet")
    devices.get_by_role("button", name="Recovery code").click()
    sheet = old.get_by_role("dialog")
    sheet.get_by_role("button", name="Copy the code").click()
    code = old.evaluate("navigator.clipboard.readText()")
    assert re.fullmatch(r"[A-Z2-9]{4}(-[A-Z2-9]{4}){3}", code)
    link = sheet.get_by_label("Link", exact=True).input_value()
    assert link == f"{server.url}/#link={code}"
    expect(sheet.locator(".qr")).to_be_visible()
    old.emulate_media(media="print")
    expect(devices).to_be_hidden()
    expect(sheet.locator(".code")).to_have_text(code)
    old.emulate_media(media="screen")
    assert fits(old)
    sheet.get_by_role("button", name="Close").click()
    bring(new, server, code.lower())
    expect(new.locator("#me .name")).to_have_text("carol")
    devices.get_by_role("button", name="Recovery code").click()
    for typed in ("QF7K", code):
        old.get_by_label("The code that you have").fill(typed)
        old.get_by_role("button", name="Show a new one").click()
        expect(sheet.locator(".trouble" if typed != code else ".qr")).to_be_visible()
    expect(sheet.locator(".code")).not_to_have_text(code)
    other = visit().page
    bring(other, server, code)
    expect(other.locator(".trouble")).to_contain_text("this code is wrong")
    sheet.get_by_role("button", name="Close").click()
    devices.get_by_role("button", name="Recovery code").click()
    sheet.get_by_role("button", name="I have lost it").click()
    expect(sheet.locator(".code")).to_be_visible()
    expect(new.locator(".notice")).to_contain_text(["new recovery code", "new recovery code"])


def test_a_device_is_linked_by_its_link_and_cut_off_by_two_presses(
    visit: Visit, server: ServerProcess
) -> None:
    old, new = visit().page, visit(user_agent="X11; Linux Firefox/140").page
    come_in(old, server.url, "two places")
    old.locator("[data-do=settings]").click()
    old.locator("#choose-colours").select_option("dark")
    old.keyboard.press("Escape")
    devices = own_devices(old)
    expect(devices.locator("li")).to_have_count(1)
    expect(devices.locator("li")).to_contain_text("this one")
    devices.get_by_role("button", name="Use this name on another device").click()
    new.goto(old.get_by_role("dialog").get_by_label("Link", exact=True).input_value())
    new.get_by_role("button", name="Bring it here").click()
    expect(new.locator("#me .name")).to_have_text("two places")
    expect(new.locator(".lobby")).to_be_visible()
    assert new.evaluate("location.hash") == ""
    expect(old.locator(".notice")).to_contain_text("one more device: Firefox, Linux.")
    expect(devices.locator("li")).to_have_count(2)  # as it has changed
    expect(new.locator("html")).to_have_attribute("data-colours", "dark")
    old.reload()
    expect(devices.locator("li")).to_contain_text(["this one", "Firefox, Linux"])
    cut = devices.locator("li", has_text="Firefox, Linux").get_by_role("button")
    cut.click()
    expect(cut).to_have_text("Really cut off?")
    cut.click()
    expect(devices.locator("li")).to_have_count(1)
    expect(new.locator(".trouble")).to_contain_text("cut off")
    new.reload()
    expect(new.get_by_label("Your name")).to_be_visible()
    other = visit().page
    other.goto(f"{server.url}/person/two%20places")
    expect(other.locator(".who")).to_be_visible()
    expect(other.locator("#devices")).to_have_count(0)


def test_who_watches_sees_all_and_can_do_nothing(visit: Visit, server: ServerProcess) -> None:
    ann, bob = visit().page, visit().page
    come_in(ann, server.url, "watched")
    sit_down(ann, "connect_four")
    come_in(bob, server.url, "watches")
    line = bob.locator(".rooms li", has_text="watched")
    expect(line.get_by_role("button", name="Join")).to_be_hidden()
    line.get_by_role("button", name=re.compile("Watch watched")).click()
    expect(bob.locator(".status")).to_have_text("watched to move.")
    assert await_turn(ann)
    ann.locator("[data-column='4']").click()
    expect(bob.locator(".stone.there")).to_have_count(2)
    expect(bob.locator("[data-column].open")).to_have_count(0)
    assert bob.locator(".controls button:visible").all_text_contents() == ["Stop watching"]
    bob.locator("[data-do=leave]").click()
    expect(bob.locator(".lobby")).to_be_visible()


def test_a_guest_can_choose_a_name_and_gets_a_suggestion_for_one_that_is_taken(
    visit: Visit, server: ServerProcess
) -> None:
    come_in(visit().page, server.url, "taken")
    page = visit().page
    page.goto(server.url)
    page.get_by_role("button", name="Play as a guest").click()
    expect(page.locator("#me .name")).to_contain_text("guest-")
    page.locator("#me .mine").click()
    page.get_by_role("button", name="Change name").click()
    page.get_by_label("Your name").fill("taken")
    page.get_by_role("button", name="Enter", exact=True).click()
    expect(page.locator(".trouble")).to_contain_text("taken")
    page.locator(".sign-in .link").click()
    expect(page.locator("#me .name")).not_to_have_text("taken")
    expect(page.locator("#me .name")).to_contain_text("taken")


def test_an_invitation_is_shown_and_accepted(visit: Visit, server: ServerProcess) -> None:
    ann, bob = visit().page, visit().page
    come_in(ann, server.url, "asks")
    come_in(bob, server.url, "asked")
    sit_down(ann, "tic_tac_toe", bot=None)
    for answer in ("Decline", "Accept"):
        ann.get_by_role("button", name="Invite asked to Tic-tac-toe").click()
        expect(bob.locator(".invitation")).to_contain_text("asks asks you to play Tic-tac-toe")
        bob.get_by_role("button", name=answer).click()
        expect(bob.locator(".invitation")).to_have_count(0)
        if answer == "Decline":
            no = ann.locator("#notices", has_text="asked does not want to play now.")
            expect(no).to_be_visible()
    assert await_turn(ann)


def test_hostile_names_and_chat_are_shown_as_text(visit: Visit, server: ServerProcess) -> None:
    ann, bob = visit().page, visit().page
    for page in (ann, bob):
        page.add_init_script("window.a = window.attacked = () => { window.harmed = true; }")
    come_in(ann, server.url, HOSTILE)
    come_in(bob, server.url, "victim")
    sit_down(ann, "tic_tac_toe", bot=None)
    bob.locator(".rooms li", has_text=HOSTILE).get_by_role("button", name="Join").click()
    assert await_turn(ann)
    ann.get_by_label("Say something").fill(CHAT)
    ann.get_by_role("button", name="Say", exact=True).click()
    for page in (ann, bob):
        expect(page.locator(".chat li")).to_have_text(f"{HOSTILE} {CHAT}")
        expect(page.locator(".player .name").filter(has_text=HOSTILE)).to_be_visible()
        assert page.locator("main img, main script, .chat li b *, .chat li span *").count() == 0
        assert page.evaluate("window.harmed") is None
    ann.get_by_label("Say something").fill("/rename <b>den</b>")
    ann.get_by_role("button", name="Say", exact=True).click()
    expect(bob.get_by_text("<b>den</b>")).to_be_visible()
    bob.reload()
    expect(bob.locator(".chat li")).to_have_text(f"{HOSTILE} {CHAT}")
    assert bob.evaluate("window.harmed") is None
