"""A match gone through, play by play: `analyse`, and what it asks of an analyst."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from bots import compiled
from bots.analysis.form import Analysis, Option, Play, Roll, Total, Unit
from games.game import CHANCE, Game, Ints, Position

Progress: TypeAlias = Callable[[int, int], None]  # what has been looked at, of so much


@dataclass(frozen=True, slots=True)
class Judged:
    """What an analyst says of a play; the fields are those of bots/analysis/form.py's Play."""

    loss: float | None
    error: float | None
    doubtful: bool
    blunder: bool
    best: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Depth:
    """How far an analyst is to look; None: as far as it likes.

    plies       rolls to look ahead for a play, 0 to 2
    luck_plies  ... for the luck of a roll
    nodes       positions or simulations for a play, 1 or more
    """

    plies: int | None = None
    luck_plies: int | None = None
    nodes: int | None = None


class Analyst(ABC):
    """Judges the plays of one match; a LuckAnalyst its rolls, too.

    Values have four decimals.  `PROGRAM`: the bot whose compiled searches it uses.
    """

    PROGRAM: ClassVar[str]
    takes: ClassVar[tuple[str, ...]] = ("nodes",)  # what of a Depth can be told it
    by: str
    unit: Unit
    blunder: float | None
    backwards: ClassVar[bool] = False  # it has less to do if it sees the last ply first

    @classmethod
    def made(cls, game: Game, depth: Depth) -> Analyst:
        """One that looks so far; of `depth` only what it `takes` is set."""
        return cls()

    def flag(self) -> Ints:
        """A stop flag that compiled code can see, too; a list it sees between two questions."""
        flag: Ints = compiled.ints(1)
        return flag

    @abstractmethod
    def judge(self, position: Position, action: int, stop: Ints) -> Judged | None:
        """What playing `action` was worth, where there were two actions or more.

        None once `stop[0]` is set, if that came before there was an answer.
        """


class LuckAnalyst(Analyst):
    """One that judges rolls, too."""

    @abstractmethod
    def luck(self, position: Position, roll: int, stop: Ints) -> float | None:
        """What `roll` brought to who rolled it, of all that there could be; None as in `judge`."""


@dataclass(frozen=True, slots=True)
class _Step:
    """One action of a match; `seat`: who played or rolled it."""

    ply: int
    position: Position
    action: int
    seat: int

    @property
    def rolled(self) -> bool:
        """Whether it is a roll."""
        return self.position.to_move == CHANCE

    @property
    def forced(self) -> bool:
        """Whether there was nothing to choose."""
        return len(self.position.legal_actions()) == 1

    @property
    def text(self) -> str:
        """The action in notation."""
        return self.position.game.format_action(self.position, self.action)


def analyse(
    game: Game,
    actions: Sequence[int],
    analyst: Analyst,
    progress: Progress | None = None,
    stop: Ints | None = None,
    given: int = 0,
) -> Analysis:
    """Look at every play and roll of a match.

    Args:
        actions: all of them from the start, rolls and passes included; takebacks folded away.
        progress: is called after each play and roll.
        stop: the analyst's `flag()`; when `stop[0]` is set, what was found by then is returned.
        given: so many first actions were nobody's, as a ladder set them.

    Raises:
        IllegalAction: one of the actions is not legal.
    """
    flag: Ints = [0] if stop is None else stop
    steps = _steps(game, actions)[given:]
    lucky = isinstance(analyst, LuckAnalyst)
    todo = [s for s in steps if (lucky if s.rolled else not s.forced)]
    plays: list[Play] = []
    rolls: list[Roll] = []
    for done, step in enumerate(reversed(todo) if analyst.backwards else todo, 1):
        if flag[0] or not _look(analyst, step, flag, plays, rolls):
            break
        if progress is not None:
            progress(done, len(todo))
    plays.sort(key=lambda play: play.ply)
    seen = {play.ply for play in plays} | {roll.ply for roll in rolls}
    forced = [step.seat for step in steps if not step.rolled and step.forced]
    return Analysis(
        game=game.name,
        by=analyst.by,
        unit=analyst.unit,
        blunder=analyst.blunder,
        plays=tuple(plays),
        rolls=tuple(sorted(rolls, key=lambda roll: roll.ply)),
        totals=_totals(plays, rolls, forced, lucky),
        left=tuple(step.ply for step in todo if step.ply not in seen),
    )


def _look(analyst: Analyst, step: _Step, stop: Ints, plays: list[Play], rolls: list[Roll]) -> bool:
    """Judge one step and add what was found; whether there was an answer."""
    if step.rolled and isinstance(analyst, LuckAnalyst):
        luck = analyst.luck(step.position, step.action, stop)
        if luck is not None:
            rolls.append(Roll(step.ply, step.seat, step.text, luck))
        return luck is not None
    found = analyst.judge(step.position, step.action, stop)
    if found is not None:
        plays.append(
            Play(
                step.ply, step.seat, step.text,
                found.loss, found.error, found.doubtful, found.blunder, found.best,
            )
        )  # fmt: skip
    return found is not None


def _steps(game: Game, actions: Sequence[int]) -> list[_Step]:
    """The actions with their positions; a roll belongs to who plays after it."""
    found = []
    position = game.initial()
    for ply, action in enumerate(actions):
        after = position.apply(action)
        seat = position.to_move
        if seat == CHANCE:
            seat = max(0, after.to_move)  # of two rolls in a row the first is seat 0's
        found.append(_Step(ply, position, action, seat))
        position = after
    return found


def _totals(
    plays: Iterable[Play], rolls: Iterable[Roll], forced: Sequence[int], lucky: bool
) -> tuple[Total, Total]:
    def total(seat: int) -> Total:
        own = [play for play in plays if play.seat == seat]
        return Total(
            plays=len(own),
            forced=forced.count(seat),
            unknown=sum(play.loss is None for play in own),
            loss=_sum(play.loss or 0.0 for play in own),
            doubtful=sum(play.doubtful for play in own),
            blunders=sum(play.blunder for play in own),
            luck=_sum(roll.luck for roll in rolls if roll.seat == seat) if lucky else None,
        )

    return total(0), total(1)


def _sum(values: Iterable[float]) -> float:
    """A sum of values that have four decimals."""
    return round(sum(values), 4) + 0.0


def read_actions(game: Game, texts: Iterable[str]) -> list[int]:
    """Actions in notation as numbers, from the start on.

    Raises:
        NotationError, IllegalAction: with the one that does not fit.
    """
    found = []
    position = game.initial()
    for text in texts:
        written = position.legal_notation()
        if text in written:
            action = position.legal_actions()[written.index(text)]
        else:
            action = game.parse_action(position, text)
        position = position.apply(action)
        found.append(action)
    return found
