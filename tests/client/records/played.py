"""Matches for the tests of records, as `history` would tell them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from games import registry
from games.dice import Deal, commitment
from games.game import CHANCE, Position
from protocol.parts import ClockOptions, Event, Options, Player, Result
from protocol.records import record

ANN, BOB = Player(name="ann"), Player(name="house", program="mcts")
FIVE_PLUS_THREE = Options(clock=ClockOptions(base_ms=300_000, increment_ms=3_000))
START = 1_794_500_000_000  # in November 2026
SECRET = bytes(range(32))


class Played:
    """The events of a match that is being played; `now` goes on by two seconds an event, or by
    what was spent on it.
    """

    def __init__(
        self,
        game: str,
        options: Options | None = None,
        players: tuple[Player, Player] = (ANN, BOB),
        match: str = "17.2",
    ) -> None:
        rules = registry.game(game)
        self.match = match
        self.lag = 20 if options is not None and options.clock is not None else 0
        self.now = START
        self.events: list[Event] = []
        start = options.position if options is not None else ""
        self.history: list[Position] = [rules.parse_position(start) if start else rules.initial()]
        self.deal = Deal(match, SECRET, ("00ff", "")) if rules.has_chance else None
        if self.deal is not None:
            self.add("dealt", commitment=commitment(SECRET), secret=SECRET.hex())
        salts = self.deal.salts if self.deal is not None else None
        self.add(
            "started", players=players, game=game, rules_version=rules.rules_version,
            options=options or Options(), salts=salts,
        )  # fmt: skip
        self.roll()

    @property
    def position(self) -> Position:
        """What is on the board."""
        return self.history[-1]

    @property
    def ply(self) -> int:
        """How many actions have been made."""
        return len(self.history) - 1

    def add(self, kind: str, **fields: object) -> None:
        """One more event."""
        seq = 5 + len(self.events)
        spent = fields.get("spent_ms")
        if self.events:
            self.now += max(2_000, spent if isinstance(spent, int) else 0)
        event = Event(seq=seq, kind=kind, match=self.match, at=self.now, **fields)  # type: ignore[arg-type]
        self.events.append(event)

    def _step(self, kind: str, seat: int, action: str, **fields: object) -> None:
        position = self.position
        self.add(kind, ply=self.ply, seat=seat, action=action, **fields)
        self.history.append(position.apply(position.game.parse_action(position, action)))

    def roll(self) -> None:
        """Let the dice fall, and pass what has to be passed, as a server does."""
        while True:
            position = self.position
            if position.to_move == CHANCE:
                assert self.deal is not None
                fallen = self.deal.roll(self.ply, position.chance())
                self._step("roll", -1, position.game.format_action(position, fallen))
            elif position.to_move >= 0 and position.legal_notation() == ("pass",):
                self._step("pass", position.to_move, "pass")
            else:
                return

    def plays(self, *actions: str, note: str | None = None) -> Played:
        """Both sides play in turn."""
        for action in actions:
            seat = self.position.to_move
            self._step("play", seat, action, spent_ms=1_500, lag_ms=self.lag, note=note)
            self.roll()
        self._end_by_rules()
        return self

    def plays_on(self, seed: int, most: int = 10_000) -> Played:
        """Both sides play at random, to the end or for so many actions."""
        chosen = random.Random(seed)
        while self.position.to_move >= 0 and most > 0:
            most -= 1
            self.plays(chosen.choice(self.position.legal_notation()))
        return self

    def takes_back(self, ply: int, seat: int) -> Played:
        """What `seat` did at `ply` is taken back."""
        self.add("offered", seat=seat, offer="takeback")
        self.add("answered", seat=1 - seat, offer="takeback", accept=True)
        self.add("takeback", ply=ply, seat=seat)
        del self.history[ply + 1 :]
        return self

    def gives_up(self, seat: int, how: str = "resign", spent_ms: int = 0) -> Played:
        """The match ends by resignation, flag ..."""
        returns = self.position.game.forfeit(self.position, seat)
        result = Result(winner=1 - seat, returns=returns, how=how, reason=how)  # type: ignore[arg-type]
        return self.ends(result, spent_ms)

    def resigns(self, seat: int, points: int) -> Played:
        """The match ends by a resignation for fewer points, to which the other side agrees."""
        self.add("offered", seat=seat, offer="resign", points=points)
        self.add("answered", seat=1 - seat, offer="resign", accept=True)
        returns = (-points, points) if seat == 0 else (points, -points)
        return self.ends(Result(winner=1 - seat, returns=returns, how="resign", reason="resign"))  # type: ignore[arg-type]

    def ends(self, result: Result, spent_ms: int = 0) -> Played:
        """The match ends so."""
        self.add("ended", result=result, spent_ms=spent_ms)
        return self

    def _end_by_rules(self) -> None:
        outcome = self.position.outcome()
        if outcome is not None:
            first = outcome.returns[0]
            winner = None if first == 0 else int(first < 0)
            self.ends(
                Result(winner=winner, returns=outcome.returns, how="rules", reason=outcome.reason)  # type: ignore[arg-type]
            )


def won_at_connect_four() -> Sequence[Event]:
    """Ann wins in the fourth column."""
    return Played("connect_four", FIVE_PLUS_THREE).plays("4", "3", "4", "3", "4", "3", "4").events


def file(folder: Path, played: Played | None = None) -> Path:
    """A record on disk, by default ann's win at connect four."""
    events = tuple(played.events if played is not None else won_at_connect_four())
    path = folder / "match.json"
    path.write_bytes(record.write(record.MatchRecord("17.2", events)))
    return path
