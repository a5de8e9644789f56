"""What people see of a tournament: how far it is, then standings, crosstable and verdict.

The standings look as in `plyhouse ladder status`: client/ladder/tables.py draws them.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, assert_never

import msgspec
from rich.text import Text

from bots.commands.progress import ProgressBar
from client.ladder import figures, tables
from client.ladder.crosstable import crosstable
from client.ladder.csv import plain_row
from client.ladder.differences import named
from lab.arena.duel_report import ReportForm, describe, difference_text
from lab.arena.score import FORFEITS, PairTally, cut_text, fields
from lab.arena.tournament import TournamentPlan, TournamentResult
from protocol.ladder import LadderState, PairLine, Standing
from protocol.notation import format_clock
from protocol.parts import Result
from protocol.records.plain_text import pad, width

SCORES = ("0", "½", "1", "1½", "2")  # of a pair
COLUMNS = (
    "pair", "leg", "match", "one", "two", "first", "opening", "winner", "how", "reason", "plies",
    "void", "one_cut", "two_cut",
)  # fmt: skip


class TournamentProgress(ProgressBar):
    """How far a tournament is: a bar, or a line for each new pair."""

    def __init__(self, plan: TournamentPlan, *, quiet: bool = False) -> None:
        super().__init__(plan.game, plan.total, quiet=quiet)
        self._total = "" if plan.total is None else f"/{plan.total}"
        self._done = -1

    def on_state(self, state: LadderState) -> None:
        """The ladder has a new state."""
        done, verdict = state.ladder.pairs, state.verdict
        text = "pairs" if verdict is None else f"pairs: {verdict.text}"
        line = f"{done}{self._total} {text}" if done != self._done else None
        self.show(done, line, text)
        self._done = done


def print_result(plan: TournamentPlan, result: TournamentResult, form: ReportForm) -> None:
    """Print how it ended on stdout."""
    match form:
        case "csv":
            writer = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(map(plain_row, _match_rows(plan, result)))
        case "json":
            print(json.dumps(_summary(plan, result), indent=1))
        case "text":
            _print_text(plan, result)
        case _:
            assert_never(form)


def _match_rows(plan: TournamentPlan, result: TournamentResult) -> Iterator[dict[str, Any]]:
    """A row a match."""
    cuts = {(match, plan.players[place]): count for (match, place), count in result.cuts.items()}
    for pair in result.pairs:
        for number, leg in enumerate(pair.legs):
            seats = (pair.one, pair.two) if number == 0 else (pair.two, pair.one)
            ended = leg.result
            yield {
                "pair": pair.pair,
                "leg": number,
                "match": leg.match,
                "one": pair.one,
                "two": pair.two,
                "first": seats[0],
                "opening": " ".join(pair.opening),
                "winner": _winner(seats, ended),
                "how": ended.how if ended is not None else None,
                "reason": ended.reason if ended is not None else None,
                "plies": leg.plies,
                "void": pair.void,
                "one_cut": cuts.get((leg.match or "", pair.one), 0),
                "two_cut": cuts.get((leg.match or "", pair.two), 0),
            }


def _winner(seats: tuple[str, str], result: Result | None) -> str | None:
    return None if result is None or result.winner is None else seats[result.winner]


def _summary(plan: TournamentPlan, result: TournamentResult) -> dict[str, Any]:
    """All of it as plain values."""
    state = result.state
    names = [row.player for row in state.standings]
    bots = enumerate(zip(plan.players, plan.entries, strict=True))
    return {
        "game": plan.game,
        "format": plan.format,
        "clock": msgspec.to_builtins(plan.clock),
        "seed": plan.seed,
        "bots": [
            {"player": player, **describe(entry), "cut": result.cut(place)}
            for place, (player, entry) in bots
        ],
        "pairs": state.ladder.pairs,
        "standings": [_standing(row) for row in state.standings],
        "cross": [
            {**msgspec.to_builtins(cell), "one": names[cell.one], "two": names[cell.two]}
            for cell in state.cross
        ],
        "field": state.field,
        "differences": [
            {**msgspec.to_builtins(apart), "one": one, "two": two}
            for one, two, apart in named(result.differences)
        ],
        "first_move": state.first_move,
        "first_move_error": state.first_move_error,
        "difference": _difference(plan, result),
        "verdict": msgspec.to_builtins(state.verdict),
        "records": list(_match_rows(plan, result)),
    }


def pair_tally(players: Sequence[str], pairs: Iterable[PairLine]) -> PairTally:
    """The pairs of two players that count, by the score of the first."""
    counts = [0] * 5
    for pair in pairs:
        results = [leg.result for leg in pair.legs if leg.result is not None]
        if pair.void is not None or len(results) != 2:
            continue
        seats = 0 if pair.one == players[0] else 1
        points = [matchpoints(result, seats ^ leg) for leg, result in enumerate(results)]
        counts[round(2 * sum(points))] += 1
    return PairTally(tuple(counts))


def matchpoints(result: Result, seat: int) -> float:
    """What a seat got of one match: 1, a half or 0."""
    return 0.5 if result.winner is None else float(result.winner == seat)


def _difference(plan: TournamentPlan, result: TournamentResult) -> dict[str, Any] | None:
    """How much stronger the first of two bots is; None where there are more."""
    if len(plan.entries) != 2:
        return None
    pairs = pair_tally(plan.players, result.pairs)
    return {"pentanomial": list(pairs.counts), **fields(pairs)}


def _standing(row: Standing) -> dict[str, Any]:
    """A row with all its fields, including those that the wire leaves out."""
    forfeits = sum(row.lost_by.get(how, 0) for how in FORFEITS)
    return {**msgspec.structs.asdict(row), "forfeits": forfeits}


def _print_text(plan: TournamentPlan, result: TournamentResult) -> None:
    state, console = result.state, tables.console(sys.stdout)
    for owner, entry in zip(plan.owners, plan.entries, strict=True):
        print(f"{owner}  {entry.title()}")
    void = sum(pair.void is not None for pair in result.pairs)
    print(
        f"{plan.game}: {state.ladder.pairs} pairs of matches{f', {void} void' if void else ''},"
        f" clock {format_clock(plan.clock)}, seed {plan.seed}"
    )
    for part in (*tables.standings(state.standings, console), *map(Text, figures.notes(state))):
        tables.say(console, part)
    if state.field is not None:
        print(figures.field_text(state.field))
    if len(state.standings) > 2 and state.cross:
        print("\n".join(_format_crosstable(state)))
    if len(state.standings) > 2 and result.differences.differences:
        tables.say(console, tables.differences(result.differences, console))
    if state.first_move is not None:
        print(figures.first_move_text(state))
    if len(plan.entries) == 2:
        pairs = pair_tally(plan.players, result.pairs)
        print(difference_text(pairs.score, pairs.interval(), pairs.los))
        print(f"pairs by A's score: {', '.join(map(_pair_text, SCORES, pairs.counts))}")
    for place, owner in enumerate(plan.owners):
        if cut := result.cut(place):
            print(cut_text(owner, cut))
    verdict = state.verdict
    if verdict is not None:
        print(figures.hypotheses_text(verdict))
        print(
            f"{verdict.text} ({verdict.pairs} pairs, log-likelihood ratio {verdict.llr:+.2f} of "
            f"{verdict.lower:.2f} to {verdict.upper:.2f})"
        )


def _pair_text(score: str, count: int) -> str:
    return f"{score}: {count}"


def _format_crosstable(state: LadderState) -> Iterator[str]:
    """The match points of each row's player against each column's, as on a ladder's page."""
    rows = crosstable(state.standings, state.cross)
    names = [row.player.player for row in rows]
    cells = [[cell.text if cell is not None else "" for cell in row.cells] for row in rows]
    longest, cell_width = max(map(width, names)), max(len(cell) for row in cells for cell in row)
    owners = (pad(name.partition("/")[0], cell_width, ">") for name in names)
    yield f"    {'':{longest}}" + "".join(f"  {owner}" for owner in owners)
    for row, name, texts in zip(rows, names, cells, strict=True):
        scores = "".join(f"  {text:>{cell_width}}" for text in texts)
        yield f"{row.player.rank:>2}  {pad(name, longest)}{scores}"
