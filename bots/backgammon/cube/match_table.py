"""The chances to win a match at every score: the match equity table, up to MAX_AWAY points.

It was computed from our own games (lab/training/match_games.py), and is read from a
file.  A score is what each side still needs: *away*.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from protocol.files import whole_file

MAX_AWAY: Final = 25
FILE: Final = Path(__file__).parents[1].with_name("data") / "backgammon.matches"


class BadTable(Exception):
    """A file holds no match equity table; the text says why."""


@dataclass(frozen=True, slots=True)
class MatchTable:
    """Chances to win a match, 0 to 1.

    before  before[a - 1][b - 1]: of who needs a points when the other side needs b, before the game
            that is played at this score.  Where one of them needs 1, that is the Crawford game
    after   after[k - 1]: of who needs k points when the other side needs 1 and the Crawford game is
            over
    """

    before: tuple[tuple[float, ...], ...]
    after: tuple[float, ...]

    def chance(self, away: int, their_away: int, *, crawford_over: bool = False) -> float:
        """The chance of who needs `away` points; 0 or less: the match is over.

        `crawford_over`: the Crawford game has been played; then one of them needs 1 at most.
        """
        if away <= 0:
            return 1.0
        if their_away <= 0:
            return 0.0
        if crawford_over:
            return self.after[away - 1] if their_away == 1 else 1 - self.after[their_away - 1]
        return self.before[away - 1][their_away - 1]


class TableFile(msgspec.Struct):
    """A table as it lies in its file: chances in units of 10^-5, before[a - 1] for b < a alone."""

    before: list[list[int]]
    after: list[int]
    made: dict[str, float | int | str]


UNIT: Final = 100_000


def read(file: Path) -> MatchTable:
    """Read a table.

    Raises:
        BadTable: there is none in the file.
    """
    try:
        stored = msgspec.json.decode(file.read_bytes(), type=TableFile)
    except (OSError, UnicodeDecodeError, msgspec.DecodeError) as error:
        raise BadTable(f"no match equity table in {file}: {error}") from None
    rows, after = stored.before, stored.after
    if [len(row) for row in rows] != list(range(MAX_AWAY)) or len(after) != MAX_AWAY:
        raise BadTable(f"no match equity table in {file}: it does not hold {MAX_AWAY} points")
    if not all(0 <= chance <= UNIT for row in [*rows, after] for chance in row):
        raise BadTable(f"no match equity table in {file}: a chance is not between 0 and 1")

    def before(a: int, b: int) -> float:
        if a == b:
            return 0.5
        return rows[a - 1][b - 1] / UNIT if b < a else 1 - rows[b - 1][a - 1] / UNIT

    points = range(1, MAX_AWAY + 1)
    return MatchTable(
        tuple(tuple(before(a, b) for b in points) for a in points),
        tuple(chance / UNIT for chance in after),
    )


def write(file: Path, table: MatchTable, made: dict[str, float | int | str]) -> None:
    """Write a table, and how it was made."""
    before = [
        [round(UNIT * table.before[a][b]) for b in range(a)] for a in range(len(table.before))
    ]
    after = [round(UNIT * chance) for chance in table.after]
    stored = TableFile(before=before, after=after, made=made)
    file.parent.mkdir(parents=True, exist_ok=True)
    whole_file.write(file, msgspec.json.encode(stored).replace(b"],[", b"],\n[") + b"\n")


@cache
def shipped() -> MatchTable:
    return read(FILE)
