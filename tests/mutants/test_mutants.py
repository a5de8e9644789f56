"""Each promise of the README has its mutants, and each mutant still breaks what it says.

That a check notices them is seen by `python -m tests.mutants`, of which `.ci/run` does ten.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mutants.__main__ import A_TURN, LIMIT_S, Copy, count_turns, main, of_turn
from tests.mutants.catalog import MUTANTS, PROMISES, Mutant

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| \*\*(.+?)\*\*", re.MULTILINE)


def promises() -> list[str]:
    """What the README's table of promises says, in its order."""
    page = (ROOT / "README.md").read_text("utf-8")
    table = re.search(r"^\| promise \|.*?\n\n", page, re.MULTILINE | re.DOTALL)
    assert table is not None, "the README has a table of promises"
    return ROW.findall(table[0])


def test_each_promise_of_the_readme_can_be_broken_in_two_ways_or_it_is_not_there() -> None:
    assert promises() == list(PROMISES)
    assert all(len(mutants) >= 2 for mutants in PROMISES.values())
    assert len(MUTANTS) == sum(map(len, PROMISES.values())), "each has a name of its own"


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_breaks_what_stands_there_today(name: str) -> None:
    mutant = MUTANTS[name]
    text = (ROOT / mutant.file).read_text("utf-8")
    assert text.count(mutant.old) == 1, f"{mutant.file} was changed: write the mutant anew"
    compile(text.replace(mutant.old, mutant.new), mutant.file, "exec")
    assert all((ROOT / word).exists() for word in mutant.check.removeprefix("-m slow").split())


def test_all_have_their_turn_and_none_has_more_than_ten() -> None:
    turns = [of_turn(number) for number in range(count_turns())]
    assert sorted(each for turn in turns for each in turn) == sorted(MUTANTS.values())
    assert max(map(len, turns)) <= A_TURN
    assert LIMIT_S <= 60


@pytest.fixture
def small_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Copy]:
    """A tree of one function and one test."""
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "one.py").write_text("def one():\n    return 1\n")
    (tree / "test_one.py").write_text("import one\n\ndef test_one():\n    assert one.one() == 1\n")
    monkeypatch.setattr("tests.mutants.__main__.ROOT", tree)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # it starts quicker
    yield Copy(tmp_path / "copy")
    assert "return 1" in (tree / "one.py").read_text(), "the tree itself is left alone"


def test_a_check_that_notices_fails_and_one_that_does_not_passes(small_copy: Copy) -> None:
    broken = Mutant("two", "one.py", "return 1", "return 2", "test_one.py")
    with small_copy.broken(broken):
        code, line = small_copy.check(broken)
    assert (code, line.startswith("FAILED test_one.py::test_one")) == (1, True)
    with small_copy.broken(broken._replace(new="return 1.0")):
        assert small_copy.check(broken)[0] == 0


def test_what_there_is_is_listed_and_a_wrong_name_is_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([]) == 0
    listed = capsys.readouterr().out
    assert all(promise in listed for promise in PROMISES)
    assert all(name in listed for name in MUTANTS)
    with pytest.raises(SystemExit) as ended:
        main(["nonsense"])
    assert ended.value.code == 2
    assert "there is no mutant 'nonsense'" in capsys.readouterr().err
