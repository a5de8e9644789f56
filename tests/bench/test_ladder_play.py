"""`plyhouse bench ladder` with a server, in runs too short to mean anything."""

from __future__ import annotations

import json
import socket

import pytest

import plyhouse
from bench import ladder, ladder_load
from bench.ladder_load import Load

pytestmark = pytest.mark.socket
pytest.importorskip("numpy")


def bench(*words: str) -> int:
    return plyhouse.main(["bench", "ladder", *words])


@pytest.mark.slow
def test_matches_are_counted_alone_and_with_followers(capfd: pytest.CaptureFixture[str]) -> None:
    words = "--part play --part page --bots 4 --followers 3 --seconds 1.5 --rounds 1 --warm-up 0.2"
    assert bench(*words.split(), "--json") == 0
    out, err = capfd.readouterr()
    found = json.loads(out)
    assert "errors" not in found, "none is not said"
    assert "rating" not in found
    alone, followed = found["play"], found["page"]
    assert alone["matches_per_minute"]["low"] > 0
    assert 0 < alone["p50_ms"]["median"] <= alone["p99_ms"]["median"]
    assert alone["standings_per_s"]["high"] == 0
    assert followed["followers"] == 3
    assert 0 < followed["standings_per_s"]["median"] < 3, "at most one a second, and the first"
    assert followed["bytes_per_standing"]["median"] > 500
    assert found["ratio_matches"] > 0
    assert err.count("matches/min") == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--bots 1", "at least 2 bots"),
        ("--rounds 0", "at least 1 round"),
        ("--seconds 0", "more than 0 seconds"),
        ("--followers 0", "at least 1 follower"),
    ],
)
def test_nonsense_is_one_sentence(
    words: str, sentence: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert bench(*words.split()) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("plyhouse bench ladder: ")
    assert sentence in err
    assert err.count("\n") == 1


def load(followers: int, matches: float, p50: float) -> Load:
    """A run of ten seconds."""
    return Load(
        bots=20,
        followers=followers,
        seconds=10.0,
        matches=int(matches / 6),
        matches_per_minute=matches,
        moves=1,
        moves_per_s=0.1,
        p50_ms=p50,
        p99_ms=2 * p50,
        standings=10 * followers,
        bytes_per_standing=20_000.0 * (followers > 0),
        generator_busy=0.1,
        server_cpu_ms=None,
        errors=0,
        said=[],
    )


def test_followers_are_compared_by_medians(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = [load(0, matches, p50) for matches, p50 in ((800, 9.0), (900, 4.0), (5_000, 3.0))]
    followed = [load(20, matches, p50) for matches, p50 in ((450, 5.0), (400, 6.0), (900, 5.0))]
    monkeypatch.setattr(ladder, "_runs", lambda *_, **__: (alone, followed))
    assert bench("--part", "page") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "MISSED the target of 1,000 matches a minute" in said
    assert "0.50 of the matches, a median move takes 1.25 times as long, p99 1.25" in said
    assert "900 (800 to 5,000)" in said


def test_nobody_listening_is_one_sentence(capfd: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        assert ladder_load.main(["--port", str(free.getsockname()[1])]) == 1
    assert capfd.readouterr().err.count("\n") == 1
