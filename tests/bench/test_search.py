"""`plyhouse bench search`, without OpenSpiel and with runs too short to mean anything."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import pytest

import plyhouse
from bench import house_bots, openspiel, search
from bots import compiled
from games import registry
from games.game import CHANCE


def bench(*words: str) -> int:
    return plyhouse.main(["bench", "search", *words])


@pytest.fixture
def in_plain_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "available", lambda: False)


@pytest.fixture
def no_openspiel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)


@pytest.mark.usefixtures("in_plain_python", "no_openspiel")
def test_each_game_is_measured_from_two_positions(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench("--alone", "--brief", "--rounds", "2", "--simulations", "3", "--json") == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    places = [(race["game"], race["place"]) for race in found["races"]]
    assert places == [(g, p) for g in search.SIMULATIONS for p in ("first", "middle")]
    for race in found["races"]:
        assert 0 < race["ours"]["low"] <= race["ours"]["median"] <= race["ours"]["high"]
        assert race["ratio"] is None
    assert not found["compiled"]
    assert err.count("round") == 2, "progress is told apart from the report"


@pytest.mark.usefixtures("no_openspiel")
def test_without_openspiel_it_refuses_with_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench() == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("plyhouse bench search: OpenSpiel is not installed")
    assert err.count("\n") == 1


@pytest.mark.parametrize("words", ["--rounds 0", "--simulations -1", "--game chess"])
def test_nonsense_is_one_sentence_and_exit_code_2(
    words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench(*words.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("plyhouse bench search: ")
    assert err.count("\n") == 1


def test_a_seat_is_to_move_in_every_position() -> None:
    for place in openspiel.PLACES:
        assert place.position().to_move >= 0
        assert search.SIMULATIONS[place.game] > 0
        assert search.TARGETS[place.game][0] < search.TARGETS[place.game][1]


@pytest.mark.skipif(importlib.util.find_spec("pyspiel") is None, reason="OpenSpiel is an extra")
@pytest.mark.parametrize("place", openspiel.PLACES, ids=lambda p: f"{p.game}-{p.name}")
def test_openspiel_is_in_the_same_position(place: openspiel.Place) -> None:
    rival = openspiel.Rival(place, 1.4)
    position = place.position()
    assert rival.state.current_player() == position.to_move
    most = len(rival.state.legal_actions())  # of backgammon, turns in both orders
    board_first = place.game == "ultimate_tic_tac_toe" and place.name == "first"
    assert most == 9 if board_first else most >= len(position.legal_actions())


def spread(median: float) -> search.Spread:
    return search.Spread(median, median - 0.1, median + 0.1)


def test_the_report_is_a_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    race = search.Race(
        game="connect_four", place="middle", simulations=9, ours=spread(1_950_000.0),
        theirs=spread(130_000.0), ratio=spread(12.5), target=13.0, aim=16.0,
    )  # fmt: skip
    threads = search.Threads(game="connect_four", gain=spread(1.5), target=1.6, aim=1.9)
    start = search.Start(game="backgammon", cached_s=spread(0.8), cold_s=11.0)
    report = search.Report(
        rounds=5, compiled=True, races=[race], threads=[threads], starts=[start],
        house_bots_mb=310.0, house_bots=12, load=1.5, python="3.11", machine="a machine",
    )  # fmt: skip
    search.show(report)
    out = capsys.readouterr().out
    assert "1,950" in out
    assert "12.4-12.6" in out
    for what in ("connect_four, middle position", "threads, connect_four", "start, backgammon"):
        assert f"OFF ITS TARGET: {what}" in out
    assert "OFF ITS TARGET: memory" in out
    assert "THE MACHINE WAS BUSY: load 1.5" in out


def test_the_tables_fit_80_columns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    games, wide = search.SIMULATIONS, search.Spread(1_950_000.0, 950_000.0, 2_950_000.0)
    ratio, seconds = search.Spread(22.5, 19.5, 102.5), search.Spread(10.8, 10.75, 11.25)
    report = search.Report(
        rounds=5, compiled=True,
        races=[
            search.Race(
                game=game, place="middle", simulations=9, ours=wide, theirs=wide, ratio=ratio,
                target=search.TARGETS[game][0], aim=search.TARGETS[game][1],
            )
            for game in games
        ],
        threads=[
            search.Threads(game=game, gain=seconds, target=1.6, aim=1.9) for game in games
        ],
        starts=[search.Start(game=game, cached_s=seconds, cold_s=11.0) for game in games],
        house_bots_mb=1310.0, house_bots=12, load=None, python="3.11", machine="a machine",
    )  # fmt: skip
    search.show(report)
    out = capsys.readouterr().out
    assert "…" not in out
    assert max(map(len, out.splitlines())) <= 80
    for target, aim in search.TARGETS.values():
        assert f" {target:g}/{aim:g}" in out


def test_a_process_of_bots_searches_where_a_seat_is_to_move() -> None:
    assert house_bots.position(registry.game("backgammon").initial()).to_move != CHANCE


@pytest.mark.slow
def test_a_process_of_bots_says_what_it_did(tmp_path: Path) -> None:
    said = search._bots(["first", "tic_tac_toe"], str(tmp_path))
    assert said.searches == 1
