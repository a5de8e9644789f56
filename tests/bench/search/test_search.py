"""`plyhouse bench search`, without OpenSpiel and with runs too short to mean anything."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from bench.search import openspiel, search
from bots.engine import compiled
from bots.engine.compiled_bot import first_decision
from games import registry
from games.game import CHANCE
from tests.support.command import Run


def test_each_game_is_measured_from_two_positions(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "available", lambda: False)
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    said = run("bench search --alone --brief --rounds 2 --simulations 3 --json")
    report = said.json()
    assert said.code == 0
    places = [(race["game"], race["place"]) for race in report["races"]]
    assert places == [(g, p) for g in search.SIMULATIONS for p in ("first", "middle")]
    for race in report["races"]:
        assert 0 < race["ours"]["low"] <= race["ours"]["median"] <= race["ours"]["high"]
        assert race["ratio"] is None
    assert not report["compiled"]
    assert said.err.count("round") == 2, "progress is told apart from the report"


def test_the_load_is_that_before_it_began(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[object] = []

    def races(*_: object) -> list[search.Race]:
        begun.append(races)
        return []

    monkeypatch.setattr(search, "races", races)
    monkeypatch.setattr(search, "load_average", lambda: float(len(begun)))
    assert run("bench search --alone --brief --json").json()["load"] == 0.0
    assert begun


def test_a_seat_is_to_move_in_every_position() -> None:
    for place in openspiel.PLACES:
        assert place.position().to_move >= 0
        assert search.SIMULATIONS[place.game] > 0
        assert search.TARGETS[place.game][0] < search.TARGETS[place.game][1]


@pytest.mark.skipif(importlib.util.find_spec("pyspiel") is None, reason="OpenSpiel is an extra")
@pytest.mark.parametrize("place", openspiel.PLACES, ids=lambda p: f"{p.game}-{p.name}")
def test_openspiel_is_in_the_same_position(place: openspiel.SearchPosition) -> None:
    theirs = openspiel.OpenSpielSearch(place, 1.4)
    position = place.position()
    assert theirs.state.current_player() == position.to_move
    turns = len(theirs.state.legal_actions())  # of backgammon, turns in both orders
    board_first = place.game == "ultimate_tic_tac_toe" and place.name == "first"
    assert turns == 9 if board_first else turns >= len(position.legal_actions())


Spread = search.Spread


def report(
    games: Iterable[str], ours: Spread, ratio: Spread, seconds: Spread
) -> search.SearchReport:
    """The same of each game."""
    return search.SearchReport(
        rounds=5, compiled=True, load=1.5, python="3.11", machine="a machine",
        races=[
            search.Race(
                game=game, place="middle", simulations=9, ours=ours, theirs=ours, ratio=ratio,
                target=search.TARGETS[game][0], aim=search.TARGETS[game][1],
            )
            for game in games
        ],
        threads=[search.Threads(game=game, gain=seconds, target=1.6, aim=1.9) for game in games],
        starts=[search.Start(game=game, cached_s=seconds, cold_s=11.0) for game in games],
        house_bots_mb=1310.0, house_bots=12,
    )  # fmt: skip


def test_the_report_is_a_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    ours, ratio = Spread(1_950_000.0, 1_900_000.0, 2_000_000.0), Spread(0.5, 0.4, 0.6)
    search.show(report(["connect_four"], ours, ratio, Spread(1.5, 1.4, 1.6)))
    out = capsys.readouterr().out
    assert "1,950" in out
    assert "0.4-0.6" in out
    for what in ("connect_four, middle position", "threads, connect_four", "start, connect_four"):
        assert f"OFF ITS TARGET: {what}" in out
    assert "OFF ITS TARGET: memory" in out
    assert "THE MACHINE WAS BUSY: load 1.5" in out


def test_the_tables_fit_80_columns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    wide, ratio = Spread(1_950_000.0, 950_000.0, 2_950_000.0), Spread(22.5, 19.5, 102.5)
    search.show(report(search.SIMULATIONS, wide, ratio, Spread(10.8, 10.75, 11.25)))
    out = capsys.readouterr().out
    assert "…" not in out
    assert max(map(len, out.splitlines())) <= 80
    for target, aim in search.TARGETS.values():
        assert f" {target:g}/{aim:g}" in out


def test_a_process_of_bots_searches_where_a_seat_is_to_move() -> None:
    assert first_decision(registry.game("backgammon")).to_move != CHANCE


@pytest.mark.slow
def test_a_process_of_bots_says_what_it_did(tmp_path: Path) -> None:
    result = search._bots(["first", "tic_tac_toe"], str(tmp_path))
    assert result.searches == 1
