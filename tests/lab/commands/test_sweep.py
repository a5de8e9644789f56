"""`plyhouse sweep`: what it prints and writes, and that it goes on where it was stopped."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from lab.commands import sweep as command
from lab.experiments import plots, running
from tests.support.command import Run

ROOT = Path(__file__).parents[3]
GRID = "sweep mcts --iterations 2,9 --playouts 1,3 --megabytes 1 --games 8 --jobs 1"
FRAGILE = """\
from bots.bot import Bot
class Fragile(Bot):
    def think(self, position, nodes, stop):
        print('let me see')
        raise RuntimeError('out of ideas')
BOT = Fragile
"""


def timeless(report: dict[str, Any]) -> dict[str, Any]:
    """A report without its times, which no seed repeats."""
    for cell in report["cells"]:
        del cell["ms"], cell["cpu_ms"]
    return report


def test_a_grid_is_played_and_printed(run: Run, tmp_path: Path) -> None:
    said = run(GRID, "--out", tmp_path)
    lines = [line.split() for line in said.out.splitlines()]
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("mcts megabytes=1 against random at tic_tac_toe\n")
    head = ["nodes", "playouts"]
    assert lines[2] == [*head, "games", "loss", "%", "draw", "%", "win", "%"]
    settings = [["2", "1"], ["2", "3"], ["9", "1"], ["9", "3"]]
    assert [line[:3] for line in lines[3:7]] == [[*pair, "8"] for pair in settings]
    assert " ".join(lines[8]) == "nodes playouts ms a move CPU ms a move nodes a move"
    assert [line[:2] for line in lines[9:13]] == settings
    assert max(map(len, said.out.splitlines())) <= 80


def test_a_depth_is_looked_to_unless_a_budget_is_given_and_then_the_cut_is_told(
    run: Run, tmp_path: Path
) -> None:
    words = "sweep minimax --depth 1,5 --pruning off --games 4 --jobs 1 --out"
    whole = run(words, tmp_path / "whole")
    assert whole.out.startswith("minimax pruning=off against random at tic_tac_toe\n")
    assert "cut" not in whole.out
    assert int(whole.out.splitlines()[8].split()[-1].replace(",", "")) > 2_000  # level 4: 1,000
    cut = run(words, tmp_path / "cut", "--nodes", 80, "--csv", tmp_path / "cut.csv")
    lines = cut.out.splitlines()
    assert [lines[i].split()[-1] for i in (6, 7)] == ["%", "0.0"]
    assert float(lines[8].split()[-1]) > 0
    rows = list(csv.DictReader(io.StringIO((tmp_path / "cut.csv").read_text())))
    counts = [int(row["cut_bot"]) for row in rows]
    assert counts[0] == 0 < counts[1]
    assert f"minimax: {counts[1]} choices were cut by the budget" in cut.out
    mixed = run("sweep minimax --depth 0,9 --games 4 --jobs 1 --out", tmp_path / "mixed")
    assert mixed.code == 2
    assert mixed.err.startswith("plyhouse: some of these settings say how far to look")


def test_csv_json_and_plot_say_the_same(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    files = ("--csv", tmp_path / "s.csv", "--json", tmp_path / "s.json", "--plot")
    assert run(GRID, "--out", tmp_path, *files, tmp_path / "s.svg").code == 0
    found = json.loads((tmp_path / "s.json").read_text())
    rows = list(csv.DictReader(io.StringIO((tmp_path / "s.csv").read_text())))
    assert len(found["cells"]) == len(rows) == 4
    for cell, row in zip(found["cells"], rows, strict=True):
        assert cell["wins"] + cell["draws"] + cell["losses"] == cell["games"] == 8
        assert sum(cell["as_first"]) == sum(cell["as_second"]) == 4
        assert cell["loss"]["low"] <= cell["losses"] / 8 <= cell["loss"]["high"]
        assert [str(v) for v in cell["settings"].values()] == [row["nodes"], row["playouts"], "1"]
        assert float(row["loss_high"]) == cell["loss"]["high"]
        assert int(row["as_first_wins"]) == cell["as_first"][0]
    svg = (tmp_path / "s.svg").read_text()
    for words in ("CPU ms a move", "losses, %", "playouts 1", "playouts 3", "Wilson"):
        assert words in svg


@pytest.mark.slow
def test_the_same_games_make_the_same_picture(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    names = ("one.svg", "two.svg", "three.png")
    for name in names:
        assert run(GRID, "--out", tmp_path, "--plot", tmp_path / name).code == 0
    one, two, three = ((tmp_path / name).read_bytes() for name in names)
    assert one == two
    assert three.startswith(b"\x89PNG")


@pytest.mark.slow
def test_what_a_user_has_set_up_for_charts_changes_none(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    lines = ("text.usetex: True", "lines.linewidth: 5", "font.family: serif", "backend: nothing")
    (tmp_path / "matplotlibrc").write_text("\n".join(lines), "utf-8")
    settings = {"MATPLOTLIBRC": str(tmp_path / "matplotlibrc"), "MPLBACKEND": "nothing"}
    charts = [tmp_path / "here.svg", tmp_path / "there.svg"]
    plots.draw([plots.Chart("Time", "nodes", "ms", [])], "below", charts[0])
    script = "import pathlib, sys; from lab.experiments.plots import *\n"
    script += "draw([Chart('Time', 'nodes', 'ms', [])], 'below', pathlib.Path(sys.argv[1]))"
    environment = {**os.environ, **settings}
    words = [sys.executable, "-c", script, charts[1]]
    subprocess.run(words, check=True, env=environment, cwd=ROOT)
    assert charts[0].read_bytes() == charts[1].read_bytes()


def test_without_matplotlib_a_plot_is_refused_before_anything_is_played(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plots, "missing", lambda: True)
    said = run(GRID, "--out", tmp_path, "--plot", tmp_path / "s.png")
    said.refuses("plyhouse: a plot needs matplotlib: pip install 'plyhouse[plots]'")
    assert list(tmp_path.iterdir()) == []


def test_what_was_played_is_not_played_again_and_more_games_go_on(run: Run, tmp_path: Path) -> None:
    whole = run(GRID, "--out", tmp_path / "whole", "--json").json()
    journal = tmp_path / "cut" / "journal.jsonl"
    journal.parent.mkdir()
    lines = (tmp_path / "whole" / "journal.jsonl").read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:4]) + lines[4][:100])
    said = run(GRID, "--out", tmp_path / "cut", "--json")
    assert said.err.startswith("plyhouse: goes on after 6 games of ")
    assert timeless(said.json()) == timeless(whole)
    journal.write_bytes(b"".join(lines))
    before = len(lines)
    more = run(GRID.replace("--games 8", "--games 10"), "--out", tmp_path / "cut", "--json").json()
    assert [cell["games"] for cell in more["cells"]] == [10] * 4
    assert journal.read_bytes().startswith(b"".join(lines))
    assert before < len(journal.read_bytes().splitlines()) <= before + 4
    said = run(GRID, "--out", tmp_path / "cut")
    said.refuses("plyhouse: ", "holds up to 10 games a setting; ask for as many or more")


def test_other_arguments_in_the_same_folder_are_refused(run: Run, tmp_path: Path) -> None:
    run(GRID, "--out", tmp_path)
    for other in ("--seed 2", "--exploration 2", "--against flat", "--game connect_four"):
        said = run(GRID, "--out", tmp_path, other)
        said.refuses("plyhouse: ", "belongs to another experiment; --out writes elsewhere, --fresh")
    assert run(GRID, "--out", tmp_path, "--seed 2 --fresh").code == 0


def test_what_takes_long_is_not_begun_unasked(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = GRID.replace("--games 8", "--games 1000000")
    said = run(words, "--out", tmp_path)
    said.refuses("plyhouse: 3,999,992 games will take about ", "; --yes plays them")
    monkeypatch.setattr(command, "ask", lambda sentence: False)
    assert run(words, "--out", tmp_path)[:2] == (1, "")
    monkeypatch.setattr(command, "ASKED_S", 0.0)
    monkeypatch.setattr(command, "ask", lambda sentence: True)
    assert run(GRID, "--out", tmp_path).code == 0, "the probe's games count"
    assert run(GRID, "--out", tmp_path / "other", "--yes").code == 0


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "0 s"), (89, "89 s"), (91, "1.5 min"), (7300, "2.0 hours"), (10**7, "116 days")],
)
def test_a_time_is_told_in_its_unit(seconds: float, words: str) -> None:
    assert running.duration(seconds) == words


def test_a_bot_that_fails_loses_and_shows_its_traceback_once(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fragile.py").write_text(FRAGILE)
    (tmp_path / "broken.py").write_text("from bots.bot import Bott\n")
    monkeypatch.setenv("PLYHOUSE_BOTS", str(tmp_path))
    said = run("sweep fragile --games 4 --jobs 1 --json --out", tmp_path)
    assert said.code == 1
    (cell,) = said.json()["cells"]
    assert (cell["losses"], cell["failures"]) == (4, [4, 0])
    assert said.err.count("RuntimeError: out of ideas") == 1
    assert "let me see" in said.err
    text = run("sweep fragile --games 4 --jobs 1 --out", tmp_path)
    assert "fragile lost 4 games by an error or an illegal choice" in text.out
    run("sweep broken").refuses("plyhouse: ", "broken.py, line 1: ImportError")


@pytest.mark.slow
def test_a_sweep_that_is_killed_goes_on_and_finds_the_same(run: Run, tmp_path: Path) -> None:
    words = f"{GRID} --json".replace("--games 8", "--games 300").replace("--jobs 1", "--jobs 2")
    whole = run(words, "--out", tmp_path / "whole").json()
    journal = tmp_path / "killed" / "journal.jsonl"
    line = [sys.executable, str(ROOT / "plyhouse.py"), *words.split(), "--out", journal.parent]
    for lines in (3, 8):
        child = subprocess.Popen(line, stdout=subprocess.DEVNULL, env=os.environ)
        while not journal.exists() or len(journal.read_bytes().splitlines()) < lines:
            assert child.poll() is None, "it ended before it could be killed"
            time.sleep(0.005)  # between two looks at a file
        child.send_signal(signal.SIGKILL)
        child.wait()
    with journal.open("ab") as file:
        file.write(b'{"cell":"keep=on","first":')
    # Its workers end with it, and let go of nothing that the next one needs.
    said = run(words, "--out", journal.parent)
    assert said.err.startswith("plyhouse: goes on after ")
    assert timeless(said.json()) == timeless(whole)
