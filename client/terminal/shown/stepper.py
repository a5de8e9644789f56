"""Steps through a finished match on a terminal.

    Connect four   room 17, match 17.2, 5 min + 3 s
    ...                                            the position, its clocks, the moves so far
     ply 12 of 40 │ ← → one │ + − ten │ ...        the toolbar

Like client/terminal/shown/screen.py it is not full-screen: what it showed last stays in the
terminal.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from prompt_toolkit.application import Application
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import FormattedTextControl, HSplit, Layout, Window

from client.styled_text import StyledText, cut, styled
from client.terminal.shown import replayed
from client.terminal.shown.screen import STYLE, formatted, terminal_of
from client.terminal.shown.suspending import stop_all, suspendable
from protocol.records.replay import Replay

FAR: Final = 10  # plies of a long step
HELP: Final = "← → one │ + − ten │ Home End │ Space plays │ f turns the board │ q quits"


class Stepper:
    """The games of a match on the terminal, one at a time, first the first.

    `every`: seconds between positions while it plays by itself.
    """

    def __init__(self, games: Sequence[Replay], flip: bool = False, every: float = 1.0) -> None:
        self._games = games
        self.game = 0  # which is shown
        self._flip = flip
        self._every = every
        self.ply = 0
        self._walk: asyncio.Task[None] | None = None
        self._app = self._build()

    @property
    def _replay(self) -> Replay:
        return self._games[self.game]

    @property
    def _last(self) -> int:
        return len(self._replay.steps) - 1

    @property
    def playing(self) -> bool:
        """Whether it goes on by itself."""
        return self._walk is not None

    async def run(self) -> None:
        """Draw and read keys until it is quit, or the terminal is gone."""
        try:
            with suspendable(*terminal_of(self._app)):
                await self._app.run_async(handle_sigint=False)
        except EOFError:  # the terminal is gone
            pass
        finally:
            self._stop()

    def go(self, ply: int) -> None:
        """Show this position, or the first or last one beyond it; it plays no more by itself."""
        self._stop()
        self._show(ply)

    def go_to_game(self, game: int) -> None:
        """Show the beginning of this game, or of the first or last one beyond it."""
        self.game = min(max(game, 0), len(self._games) - 1)
        self.go(0)

    def _show(self, ply: int) -> None:
        self.ply = min(max(ply, 0), self._last)
        self._app.invalidate()

    def toggle(self) -> None:
        """Play by itself from here on, at the end from the start; or stop that."""
        if self.playing:
            self._stop()
        else:
            if self.ply == self._last:
                self._show(0)
            self._walk = asyncio.get_running_loop().create_task(self._play())
        self._app.invalidate()

    async def _play(self) -> None:
        while self.ply < self._last:
            await asyncio.sleep(self._every)
            self._show(self.ply + 1)
        self._walk = None

    def _stop(self) -> None:
        if self._walk is not None:
            self._walk.cancel()
            self._walk = None

    def _build(self) -> Application[None]:
        position = Window(FormattedTextControl(self._text), dont_extend_height=True)
        bar = Window(FormattedTextControl(self._bar), height=1, style="class:toolbar")
        return Application(
            layout=Layout(HSplit([position, bar])), key_bindings=self._keys(), style=STYLE
        )

    def _text(self) -> FormattedText:
        size = self._app.output.get_size()
        rows = max(4, size.rows - 4)
        position = replayed.lines(self._replay, self.ply, size.columns, rows, self._flip)
        lines: list[StyledText] = [(), *position, ()]
        parts = [part for line in lines for part in (*formatted(line), ("", "\n"))]
        return FormattedText(parts[:-1])

    def _bar(self) -> FormattedText:
        mark = "▶" if self.playing else " "
        of_games = len(self._games)
        game = f"game {self.game + 1} of {of_games} (n p), " if of_games > 1 else ""
        line = styled(f"{mark}{game}ply {self.ply} of {self._last} │ {HELP}")
        return formatted(cut(line, self._app.output.get_size().columns))

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()
        keys.add("c-z")(lambda event: stop_all())
        steps = {"right": 1, "left": -1, "+": FAR, "-": -FAR, "pagedown": FAR, "pageup": -FAR}
        for name, step in steps.items():
            keys.add(name)(lambda event, by=step: self.go(self.ply + by))
        keys.add("home")(lambda event: self.go(0))
        keys.add("end")(lambda event: self.go(self._last))
        keys.add("n")(lambda event: self.go_to_game(self.game + 1))
        keys.add("p")(lambda event: self.go_to_game(self.game - 1))
        keys.add("space")(lambda event: self.toggle())

        @keys.add("f")
        def _turn(event: KeyPressEvent) -> None:
            self._flip = not self._flip

        @keys.add("q")
        @keys.add("c-c")
        @keys.add("c-d")
        def _quit(event: KeyPressEvent) -> None:
            event.app.exit()

        return keys
