"""A ladder whose matches are made up: what the tests of ladders as values share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from protocol.parts import ClockOptions, Options, Result
from server.core import match as matches
from server.core import seating
from server.core.events import Leg, Opened, Played, Who, write_body
from server.core.match import Match
from server.ladder.core.events import LadderEvent, Made, read
from server.ladder.core.ladder import Ladder
from server.ladder.core.rating import Ratings

ANN, BOB, CAT, DAN = (Who(i, name, "bot") for i, name in enumerate(("ann", "bob", "cat", "dan"), 1))
OWNER = Who(9, "owner")
CLOCK = ClockOptions(base_ms=60_000)
NUMBER = 12


def made(game: str = "tic_tac_toe", **more: Any) -> Made:
    """The first event of a ladder."""
    fields: dict[str, Any] = {
        "at": 0, "name": "daily", "game": game, "clock": CLOCK, "format": "endless",
        "owner": OWNER, "quota": 4, "seed": 1,
    }  # fmt: skip
    return Made(**(fields | more))


class Table:
    """A ladder and its log."""

    def __init__(self, game: str = "tic_tac_toe", **more: Any) -> None:
        self.ladder = Ladder(NUMBER, made(game, **more))
        self.log: list[tuple[str, bytes]] = []
        self.room = 100
        self.now = 0

    def take(self, events: LadderEvent | Sequence[LadderEvent]) -> None:
        """Write events down, and make them happen."""
        for event in events if isinstance(events, Sequence) else (events,):
            self.log.append((event.kind, write_body(event)))
            self.ladder.fold(event)

    def join(self, *whos: Who, version: str = "1", slots: int = 2, anchor: bool = False) -> None:
        """Bots join."""
        for who in whos:
            self.take(self.ladder.join(who, version, "", slots, anchor, self.now))

    def pair(self, one: int = 0, two: int = 1) -> int:
        """A pair begins; its number."""
        self.take(self.ladder.begin(one, two, "why", bytes(32), self.now))
        return self.ladder.last_pair

    def end(self, pair: int, leg: int, result: Result, actions: Sequence[str] = ()) -> None:
        """A leg is over, after these plies."""
        self.room += 1
        self.take(self.ladder.leg_over(pair, leg, self.room, ended(result, actions), self.now))

    def play(
        self, one: int = 0, two: int = 1, results: tuple[Result, Result] | None = None,
        actions: Sequence[str] = (),
    ) -> int:  # fmt: skip
        """A pair from its beginning to its end; player `one` wins both legs unless told."""
        pair, results_of_legs = self.pair(one, two), results or (win(0), win(1))
        for leg in (0, 1):
            self.end(pair, leg, results_of_legs[leg], actions)
        return pair

    def again(self) -> Ladder:
        """The same from its log."""
        ladder = Ladder(NUMBER, self.ladder.made)
        for kind, body in self.log:
            ladder.fold(read(kind, body))
        return ladder


def win(seat: int, how: str = "rules", points: float = 1.0) -> Result:
    """A result in which `seat` wins."""
    returns = (points, -points) if seat == 0 else (-points, points)
    return matches.result(returns, how, how)


def draw(how: str = "rules") -> Result:
    """Nobody wins."""
    return matches.result((0.0, 0.0), how, how)


def ended(result: Result, actions: Sequence[str] = ()) -> Match:
    """A match of tic-tac-toe that is over; each decision took 10 ms, but for an opening's."""
    leg = Leg(NUMBER, "daily", 1, 0)
    work = seating.open_leg(
        1, leg, "tic_tac_toe", Options(clock=CLOCK), (ANN, BOB), ("", ""), None, 0
    )
    match = work.match()
    for ply, action in enumerate(actions):
        if ply == 0:
            match = matches.acted(match, 10, Opened(0, ply, 0, action))
        else:
            match = matches.acted(match, ply + 10, Played(0, ply, ply % 2, action, 10, 0))
    return replace(match, result=result)


def rated(elo: Sequence[float | None], variance: Sequence[float]) -> Ratings:
    """Ratings in one group that know nothing of two players together."""
    n = len(elo)
    rows = tuple([tuple([variance[i] if i == j else 0.0 for j in range(n)]) for i in range(n)])
    return Ratings(tuple(elo), (0.0,) * n, (0,) * n, 0.0, 0.0, rows)
