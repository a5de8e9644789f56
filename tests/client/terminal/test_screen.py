"""The face for a terminal, on prompt_toolkit's own pipe and dummy terminal."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Iterator
from dataclasses import replace

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from client.terminal.commands import Known
from client.terminal.lines import line
from client.terminal.screen import Screen
from client.terminal.view import Scene
from protocol.messages import Clocks
from tests.client.terminal.scenes import match, scene


class Paper(io.StringIO):
    """Keeps what is written, and says when something was."""

    def __init__(self) -> None:
        super().__init__()
        self.written = asyncio.Event()

    def write(self, text: str) -> int:
        self.written.set()
        return super().write(text)


class Terminal:
    """A screen on a pretended terminal of 80 x 24; `keys` is its keyboard."""

    def __init__(self, keys: PipeInput, out: Paper) -> None:
        self.keys = keys
        self.out = out
        self.screen = Screen()
        self.scene = scene(match("tic_tac_toe", "5 1"))
        self.prompts: list[str] = []
        self.screen.attach(self.look, lambda: Known(legal=("2", "3")))

    def look(self, typed: str) -> Scene:
        self.prompts.append(typed)
        return replace(self.scene, typed=typed)

    async def drawn(self, text: str) -> str:
        """What was written once `text` was."""
        async with asyncio.timeout(5):
            while text not in self.out.getvalue():
                self.out.written.clear()
                await self.out.written.wait()
        return self.out.getvalue()


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    monkeypatch.setenv("PROMPT_TOOLKIT_NO_CPR", "1")
    out = Paper()
    output = Vt100_Output(out, lambda: Size(rows=24, columns=80), term="xterm-256color")
    with create_pipe_input() as keys, create_app_session(input=keys, output=output):
        yield Terminal(keys, out)


async def test_the_scene_stands_above_the_prompt_and_the_toolbar_below(terminal: Terminal) -> None:
    drawing = asyncio.create_task(terminal.screen.run())
    text = await terminal.drawn("/help")
    assert text.index("room 17") < text.index("Your turn, X.") < text.index("ada at")
    terminal.screen.stop()
    await drawing


async def test_what_is_typed_arrives_line_by_line(terminal: Terminal) -> None:
    drawing = asyncio.create_task(terminal.screen.run())
    lines = terminal.screen.typed()
    terminal.keys.send_text("2\r/help\r")
    assert [await anext(lines), await anext(lines)] == ["2", "/help"]
    terminal.screen.stop()
    await drawing


async def test_the_log_does_not_lose_what_is_being_typed(terminal: Terminal) -> None:
    drawing = asyncio.create_task(terminal.screen.run())
    await terminal.drawn("/help")
    terminal.keys.send_text("8/5")
    await terminal.drawn("8/5")
    assert "8/5" in terminal.prompts
    terminal.screen.tell(line(("chat", "<bob> "), "hello"))
    await terminal.drawn("hello")
    terminal.keys.send_text(" 6/5\r")
    assert await anext(terminal.screen.typed()) == "8/5 6/5"
    terminal.screen.stop()
    await drawing


async def test_a_low_terminal_makes_room_for_what_is_new_until_the_next_line(
    terminal: Terminal,
) -> None:
    def scene_rows() -> int:
        return "".join(text for _, text, *_ in terminal.screen._scene_text()).count("\n") + 1

    terminal.scene = scene(match("ultimate_tic_tac_toe", ""))
    drawing = asyncio.create_task(terminal.screen.run())
    await terminal.drawn("/help")
    before = scene_rows()
    assert before > 18
    terminal.screen.tell(line(("error", "'99' is no legal action here.")), line("Try 11."))
    assert scene_rows() == min(before, 22 - 2)
    terminal.screen.tell(*[line("a long list")] * 50)
    assert scene_rows() == 22 - 8
    terminal.keys.send_text("11\r")
    assert await anext(terminal.screen.typed()) == "11"
    assert scene_rows() == before
    terminal.screen.stop()
    await drawing


async def test_ctrl_c_and_ctrl_d_clear_the_prompt_or_quit(terminal: Terminal) -> None:
    drawing = asyncio.create_task(terminal.screen.run())
    lines = terminal.screen.typed()
    terminal.keys.send_text("abc\x032\r")
    assert await anext(lines) == "2"
    terminal.keys.send_text("\x03")
    assert await anext(lines) == "/quit"
    terminal.keys.send_text("ab\x01\x04\r\x04")
    assert [await anext(lines), await anext(lines)] == ["b", "/quit"]
    terminal.screen.stop()
    await drawing


async def test_tab_completes(terminal: Terminal) -> None:
    drawing = asyncio.create_task(terminal.screen.run())
    terminal.keys.send_text("/rem\t\r")
    assert await anext(terminal.screen.typed()) == "/rematch"
    terminal.screen.stop()
    await drawing


async def test_before_and_after_it_runs_the_log_is_only_printed(terminal: Terminal) -> None:
    terminal.screen.tell(line("before"))
    assert "before" in terminal.out.getvalue()
    terminal.screen.stop()
    await terminal.screen.run()
    terminal.screen.keep(replace(terminal.scene, past=True))
    assert "match 17.1" in terminal.out.getvalue()


async def test_what_was_told_at_the_very_end_is_printed(terminal: Terminal) -> None:
    drawing = asyncio.create_task(terminal.screen.run())
    await terminal.drawn("/help")
    terminal.screen.tell(line("the last word"))
    terminal.screen.stop()
    await drawing
    assert terminal.out.getvalue().count("the last word") == 1


async def test_a_running_clock_is_drawn_anew(terminal: Terminal) -> None:
    clocks = Clocks(remaining=(9_500, 9_500), running=0)
    terminal.scene = scene(match("tic_tac_toe", "5 1", clocks=clocks), left=(9_500, 9_500))
    drawing = asyncio.create_task(terminal.screen.run())
    await terminal.drawn("9.5")
    terminal.scene = replace(terminal.scene, left=(9_400, 9_500))
    await terminal.drawn("4")
    terminal.screen.stop()
    await drawing


async def test_the_bell_rings(terminal: Terminal) -> None:
    terminal.screen.bell()
    assert "\a" in terminal.out.getvalue()


async def test_a_terminal_that_is_gone_leaves_for_now(terminal: Terminal) -> None:
    drawing = asyncio.create_task(terminal.screen.run())
    await terminal.drawn("/help")
    terminal.keys.close()
    async with asyncio.timeout(5):
        assert await anext(terminal.screen.typed()) == "/quit later"
    await drawing
