"""What giving up a match costs: nothing, one point, or more in games that say so."""

from __future__ import annotations

from typing import NamedTuple

from client.words import counted_points, known_game, title
from games.game import BrokenRules, NotationError
from protocol.messages import MatchState, RoomState
from protocol.parts import Event
from protocol.series import is_on


def offers(match: MatchState) -> tuple[int, ...]:
    """Return the points that a resignation may offer; empty where it can only cost the full price.

    The last is the full price, which the other side need not accept.
    """
    return match.resign or ()


def resignation_cost(match: MatchState, seat: int) -> int:
    """Return how many points `seat` loses by resigning now."""
    if match_offers := offers(match):
        return match_offers[-1]
    game = known_game(match.game)
    if game is None:
        return 1
    try:
        return int(-game.forfeit(game.parse_position(match.position), seat)[seat])
    except (NotationError, BrokenRules):
        return 1


def points_at_stake(match: MatchState, seat: int, events: tuple[Event, ...], rated: bool) -> int:
    """Return how many points quitting loses: 0 while one side has not moved.

    In a rated match with dice it costs something once anybody has.
    """
    moved = {event.seat for event in events if event.kind == "play"}
    free = 1 if rated and any(event.kind == "roll" for event in events) else 2
    return resignation_cost(match, seat) if len(moved) >= free else 0


class QuittingCost(NamedTuple):
    """What quitting would give up: `what` by name, the points of the match that is on, in words."""

    what: str
    points: int
    text: str


def quitting_cost(
    room: RoomState | None, match: MatchState | None, seat: int | None, events: tuple[Event, ...]
) -> QuittingCost | None:
    """Return what quitting would cost in a room; None: nothing.  `match`: where one is on."""
    if match is not None and seat is not None:
        rated = room is not None and room.options.rated
        points = points_at_stake(match, seat, events, rated)
        whole = f" and gives up the match to {match.series.points}" if match.series else ""
        other = title(match.seats[1 - seat])
        text = f"The match against {other} is still on. The same again {cost_text(points)}{whole}"
        return QuittingCost(match.match, points, f"{text}; /quit later keeps it.")
    if gives_up_series(room):
        text = f"{_series_of(room)} is still on. The same again gives it up; /quit later keeps it."
        return QuittingCost(f"room {room.room}" if room is not None else "", 0, text)
    return None


def gives_up_series(room: RoomState | None) -> bool:
    """Return whether who leaves this room, between two games, gives up the series."""
    if room is None or room.seat is None or room.match is None or room.state != "waiting":
        return False
    return is_on(room.series)


def _series_of(room: RoomState | None) -> str:
    if room is None or room.series is None or room.seat is None:
        return "The match"
    other = title(room.seats[1 - room.seat])
    return f"The match to {counted_points(room.series.points)} against {other}"


def leaving_text(room: RoomState) -> str:
    """What leaving would give up, and how it is meant."""
    return f"/leave gives up a match: {_series_of(room)} is still on. The same again does it."


def cost_text(points: int) -> str:
    """Such as `loses 3 points`."""
    return f"loses {counted_points(points)}" if points else "ends it without a result"
