"""gnubg: GNU Backgammon, where it is installed, without the doubling cube and with it.

It runs beside us without its windows and answers a line a position (bots/outside/program.py), by
its own Python: `set xgid` shows it a position, `hint` ranks the turns, and `cfevaluate` says what
the cube is worth.  Plies are as it counts them: 0 is the net's own judgement, 1 and 2 average over
that many rolls, for the best 8 turns within 0.16 points of the best one by 0 plies, which is its
usual filter.  It plays without noise.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import tempfile
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from bots.backgammon.cube.options import stakes_of
from bots.backgammon.cubeless import BOARD, WITH_CUBE, asked_about_cube
from bots.bot import Budget, CannotPlay, Choice, Setting, fit
from bots.outside.program import Program
from bots.outside.program_bot import ProgramBot
from bots.outside.reaper import Reaper
from games.backgammon.rules import TURN
from games.backgammon_cube.rules import (
    BEAVER,
    CUBE,
    DOUBLE,
    DROP,
    OFFER,
    OWNER,
    ROLL,
    TAKE,
)
from games.game import IllegalAction, Ints, NotationError, Position

DEBIANS: Final = "/usr/games/gnubg"  # which root's path has not
MAX_TURNS: Final = 3_060  # of one roll
NOTED_TURNS: Final = 8
TIMEOUT_S: Final = 60.0  # two plies of a bad double take a second
NEEDED_MS: Final = (0, 100, 1_000, 20_000)  # for 0, 1, 2 and 3 plies of a bad double
XGID_FIELDS: Final = 10
MARK: Final = "plyhouse "  # before an answer: gnubg prints boards, too
SCRIPT: Final = r"""
import json, sys
import gnubg
for line in (
    "set confirm new off", "set automatic game off", "set automatic roll off",
    "set automatic move off", "set automatic bearoff off", "set player 0 human",
    "set player 1 human", "set threads 1", "new game",
    "set evaluation chequerplay evaluation noise 0",
):
    gnubg.command(line)
evaluation = None
for line in sys.stdin:
    asked = json.loads(line)
    gnubg.command("set xgid " + asked["position"])
    if not asked["most"]:
        context = {"cubeful": 1, "plies": asked["plies"], "deterministic": 1, "noise": 0.0,
                   "prune": int(asked["plies"] > 1)}
        found = gnubg.cfevaluate(gnubg.board(), gnubg.cubeinfo(), context)[1:5]
    else:
        wanted = ["plies %d" % asked["plies"], "cubeful " + ("off", "on")[asked["cubeful"]]]
        if wanted != evaluation:
            evaluation = wanted
            for each in wanted:
                gnubg.command("set evaluation chequerplay evaluation " + each)
        turns = gnubg.hint(asked["most"])["hint"]
        found = [[turn["move"], turn["equity"], turn["context"]["plies"]] for turn in turns]
    print("\nplyhouse " + json.dumps(found), flush=True)
"""
NEVER: Final = (13, 14)  # what it calls a double that could only harm: the cube is dead


class GnuBackgammon(ProgramBot):
    """Asks a process of GNU Backgammon for the best turn, and what to do with the cube."""

    SETTINGS = (Setting("plies", 2, "rolls to look ahead", 0, 3),)
    GAMES = ("backgammon", WITH_CUBE)

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
        """The turn that it ranks first, or what it would do with the cube; with fewer plies where
        time is short.
        """
        if asked_about_cube(position):
            choice = self._decide(position, stop, self._plies(budget.ms))
            return replace(choice, cut=self._is_cut(position, budget))
        turns = self.ranked(position, stop, self._plies(budget.ms))
        if not turns:  # the turn is over
            return Choice(position.legal_actions()[0], value=0.0, nodes=1)
        action, equity, _ = turns[0]
        note = _note(position, turns[:NOTED_TURNS])
        return Choice(action, _value(equity), len(turns), note, self._is_cut(position, budget))

    def _decide(self, position: Position, stop: Ints, plies: int) -> Choice:
        """Roll, double, or answer an offer."""
        asked = {"position": _xgid(_before_offer(position)), "plies": plies, "most": 0}
        text = self.ask(json.dumps(asked), TIMEOUT_S, stop)
        if text is None:  # the turn is over
            return Choice(position.legal_actions()[0], value=0.0, nodes=1)
        options = _rank_options(position, *_parse(text))
        action, value = options[0]
        items = [f"{position.game.format_action(position, a)} {v:+.3f}" for a, v in options]
        return Choice(action, _value(value), 1, fit([f"{items[0]} {plies}-ply", *items[1:]]))

    def _plies(self, ms: int | None) -> int:
        """How far to look ahead within `ms`: as far as set, or as they last."""
        plies = int(self.settings["plies"])
        while ms is not None and NEEDED_MS[plies] > ms:
            plies -= 1
        return plies

    def _is_cut(self, position: Position, budget: Budget) -> bool:
        """Whether the time was too short for as many plies as are set, and it had a choice."""
        short = self._plies(budget.ms) < int(self.settings["plies"])
        return short and len(position.legal_actions()) > 1

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
            "position": _xgid(position),
            "plies": plies,
            "cubeful": int(_has_live_cube(position)),
            "most": MAX_TURNS,
        }
        text = self.ask(json.dumps(asked), TIMEOUT_S, stop)
        return [] if text is None else _read(text, position)


def program_file() -> str | None:
    """Where GNU Backgammon is; None where it is not installed."""
    return shutil.which("gnubg") or (DEBIANS if os.access(DEBIANS, os.X_OK) else None)


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """Its folder, as long as this process lives."""
    folder = tempfile.TemporaryDirectory(prefix="plyhouse-gnubg-")
    atexit.register(Reaper(Path(folder.name)).dismiss)
    return folder


def _xgid(position: Position) -> str:
    """The position as GNU Backgammon reads it.

    It finds fault with an eleventh field, and dies of cubes above what a match can count.
    """
    s = list(position.state)
    if position.game.name == WITH_CUBE:
        s[CUBE] = stakes_of(position).cube.bit_length() - 1
    fields = position.game.format_position(Position(position.game, tuple(s))).split(":")
    return ":".join(fields[:XGID_FIELDS])


def _has_live_cube(position: Position) -> bool:
    """Whether somebody may still turn a cube."""
    return position.game.name == WITH_CUBE and not stakes_of(position).fixed


def _before_offer(position: Position) -> Position:
    """The position before the double that is to be answered; after a beaver or a raccoon, as if it
    were taken.
    """
    s = list(position.state)
    if s[OFFER] > 1:
        s[CUBE], s[OWNER] = s[CUBE] + s[OFFER], 1 - s[TURN]
    s[OFFER] = 0
    return Position(position.game, tuple(s))


def _rank_options(
    position: Position, stays: float, taken: float, cash: float, verdict: int
) -> list[tuple[int, float]]:
    """What the seat to move may do about the cube, best first, each with what it is worth to it.

    That is points with the cube before the offer counted as 1, at a score of a match, too.

    Args:
        position: in which it is to be decided.
        stays: what `_before_offer` is worth to whose turn it is, if it does not double.
        taken: ... if a double is taken.
        cash: ... if it is dropped.
        verdict: GNU Backgammon's, by its number.
    """
    offer, legal = position.state[OFFER], position.legal_actions()
    if offer == 0:
        beavered = min(taken, 2 * taken) if stakes_of(position).beavers else taken
        worth = {ROLL: stays, DOUBLE: min(beavered, cash)}
        if verdict in NEVER:
            worth[DOUBLE] = min(worth[DOUBLE], stays)
    elif offer == 1:
        worth = {TAKE: -taken, DROP: -cash, BEAVER: -2 * taken}
    else:
        own = stays if position.to_move == position.state[TURN] else -stays
        cube = 1 << offer
        worth = {TAKE: cube * own, DROP: -cube / 2, BEAVER: 2 * cube * own}
    options = [(action, value) for action, value in worth.items() if action in legal]
    return sorted(options, key=lambda option: -option[1])


def _value(points: float) -> float:
    """Points, with the cube as it stands counted as 1, as the value of a choice."""
    return max(-1.0, min(1.0, round(points / BOARD.max_return, 4)))


def _parse(text: str) -> list[Any]:
    """The list that SCRIPT has written."""
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, list):
        raise CannotPlay(f"GNU Backgammon answered {text[:60]!r}, which is no list")
    return answer


def _read(text: str, position: Position) -> list[tuple[int, float, int]]:
    legal = set(position.legal_actions())
    turns = []
    for name, equity, plies in _parse(text):
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
