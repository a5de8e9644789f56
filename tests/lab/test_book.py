"""How the opening book of connect four is made, and that it covers what it should."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from bots.engine import book
from bots.engine.book import name
from bots.engine.solvers import ConnectFour
from games.game import END
from games.rng import below, seeded
from lab.book import Maker, read_journal, starts
from tests.bots.positions import after

SEARCH = ConnectFour(book.GAME, plain=True)


def test_there_are_a_first_board_and_25_openings() -> None:
    assert len(list(starts())) == 26


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
    assert read_journal(cut).items() <= entries.items()
    assert Maker(journal, wide=False).entries(late, seat) == entries
    assert journal.read_text().splitlines(keepends=True) == lines
    assert list(islice(entries, 1)) == [name(late)[0]]


@pytest.mark.parametrize("seat", [0, 1])
def test_whatever_the_other_side_plays_the_book_has_an_answer(seat: int) -> None:
    """From the first board and from each opening of two plies, in either seat."""
    rng = seeded(seat)
    for start, games in [(start, 20 if start.state[2] else 300) for start in starts()]:
        for _ in range(games):
            position = start
            while position.state[2] < book.PLIES and position.to_move != END:
                actions = position.legal_actions()
                action = actions[below(rng, len(actions))]
                if position.to_move == seat:
                    if SEARCH.at_a_glance(position) is not None:
                        break
                    told = book.read().look(position)
                    assert told is not None, position
                    action = told[1]
                position = position.apply(action)
