"""A ladder as a folder that needs no server: `plyhouse ladder report NAME --out DIR`.

    index.html                  standings, plots, crosstable, pairs
    ratings.svg  history.svg    the plots
    standings.csv  pairs.csv    a row a player, a row a pair
    ladder.json                 the messages it was made from: ladder, history, pairs
    matches/17.1.json           the record of a match, which `plyhouse replay` reads
    matches/17.1.txt            the same as text, for people

All is asked of the server before the first file is written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
from rich.console import Console
from rich.progress import track

from client.connection import Connection
from client.ladder import page, plot, sheets, wording
from client.records import fetch, record, text
from client.records.record import Record
from client.records.story import Untold, tell
from protocol.errors import Refusal
from protocol.ladder import LadderState, PairLine, RatingHistory

MOST_RECORDS: Final = 100  # matches whose record is in the folder, the last ones


class NothingToReport(Exception):
    """There is nothing to write, or no place for it; the text is a sentence."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a report is made from; `missing`: matches whose record the server did not give."""

    state: LadderState
    history: RatingHistory
    pairs: tuple[PairLine, ...]
    records: tuple[Record, ...]
    missing: tuple[str, ...] = ()


def check(folder: Path) -> None:
    """Whether a report may go there.

    Raises:
        NothingToReport: not into a file, nor into a folder that holds something.
        OSError: it cannot be looked at.
    """
    if folder.is_dir():
        if any(folder.iterdir()):
            raise NothingToReport(f"{folder} is not empty; name a new folder")
    elif folder.exists():
        raise NothingToReport(f"{folder} is a file; name a new folder")


async def gather(house: Connection, name: str) -> Gathered:
    """Ask for all of it.

    Raises:
        Refusal: there is no such ladder.
        NothingToReport: it has no pair yet.
    """
    state = await house.ladder_status(name)
    pairs: list[PairLine] = []
    since: int | None = 0
    while since is not None:
        answer = await house.ladder_pairs(name, since)
        pairs += answer.pairs
        since = answer.next
    if not any(pair.void is None for pair in pairs):
        raise NothingToReport(
            f"no pair of {state.ladder.name} is over yet, so there is nothing to report"
        )
    history = await house.ladder_history(name)
    records, missing = await _records(house, pairs)
    return Gathered(state, history, tuple(pairs), records, missing)


async def _records(
    house: Connection, pairs: list[PairLine]
) -> tuple[tuple[Record, ...], tuple[str, ...]]:
    """The records of the last matches, and the names of those that are not to be had."""
    over = [leg.match for pair in pairs for leg in pair.legs if leg.match and leg.result]
    found: list[Record] = []
    missing: list[str] = []
    to = Console(stderr=True)
    wanted = over[-MOST_RECORDS:]
    for match in track(wanted, "records", console=to, transient=True, disable=not to.is_terminal):
        try:
            found.append(await fetch.fetch(house, match))
        except Refusal:
            missing.append(match)
    return tuple(found), tuple(missing)


def files(gathered: Gathered) -> dict[str, bytes]:
    """The folder: contents by path."""
    state = gathered.state
    title = f"{state.ladder.name}: {wording.kind_text(state.ladder)}"
    made = {
        "ratings.svg": plot.ratings(state.standings, f"{title}; Elo with 95 % intervals"),
        "history.svg": plot.over_time(
            gathered.history.points, state.standings, f"{title}; Elo over time"
        ),
        "standings.csv": sheets.standings(state),
        "pairs.csv": sheets.pairs(gathered.pairs),
        "ladder.json": _messages(gathered),
    }
    matches: dict[str, bytes] = {}
    for each in gathered.records:
        matches[f"matches/{each.match}.json"] = record.write(each)
        told = _told(each)
        if told is not None:
            matches[f"matches/{each.match}.txt"] = told.encode()
    index = page.write(state, gathered.pairs, frozenset(matches))
    return {"index.html": index.encode(), **{k: v.encode() for k, v in made.items()}, **matches}


def _told(found: Record) -> str | None:
    """A match as text, where its game is known here."""
    try:
        return text.write(tell(found.events))
    except Untold:
        return None


def _messages(gathered: Gathered) -> str:
    """What the server said, as it said it."""
    whole = {
        "ladder": gathered.state,
        "history": gathered.history.points,
        "pairs": gathered.pairs,
    }
    return json.dumps(msgspec.to_builtins(whole), ensure_ascii=False) + "\n"


def write(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write the folder.

    Raises:
        OSError: with the path that could not be written.
    """
    for name, data in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
