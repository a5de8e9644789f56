"""`plyhouse bench ladder`: what is made of runs."""

from __future__ import annotations

import pytest

from bench.ladder import ladder
from bench.support.generator import Load
from tests.support.command import Run

pytest.importorskip("numpy")


def test_matches_are_told_by_the_minute(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = iter((800, 900, 5_000))

    def load_on(*_: object) -> Load:
        return Load(seconds=60.0, moves=1, p50_ms=4.0, p99_ms=9.0, matches=next(runs))

    monkeypatch.setattr(ladder, "load_on", load_on)
    out = " ".join(run("bench ladder").out.split())
    assert "MISSED the target of 1,000 matches a minute" in out
    assert "900 (800 to 5,000)" in out
