"""Whole matches of each game, at the sizes, in the colours and by the hands that people have."""

from __future__ import annotations

from itertools import combinations, cycle
from typing import Any, Final, NamedTuple

import pytest
from playwright.sync_api import Page, expect

from games import registry
from lab.arena.local_server import ServerProcess
from tests.web.conftest import Visit
from tests.web.matches.players import Player, Pointer, Reader
from tests.web.table.test_layout import AXE, findings
from tests.web.visitor import come_in, fits, sit_down

MAX_STEPS: Final = 2_000  # of one match; a bot that plays at random takes its time at backgammon
MAX_WAITS: Final = 1_000  # of 10 ms and more, one after the other
CHECKED_AFTER: Final = 4  # steps: in mid-match
SIZES: Final = {
    "portrait": (360, 640),
    "sideways": (844, 390),
    "laptop": (1280, 800),
    "large": (1920, 1080),
}
GAMES: Final = ("connect_four", "tic_tac_toe", "ultimate_tic_tac_toe", "backgammon")


class Case(NamedTuple):
    """One person at a match: of what, on which screen, in which colours, by what."""

    game: str
    size: str
    colours: str
    by: str


def cases(text: str) -> tuple[Case, ...]:
    return tuple(Case(*line.split()) for line in text.strip().splitlines())


# Each value of a column meets each value of every other column.
CASES: Final = cases("""
    connect_four         portrait light touch
    connect_four         sideways dark  keyboard
    connect_four         laptop   light mouse
    connect_four         large    dark  touch
    tic_tac_toe          portrait dark  mouse
    tic_tac_toe          sideways light touch
    tic_tac_toe          laptop   dark  mouse
    tic_tac_toe          large    light keyboard
    ultimate_tic_tac_toe portrait light keyboard
    ultimate_tic_tac_toe sideways dark  mouse
    ultimate_tic_tac_toe laptop   light touch
    ultimate_tic_tac_toe large    dark  mouse
    backgammon           portrait dark  touch
    backgammon           sideways light mouse
    backgammon           laptop   dark  keyboard
    backgammon           large    light mouse
""")
BETWEEN_TWO: Final = cases("""
    connect_four         portrait dark  touch
    connect_four         laptop   light keyboard
    tic_tac_toe          large    dark  keyboard
    tic_tac_toe          portrait light touch
    ultimate_tic_tac_toe sideways light touch
    ultimate_tic_tac_toe large    dark  mouse
    backgammon           laptop   dark  mouse
    backgammon           portrait light touch
""")


def test_each_pair_of_values_meets_in_some_match() -> None:
    values = [set(column) for column in zip(*CASES, strict=True)]
    for one, other in combinations(range(len(values)), 2):
        met = {(case[one], case[other]) for case in CASES}
        assert met == {(a, b) for a in values[one] for b in values[other]}
    assert values[0] == set(GAMES)
    assert values[1] == set(SIZES)


class Table:
    """One person's page at a table, and what it asked for elsewhere."""

    def __init__(self, visit: Visit, url: str, case: Case) -> None:
        width, height = SIZES[case.size]
        touch: dict[str, Any] = {"has_touch": True, "is_mobile": True} if case.by == "touch" else {}
        size = {"width": width, "height": height}
        # No motion, which would only be waited for; how things move is tested with the boards.
        visitor = visit(viewport=size, color_scheme=case.colours, reduced_motion="reduce", **touch)
        self.page: Page = visitor.page
        self.elsewhere: list[str] = []
        self.page.on("request", lambda request: self._look(url, request.url))
        self.player: Player = (
            Reader(self.page, seed=7) if case.by == "keyboard"
            else Pointer(self.page, is_touch=case.by == "touch", seed=7)
        )  # fmt: skip

    def _look(self, url: str, asked: str) -> None:
        if not asked.startswith(url):
            self.elsewhere.append(asked)

    def check(self) -> None:
        """What has to be true whenever one looks."""
        assert self.elsewhere == []
        assert fits(self.page)
        assert self.page.evaluate("document.querySelector('main').contains(document.activeElement)")
        if AXE.is_file():
            assert findings(self.page) == []


def play_to_the_end(*tables: Table) -> None:
    """Let each take a step in turn, until all see that the match is over."""
    over: set[Table] = set()
    steps = waits = 0
    for table in cycle(tables):
        outcome = table.player.step()
        waits = waits + 1 if outcome == "waits" else 0
        steps += outcome == "played"
        assert waits < MAX_WAITS, "nobody can do anything"
        assert steps < MAX_STEPS, "the match does not end"
        if outcome == "over":
            over.add(table)
        elif outcome == "waits":
            table.page.wait_for_timeout(10)  # the other side plays meanwhile
        elif steps == CHECKED_AFTER and len(tables) == 1:
            table.check()
        if len(over) == len(tables):
            return


def check_end(table: Table, game: str) -> None:
    """The match is over by the rules, and the page says so."""
    page = table.page
    expect(page.locator(".status.over")).to_be_visible()
    rules = registry.game(game)
    position = rules.parse_position(page.locator(".board").get_attribute("data-position") or "")
    outcome = position.outcome()
    assert outcome is not None
    ended = (page.locator(".status").text_content() or "").split(":")[0].split(",")[0]
    seat = int(page.locator(".game > .player").last.get_attribute("data-seat") or 0)
    expected = {1: "You won", 0: "A draw", -1: "You lost"}
    mine = outcome.returns[seat]
    assert ended.startswith(expected[(mine > 0) - (mine < 0)])
    table.check()


@pytest.mark.browser
@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_a_whole_match_against_a_bot(visit: Visit, server: ServerProcess, case: Case) -> None:
    table = Table(visit, server.url, case)
    name = f"{case.game[:3]} {case.size} {case.by}"
    table.player.sit(server.url, name, case.game)
    play_to_the_end(table)
    check_end(table, case.game)
    if isinstance(table.player, Reader) and case.game == "backgammon":
        assert {"pick", "move", "Done"} <= table.player.kinds
    table.page.locator("[data-do=leave]").click()  # a bot has only so many seats
    expect(table.page.locator(".lobby")).to_be_visible()


@pytest.mark.browser
@pytest.mark.parametrize("game", GAMES)
def test_a_whole_match_between_two_pages(visit: Visit, server: ServerProcess, game: str) -> None:
    one, other = (Table(visit, server.url, case) for case in BETWEEN_TWO if case.game == game)
    come_in(one.page, server.url, f"{game[:3]} one")
    sit_down(one.page, game, bot=None)
    come_in(other.page, one.page.url, f"{game[:3]} other")
    other.page.locator("[data-do=sit]").click()
    expect(one.page.locator(".inviting")).to_be_hidden()
    play_to_the_end(one, other)
    for table in (one, other):
        check_end(table, game)
