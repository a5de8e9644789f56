"""`plyhouse bench` as its user meets it, with runs too short to mean anything."""

from __future__ import annotations

import socket
import sys
from types import ModuleType
from typing import Any

import pytest

from bench.ladder import load as ladder_load
from bench.server import load as server_load
from server.config import REFUSED
from server.ladder.core import rating
from tests.support.command import Run

pytestmark = pytest.mark.socket


def figures(table: dict[str, Any], row: str) -> dict[str, Any]:
    """A row of a table, by its columns."""
    return dict(zip(table["columns"], table["rows"][row], strict=True))


@pytest.mark.slow
def test_the_server_is_measured(run: Run) -> None:
    words = "--matches 4 --seconds 0.4 --rounds 2 --warm-up 0.1 --idle 20 --json"
    said = run("bench server", words)
    report = said.json()
    assert (said.code, report["problems"]) == (0, [])
    measured, ratios = report["tables"]
    moves = figures(measured, "moves a second")
    assert 0 < moves["Plyhouse"]["low"] <= moves["Plyhouse"]["median"]
    p50, p99 = (measured["rows"][name][0] for name in list(measured["rows"])[2:4])
    assert p50["median"] <= p99["median"]
    bare, ratio = moves["bare websockets"], figures(ratios, "moves a second")["to bare websockets"]
    assert moves["Plyhouse"]["low"] / bare["high"] <= ratio["low"]
    assert ratio["high"] <= moves["Plyhouse"]["high"] / bare["low"]
    assert "kB a connection (20 at matches, idle)" in report["notes"][-1]
    assert said.err.count("moves/s") == 4, "progress is told apart from the report"


@pytest.mark.slow
def test_ours_and_bare_websockets_are_measured_in_turns(run: Run) -> None:
    words = "--alone --matches 3,1,2 --seconds 0.3 --rounds 1 --warm-up 0.1 --json"
    said = run("bench peers", words)
    report = said.json()
    assert (said.code, report["problems"]) == (0, [])
    ours, bare = "Plyhouse", "bare websockets"
    three, ratios, alone, _, sizes, _ = report["tables"]
    assert three["columns"] == alone["columns"] == [ours, bare]
    moves = figures(three, "moves a second")
    quotient = moves[ours]["median"] / moves[bare]["median"]  # of one round
    assert figures(ratios, "moves a second")[f"to {bare}"]["median"] == pytest.approx(quotient)
    assert sizes["columns"] == ["1 at once", "2 at once", "3 at once"]
    assert any(note.startswith("One sync of the disk, p50: ") for note in report["notes"])
    assert said.err.count("moves/s") == 6


@pytest.mark.slow
def test_prices_are_measured(run: Run) -> None:
    said = run("bench prices", "--scale 0.02 --json")
    assert said.code in (0, 1), said.err  # a few times are too few to tell whether all are covered
    (table,) = said.json()["tables"]
    assert figures(table, "a refused play")["price us"] == REFUSED
    assert figures(table, "history, of a full page")["bytes out"] > 60 * 1_500
    assert all(cells[0] > 0 for cells in table["rows"].values())


@pytest.mark.slow
def test_a_kill_run_ends_in_a_verdict(run: Run) -> None:
    code, out, _ = run("bench kill --matches 3 --kills 1 --seed 2")
    assert code == 0
    assert "kill 1:" in out
    assert "VERDICT: nothing shown was lost" in out


@pytest.mark.slow
def test_a_ladder_is_measured(run: Run) -> None:
    pytest.importorskip("numpy")
    said = run("bench ladder", "--bots 4 --seconds 1.5 --rounds 1 --warm-up 0.2 --json")
    report = said.json()
    assert (said.code, report["problems"]) == (0, [])
    assert figures(report["tables"][0], "matches a minute")["4 bots"]["low"] > 0


WRONG = {
    "scale is above 0": ["prices --scale 0", "prices --scale nan"],
    "at least 1 match, of backgammon, backgammon_cube, connect_four": [
        "kill --game chess", "kill --matches 0", "kill --times -1",
    ],
    "matches, rooms and life start at 1": ["chaos --matches 0", "chaos --rooms 0"],
    "there is no attack 'siege'; there are history": ["attack siege"],
    "times, rounds and pace are above 0": ["attack --seconds 0", "attack --addresses 999"],
    "2 to 16 servers": ["cluster --servers 1"],
    "images and matches start at 1, seconds above 0": ["plug --images 0", "plug --seconds 0"],
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
    "pairs start at 0, processes at 1": ["backgammon --pairs -1", "backgammon --processes 0"],
    "a ladder needs at least 2 bots": ["ladder --bots 1"],
    "there is at least 1 round, of more than 0": ["ladder --rounds 0", "ladder --seconds 0"],
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
