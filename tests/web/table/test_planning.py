"""A move that is planned while the other side thinks."""

from __future__ import annotations

import random
import re

import pytest
from playwright.sync_api import Page, expect

from games import registry
from games.game import Position
from lab.arena.local_server import ServerProcess
from tests.web.conftest import Evaluate, Visit
from tests.web.table.test_layout import AXE, findings
from tests.web.test_table import do, opponents
from tests.web.visitor import await_turn, come_in, sit_down, switch_on

pytestmark = pytest.mark.browser

GAMES = ("connect_four", "tic_tac_toe", "ultimate_tic_tac_toe")


def positions(game: str, seed: int) -> list[Position]:
    """All positions but the last ones of a few random matches."""
    rng = random.Random(seed)
    all_positions = []
    for _ in range(12):
        position = registry.game(game).initial()
        while position.outcome() is None:
            all_positions.append(position)
            position = position.apply(rng.choice(position.legal_actions()))
    return all_positions


@pytest.mark.parametrize("game", GAMES)
def test_what_may_be_planned_are_the_answers_to_all_plays(evaluate: Evaluate, game: str) -> None:
    rules = registry.game(game)
    found = positions(game, seed=5)
    offered = evaluate(
        """async ({ game, positions }) => {
          const { boardOf } = await import("/boards/registry.js");
          const { mayCome } = await boardOf(game);
          return positions.map(mayCome);
        }""",
        {"game": game, "positions": [rules.format_position(position) for position in found]},
    )
    for position, plans in zip(found, offered, strict=True):
        answers: set[str] = set()
        for action in position.legal_actions():
            answers.update(position.apply(action).legal_notation())
        assert set(plans) == answers, str(position)


def note(page: Page, text: str) -> None:
    expect(page.locator(".note")).to_have_text(text)


def may_plan(page: Page) -> None:
    """Wait until the page knows, too, that it is the other side's turn."""
    cell = page.get_by_role("gridcell", name=re.compile("Press to plan it|Drücken plant den Zug"))
    expect(cell.first).to_be_visible()


def said(page: Page, text: str) -> None:
    expect(page.locator("#announcer")).to_contain_text(text)


def test_a_plan_is_seen_is_dropped_in_three_ways_and_is_played_at_once(
    visit: Visit, server: ServerProcess
) -> None:
    ann, bob = opponents(visit, server, "plan", clock="2")  # with a clock, unasked
    column, planned = ann.locator("[data-column='3']"), ann.locator(".stone.plan")
    ann.locator("[data-column='1']").dblclick()  # the second half plans nothing
    expect(bob.locator(".status.yours")).to_be_visible()
    expect(column).to_have_accessible_name("Column 3, row 6: empty. Press to plan it.")
    expect(planned).to_have_count(0)
    buttons = ann.locator(".bar").bounding_box()
    for drop in (column.click, lambda: ann.keyboard.press("Escape"), lambda: do(ann, "unplan")):
        column.click()
        expect(planned).to_have_count(1)
        expect(planned.locator(".aim")).to_be_visible()
        expect(ann.locator(".stone.there")).to_have_count(1)
        note(ann, "Planned: column 3")
        said(ann, "Planned: column 3. It is played as soon as it is your turn, if it can be.")
        assert ann.locator(".bar").bounding_box() == buttons
        drop()
        expect(planned).to_have_count(0)
        said(ann, "The plan is dropped.")
        expect(ann.locator("[data-do=unplan]")).to_be_hidden()
    assert ann.evaluate("document.querySelector('main').contains(document.activeElement)")
    ann.keyboard.press("5")
    ann.keyboard.press("3")  # another one instead
    note(ann, "Planned: column 3")
    expect(column).to_have_accessible_name("Column 3, row 6: empty. Planned; press to drop it.")
    expect(bob.locator(".stone.plan")).to_have_count(0)
    bob.locator("[data-column='7']").click()
    expect(bob.locator(".status.yours")).to_be_visible()
    expect(bob.locator(".stone.there")).to_have_count(3)
    expect(ann.locator("[data-cell='3-1']")).to_have_accessible_name(re.compile("yours, the last"))
    said(ann, "You play column 3.")
    expect(planned).to_have_count(0)
    expect(ann.locator(".note")).to_be_hidden()


def test_a_plan_that_cannot_be_played_is_dropped_with_a_word(
    visit: Visit, server: ServerProcess
) -> None:
    ann = visit(has_touch=True).page
    switch_on(ann, plan="always")
    ann, bob = opponents(visit, server, "sent", first=ann, game="ultimate_tic_tac_toe")
    ann.keyboard.type("55")
    expect(bob.locator(".status.yours")).to_be_visible()
    expect(ann.locator("[data-cell='55']")).to_have_attribute("aria-disabled", "true")
    ann.locator("[data-cell='37']").focus()  # board 3, should Bob send Ann there
    ann.keyboard.press("Enter")
    expect(ann.locator(".cell.plan .mark.seat-0")).to_be_visible()
    ann.keyboard.type("15")  # board 1 rather
    note(ann, "Planned: board 1, cell 5")
    assert not AXE.is_file() or findings(ann) == []
    bob.keyboard.type("52")
    expect(ann.locator(".status.yours")).to_be_visible()
    lost = "Your plan, board 1, cell 5, cannot be played now: it is dropped."
    note(ann, lost)
    said(ann, f"Your turn: the top board. {lost}")
    expect(ann.locator(".cell.plan")).to_have_count(0)
    expect(ann.locator(".cell .mark.there")).to_have_count(2)
    ann.keyboard.type("25")
    expect(bob.locator(".status.yours")).to_be_visible()
    ann.locator("[data-cell='16']").tap()
    note(ann, "Planned: board 1, cell 6")
    bob.keyboard.type("51")
    expect(bob.locator(".cell .mark.there")).to_have_count(5)  # this time Ann was sent there


def test_a_takeback_drops_a_plan_and_who_wants_to_be_asked_is_asked(
    visit: Visit, server: ServerProcess
) -> None:
    ann = visit().page
    switch_on(ann, "confirm", plan="always")
    ann, bob = opponents(visit, server, "asked", first=ann, game="tic_tac_toe")
    ann.keyboard.press("5")
    do(ann, "confirm")
    expect(bob.locator(".status.yours")).to_be_visible()
    may_plan(ann)
    ann.keyboard.press("9")
    note(ann, "Planned: cell 9, bottom right")
    do(ann, "takeback")
    bob.locator("[data-do=accept]").click()
    expect(ann.locator(".status.yours")).to_be_visible()
    expect(ann.locator(".mark.there")).to_have_count(0)
    note(ann, "Your plan, cell 9, bottom right, cannot be played now: it is dropped.")
    ann.keyboard.press("1")
    do(ann, "confirm")
    expect(bob.locator(".status.yours")).to_be_visible()
    may_plan(ann)
    ann.keyboard.press("9")
    note(ann, "Planned: cell 9, bottom right")
    bob.keyboard.press("2")
    expect(ann.locator("[data-do=confirm]")).to_contain_text("cell 9")
    expect(ann.locator(".mark.there")).to_have_count(2)
    do(ann, "confirm")
    expect(bob.locator(".mark.there")).to_have_count(3)


def test_without_a_clock_nothing_is_planned_unless_somebody_wants_that(
    visit: Visit, server: ServerProcess
) -> None:
    ann, bob = opponents(visit, server, "calm")
    ann.locator("[data-column='1']").click()
    expect(bob.locator(".status.yours")).to_be_visible()
    expect(ann.locator(".square.open")).to_have_count(0)
    ann.keyboard.press("3")
    expect(ann.locator(".stone.plan")).to_have_count(0)
    do(ann, "settings")
    ann.get_by_label("Plan a move ahead").select_option("Always")
    ann.keyboard.press("Escape")
    ann.keyboard.press("3")
    expect(ann.locator(".stone.plan")).to_have_count(1)
    do(ann, "lobby")
    expect(ann.locator(".notice")).to_contain_text("The plan is dropped.")
    ann.go_back()
    expect(ann.locator(".stone.there")).to_have_count(1)
    expect(ann.locator(".stone.plan")).to_have_count(0)
    ann.keyboard.press("3")
    expect(ann.locator(".stone.plan")).to_have_count(1)
    do(ann, "settings")
    ann.get_by_label("Plan a move ahead").select_option("Never")
    ann.keyboard.press("Escape")
    expect(ann.locator(".stone.plan")).to_have_count(0)


def test_points_have_numbers_unasked_and_columns_where_somebody_wants_them(
    page: Page, server: ServerProcess
) -> None:
    old = "localStorage.setItem('plyhouse.settings', JSON.stringify({coordinates: false}))"
    come_in(page, server.url, "numbers")
    page.evaluate(old)  # as earlier versions kept it, whether or not anybody had chosen it
    page.reload()
    numbers = page.locator(".board svg .number:visible")
    sit_down(page, "connect_four")
    assert await_turn(page)
    expect(numbers).to_have_count(0)
    do(page, "settings")
    page.get_by_label("Coordinates").select_option("On every board")
    expect(numbers).to_have_text(list("1234567"))
    page.keyboard.press("Escape")
    do(page, "abort")
    do(page, "leave")
    sit_down(page, "backgammon")
    expect(numbers).to_have_count(24)
    do(page, "settings")
    page.get_by_label("Coordinates").select_option("In backgammon")
    expect(numbers).to_have_count(24)
    page.get_by_label("Coordinates").select_option("On no board")
    expect(numbers).to_have_count(0)


def test_plans_are_german_too(visit: Visit, server: ServerProcess) -> None:
    ann = visit(locale="de-DE").page
    switch_on(ann, plan="always")
    ann.goto(server.url)
    ann.get_by_label("Dein Name", exact=True).fill("plant")
    ann.locator(".sign-in button.primary").click()
    sit_down(ann, "tic_tac_toe", bot=None)
    bob = visit().page
    come_in(bob, ann.url, "plant nicht")
    bob.locator("[data-do=sit]").click()
    assert await_turn(ann)
    ann.keyboard.press("5")
    expect(bob.locator(".status.yours")).to_be_visible()
    may_plan(ann)
    ann.keyboard.press("3")
    note(ann, "Geplant: Feld 3, oben rechts")
    bob.keyboard.press("3")
    note(ann, "Dein Plan, Feld 3, oben rechts, geht jetzt nicht: Er ist verworfen.")
