"""The formats that a finished match can be written in, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from protocol.records import mat, record, sgf, text
from protocol.records.record import MatchRecord, RecordError
from protocol.records.replay import Replay, replay_events


class UnknownFormat(RecordError):
    """There is no such format, or not for this game."""


def write(match: MatchRecord, name: str) -> bytes:
    """Return a match as a file.

    Raises:
        UnknownFormat: there is none of this name, or this game does not have it.
        CannotReplay: the rules here cannot follow the match; a record in JSON needs none.
    """
    if name not in FORMATS:
        raise UnknownFormat(no_such(name))
    return FORMATS[name](match)


def no_such(name: str) -> str:
    """Return what is to be said of a name that no format has."""
    return f"there is no format {name!r}; there are {', '.join(FORMATS)}"


def _as_text(match: MatchRecord) -> bytes:
    return text.write(replay_events(match.events)).encode()


def _of_backgammon(name: str, write: Callable[[Replay], str]) -> Callable[[MatchRecord], bytes]:
    """Return a format that only backgammon has."""

    def as_file(match: MatchRecord) -> bytes:
        replay = replay_events(match.events)
        if replay.game.name != "backgammon":
            raise UnknownFormat(
                f"{name} is for backgammon; {replay.game.name} goes into json or text"
            )
        return write(replay).encode()

    return as_file


FORMATS: Final[dict[str, Callable[[MatchRecord], bytes]]] = {
    "json": record.write,
    "text": _as_text,
    "sgf": _of_backgammon("sgf", sgf.write),
    "mat": _of_backgammon("mat", mat.write),
}
