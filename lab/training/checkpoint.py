"""A training that is not over, in files: everything that it goes on from.

One file holds settings, progress and weights.  Beside it lies a file for each dataset, with the
number of its round behind the name.  A dataset is written before the checkpoint that needs it, and
removed after the first one that does not, so a kill at any moment leaves a whole checkpoint.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path

import msgspec

from bots.backgammon import weights
from bots.backgammon.kernels.net import size
from bots.backgammon.weights import BadWeights
from lab.training.dataset import Dataset
from lab.training.progress import TrainingProgress
from lab.training.settings import BadTraining, TrainingSettings


@dataclass(frozen=True, slots=True)
class TrainingState:
    """Where a training stands.

    weights   all nets, then the mean of their weights
    averaged  batches of games of which `mean` is the mean
    datasets  of the last rounds, by the number of the round, from 1
    """

    progress: TrainingProgress
    weights: list[float]
    averaged: int
    datasets: dict[int, Dataset]


def write(
    path: Path, settings: TrainingSettings, state: TrainingState, written: Container[int]
) -> None:
    """Write a checkpoint; weights in single precision, so those of plain Python are rounded.

    Args:
        written: the numbers of the datasets that this training has put into files already.

    Raises:
        OSError: it cannot be written.
    """
    heading = {
        "checkpoint": "backgammon",
        "settings": settings.plain(),
        "progress": msgspec.to_builtins(state.progress),
        "averaged": state.averaged,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    for number, dataset in state.datasets.items():
        if number not in written:
            dataset.write(dataset_file(path, number))
    weights.write(path, heading, state.weights, "f")
    _clear(path, keep=state.datasets)


def read(path: Path, settings: TrainingSettings, plain: bool) -> TrainingState:
    """What `write` wrote of a training with these settings.

    Raises:
        BadWeights: there is no checkpoint, or it is damaged.
        BadTraining: it belongs to other settings.
    """
    heading, values = weights.read(path)
    if heading.get("checkpoint") != "backgammon":
        raise BadWeights(f"{path} is not a checkpoint of a training")
    if heading.get("settings") != settings.plain():
        raise BadTraining(f"{path} belongs to a training with other settings")
    try:
        progress = msgspec.convert(heading["progress"], TrainingProgress)
        averaged = msgspec.convert(heading["averaged"], int)
    except (KeyError, msgspec.ValidationError):
        raise BadWeights(f"{path} is a checkpoint of another version") from None
    if len(values) != 2 * sum(map(size, settings.hidden_after(progress.lessons))):
        raise BadWeights(f"{path} does not hold the nets that its settings say")
    first = settings.round(progress.lessons).oldest
    datasets = {
        number: Dataset.read(dataset_file(path, number), plain)
        for number in range(first, progress.lessons + 1)
    }
    return TrainingState(progress, list(values), averaged, datasets)


def dataset_file(path: Path, number: int) -> Path:
    """Where the dataset of a round lies beside a checkpoint."""
    return path.with_name(f"{path.name}.{number}")


def remove(path: Path) -> None:
    """Remove a checkpoint, if there is one, and the datasets beside it."""
    path.unlink(missing_ok=True)
    _clear(path, keep=())


def _clear(path: Path, keep: Container[int]) -> None:
    """Remove the datasets beside a checkpoint, except for some."""
    for file in path.parent.iterdir():
        number = file.name.removeprefix(f"{path.name}.")
        if number != file.name and number.isdecimal() and int(number) not in keep:
            file.unlink()
