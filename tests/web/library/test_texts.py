"""The page in another language than English."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from bots.online.terms import TOO_LONG
from lab.arena.local_server import ServerProcess
from protocol.errors import Code
from tests.web.conftest import Visit
from tests.web.visitor import sit_down

ROOT = Path(__file__).resolve().parents[3]
TEXTS, BOTS = ROOT / "client" / "web" / "texts", ROOT / "bots"


@pytest.mark.browser
def test_door_lobby_and_table_are_german_where_the_browser_is(
    server: ServerProcess, visit: Visit
) -> None:
    page = visit(locale="de-DE").page
    page.goto(server.url)
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.locator("footer summary")).to_have_text("Andere Wege zu spielen")
    page.get_by_label("Dein Name", exact=True).fill("jörg")
    page.locator(".sign-in button.primary").click()
    card = page.locator(".new-table [data-game=connect_four]").first
    expect(card).to_contain_text("Vier gewinnt")
    expect(page.locator("[data-way=bot]")).to_contain_text("Gegen einen Bot")
    sit_down(page, "connect_four", seat="0")
    expect(page.locator(".status")).to_have_text("Du bist am Zug.")
    expect(page.get_by_role("button", name="Tipp", exact=True)).to_be_visible()
    expect(page).to_have_title(re.compile("Vier gewinnt"))
    page.keyboard.press("4")
    expect(page.locator(".moves li")).not_to_have_count(0)
    page.goto(f"{server.url}/ladder")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.get_by_role("heading", name="Ranglisten")).to_be_visible()


@pytest.mark.browser
def test_a_language_is_chosen_in_the_settings_and_remembered(
    server: ServerProcess, visit: Visit
) -> None:
    page = visit().page
    page.goto(server.url)
    expect(page.get_by_text("Who is playing?")).to_be_visible()
    page.locator("[data-do=settings]").click()
    page.locator("#choose-language").select_option("de")
    expect(page.get_by_text("Wer spielt?")).to_be_visible()
    page.reload()
    expect(page.get_by_text("Wer spielt?")).to_be_visible()
    page.locator("[data-do=settings]").click()
    page.get_by_label("Sprache").select_option(label="English")
    expect(page.get_by_text("Who is playing?")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "en")


SAID = (  # by bots of the house; in braces, parts that their code has so
    "Nothing has started here for a while, so I leave.",
    "No draw: {I have not moved yet}. I accept one at 0 or below.",
    "No draw: {I see myself at }+0.20. I accept one at 0 or below.",
    "2{ is not enough: }{I expect }+2.20.",
    "2{ is not enough: }{I cannot tell what is due}.",
    "{I cannot play }chess{: getting ready failed.}",
    "{I play on ladders only}.",
    "{I have no time just now}.",
    TOO_LONG,
)
NOTES = {  # of options, in an analysis
    "wins": "gewinnt",
    "{from }+3{ to }+5": "von +3 bis +5",
    "1200{ simulations}": "1200 Simulationen",
    "{too good to double}": "zu gut zum Doppeln",
    "{wins }54.1{ % (gammon }14.2{ %),}{ loses gammon }11.0 %":
        "gewinnt 54,1 % (Gammon 14,2 %), verliert Gammon 11,0 %",
}  # fmt: skip


@pytest.mark.browser
def test_what_the_bots_of_the_house_say_is_german_where_the_page_is(
    server: ServerProcess, visit: Visit
) -> None:
    page = visit(locale="de-DE").page
    page.goto(server.url)
    source = "".join(
        path.read_text("utf-8") for path in [*BOTS.glob("online/*.py"), *BOTS.glob("analysis/*.py")]
    )
    spoken = """async ([name, text]) => (await import("/library/words.js")).spoken(name, text)"""
    noted = """async (text) => (await import("/library/words.js")).ofBot(text)"""
    for note, here in NOTES.items():
        assert all(part in source for part in re.findall(r"\{(.+?)\}", note) or [note]), note
        assert page.evaluate(noted, re.sub(r"[{}]", "", note)) == here
    for said in SAID:
        assert all(part in source for part in re.findall(r"\{(.+?)\}", said) or [said]), said
        bare = re.sub(r"[{}]", "", said)
        here = page.evaluate(spoken, ["house/mcts", bare])
        assert not re.search(r"\b(I|is|the|leave|below)\b|\.\d", here), here
        assert page.evaluate(spoken, ["ann", bare]) == bare


@pytest.mark.browser
def test_refusals_and_figures_are_german(server: ServerProcess, visit: Visit) -> None:
    page = visit(locale="de-DE").page
    page.goto(server.url)
    found = page.evaluate(
        """async () => {
          const { Refusal } = await import("/library/connection.js");
          const { formatTime, formatClock, sentence } = await import("/library/words.js");
          const known = new Refusal({ code: "room/wrong-code", text: "no room has this code" });
          const other = new Refusal({ code: "lobby/bad-option", text: "there is no such option" });
          return [known.message, other.message, formatTime(9350), formatClock(null),
            formatClock({ per_move_ms: 2500 }), sentence("house/mcts plays"), sentence("it plays")];
        }"""
    )
    expected = ["Dieser Code passt nicht.", "there is no such option", "9,3", "ohne Uhr"]
    assert found == [*expected, "2,5 s je Zug", "house/mcts plays.", "It plays."]


def test_every_code_with_a_sentence_of_its_own_is_one_of_the_protocol() -> None:
    for path in TEXTS.rglob("??.js"):
        codes = re.findall(r'^ +"(\w+/[\w-]+)":', path.read_text("utf-8"), re.MULTILINE)
        assert set(codes) <= set(Code), path
