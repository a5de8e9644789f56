"""Positions and their targets, from games looked ahead in; in memory and in a file."""

from __future__ import annotations

import sys
from array import array
from collections.abc import MutableSequence, Sequence
from pathlib import Path
from typing import Any, Final

from bots.backgammon import weights
from bots.backgammon.kernels.net import OUTPUTS
from bots.backgammon.weights import BadWeights
from bots.engine import compiled
from lab.training.kernels.learning import PACKED
from lab.training.kernels.training_records import Samples

LENGTHS: Final = (PACKED, OUTPUTS, 1)  # numbers of each array of Samples to a position ...
CODES: Final = "qfq"  # ... and their types in a file


class Dataset:
    """Room for `n` positions, of which the first `count` are there."""

    def __init__(self, n: int, plain: bool) -> None:
        self.n = n
        self.count = 0
        self.samples = Samples(
            compiled.ints(n * PACKED, plain),
            compiled.singles(n * OUTPUTS, plain),
            compiled.ints(n, plain),
        )

    def _parts(self) -> tuple[MutableSequence[Any], ...]:
        return tuple(self.samples)

    def add(self, other: Dataset) -> None:
        """Append the other's positions, as far as there is room."""
        n = min(other.count, self.n - self.count)
        for mine, theirs, length in zip(self._parts(), other._parts(), LENGTHS, strict=True):
            mine[length * self.count : length * (self.count + n)] = theirs[: length * n]
        self.count += n

    def write(self, path: Path) -> None:
        """Write the positions to a file; targets in single precision.

        Raises:
            OSError: it cannot be written; what was there is there still.
        """
        parts = [
            array(code, part[: length * self.count]).tobytes()
            for code, part, length in zip(CODES, self._parts(), LENGTHS, strict=True)
        ]
        heading = {"page": "backgammon", "count": self.count, "order": sys.byteorder}
        weights.seal(path, heading, b"".join(parts))

    @staticmethod
    def read(path: Path, plain: bool) -> Dataset:
        """The dataset in a file.

        Raises:
            BadWeights: it is not there, no such file, or damaged.
        """
        heading, content = weights.unseal(path)
        n, sizes = heading.get("count"), [array(code).itemsize for code in CODES]
        each = sum(size * length for size, length in zip(sizes, LENGTHS, strict=True))
        if (
            heading.get("page") != "backgammon"
            or heading.get("order") != sys.byteorder
            or not isinstance(n, int)
            or len(content) != n * each
        ):
            raise BadWeights(f"{path} is no dataset of a training of this version")
        dataset = Dataset(n, plain)
        dataset.count, begin = n, 0
        for room, code, size in zip(dataset._parts(), CODES, sizes, strict=True):
            end = begin + len(room) * size
            room[:] = array(code, content[begin:end])
            begin = end
        return dataset


def joined(datasets: Sequence[Dataset], plain: bool) -> Dataset:
    """One dataset with all positions of these, and no more room."""
    whole = Dataset(sum(dataset.count for dataset in datasets), plain)
    for dataset in datasets:
        whole.add(dataset)
    return whole
