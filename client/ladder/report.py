"""A ladder as a folder that needs no server: `plyhouse ladder report NAME --out DIR`.

    index.html                  standings, plots, crosstable, pairs
    ratings.svg  history.svg    the plots
    standings.csv  pairs.csv    a row a player, a row a pair
    differences.csv             a row for each two of the best 40: difference, ±, LOS
    ladder.json                 the messages it was made from: ladder, history, pairs, differences
    matches.txt                 all matches as text
    matches.jsonl               all matches, a line of JSON each, its record at the end: `plyhouse
                                replay DIR/17.1` finds that of match 17.1

So it is eight files, however many matches there were.  The server is asked for everything before
the first of them is written.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
from rich.console import Console
from rich.progress import Progress

from client.connection import Connection
from client.errors import ClientError
from client.ladder import csv as ladder_csv
from client.ladder import figures, page, plots
from client.records import fetch
from client.records.source import RECORD, REPORTED
from protocol.files import whole_file
from protocol.ladder import LadderDifferences, LadderState, PairLine, RatingHistory
from protocol.records import record, text
from protocol.records.record import MatchRecord
from protocol.records.replay import CannotReplay, replay_events

ACTIONS: Final = ("opening", "roll", "play", "pass")  # kinds of events that move a match on

EVERY: Final = 1_000  # of what is asked for: in a pipe a line says how far it is


class NothingToReport(ClientError):
    """There is nothing to write, or nowhere to write it; the text is a sentence."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a report is made from; `missing`: matches whose record the server did not give."""

    state: LadderState
    history: RatingHistory
    pairs: tuple[PairLine, ...]
    records: tuple[MatchRecord, ...]
    differences: LadderDifferences
    missing: tuple[str, ...] = ()


def check(folder: Path) -> None:
    """Check that a report may be written there.

    Raises:
        NothingToReport: not into a file, nor into a folder that holds something.
        OSError: it cannot be looked at.
    """
    if folder.is_dir():
        if any(folder.iterdir()):
            raise NothingToReport(f"{folder} is not empty; name a new folder")
    elif folder.exists():
        raise NothingToReport(f"{folder} is a file; name a new folder")


async def gather(connection: Connection, name: str, most: int | None = None) -> Gathered:
    """Ask the server for everything; for the records of the last `most` matches, None: of all.

    Raises:
        Refusal: there is no such ladder.
        NothingToReport: it has no pair yet.
    """
    state = await connection.ladder_status(name)
    pairs: list[PairLine] = []
    since: int | None = 0
    with _progress("pairs", state.ladder.pairs) as advance:
        while since is not None:
            answer = await connection.ladder_pairs(name, since)
            pairs += answer.pairs
            since = answer.next
            advance(len(answer.pairs))
    if not any(pair.void is None for pair in pairs):
        raise NothingToReport(
            f"no pair of {state.ladder.name} is over yet, so there is nothing to report"
        )
    history = await connection.ladder_history(name)
    differences = await connection.ladder_compare(name)
    records, missing = await _records(connection, pairs, most)
    return Gathered(state, history, tuple(pairs), records, differences, missing)


async def _records(
    connection: Connection, pairs: list[PairLine], most: int | None
) -> tuple[tuple[MatchRecord, ...], tuple[str, ...]]:
    """Return the records of the last matches, and the names of matches without one."""
    ended = [leg.match for pair in pairs for leg in pair.legs if leg.match and leg.result]
    matches = ended if most is None else ended[len(ended) - min(most, len(ended)) :]
    with _progress("records", len(matches)) as advance:
        records, missing = await fetch.fetch_all(connection, matches, advance)
    return tuple(records), tuple(missing)


@contextmanager
def _progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show how far something is: as a bar in a terminal, else a line now and then."""
    console = Console(stderr=True)
    if console.is_terminal:
        with Progress(console=console, transient=True) as progress:
            task = progress.add_task(what, total=total)
            yield lambda count: progress.advance(task, count)
        return
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        if (done + count) // EVERY > done // EVERY:
            print(f"{what}: {done + count:,} of {total:,}", file=sys.stderr, flush=True)
        done += count

    yield advance


def files(gathered: Gathered) -> dict[str, bytes]:
    """Return the folder: contents by path."""
    state = gathered.state
    title = f"{state.ladder.name}: {figures.kind_text(state.ladder)}"
    texts = {
        "ratings.svg": plots.ratings(state.standings, f"{title}; Elo, 95 % to the field"),
        "history.svg": plots.over_time(
            gathered.history.points, state.standings, f"{title}; Elo over time"
        ),
        "standings.csv": ladder_csv.standings(state),
        "pairs.csv": ladder_csv.pairs(gathered.pairs),
        "differences.csv": ladder_csv.differences(gathered.differences),
        "ladder.json": _messages(gathered),
    }
    matches = {match.match: _as_text(match) for match in gathered.records}
    texts["matches.txt"] = "\n\n".join(match for match in matches.values() if match is not None)
    index = page.write(state, gathered.differences, gathered.pairs, matches)
    return {
        "index.html": index.encode(),
        **{name: content.encode() for name, content in texts.items()},
        REPORTED: b"".join(_lines(gathered)),
    }


def _lines(gathered: Gathered) -> Iterator[bytes]:
    """A line of JSON for each match whose record is there: players, opening, actions, result, and
    the record as it stands in a file of its own.
    """
    legs = {
        leg.match: (pair, [pair.one, pair.two][:: 1 - 2 * number], leg.result)
        for pair in gathered.pairs
        for number, leg in enumerate(pair.legs)
    }
    for match in gathered.records:
        pair, players, result = legs[match.match]
        line = {
            "match": match.match,
            "game": gathered.state.ladder.game,
            "pair": pair.pair,
            "void": pair.void,
            "players": players,
            "opening": list(pair.opening),
            "actions": [e.action for e in match.events if e.kind in ACTIONS],
            "result": msgspec.to_builtins(result),
        }
        fields = json.dumps(line, ensure_ascii=False).encode().removesuffix(b"}")
        yield b"".join([fields, RECORD, record.write_line(match), b"}\n"])


def _as_text(match: MatchRecord) -> str | None:
    """Return a match as text; None if its game is unknown here."""
    try:
        return text.write(replay_events(match.events))
    except CannotReplay:
        return None


def _messages(gathered: Gathered) -> str:
    """Return the server's messages, unchanged."""
    whole = {
        "ladder": gathered.state,
        "history": gathered.history.points,
        "pairs": gathered.pairs,
        "differences": gathered.differences,
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
        whole_file.write(path, data)
