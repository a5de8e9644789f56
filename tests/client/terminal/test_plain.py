"""The face for pipes: plain lines out, lines in as they come."""

from __future__ import annotations

import asyncio
import io
import os

from client.terminal.commands import Known
from client.terminal.lines import line
from client.terminal.plain import Plain
from client.terminal.tables import Menu, lobby_menu
from client.terminal.view import Scene
from tests.client.terminal.scenes import ADA, BOB, bot, lobby, match, room, scene


class Desk:
    """A plain face, what it printed, and the scene it is shown."""

    def __init__(self) -> None:
        self.out = io.StringIO()
        self.face = Plain(self.out, 0)
        self.scene = Scene(me="ada")
        self.face.attach(lambda: self.scene, Known)

    def show(self, scene: Scene) -> str:
        """What is printed when the scene has changed to this one."""
        self.scene = scene
        before = len(self.out.getvalue())
        self.face.show()
        return self.out.getvalue()[before:]


def test_lines_are_printed_without_styles_or_trailing_blanks() -> None:
    desk = Desk()
    desk.face.tell(line(("good", "You win."), "  "), line("next"))
    assert desk.out.getvalue() == "You win.\nnext\n"


def test_nothing_is_shown_before_there_is_a_scene() -> None:
    out = io.StringIO()
    Plain(out, 0).show()
    assert out.getvalue() == ""


def test_the_lobby_is_printed_once() -> None:
    desk = Desk()
    assert desk.show(Scene(me="ada")) == ""
    one = Scene(me="ada", menu=lobby_menu(lobby(bots=[bot("mcts")]), "ada", Menu()))
    assert "house/mcts" in desk.show(one)
    two = Scene(me="ada", menu=lobby_menu(lobby(bots=[bot("random")]), "ada", Menu()))
    assert desk.show(two) == ""


def test_a_room_is_printed_once() -> None:
    desk = Desk()
    waiting = Scene(me="ada", room=room(seats=(ADA, None)), seat=0)
    assert desk.show(waiting).startswith("Connect four   room 17")
    assert desk.show(Scene(me="ada", room=room(seats=(ADA, BOB)), seat=0)) == ""


def test_the_board_is_printed_when_one_is_to_move_and_at_the_end() -> None:
    desk = Desk()
    mine = desk.show(scene(match("tic_tac_toe", "5 1")))
    assert mine.startswith(" O │ 2 │ 3\n")
    assert mine.endswith("Your turn, X.\n2   3   4   6   7   8   9\n")
    assert desk.show(scene(match("tic_tac_toe", "5 1"))) == ""
    assert desk.show(scene(match("tic_tac_toe", "5 1 2"))) == ""
    assert "A draw: full." in desk.show(scene(match("tic_tac_toe", "1 2 3 5 4 6 8 7 9")))


def test_who_watches_sees_every_board() -> None:
    desk = Desk()
    for actions in ("5", "5 1"):
        assert desk.show(scene(match("tic_tac_toe", actions, seat=None), seat=None)) != ""


def test_between_a_room_and_its_match_nothing_is_printed() -> None:
    assert Desk().show(Scene(me="ada", room=room(match="17.2"), seat=0)) == ""


def test_a_pipe_neither_rings_nor_keeps() -> None:
    desk = Desk()
    desk.face.bell()
    desk.face.keep(desk.scene)
    assert desk.out.getvalue() == ""


async def test_lines_come_as_they_are_written_to_the_end() -> None:
    source, sink = os.pipe()
    face = Plain(io.StringIO(), source)
    os.write(sink, "5\n/say Zoë\nhal".encode())
    lines = face.typed()
    assert [await anext(lines), await anext(lines)] == ["5", "/say Zoë"]
    os.write(sink, b"f\xff")
    os.close(sink)
    assert [text async for text in lines] == ["half\ufffd"]
    os.close(source)


async def test_a_source_that_cannot_be_read_is_at_its_end() -> None:
    source, sink = os.pipe()
    os.close(source)
    face = Plain(io.StringIO(), source)
    async with asyncio.timeout(5):
        assert [text async for text in face.typed()] == []
    os.close(sink)
