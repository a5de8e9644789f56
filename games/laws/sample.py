"""Seeded random games of one game, as far as they get: what the laws are held against.

The rules may be anybody's and broken in any way, so whatever they raise only ends a walk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from games.game import CHANCE, USUAL, Game, MatchTerms, Position, describe
from games.own_files import TookTooLong, within
from games.rng import below, seeded

PLIES = 240  # at least so many, in two games or more
MAX_PLIES = 20_000  # of one game; one with a larger bound is not played to its end
LAW_S = 30.0  # of one law, or one game; rules that are slow take some seconds
SHOWN = 40  # actions that are listed of those that lead to a place


@dataclass(frozen=True, slots=True)
class Walk:
    """A game from its start: actions[i] leads from positions[i] to positions[i + 1].

    `trouble`: what the rules raised where it broke off, in a sentence; none if it did not.
    `endless`: they came to no end there.
    """

    positions: tuple[Position, ...]
    actions: tuple[int, ...]
    trouble: str = ""
    endless: bool = False


class Place(NamedTuple):
    """A position of a walk: `walk.positions[ply]`."""

    walk: Walk
    ply: int

    @property
    def position(self) -> Position:
        return self.walk.positions[self.ply]

    def path(self) -> tuple[str, ...]:
        """The actions that lead here, as the game writes them, else as their numbers."""
        before = zip(self.walk.positions, self.walk.actions[: self.ply], strict=False)
        return tuple([_written(position, action) for position, action in before])

    def name(self) -> str:
        """The position as the game writes it, else its ints."""
        try:
            return self.position.game.format_position(self.position)
        except Exception:  # noqa: BLE001 - the rules may be anybody's, and this tells of a mistake
            return f"state {list(self.position.state)}"


class Breach(Exception):  # it is raised and caught in games/laws only
    """A law does not hold; the message says how.  `place`: where, if not where the sample is."""

    def __init__(self, what: str, place: Place | None = None) -> None:
        super().__init__(what)
        self.place = place


def require(holds: bool, what: str, place: Place | None = None) -> None:
    """Go on if something holds; else raise Breach."""
    if not holds:
        raise Breach(what, place)


class Sample:
    """Walks through one game, and where a law is looking now."""

    def __init__(
        self,
        game: Game,
        plies: int = PLIES,
        most: int = MAX_PLIES,
        seed: int = 1,
        seconds: float = LAW_S,
    ) -> None:
        """Play at random: at least two games, one by each of its terms, and `plies` in all.

        `most`: plies of one game, which is then not played to its end.  `seconds`: that a game, or
        a law, may take.
        """
        self.game = game
        self.seconds = seconds
        self.here: Place | None = None
        self.tried = 0
        self.walks = tuple(_walks(game, plies, most, seeded(seed), seconds))
        seen: dict[tuple[int, ...], Place] = {}
        for walk in self.walks:
            for ply, position in enumerate(walk.positions):
                seen.setdefault(position.state, Place(walk, ply))
        self._places = tuple(seen.values())

    def begin(self) -> None:
        """Forget where the last law was."""
        self.here, self.tried = None, 0

    def places(self, step: int = 1, most: int | None = None) -> Iterator[Place]:
        """Every position that was met, each once; or every so many of them, or the first few."""
        for place in self._places[::step][:most]:
            self.here = place
            self.tried += 1
            yield place

    def decisions(self, step: int = 1) -> Iterator[Place]:
        """Those of them in which a seat is to move."""
        for place in [p for p in self._places if p.position.to_move >= 0][::step]:
            self.here = place
            self.tried += 1
            yield place

    def along(self, walk: Walk) -> Iterator[Place]:
        for ply in range(len(walk.positions)):
            self.here = Place(walk, ply)
            self.tried += 1
            yield self.here

    @property
    def movers(self) -> set[int]:
        """Whose turn it was: seats, CHANCE, END."""
        return {place.position.to_move for place in self._places}


def walk(
    game: Game, pick: Callable[[int], int], most: int = MAX_PLIES, terms: MatchTerms = USUAL
) -> Walk:
    """One game by these terms in which all play at random and the dice fall by their weights.

    `pick(n)` says a number in [0, n).  It ends with the game, after `most` plies, or where the
    rules raise something or have no side to move.
    """
    positions: list[Position] = []
    actions: list[int] = []
    at, trouble, endless = "", "", False
    try:
        positions.append(game.initial(terms))
        while len(actions) < most and positions[-1].to_move >= CHANCE:
            legal = positions[-1].legal_actions()
            if not legal:
                break
            action = legal[_weighted(positions[-1], pick, len(legal))]
            at = f"at {_written(positions[-1], action)}: "
            after = positions[-1].apply(action)
            actions.append(action)
            positions.append(after)
    except (Exception, TookTooLong) as error:  # noqa: BLE001 - the rules may be anybody's
        trouble, endless = f"{at}{describe(error)}", isinstance(error, TookTooLong)
    return Walk(tuple(positions), tuple(actions), trouble, endless)


def _weighted(position: Position, pick: Callable[[int], int], count: int) -> int:
    """The index of an action: by its weight at CHANCE, each alike elsewhere."""
    weights = [max(0, int(w)) for _, w in position.chance()]
    if not 0 < sum(weights) < 2**30:
        return pick(count)
    point, index = pick(sum(weights)), 0
    while point >= weights[index]:
        point -= weights[index]
        index += 1
    return index


def _walks(game: Game, plies: int, most: int, rng: list[int], seconds: float) -> Iterator[Walk]:
    played = games = 0
    terms = (USUAL, *game.trials)
    while games < max(2, len(terms)) or played < plies:
        by = terms[games % len(terms)]
        one = within(seconds, partial(walk, game, lambda n: below(rng, n), most, by))
        yield one
        played, games = played + max(1, len(one.actions)), games + 1
        if one.trouble:
            return


def some(actions: tuple[int, ...], most: int = 40) -> tuple[int, ...]:
    """At most about `most` of these, evenly spread, the first and the last among them."""
    return actions if len(actions) <= most else (*actions[:: len(actions) // most + 1], actions[-1])


def _written(position: Position, action: int) -> str:
    try:
        return str(position.game.format_action(position, action))
    except Exception:  # noqa: BLE001 - the rules may be anybody's, and this tells of a mistake
        return f"#{action}"
