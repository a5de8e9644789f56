"""A finished match as a file to download: JSON, text, and of backgammon SGF and match text.

The events are those that `history` shows, so a file is the same as `plyhouse export` writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple
from urllib.parse import quote

from protocol.notation import format_match
from protocol.parts import Event, Player
from protocol.records import formats
from protocol.records.record import MatchRecord, RecordError
from protocol.records.results import full_title

OF_A_SERIES: Final = frozenset({"sgf", "mat"})  # hold the games of a match to points
FORMATS: Final = {"json": "json", "txt": "text", "sgf": "sgf", "mat": "mat"}  # by ending
KINDS: Final = {
    "json": "application/json",
    "txt": "text/plain; charset=utf-8",
    "sgf": "application/x-go-sgf",
    "mat": "text/plain; charset=utf-8",
}


class Download(NamedTuple):
    """A file, what it is called, and of which kind it is."""

    name: str
    kind: str
    body: bytes


class NoFile(Exception):
    """Why there is no such file; `later`: there will be one."""

    def __init__(self, text: str, later: bool = False) -> None:
        super().__init__(text)
        self.text = text
        self.later = later


def written(
    room: int,
    match: int,
    events: Sequence[Event],
    ending: str,
    before: Sequence[Sequence[Event]] = (),
) -> Download:
    """Return the file of a match from its events, the deal before it included.

    `before`: where it is a game of a series, the events of those before it, each with its deal.

    Raises:
        NoFile: the game has no such format, the rules of today cannot follow the match, or its dice
            are still to be kept secret.
    """
    record = MatchRecord(format_match(room, match), tuple(events))
    if record.sealed:
        raise NoFile(
            "The file exists once the match that has the same dice is over, too.\n", later=True
        )
    try:
        games = [MatchRecord(game[0].match or "", tuple(game)) for game in before]
        body = formats.write(record, FORMATS[ending], games)
    except RecordError as error:
        text = str(error)
        raise NoFile(f"{text[0].upper()}{text[1:]}.\n") from None
    start = next(event for event in events if event.kind == "started")
    return Download(_name(record.match, start, ending), KINDS[ending], body)


def _name(match: str, start: Event, ending: str) -> str:
    """Return what the file is called: `connect-four-17.2-ann-bob.txt`."""
    players: Sequence[Player] = start.players or ()
    words = [(start.game or "match").replace("_", "-"), match, *map(full_title, players)]
    return f"{'-'.join(words)}.{ending}".replace("/", "-").replace(" ", "-")


def disposition(name: str) -> str:
    """Return the header that has a browser store a file under a name (RFC 6266)."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-._") else "_" for c in name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
