"""Nets as compiled code, for the longer tests."""

from __future__ import annotations

import pytest

from bots.backgammon.nets import Nets
from tests.bots.backgammon import tiny
from tests.bots.backgammon.tiny import Tiny


@pytest.fixture
def fast(with_numba: None) -> Tiny:
    """The nets of tiny.plain(), compiled, with the whole exact table."""
    return Tiny(Nets(tiny.weights()))
