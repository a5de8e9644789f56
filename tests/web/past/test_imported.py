"""Matches of one's own, read from files on the page: brought, shown, taken along, deleted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from lab.arena.local_server import ServerProcess
from protocol.reading import files
from tests.server.imports.test_imports import FAULT, MAT
from tests.web import fake_analyst
from tests.web.conftest import Visit
from tests.web.past.test_past import answer
from tests.web.test_axe import AXE, findings
from tests.web.visitor import PHONE, fits

pytestmark = pytest.mark.browser

TITLE = "Backgammon with the cube: <script>alert(1)</script> – bob"
DROP = """(text) => {
  const files = new DataTransfer();
  files.items.add(new File([text], "dropped.mat"));
  for (const kind of ["dragover", "drop"])
    document.body.dispatchEvent(
      new DragEvent(kind, { dataTransfer: files, bubbles: true, cancelable: true }));
}"""
PASTE = """(text) => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
}"""


def choose(page: Page, *given: tuple[str, bytes]) -> None:
    payloads: Sequence[Any] = [
        {"name": name, "mimeType": "text/plain", "buffer": data} for name, data in given
    ]
    page.locator("#file").set_input_files(payloads)


def begin(page: Page, server: ServerProcess) -> None:
    page.goto(f"{server.url}/imported")
    expect(page.locator("[data-do=choose]")).to_be_visible()
    expect(page.locator("footer, .gear").first).to_be_visible()


def is_open(page: Page, title: str = "dropped.mat") -> None:
    expect(page.locator(".board svg").first).to_be_visible()
    expect(page.locator(".about-match h2").first).to_have_text(f"From {title}")


def test_a_file_is_dropped_pasted_or_chosen_and_shown_as_far_as_it_makes_sense(
    page: Page, server: ServerProcess
) -> None:
    begin(page, server)
    page.evaluate(DROP, MAT)
    is_open(page)
    expect(page.locator(".about-match .trouble")).to_contain_text(FAULT)
    expect(page.locator(".player[data-seat='0'] .name")).to_have_text("<script>alert(1)</script>")
    expect(page.locator(".story")).to_contain_text("Game 1")
    expect(page.locator(".moves li")).not_to_have_count(0)
    page.locator(".games a", has_text="2").click()
    expect(page.locator(".status")).to_contain_text("the file ends before the game does")
    page.go_back()
    page.locator(".steps .step").first.click()
    start = "XGID=-b----E-C---eE---c-e----B-:0:0:0:00:0:0:0:3:10"
    expect(page.locator(".board")).to_have_attribute("data-position", start)
    expect(page).to_have_url(re.compile("#match=1&game=1&ply=0$"))
    page.locator(".about-match a[href='/imported']").click()
    expect(page.locator(".kept li")).to_have_count(1)
    page.evaluate(PASTE, MAT)
    is_open(page, "a pasted match")
    page.goto(f"{server.url}/imported")
    choose(page, ("chosen.mat", MAT.encode("utf-16")))
    is_open(page, "chosen.mat")
    page.goto(f"{server.url}/imported")
    expect(page.locator(".kept li")).to_have_count(3)
    page.reload()
    expect(page.locator(".kept a").first).to_have_text(TITLE)


def test_what_is_deleted_is_gone(page: Page, server: ServerProcess) -> None:
    begin(page, server)
    choose(page, ("one.mat", MAT.encode()))
    is_open(page, "one.mat")
    address = page.url
    page.locator("[data-do=remove]").click()
    page.locator("[data-do=remove]", has_text="for good").click()
    expect(page.locator("#notices")).to_contain_text("nothing of it is left")
    expect(page.locator(".kept li")).to_have_count(0)
    page.goto(address)
    page.reload()
    expect(page.locator(".trouble")).to_contain_text("not kept in this browser")
    left = """() => new Promise((done) => {
      const opened = indexedDB.open("plyhouse.imported");
      opened.onsuccess = () => {
        const all = opened.result.transaction("matches").objectStore("matches").count();
        all.onsuccess = () => done(all.result);
      };
    })"""
    assert page.evaluate(left) == 0


def test_what_is_no_match_is_said_and_not_kept(visit: Visit, server: ServerProcess) -> None:
    page = visit(forgive="422").page
    begin(page, server)
    bad = {
        "photo.mat": (b"\xff\xd8\xff\xe0" + bytes(99), "no text"),
        "letter.txt": (b"Dear Ann, it was a fine evening.", "no record of a match"),
        "huge.sgf": (b"(" * (9 << 20), "too large"),
        "odd.mat": (MAT.replace("8/5 6/5", "8/1", 1).encode(), "Line 5: 31: 8/1 cannot be played"),
        "dice.mat": (MAT.replace("31: 8/5", "91: 8/5", 1).encode(), "Line 5"),
    }
    for name, (data, why) in bad.items():
        choose(page, (name, data))
        expect(page.locator(".bring .trouble")).to_contain_text(f"{name}")
        expect(page.locator(".bring .trouble")).to_contain_text(why)
    expect(page.locator(".kept li")).to_have_count(0)


def test_it_is_analysed_and_tried_again_and_taken_along_in_another_format(
    page: Page, server: ServerProcess, tmp_path: Path
) -> None:
    asked: list[dict[str, Any]] = []

    def analysed(message: dict[str, Any]) -> dict[str, Any]:
        asked.append(message)
        actions = [each["action"] for each in message["actions"]]
        found = fake_analyst.analysis_of(message["game"], actions)
        return {"type": "analysis", "match": message["name"], "bot": "house/x", "analysis": found}

    answer(page, {"analyse_own": analysed})
    begin(page, server)
    money = MAT.replace(" 3 point match", " 0 point match").replace("     Wins 2", "     Wins 2")
    choose(page, ("money.mat", money[: money.index(" Game 2")].encode()))
    is_open(page, "money.mat")
    page.locator("[data-do=analyse]").click()
    expect(page.locator(".course")).to_be_visible()
    expect(page.locator(".worst li")).not_to_have_count(0)
    assert (asked[0]["name"], asked[0]["game"]) == ("0.1", "backgammon_cube")
    expect(page.locator(".worst a").first).to_have_attribute(
        "href", re.compile("/board/backgammon_cube#position=")
    )
    with page.expect_download() as download:
        page.locator("[data-file=sgf]").click()
    path = tmp_path / "money.sgf"
    download.value.save_as(path)
    assert download.value.suggested_filename == "money.sgf"
    assert len(files.read(path.read_bytes()).games) == 1


@pytest.mark.parametrize("size", [None, PHONE], ids=["wide", "phone"])
def test_it_fits_and_axe_finds_nothing(
    visit: Visit, server: ServerProcess, size: dict[str, int] | None
) -> None:
    page = visit(**({"viewport": size} if size else {})).page
    begin(page, server)
    assert fits(page)
    choose(page, ("one.mat", MAT.encode()))
    is_open(page, "one.mat")
    assert fits(page)
    if AXE.is_file():
        assert findings(page) == []
    page.goto(f"{server.url}/imported")
    expect(page.locator(".kept li")).to_have_count(1)
    if AXE.is_file():
        assert findings(page) == []
