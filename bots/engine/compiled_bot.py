"""A bot with a compiled search: what all of them share.

The search is compiled once a game, before a match.  Where a bot has to join at once, its search is
interpreted, as plain Python, until another process has compiled it (bots/online/readiness.py); then
it starts again with an empty memory.
"""

from __future__ import annotations

import logging
from abc import abstractmethod
from types import ModuleType
from typing import ClassVar, Generic, TypeVar

from bots.bot import Bot, Value
from bots.engine import compiled
from games.game import CHANCE, Game, Ints, Position

T = TypeVar("T")

log = logging.getLogger("plyhouse.bots")

_loaded: set[tuple[type, str]] = set()  # bots and games whose code this process has run


def first_decision(game: Game) -> Position:
    """The first position in which a seat is to move; dice fall as their lowest number says."""
    position = game.initial()
    while position.to_move == CHANCE:
        position = position.apply(position.legal_actions()[0])
    return position


class CompiledBot(Bot, Generic[T]):
    """A bot whose search, with its memory, is a `T`; it is made when it is first needed."""

    SEARCHES: ClassVar[tuple[ModuleType, ...]] = ()  # the files of kernels that are compiled
    COMPILED = True

    def __init__(self, *, seed: int = 0, **settings: Value) -> None:
        """Raises BadSetting for a setting that `SETTINGS` does not allow."""
        super().__init__(seed=seed, **settings)
        self._search: T | None = None
        self._interpreted = False  # the search is plain Python: it was not compiled yet

    @classmethod
    def searches(cls) -> tuple[ModuleType, ...]:
        """What is compiled for it now: SEARCHES, unless something else stands in."""
        return cls.SEARCHES

    @classmethod
    def loaded(cls, game: Game) -> bool:
        """Whether this process has the compiled code; to load it takes up to a second a game."""
        if not compiled.available() or not cls.ready(game):
            return True
        return (cls, game.name) in _loaded

    @classmethod
    def ready(cls, game: Game) -> bool:
        """Whether all of its searches have been compiled for this game."""
        return all(compiled.ready(kernels, game) for kernels in cls.searches())

    @classmethod
    def prepare(cls, game: Game) -> None:
        """Compile, or load what was compiled before.

        Rules of somebody's own that numba refuses are played as plain Python, and a line says so.
        """
        _loaded.add((cls, game.name))
        if compiled.is_refused(game):
            return
        try:
            cls.warm_up(first_decision(game))
        except compiled.refusals() as error:
            why = compiled.refuse(game, error)
            log.warning("plyhouse: %s, so %s is searched as plain Python, slowly", why, game.name)
            return
        for kernels in cls.searches():
            compiled.mark_ready(kernels, game)

    @classmethod
    @abstractmethod
    def warm_up(cls, position: Position) -> None:
        """Call every kernel that `think` calls, by thinking a little about `position`."""

    @abstractmethod
    def make(self, game: Game, plain: bool) -> T:
        """A search with an empty memory; `plain`: in plain Python."""

    def search(self, game: Game) -> T:
        """The search of this match; a new one as soon as there is compiled code for it."""
        waits = compiled.at_once and not self.ready(game)
        interpreted = waits or compiled.is_refused(game)
        if self._search is None or (self._interpreted and not interpreted):
            self._search, self._interpreted = self.make(game, plain=interpreted), interpreted
        return self._search

    def interpreted(self, game: Game) -> T:
        """A new search in plain Python, by which it thinks from now on: it can be listened to."""
        self._search, self._interpreted = self.make(game, plain=True), False
        return self._search

    def stop_flag(self) -> Ints:
        """A stop flag that compiled code can see."""
        return compiled.ints(1)
