"""The interface at a terminal, on prompt_toolkit's own pipe and dummy terminal."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from types import SimpleNamespace

import pytest
from prompt_toolkit.input import PipeInput

from client.styled_text import styled
from client.terminal.shown.screen import PromptScreen, formatted
from client.terminal.shown.view import ViewModel
from client.terminal.typed.completion import CompletionNames
from protocol.parts import Clocks
from tests.client.terminal.fakes import Paper
from tests.client.terminal.states import match, view


class Terminal:
    """A screen on a pretended terminal of 80 x 24; `keys` is its keyboard."""

    def __init__(self, keys: PipeInput, out: Paper) -> None:
        self.keys = keys
        self.out = out
        self.screen = PromptScreen()
        self.view = view(match("tic_tac_toe", "5 1"))
        self.prompts: list[str] = []
        self.screen.attach(self.look, lambda: CompletionNames(legal=("2", "3")))

    def look(self, typed: str) -> ViewModel:
        self.prompts.append(typed)
        return replace(self.view, typed=typed)

    async def drawn(self, text: str) -> str:
        """What was written once `text` was."""
        return await self.out.until(text)


@pytest.fixture
def terminal(keys: PipeInput, paper: Paper) -> Terminal:
    return Terminal(keys, paper)


@pytest.fixture
async def drawn(terminal: Terminal) -> AsyncIterator[Terminal]:
    """The same while it is drawn."""
    drawing = asyncio.create_task(terminal.screen.run())
    yield terminal
    terminal.screen.stop()
    await drawing


async def test_the_view_stands_above_the_prompt_and_the_toolbar_below(drawn: Terminal) -> None:
    text = await drawn.drawn("/help")
    assert text.index("room 17") < text.index("Your turn, X.") < text.index("ada at")


def test_what_the_terminal_cannot_show_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", SimpleNamespace(encoding="latin-1"))
    assert formatted(styled(("dim", "│ 日 ·"))) == [("class:dim", "| ?? ·")]


async def test_what_is_typed_arrives_line_by_line(drawn: Terminal) -> None:
    lines = drawn.screen.typed()
    drawn.keys.send_text("2\r/help\r")
    assert [await anext(lines), await anext(lines)] == ["2", "/help"]


async def test_the_log_does_not_lose_what_is_being_typed(drawn: Terminal) -> None:
    await drawn.drawn("/help")
    drawn.keys.send_text("8/5")
    await drawn.drawn("8/5")
    assert "8/5" in drawn.prompts
    drawn.screen.tell(styled(("chat", "<bob> "), "hello"))
    await drawn.drawn("hello")
    drawn.keys.send_text(" 6/5\r")
    assert await anext(drawn.screen.typed()) == "8/5 6/5"


async def test_a_low_terminal_makes_room_for_what_is_new_until_the_next_line(
    drawn: Terminal,
) -> None:
    def view_rows() -> int:
        return "".join(text for _, text, *_ in drawn.screen._view_text()).count("\n") + 1

    drawn.view = view(match("ultimate_tic_tac_toe", ""))
    await drawn.drawn("/help")
    before = view_rows()
    assert before > 18
    drawn.screen.tell(styled(("error", "'99' is no legal action here.")), styled("Try 11."))
    assert view_rows() == min(before, 22 - 2)
    drawn.screen.tell(*[styled("a long list")] * 50)
    assert view_rows() == 22 - 4, "but the board stays"
    drawn.keys.send_text("11\r")
    assert await anext(drawn.screen.typed()) == "11"
    assert view_rows() == before


async def test_ctrl_c_and_ctrl_d_clear_the_prompt_or_quit(drawn: Terminal) -> None:
    lines = drawn.screen.typed()
    drawn.keys.send_text("abc\x032\r")
    assert await anext(lines) == "2"
    drawn.keys.send_text("\x03")
    assert await anext(lines) == "/quit"
    drawn.keys.send_text("ab\x01\x04\r\x04")
    assert [await anext(lines), await anext(lines)] == ["b", "/quit"]


async def test_tab_completes(drawn: Terminal) -> None:
    drawn.keys.send_text("/rem\t\r")
    assert await anext(drawn.screen.typed()) == "/rematch"


async def test_before_and_after_it_runs_the_log_is_only_printed(terminal: Terminal) -> None:
    terminal.screen.tell(styled("before"))
    assert "before" in terminal.out.getvalue()
    terminal.screen.stop()
    await terminal.screen.run()
    terminal.screen.keep(replace(terminal.view, past=True))
    assert "match 17.1" in terminal.out.getvalue()


async def test_what_was_told_at_the_very_end_is_printed(terminal: Terminal) -> None:
    drawing = asyncio.create_task(terminal.screen.run())
    await terminal.drawn("/help")
    terminal.screen.tell(styled("the last word"))
    terminal.screen.stop()
    await drawing
    assert terminal.out.getvalue().count("the last word") == 1


async def test_a_running_clock_is_drawn_anew(drawn: Terminal) -> None:
    clocks = Clocks(remaining=(9_500, 9_500), running=0)
    drawn.view = view(match("tic_tac_toe", "5 1", clocks=clocks), left=(9_500, 9_500))
    await drawn.drawn("9.5")
    drawn.view = replace(drawn.view, left=(9_400, 9_500))
    await drawn.drawn("4")


async def test_the_bell_rings(terminal: Terminal) -> None:
    terminal.screen.bell()
    assert "\a" in terminal.out.getvalue()


async def test_a_terminal_that_is_gone_leaves_for_now(terminal: Terminal) -> None:
    drawing = asyncio.create_task(terminal.screen.run())
    await terminal.drawn("/help")
    terminal.keys.close()
    async with asyncio.timeout(60):
        assert await anext(terminal.screen.typed()) == "/quit later"
    await drawing
