"""What the tests of boards share."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from lab.arena.local_server import ServerProcess
from tests.web.boards.gammon import Board

SCRIPT = "text/javascript"


@pytest.fixture
def door(page: Page, server: ServerProcess) -> Page:
    """A tab that has this house's page open, without the boards of its own door."""
    none = "export const doorBoards = () => [];"
    page.route("**/door_boards.js?*", lambda route: route.fulfill(content_type=SCRIPT, body=none))
    page.goto(server.url)
    return page


@pytest.fixture
def board(door: Page) -> Board:
    """A board of backgammon on which nothing moves."""
    return Board(door)
