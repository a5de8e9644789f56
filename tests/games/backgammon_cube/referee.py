"""A referee of backgammon with the cube: it judges a match to points event by event.

Written from what the books say, sharing nothing with games/: a board is two sorted tuples of pips
(tests/games/backgammon/brute.py finds its turns), the cube is a value and an owner's name, and what
players do comes as words.  It keeps the score, knows when the Crawford game is, and says after each
event who is to act and what that side may do.

Sources: T. Keith, "Rules of Backgammon" and the glossary of bkgm.com (Crawford rule, Jacoby rule,
beaver, raccoon); "Tournament rules" of the US Backgammon Federation on scores.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tests.games.backgammon.brute import Board, turns

STARTS = {
    "standard": {24: 2, 13: 5, 8: 3, 6: 5},
    "nackgammon": {24: 2, 23: 2, 13: 4, 8: 3, 6: 4},
    "hypergammon": {24: 1, 23: 1, 22: 1},
}
_WORD = re.compile(r"([a-z0-9/*]+)(?:\((\d)\))?")


class Foul(Exception):
    """What happened is against the rules."""


@dataclass
class Agreement:
    """What the two have agreed upon; `length` 0: for money."""

    length: int = 0
    start: str = "standard"
    cube: bool = True
    jacoby: bool = False
    beavers: bool = False


@dataclass
class Judged:
    """How a game ended: who won it, what it counts, and the word for it."""

    winner: int
    counts: int
    word: str


@dataclass
class RefereedGame:
    """One game: boards by player, each by the pips its checkers still have to go."""

    agreed: Agreement
    crawford: bool
    checkers: list[list[int]] = field(default_factory=list)
    value: int = 1
    owner: int | None = None
    turn: int | None = None
    dice: tuple[int, int] | None = None
    offers: list[int] = field(default_factory=list)  # who doubled, beavered, raccooned
    rolling: bool = False
    over: Judged | None = None
    found: set[Board] | None = None  # the boards of this roll, once they were asked for

    def __post_init__(self) -> None:
        own = [p for p, n in STARTS[self.agreed.start].items() for _ in range(n)]
        self.checkers = [sorted(own), sorted(own)]

    def to_act(self) -> int | None:
        """The player who decides; None: the dice are next, or the game is over."""
        if self.over is not None:
            return None
        if self.offers:
            return 1 - self.offers[-1]
        if self.dice is not None or self.can_double():
            return self.turn
        return None

    def can_double(self) -> bool:
        """Before the roll, with access to the cube, and not in the Crawford game."""
        if self.turn is None or self.dice is not None or self.rolling or not self.agreed.cube:
            return False
        return self.owner in (None, self.turn) and not self.crawford and self.value < 1024

    def words(self) -> set[str]:
        """What may be decided about the cube now."""
        if self.to_act() is None or self.dice is not None:
            return set()
        if not self.offers:
            return {"roll", "double"}
        more = {1: "beaver", 2: "raccoon"}.get(len(self.offers))
        allowed = self.agreed.beavers and self.agreed.length == 0 and self.at_stake() * 2 < 1024
        return {"take", "drop"} | ({more} if more and allowed else set())

    def at_stake(self) -> int:
        """What is played for if the last offer is refused."""
        return self.value * 2 ** max(0, len(self.offers) - 1)

    def boards(self) -> set[Board]:
        """Every board that a legal turn with these dice leads to."""
        assert self.turn is not None
        assert self.dice is not None
        if self.found is None:
            self.found = set(turns(self._board(), self.dice))
        return self.found

    def _board(self) -> Board:
        assert self.turn is not None
        return tuple(self.checkers[self.turn]), tuple(self.checkers[1 - self.turn])

    def roll(self, word: str) -> None:
        """The dice fall."""
        if self.to_act() is not None or self.over is not None:
            raise Foul("nobody was to roll")
        first, second = int(word[0]), int(word[1])
        if self.turn is None:
            if first == second:
                raise Foul("the opening roll is no double")
            self.turn = 0 if first > second else 1
        self.dice, self.rolling = (max(first, second), min(first, second)), False
        self.found = None

    def act(self, player: int, word: str) -> None:
        """A player decides."""
        if player != self.to_act():
            raise Foul(f"it is not {player}'s turn")
        if self.dice is not None:
            self._move(word)
        elif word not in self.words():
            raise Foul(f"{word} is not possible")
        elif word == "roll":
            self.rolling = True
        elif word in ("double", "beaver", "raccoon"):
            self.offers.append(player)
        elif word == "drop":
            self.over = Judged(1 - player, self.at_stake(), "drop")
        else:
            self._taken()

    def _taken(self) -> None:
        """The cube goes to whoever was doubled first, and stays there however often it turned."""
        self.value *= 2 ** len(self.offers)
        self.owner = 1 - self.offers[0]
        self.offers = []
        self.rolling = False

    def _move(self, text: str) -> None:
        assert self.turn is not None
        mine, theirs = self.checkers[self.turn], self.checkers[1 - self.turn]
        legal = self.boards()
        if text != "pass":
            for path, times in _WORD.findall(text):
                _carry(mine, theirs, path)
                for _ in range(1, int(times or 1)):
                    _carry(mine, theirs, path.replace("*", ""))  # the star is written once
        if (tuple(sorted(mine)), tuple(sorted(theirs))) not in legal:
            raise Foul(f"{text} is no legal turn")
        mine.sort()
        theirs.sort()
        if not any(mine):
            self.over = self._won(self.turn)
        self.turn, self.dice = 1 - self.turn, None

    def _won(self, winner: int) -> Judged:
        kind = self.price(1 - winner)
        return Judged(winner, self.value * kind, ("single", "gammon", "backgammon")[kind - 1])

    def price(self, loser: int) -> int:
        """Single 1, gammon 2, backgammon 3; without Jacoby's leave a game of money counts once."""
        checkers = self.checkers[loser]
        if 0 in checkers or self._cube_not_offered():
            return 1
        return 3 if checkers[-1] >= 19 else 2

    def _cube_not_offered(self) -> bool:
        """By the Jacoby rule gammons count once the cube has been offered and accepted."""
        return self.agreed.jacoby and self.owner is None and len(self.offers) < 2

    def resign(self, player: int, points: int) -> None:
        """A player gives the game up for so many points, to which the other one agrees."""
        kinds = [self.at_stake() * kind for kind in range(1, self.price(player) + 1)]
        if points not in kinds:
            raise Foul(f"nobody resigns for {points}")
        self.over = Judged(1 - player, points, "resign")


def _carry(mine: list[int], theirs: list[int], path: str) -> None:
    """Take one checker along `13/7*/4`; where a star stands the opponent's is sent to the bar."""
    first, *stops = path.split("/")
    source = 25 if first == "bar" else int(first)
    for stop in stops:
        name = stop.rstrip("*")
        target = 0 if name == "off" else int(name)
        mine.remove(source)
        mine.append(target)
        if stop.endswith("*"):
            theirs.remove(25 - target)
            theirs.append(25)
        source = target


@dataclass
class RefereedMatch:
    """A match to points: the score by player, and whether the Crawford game has been."""

    agreed: Agreement
    score: list[int] = field(default_factory=lambda: [0, 0])
    crawford_was: bool = False
    winner: int | None = None

    def next_game(self) -> RefereedGame:
        """The next game; the first at which a player is one point away is the Crawford game."""
        if self.winner is not None:
            raise Foul("the match is over")
        length = self.agreed.length
        one_away = length > 0 and length - 1 in self.score
        crawford = one_away and not self.crawford_was
        self.crawford_was = self.crawford_was or crawford
        return RefereedGame(self.agreed, crawford)

    def count(self, game: RefereedGame) -> None:
        """Add what a game counts."""
        assert game.over is not None
        self.score[game.over.winner] += game.over.counts
        if self.agreed.length and self.score[game.over.winner] >= self.agreed.length:
            self.winner = game.over.winner
