"""The interface for a person at a terminal: a prompt, the view above it, and above that the log.

    ...                                       the log: the terminal's own scrollback
    Connect four   room 17 ...                the view, drawn again whenever something changes
    │   │   │ X │   │   │   │
    › 13/7_                                   the prompt, which keeps what is being typed
     ada at 127.0.0.1:8765 │ X 4:51 ◀         the toolbar

Not full-screen, so that scrolling, copying and the last board stay the terminal's.  prompt_toolkit
reads keys and draws; nothing else here knows it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Final

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import (
    BufferControl,
    Float,
    FloatContainer,
    FormattedTextControl,
    HSplit,
    Layout,
    Window,
)
from prompt_toolkit.layout.menus import CompletionsMenu
from prompt_toolkit.layout.processors import BeforeInput
from prompt_toolkit.renderer import print_formatted_text
from prompt_toolkit.styles import Style

from client.styled_text import StyledText, cut, width, wrapped
from client.terminal.shown.suspending import stop_all, suspendable
from client.terminal.shown.view import ViewModel, frame, frame_for_log, toolbar
from client.terminal.typed.completion import CompletionNames, complete
from protocol.shell.streams import writable

PROMPT: Final = "› "
LOG_ROWS: Final = 4  # lines that the view leaves to the log ...
HIGH: Final = 30  # ... in a terminal that has so many; else only to what is new in it,
LOW: Final = 24  # ... and below this to two lines of that; nor are there blank lines
NEWS_ROWS: Final = 2
AROUND_ROWS: Final = 4  # about a view in the log: a blank line on each side, and a shell's prompt
TICK_S: Final = 0.1  # clocks show tenths at the end
_ON_TAB: Final = CompleteEvent(completion_requested=True)

STYLE: Final = Style.from_dict(
    {
        "title": "bold",
        "dim": "ansibrightblack",
        "seat0": "ansicyan bold",
        "seat1": "ansiyellow bold",
        "fresh": "reverse",
        "won": "reverse",
        "qr": "bg:#ffffff fg:#000000",
        "turn": "ansigreen bold",
        "good": "ansigreen bold",
        "bad": "ansired bold",
        "low": "ansired bold",
        "error": "ansired",
        "offer": "ansimagenta bold",
        "event": "ansibrightblack",
        "chat": "ansiblue bold",
        "key": "ansigreen",
        "help": "",
        "prompt": "bold",
        "toolbar": "reverse",
    }
)


class PromptScreen:
    """Draws views above a prompt while `run` runs; before and after it only prints."""

    patient = False

    def __init__(self) -> None:
        self._view: Callable[[str], ViewModel | None] = lambda typed: None
        self._typed: asyncio.Queue[str | None] = asyncio.Queue()
        self._log: list[StyledText] = []
        self._news = 0  # rows of the log since the person last pressed Enter
        self._printing = False
        self._stopping = False
        self._tallest = (0, "")  # rows of the view so far, and of what
        self._buffer = Buffer(
            history=InMemoryHistory(), multiline=False, accept_handler=self._accept
        )
        self._app = self._build()

    def attach(
        self, view: Callable[[str], ViewModel], names: Callable[[], CompletionNames]
    ) -> None:
        self._view = view
        self._buffer.completer = _Names(names)

    def tell(self, *lines: StyledText) -> None:
        columns = self._columns()
        rows = [row for line in lines for row in wrapped(line, columns)]
        self._news += sum(max(1, -(-width(row) // columns)) for row in rows)
        self._write(*rows)

    def _write(self, *lines: StyledText) -> None:
        self._log += lines
        if not self._app.is_running:
            self._print()
        elif not self._printing:
            self._printing = True
            asyncio.get_running_loop().call_soon(self._print_above)

    def show(self) -> None:
        """Draw the view again, soon."""
        self._app.invalidate()

    def keep(self, view: ViewModel) -> None:
        """Copy a view into the log, without what to do next."""
        rows = self._app.output.get_size().rows - AROUND_ROWS
        self._write((), *frame_for_log(view, self._columns(), rows), ())

    def bell(self) -> None:
        """Ring the terminal's bell, with the next drawing."""
        self._app.output.bell()

    async def typed(self) -> AsyncIterator[str]:
        """Yield the lines that are entered; Ctrl-C and Ctrl-D at an empty prompt count as /quit."""
        while (text := await self._typed.get()) is not None:
            yield text

    async def run(self) -> None:
        """Draw and read keys until `stop`; what is still to be logged is printed then."""
        ticking = asyncio.create_task(self._tick())
        try:
            with suspendable(*terminal_of(self._app)):
                await self._app.run_async(
                    pre_run=self._stop_if_asked,
                    handle_sigint=False,
                    set_exception_handler=False,  # its own waits for Enter
                )
        except EOFError:  # the terminal is gone
            self._typed.put_nowait("/quit later")
        finally:
            ticking.cancel()
            await asyncio.wait({ticking})
            self._print()

    def stop(self) -> None:
        """End `run`, be it running already or not."""
        self._stopping = True
        if self._app.is_running:
            self._app.exit()

    def _stop_if_asked(self) -> None:
        if self._stopping:
            self._app.exit()

    def _print_above(self) -> None:
        """Wipe the live part, print, and have it drawn again below.

        prompt_toolkit's own way, `in_terminal`, gives the keyboard back to the terminal for a
        moment, in which Ctrl-C would be a signal and what is typed would be echoed.
        """
        self._printing = False
        if not self._app.is_running:
            return
        self._app.renderer.erase()
        self._print()
        self._app.renderer.reset()
        self._app.renderer.request_absolute_cursor_position()
        self._app.invalidate()

    def _print(self) -> None:
        lines, self._log = self._log, []
        for line in lines:
            text = FormattedText([*formatted(line), ("", "\n")])
            print_formatted_text(self._app.output, text, STYLE)

    def _build(self) -> Application[None]:
        view = Window(FormattedTextControl(self._view_text), dont_extend_height=True)
        prompt = Window(
            BufferControl(self._buffer, [BeforeInput(writable(PROMPT), style="class:prompt")]),
            dont_extend_height=True,
            wrap_lines=True,
        )
        bar = Window(FormattedTextControl(self._toolbar_text), height=1, style="class:toolbar")
        menu = Float(CompletionsMenu(max_height=8), xcursor=True, ycursor=True)
        return Application(
            layout=Layout(FloatContainer(HSplit([view, prompt, bar]), [menu]), prompt),
            key_bindings=self._keys(),
            style=STYLE,
            erase_when_done=True,
        )

    def _view_text(self) -> FormattedText:
        view = self._view(self._buffer.text)
        if view is None or _is_in_log(view):
            return FormattedText()
        lines = frame(view, self._columns(), self._rows(view))
        if not self._is_low():
            lines = [(), *lines, ()]
        lines += [()] * self._padding(view, len(lines))
        parts = [part for line in lines for part in (*formatted(line), ("", "\n"))]
        return FormattedText(parts[:-1])

    def _padding(self, view: ViewModel, rows: int) -> int:
        """Blank lines that keep the prompt in its place while the view of one match shrinks."""
        if view.match is None:
            return 0
        what = view.match.match
        tallest, of = self._tallest
        tallest = max(rows, tallest) if of == what else rows
        self._tallest = (tallest, what)
        return min(tallest, self._rows(view) + (0 if self._is_low() else 2)) - rows

    def _toolbar_text(self) -> FormattedText:
        view = self._view("")
        return FormattedText() if view is None else formatted(cut(toolbar(view), self._columns()))

    def _columns(self) -> int:
        return self._app.output.get_size().columns

    def _is_low(self) -> bool:
        return self._app.output.get_size().rows < LOW

    def _rows(self, view: ViewModel) -> int:
        """Lines for the view: all but a blank one on each side, prompt, toolbar and some log."""
        rows = self._app.output.get_size().rows
        free = rows - (2 if self._is_low() else 4)
        if view.match is None:  # no board that must not shrink
            return max(4, free - min(self._news, rows // 2))
        if self._is_low():
            return max(4, free - min(self._news, NEWS_ROWS))
        return max(4, free - (LOG_ROWS if rows >= HIGH else min(self._news, LOG_ROWS)))

    async def _tick(self) -> None:
        """Draw the clocks while one runs."""
        while True:
            view = self._view("")
            if view is not None and view.runs():
                self._app.invalidate()
            await asyncio.sleep(TICK_S)

    def _accept(self, buffer: Buffer) -> bool:
        self._typed.put_nowait(buffer.text)
        self._news = 0
        return False  # the prompt is emptied

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()
        keys.add("c-z")(lambda event: stop_all())

        @keys.add("enter")
        def _enter(event: KeyPressEvent) -> None:
            self._buffer.validate_and_handle()

        @keys.add("tab")
        def _tab(event: KeyPressEvent) -> None:
            completions = list(
                self._buffer.completer.get_completions(self._buffer.document, _ON_TAB)
            )
            if len(completions) == 1:
                self._buffer.apply_completion(completions[0])
            elif self._buffer.complete_state:
                self._buffer.complete_next()
            else:
                self._buffer.start_completion(insert_common_part=True)

        @keys.add("c-c")
        def _interrupt(event: KeyPressEvent) -> None:
            if self._buffer.text:
                self._buffer.reset()
            else:
                self._typed.put_nowait("/quit")

        @keys.add("c-d")
        def _end(event: KeyPressEvent) -> None:
            if self._buffer.text:
                self._buffer.delete()
            else:
                self._typed.put_nowait("/quit")

        @keys.add("c-l")
        def _clear(event: KeyPressEvent) -> None:
            event.app.renderer.clear()

        return keys


class _Names(Completer):
    """Offers what completion.complete says."""

    def __init__(self, names: Callable[[], CompletionNames]) -> None:
        self._names = names

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        for text, back in complete(document.text_before_cursor, self._names()):
            yield Completion(text, start_position=-back)


def terminal_of(app: Application[None]) -> tuple[Callable[[], None], Callable[[], None]]:
    """Return how a drawn application gives its terminal back, and how it takes it again."""

    def release() -> None:
        app.renderer.erase()
        app.input.cooked_mode().__enter__()

    def take() -> None:
        app.input.raw_mode().__enter__()  # what was there before, `run_async` brings back
        app.renderer.reset()
        app.renderer.request_absolute_cursor_position()
        app.invalidate()

    return release, take


def _is_in_log(view: ViewModel) -> bool:
    """Return whether the last view stands in the log: once more below, it would push that up."""
    return view.past and view.match is not None and view.match.result is not None


def formatted(line: StyledText) -> FormattedText:
    """Return a line for prompt_toolkit, its style words as classes."""
    return FormattedText(
        [
            (" ".join(f"class:{word}" for word in style.split()), writable(text))
            for style, text in line
        ]
    )
