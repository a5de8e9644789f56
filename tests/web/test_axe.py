"""What axe finds on every page, in light and dark: nothing.

axe-core comes with the checks of the page: `npm ci` in tests/web/checks.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from lab.arena.local_server import ServerProcess
from server.admin.token import read_token
from tests.web import fake_ladder
from tests.web.conftest import Visit
from tests.web.fake_ladder import NAME, FakeServer, state
from tests.web.visitor import PHONE, await_turn, begin, come_in, sit_down

AXE = Path(__file__).parent / "checks" / "node_modules" / "axe-core" / "axe.min.js"
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not AXE.is_file(), reason="needs `npm ci` in tests/web/checks"),
]
FIND = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target}: ${failureSummary}`));
}"""


def findings(page: Page) -> list[str]:
    """What axe finds on a page as it stands."""
    page.evaluate(AXE.read_text("utf-8"))
    found: list[str] = page.evaluate(FIND)
    return found


@pytest.fixture(params=[("light", None), ("dark", PHONE)], ids=["light", "dark"])
def look(request: pytest.FixtureRequest) -> dict[str, object]:
    """A large window in light colours, and a phone in dark ones."""
    colours, size = request.param
    return {"color_scheme": colours, **({"viewport": size} if size else {})}


def test_door_lobby_table_match_and_person(
    visit: Visit, server: ServerProcess, look: dict[str, object]
) -> None:
    page = visit(**look).page
    page.goto(server.url)
    expect(page.get_by_label("Your name")).to_be_visible()
    assert findings(page) == []
    name = f"axe {look['color_scheme']}"
    begin(page, server.url, name, "tic_tac_toe")
    assert findings(page) == []
    page.locator(".gear.rules").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert findings(page) == []
    page.keyboard.press("Escape")
    while await_turn(page):
        page.locator("[data-cell].open").first.click()
    assert findings(page) == []
    record = page.locator("a[href^='/match/']").first.get_attribute("href")
    page.locator("[data-do=leave]").click()
    expect(page.locator(".matches a").first).to_be_visible()
    assert findings(page) == []
    page.goto(f"{server.url}{record}")
    expect(page.locator(".board svg")).to_be_visible()
    expect(page.locator(".files a").first).to_be_visible()
    assert findings(page) == []
    page.goto(f"{server.url}/person/{name}")
    expect(page.locator(".matches a").first).to_be_visible()
    assert findings(page) == []


def test_ladders(visit: Visit, server: ServerProcess, look: dict[str, object]) -> None:
    page = visit(**look).page
    FakeServer(page, ladder_status=state(), ladder_history=fake_ladder.history())
    page.goto(f"{server.url}/ladder/{NAME}")
    expect(page.locator(".plot .curve")).to_have_count(5)
    assert findings(page) == []
    page = visit(**look).page
    page.goto(f"{server.url}/ladder")
    expect(page.get_by_role("heading", name="Ladders")).to_be_visible()
    assert findings(page) == []


def test_one_s_devices_and_recovery_code(
    visit: Visit, server: ServerProcess, look: dict[str, object]
) -> None:
    page = visit(**look).page
    name = f"devices {look['color_scheme']}"
    come_in(page, server.url, name)
    page.goto(f"{server.url}/person/{name}#devices")
    expect(page.locator("#devices li")).to_have_count(1)
    assert findings(page) == []
    for title in ("code", "code of this name"):  # it is shown; then asked for
        page.get_by_role("button", name="Recovery code").click()
        expect(page.get_by_role("dialog")).to_be_visible()
        assert findings(page) == [], title
        page.keyboard.press("Escape")


def test_the_host_s_page(visit: Visit, server: ServerProcess, look: dict[str, object]) -> None:
    page, ann = visit(**look).page, visit().page
    come_in(ann, server.url, f"hosted {look['color_scheme']}")
    sit_down(ann, "tic_tac_toe")
    page.goto(f"{server.url}/admin")
    expect(page.get_by_label("Token")).to_be_visible()
    assert findings(page) == []
    page.get_by_label("Token").fill(read_token(server.data / "admin.token").token)
    page.get_by_role("button", name="Come in").click()
    expect(page.locator("tr", has_text="hosted").first).to_be_visible()
    assert findings(page) == []
    page.get_by_role("button", name="Ban hosted", exact=False).first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert findings(page) == []


def test_pages_where_there_is_nothing(
    visit: Visit, server: ServerProcess, look: dict[str, object]
) -> None:
    page = visit(forgive="404", **look).page
    for path in ("/nothing", "/offline.html", "/person/nobody-of-this-name", "/match/999.1"):
        page.goto(f"{server.url}{path}")
        expect(page.locator("#main, main").first).not_to_be_empty()
        page.wait_for_load_state("networkidle")
        assert findings(page) == [], json.dumps(path)
