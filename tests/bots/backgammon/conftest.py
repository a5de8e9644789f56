"""Nets as compiled code, for the longer tests."""

from __future__ import annotations

import pytest

from bots import compiled
from bots.nets import Nets
from tests.bots.backgammon import tiny
from tests.bots.backgammon.tiny import Tiny


@pytest.fixture
def with_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled code, whatever the rest of the tests do."""
    pytest.importorskip("numba")
    monkeypatch.setattr(compiled, "available", lambda: True)


@pytest.fixture
def fast(with_numba: None) -> Tiny:
    """The nets of tiny.plain(), compiled, with the whole exact table."""
    return Tiny(Nets(tiny.weights()))
