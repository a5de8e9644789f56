"""Finds a match: a server's, by its name; one in a file, whatever program wrote it; or one of those
in a ladder's report: `friday/17.1` is match 17.1 of the report in the folder friday.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Final, NamedTuple

from client.errors import ClientError
from client.names.sign_in import sign_in
from client.records import fetch
from protocol.notation import BadNotation, parse_match
from protocol.reading import files
from protocol.reading.files import ReadMatch
from protocol.records import record
from protocol.records.record import Altered, MatchRecord, NotARecord
from protocol.records.replay import Replay, replay_events

REPORTED: Final = "matches.jsonl"  # of a report: a line a match, its record last
RECORD: Final = b', "record": '  # what stands before that


class NotOver(ClientError):
    """The match is still on."""


class RecordSource(NamedTuple):
    """What the arguments say: a match or a file; the rest is for asking a server."""

    match: str
    url: str
    name: str | None = None
    code: str | None = None


def replays(source: RecordSource, match: ReadMatch, *, whole_series: bool = False) -> list[Replay]:
    """Return the replays of what `unaltered` has found: of a file all its games.

    `whole_series`: of a server those of the games before it, too, in order.

    Raises:
        CannotReplay: not with the rules here; NotARecord: a file holds one game, not all.
    """
    is_file = Path(source.match).exists()
    if whole_series and is_file and match.promised and len(match.games) == 1:
        raise NotARecord(
            f"{source.match} holds one game; all games of a series are a server's, by the name of"
            " the last match, such as 17.2, or in a file that `export --series` wrote"
        )
    return [replay_events(game.events) for game in games_meant(source, match, whole_series)]


def games_meant(
    source: RecordSource, match: ReadMatch, whole_series: bool = False
) -> list[MatchRecord]:
    """Return all games that were found, or without `whole_series` of a server's the last one."""
    all_games = whole_series or Path(source.match).exists()
    return match.games if all_games else match.games[-1:]


def finished(source: RecordSource) -> ReadMatch:
    """Return what `unaltered` does, of records that go to their end; what others wrote need not.

    Raises:
        NotOver: one does not; and what `unaltered` raises.
    """
    match = unaltered(source)
    for game in match.games:
        if match.promised and not game.over:
            raise NotOver(f"match {game.match} is not over in {source.match}")
    return match


def unaltered(source: RecordSource) -> ReadMatch:
    """Return what `find_match` does, where a record that was altered is of no use.

    Raises:
        NotARecord: a file was altered; and what `find_match` raises.
    """
    try:
        return find_match(source)
    except Altered as error:
        raise NotARecord(f"{source.match} was altered: {error}") from None


def find_match(source: RecordSource) -> ReadMatch:
    """Return the match that is meant, from a server or from a file.

    Where it is a game of a series, a server gives those before it, too: they come first.

    Raises:
        NotOver: it is still on, or has its dice in common with one that is.
        Refusal, Unreachable: the server does not give it.
        NotARecord, Altered, OSError: the file holds none.
    """
    file = Path(source.match)
    if file.exists():
        with file.open("rb") as opened:
            data = opened.read(files.MAX_BYTES + 1)
        if data.startswith(b'{"match": '):
            raise NotARecord(
                f"{source.match} holds many matches; one of them is named by its folder, such as"
                f" {file.parent / '17.2'}"
            )
        try:
            return files.read(data)
        except NotARecord as error:
            raise NotARecord(f"{source.match}: {error}") from None
    if (reported := _reported(source.match)) is not None:
        return ReadMatch([reported])
    try:
        parse_match(source.match)
    except BadNotation:
        raise NotARecord(f"{source.match!r} is neither a match, such as 17.2, nor a file") from None
    games = asyncio.run(_ask(source))
    fetched = games[-1]
    if not fetched.over:
        raise NotOver(
            f"match {source.match} is still on; it has a record once it is over;"
            f" `plyhouse watch {source.match}` shows it"
        )
    if fetched.sealed:
        raise NotOver(
            f"match {source.match} is over, but the other match of its pair has the same dice and"
            " is still on: the record exists once that is over, too"
        )
    return ReadMatch(games)


def _reported(text: str) -> MatchRecord | None:
    """Return the match that a path such as `friday/17.1` names in a report; None: it names none.

    Raises:
        NotARecord, Altered: it is not there, or not as it was written.
    """
    folder, match = os.path.split(text)
    kept = Path(folder) / REPORTED
    if not folder or not kept.is_file():
        return None
    start = b'{"match": "%s", ' % match.encode(errors="replace")
    with kept.open("rb") as lines:
        for line in lines:
            if line.startswith(start):
                return record.read_line(line.partition(RECORD)[2].removesuffix(b"}\n"))
    raise NotARecord(f"{kept} holds no match {match}")


async def _ask(source: RecordSource) -> list[MatchRecord]:
    async with await sign_in(source.url, source.name) as connection:
        return await fetch.fetch_games(connection, source.match, source.code)
