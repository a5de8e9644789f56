"""Fixtures of ladders as values."""

from __future__ import annotations

import pytest

from tests.server.ladder.core.fields import ANN, BOB, Table


@pytest.fixture
def table() -> Table:
    """A ladder of tic-tac-toe that ann's and bob's bots have joined."""
    table = Table()
    table.join(ANN, BOB)
    return table
