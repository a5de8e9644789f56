"""Arguments that several commands have: budgets, settings and seeds of bots."""

from __future__ import annotations

import argparse
import secrets
from collections.abc import Iterable
from pathlib import Path

from bots import registry
from bots.bot import BadBudget, BadSetting, Budget, CannotPlay, Value
from bots.online.entry import BadTerms, level_budget, no_level
from bots.online.output import complain
from bots.online.tokens import BadTokenFile
from bots.outside.engine import make_engine
from bots.registry import UnknownBot
from games import registry as games
from games.game import END, IllegalAction, Position
from games.registry import UnknownGame
from protocol.notation import BadNotation
from protocol.reading.positions import read_position


class BadOption(ValueError):
    """A command line that asks for what is not possible; the sentence says what is."""


BAD_INPUT = (
    CannotPlay, BadOption, BadBudget, BadNotation, BadSetting, BadTerms, BadTokenFile,
    UnknownBot, UnknownGame,
)  # fmt: skip


def add_strength(parser: argparse.ArgumentParser, prefix: str = "", of: str = "") -> None:
    """The options for how a bot plays, such as --a-nodes "of A" with a prefix."""
    parser.add_argument(f"--{prefix}nodes", type=int, help=f"nodes for each action{of}")
    parser.add_argument(f"--{prefix}ms", type=int, help=f"milliseconds for each action{of}")
    parser.add_argument(
        f"--{prefix}level", type=int, help=f"strength{of}, 1 to 8, for bots that have levels"
    )
    parser.add_argument(
        f"--{prefix}set",
        action="append",
        default=[],
        metavar="K=V",
        help=f"a setting{of}, such as exploration=2",
    )


def say(line: str) -> None:
    complain(f"plyhouse: {line}")


def add_engines(parser: argparse.ArgumentParser) -> None:
    """The options that make programs of somebody's bots."""
    parser.add_argument(
        "--engine", action="append", default=[], metavar="[NAME=]CMD",
        help="a program that reads positions and writes actions, a line each, as a bot:"
        " docs/bots/engine.md; its name is engine where none is given",
    )  # fmt: skip
    parser.add_argument(
        "--engine-log", type=Path, metavar="FILE",
        help="where engines' standard error goes (default: only its last lines, when one fails)",
    )  # fmt: skip


def make_engines(args: argparse.Namespace, only: tuple[str, ...]) -> list[str]:
    """Make the programs of --engine bots, and return their names.

    Raises:
        CannotPlay, UnknownBot: with what is wrong.
        BadOption: two have one name, or the file for what they complain of cannot be written.
    """
    if args.engine_log is not None:
        if not args.engine:
            raise BadOption("--engine-log belongs to --engine")
        try:
            args.engine_log.open("ab").close()
        except OSError as error:
            raise BadOption(f"--engine-log {args.engine_log}: {error.strerror}") from None
    names = [make_engine(text, only, args.engine_log) for text in args.engine]
    if len(set(names)) < len(names):
        raise BadOption(
            'two engines have one name; name them as in --engine fast="python3 fast.py"'
        )
    return names


def seed_of(args: argparse.Namespace) -> int:
    """The seed that was asked for, or a fresh one."""
    return secrets.randbits(32) if args.seed is None else int(args.seed)


def parse_settings(pairs: list[str]) -> dict[str, Value]:
    """Settings from a command line, such as ["exploration=1.4"].

    Raises:
        BadOption: for what is not key=value.
    """
    settings: dict[str, Value] = {}
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not (name and sign):
            raise BadOption(f"{pair!r} is not a setting; write one as exploration=1.4")
        settings[name.strip()] = value.strip()
    return settings


def parse_position(args: argparse.Namespace, texts: Iterable[str]) -> Position:
    """The position after these actions, from the first one of `args.game` or from `args.position`.

    Raises:
        UnknownGame, NotationError, IllegalAction: with what is wrong.
        BadOption: the game is over there, or before the last action.
    """
    game = games.game(args.game)
    position = read_position(args.position, game.name) if args.position else game.initial()
    for text in texts:
        if position.to_move == END:
            raise BadOption(f"the game is over in {position}, before {text}")
        action = game.parse_action(position, text)
        if action not in position.legal_actions():
            raise IllegalAction(position, action, text)
        position = position.apply(action)
    if position.to_move == END:
        raise BadOption(f"the game is over in {position}")
    return position


def parse_budget(
    program: str,
    *,
    nodes: int | None = None,
    ms: int | None = None,
    level: int | None = None,
    alone: bool = False,
) -> Budget | None:
    """The budget that a command line asks for; None where it names none.

    A bot without levels ignores a level that is meant for other bots too, not `alone` for it.

    Raises:
        BadBudget, BadTerms: with what is allowed.
    """
    if level is None:
        return None if nodes is None and ms is None else Budget(nodes, ms)
    if nodes is not None:
        raise BadBudget("give a level or nodes, not both")
    budget = level_budget(program, level)
    if not registry.bot_class(program).LEVELS and not alone:
        return None if ms is None else Budget(ms=ms)
    if budget is None:
        raise BadTerms(no_level(program, level))
    return budget.within(ms)
