"""`plyhouse board GAME [POSITION]`: an analysis board in this terminal, and in a pipe.

    plyhouse board connect_four 4453
    plyhouse board backgammon "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"

No server and no match: positions, what can be played in them, and what is best.  In a terminal
lines are typed, and arrow keys go back and forth; a pipe is read line by line, to its end.
"""

from __future__ import annotations

import argparse
import json
import secrets
import shlex
import sys
from collections.abc import Callable, Iterator
from typing import Any, Final

from bots import registry
from bots.analysis import analysts
from bots.analysis.analyst import BadDepth
from bots.analysis.board import Board, NoSuchStep
from bots.analysis.consider import consider
from bots.analysis.interruptible import run_interruptibly
from bots.engine import compiled
from games import registry as games
from games.game import CHANCE, IllegalAction, NotationError, Position
from games.registry import UnknownGame
from protocol.analysis import MAX_EFFORT, Consideration
from protocol.reading.positions import read_position

HELP: Final = """\
an action, or a roll    plays it here: a new branch, where something else was tried before
back, forward [ACTION]  step; in a terminal also the left and right arrow keys
best [0, 1 or 2]        what is best here; 2 looks longest
roll                    rolls the dice
legal                   all that can be played here
line                    the actions that led here, and what was tried here
play on [BOT]           how to play on from here, against that bot or the one that looks here
new [POSITION]          begins anew, or from any text of a position: an XGID, columns, rows
help, quit"""
LISTED: Final = 24  # actions that `legal` shows in a line
BAD: Final = (NotationError, IllegalAction, NoSuchStep, UnknownGame, BadDepth)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `plyhouse board`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = f"typed there:\n{HELP}"
    parser.add_argument("game", metavar="GAME", help=", ".join(games.names()))
    parser.add_argument(
        "position", nargs="*", default=[], metavar="POSITION", help="any text of it"
    )
    parser.add_argument(
        "--effort", type=int, default=1, choices=range(MAX_EFFORT + 1), metavar="N",
        help="how long to look at each position: 0 a moment, 1 (default), 2 several seconds",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print the position as JSON, and end")


def run(args: argparse.Namespace) -> int:
    """Show the board until it is quit.

    Returns:
        0 done, 1 if a line of a pipe was wrong, 2 for bad input.
    """
    try:
        position = read_at_once(args.game, " ".join(args.position))
        _prepare(position)
        session = BoardSession(position, args.effort)
        if args.json:
            print(json.dumps(session.row(), indent=1))
            return 0
    except BAD as error:
        print(f"plyhouse: {error}", file=sys.stderr)
        return 2
    terminal = sys.stdin.isatty() and sys.stdout.isatty()
    lines = typed_lines(session) if terminal else iter(sys.stdin)
    session.show()
    for line in lines:
        if not session.do(line.strip()):
            break
    return int(session.failed and not terminal)


def read_at_once(game: str, text: str) -> Position:
    """The position that a text stands for, or the first one of the game.

    Raises:
        NotationError, UnknownGame: with what is wrong.
    """
    return read_position(text, game) if text else games.game(game).initial()


def _prepare(position: Position) -> None:
    """Compile what is needed, and say so; BadDepth: nobody here knows the game."""
    bot_class = registry.bot_class(analysts.analyst_class(position.game).PROGRAM)
    if compiled.missing():
        print("plyhouse: without numba this takes some fifty times longer", file=sys.stderr)
    elif not bot_class.ready(position.game):
        print(f"plyhouse: compiling the search for {position.game.name}, once", file=sys.stderr)
    if not bot_class.loaded(position.game) or not bot_class.ready(position.game):
        bot_class.prepare(position.game)


class BoardSession:
    """What is typed at a board, and what is shown for it."""

    def __init__(self, first: Position, effort: int) -> None:
        self.board = Board(first)
        self.effort = effort
        self.failed = False
        self._commands: dict[str, Callable[[str], None]] = {
            "back": lambda _: self._step(self.board.back),
            "forward": lambda rest: self._step(lambda: self.board.forward(rest)),
            "best": self._best,
            "roll": lambda _: self._roll(),
            "legal": lambda _: self._legal(),
            "line": lambda _: self._line(),
            "play": self._play_on,
            "new": self._new,
            "help": lambda _: print(HELP),
        }

    def do(self, line: str) -> bool:
        """Do what a line says; whether it goes on after it."""
        word, _, rest = line.partition(" ")
        if word in ("quit", "exit", "q"):
            return False
        try:
            if not line:
                self.show()
            elif word in self._commands and not self._is_action(line):
                self._commands[word](rest.strip())
            else:
                self._play(line)
        except BAD as error:
            self.failed = True
            print(f"? {error}", flush=True)
        return True

    def _is_action(self, line: str) -> bool:
        """Whether the game itself has such a word, as backgammon with the cube has `roll`."""
        return line in self.board.position.legal_notation()

    def show(self) -> None:
        """Print the board, its position in notation, and what is best."""
        position = self.board.position
        print(position.game.draw(position, max(0, position.to_move)))
        print(f"position  {position.game.format_position(position)}")
        print(_who(position), flush=True)
        if position.to_move >= 0 and position.legal_actions():
            self._best(str(self.effort))

    def row(self) -> dict[str, Any]:
        """The board as plain values for JSON."""
        position = self.board.position
        seen = self._consider(self.effort) if position.to_move >= 0 else None
        return {
            "game": position.game.name,
            "position": position.game.format_position(position),
            "to_move": position.to_move,
            "legal": list(position.legal_notation()),
            "by": seen.by if seen else None,
            "unit": seen.unit if seen else None,
            "best": [
                {
                    "action": each.action,
                    "value": each.value,
                    "note": each.note,
                    "equity": each.equity,
                }
                for each in (seen.options if seen else [])
            ],
        }

    def _consider(self, effort: int) -> Consideration | None:
        position, stop = self.board.position, compiled.ints(1)
        return run_interruptibly(lambda: consider(position, effort, stop), stop)

    def _best(self, rest: str) -> None:
        if rest not in ("", *map(str, range(MAX_EFFORT + 1))):
            raise NoSuchStep(f"best takes 0, 1 or 2, not {rest}")
        seen = self._consider(int(rest or MAX_EFFORT))
        if seen is None:
            print("stopped")
            return
        width = max(len(option.action) for option in seen.options)
        print(f"best, by {seen.by}:")
        for option in seen.options:
            value = "?" if option.value is None else _written(option.value, seen.unit)
            equity = "" if option.equity is None else f"({option.equity:+.3f})  "
            print(f"  {option.action:{width}}  {value:>8}  {equity}{option.note}".rstrip())
        sys.stdout.flush()

    def _step(self, go: Callable[[], None]) -> None:
        go()
        self.show()

    def _play(self, text: str) -> None:
        self._step(lambda: self.board.play(text))

    def _roll(self) -> None:
        position = self.board.position
        if position.to_move != CHANCE:
            raise NoSuchStep("there is nothing to roll here")
        bag = [action for action, weight in position.chance() for _ in range(weight)]
        self._play(position.game.format_action(position, secrets.choice(bag)))

    def _legal(self) -> None:
        legal = self.board.position.legal_notation()
        more = f" and {len(legal) - LISTED:,} more" if len(legal) > LISTED else ""
        print(f"legal     {', '.join(legal[:LISTED])}{more}", flush=True)

    def _line(self) -> None:
        print(f"line      {', '.join(self.board.line()) or 'the first position'}")
        tried = ", ".join(node.action for node in self.board.at.tried)
        print(f"tried     {tried or 'nothing yet'}", flush=True)

    def _play_on(self, rest: str) -> None:
        word, _, bot = rest.partition(" ")
        if word != "on":
            raise NoSuchStep("play on, and perhaps the name of a bot")
        position = self.board.position
        against = bot.strip() or analysts.analyst_class(position.game).PROGRAM
        text = shlex.quote(position.game.format_position(position))
        seat = "second" if position.to_move == 1 else "first"
        command = f"plyhouse play {position.game.name} --position {text} --seat {seat}"
        print(f"play on   {command} --against {shlex.quote(against)}", flush=True)

    def _new(self, text: str) -> None:
        self.board = Board(read_at_once(self.board.position.game.name, text))
        self.show()


def _who(position: Position) -> str:
    """Whose turn it is, or how it ended."""
    outcome = position.outcome()
    if outcome is not None:
        first = outcome.returns[0]
        winner = position.game.seats[0 if first > 0 else 1]
        return f"over      {f'{winner} has won: {outcome.reason}' if first else 'a draw'}"
    if position.to_move == CHANCE:
        return "to roll   type the dice, such as 31, or roll"
    return f"to move   {position.game.seats[position.to_move]}"


def _written(value: float, unit: str) -> str:
    """A value as people read it."""
    if unit == "score":
        return f"{value:+.0f}"
    return f"{100 * value:.2f} %" if unit == "chance" else f"{value:+.3f}"


def typed_lines(session: BoardSession) -> Iterator[str]:
    """What is typed in a terminal, line by line; an arrow key on an empty line is a step."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.application import get_app
    from prompt_toolkit.completion import WordCompleter
    from prompt_toolkit.filters import Condition
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

    keys = KeyBindings()
    is_empty = Condition(lambda: not get_app().current_buffer.text)

    def bind(key: str, command: str) -> None:
        @keys.add(key, filter=is_empty)
        def press(event: KeyPressEvent) -> None:
            event.app.exit(result=command)

    bind("left", "back")
    bind("right", "forward")
    prompt: PromptSession[str] = PromptSession(key_bindings=keys)
    while True:
        legal = session.board.position.legal_notation()
        words = WordCompleter(
            [*legal, "back", "forward", "best", "line", "play on", "new", "help", "quit"]
        )
        try:
            yield prompt.prompt("board> ", completer=words, complete_while_typing=False)
        except EOFError:
            return
        except KeyboardInterrupt:
            continue
