"""`plyhouse bench search`, without OpenSpiel and with runs too short to mean anything."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from bench.search import openspiel, search
from bench.support.report import FigureTable, Spread
from bots.engine import compiled
from tests.support.command import Run

PLACES = ("first", "middle")


def test_each_game_is_measured_from_two_positions(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[object] = []

    def our_rate(place: openspiel.SearchPosition, *_: object) -> float:
        begun.append(place)
        return 1_950_000.0

    monkeypatch.setattr(search, "our_rate", our_rate)
    monkeypatch.setattr(search, "load_average", lambda: float(len(begun)))
    monkeypatch.setattr(compiled, "available", lambda: False)
    said = run("bench search --alone --rounds 2 --json")
    report = said.json()
    assert said.code == 0
    (table,) = report["tables"]
    assert list(table["rows"]) == [f"{g}, {p}" for g in search.SIMULATIONS for p in PLACES]
    assert {cells[1] for cells in table["rows"].values()} == {None}
    assert "PLAIN PYTHON" in report["notes"][0]
    assert not any("BUSY" in note for note in report["notes"]), "the load is that before it began"
    assert said.err.count("round 2 of 2") == 2 * len(search.SIMULATIONS)


def test_a_search_is_timed() -> None:
    place = openspiel.PLACES[0]
    assert search.our_rate(place, 3, iter((1,)), Path()) > 0


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


def test_what_is_off_its_target_is_named() -> None:
    slow, fast = Spread(0.5, 0.4, 0.6), Spread(20.0, 19.0, 21.0)
    cells = {"a": slow, "b": fast, "c": None}
    rows = {name: [None, None, cell, "13/16"] for name, cell in cells.items()}
    assert search.missed(FigureTable("", [], rows)) == ["a"]
