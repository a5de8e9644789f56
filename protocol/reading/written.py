"""A match as somebody wrote it: what the readers of each format find, before any rule is asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from protocol.parts import Player

MAX_TURNS: Final = 6_000  # of a file: a match to 25 points has some 2,000
MAX_NAME: Final = 64  # characters of a player's that are kept


class Unreadable(Exception):
    """Here a file cannot be read any further: the line, from 1, and what was expected there."""

    def __init__(self, line: int, why: str) -> None:
        self.line = line
        self.why = why
        super().__init__(f"line {line}: {why}")


@dataclass(frozen=True, slots=True)
class WrittenTurn:
    """`seat`: None where only the order tells it; `dice`: empty for a decision without any;
    `text`: the turn or the decision, empty where a roll stands alone.
    """

    line: int
    seat: int | None
    dice: str
    text: str


@dataclass(frozen=True, slots=True)
class WrittenEnd:
    """`winner`: None for a draw, or where nobody won; `points`: None where only the rules tell."""

    line: int
    winner: int | None
    points: int | None = None
    how: str = "resign"  # where the rules had not ended it
    reason: str = ""


@dataclass(slots=True)
class WrittenGame:
    """`number`: from 1; `score`: of both seats before it, None where it is not written."""

    line: int
    number: int = 1
    score: tuple[int, int] | None = None
    crawford: bool | None = None  # None: it is counted
    turns: list[WrittenTurn] = field(default_factory=list)
    end: WrittenEnd | None = None


@dataclass(slots=True)
class WrittenMatch:
    """`points`: the length, None where each game counts by itself; `at`: ms since 1970; `fault`:
    why the file is read no further.
    """

    game: str = "backgammon_cube"
    names: tuple[str, str] = ("", "")
    points: int | None = None
    cube: bool = True
    jacoby: bool | None = None  # None: it is not written
    beavers: bool = False
    start: str = ""
    at: int = 0
    games: list[WrittenGame] = field(default_factory=list)
    fault: Unreadable | None = None
    size: int = 0  # turns of all games

    @property
    def players(self) -> tuple[Player, Player]:
        one, two = (name.strip()[:MAX_NAME] for name in self.names)
        return Player(name=one or "?"), Player(name=two or "?")

    def add(self, line: int, seat: int | None, dice: str, text: str) -> None:
        """Add a turn to the last game; Unreadable: there are too many in this file."""
        if self.size >= MAX_TURNS:
            raise Unreadable(line, f"a file has {MAX_TURNS:,} turns at most; this one has more")
        self.size += 1
        self.games[-1].turns.append(WrittenTurn(line, seat, dice, text))
