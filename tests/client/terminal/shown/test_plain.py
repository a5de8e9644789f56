"""The interface for pipes: plain lines out, lines in as they come."""

from __future__ import annotations

import asyncio
import io
import os
from itertools import count

import pytest

from client.styled_text import styled
from client.terminal.shown import plain
from client.terminal.shown.menus import Menu, lobby_menu
from client.terminal.shown.plain import PlainInterface
from client.terminal.shown.view import ViewModel
from client.terminal.typed.completion import CompletionNames
from tests.client.terminal.states import ADA, BOB, bot, lobby, match, room, view


class Printed:
    """A plain interface, what it printed, and the view it is shown."""

    def __init__(self) -> None:
        self.out = io.StringIO()
        self.interface = PlainInterface(self.out, 0)
        self.view = ViewModel(me="ada")
        self.interface.attach(lambda: self.view, CompletionNames)

    def show(self, view: ViewModel) -> str:
        """What is printed when the view has changed to this one."""
        self.view = view
        before = len(self.out.getvalue())
        self.interface.show()
        return self.out.getvalue()[before:]


def test_lines_are_printed_without_styles_or_trailing_blanks() -> None:
    printed = Printed()
    printed.interface.tell(styled(("good", "You win."), "  "), styled("next"))
    assert printed.out.getvalue() == "You win.\nnext\n"


def test_nothing_is_shown_without_a_view_or_a_match_and_nothing_rings_or_is_kept() -> None:
    out = io.StringIO()
    PlainInterface(out, 0).show()
    assert out.getvalue() == ""
    printed = Printed()
    assert printed.show(ViewModel(me="ada", room=room(match="17.2"), seat=0)) == ""
    printed.interface.bell()
    printed.interface.keep(printed.view)
    assert printed.out.getvalue() == ""


def test_the_lobby_and_a_room_are_printed_once() -> None:
    printed = Printed()
    assert printed.show(ViewModel(me="ada")) == ""
    one = ViewModel(me="ada", menu=lobby_menu(lobby(bots=[bot("mcts")]), "ada", Menu()))
    assert "house/mcts" in printed.show(one)
    two = ViewModel(me="ada", menu=lobby_menu(lobby(bots=[bot("random")]), "ada", Menu()))
    assert printed.show(two) == ""
    waiting = ViewModel(me="ada", room=room(seats=(ADA, None)), seat=0)
    assert printed.show(waiting).startswith("Connect four   room 17")
    assert printed.show(ViewModel(me="ada", room=room(seats=(ADA, BOB)), seat=0)) == ""


def test_the_board_is_printed_when_one_is_to_move_and_at_the_end() -> None:
    printed = Printed()
    mine = printed.show(view(match("tic_tac_toe", "5 1")))
    assert mine.startswith(" O │ 2 │ 3\n")
    assert mine.endswith("Your turn, X.\n2   3   4   6   7   8   9\n")
    assert printed.show(view(match("tic_tac_toe", "5 1"))) == ""
    assert printed.show(view(match("tic_tac_toe", "5 1 2"))) == ""
    assert "A draw: the board is full." in printed.show(
        view(match("tic_tac_toe", "1 2 3 5 4 6 8 7 9"))
    )


def test_who_watches_sees_every_board() -> None:
    printed = Printed()
    for actions in ("5", "5 1"):
        assert printed.show(view(match("tic_tac_toe", actions, seat=None), seat=None)) != ""


async def test_lines_come_as_they_are_written_to_the_end() -> None:
    source, sink = os.pipe()
    interface = PlainInterface(io.StringIO(), source)
    os.write(sink, "5\n/say Zoë\nhal".encode())
    lines = interface.typed()
    assert [await anext(lines), await anext(lines)] == ["5", "/say Zoë"]
    os.write(sink, b"f\xff")
    os.close(sink)
    assert [text async for text in lines] == ["half\ufffd"]
    os.close(source)


async def test_a_source_that_cannot_be_read_is_at_its_end() -> None:
    source, sink = os.pipe()
    os.close(source)
    interface = PlainInterface(io.StringIO(), source)
    async with asyncio.timeout(60):
        assert [text async for text in interface.typed()] == []
    os.close(sink)


async def test_a_source_without_an_end_is_read_no_faster_than_lines_are_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    blocks = count(1)
    monkeypatch.setattr(plain, "_chunk", lambda source: b"%d\n" % next(blocks))
    lines = PlainInterface(io.StringIO(), 0).typed()
    assert [await anext(lines) for _ in range(200)] == [str(n) for n in range(1, 201)]
    assert next(blocks) <= 204


async def test_a_source_that_does_not_block_is_waited_for() -> None:
    source, sink = os.pipe()
    os.set_blocking(source, False)
    lines = PlainInterface(io.StringIO(), source).typed()
    first = asyncio.ensure_future(anext(lines))
    await asyncio.sleep(0)
    os.write(sink, b"5\n")
    assert await first == "5"
    os.close(sink)
    assert [text async for text in lines] == []
    os.close(source)
