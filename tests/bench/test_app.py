"""`plyhouse bench` as its user meets it, with runs too short to mean anything."""

from __future__ import annotations

import json

import pytest

import plyhouse

pytestmark = pytest.mark.socket


def bench(*words: str) -> int:
    return plyhouse.main(["bench", *words])


@pytest.mark.slow
def test_the_server_is_measured(capfd: pytest.CaptureFixture[str]) -> None:
    words = "server --matches 4 --seconds 0.4 --rounds 2 --warm-up 0.1 --idle 20 --json"
    assert bench(*words.split()) == 0
    out, err = capfd.readouterr()
    found = json.loads(out)
    assert found["errors"] == 0
    assert found["matches"] == 4
    assert 0 < found["moves_per_s"]["low"] <= found["moves_per_s"]["median"]
    assert found["p50_ms"]["median"] <= found["p99_ms"]["median"]
    assert err.count("moves/s") == 2, "progress is told apart from the report"


@pytest.mark.slow
def test_a_kill_run_ends_in_a_verdict(capfd: pytest.CaptureFixture[str]) -> None:
    assert bench("kill", "--matches", "3", "--kills", "1", "--seed", "2") == 0
    out = capfd.readouterr().out
    assert "kill 1:" in out
    assert "VERDICT: nothing shown was lost" in out


@pytest.mark.parametrize(
    "words", ["kill --game chess", "kill --matches 0", "server --matches 0", "server --seconds 0"]
)
def test_nonsense_is_one_sentence_and_exit_code_2(
    words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert bench(*words.split()) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("plyhouse bench")
    assert err.count("\n") == 1
