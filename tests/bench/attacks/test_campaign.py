"""`plyhouse bench attack` as its user meets it, with attacks too short to mean anything."""

from __future__ import annotations

import json

import pytest

from bench.attacks.attack import beyond, failed
from bench.attacks.campaign import AttackFigures, RoundFigures
from bench.attacks.control import ControlFigures, ControlMatch
from bench.attacks.hostile import AttackCounts
from bench.attacks.newcomer import NewcomerFigures
from bench.attacks.strike import ATTACKS
from tests.support.command import Run

pytestmark = [pytest.mark.socket, pytest.mark.chaos]


def test_each_attack_has_a_name_and_a_line() -> None:
    assert len(ATTACKS) >= 20
    assert all(name == attack.name and attack.about for name, attack in ATTACKS.items())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["plays", "rooms", "malformed"])
def test_an_attack_is_measured(run: Run, name: str) -> None:
    amount = "--seconds 0.9 --quiet 1 --rest 0.5"  # too short for its CPU to be judged
    code, out, err = run("bench attack", f"{name} {amount} --json")
    report = json.loads(out)
    (figures,) = report["attacks"]
    assert (code, figures["problems"]) == (0, [])
    assert figures["quiet"]["made"] > 0
    assert [each["control"]["made"] > 0 for each in figures["rounds"]] == [True, True]
    assert all(each["memory_mb"] < 1.5 * figures["before_mb"] for each in figures["rounds"])
    assert figures["log_lines"] < 100
    assert err.startswith(f"{name}: quiet p50")


@pytest.mark.slow
def test_a_house_without_limits_breaks_which_shows_that_the_check_can_fail(run: Run) -> None:
    amount = "unlimited --seconds 4 --quiet 1 --rounds 1 --rest 0.1"
    said = run("bench attack", amount)
    assert (said.code, "as it must be without limits: it took" in said.out) == (0, True)
    limits = "--set connection_micros=40000 --set session_micros=60000 --set address_micros=100000"
    said = run("bench attack", f"{amount} {limits} --set pace_micros=1000")
    assert (said.code, "it held: nothing is measured here" in said.out) == (1, True)


@pytest.mark.slow
def test_an_attack_is_told_in_a_table(run: Run) -> None:
    said = run("bench attack", "lobby --seconds 0.3 --quiet 0.3 --rounds 1 --rest 0.1")
    assert said.code == 0
    assert "the control to the quiet seconds before" in said.out


def test_the_controls_figures_are_those_of_the_span() -> None:
    control = ControlMatch("127.0.0.1", 1, pace=2.0)
    control._moves = [(at, 0.001 * at) for at in (1.0, 2.0, 3.0, 8.0, 11.0)]
    control._refusals = [(2.5, "session/flood"), (20.0, "room/busy")]
    figures = control.figures(1.5, 10.5)
    assert (figures.due, figures.made, figures.gap_s) == (18, 3, 5.0)
    assert (figures.p50_ms, figures.p99_ms) == (3.0, 8.0)
    assert figures.refused == {"session/flood": 1}


def moves(p99_ms: float) -> ControlFigures:
    """A control whose moves took so long."""
    return ControlFigures(due=100, made=100, p50_ms=1.0, p99_ms=p99_ms, gap_s=0.1, refused={})


def struck(
    p99_ms: float, worst_second: float, memory_mb: float, waited: float = 0.0
) -> RoundFigures:
    """A round that did this."""
    return RoundFigures(
        control=moves(p99_ms),
        attack=AttackCounts(seconds=5.0),
        newcomer=NewcomerFigures(hello_ms=1.0, rooms=1, refused={}),
        cpu=worst_second,
        worst_second=worst_second,
        waited=waited,
        memory_mb=memory_mb,
    )


@pytest.mark.parametrize(
    ("rounds", "words"),
    [
        ([struck(5.9, 0.3, 40), struck(2.0, 0.3, 41)], []),
        ([struck(2.0, 0.3, 40), struck(6.3, 0.3, 41)], ["2.1 times the quiet one"]),
        ([struck(2.0, 0.3, 40), struck(6.3, 0.3, 41, waited=0.2)], []),
        ([struck(2.0, 0.3, 40), struck(2.0, 0.3, 50)], ["memory grew from 35 to 40 and 50 MB"]),
        ([struck(2.0, 0.9, 40), struck(2.0, 0.3, 40)], ["it took 80% of a core in a second"]),
    ],
)
def test_what_is_beyond_the_promises_is_said_and_is_a_failure(
    rounds: list[RoundFigures], words: list[str]
) -> None:
    figures = AttackFigures(
        attack="plays", about="", breaks=False, quiet=moves(3.0), quiet_cpu=0.1, quiet_waited=0.0,
        before_mb=35, rounds=rounds,
    )  # fmt: skip
    assert failed(figures) == bool(words)
    figures.breaks = True
    assert failed(figures) == (not words), "a house without limits must not hold"
    sentences = list(beyond(figures))
    assert [word in sentence for word, sentence in zip(words, sentences, strict=True)] == [
        True for _ in words
    ]
