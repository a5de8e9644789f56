"""What bots with a compiled search have in common: it is compiled once a game, before a match.

Where a bot has to be there at once, it thinks in plain Python until that is done beside it
(bots/readiness.py), and then begins anew with an empty memory.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Generic, TypeVar

from bots import compiled
from bots.bot import Bot, Value
from games.game import CHANCE, Game, Ints, Position

T = TypeVar("T")

_loaded: set[tuple[type, str]] = set()  # bots and games whose code this process has run


class Searcher(Bot, Generic[T]):
    """A bot that thinks with a `T`: its search with its memory, made when it is first needed."""

    SEARCHES: ClassVar[tuple[str, ...]] = ()  # what is compiled of bots/search/
    COMPILED = True

    def __init__(self, *, seed: int = 0, **settings: Value) -> None:
        """Raises BadSetting for a setting that `SETTINGS` does not allow."""
        super().__init__(seed=seed, **settings)
        self._search: T | None = None
        self._hasty = False  # the search is plain Python, as it was not compiled yet

    @classmethod
    def searches(cls) -> tuple[str, ...]:
        """The files of bots/search/ that are compiled for it as things are now."""
        return cls.SEARCHES

    @classmethod
    def loaded(cls, game: Game) -> bool:
        """Whether compiled code is here already; from the cache it takes up to a second a game."""
        if not compiled.available() or not cls.ready(game):
            return True
        return (cls, game.name) in _loaded

    @classmethod
    def ready(cls, game: Game) -> bool:
        """Whether all of its searches have been compiled for this game."""
        return all(compiled.ready(name, game) for name in cls.searches())

    @classmethod
    def prepare(cls, game: Game) -> None:
        """Compile, or load what was compiled before."""
        position = game.initial()
        while position.to_move == CHANCE:
            position = position.apply(position.legal_actions()[0])
        cls.warm_up(position)
        for name in cls.searches():
            compiled.compiled_whole(name, game)
        _loaded.add((cls, game.name))

    @classmethod
    @abstractmethod
    def warm_up(cls, position: Position) -> None:
        """Call every kernel that `think` calls, by thinking a little about `position`."""

    @abstractmethod
    def make(self, game: Game, plain: bool) -> T:
        """A search with an empty memory; `plain`: in plain Python."""

    def search(self, game: Game) -> T:
        """The search of this match, made anew once there is compiled code for it."""
        hasty = compiled.at_once and not self.ready(game)
        if self._search is None or (self._hasty and not hasty):
            self._search, self._hasty = self.make(game, plain=hasty), hasty
        return self._search

    def flag(self) -> Ints:
        """A stop flag that compiled code can see."""
        flag: Ints = compiled.ints(1)
        return flag
