"""What giving up a match costs: nothing, one point, or more in games that say so."""

from __future__ import annotations

from client.words import counted_points, known_game
from games.game import BrokenRules, NotationError
from protocol.messages import MatchState
from protocol.parts import Event


def offers(match: MatchState) -> tuple[int, ...]:
    """Return the points that a resignation may offer; empty where it can only cost the full price.

    The last is the full price, which the other side need not accept.
    """
    return match.resign or ()


def full_price(match: MatchState, seat: int) -> int:
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


def quitting_price(match: MatchState, seat: int, events: tuple[Event, ...]) -> int:
    """Return how many points quitting loses: 0 while one side has not moved."""
    moved = {event.seat for event in events if event.kind == "play"}
    return full_price(match, seat) if moved >= {0, 1} else 0


def price_text(points: int) -> str:
    """Such as `loses 3 points`."""
    return f"loses {counted_points(points)}" if points else "ends it without a result"
