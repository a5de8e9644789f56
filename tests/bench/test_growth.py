"""`plyhouse bench growth` with runs too short to mean anything, and the plot it draws."""

from __future__ import annotations

import json
import math
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import plyhouse
from bench import growth, svg
from bots.search.uct import NODE

SVG = "{http://www.w3.org/2000/svg}"
SHORT = ["--rounds", "1", "--seconds", "0.001", "--positions", "600"]


def bench(*words: str) -> int:
    return plyhouse.main(["bench", "growth", *words])


@pytest.mark.slow
def test_each_game_is_measured_and_the_plot_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "search.svg"
    assert bench(*SHORT, "--svg", str(file), "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert {p["game"] for p in found["points"]} == set(growth.COLORS)
    for p in found["points"]:
        assert p["seconds"] > 0
        assert p["bytes"] % (8 * NODE) == 0
        assert 0 < p["path"] < p["simulations"]
    counts = {(d["search"], d["depth"]): d["positions"] for d in found["depths"]}
    assert counts["plain minimax", 3] == 7 + (7 + 49) + (7 + 49 + 343)
    assert counts["alpha-beta", 3] < counts["plain minimax", 3]
    root = ET.parse(file).getroot()
    titles = [text.text for text in root.iter(f"{SVG}text") if text.get("font-weight") == "bold"]
    assert titles[:2] == ["UCT: time", "UCT: memory"]
    assert len(list(root.iter(f"{SVG}circle"))) == 3 * len(found["points"]) + len(found["depths"])


def test_without_json_it_prints_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench(*SHORT, "--game", "tic_tac_toe") == 0
    out = capsys.readouterr().out
    assert "UCT: what a search takes" in out
    assert "tic_tac_toe" in out
    assert "alpha-beta" in out


@pytest.mark.parametrize(
    "words", ["--rounds 0", "--seconds 0", "--seconds nan", "--positions 0", "--game chess"]
)
def test_nonsense_is_one_sentence_and_exit_code_2(
    words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench(*words.split()) == 2
    err = capsys.readouterr().err
    assert err.startswith("plyhouse bench growth: ")
    assert err.count("\n") == 1


def test_a_plot_that_cannot_be_written_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    there = str(tmp_path / "nowhere" / "search.svg")
    assert bench(*SHORT, "--game", "tic_tac_toe", "--svg", there) == 1
    assert f"plyhouse bench growth: {there}: No such file" in capsys.readouterr().err


def test_the_least_that_alpha_beta_looks_at_is_that_of_knuth_and_moore() -> None:
    assert growth.least_positions(7, 1) == 7
    assert growth.least_positions(7, 2) == 7 + (7 + 13)
    assert growth.least_positions(7, 3) == 7 + (7 + 13) + (7 + 13 + 55)


def test_a_scale_goes_from_one_round_number_to_another() -> None:
    powers = svg.scale(svg.Axis("n"), [150, 20_000], 0, 300)
    assert powers.ticks() == [100, 1_000, 10_000, 100_000]
    assert [powers(x) for x in (100, 100_000)] == [0, 300]
    assert powers(1_000) == pytest.approx(100)
    even = svg.scale(svg.Axis("n", log=False), [1.2, 8.7], 90, 10)
    assert (even.ticks()[0], even.ticks()[-1]) == (1, 9)
    assert math.isclose(even(5), 50)


def test_names_are_written_so_that_xml_can_be_read() -> None:
    line = svg.Line("a < b & c", "#000000", [(1, 1), (10, 10)])
    panel = svg.Panel("<t>", svg.Axis("x"), svg.Axis("y"), [line])
    root = ET.fromstring(svg.drawing([panel], "a & b"))
    assert {"a < b & c", "<t>", "a & b"} <= {text.text for text in root.iter(f"{SVG}text")}
