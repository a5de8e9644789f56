"""The simulated house: what holds of a run, and that a run notices what does not hold."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.simulation.guards import GUARDS, changed, without
from tests.simulation.history import History
from tests.simulation.run import simulate

ROOT = Path(__file__).parents[2]
# Seeds that have failed, with minutes and tables.  A change of the simulation makes other runs of
# them, so what each has found has a test of its own as well.
CASES = [
    (104, 3, 8),  # a flag fell while the server ended and read no more: server/rooms/test_restart
]


def test_a_short_run_is_well_and_the_same_once_more() -> None:
    """So many minutes and tables as there is time for."""
    first, second = (simulate(7, minutes=0.5, tables=2) for _ in range(2))
    assert first.failure is None
    assert first.plays > 0
    assert first == second


def test_the_words_of_each_guard_stand_where_it_is_said() -> None:
    """Else a run without it would be one with it."""
    assert all(changed(guard) for guard in GUARDS.values())


@pytest.mark.parametrize("name", ["turn", "stored before shown", "ladder stored first"])
def test_a_run_notices_a_guard_that_is_out(name: str) -> None:
    """Some of them, quickly; `python -m tests.simulation --guards` tries all."""
    with without(name):
        assert any(simulate(seed, minutes=1, tables=2).failure for seed in range(10))
    assert simulate(0, minutes=0.2, tables=1).failure is None


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_what_a_seed_has_found_is_mended(case: tuple[int, float, int]) -> None:
    """See CASES."""
    seed, minutes, tables = case
    assert simulate(seed, minutes=minutes, tables=tables).failure is None


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_a_whole_run_is_well_and_the_same_in_another_process(seed: int) -> None:
    """Whatever the order of its sets of texts."""
    here = simulate(seed)
    assert here.failure is None
    there = subprocess.run(
        [sys.executable, "-m", "tests.simulation", "--seed", str(seed)],
        cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": "7"}, capture_output=True, text=True,
        timeout=600, check=False,
    )  # fmt: skip
    assert there.returncode == 0, there.stdout + there.stderr
    assert here.digest in there.stdout


class Call(NamedTuple):
    """A play from its call to its return, as places in the history."""

    turn: int
    what: tuple[str, str]
    began: int
    ended: int


def granted(lines: list[dict[str, Any]]) -> dict[str, list[Call]]:
    """By match, the plays that were granted; each call has one return, after it."""
    begun: dict[int, tuple[int, dict[str, Any]]] = {}
    calls: dict[str, list[Call]] = {}
    for place, line in enumerate(lines):
        assert set(line) == {"ClientId", "Kind", "Value", "Id"}
        if line["Kind"] == "call":
            assert line["Id"] not in begun
            begun[line["Id"]] = place, line
            continue
        began, call = begun[line["Id"]]
        assert (line["Kind"], line["ClientId"]) == ("return", call["ClientId"])
        value = call["Value"]
        if line["Value"]["outcome"] == "granted":
            play = Call(value["turn"], (value["action"], value["name"]), began, place)
            calls.setdefault(value["match"], []).append(play)
    assert len(lines) == 2 * len(begun)
    return calls


def is_linear(calls: list[Call]) -> bool:
    """Whether there is an order of the calls that the model of docs/ideas/log.md allows.

    Of calls for the same play one had an effect: after one of them began, before one of them ended.
    """
    plays: dict[tuple[int, tuple[str, str]], Call] = {}
    for call in calls:
        play = plays.setdefault(call[:2], call)
        began, ended = min(play.began, call.began), min(play.ended, call.ended)
        plays[call[:2]] = call._replace(began=began, ended=ended)
    in_turn = sorted(plays.values())
    return all(
        one.began < other.ended and one.turn < other.turn
        for place, one in enumerate(in_turn)
        for other in in_turn[place + 1 :]
    )


def test_the_history_of_a_run_is_whole_and_linear_and_a_changed_one_is_not() -> None:
    file = io.StringIO()
    assert simulate(3, minutes=1, tables=3, history=file).failure is None
    matches = granted([json.loads(line) for line in file.getvalue().splitlines()])
    assert all(is_linear(calls) for calls in matches.values())
    calls = max(matches.values(), key=len)
    first, last = calls[0], calls[-1]
    assert not is_linear([first._replace(turn=last.turn + 1), last])
    assert not is_linear([first, first._replace(what=("?", "?"))])


def test_a_call_without_a_return_ends_as_unknown() -> None:
    history, file = History(), io.StringIO()
    history.returned(4, history.call(4, "1.1", 3, "5", "p4"), "refused")
    history.call(5, "1.1", 3, "6", "p5")
    history.write(file)
    lines = [json.loads(line) for line in file.getvalue().splitlines()]
    assert [(line["Id"], line["Kind"]) for line in lines] == [
        (1, "call"), (1, "return"), (2, "call"), (2, "return"),
    ]  # fmt: skip
    assert lines[-1]["Value"] == {"outcome": "unknown"}
