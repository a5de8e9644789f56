"""The journal of an experiment: it holds what was played, whatever happened to its process."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from lab.experiments.cell import Batch
from lab.experiments.journal import BadJournal, Journal, merge
from lab.experiments.sample import CellSample

HEAD = {"journal": "sweep", "seed": 1, "grid": {"exploration": [0.5, 2.0]}}


def batch(cell: str, first: int, pairs: int, points: float = 1.0) -> Batch:
    sample = CellSample()
    for _ in range(pairs):
        sample.add((points, -points), 10)
        sample.a.add(5, 50, 1 / 3, 1 / 7)
    return Batch(cell, first, sample)


def written(path: Path, *batches: Batch) -> Path:
    with Journal(path, HEAD) as journal:
        for each in batches:
            journal.append(each)
    return path


def test_what_was_appended_is_there_again(tmp_path: Path) -> None:
    batches = [batch("a", 0, 2), batch("b", 0, 3), batch("a", 2, 1)]
    path = written(tmp_path / "new" / "journal.jsonl", *batches)
    with Journal(path, HEAD) as journal:
        assert journal.batches == batches


@pytest.mark.parametrize("cut", [1, 20, 200])
def test_a_line_that_was_cut_is_taken_away_and_the_next_is_whole(tmp_path: Path, cut: int) -> None:
    path = written(tmp_path / "journal.jsonl", batch("a", 0, 2), batch("a", 2, 2))
    path.write_bytes(path.read_bytes()[:-cut])
    with Journal(path, HEAD) as journal:
        assert journal.batches == [batch("a", 0, 2)]
        journal.append(batch("b", 0, 1))
    with Journal(path, HEAD) as journal:
        assert [each.cell for each in journal.batches] == ["a", "b"]


def test_a_head_that_was_cut_is_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b'{"journal": "sw')
    with Journal(path, HEAD) as journal:
        assert journal.batches == []
    assert path.read_bytes().count(b"\n") == 1


@pytest.mark.parametrize("text", ["notes of mine", "notes\nof mine, still being written"])
def test_what_is_no_journal_is_kept_to_its_last_byte(tmp_path: Path, text: str) -> None:
    path = tmp_path / "notes"
    path.write_text(text)
    with pytest.raises(BadJournal, match="--out writes elsewhere"):
        Journal(path, HEAD)
    assert path.read_text() == text


def test_another_experiment_and_a_damaged_line_are_refused_and_kept(tmp_path: Path) -> None:
    path = written(tmp_path / "journal.jsonl", batch("a", 0, 2), batch("a", 2, 2))
    before = path.read_bytes()
    with pytest.raises(BadJournal, match="belongs to another experiment"):
        Journal(path, HEAD | {"seed": 2})
    lines = before.splitlines(keepends=True)
    path.write_bytes(lines[0] + b"\x00\x00\n" + lines[2])
    with pytest.raises(BadJournal, match="line 2 is damaged"):
        Journal(path, HEAD)
    path.write_bytes(before)
    with Journal(path, HEAD, fresh=True) as journal:
        assert journal.batches == []


@pytest.mark.skipif(sys.platform == "win32", reason="no such lock there")
def test_two_processes_do_not_write_one_journal(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with Journal(path, HEAD), pytest.raises(BadJournal, match="another process is writing"):
        Journal(path, HEAD)


def test_a_compacted_journal_says_the_same_in_fewer_lines(tmp_path: Path) -> None:
    batches = [batch("a", 2, 2), batch("b", 0, 3), batch("a", 0, 2), batch("a", 7, 1)]
    path = written(tmp_path / "journal.jsonl", *batches)
    with Journal(path, HEAD) as journal:
        journal.compact()
    with Journal(path, HEAD) as journal:
        found = [(each.cell, each.first, each.sample.pairs) for each in journal.batches]
        assert found == [("a", 0, 4), ("a", 7, 1), ("b", 0, 3)]
        assert journal.batches[0].sample.a.wall_ms == pytest.approx(4 / 3, abs=1e-4)
        assert merge(journal.batches) == journal.batches
