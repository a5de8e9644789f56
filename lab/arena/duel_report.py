"""What people see of a duel: progress and boards while it is on, and the results at the end."""

from __future__ import annotations

import csv
import json
import math
import sys
from typing import Any, Literal, TextIO, TypeAlias, assert_never

from bots.commands.progress import ProgressBar
from bots.online.entry import Entry
from client.ladder.csv import plain_row
from games import registry as games
from lab.arena.score import DuelRecord, cut_text, elo, summary, tally
from protocol.messages import MatchState
from protocol.records.results import reason_text

ReportForm: TypeAlias = Literal["text", "json", "csv"]


class DuelProgress(ProgressBar):
    """How far a duel is: a bar, or a line a match.  `boards`: draw every board there."""

    def __init__(
        self, matches: int, game: str, *, boards: TextIO | None = None, quiet: bool = False
    ) -> None:
        super().__init__(game, matches, hidden=boards is not None, quiet=quiet)
        self._game = games.game(game)
        self._matches = matches
        self._boards = boards
        self._ended: list[DuelRecord] = []
        self._drawn: dict[str, int] = {}  # match -> seq of the last state that was drawn

    def on_match(self, state: MatchState, record: DuelRecord) -> None:
        """A match has moved on, or ended."""
        if self._boards is not None:
            self._draw(state, record, self._boards)
        if state.result is not None:
            self.on_end(record)

    def on_end(self, record: DuelRecord) -> None:
        """A match is over."""
        self._ended.append(record)
        score = _wdl(*tally(self._ended))
        outcome = "A won" if record.points > 0 else "B won" if record.points < 0 else "draw"
        done = len(self._ended)
        why = reason_text(self._game.name, record.reason) if record.how == "rules" else record.how
        line = f"{done}/{self._matches} {outcome} ({why})"
        self.show(done, f"{line}, {record.plies} plies, A {score}", f"A {score}")

    def _draw(self, state: MatchState, record: DuelRecord, out: TextIO) -> None:
        drawn = self._drawn.get(state.match, 0)
        actions = [
            f"{self._who(event.seat, record)} {event.action}"
            for event in state.events
            if event.seq > drawn
        ]
        position = self._game.parse_position(state.position)
        head = f"match {record.number}, ply {state.ply}: {', '.join(actions) or 'the start'}"
        print(head, self._game.draw(position), sep="\n", end="\n\n", file=out, flush=True)
        self._drawn[state.match] = state.seq

    def _who(self, seat: int | None, record: DuelRecord) -> str:
        """Who acted: "A (X)", or "dice"."""
        if seat not in (0, 1):
            return "dice"
        return f"{'AB'[seat ^ record.seat]} ({self._game.seats[seat]})"


def print_report(
    entries: tuple[Entry, Entry], game: str, seed: int, records: list[DuelRecord], form: ReportForm
) -> None:
    """Print the results on stdout."""
    match form:
        case "csv":
            _print_csv(records)
        case "json":
            head = {"game": game, "seed": seed, "bots": [describe(entry) for entry in entries]}
            rows = [record.row() for record in records]
            print(json.dumps({**head, **summary(records), "records": rows}, indent=1))
        case "text":
            _print_text(entries, game, seed, records)
        case _:
            assert_never(form)


def describe(entry: Entry) -> dict[str, Any]:
    """A bot as plain values for JSON."""
    budget = entry.budget
    return {
        "program": entry.program,
        "version": entry.bot_class.VERSION,
        "settings": entry.settings,
        "nodes": budget.nodes if budget is not None else None,
        "ms": budget.ms if budget is not None else None,
        "seed": entry.seed,
    }


def _print_csv(records: list[DuelRecord]) -> None:
    names = DuelRecord(0, "", 0, (0, 0)).row().keys()
    writer = csv.DictWriter(sys.stdout, list(names), lineterminator="\n")
    writer.writeheader()
    writer.writerows(plain_row(record.row()) for record in records)


def _print_text(
    entries: tuple[Entry, Entry], game: str, seed: int, records: list[DuelRecord]
) -> None:
    total = summary(records)
    n = total["matches"]
    for name, entry, side in zip("AB", entries, total["sides"], strict=True):
        print(
            f"{name}  {entry.title()}: {side['ms_per_choice']:.2f} ms and "
            f"{side['nodes_per_choice']:,.0f} nodes a choice, {side['seconds']:.1f} s in all"
        )
    plies = total["plies"] / n if n else 0.0
    void = f", {total['void']} void" if total["void"] else ""
    print(f"{game}: {n} matches{void}, {plies:.1f} plies each, seats swapped, seed {seed}")
    whole = _wdl(total["wins"], total["draws"], total["losses"])
    points = total["wins"] + total["draws"] / 2
    first, second = (_wdl(*total[seat]) for seat in ("as_first", "as_second"))
    print(f"A   {whole}, {points:g} of {n:,}   first {first}   second {second}")
    print(difference_text(total["score"], total["interval"], total["los"]))
    for name, forfeits in zip("AB", total["forfeits"], strict=True):
        if forfeits:
            how = ", ".join(f"{count} by {word}" for word, count in sorted(forfeits.items()))
            print(f"{name} lost {sum(forfeits.values())} without being beaten: {how}")
    for name, side in zip("AB", total["sides"], strict=True):
        if side["cut"]:
            print(cut_text(name, side["cut"], side["choices"]))
    if games.game(game).max_return > 1 and n:
        print(f"points {total['points']:+g}, {total['points'] / n:+.3f} a match")


def _wdl(wins: int, draws: int, losses: int) -> str:
    return f"+{wins} ={draws} -{losses}"


def difference_text(score: float, interval: tuple[float, float], los: float) -> str:
    """How much stronger A is, with its 95 % interval, and how likely it is stronger at all."""
    low, high = interval
    middle, least, most = map(_elo_text, (score, low, high))
    return (
        f"score {score:.3f}, 95 % interval {low:.3f} to {high:.3f}   "
        f"Elo {middle}, {least} to {most}   LOS {100 * los:.1f} %"
    )


def _elo_text(score: float) -> str:
    value = elo(score)
    return f"{value:+.0f}" if math.isfinite(value) else "beyond measure"
