"""`plyhouse bench ladder` with a server, in runs too short to mean anything."""

from __future__ import annotations

import pytest

from bench.ladder import ladder
from bench.ladder.load import LadderLoad
from tests.support.command import Run

pytestmark = pytest.mark.socket
pytest.importorskip("numpy")


@pytest.mark.slow
def test_matches_are_counted_alone_and_with_followers(run: Run) -> None:
    words = "--part play --part page --bots 4 --followers 3 --seconds 1.5 --rounds 1 --warm-up 0.2"
    said = run("bench ladder", words, "--json")
    report = said.json()
    assert said.code == 0
    assert "errors" not in report, "none is not said"
    assert "rating" not in report
    alone, followed = report["play"], report["page"]
    assert alone["matches_per_minute"]["low"] > 0
    assert 0 < alone["p50_ms"]["median"] <= alone["p99_ms"]["median"]
    assert alone["standings_per_s"]["high"] == 0
    assert followed["followers"] == 3
    assert 0 < followed["standings_per_s"]["median"] < 3, "at most one a second, and the first"
    assert followed["bytes_per_standing"]["median"] > 500
    assert report["ratio_matches"] > 0
    assert said.err.count("matches/min") == 1


def load(followers: int, matches: float, p50: float) -> LadderLoad:
    """A run of ten seconds."""
    return LadderLoad(
        bots=20, followers=followers, seconds=10.0, matches=int(matches / 6),
        matches_per_minute=matches, moves=1, moves_per_s=0.1, p50_ms=p50, p99_ms=2 * p50,
        standings=10 * followers, bytes_per_standing=20_000.0 * (followers > 0),
        generator_busy=0.1, server_cpu_ms=None, errors=0, complaints=[],
    )  # fmt: skip


def test_followers_are_compared_by_medians(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = [load(0, matches, p50) for matches, p50 in ((800, 9.0), (900, 4.0), (5_000, 3.0))]
    followed = [load(20, matches, p50) for matches, p50 in ((450, 5.0), (400, 6.0), (900, 5.0))]
    monkeypatch.setattr(ladder, "_runs", lambda *_, **__: (alone, followed))
    out = " ".join(run("bench ladder --part page").out.split())
    assert "MISSED the target of 1,000 matches a minute" in out
    assert "0.50 of the matches, a median move takes 1.25 times as long, p99 1.25" in out
    assert "900 (800 to 5,000)" in out
