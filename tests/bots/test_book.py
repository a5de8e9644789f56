"""The opening book of connect four: its file, what it covers, and samples of it solved again."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from bots import book
from bots.book import BadBook, Maker, mirrored, name
from bots.search import four
from games.game import Position

SOME = {5: (-21, 0), 2**48 + 9: (18, 6), 77: (0, 3)}


def after(columns: str) -> Position:
    """The position after these columns."""
    position = book.GAME.initial()
    for column in columns:
        position = position.apply(int(column) - 1)
    return position


def test_a_book_comes_back_from_its_bytes() -> None:
    packed = book.pack(SOME)
    assert book.unpack(packed) == SOME
    assert len(packed) == 24 + 9 * len(SOME)


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda data: data[:-1], "is a damaged opening book"),
        (lambda data: data[:-1] + b"\1", "is a damaged opening book"),
        (lambda data: data[:10], "is a damaged opening book"),
        (lambda data: b"plyfour9" + data[8:], "is no opening book of connect four"),
        (lambda data: b"", "is no opening book of connect four"),
    ],
)
def test_a_damaged_file_is_refused_with_a_sentence(
    damage: object, sentence: str, tmp_path: Path
) -> None:
    assert callable(damage)
    path = tmp_path / "some.book"
    path.write_bytes(damage(book.pack(SOME)))
    with pytest.raises(BadBook, match=f"some.book {sentence}"):
        book.read(path)


def test_a_file_that_is_not_there_is_a_sentence_too(tmp_path: Path) -> None:
    with pytest.raises(BadBook, match="there is no opening book"):
        book.read(tmp_path / "none.book")


def test_a_position_and_its_mirror_image_have_one_name() -> None:
    for columns in ("1", "4", "123", "4477", "6543"):
        position = after(columns)
        image = after("".join(str(8 - int(c)) for c in columns))
        assert mirrored(position) == image
        assert name(position)[0] == name(image)[0]
        assert {name(position)[1], name(image)[1]} == ({False} if columns == "4" else {0, 1})


def test_a_wide_table_has_the_same_name_for_both() -> None:
    class Wide(list[int]):
        def __len__(self) -> int:
            return four.WIDE

    for columns in ("1", "4", "123", "4477", "6543"):
        names = set()
        for position in (after(columns), mirrored(after(columns))):
            x, o, plies = position.state
            key = (o if plies & 1 else x) + (x | o) + four.BOTTOM
            names.add(four.name(key, plies, Wide()))
            assert four.name(key, plies, []) == key
            assert four.name(key, four.MIRRORED, Wide()) == key
        assert len(names) == 1


def test_there_are_a_first_board_and_25_openings() -> None:
    assert len(list(book.starts())) == 26


def test_a_maker_goes_on_with_its_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    late = after("2252576253462244111563365343")
    monkeypatch.setattr(book, "PLIES", late.state[2] + 3)
    journal = tmp_path / "journal"
    seat = late.to_move
    entries = Maker(journal, wide=False).entries(late, seat)
    assert len(entries) > 1
    lines = journal.read_text().splitlines(keepends=True)
    cut = journal.with_name("cut")
    cut.write_text("".join(lines[:2]) + lines[2][:-3])
    assert book.found_before(cut).items() <= entries.items()
    assert Maker(journal, wide=False).entries(late, seat) == entries
    assert journal.read_text().splitlines(keepends=True) == lines
    assert list(islice(entries, 1)) == [name(late)[0]]
