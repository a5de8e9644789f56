"""What people see of a duel: progress and boards while it is on, a table or lines at the end."""

from __future__ import annotations

import csv
import json
import sys
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from bots.bot import spelt
from bots.score import Record, summary, tally
from bots.terms import Entry
from games import registry as games
from protocol.messages import MatchState


class Progress:
    """Shows how far a duel is: a bar on a terminal, else a line a match, on stderr.

    With `show` every board is drawn on stdout; with `quiet` a pipe gets no lines.
    """

    def __init__(self, matches: int, game: str, *, show: bool = False, quiet: bool = False) -> None:
        self._game = games.game(game)
        self._matches = matches
        self._show = show
        self._quiet = quiet
        self._ended: list[Record] = []
        self._drawn: dict[str, int] = {}  # match -> seq of the last state on show
        console = Console(stderr=True)
        self._bar: Bar | None = None
        if console.is_terminal and not show:
            self._bar = Bar(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                console=console,
                transient=True,
            )
            self._task = self._bar.add_task(game, total=matches)

    def __enter__(self) -> Progress:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def on_match(self, state: MatchState, record: Record) -> None:
        """A match has moved on, or ended."""
        if self._show:
            self._draw(state, record)
        if state.result is None:
            return
        self._ended.append(record)
        total = tally(self._ended)
        standing = f"+{total.wins} ={total.draws} -{total.losses}"
        if self._bar is not None:
            self._bar.update(self._task, advance=1, description=f"A {standing}")
        elif not self._quiet:
            outcome = "A wins" if record.points > 0 else "B wins" if record.points < 0 else "draw"
            line = f"{len(self._ended)}/{self._matches} {outcome} ({record.reason or record.how})"
            print(f"{line}, {record.plies} plies, A {standing}", file=sys.stderr, flush=True)

    def _draw(self, state: MatchState, record: Record) -> None:
        shown = self._drawn.get(state.match, 0)
        said = [
            f"{self._who(event.seat, record)} {event.action}"
            for event in state.events
            if event.seq > shown
        ]
        position = self._game.parse_position(state.position)
        print(f"match {record.number}, ply {state.ply}: {', '.join(said) or 'the start'}")
        print(self._game.draw(position), end="\n\n", flush=True)
        self._drawn[state.match] = state.seq

    def _who(self, seat: int | None, record: Record) -> str:
        """Who acted: "A (X)", or "dice"."""
        if seat not in (0, 1):
            return "dice"
        return f"{'AB'[seat ^ record.seat]} ({self._game.seats[seat]})"


def print_report(
    entries: tuple[Entry, Entry], game: str, seed: int, records: list[Record], form: str
) -> None:
    """Print the outcome on stdout.  `form`: text, json or csv."""
    if form == "csv":
        _print_csv(records)
    elif form == "json":
        found = {"game": game, "seed": seed, "bots": [described(entry) for entry in entries]}
        rows = [record.row() for record in records]
        print(json.dumps({**found, **summary(records), "records": rows}, indent=1))
    else:
        _print_text(entries, game, seed, records)


def described(entry: Entry) -> dict[str, Any]:
    budget = entry.budget
    return {
        "program": entry.program,
        "version": entry.kind.VERSION,
        "settings": entry.settings,
        "nodes": budget.nodes if budget is not None else None,
        "ms": budget.ms if budget is not None else None,
        "seed": entry.seed,
    }


def _print_csv(records: list[Record]) -> None:
    names = Record(0, "", 0, (0, 0)).row().keys()
    writer = csv.DictWriter(sys.stdout, list(names), lineterminator="\n")
    writer.writeheader()
    writer.writerows(record.row() for record in records)


def _print_text(entries: tuple[Entry, Entry], game: str, seed: int, records: list[Record]) -> None:
    found = summary(records)
    n = found["matches"]
    for name, entry, side in zip("AB", entries, found["sides"], strict=True):
        print(
            f"{name}  {title(entry)}: {side['ms_per_choice']:.2f} ms and "
            f"{side['nodes_per_choice']:,.0f} nodes a choice, {side['seconds']:.1f} s in all"
        )
    per = found["plies"] / n if n else 0.0
    void = f", {found['void']} void" if found["void"] else ""
    print(f"{game}: {n} matches{void}, {per:.1f} plies each, seats swapped, seed {seed}")
    print(f"A   {_wdl(found['wins'], found['draws'], found['losses'])}", end="")
    print(f"   first {_wdl(*found['as_first'])}   second {_wdl(*found['as_second'])}")
    low, high = found["interval"]
    print(f"score {found['score']:.3f}, 95 % interval {low:.3f} to {high:.3f}", end="")
    print(f"   Elo {_elo(found['elo'])}, {_elo(found['elo_interval'][0])} to", end=" ")
    print(_elo(found["elo_interval"][1]))
    if games.game(game).max_return > 1 and n:
        print(f"points {found['points']:+g}, {found['points'] / n:+.3f} a match")


def title(entry: Entry) -> str:
    """The bot and how it plays: "mcts 500 nodes exploration=2.0"."""
    words = [entry.program]
    if entry.budget is not None and entry.budget.nodes is not None:
        words.append(f"{entry.budget.nodes} nodes")
    if entry.budget is not None and entry.budget.ms is not None:
        words.append(f"{entry.budget.ms} ms")
    usual = {setting.name: setting.default for setting in entry.kind.SETTINGS}
    words += [f"{k}={spelt(v)}" for k, v in entry.settings.items() if v != usual.get(k)]
    return " ".join(words)


def _wdl(wins: int, draws: int, losses: int) -> str:
    return f"+{wins} ={draws} -{losses}"


def _elo(value: float | None) -> str:
    return "beyond measure" if value is None else f"{value:+.0f}"
