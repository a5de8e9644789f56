"""Datasets put together, and in a file, from which they come back to the bit.

That a file is whole is for `unseal` to see: tests/bots/backgammon/test_weights.py.
"""

from __future__ import annotations

import os
import random
import sys
from array import array
from pathlib import Path

import pytest

from bots.backgammon.kernels import net
from bots.backgammon.weights import BadWeights
from lab.training.dataset import Dataset, joined
from lab.training.kernels import learning
from tests.bots.backgammon.test_weights import headed

EACH = 8 * learning.PACKED + 4 * net.OUTPUTS + 8  # bytes of a position in a file


@pytest.fixture(autouse=True)
def no_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """None to wait for, that is."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


def numbered(n: int, first: int, room: int) -> Dataset:
    """Room for so many positions, and n of them, whose parts tell their numbers from `first` on."""
    made = Dataset(room, plain=True)
    made.count = n
    for part, length in zip(made.samples, (learning.PACKED, net.OUTPUTS, 1), strict=True):
        part[: n * length] = [first + i // length for i in range(n * length)]
    return made


def filled(n: int, room: int) -> Dataset:
    """Any numbers that may be there; targets in single precision."""
    rng, made = random.Random(n), Dataset(room, plain=True)
    made.count = n
    made.samples.packed[:] = [rng.getrandbits(52) for _ in range(learning.PACKED * room)]
    targets = [rng.uniform(-0.25, 1.25) for _ in range(net.OUTPUTS * room)]
    made.samples.targets[:] = list(array("f", [1 / 3, -1e-30, *targets[2:]]))
    made.samples.kinds[:] = [rng.randrange(3) for _ in range(room)]
    return made


def on(dataset: Dataset) -> tuple[int, list[int], list[float], list[int]]:
    """What a dataset holds; four ints and five targets to a position."""
    n, samples = dataset.count, dataset.samples
    return (
        n,
        [int(x) for x in samples.packed[: 4 * n]],
        [float(x) for x in samples.targets[: 5 * n]],
        [int(x) for x in samples.kinds[:n]],
    )


def test_a_dataset_takes_over_another_until_it_is_full() -> None:
    made = Dataset(5, plain=True)
    for n, first in ((2, 0), (0, 50), (1, 2)):
        made.add(numbered(n, first, 4))
    assert on(made) == on(numbered(3, 0, 5))
    made.add(numbered(4, 3, 4))
    assert on(made) == on(numbered(5, 0, 5)), "two of four"
    made.add(numbered(3, 90, 4))
    assert on(made) == on(numbered(5, 0, 5)), "none of three"
    assert [len(part) for part in made.samples] == [20, 25, 5]


def test_joined_datasets_are_one_without_the_room_that_was_left() -> None:
    parts = [numbered(2, 0, 4), numbered(0, 50, 3), numbered(3, 2, 3)]
    made = joined(parts, plain=True)
    assert on(made) == on(numbered(5, 0, 5))
    assert (made.n, len(made.samples.packed)) == (5, 20)
    made.samples.kinds[0] = 7
    assert parts[0].samples.kinds[0] == 0, "it is a dataset of its own"
    assert on(joined([], plain=True)) == (0, [], [], [])


@pytest.mark.parametrize("n", [0, 1, 7])
def test_a_dataset_comes_back_from_its_file(n: int, tmp_path: Path) -> None:
    """Without the room that was left."""
    made, path = filled(n, 9), tmp_path / "new" / "a.1"
    for _ in range(2):
        made.write(path)
    read = Dataset.read(path, plain=True)
    assert on(read) == on(made)
    assert (read.n, [len(part) for part in read.samples]) == (n, [4 * n, 5 * n, n])
    assert [file.name for file in path.parent.iterdir()] == ["a.1"]


OTHER_ORDER = {"little": "big", "big": "little"}[sys.byteorder]


@pytest.mark.parametrize(
    ("change", "size"),
    [
        ({}, 0), ({}, 3 * EACH - 1), ({}, 3 * EACH + 1), ({}, 2 * EACH), ({}, 4 * EACH),
        *(({"page": x}, 3 * EACH) for x in ("chess", None)),
        *(({"count": x}, 3 * EACH) for x in (2, 4, -3, 0, 3.0, "3", None, [3], 10**30)),
        *(({"order": x}, 3 * EACH) for x in ("middle", None, OTHER_ORDER)),
    ],
)  # fmt: skip
def test_a_heading_that_does_not_fit(change: dict[str, object], size: int, tmp_path: Path) -> None:
    """By somebody who knows the digest; None: it lacks that."""
    right = {"page": "backgammon", "count": 3, "order": sys.byteorder}
    path = headed(tmp_path / "a.1", right, bytes(3 * EACH))
    assert on(Dataset.read(path, plain=True)) == (3, [0] * 12, [0.0] * 15, [0] * 3)
    wrong = {name: value for name, value in (right | change).items() if value is not None}
    headed(path, wrong, bytes(size))
    with pytest.raises(BadWeights, match=r"a\.1 is no dataset of a training of this version$"):
        Dataset.read(path, plain=True)
