"""`plyhouse bench growth` with runs too short to mean anything, and the plot it draws."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from bench.search import growth
from bots.engine.kernels.uct import NODE
from tests.support.command import Run

SVG = "{http://www.w3.org/2000/svg}"
SHORT = "bench growth --rounds 1 --seconds 0.001 --positions 600"


@pytest.mark.slow
def test_each_game_is_measured_and_the_plot_drawn(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "search.svg"
    report = run(SHORT, "--json --svg", file).json()
    assert {p["game"] for p in report["points"]} == set(growth.GAMES)
    for p in report["points"]:
        assert p["seconds"] > 0
        assert p["bytes"] % (8 * NODE) == 0
        assert 0 < p["path"] < p["simulations"]
    counts = {(d["search"], d["depth"]): d["positions"] for d in report["depths"]}
    assert counts["plain minimax", 3] == 7 + (7 + 49) + (7 + 49 + 343)
    assert counts["alpha-beta", 3] < counts["plain minimax", 3]
    root = ET.parse(file).getroot()
    titles = [text.text for text in root.iter(f"{SVG}text") if "bold" in text.get("class", "")]
    assert titles[:2] == ["UCT: time", "UCT: memory"]
    assert len(list(root.iter(f"{SVG}circle"))) == 3 * len(report["points"]) + len(report["depths"])


def test_without_json_it_prints_tables_and_a_plot_it_cannot_write_is_one_sentence(
    run: Run, tmp_path: Path
) -> None:
    there = tmp_path / "nowhere" / "search.svg"
    code, out, err = run(SHORT, "--game tic_tac_toe --svg", there)
    assert all(words in out for words in ("UCT: what a search takes", "tic_tac_toe", "alpha-beta"))
    assert code == 1
    assert f"plyhouse bench growth: {there}: No such file" in err


def test_the_least_that_alpha_beta_looks_at_is_that_of_knuth_and_moore() -> None:
    assert growth.least_positions(7, 1) == 7
    assert growth.least_positions(7, 2) == 7 + (7 + 13)
    assert growth.least_positions(7, 3) == 7 + (7 + 13) + (7 + 13 + 55)
