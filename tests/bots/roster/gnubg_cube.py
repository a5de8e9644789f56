"""GNU Backgammon as Debian has it, asked without its windows about the doubling cube.

It answers a line of JSON with a line, by its own Python: `cfevaluate` says what a position is worth
if nobody doubles, if a double is taken, and if it is dropped.  Plies are as it counts them: 0 is
the net's own judgement.  Values are points with the cube counted as 1, at a score of a match, too.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Final

import msgspec

from bench.backgammon.peers import boards
from bench.support.report import Missing
from bots.backgammon.cube.match_table import MatchTable
from bots.backgammon.cube.stakes import Stakes
from bots.outside.program import Program
from bots.roster.gnubg import program_file
from games.backgammon.rules import TURN
from games.game import Position

TIMEOUT_S: Final = 60.0
MARK: Final = "plyhouse "
SCRIPT: Final = r"""
import json, sys
import gnubg
gnubg.command("set threads 1")
gnubg.command("set jacoby off")
for line in sys.stdin:
    asked = json.loads(line)
    if "table" in asked:
        found = gnubg.met(asked["table"])
    else:
        info = gnubg.cubeinfo(asked["cube"], asked["owner"], 0, asked["length"],
                              tuple(asked["score"]), asked["crawford"], 0)
        context = {"cubeful": 1, "plies": asked["plies"], "deterministic": 1, "noise": 0.0,
                   "prune": int(asked["plies"] > 1)}
        board = tuple(tuple(side) for side in asked["board"])
        found = gnubg.cfevaluate(board, info, context)[:4]
    print("\nplyhouse " + json.dumps(found), flush=True)
"""


class CubeVerdict(msgspec.Struct, frozen=True):
    """What GNU Backgammon says to the side on roll: points with the cube counted as 1.

    stays  it does not double now
    taken  it doubles, and the other side takes
    cash   it doubles, and the other side drops
    """

    stays: float
    taken: float
    cash: float


class GnuCube:
    """A process of GNU Backgammon that judges the cube."""

    def __init__(self) -> None:
        """Raises Missing where GNU Backgammon is not installed."""
        file = program_file()
        if file is None:
            raise Missing("GNU Backgammon is not installed (apt-get install gnubg)")
        self._folder = tempfile.TemporaryDirectory(prefix="plyhouse-gnubg-")
        script = Path(self._folder.name) / "cube.py"
        script.write_text(SCRIPT, encoding="utf-8")
        words = ["-t", "-q", "-r", "-s", self._folder.name, "-p", str(script)]
        self._program = Program([file, *words], mark=MARK)
        self._stop = [0]
        said = subprocess.run([file, "-v"], capture_output=True, text=True, check=False).stdout
        number = re.search(r"\d+\.\d+[\w.]*", said)
        self.version = number.group() if number else "of an unknown version"

    def judge(self, position: Position, stakes: Stakes, plies: int) -> CubeVerdict:
        """What it says before the roll in `position`; the Jacoby rule and beavers are left out."""
        seat = position.state[TURN]
        own, other = boards(position.state, seat)
        away = stakes.away or (0, 0)
        length = max(away)
        asked = {
            "board": [other, own],
            "cube": stakes.cube,
            "owner": -1 if stakes.owner is None else int(stakes.owner != seat),
            "length": length,
            "score": [length - away[seat], length - away[1 - seat]],
            "crawford": int(stakes.crawford),
            "plies": plies,
        }
        _, stays, taken, cash = self._ask(asked)
        return CubeVerdict(round(stays, 6), round(taken, 6), round(cash, 6))

    def table(self, most: int) -> MatchTable:
        """The match equity table that it plays by, up to `most` points."""
        before, after, _ = self._ask({"table": most})
        return MatchTable(tuple(map(tuple, before)), tuple(after))

    def close(self) -> None:
        """End the process, and remove its folder."""
        self._program.close(kill=True)
        self._folder.cleanup()

    def _ask(self, asked: dict[str, object]) -> list[Any]:
        answer = self._program.ask(json.dumps(asked), TIMEOUT_S, self._stop)
        found: list[Any] = json.loads(answer or "null")
        return found
