"""How long a match without clock waits for who is away, and when it takes no slot of a bot.

One with a clock waits so, too, while who is away has still to begin.
"""

from __future__ import annotations

from server.core import match as matches
from server.core.match import Match
from server.core.room import NOBODY_AWAY, Room

DAY_MS = 24 * 3_600_000
ABANDONED_MS = 30 * DAY_MS  # a match without clock that its people have left is void after this ...
LEFT_EARLY_MS = DAY_MS  # ... or after this, where not both have moved twice
# A match without clock takes no slot of the bot there once its person has not moved for so long:
# long enough to think, and short enough that who has gone keeps no other from that bot.
REST_MS = 120_000


def waits(room: Room, match: Match) -> bool:
    """Return whether a match waits for who is away, and no clock decides."""
    return not match.clock.timed or waits_to_begin(room, match)


def waits_to_begin(room: Room, match: Match) -> bool:
    """Return whether its time to begin does not pass, as somebody is away: of days it does."""
    return room.away != NOBODY_AWAY and not match.clock.is_long and matches.lapses(match)


def given_up_at(room: Room, match: Match) -> int | None:
    """Return when a match that waits is void because of who is away; None if it is not."""
    left = left_at(room)
    if left is None or not waits(room, match):
        return None
    return left + (LEFT_EARLY_MS if matches.is_hardly_begun(match) else ABANDONED_MS)


def left_at(room: Room) -> int | None:
    """Return since when a match waits for all its people, or, of two bots, for both; else None."""
    sides = list(zip(room.seats, room.away, strict=True))
    people = [away for who, away in sides if who is not None and who.program is None]
    away = [at for at in people or room.away if at is not None]
    return max(away) if len(away) == len(people or room.away) else None


def rests_at(room: Room, match: Match) -> int | None:
    """Return when a match that waits, or has a clock of days, comes to rest, see Room.rests."""
    to_move = match.position.to_move
    if room.rests or to_move < 0 or not (match.clock.is_long or waits(room, match)):
        return None
    mover, other = room.seats[to_move], room.seats[1 - to_move]
    by_person = mover is not None and mover.program is None
    against_bot = other is not None and other.program is not None
    return room.touched + REST_MS if by_person and against_bot else None
