"""The page of `plyhouse results`, from made-up results."""

from __future__ import annotations

import re

from games import registry as games
from lab.experiments import catalog, document
from lab.experiments.document import FieldRating, Study
from lab.experiments.sample import CellSample
from server.ladder.core import fitting
from server.ladder.core.rating import Pairs

PARTS = [part for part in catalog.PARTS if part != "landmarks"]  # whose engines may be missing
CELLS = catalog.cells(1, PARTS, catalog.GAMES)
BETTER = {name: place for place, name in enumerate(catalog.BOTS)}


def rate(
    players: int, one: list[int], two: list[int], first: list[float], second: list[float]
) -> FieldRating:
    found = fitting.fit(players, Pairs(one, two, first, second))
    return FieldRating(found.elo, found.error, found.first_move, found.first_move_error)


def made_up(points: tuple[float, float], pairs: int) -> CellSample:
    """Pairs that A won, or in which each won in seat 0, or which were drawn."""
    sample = CellSample(seconds=1.0)
    for number in range(pairs):
        sample.add(((1, -1), points, points, (0, 0))[number % 4], 31)
        for side in (sample.a, sample.b):
            side.add(15, 1500, 150.0 + number, 140.0 + number)
    return sample


def study(pairs: int) -> Study:
    samples = {}
    for cell in CELLS:
        stronger = BETTER[cell.a.program] > BETTER[cell.b.program] or cell.key.startswith("growth")
        samples[cell.key] = made_up((1, 1) if stronger else (-1, -1), pairs)
    return Study(samples, 1, rate, 12.0, "1 May 2026", "a machine")


def test_the_cells_are_each_against_each_and_doublings_and_the_study() -> None:
    keys = [cell.key for cell in CELLS]
    assert len(set(keys)) == len(keys)
    for cell in CELLS:
        assert cell.opening == 0 or not games.game(cell.game).has_chance
        if cell.key.startswith("growth"):
            assert (cell.a.program, cell.a.nodes) == (cell.b.program, 2 * (cell.b.nodes or 0))
    assert {cell.a.ms for cell in CELLS if cell.key.startswith("time")} == {catalog.MS}
    goals = catalog.goals(CELLS, 1)
    assert goals["keep=off nodes=10 playouts=20 proofs=off"] == 250
    assert goals["time backgammon random gammon"] == catalog.PAIRS
    some = catalog.cells(1, ("nodes", "playouts"), ("connect_four",))
    assert [cell.key for cell in some] == [c.key for c in catalog.robin("nodes", "connect_four")]


def test_the_page_tells_who_is_better_and_by_how_much() -> None:
    page = document.page(study(40), ["growth.svg", "playouts.svg"])
    for game in catalog.GAMES:
        assert f"## {games.game(game).title}: each against each" in page
    assert page.count("### At 10 ms a move") == page.count("### At 1,000 nodes a move") == 4
    (short,) = re.findall(r"\| `gammon` \|.*", page.partition("## Tic")[0])
    assert re.search(r"\|  \|  \|  \| \+\d+ ± \d+ \|", short), "it plays one game"
    rows = re.findall(r"\| `(\w+)` \| (\S+) ± (\d+) \| (\d+) \|", page.partition("### At 1,000")[0])
    ratings = [float(elo) for _, elo, _, _ in rows]
    assert [name for name, *_ in rows] == ["solver", "hybrid", "mcts", "minimax", "flat", "random"]
    assert ratings == sorted(ratings, reverse=True)
    assert ratings[-1] == 0
    assert [int(pairs) for *_, pairs in rows] == [5 * 40] * 6
    assert "| `mcts` | 32 | 40 | 75.0 % | +191 (+" in page
    assert "| 10 | 1 | 80 | " in page
    assert "25.0 % (" in page, "the share of draws"
    assert "(results/growth.svg)" in page
    assert "(results/playouts.svg)" in page
    assert ".svg)" not in document.page(study(40))
    tables = [line.count("|") for line in page.splitlines() if line.startswith("|")]
    assert min(tables) >= 4


def test_landmarks_are_told_from_the_journal_whether_or_not_the_engines_are_here() -> None:
    cells = {c.key: made_up((1, 1), 40) for g in catalog.GAMES for c in catalog.landmarks(g)}
    page = document.page(Study(cells, 1, rate, 12.0, "1 May 2026", "a machine"))
    part = page.partition("## Landmarks")[2].partition("\n## ")[0]
    assert re.findall("### (.*)", part) == [games.game(name).title for name in catalog.GAMES]
    assert len(re.findall(r"^\| `", part, re.MULTILINE)) == len(cells)
    row = next(line for line in part.splitlines() if line.startswith("| `gammon`"))
    assert row.startswith("| `gammon` | GNU Backgammon, 0 plies | 40 | 75.0 % (")
    assert re.search(r"\| \+191 \(\+\d+ to \+\d+\) \| \+0\.50 ± 0\.\d\d \|", row)
    assert "OpenSpiel's MCTS, 1,000 simulations | 40 | 75.0 % (" in part
    assert "## Landmarks" not in document.page(study(40))


def test_of_too_little_nothing_is_said() -> None:
    assert "Too little has been played so far." in document.page(study(document.MIN_PAIRS - 1))
    nothing = Study({}, 1, rate, 0.0, "1 May 2026", "a machine")
    assert "## Strength" not in document.page(nothing)


def test_what_no_number_stands_for_is_infinite_and_is_not_drawn() -> None:
    sample = CellSample()
    for _ in range(9):
        sample.add((1, 1), 9)
    assert document.elo_text(sample.pair_tally.score) == "∞"
    assert document.doubling(sample) is None
    assert document.growth_charts(study(9))[0].title == "Tic-tac-toe"
