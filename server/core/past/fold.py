"""What is told of each match of a room, from the room's events.

The other way to it is `summary.of_room`, at the end of a match.  Both lead to the same value: the
index of matches is the fold of the log, whenever it is made.
"""

from __future__ import annotations

from games import registry
from games.game import BrokenRules, IllegalAction, NotationError, UnplayableTerms
from protocol.history import ACTIONS
from protocol.records.terms import first_position
from protocol.series import after
from server.core.events import (
    Created,
    DiceRolled,
    Ended,
    NotReplayed,
    PlyEvent,
    Started,
    TakenBack,
    read_body,
)
from server.core.past.summary import MatchSummary


class PastFold:
    """Reads the events of one room in order, and tells of each match at its end."""

    def __init__(self) -> None:
        self._created: Created | None = None
        self._started: Started | None = None
        self._actions: list[str] = []

    def take(self, kind: str, body: bytes) -> MatchSummary | None:
        """Take the next event, and return what is told of a match if it is the end of one.

        An event that cannot be read leaves its match out.
        """
        if kind in ACTIONS and self._started is None:
            return None
        try:
            event = read_body(kind, body)
        except NotReplayed:
            self._started = None
            return None
        match event:
            case Created():
                self._created = event
            case Started():
                self._started, self._actions = event, []
            case PlyEvent() | DiceRolled() if kind in ACTIONS:
                self._actions.append(event.action)
            case TakenBack():
                del self._actions[event.ply :]
            case Ended():
                return self._ended(event)
            case _:
                pass
        return None

    def _ended(self, end: Ended) -> MatchSummary | None:
        created, start, self._started = self._created, self._started, None
        if created is None or start is None:
            return None
        return MatchSummary(
            game=start.game,
            players=start.players,
            at=end.at,
            result=end.result,
            plies=len(self._actions),
            position=_position(start, self._actions),
            rated=start.options.rated,
            public=created.options.public,
            code=created.code,
            ladder=created.leg.name if created.leg is not None else None,
            series=after(start.series, end.result) if start.series is not None else None,
        )


def _position(start: Started, actions: list[str]) -> str:
    """Return the position after these actions; empty if no rules here can tell."""
    try:
        game = registry.game(start.game, start.rules_version)
        position = first_position(game, start.options, start.series)
        for action in actions:
            position = position.apply(position.read(action))
    except (
        registry.UnknownGame, NotationError, IllegalAction, BrokenRules, UnplayableTerms,
    ):  # fmt: skip
        return ""
    return game.format_position(position)
