"""`plyhouse results`, as short as can be; what its page says is tested where the page is made."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import msgspec
import pytest

from bots.commands import results
from bots.experiments import catalog, document, plots
from bots.experiments.cell import Batch, CellPlayer
from bots.experiments.document import FieldRating, Study
from bots.experiments.sample import CellSample
from tests.support.command import Run


def no_rating(*pairs: object) -> FieldRating:
    raise AssertionError("nothing is to be rated")


def test_the_command_of_the_page_plays_the_same_games(run: Run, tmp_path: Path) -> None:
    sweep, sample = catalog.playouts(1), CellSample(pairs=1, outcomes=[0, 0, 0, 0, 0, 0, 0, 0, 1])
    study = Study({c.key: sample for c in sweep.cells()}, 1, no_rating, 0.0, "", "")
    page = document.page(study)
    fence = re.search(r"```sh\n(plyhouse sweep .*?)\n```", page, re.DOTALL)
    assert fence is not None
    words = fence[1].replace("\\\n", " ").removeprefix("plyhouse ")
    words = words.replace("--games 500", "--games 2").replace("--plot playouts.svg", "--jobs 1 ")
    words = re.sub(r"--iterations \S+", "--iterations 10,20", words)
    said = run(words, "--json --out", tmp_path).json()
    cells = {c["settings"]["nodes"]: c for c in said["cells"] if c["settings"]["playouts"] == 5}
    ours = {cell.key: cell for cell in sweep.cells()}
    for nodes, cell in cells.items():
        batch = CellPlayer(ours[f"keep=off nodes={nodes} playouts=5 proofs=off"], 1).play(0, 1)
        assert [list(batch.sample.by_seat(s)) for s in (0, 1)] == [
            cell["as_first"], cell["as_second"],
        ]  # fmt: skip


def test_results_go_on_and_write_the_page_again(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(catalog, "BOTS", ("random", "flat"))
    monkeypatch.setattr(catalog, "NODES", 2)
    words = "results --part nodes --game tic_tac_toe --jobs 1 --out"
    said = run(words, tmp_path, "--minutes 0.001")
    assert (said.code, said.out) == (0, "")
    assert said.err.endswith("minutes of play\n")
    page = tmp_path / "results.md"
    journal = tmp_path / "results" / "journal.jsonl"
    assert page.read_text().startswith("# Results\n")
    assert len(journal.read_bytes().splitlines()) == 2, "compacted"
    before = journal.read_bytes()
    assert run(words, tmp_path, "--minutes 0.001").code == 0
    assert journal.read_bytes() == before, "it has had its time"
    batch = msgspec.json.decode(before.splitlines()[1], type=Batch)
    run(words, tmp_path, f"--minutes {batch.sample.seconds / 60 + 1e-5}")
    more = msgspec.json.decode(journal.read_bytes().splitlines()[1], type=Batch)
    assert (batch.first, more.first) == (0, 0)
    assert batch.sample.pairs < more.sample.pairs
    run(words, tmp_path, "--seed 2").refuses("plyhouse: ", "belongs to another experiment")


def test_without_numpy_and_without_matplotlib(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(plots, "missing", lambda: True)
    said = run("results --minutes 0 --out", tmp_path)
    assert said.code == 0
    assert said.err.endswith("; without charts, as there is no matplotlib\n")
    assert results.run(arguments(tmp_path), None) == 2
    assert "ratings need numpy: pip install 'plyhouse[fast]'" in capfd.readouterr().err


def arguments(out: Path) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    results.add_arguments(parser)
    return parser.parse_args(["--minutes", "0", "--out", str(out)])
