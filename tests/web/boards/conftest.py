"""What the tests of boards share."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from lab.arena.local_server import ServerProcess
from tests.web.boards.gammon import Board


@pytest.fixture
def door(page: Page, server: ServerProcess) -> Page:
    """A tab that has this house's page open."""
    page.goto(server.url)
    return page


@pytest.fixture
def board(door: Page) -> Board:
    """A board of backgammon on which nothing moves."""
    return Board(door)
