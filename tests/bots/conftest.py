"""Compiled code, for the tests that ask for it."""

from __future__ import annotations

import pytest

from bots.engine import compiled


@pytest.fixture
def with_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled code, whatever the rest of the tests do."""
    pytest.importorskip("numba")
    monkeypatch.setattr(compiled, "available", lambda: True)
