"""What a lesson saw: put together, and kept in a file, from which it comes back to the bit."""

from __future__ import annotations

import os
import random
import struct
import sys
from array import array
from pathlib import Path

import pytest

from bots import weights
from bots.lessons import Page, joined
from bots.search.backgammon import net, study
from bots.weights import BadWeights
from tests.bots.backgammon import tiny
from tests.bots.backgammon.short import on, same_page
from tests.bots.backgammon.test_weights import headed

EACH = 8 * study.PACKED + 4 * net.OUTPUTS + 8  # bytes of a position in a file


@pytest.fixture(autouse=True)
def no_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """None to wait for, that is."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


def page(n: int, first: int, room: int) -> Page:
    """Room for so many positions, and n of them, told from others by their numbers from `first`."""
    made = Page(room, plain=True)
    made.count = n
    for i in range(n):
        made.kinds[i] = first + i
        made.packed[study.PACKED * i : study.PACKED * (i + 1)] = [10 * (first + i)] * study.PACKED
        made.chances[net.OUTPUTS * i : net.OUTPUTS * (i + 1)] = [first + i + 0.5] * net.OUTPUTS
    return made


def filled(n: int, room: int, seed: int, plain: bool = True) -> Page:
    """Any numbers that may be there; chances in single precision."""
    rng, made = random.Random(seed), Page(room, plain)
    made.count = n
    made.packed[:] = [rng.getrandbits(52) for _ in range(study.PACKED * room)]
    many = array("f", [rng.uniform(-0.25, 1.25) for _ in range(net.OUTPUTS * room)])
    many[:2] = array("f", [1 / 3, -1e-30])
    made.chances[:] = list(many)
    made.kinds[:] = [rng.randrange(3) for _ in range(room)]
    return made


# ---------------------------------------------------------------- put together


def test_a_page_takes_over_what_is_on_another_until_it_is_full() -> None:
    found = Page(5, plain=True)
    for n, first in ((2, 0), (0, 50), (1, 2)):
        found.add(page(n, first, 4))
    assert same_page(found, page(3, 0, 5))
    found.add(page(4, 3, 4))
    assert same_page(found, page(5, 0, 5)), "two of four"
    found.add(page(3, 90, 4))
    assert same_page(found, page(5, 0, 5)), "none of three"
    assert [len(found.kinds), len(found.packed), len(found.chances)] == [5, 20, 25]


def test_joined_pages_are_one_without_the_room_that_was_left() -> None:
    parts = [page(2, 0, 4), page(0, 50, 3), page(3, 2, 3)]
    before = [on(part) for part in parts]
    found = joined(parts, plain=True)
    assert same_page(found, page(5, 0, 5))
    assert (found.n, len(found.kinds), len(found.packed)) == (5, 5, 20)
    assert [on(part) for part in parts] == before
    found.kinds[0] = 7
    assert parts[0].kinds[0] == 0, "it is a page of its own"
    assert on(joined([], plain=True)) == (0, [], [], [])


# ---------------------------------------------------------------- kept


@pytest.mark.parametrize("n", [0, 1, 7])
def test_a_page_that_was_kept_comes_back(n: int, tmp_path: Path) -> None:
    """Without the room that was left."""
    made = filled(n, 9, seed=n)
    made.keep(tmp_path / "new" / "a.1")
    found = Page.kept(tmp_path / "new" / "a.1", plain=True)
    assert same_page(found, made)
    assert (found.n, len(found.packed), len(found.chances)) == (n, 4 * n, 5 * n)
    found.keep(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "new" / "a.1").read_bytes()


def test_chances_are_kept_in_single_precision(tmp_path: Path) -> None:
    made = filled(3, 3, seed=1)
    rng = random.Random(1)
    made.chances[:] = [rng.random() for _ in range(15)]
    made.keep(tmp_path / "a.1")
    single = struct.unpack("<15f", struct.pack("<15f", *made.chances))
    found = Page.kept(tmp_path / "a.1", plain=True)
    assert tuple(found.chances) == single
    assert found.chances != made.chances
    assert found.packed == made.packed


def test_a_page_is_written_anew(tmp_path: Path) -> None:
    for seed in (1, 2):
        filled(2, 2, seed).keep(tmp_path / "a.1")
        assert same_page(Page.kept(tmp_path / "a.1", plain=True), filled(2, 2, seed))
    assert [path.name for path in tmp_path.iterdir()] == ["a.1"]


@pytest.mark.slow
@pytest.mark.usefixtures("with_numba")
def test_compiled_it_comes_back_to_the_bit(tmp_path: Path) -> None:
    made = filled(500, 600, seed=3, plain=False)
    made.keep(tmp_path / "a.1")
    found = Page.kept(tmp_path / "a.1", plain=False)
    assert type(found.packed) is type(made.packed) is not list
    for room in ("packed", "chances", "kinds"):
        assert getattr(found, room).dtype == getattr(made, room).dtype
    assert same_page(found, made)
    assert found.n == 500
    filled(500, 600, seed=3).keep(tmp_path / "plain")
    assert (tmp_path / "plain").read_bytes() == (tmp_path / "a.1").read_bytes()
    assert same_page(joined([found, made], plain=False), joined([made, found], plain=False))
    Page(0, plain=False).keep(tmp_path / "a.2")
    assert Page.kept(tmp_path / "a.2", plain=False).n == 0


# ---------------------------------------------------------------- refused


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A page of three positions."""
    filled(3, 3, seed=5).keep(tmp_path / "a.1")
    return tmp_path / "a.1"


def refused(path: Path) -> str:
    with pytest.raises(BadWeights) as found:
        Page.kept(path, plain=True)
    return str(found.value)


def test_a_page_that_is_not_there(tmp_path: Path) -> None:
    assert refused(tmp_path / "a.1").endswith("a.1: No such file or directory")
    assert refused(tmp_path).endswith("Is a directory")


def test_a_page_that_is_damaged(file: Path) -> None:
    """Cut off anywhere, with any byte changed, or with one more."""
    whole = file.read_bytes()
    wanted = {f"{file} is no file of weights", f"{file} is damaged, or not all there"}
    for n in range(0, len(whole), 5):
        flipped = bytearray(whole)
        flipped[n] ^= 1 << n % 8
        for data in (whole[:n], flipped):
            file.write_bytes(data)
            assert refused(file) in wanted
    file.write_bytes(whole + b"\0")
    assert refused(file) == f"{file} is damaged, or not all there"
    file.write_bytes(whole)
    assert Page.kept(file, plain=True).n == 3


def test_a_foreign_file(tmp_path: Path) -> None:
    (tmp_path / "a.1").write_bytes(b"\x89PNG\r\n\x1a\n" * 9)
    assert refused(tmp_path / "a.1") == f"{tmp_path / 'a.1'} is no file of weights"
    weights.save(tmp_path / "a.2", tiny.weights())
    assert refused(tmp_path / "a.2") == f"{tmp_path / 'a.2'} is no page of a lesson of this version"


def heading(**change: object) -> dict[str, object]:
    return {"page": "backgammon", "count": 3, "order": sys.byteorder, **change}


def test_the_heading_that_the_next_test_changes_is_right(tmp_path: Path) -> None:
    path = headed(tmp_path / "a.1", heading(), bytes(3 * EACH))
    assert on(Page.kept(path, plain=True)) == (3, [0] * 12, [0.0] * 15, [0] * 3)


@pytest.mark.parametrize(
    "change",
    [
        {"page": "chess"}, {"page": None}, {"count": 2}, {"count": 4}, {"count": -3}, {"count": 0},
        {"count": 3.0}, {"count": "3"}, {"count": None}, {"count": [3]}, {"count": 10**30},
        {"order": "middle"}, {"order": None},
        {"order": {"little": "big", "big": "little"}[sys.byteorder]},
    ],
)  # fmt: skip
def test_a_page_of_another_kind_or_size(change: dict[str, object], tmp_path: Path) -> None:
    """By somebody who knows the digest."""
    path = headed(tmp_path / "a.1", heading(**change), bytes(3 * EACH))
    assert refused(path) == f"{path} is no page of a lesson of this version"


@pytest.mark.parametrize("size", [0, 3 * EACH - 1, 3 * EACH + 1, 2 * EACH, 4 * EACH])
def test_a_page_of_more_or_less_than_its_count(size: int, tmp_path: Path) -> None:
    path = headed(tmp_path / "a.1", heading(), bytes(size))
    assert refused(path) == f"{path} is no page of a lesson of this version"


@pytest.mark.parametrize("name", ["page", "count", "order"])
def test_a_page_that_lacks_something(name: str, tmp_path: Path) -> None:
    told = heading()
    del told[name]
    path = headed(tmp_path / "a.1", told, bytes(3 * EACH))
    assert refused(path) == f"{path} is no page of a lesson of this version"


def test_a_page_is_no_file_of_nets(file: Path) -> None:
    with pytest.raises(BadWeights, match="a heading that this version cannot read"):
        weights.load(file)


def test_what_was_there_stays_where_nothing_can_be_written(file: Path) -> None:
    before = file.read_bytes()
    file.with_name("a.1.new").mkdir()
    with pytest.raises(OSError, match="Is a directory"):
        filled(2, 2, seed=6).keep(file)
    assert file.read_bytes() == before
