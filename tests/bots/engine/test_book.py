"""The opening book of connect four: its file, what it covers, and samples of it solved again."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from bots.engine import book
from bots.engine.book import BadBook, mirrored, name
from bots.engine.kernels import four
from bots.engine.solvers import PLENTY, ConnectFour
from games.game import Position
from games.rng import below, seeded
from tests.bots.positions import after

SEARCH = ConnectFour(book.GAME, plain=True)

SOME = {5: (-21, 0), 2**48 + 9: (18, 6), 77: (0, 3)}


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


def known(position: Position) -> int | None:
    """The score as it is seen at once, or by the book."""
    seen = SEARCH.at_a_glance(position)
    told = book.read().look(position)
    return seen if seen is not None or told is None else told[0]


def rebuilt(key: int) -> Position:
    """The position that a key tells: in each column, its stones and X's among them."""
    x = o = plies = 0
    for column in range(7):
        part = key >> 7 * column & 127
        height = (part + 1).bit_length() - 1
        mine = part - (2**height - 1)
        x |= mine << 7 * column
        o |= (2**height - 1 ^ mine) << 7 * column
        plies += height
    return Position(book.GAME, (x, o, plies))


def test_every_entry_is_a_position_of_few_stones_and_a_legal_action() -> None:
    data = book.FILE.read_bytes()
    entries = book.unpack(data)
    assert book.pack(entries) == data
    assert list(entries) == sorted(entries)
    for key, (score, action) in entries.items():
        position = rebuilt(key)
        assert name(position) == (key, False)
        assert position.state[2] < book.PLIES
        assert action in position.legal_actions()
        assert -21 <= score < 21 - position.state[2] // 2


def test_the_first_player_wins_with_the_last_stone_but_one_by_the_middle() -> None:
    assert book.read().look(book.GAME.initial()) == (1, 3)
    replies = [known(after("4").apply(action)) for action in range(7)]
    assert all(score is not None for score in replies)


def test_scores_agree_with_those_two_plies_on() -> None:
    """A score is the least that the replies to the book's action leave, for all that are known."""
    compared = 0
    for key, (score, action) in islice(book.read().entries.items(), 0, None, 3):
        between = rebuilt(key).apply(action)
        replies = [known(between.apply(reply)) for reply in between.legal_actions()]
        found = [reply for reply in replies if reply is not None]
        if len(found) == len(replies):
            assert min(found) == score
            compared += 1
        else:
            assert all(reply >= score for reply in found)
    assert compared > 30


@pytest.mark.slow
@pytest.mark.usefixtures("with_numba")
def test_samples_of_the_book_are_solved_again() -> None:
    search, rng = ConnectFour(book.GAME), seeded(5)
    late = [k for k in book.read().entries if rebuilt(k).state[2] >= book.PLIES - 2]
    for _ in range(6):
        key = late[below(rng, len(late))]
        found = search.solve(rebuilt(key), PLENTY, [0])
        assert (found.high, found.best) == book.read().entries[key]
