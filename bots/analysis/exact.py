"""Games that are solved: what a play cost in the exact score, as far as that can be proven."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Final

from bots.analysis.analyst import AnalysisDepth, Analyst, Judgement
from bots.bot import MAX_NODES
from bots.engine import book, compiled
from bots.engine.solvers import SOLVERS, Solution, Solver, signed, solver
from games.game import Game, Ints, Position
from protocol.analysis import MAX_OPTIONS, AnalysedOption, Unit

# Positions to look at for one play, five seconds of compiled code: in connect four they prove all
# but a few plays at the fourth to sixth stone; the book knows those before.
NODES: Final = 40_000_000
PLAIN_NODES: Final = 400_000
SHARE: Final = 3  # each question may cost a third of what is left


@dataclass(frozen=True, slots=True)
class _ActionScore:
    """What an action brings to the side that plays it: a score from `low` to `high`."""

    action: int
    low: int
    high: int

    @property
    def proven(self) -> bool:
        return self.low == self.high


class ExactAnalyst(Analyst):
    """Judges by bots/engine/solvers.py: the fastest win or the slowest loss is best."""

    GAMES = tuple(SOLVERS)
    PROGRAM: ClassVar[str] = "solver"
    DEPTHS: ClassVar = {"nodes": (1, MAX_NODES)}
    EFFORTS = (
        AnalysisDepth(nodes=PLAIN_NODES), AnalysisDepth(nodes=10 * PLAIN_NODES),
        AnalysisDepth(nodes=NODES),
    )  # fmt: skip
    BACKWARDS = True  # what is proven of later positions helps with the earlier ones
    unit: Unit = "score"
    blunder = None

    def __init__(self, game: Game, *, nodes: int | None = None, plain: bool = False) -> None:
        """`nodes`: positions to look at for one play, at most."""
        slow = plain or not compiled.available()
        self._nodes = nodes or (PLAIN_NODES if slow else NODES)
        self._solver: Solver = solver(game, plain=plain)
        self._book = _book(game)
        self._left = 0
        self.by = "solver" if self._book is not None else "solver without its book"

    @classmethod
    def create(cls, game: Game, depth: AnalysisDepth) -> ExactAnalyst:
        return cls(game, nodes=depth.nodes)

    def judge(self, position: Position, action: int, stop: Ints) -> Judgement | None:
        """Prove what was played and what is best, then of the others as much as there is time."""
        self._left = self._nodes
        scores = {action: self._after(position, action, stop)}
        whole = self._solve(position, stop)
        for other in sorted(position.legal_actions(), key=lambda other: other != whole.best):
            if other not in scores:
                scores[other] = self._after(position, other, stop)
        if stop[0]:
            return None
        best = scores[whole.best]
        scores[whole.best] = replace(best, low=max(best.low, whole.low))
        ranked = [replace(s, high=min(s.high, whole.high)) for s in scores.values()]
        ranked.sort(key=lambda s: (-s.low, -s.high, s.action != action, s.action))
        return _judgement(position, ranked, action)

    def _after(self, position: Position, action: int, stop: Ints) -> _ActionScore:
        """The score of an action, as far as it can be proven."""
        solution = self._solve(position.apply(action), stop)
        return _ActionScore(action, -solution.high, -solution.low)

    def _solve(self, position: Position, stop: Ints) -> Solution:
        """The score for the side to move, or its bounds."""
        entry = None if self._book is None else self._book.look(position)
        if entry is not None:
            score, action = entry
            return Solution(score, score, action, 0)
        final = self._solver.at_a_glance(position)
        if final is not None and not position.legal_actions():
            return Solution(final, final, -1, 0)
        solution = self._solver.solve(position, max(1, self._left // SHARE), stop)
        self._left -= solution.nodes
        return solution


def _book(game: Game) -> book.Book | None:
    """The opening book; an empty one for games that need none, None where it cannot be read."""
    if not SOLVERS[game.name].HAS_BOOK:
        return book.Book({})
    try:
        return book.read()
    except book.BadBook:
        return None


def _judgement(position: Position, ranked: list[_ActionScore], action: int) -> Judgement:
    """The judgement on `action`; `ranked`: all actions, best first."""
    low, high = ranked[0].low, max(score.high for score in ranked)  # of the position
    played = next(score for score in ranked if score.action == action)
    loss = float(low - played.low) if low == high and played.proven else None
    blunder = _result(low) > _result(played.high)
    options = ranked[:MAX_OPTIONS]
    if played not in options:
        options[-1] = played
    return Judgement(
        loss=loss,
        error=None,
        doubtful=bool(loss) and not blunder,
        blunder=blunder,
        best=[_option(position, score) for score in options],
    )


def _result(score: int) -> int:
    """1 for a win, 0 for a draw, -1 for a loss."""
    return (score > 0) - (score < 0)


def _option(position: Position, score: _ActionScore) -> AnalysedOption:
    """An action with its score, or with what is known of it."""
    text = position.game.format_action(position, score.action)
    if score.proven:
        word = ("loses", "draw", "wins")[_result(score.high) + 1]
        return AnalysedOption(action=text, value=float(score.high), note=word)
    note = f"from {signed(score.low)} to {signed(score.high)}"
    return AnalysedOption(action=text, note=note)
