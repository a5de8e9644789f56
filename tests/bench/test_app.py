"""`plyhouse bench` as its user meets it, with runs too short to mean anything."""

from __future__ import annotations

import socket
import sys
from types import ModuleType

import pytest

from bench.ladder import load as ladder_load
from bench.server import load as server_load
from server.config import REFUSED
from server.ladder.core import rating
from tests.support.command import Run

pytestmark = pytest.mark.socket


@pytest.mark.slow
def test_the_server_is_measured(run: Run) -> None:
    words = "--matches 4 --seconds 0.4 --rounds 2 --warm-up 0.1 --idle 20 --json"
    said = run("bench server", words)
    report = said.json()
    assert said.code == 0
    assert report["errors"] == 0
    assert report["matches"] == 4
    assert 0 < report["moves_per_s"]["low"] <= report["moves_per_s"]["median"]
    assert report["p50_ms"]["median"] <= report["p99_ms"]["median"]
    assert said.err.count("moves/s") == 2, "progress is told apart from the report"


@pytest.mark.slow
def test_ours_and_bare_websockets_are_measured_in_turns(run: Run) -> None:
    words = "--alone --matches 3,1,2 --seconds 0.3 --rounds 1 --warm-up 0.1 --json"
    said = run("bench peers", words)
    report = said.json()
    assert (said.code, report["errors"]) == (0, 0)
    measured = [(row["name"], row["matches"]) for row in report["figures"]]
    ours, bare = "Plyhouse", "bare websockets"
    assert measured == [(ours, 3), (bare, 3), (ours, 1), (bare, 1), (ours, 2)]
    assert report["figures"][0]["ours_to_it"]["moves/s"] == {"median": 1, "low": 1, "high": 1}
    assert 0 < report["figures"][1]["ours_to_it"]["moves/s"]["median"] < 2
    assert [size["matches"] for size in report["sizes"]] == [3, 1, 2]
    assert report["p50_to_colyseus_and_sync"] is None
    assert report["sync_p50_ms"]["median"] > 0
    assert said.err.count("moves/s") == 5


@pytest.mark.slow
def test_prices_are_measured(run: Run) -> None:
    said = run("bench prices", "--scale 0.02 --json")
    assert said.code in (0, 1), said.err  # a few times are too few to tell whether all are covered
    lines = {line["name"]: line for line in said.json()["lines"]}
    assert lines["a refused play"]["price_us"] == REFUSED
    assert lines["history, of a full page"]["bytes"] > 60 * 1_500
    assert all(line["cpu_us"] > 0 for line in lines.values())


@pytest.mark.slow
def test_a_kill_run_ends_in_a_verdict(run: Run) -> None:
    code, out, _ = run("bench kill --matches 3 --kills 1 --seed 2")
    assert code == 0
    assert "kill 1:" in out
    assert "VERDICT: nothing shown was lost" in out


WRONG = {
    "scale is above 0": ["prices --scale 0", "prices --scale nan"],
    "at least 1 match, of backgammon, backgammon_cube, connect_four": [
        "kill --game chess", "kill --matches 0", "kill --times -1",
    ],
    "matches, rooms and life start at 1": ["chaos --matches 0", "chaos --rooms 0"],
    "there is no attack 'siege'; there are history": ["attack siege"],
    "times, rounds and pace are above 0": ["attack --seconds 0", "attack --addresses 999"],
    "matches and rounds start at 1, seconds above": ["server --matches 0", "server --seconds 0"],
    "--matches are numbers from 1 to 10,000": [
        "peers --matches 0", "peers --matches 1,x", "peers --matches 20000",
    ],
    "rounds start at 1, seconds and minutes above 0": [
        "peers --rounds 0", "peers --seconds nan", "peers --minutes 0",
    ],
    "rounds and simulations start at 1": ["search --rounds 0", "search --simulations -1"],
    "there is no game 'chess'; there are tic_tac": ["search --game chess"],
    "OpenSpiel is not installed": ["search"],
    "plies are 0, 1 and 2": ["backgammon --plies 3", "backgammon --plies 0,,1"],
    "there is no peer 'bgblitz'; there are gnubg": ["backgammon --against bgblitz"],
    "pairs and timed start at 0": ["backgammon --pairs -1", "backgammon --processes 0"],
    "a ladder needs at least 2 bots": ["ladder --bots 1"],
    "there is at least 1 round, of more than 0": ["ladder --rounds 0", "ladder --seconds 0"],
    "there is at least 1 follower, and 1 pair to": ["ladder --followers 0", "ladder --pairs 0"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("words", "sentence"), [(words, why) for why, wrong in WRONG.items() for words in wrong]
)
def test_what_cannot_be_measured_is_one_sentence_and_exit_code_2(
    run: Run, words: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    run("bench", words).refuses(f"plyhouse bench {words.split(maxsplit=1)[0]}: {sentence}")


def test_a_ladder_without_numpy_has_no_ratings(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rating, "available", lambda: False)
    run("bench ladder").refuses("", "a ladder needs numpy")


@pytest.mark.parametrize("generator", [server_load, ladder_load])
def test_a_generator_without_a_server_says_so(
    generator: ModuleType, capfd: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        assert generator.main(["--port", str(free.getsockname()[1])]) == 1
    assert capfd.readouterr().err.count("\n") == 1
