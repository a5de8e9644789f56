"""`plyhouse results`, as short as can be; what its page says is tested where the page is made."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from bots.bot import Choice
from bots.roster import gnubg
from bots.roster.gnubg import GnuBackgammon
from bots.roster.openspiel import OpenSpielBot
from games.game import Ints, Position
from lab.commands import results
from lab.experiments import catalog, document, plots
from lab.experiments.cell import Batch, CellPlayer
from lab.experiments.document import FieldRating, Study
from lab.experiments.sample import CellSample
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


GNUBG = """#!{python}
import json, sys
sys.path[:0] = {path}
from games import registry
game = registry.game("backgammon")
for line in sys.stdin:
    asked = json.loads(line)
    position = game.parse_position(asked["position"])
    turns = [game.format_action(position, a) for a in position.legal_actions()]
    print("plyhouse " + json.dumps([[turn, 0.0, asked["plies"]] for turn in turns]), flush=True)
"""


@pytest.fixture
def fake_engines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Programs that take the first legal action, where the real ones are looked for."""
    program = tmp_path / "gnubg"
    program.write_text(GNUBG.format(python=sys.executable, path=sys.path))
    program.chmod(0o700)

    def think(self: OpenSpielBot, position: Position, nodes: int, stop: Ints) -> Choice:
        situation = self._situation
        assert situation is not None
        assert situation.actions is not None
        reached = position.game.initial()
        for text in situation.actions:
            reached = reached.apply(position.game.parse_action(reached, text))
        assert reached == position, "it is told all actions, the opening's too"
        return Choice(position.legal_actions()[0], value=0.0, nodes=nodes)

    monkeypatch.setattr(gnubg, "program_file", lambda: str(program))
    monkeypatch.setattr(OpenSpielBot, "missing", classmethod(lambda cls: None))
    monkeypatch.setattr(OpenSpielBot, "think", think)
    monkeypatch.setattr(GnuBackgammon, "IDLE", [])
    yield
    for idle in GnuBackgammon.IDLE:
        idle.close()


def test_landmarks_are_played_and_stay_where_their_engines_are_gone(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fake_engines: None
) -> None:
    monkeypatch.setattr(catalog, "BOTS", ("minimax",))
    monkeypatch.setattr(catalog, "NODES", 2)
    monkeypatch.setattr(catalog, "PAIRS", document.MIN_PAIRS)
    monkeypatch.setattr(catalog, "LANDMARKS", catalog.LANDMARKS[1:])
    monkeypatch.setattr(plots, "missing", lambda: True)
    words = "results --part landmarks --game backgammon --game tic_tac_toe --jobs 1 --out"
    assert run(words, tmp_path).code == 0, "and no bot has failed"
    page = (tmp_path / "results.md").read_text()
    table = page.partition("## Landmarks")[2].partition("\n## ")[0]
    assert re.search(
        r"\| `minimax` \| GNU Backgammon, 1 ply \| 5 \| .* [\d.]+ ± [\d.]+ \| [\d.]+ ± ", table
    )
    assert re.search(r"\| `minimax` \| OpenSpiel's MCTS, [^|]* \| 5 \| ", table)
    why = classmethod(lambda cls: f"{cls.__name__} is not installed")
    monkeypatch.setattr(OpenSpielBot, "missing", why)
    monkeypatch.setattr(GnuBackgammon, "missing", why)
    said = run(words, tmp_path, "--minutes 9")
    assert said.code == 0
    assert said.err.count("is not installed: of games against it, the page keeps") == 2
    assert table in (tmp_path / "results.md").read_text()


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
