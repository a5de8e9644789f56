"""The analysis board: any position of any game, tried and branched, with what a bot calls best."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect

from lab.arena.local_server import ServerProcess
from tests.web.conftest import Visit
from tests.web.past.test_past import answer, serve_match
from tests.web.test_axe import AXE, findings
from tests.web.visitor import PHONE, await_turn, come_in, fits

pytestmark = pytest.mark.browser

WON = "xx1/oo1/3 x"
ROLLED = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"


def study(page: Page, server: ServerProcess, game: str, position: str | None = None) -> None:
    """Open the board of a game, at its first position or at another one."""
    page.goto(f"{server.url}/board/{game}{f'#position={quote(position)}' if position else ''}")
    expect(page.locator(".board svg").first).to_be_visible()


def best(page: Page) -> Locator:
    """What is called best; a bot may have to be compiled first."""
    option = page.locator(".options li").first
    expect(option).to_be_visible(timeout=120_000)
    return option


def position_of(page: Page) -> str | None:
    return page.locator(".board").get_attribute("data-position")


def test_what_is_best_is_shown_and_played_by_a_press(page: Page, server: ServerProcess) -> None:
    study(page, server, "tic_tac_toe", WON)
    expect(best(page)).to_contain_text("wins")
    best(page).get_by_role("button").click()
    expect(page.locator(".status")).to_have_text("First side has won: three in a row.")
    expect(page.locator(".best-actions")).to_be_hidden()
    assert page.url.endswith(quote("xxx/oo1/3 o", safe=""))  # the link holds the position


def test_what_was_tried_stays_as_branches(page: Page, server: ServerProcess) -> None:
    study(page, server, "tic_tac_toe")
    for cell in ("5", "1"):
        page.locator(f"[data-cell='{cell}']").first.click()
        expect(page.locator(".status")).to_have_text("Second side to move.")
        page.locator("[data-do=takeback]").click()
        expect(page.locator(".status")).to_have_text("First side to move.")
    page.locator(".branches button", has_text="5").click()
    expect(page.locator(".board")).to_have_attribute("data-position", "3/1x1/3 o")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".board")).to_have_attribute("data-position", "3/3/3 x")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".board")).to_have_attribute("data-position", "3/1x1/3 o")


def test_dice_are_chosen_or_typed_and_the_best_turn_has_arrows(
    page: Page, server: ServerProcess
) -> None:
    study(page, server, "backgammon")
    page.locator("[data-roll='31']").click()
    expect(page.locator(".status")).to_have_text("First side to move.")
    study(page, server, "backgammon", ROLLED)
    expect(best(page)).to_contain_text("8/5 6/5")
    expect(page.locator(".board .best").first).to_be_visible()


def test_a_pasted_position_may_be_of_another_game_and_a_wrong_one_is_said(
    page: Page, server: ServerProcess
) -> None:
    study(page, server, "tic_tac_toe", "xxx/3/3 o")
    expect(page.locator("#notices")).to_contain_text("sides alternate")
    assert position_of(page) == "3/3/3 x"
    page.locator("[data-do=new]").click()
    page.locator("#study-position").fill("xxx/3/3 o")
    page.locator(".study-form .primary").click()
    expect(page.locator(".study-form .trouble")).not_to_be_empty()
    page.locator("#study-position").fill("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:2:4:0:7:10")
    page.locator(".study-form .primary").click()
    expect(page.locator("#where")).to_contain_text("Backgammon")
    expect(page.locator(".board svg").first).to_be_visible()


def test_a_position_is_set_up_by_hand(page: Page, server: ServerProcess) -> None:
    study(page, server, "tic_tac_toe")
    page.locator("[data-do=new]").click()
    page.locator("[data-place='0']").click()
    page.locator("[data-place='0']").drag_to(page.locator("[data-place='4']"))
    page.locator("[data-brush='1']").click()
    page.locator("[data-place='8']").click()
    expect(page.locator("#study-position")).to_have_value("3/1x1/2o x")
    page.locator(".study-form .primary").click()
    expect(page.locator(".board")).to_have_attribute("data-position", "3/1x1/2o x")
    study(page, server, "backgammon_cube", ROLLED)
    page.locator("[data-do=new]").click()
    page.locator("[data-place='6']").drag_to(page.locator("[data-place='5']"))
    page.locator("#set-up-length").select_option("7")
    page.locator("#set-up-score1").select_option("3")
    page.locator("#set-up-dice").select_option("64")
    page.locator(".study-form .primary").click()
    expect(page.locator(".board")).to_have_attribute(
        "data-position", "XGID=-b---AD-C---eE---c-e----B-:0:0:1:64:0:3:0:7:10"
    )


def test_a_position_is_taken_along_as_text_and_as_a_picture(
    page: Page, server: ServerProcess
) -> None:
    study(page, server, "connect_four", "4453")
    page.locator("[data-do=invite]").click()
    expect(page.locator("#study-text-link")).to_have_value("7/7/7/7/3o3/2oxx2 x")
    with page.expect_download() as download:
        page.locator("[data-do=picture]").click()
    text = download.value.path().read_text("utf-8")
    assert text.startswith("<svg")
    assert "fill=" in text


@pytest.mark.parametrize("size", [None, PHONE], ids=["wide", "phone"])
def test_it_fits_and_axe_finds_nothing(
    visit: Visit, server: ServerProcess, size: dict[str, int] | None
) -> None:
    page = visit(**({"viewport": size} if size else {})).page
    study(page, server, "tic_tac_toe", WON)
    best(page)
    assert fits(page)
    if AXE.is_file():
        assert findings(page) == []


def test_one_plays_on_from_a_position_against_a_bot(page: Page, server: ServerProcess) -> None:
    study(page, server, "tic_tac_toe", "3/1x1/3 o")
    page.locator("[data-do=sit]").click()
    expect(page.locator("#notices")).to_contain_text("Choose a name")
    come_in(page, server.url, "plays on")
    study(page, server, "tic_tac_toe", "3/1x1/3 o")
    page.locator("[data-do=sit]").click()
    page.locator(".inviting summary").click()
    page.locator("#guest").select_option("house/random")
    page.locator(".inviting .call button").first.click()
    assert await_turn(page)
    assert position_of(page) == "3/1x1/3 o"  # and it is the second side's turn, which is ours


def analysed(match: str, losses: list[float]) -> dict[str, Any]:
    """An analysis of connect four in which each ply lost so many stones."""
    plays = [
        {"ply": ply, "seat": ply % 2, "action": "4", "loss": loss, "blunder": loss > 2,
         "doubtful": 0 < loss <= 2,
         "best": [{"action": "5", "value": 3.0}, {"action": "4", "value": 3.0 - loss}]}
        for ply, loss in enumerate(losses)
    ]  # fmt: skip
    found = {"game": "connect_four", "by": "solver", "unit": "score", "totals": [{}, {}]}
    return {"type": "analysis", "match": match, "bot": "house/solver",
            "analysis": found | {"plays": plays}}  # fmt: skip


def test_after_a_match_its_course_is_drawn_and_the_worst_moments_can_be_tried_again(
    page: Page, server: ServerProcess
) -> None:
    replay = serve_match(page, "17.1", "connect_four", 6)
    page.route("**/replay/17.1.json?*", lambda route: route.fulfill(json=replay))
    answer(page, {"analyse": lambda _: analysed("17.1", [0, 5, 1, 6, 0, 2])})
    page.goto(f"{server.url}/match/17.1")
    page.locator("[data-do=analyse]").click()
    expect(page.locator(".worst button")).to_have_count(3)
    assert [text.split(" ")[-1] for text in page.locator(".worst button").all_inner_texts()] == [
        "\u22126", "\u22125", "\u22122",
    ]  # fmt: skip
    moments = [moment["position"] for moment in replay["moments"]]
    page.locator(".worst button").first.click()
    assert position_of(page) == moments[3]
    graph = page.locator("svg.course")
    box = graph.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 6, box["y"] + box["height"] / 2)
    assert position_of(page) == moments[1]
    page.locator(".worst a").first.click()
    expect(page.locator(".board")).to_have_attribute("data-position", moments[3])
    expect(page.locator(".best-actions")).to_be_hidden()  # it is to be found
    page.locator("[data-do=hint]").click()
    expect(page.locator(".best-actions")).to_be_visible()
