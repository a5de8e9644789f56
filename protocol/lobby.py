"""The lobby's list by its changes: what a server tells, and what a client makes of it.

`difference` and `applied` are each other's reverse, but for the order of bots, which is no promise:
the house's come first.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from protocol.messages import LobbyChanged, LobbyList
from protocol.parts import BotLine, PersonLine, RoomLine

HOUSE = "house"  # the name of the server's own bots
Line = TypeVar("Line", bound=RoomLine | BotLine | PersonLine)
Key = TypeVar("Key", bound=Hashable)


def difference(old: LobbyList, new: LobbyList, small: bool = True) -> LobbyChanged | None:
    """Return what makes `new` of `old`; None where that is nothing.

    `small`: also what is no news (see `is_news`); without it, some lines stay as they are in `old`.
    """
    rooms = _changed(old.rooms, new.rooms, room_key, small)
    bots = _changed(old.bots, new.bots, bot_key, small)
    people = _changed(old.people, new.people, person_key, small)
    rooms_gone = _gone(old.rooms, new.rooms, room_key)
    bots_gone = _gone(old.bots, new.bots, bot_key)
    people_gone = _gone(old.people, new.people, person_key)
    change = LobbyChanged(
        seq=(old.seq or 0) + 1, total=new.total, rooms=rooms, bots=bots, people=people,
        rooms_gone=rooms_gone, bots_gone=bots_gone, people_gone=people_gone,
    )  # fmt: skip
    return change if lines_of(change) or new.total != old.total else None


def lines_of(change: LobbyChanged) -> int:
    """Return how many lines a change changes or takes away."""
    return sum(
        len(each)
        for each in (
            change.rooms, change.bots, change.people,
            change.rooms_gone, change.bots_gone, change.people_gone,
        )
    )  # fmt: skip


def applied(old: LobbyList, change: LobbyChanged) -> LobbyList:
    """Return the list that a change makes of the one before it."""
    rooms = _applied(old.rooms, change.rooms, change.rooms_gone, room_key)
    bots = _applied(old.bots, change.bots, change.bots_gone, bot_key)
    people = _applied(old.people, change.people, change.people_gone, person_key)
    return LobbyList(
        rooms=tuple(sorted(rooms, key=room_key, reverse=True)),
        bots=tuple(sorted(bots, key=lambda line: line.name != HOUSE)),
        total=change.total,
        people=tuple(sorted(people, key=person_order)),
        seq=change.seq,
    )


def room_key(line: RoomLine) -> int:
    return line.room


def bot_key(line: BotLine) -> str:
    """Return how a bot is called: `name/program`."""
    return f"{line.name}/{line.program}"


def person_key(line: PersonLine) -> str:
    return line.name


def person_order(line: PersonLine) -> tuple[bool, str, str]:
    """Return by what people are sorted: those who do not play go first, each by name."""
    return line.playing, line.name.casefold(), line.name


def is_news(old: RoomLine | BotLine | PersonLine, new: RoomLine | BotLine | PersonLine) -> bool:
    """Return whether a line has changed in more than how far a match is, or how many of a bot's
    slots are left, if some are.
    """
    if isinstance(old, RoomLine) and isinstance(new, RoomLine):
        return replace(old, ply=new.ply, position=new.position) != new
    if isinstance(old, BotLine) and isinstance(new, BotLine):
        return bool(old.free) != bool(new.free) or replace(old, free=new.free) != new
    return old != new


def _changed(
    old: Sequence[Line], new: Sequence[Line], key_of: Callable[[Line], Key], small: bool
) -> tuple[Line, ...]:
    before = {key_of(line): line for line in old}

    def has_changed(line: Line) -> bool:
        known = before.get(key_of(line))
        if known is None:
            return True
        return known is not line and known != line and (small or is_news(known, line))

    return tuple(line for line in new if has_changed(line))


def _gone(
    old: Sequence[Line], new: Sequence[Line], key_of: Callable[[Line], Key]
) -> tuple[Key, ...]:
    remaining = {key_of(line) for line in new}
    return tuple(key for line in old if (key := key_of(line)) not in remaining)


def _applied(
    old: Sequence[Line],
    changed: Sequence[Line],
    gone: Sequence[Key],
    key_of: Callable[[Line], Key],
) -> list[Line]:
    lines = {key_of(line): line for line in (*old, *changed)}
    for key in gone:
        lines.pop(key, None)
    return list(lines.values())
