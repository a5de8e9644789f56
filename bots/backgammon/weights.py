"""The weights of nets as a file, and what they were trained by.

    8 bytes   MAGIC
    16 bytes  the first ones of the SHA-256 of all that follows
    4 bytes   little endian: the length of the heading
              the heading: JSON in UTF-8, its keys sorted
              the weights: floats of two bytes (IEEE 754 half precision) or four, little endian

The heading of the shipped file holds the settings of its training, so the same command makes it
again.  Two more kinds of files have this form and a heading of their own: a checkpoint of a
training (lab/training/checkpoint.py), and a dataset, with something else than weights
in it (dataset.py beside it).
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bots.backgammon.kernels.inputs import INPUTS, MEANING
from bots.backgammon.kernels.net import KINDS, size
from protocol.files import whole_file

MAGIC: Final = b"plynets1"
DIGEST: Final = 16
FILE: Final = Path(__file__).parents[1] / "data" / "backgammon.nets"
MAX_HIDDEN: Final = 1024
WITHOUT: Final = {
    "features": "nothing but checkers counted on points",
    "one-way": "one net for all positions in which somebody can be hit",
    "exact": "no exact table at the end, but the net of races",
}
LARGEST: Final = 65_504.0  # of half precision


class BadWeights(Exception):
    """A file without whole weights for these nets, or weights that no file can hold; says which."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Nets of backgammon.

    hidden   how many hidden units each of them has
    values   all weights, as bots/backgammon/kernels/net.py lays them out
    trained  the settings of the training and its results; words and numbers for people
    without  what they do without, some of WITHOUT
    """

    hidden: tuple[int, ...]
    values: Sequence[float]
    trained: dict[str, Any]
    without: tuple[str, ...] = ()


def save(path: Path, weights: Weights) -> None:
    """Write the file anew, whole or not at all.

    Raises:
        BadWeights: a training has run away, so that some are beyond LARGEST, or no numbers at all.
        OSError: it cannot be written; what was there is there still.
    """
    _check(weights.values)
    heading = {
        "nets": "backgammon",
        "inputs": INPUTS,
        "meaning": MEANING,
        "hidden": list(weights.hidden),
        "without": list(weights.without),
        "trained": weights.trained,
    }
    write(path, heading, weights.values, "e")


def rounded(values: Sequence[float]) -> Sequence[float]:
    """What `load` reads of these weights after `save`.

    Raises:
        BadWeights: the same as in `save`.
    """
    _check(values)
    code = f"<{len(values)}e"
    return struct.unpack(code, struct.pack(code, *values))


def load(path: Path = FILE) -> Weights:
    """The nets in a file.

    Raises:
        BadWeights: it is not there, or damaged, or for other inputs; the sentence says which.
    """
    heading, values = read(path)
    if heading.get("nets") != "backgammon":
        raise BadWeights(f"{path} holds no nets for backgammon")
    if (heading.get("inputs"), heading.get("meaning")) != (INPUTS, MEANING):
        raise BadWeights(f"{path} holds nets for other inputs than those of this version")
    hidden = _hidden(heading.get("hidden"))
    if not hidden or len(values) != sum(size(h) for h in hidden):
        raise BadWeights(f"{path} does not hold {KINDS} whole nets")
    if not _bounded(values):
        raise BadWeights(f"{path} holds weights that are no numbers")
    without, trained = heading.get("without", []), heading.get("trained", {})
    if not isinstance(without, list) or not all(str(name) in WITHOUT for name in without):
        raise BadWeights(f"{path} holds nets of a kind unknown to this version")
    return Weights(hidden, values, trained if isinstance(trained, dict) else {}, tuple(without))


def _check(values: Sequence[float]) -> None:
    """Raise BadWeights if a training has run away."""
    if not _bounded(values):
        raise BadWeights("the weights have grown beyond all bounds; a smaller alpha keeps them")


def _bounded(values: Sequence[float]) -> bool:
    return all(-LARGEST <= value <= LARGEST for value in values)


def _hidden(value: object) -> tuple[int, ...]:
    """The sizes of the nets; empty if they are not possible."""
    if not isinstance(value, list) or len(value) != KINDS:
        return ()
    sizes = tuple(h for h in value if type(h) is int and 1 <= h <= MAX_HIDDEN)
    return sizes if len(sizes) == KINDS else ()


def digest(path: Path) -> str:
    """The digest in a file of weights, as hex digits; `load` it before."""
    return path.read_bytes()[len(MAGIC) : len(MAGIC) + DIGEST].hex()


def write(path: Path, heading: dict[str, Any], values: Sequence[float], code: str) -> None:
    """Write a file of weights anew, whole or not at all.

    Args:
        code: e for half precision, f for single.

    Raises:
        OSError: it cannot be written; what was there is there still.
    """
    seal(path, {**heading, "float": code}, struct.pack(f"<{len(values)}{code}", *values))


def read(path: Path) -> tuple[dict[str, Any], tuple[float, ...]]:
    """The heading and the weights of a file.

    Raises:
        BadWeights: it is not there, no such file, or damaged.
    """
    heading, values = unseal(path)
    try:
        code = heading["float"]
        each = {"e": 2, "f": 4}[code]
        return heading, struct.unpack(f"<{len(values) // each}{code}", values)
    except (KeyError, TypeError, struct.error):
        raise BadWeights(f"{path} has a heading that this version cannot read") from None


def seal(path: Path, heading: dict[str, Any], content: bytes) -> None:
    """Write a file anew, whole or not at all, that `unseal` will know to be whole.

    Raises:
        OSError: it cannot be written; what was there is there still.
    """
    head = json.dumps(heading, sort_keys=True).encode()
    body = len(head).to_bytes(4, "little") + head + content
    path.parent.mkdir(parents=True, exist_ok=True)
    whole_file.write(path, MAGIC + hashlib.sha256(body).digest()[:DIGEST] + body)


def unseal(path: Path) -> tuple[dict[str, Any], bytes]:
    """The heading of a file that `seal` wrote, and its content.

    Raises:
        BadWeights: it is not there, no such file, or damaged.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadWeights(f"there are no weights in {path}: {error.strerror}") from None
    if not data.startswith(MAGIC):
        raise BadWeights(f"{path} is no file of weights")
    body = data[len(MAGIC) + DIGEST :]
    if data[len(MAGIC) : len(MAGIC) + DIGEST] != hashlib.sha256(body).digest()[:DIGEST]:
        raise BadWeights(f"{path} is damaged, or not all there")
    end = 4 + int.from_bytes(body[:4], "little")
    try:
        heading = json.loads(body[4:end])
    except (ValueError, RecursionError):
        heading = None
    if not isinstance(heading, dict):
        raise BadWeights(f"{path} has a heading that this version cannot read")
    return heading, body[end:]
