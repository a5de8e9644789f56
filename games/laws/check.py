"""Holds a game to the laws: to all of them, or to those that are quick enough for every load."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, TypeAlias

from games.game import BrokenRules, Game, describe
from games.laws import kernels, playing, playouts, source, texts
from games.laws.sample import SHOWN, Breach, Place, Sample
from games.own_files import TookTooLong, within

Law: TypeAlias = Callable[[Sample], None]  # its first line says what it demands

LAWS: Final[tuple[Law, ...]] = (
    playing.sizes, playing.ends, playing.movers, playing.legal, playing.values, playing.applied,
    playing.same_again, playing.illegal, playing.chance, playing.outcomes, playing.forfeits,
    texts.actions, texts.nonsense_as_action, texts.positions, texts.nonsense_as_position,
    texts.changed_positions, texts.drawings, texts.different_drawings, texts.symmetries,
    kernels.marked, source.compilable, kernels.whole_setup, kernels.in_place, kernels.memory,
    kernels.questions, kernels.keys, kernels.static_values, kernels.tactics, kernels.playouts,
    playouts.fair,
)  # fmt: skip

# What a game must keep to be played at all.  One that breaks another law, such as a drawing that is
# too wide or a playout that prefers an action, is worse to look at, or its bots are weaker.
QUICK: Final[tuple[Law, ...]] = (
    playing.sizes, playing.ends, playing.movers, playing.legal, playing.applied,
    playing.same_again, playing.chance, playing.outcomes, playing.forfeits, texts.actions,
    texts.positions,
)  # fmt: skip
QUICK_PLIES: Final = 60  # some milliseconds of a game's own rules, tens where they are slow
QUICK_MOST: Final = 150  # plies of one game
QUICK_S: Final = 10.0  # of one law
ENDED_PLIES: Final = 600  # of more games, of which only the ends are looked at


class LawResult(NamedTuple):
    """What became of a law: `what` says how it is broken, None if it holds.

    `tried`: positions that were looked at; `position` and `path`: where, and the actions that lead
    there from the start, as the game writes them; `endless`: it came to no end in time.
    """

    law: str
    tried: int
    what: str | None = None
    position: str | None = None
    path: tuple[str, ...] = ()
    endless: bool = False

    def sentence(self) -> str:
        """How and where the law is broken, in a line."""
        where = f", in {self.position!r}" if self.position is not None else ""
        law = f" ({self.law})" if self.endless else ""
        path = " ".join([*self.path[:SHOWN], *(["..."] if len(self.path) > SHOWN else [])])
        return f"{self.what}{where}{f' after {path}' if path else ''}{law}"


def title(law: Law) -> str:
    """What a law demands, in a line."""
    return (law.__doc__ or law.__name__).strip().split("\n")[0].rstrip(".")


def check(law: Law, sample: Sample) -> LawResult:
    """Hold the game of a sample to one law.  Whatever its rules raise breaks the law."""
    sample.begin()
    try:
        within(sample.seconds, lambda: law(sample))
    except TookTooLong as error:
        return _broken(law, sample, describe(error), sample.here)._replace(endless=True)
    except Breach as breach:
        verdict = _broken(law, sample, str(breach), breach.place or sample.here)
        return verdict._replace(endless=any(walk.endless for walk in sample.walks))
    except Exception as error:  # noqa: BLE001 - the rules may be anybody's
        return _broken(law, sample, describe(error), sample.here)
    return LawResult(title(law), sample.tried)


def _broken(law: Law, sample: Sample, what: str, here: Place | None) -> LawResult:
    place = () if here is None else (here.name(), here.path())
    return LawResult(title(law), sample.tried, what, *place)


def check_all(game: Game, laws: tuple[Law, ...] = LAWS) -> Iterator[LawResult]:
    sample = Sample(game)
    for law in laws:
        yield check(law, sample)


def check_quickly(game: Game) -> None:
    """Refuse a game that cannot be played: what is looked at is bounded in number.

    Raises:
        BrokenRules: with the law that it breaks first, and where.
    """
    sample = Sample(game, QUICK_PLIES, QUICK_MOST, seconds=QUICK_S)
    for law in QUICK:
        _require(check(law, sample))
    ends = Sample(game, ENDED_PLIES, ENDED_PLIES, seed=2, seconds=QUICK_S)
    _require(check(playing.outcomes, ends))


def _require(verdict: LawResult) -> None:
    if verdict.what is not None:
        raise BrokenRules(verdict.sentence())
