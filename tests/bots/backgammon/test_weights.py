"""The weight file: what goes in comes out, and whatever else is there is found."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import struct
from pathlib import Path
from typing import Any

import pytest

from bots.backgammon import weights
from bots.backgammon.kernels.inputs import INPUTS, MEANING
from bots.backgammon.kernels.net import size
from bots.backgammon.weights import BadWeights, Weights
from tests.bots.backgammon import tiny


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Tiny nets, whole."""
    path = tmp_path / "tiny.nets"
    weights.save(path, tiny.weights(hidden=(1, 1, 1), games=7))
    return path


def written(path: Path, body: bytes) -> Path:
    """A file that is what its digest says."""
    digest = hashlib.sha256(body).digest()[: weights.DIGEST]
    path.write_bytes(weights.MAGIC + digest + body)
    return path


def headed(path: Path, heading: object, values: bytes = b"") -> Path:
    head = heading if isinstance(heading, bytes) else json.dumps(heading).encode()
    return written(path, len(head).to_bytes(4, "little") + head + values)


@pytest.mark.parametrize("without", [(), ("exact",), tuple(weights.WITHOUT)])
def test_what_half_precision_holds_comes_back(tmp_path: Path, without: tuple[str, ...]) -> None:
    made = tiny.weights(seed=3, games=1000, curve=[[1, 2.5, 0.1]])
    kept = Weights(made.hidden, tuple(made.values), made.trained, without)
    weights.save(tmp_path / "a.nets", kept)
    assert weights.load(tmp_path / "a.nets") == kept


def test_rounded_weights_are_those_that_a_file_gives_back(tmp_path: Path) -> None:
    made = tiny.weights()
    values = [value / 3 for value in made.values]
    weights.save(tmp_path / "a.nets", Weights(made.hidden, values, {}))
    assert weights.rounded(values) == weights.load(tmp_path / "a.nets").values != tuple(values)
    with pytest.raises(weights.BadWeights, match="grown beyond all bounds"):
        weights.rounded([*values, float("nan")])


def test_single_precision_comes_back(tmp_path: Path) -> None:
    values = [0.1, -3e-20, 1e30, float("inf")]
    weights.write(tmp_path / "deep" / "a", {"checkpoint": "x"}, values, "f")
    heading, told = weights.read(tmp_path / "deep" / "a")
    assert heading == {"checkpoint": "x", "float": "f"}
    assert list(told) == pytest.approx(values, rel=2**-24)


@pytest.mark.parametrize("content", [b"", b"\0", bytes(range(256)) * 3])
def test_what_was_sealed_comes_back(content: bytes, tmp_path: Path) -> None:
    """Whatever it is; `read` wants weights."""
    path = tmp_path / "deep" / "a"
    weights.seal(path, {"page": "ü", "count": 3}, content)
    assert weights.unseal(path) == ({"page": "ü", "count": 3}, content)
    assert [p.name for p in path.parent.iterdir()] == ["a"]
    with pytest.raises(BadWeights, match="a heading that this version cannot read"):
        weights.read(path)


def test_the_same_nets_make_the_same_bytes(file: Path, tmp_path: Path) -> None:
    weights.save(tmp_path / "again.nets", tiny.weights(hidden=(1, 1, 1), games=7))
    assert (tmp_path / "again.nets").read_bytes() == file.read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["again.nets", "tiny.nets"]


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_any_bit_that_is_flipped_is_found(file: Path, every: bool) -> None:
    """One bit of each byte of the heading, which goes round, and of some weights; or every bit."""
    whole = bytearray(file.read_bytes())
    for i in range(len(whole)):
        for bit in range(8) if every else [i % 8] if i < 60 or i % 17 == 0 else []:
            whole[i] ^= 1 << bit
            file.write_bytes(whole)
            with pytest.raises(BadWeights):
                weights.read(file)
            whole[i] ^= 1 << bit
    file.write_bytes(whole)
    weights.read(file)


def test_a_file_cut_off_anywhere_is_found(file: Path) -> None:
    whole = file.read_bytes()
    for n in (*range(40), *range(40, len(whole), 41), len(whole) - 1):
        file.write_bytes(whole[:n])
        with pytest.raises(BadWeights, match=r"tiny\.nets is (no file|damaged)"):
            weights.read(file)
    file.write_bytes(whole + b"\0")
    with pytest.raises(BadWeights, match="damaged, or not all there"):
        weights.read(file)


@pytest.mark.parametrize("data", [b"", b"hello", b"\x89PNG\r\n\x1a\n" * 9, weights.MAGIC[:-1]])
def test_a_foreign_file_or_none(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(BadWeights, match=r"no weights in .*a: No such file"):
        weights.load(tmp_path / "a")
    with pytest.raises(BadWeights, match="Is a directory"):
        weights.load(tmp_path)
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(BadWeights, match="is no file of weights"):
        weights.load(tmp_path / "a")


@pytest.mark.parametrize(
    "heading",
    [
        b"", b"{", b"\xff", b"[]", b"7", b"null", b"{}", b'{"float": "d"}', b'{"float": ["e"]}',
        b'{"float": 2}', b"[" * 100_000, b'{"float": "e", "n": ' + b"9" * 10_000 + b"}",
    ],
)  # fmt: skip
def test_a_heading_that_nobody_wrote(tmp_path: Path, heading: bytes) -> None:
    head = len(heading).to_bytes(4, "little") + heading
    for body in (head, b"\xff\xff\xff\x7f{}", b"\1"):
        with pytest.raises(BadWeights, match="a heading that this version cannot read"):
            weights.load(written(tmp_path / "a", body))
    with pytest.raises(BadWeights, match="cannot read"):  # half a weight too many
        weights.load(headed(tmp_path / "a", {"float": "e"}, b"\0\0\0"))


def whole(tmp_path: Path, change: dict[str, Any], values: int = 3 * size(1)) -> Path:
    """A file whose heading was changed by somebody who knows the digest."""
    heading: dict[str, Any] = {
        "nets": "backgammon", "inputs": INPUTS, "meaning": MEANING, "hidden": [1, 1, 1],
        "trained": {}, "float": "e", **change,
    }  # fmt: skip
    return headed(tmp_path / "a", heading, struct.pack(f"<{values}e", *[0.5] * values))


NETS, INPUT, WHOLE, KIND = (
    "holds no nets for backgammon", "holds nets for other inputs than those of this version",
    "does not hold 3 whole nets", "holds nets of a kind unknown to this version",
)  # fmt: skip
MOST = weights.MAX_HIDDEN
SIZES = [
    None, 1, "1,1,1", [], [1, 1], [1, 1, 1, 1], [1, 1, 0], [-1, 2, 2], [1.0, 1, 1], [1, 1, "1"],
    [1, 1, 2], [True, 1, 1], [1, 1, 10**30],
]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "values", "why"),
    [
        *(({"nets": name}, 0, NETS) for name in ("chess", None, 1)),
        *((change, 0, INPUT) for change in ({"inputs": INPUTS + 1}, {"meaning": MEANING + 1})),
        *(({"hidden": hidden}, 0, WHOLE) for hidden in SIZES),
        *(({}, n, WHOLE) for n in (-3 * size(1), -1, 1)),
        ({"hidden": [1, 1, MOST + 1]}, size(MOST + 1) - size(1), WHOLE),
        *(({"without": x}, 0, KIND) for x in ("x", 3, None, {}, ["exact", "x"], [["exact"]], [1])),
    ],
)
def test_a_heading_that_does_not_fit(
    tmp_path: Path, change: dict[str, Any], values: int, why: str
) -> None:
    """By somebody who knows the digest; so many weights more than there should be."""
    assert weights.load(whole(tmp_path, {"trained": [3]})).trained == {}
    with pytest.raises(BadWeights) as error:
        weights.load(whole(tmp_path, change, 3 * size(1) + values))
    assert str(error.value) == f"{tmp_path / 'a'} {why}"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_weights_that_are_no_numbers(file: Path, value: float) -> None:
    heading, values = weights.read(file)
    weights.write(file, heading, values, "e")
    weights.load(file)
    weights.write(file, heading, [*values[:-1], value], "e")
    with pytest.raises(BadWeights, match=r"tiny\.nets holds weights that are no numbers"):
        weights.load(file)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), 65_520.0, -1e30])
def test_weights_that_have_run_away_are_not_written(file: Path, value: float) -> None:
    before = file.read_bytes()
    values = [0.0] * (3 * size(1) - 1) + [value]
    with pytest.raises(BadWeights, match="a smaller alpha"):
        weights.save(file, Weights((1, 1, 1), values, {}))
    assert file.read_bytes() == before
    assert [p.name for p in file.parent.iterdir()] == [file.name]


def test_what_was_there_stays_where_nothing_can_be_written(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = file.read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            weights.save(file, tiny.weights(seed=2))
    assert file.read_bytes() == before
    assert list(file.parent.iterdir()) == [file]
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="Is a directory"):
        weights.save(tmp_path / "folder", tiny.weights())
    (tmp_path / "plain").write_text("")
    with pytest.raises(OSError, match=r"File exists|Not a directory"):
        weights.save(tmp_path / "plain" / "a.nets", tiny.weights())
