"""The weight file: what goes in comes out, and whatever else is there is found."""

from __future__ import annotations

import hashlib
import json
import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bots import weights
from bots.search.backgammon.inputs import INPUTS, MEANING
from bots.search.backgammon.net import size
from bots.weights import BadWeights, Weights
from tests.bots.backgammon import tiny

Change = Callable[[dict[str, Any]], None]


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


def test_what_half_precision_holds_comes_back(tmp_path: Path) -> None:
    kept = tiny.weights(seed=3, games=1000, curve=[[1, 2.5, 0.1]])
    weights.save(tmp_path / "a.nets", kept)
    assert weights.load(tmp_path / "a.nets") == Weights(
        kept.hidden, tuple(kept.values), kept.trained
    )


def test_a_weight_comes_back_within_half_precision(tmp_path: Path) -> None:
    rng = random.Random("halves")
    values = [rng.gauss(0, 2) for _ in range(3 * size(1))]
    weights.save(tmp_path / "a.nets", Weights((1, 1, 1), values, {}))
    for told, wanted in zip(weights.load(tmp_path / "a.nets").values, values, strict=True):
        assert told == pytest.approx(wanted, rel=2**-11, abs=2**-25)


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


@pytest.mark.parametrize("heading", [b"", b"{", b"\xff", b"[]", b"7", b"null", b"[" * 100_000])
def test_what_is_sealed_has_a_heading_with_names(heading: bytes, tmp_path: Path) -> None:
    with pytest.raises(BadWeights, match="a heading that this version cannot read"):
        weights.unseal(headed(tmp_path / "a", heading))
    assert weights.unseal(headed(tmp_path / "a", {}, b"more")) == ({}, b"more")


def test_the_same_nets_make_the_same_bytes(file: Path, tmp_path: Path) -> None:
    weights.save(tmp_path / "again.nets", tiny.weights(hidden=(1, 1, 1), games=7))
    assert (tmp_path / "again.nets").read_bytes() == file.read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["again.nets", "tiny.nets"]


def test_a_file_that_is_written_anew_is_read_anew(file: Path) -> None:
    before = weights.load(file)
    weights.save(file, tiny.weights(seed=2, hidden=(1, 1, 1)))
    assert weights.load(file).values != before.values


# ---------------------------------------------------------------- what is found


def test_any_bit_that_is_flipped_is_found(file: Path) -> None:
    """One bit of every byte of the heading, and of some of the weights; which one goes round."""
    check_flips(file, lambda i: [i % 8] if i < 60 or i % 17 == 0 else [])


@pytest.mark.slow
def test_every_bit_that_is_flipped_is_found(file: Path) -> None:
    check_flips(file, lambda i: range(8))


def check_flips(file: Path, bits: Callable[[int], Any]) -> None:
    whole = bytearray(file.read_bytes())
    for i in range(len(whole)):
        for bit in bits(i):
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


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadWeights, match=r"no weights in .*none\.nets: No such file"):
        weights.load(tmp_path / "none.nets")
    with pytest.raises(BadWeights, match="Is a directory"):
        weights.load(tmp_path)


@pytest.mark.parametrize("data", [b"", b"hello", b"\x89PNG\r\n\x1a\n" * 9, weights.MAGIC[:-1]])
def test_a_foreign_file(tmp_path: Path, data: bytes) -> None:
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
    with pytest.raises(BadWeights, match="a heading that this version cannot read"):
        weights.load(headed(tmp_path / "a", heading))


def test_a_heading_longer_than_the_file(tmp_path: Path) -> None:
    with pytest.raises(BadWeights, match="cannot read"):
        weights.load(written(tmp_path / "a", b"\xff\xff\xff\x7f{}"))
    with pytest.raises(BadWeights, match="cannot read"):
        weights.load(written(tmp_path / "a", b"\1"))


def test_half_a_weight_too_many(tmp_path: Path) -> None:
    with pytest.raises(BadWeights, match="cannot read"):
        weights.load(headed(tmp_path / "a", {"float": "e"}, b"\0\0\0"))


def whole(tmp_path: Path, change: Change, values: int = 3 * size(1)) -> Path:
    """A file whose heading was changed by somebody who knows the digest."""
    heading: dict[str, Any] = {
        "nets": "backgammon", "inputs": INPUTS, "meaning": MEANING, "hidden": [1, 1, 1],
        "trained": {}, "float": "e",
    }  # fmt: skip
    change(heading)
    return headed(tmp_path / "a", heading, struct.pack(f"<{values}e", *[0.5] * values))


def test_the_heading_that_the_next_tests_change_is_right(tmp_path: Path) -> None:
    assert weights.load(whole(tmp_path, lambda heading: None)).hidden == (1, 1, 1)


@pytest.mark.parametrize("change", [{"nets": "chess"}, {"nets": None}, {"nets": 1}])
def test_nets_of_something_else(tmp_path: Path, change: dict[str, Any]) -> None:
    with pytest.raises(BadWeights, match="no nets for backgammon"):
        weights.load(whole(tmp_path, lambda heading: heading.update(change)))


@pytest.mark.parametrize("change", [{"inputs": INPUTS + 1}, {"meaning": MEANING + 1}])
def test_nets_for_other_inputs(tmp_path: Path, change: dict[str, Any]) -> None:
    with pytest.raises(BadWeights, match="for other inputs than those of this version"):
        weights.load(whole(tmp_path, lambda heading: heading.update(change)))


@pytest.mark.parametrize(
    "hidden",
    [
        None, 1, "1,1,1", [], [1, 1], [1, 1, 1, 1], [1, 1, 0], [-1, 2, 2], [1.0, 1, 1], [1, 1, "1"],
        [1, 1, 2], [True, 1, 1], [1, 1, weights.MOST_HIDDEN + 1], [1, 1, 10**30],
    ],
)  # fmt: skip
def test_sizes_that_are_not_those_of_the_weights(tmp_path: Path, hidden: object) -> None:
    with pytest.raises(BadWeights, match="does not hold 3 whole nets"):
        weights.load(whole(tmp_path, lambda heading: heading.update(hidden=hidden)))


def test_more_hidden_units_than_are_allowed(tmp_path: Path) -> None:
    too_many = (weights.MOST_HIDDEN + 1, 1, 1)
    path = tmp_path / "a"
    weights.save(path, Weights(too_many, [0.0] * sum(map(size, too_many)), {}))
    with pytest.raises(BadWeights, match="does not hold 3 whole nets"):
        weights.load(path)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_weights_that_are_no_numbers(file: Path, value: float) -> None:
    heading, values = weights.read(file)
    weights.write(file, heading, values, "e")
    weights.load(file)
    weights.write(file, heading, [*values[:-1], value], "e")
    with pytest.raises(BadWeights, match=r"tiny\.nets holds weights that are no numbers"):
        weights.load(file)


def test_too_few_weights(tmp_path: Path) -> None:
    for n in (0, 3 * size(1) - 1, 3 * size(1) + 1):
        with pytest.raises(BadWeights, match="does not hold 3 whole nets"):
            weights.load(whole(tmp_path, lambda heading: None, n))


@pytest.mark.parametrize("without", ["x", 3, None, {}, ["x"], ["exact", "x"], [["exact"]], [1]])
def test_nets_that_do_without_something_unknown(tmp_path: Path, without: object) -> None:
    with pytest.raises(BadWeights, match="of a kind unknown to this version"):
        weights.load(whole(tmp_path, lambda heading: heading.update(without=without)))


def test_what_nets_do_without_comes_back(tmp_path: Path) -> None:
    kept = tiny.weights()
    for without in ((), ("exact",), tuple(weights.WITHOUT)):
        weights.save(tmp_path / "a", Weights(kept.hidden, kept.values, {}, without))
        assert weights.load(tmp_path / "a").without == without


@pytest.mark.parametrize("trained", [None, 3, ["x"]])
def test_what_people_may_read_is_not_needed(tmp_path: Path, trained: object) -> None:
    path = whole(tmp_path, lambda heading: heading.update(trained=trained))
    assert weights.load(path).trained == {}


# ---------------------------------------------------------------- what is not written


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), 65_520.0, -1e30])
def test_weights_that_have_run_away_are_not_written(file: Path, value: float) -> None:
    before = file.read_bytes()
    values = [0.0] * (3 * size(1) - 1) + [value]
    with pytest.raises(BadWeights, match="a smaller alpha"):
        weights.save(file, Weights((1, 1, 1), values, {}))
    assert file.read_bytes() == before
    assert [p.name for p in file.parent.iterdir()] == [file.name]


def test_what_was_there_stays_where_nothing_can_be_written(file: Path, tmp_path: Path) -> None:
    before = file.read_bytes()
    file.with_name("tiny.nets.new").mkdir()
    with pytest.raises(OSError, match="Is a directory"):
        weights.save(file, tiny.weights(seed=2))
    assert file.read_bytes() == before
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="Is a directory"):
        weights.save(tmp_path / "folder", tiny.weights())
    assert not (tmp_path / "folder.new").exists()
    (tmp_path / "plain").write_text("")
    with pytest.raises(OSError, match=r"File exists|Not a directory"):
        weights.save(tmp_path / "plain" / "a.nets", tiny.weights())
