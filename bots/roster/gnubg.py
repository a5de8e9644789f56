"""gnubg: GNU Backgammon, where it is installed; without its cube, as games are here.

It runs beside us without its windows and answers a line a position (bots/outside/program.py), by
its own Python: `set xgid` shows it a position, and `hint` ranks the turns.  Plies are as it counts
them: 0 is the net's own judgement, 1 and 2 average over that many rolls, for the best 8 turns
within 0.16 points of the best one by 0 plies, which is its usual filter.  It plays without noise.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

from bots.bot import Budget, CannotPlay, Choice, Setting, fit
from bots.outside.program import Program
from bots.outside.program_bot import ProgramBot
from games.game import IllegalAction, Ints, NotationError, Position

DEBIANS: Final = "/usr/games/gnubg"  # which root's path has not
MOST_TURNS: Final = 3_060  # of one roll
NOTED_TURNS: Final = 8
PATIENCE_S: Final = 60.0  # two plies of a bad double take a second
NEEDED_MS: Final = (0, 100, 1_000, 20_000)  # for 0, 1, 2 and 3 plies of a bad double
MARK: Final = "plyhouse "  # before an answer: gnubg prints boards, too
SCRIPT: Final = r"""
import json, sys
import gnubg
for line in (
    "set confirm new off", "set automatic game off", "set automatic roll off",
    "set automatic move off", "set automatic bearoff off", "set player 0 human",
    "set player 1 human", "set threads 1", "new game",
    "set evaluation chequerplay evaluation cubeful off",
    "set evaluation chequerplay evaluation noise 0",
):
    gnubg.command(line)
plies = None
for line in sys.stdin:
    asked = json.loads(line)
    if asked["plies"] != plies:
        plies = asked["plies"]
        gnubg.command("set evaluation chequerplay evaluation plies %d" % plies)
    gnubg.command("set xgid " + asked["position"])
    turns = gnubg.hint(asked["most"])["hint"]
    found = [[turn["move"], turn["equity"], turn["context"]["plies"]] for turn in turns]
    print("\nplyhouse " + json.dumps(found), flush=True)
"""


class GnuBackgammon(ProgramBot):
    """Asks a process of GNU Backgammon for the best turn."""

    SETTINGS = (Setting("plies", 2, "rolls to look ahead", 0, 3),)
    GAMES = ("backgammon",)

    @classmethod
    def missing(cls) -> str | None:
        """Where to get it."""
        if program_file() is None:
            return "GNU Backgammon is not installed (apt-get install gnubg)"
        return None

    @classmethod
    def new_program(cls) -> Program:
        """A process that answers by SCRIPT, and has no files of anybody's to read or write."""
        file, missing = program_file(), cls.missing()
        if file is None:
            raise CannotPlay(missing)
        script = Path(_folder().name) / "answer.py"
        script.write_text(SCRIPT, encoding="utf-8")
        words = ["-t", "-q", "-r", "-s", _folder().name, "-p", str(script)]
        return Program([file, *words], mark=MARK)

    def answer(self, position: Position, budget: Budget, stop: Ints) -> Choice:
        """The turn that it ranks first, with fewer plies where time is short."""
        turns = self.ranked(position, stop, self._plies(budget.ms))
        if not turns:  # nobody waits for it any more
            return Choice(position.legal_actions()[0], value=0.0, nodes=1)
        action, equity, _ = turns[0]
        value = max(-1.0, min(1.0, round(equity / position.game.max_return, 4)))
        return Choice(action, value, len(turns), _note(position, turns[:NOTED_TURNS]))

    def _plies(self, ms: int | None) -> int:
        """How far to look ahead within `ms`: as far as set, or as they last."""
        plies = int(self.settings["plies"])
        while ms is not None and NEEDED_MS[plies] > ms:
            plies -= 1
        return plies

    def ranked(self, position: Position, stop: Ints, plies: int) -> list[tuple[int, float, int]]:
        """Return all turns, best first, each with its equity in points and the plies it was looked
        at; none once `stop` is set.

        Raises:
            CannotPlay: it does not answer, or with what is no turn here.
        """
        legal = position.legal_actions()
        if len(legal) == 1:
            return [(legal[0], 0.0, 0)]
        asked = {
            "position": position.game.format_position(position),
            "plies": plies,
            "most": MOST_TURNS,
        }
        text = self.ask(json.dumps(asked), PATIENCE_S, stop)
        return [] if text is None else _read(text, position)


def program_file() -> str | None:
    """Where GNU Backgammon is; None where it is not installed."""
    return shutil.which("gnubg") or (DEBIANS if os.access(DEBIANS, os.X_OK) else None)


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """Its folder, as long as this process lives."""
    return tempfile.TemporaryDirectory(prefix="plyhouse-gnubg-")


def _read(text: str, position: Position) -> list[tuple[int, float, int]]:
    legal = set(position.legal_actions())
    turns = []
    for name, equity, plies in json.loads(text):
        action: int | None = None
        with suppress(NotationError, IllegalAction):
            action = position.game.parse_action(position, name)
        if action not in legal:
            raise CannotPlay(f"GNU Backgammon takes {name} for legal in {position}")
        turns.append((action, float(equity), int(plies)))
    if not turns:
        raise CannotPlay(f"GNU Backgammon knows no turn in {position}")
    return turns


def _note(position: Position, turns: list[tuple[int, float, int]]) -> str:
    """The best turns with their equities, and how far each group was looked ahead."""
    items, shown = [], -1
    for action, equity, plies in turns:
        item = f"{position.game.format_action(position, action)} {equity:+.3f}"
        if plies != shown:
            shown = plies
            item += f" {plies}-ply"
        items.append(item)
    return fit(items)


BOT = GnuBackgammon
