"""Games that are solved: what a play cost in the exact score, as far as that can be proven."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Final

from bots import book, compiled
from bots.analysis.form import MOST, Option, Unit
from bots.analysis.match import Analyst, Depth, Judged
from bots.solve import Solution, Solver, signed, solver
from games.game import Game, Ints, Position

# Positions looked at for one play, five seconds of compiled code: in connect four all is proven
# with them but a few plays at the fourth to sixth stone; before those the book knows.
NODES: Final = 40_000_000
PLAIN_NODES: Final = 400_000
SHARE: Final = 3  # each question may cost a third of what is left


@dataclass(frozen=True, slots=True)
class _Worth:
    """What an action brings to who plays it: a score from `low` to `high`."""

    action: int
    low: int
    high: int

    @property
    def proven(self) -> bool:
        """Whether the score is known."""
        return self.low == self.high


class Exact(Analyst):
    """Judges by bots/solve.py: the fastest win or the slowest loss is best."""

    PROGRAM: ClassVar[str] = "solver"
    unit: Unit = "score"
    blunder = None
    backwards: ClassVar[bool] = True  # what is proven of later positions serves the earlier ones

    def __init__(self, game: Game, *, nodes: int | None = None, plain: bool = False) -> None:
        """`nodes`: positions to look at for one play, at most."""
        slow = plain or not compiled.available()
        self._nodes = nodes or (PLAIN_NODES if slow else NODES)
        self._solver: Solver = solver(game, plain=plain)
        self._book = _book(game)
        self._left = 0
        self.by = "solver" if self._book is not None else "solver without its book"

    @classmethod
    def made(cls, game: Game, depth: Depth) -> Exact:
        """One that spends so many nodes."""
        return cls(game, nodes=depth.nodes)

    def judge(self, position: Position, action: int, stop: Ints) -> Judged | None:
        """Prove what was played and what is best, then of the others as much as there is time."""
        self._left = self._nodes
        found = {action: self._after(position, action, stop)}
        whole = self._solve(position, stop)
        for other in sorted(position.legal_actions(), key=lambda other: other != whole.best):
            if other not in found:
                found[other] = self._after(position, other, stop)
        if stop[0]:
            return None
        best = found[whole.best]
        found[whole.best] = replace(best, low=max(best.low, whole.low))
        known = [replace(w, high=min(w.high, whole.high)) for w in found.values()]
        known.sort(key=lambda w: (-w.low, -w.high, w.action != action, w.action))
        return _judged(position, known, action)

    def _after(self, position: Position, action: int, stop: Ints) -> _Worth:
        """What is found out about an action."""
        found = self._solve(position.apply(action), stop)
        return _Worth(action, -found.high, -found.low)

    def _solve(self, position: Position, stop: Ints) -> Solution:
        """The score for the side to move, or between what it lies."""
        told = None if self._book is None else self._book.look(position)
        if told is not None:
            return Solution(told[0], told[0], told[1], 0)
        known = self._solver.at_a_glance(position)
        if known is not None and not position.legal_actions():
            return Solution(known, known, -1, 0)
        found = self._solver.solve(position, max(1, self._left // SHARE), stop)
        self._left -= found.nodes
        return found


def _book(game: Game) -> book.Book | None:
    """The opening book; an empty one for games that need none, None where it cannot be read."""
    if game.name != "connect_four":
        return book.Book({})
    try:
        return book.read()
    except book.BadBook:
        return None


def _judged(position: Position, known: list[_Worth], action: int) -> Judged:
    """The judgement on `action`, of all actions, best first."""
    best, most = known[0].low, max(w.high for w in known)
    played = next(w for w in known if w.action == action)
    loss = float(best - played.low) if best == most and played.proven else None
    blunder = _result(best) > _result(played.high)
    listed = known[:MOST] if played in known[:MOST] else [*known[: MOST - 1], played]
    return Judged(
        loss=loss,
        error=None,
        doubtful=bool(loss) and not blunder,
        blunder=blunder,
        best=tuple(_option(position, w) for w in listed),
    )


def _result(score: int) -> int:
    """1 for a win, 0 for a draw, -1 for a loss."""
    return (score > 0) - (score < 0)


def _option(position: Position, worth: _Worth) -> Option:
    """An action with its score, or with what is known of it."""
    text = position.game.format_action(position, worth.action)
    if worth.proven:
        word = ("loses", "draw", "wins")[_result(worth.high) + 1]
        return Option(text, float(worth.high), word)
    return Option(text, None, f"from {signed(worth.low)} to {signed(worth.high)}")
