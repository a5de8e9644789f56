"""The settings of a training, their limits, and how long a step of learning is.

The names are those in the heading of a file of nets, which says how it was made.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from bots.backgammon import weights

STEADY: Final = 0.08  # the share of the games in which a step stays as long as it was
OPTIONS: Final = {  # where names differ
    "decay": "lambda",
    "lesson_decay": "lesson-lambda",
    "refinement_decay": "refinement-lambda",
    "wide_decay": "wide-lambda",
}
MAX_ROUNDS: Final = 200  # of each kind
MAX_REFINED: Final = 100_000  # games of a round: 210 MB of positions; of wider nets 470 MB

Hidden = Annotated[int, Meta(ge=1, le=weights.MAX_HIDDEN)]
Share = Annotated[float, Meta(ge=0, le=1)]
Step = Annotated[float, Meta(gt=0, le=1)]
Rounds = Annotated[int, Meta(ge=0, le=MAX_ROUNDS)]


class BadTraining(ValueError):
    """Settings that no training can have, or that differ from those of a checkpoint."""


class RoundSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What one round of lookahead does.

    refines  its games are those of refinement, whose turns are chosen with lookahead
    others   turns that were looked at and not chosen are learnt, too
    games    that it plays
    oldest   the number of the first round whose dataset it learns from
    passes, rate, decay  see TrainingSettings
    anew     random nets learn, not those that have played
    hidden   units of the nets that learn: a net whose width changes begins as a random one
    dice     which round of all that a training can have it is: the seeds of its games follow
    """

    refines: bool
    others: bool
    games: int
    oldest: int
    passes: int
    rate: float
    decay: float
    anew: bool
    hidden: tuple[int, int, int]
    dice: int


class TrainingSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the weights depend on.

    games    of self-play
    hidden   units of the nets for contact, one-way contact and races
    alpha    the length of a step at the start; `alpha_end` at the end
    decay    lambda: how much of a target comes from the targets after it
    without  what the nets do without, to measure what it is worth: some of weights.WITHOUT
    after    the digest of the nets that the training starts from; empty: random ones, which need
             games before any lookahead
    lessons  rounds of lookahead after the games; each plays `lesson_games` games, and learns from
             the last `window` rounds in so many `passes`, with steps of about `rate` at first
    lesson_decay  the lambda of these rounds
    warm     the first round goes on with the nets of the games; else with random ones
    refinements  rounds after these, in whose games turns are chosen with lookahead, too; they learn
             from their own datasets alone, by settings of their own: refinement_games and so on
    wide_rounds  the last rounds, played as those of refinement: nets of `wide_hidden` units learn,
             from turns that were not chosen, too; by settings of their own: wide_games and so on
    """

    games: Annotated[int, Meta(ge=0, le=10**9)]
    seed: int = 1
    hidden: tuple[Hidden, Hidden, Hidden] = (160, 160, 40)
    alpha: Step = 0.05
    alpha_end: Step = 0.0005
    decay: Share = 0.3
    without: tuple[str, ...] = ()
    after: str = ""
    lessons: Rounds = 0
    lesson_games: Annotated[int, Meta(ge=1, le=10_000)] = 2400
    window: Annotated[int, Meta(ge=1, le=200)] = 16
    passes: Annotated[int, Meta(ge=1, le=10_000)] = 10
    rate: Step = 0.004
    lesson_decay: Share = 0.7
    warm: bool = False
    refinements: Rounds = 0
    refinement_games: Annotated[int, Meta(ge=1, le=MAX_REFINED)] = 20_000
    refinement_window: Annotated[int, Meta(ge=1, le=200)] = 4
    refinement_passes: Annotated[int, Meta(ge=1, le=10_000)] = 4
    refinement_rate: Step = 0.0005
    refinement_decay: Share = 0.9
    wide_rounds: Rounds = 0
    wide_hidden: tuple[Hidden, Hidden, Hidden] = (320, 320, 40)
    wide_games: Annotated[int, Meta(ge=1, le=MAX_REFINED)] = 60_000
    wide_window: Annotated[int, Meta(ge=1, le=200)] = 1
    wide_passes: Annotated[int, Meta(ge=1, le=10_000)] = 16
    wide_rate: Step = 0.003
    wide_decay: Share = 0.6

    def __post_init__(self) -> None:
        """Check what concerns several values, or a table of names."""
        if self.alpha_end > self.alpha:
            raise ValueError("alpha-end must not be above alpha")
        if self.games == 0 and not self.after:
            raise ValueError("games cannot be 0 without nets to start from")
        if not set(self.without) <= weights.WITHOUT.keys():
            raise ValueError(f"without takes {', '.join(weights.WITHOUT)}")

    @staticmethod
    def checked(**values: object) -> TrainingSettings:
        """The settings with these values.

        Raises:
            BadTraining: one is outside its limits; the sentence names the option.
        """
        try:
            return msgspec.convert(values, TrainingSettings)
        except msgspec.ValidationError as error:
            raise BadTraining(_sentence(str(error), values)) from None

    def step(self, game: int) -> float:
        """How long a step is in the batch that begins with this game."""
        done = game / self.games
        if done <= STEADY:
            return self.alpha
        return float(self.alpha * (self.alpha_end / self.alpha) ** ((done - STEADY) / (1 - STEADY)))

    @property
    def rounds(self) -> int:
        return self.narrow_rounds + self.wide_rounds

    @property
    def narrow_rounds(self) -> int:
        return self.lessons + self.refinements

    def begins_anew(self, rounds: int) -> bool:
        """Whether what follows so many rounds can as well begin with a file of nets."""
        refines = rounds == self.lessons and self.refinements > 0
        return refines or (rounds == self.narrow_rounds and self.wide_rounds > 0)

    def hidden_after(self, rounds: int) -> tuple[int, int, int]:
        return self.wide_hidden if rounds > self.narrow_rounds else self.hidden

    def round(self, number: int) -> RoundSettings:
        """What the round of this number does, from 1."""
        if number <= self.lessons:
            return RoundSettings(
                refines=False, others=False, games=self.lesson_games,
                oldest=max(0, number - self.window) + 1,
                passes=self.passes, rate=self.rate, decay=self.lesson_decay,
                anew=number == 1 and not self.warm, hidden=self.hidden, dice=number - 1,
            )  # fmt: skip
        if number <= self.narrow_rounds:
            nth = number - self.lessons
            return RoundSettings(
                refines=True, others=False, games=self.refinement_games,
                oldest=self.lessons + max(0, nth - self.refinement_window) + 1,
                passes=self.refinement_passes, rate=self.refinement_rate,
                decay=self.refinement_decay, anew=False, hidden=self.hidden,
                dice=MAX_ROUNDS + nth - 1,
            )  # fmt: skip
        nth = number - self.narrow_rounds
        return RoundSettings(
            refines=True, others=True, games=self.wide_games,
            oldest=self.narrow_rounds + max(0, nth - self.wide_window) + 1,
            passes=self.wide_passes, rate=self.wide_rate, decay=self.wide_decay,
            anew=False, hidden=self.wide_hidden, dice=2 * MAX_ROUNDS + nth - 1,
        )  # fmt: skip

    def plain(self) -> dict[str, Any]:
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return plain


def _sentence(error: str, values: dict[str, object]) -> str:
    """What msgspec says about a value, with the name of its option and the value in front."""
    problem, _, place = error.partition(" - at `$.")
    if not place:
        return error
    name = place.rstrip("`").split("[")[0]
    option = OPTIONS.get(name, name.replace("_", "-"))
    expected = problem.removeprefix("Expected ").partition(", got")[0].replace("`", "")
    return f"{option} cannot be {values[name]}: expected {expected}"
