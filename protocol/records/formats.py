"""The formats that a finished match can be written in, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from protocol.records import mat, record, sgf, text
from protocol.records.record import MatchRecord, RecordError
from protocol.records.replay import Replay, replay_events

Format: TypeAlias = Callable[[Sequence[MatchRecord]], bytes]  # the games of a series, in order


class UnknownFormat(RecordError):
    """There is no such format, or not for this game."""


ONE_GAME: Final = frozenset({"json", "text"})  # formats of which each file is one
BACKGAMMON: Final = frozenset({"backgammon", "backgammon_cube"})


def write(
    match: MatchRecord, name: str, before: Sequence[MatchRecord] = (), *, whole: bool = False
) -> bytes:
    """Return a match as a file.

    `before`: where it is a game of a series, those before it; the formats of backgammon, in which a
    match is a match to points, hold them, too, and `whole` those in which a match is one game.

    Raises:
        UnknownFormat: there is none of this name, or this game does not have it.
        CannotReplay: the rules here cannot follow the match; a record in JSON needs none.
    """
    if name not in FORMATS:
        raise UnknownFormat(no_such(name))
    if whole and name in ONE_GAME:
        return b"".join(FORMATS[name]([game]) for game in (*before, match))
    return FORMATS[name]([*before, match])


def no_such(name: str) -> str:
    return f"there is no format {name!r}; there are {', '.join(FORMATS)}"


def _as_json(games: Sequence[MatchRecord]) -> bytes:
    return record.write(games[-1])


def _as_text(games: Sequence[MatchRecord]) -> bytes:
    return text.write(replay_events(games[-1].events)).encode()


def _of_backgammon(name: str, write: Callable[[Sequence[Replay]], str]) -> Format:
    """Return a format that only backgammon has."""

    def as_file(games: Sequence[MatchRecord]) -> bytes:
        last = replay_events(games[-1].events)
        if last.game.name not in BACKGAMMON:
            raise UnknownFormat(
                f"{name} is for backgammon; {last.game.name} goes into json or text"
            )
        if last.options.position:
            raise UnknownFormat(f"{name} has no match that begins in a position; use json or text")
        others = [replay_events(game.events) for game in games[:-1]]
        won = [
            game for game in others if game.result is not None and game.result.winner is not None
        ]
        return write([*won, last]).encode()

    return as_file


FORMATS: Final[dict[str, Format]] = {
    "json": _as_json,
    "text": _as_text,
    "sgf": _of_backgammon("sgf", sgf.write),
    "mat": _of_backgammon("mat", mat.write),
}
