"""How the page comes to a browser: at once the second time, and when nobody answers at all."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Request, Response, expect

from lab.arena.local_server import ServerProcess
from tests.web.conftest import Visit

pytestmark = pytest.mark.browser

DOOR = "#main input"


def asked(page: Page, url: str) -> tuple[list[Request], list[Response]]:
    """What a visit up to the door asks for, and what the server answers itself."""
    requests: list[Request] = []
    responses: list[Response] = []

    def on_request(request: Request) -> None:  # playwright takes no method of a list
        requests.append(request)

    def on_response(response: Response) -> None:
        responses.append(response)

    page.on("request", on_request)
    page.on("response", on_response)
    page.goto(url)
    page.locator(DOOR).first.wait_for()
    return requests, responses


# What came over the network, if only as the answer that nothing has changed.
CAME = """
["resource", "navigation"].flatMap((kind) => performance.getEntriesByType(kind))
  .filter((entry) => entry.transferSize > 0).map((entry) => entry.name)
"""


def test_a_second_visit_asks_for_next_to_nothing(visit: Visit, server: ServerProcess) -> None:
    visitor = visit(locale="de-CH")
    requests, responses = asked(visitor.page, server.url)
    assert {request.url.split("/")[2] for request in requests} == {server.address}
    scripts = [each for each in responses if each.url.partition("?")[0].endswith(".js")]
    assert len(scripts) >= 3  # what is needed at once, the words, and what comes later
    for script in scripts:
        assert re.search(r"\?v=[0-9a-f]{10}$", script.url), "each module has its version"
        assert "immutable" in script.headers["cache-control"]
    visitor.page.wait_for_load_state("networkidle")  # what comes after the door, too
    visitor.page.close()
    again = visitor.tab()
    asked(again, server.url)
    assert len(again.evaluate(CAME)) <= 3


def test_a_part_that_cannot_be_had_is_missed_aloud_and_the_rest_works(
    visit: Visit, server: ServerProcess
) -> None:
    page = visit(forgive="ERR_FAILED|dynamically imported").page
    page.route("**/scripts/index.later.js?*", lambda route: route.abort())
    page.goto(server.url)
    missing = page.get_by_role("alert").get_by_text("A part of this page could not be loaded.")
    expect(missing).to_be_visible()
    page.get_by_role("button", name="Dismiss").click()
    page.locator("[data-do=settings]").click()
    expect(missing).to_be_visible()
    page.unroute_all()
    page.reload()
    page.locator("[data-do=settings]").click()
    expect(page.get_by_role("dialog", name="Settings")).to_be_visible()


def test_an_address_that_leads_nowhere_is_a_page_with_a_way_home(
    visit: Visit, server: ServerProcess
) -> None:
    page = visit(forgive="404").page
    for path in ("/nothing", "/ladder/%zz"):
        response = page.goto(f"{server.url}{path}")
        assert response is not None
        assert response.status == 404
        expect(page.get_by_role("heading", name="There is no such page")).to_be_visible()
    page.goto(f"{server.url}/ladder/%25zz")  # a name with a percent sign, which nobody has
    expect(page.get_by_role("alert").filter(has_text="zz")).to_be_visible()
    page.goto(f"{server.url}/nothing")
    page.get_by_role("link", name="To the lobby").click()
    page.locator(DOOR).first.wait_for()


def test_where_nobody_answers_a_page_says_so_and_comes_back(
    own_server: ServerProcess, visit: Visit
) -> None:
    page = visit(forgive="net::ERR_").page
    page.goto(f"{own_server.url}/#room=3")
    page.locator(DOOR).first.wait_for()
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")

    def by_itself() -> None:
        page.clock.run_for(20_000)  # longer than it ever waits

    page.clock.install(time=0)
    page.clock.pause_at(3_600)  # else it might come back before the button is pressed
    for come_back in (page.get_by_role("button", name="Try now").click, by_itself):
        own_server.stop()
        page.reload()
        expect(page.get_by_role("heading", name="Plyhouse does not answer")).to_be_visible()
        expect(page.locator("#what")).to_contain_text(own_server.address)
        expect(page.get_by_role("button", name="Try now")).to_be_visible()
        own_server.start()
        come_back()
        page.locator(DOOR).first.wait_for()
        assert page.url.endswith("/#room=3")
