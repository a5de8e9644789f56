"""What people see of a tournament: how far it is, then standing, crosstable and verdict."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from types import TracebackType
from typing import Any

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from bots.report import described, title
from bots.tournament import Contest, Outcome
from protocol.ladder import LadderState, PairLine, Standing

FORFEITS = ("flag", "illegal", "crash", "disconnect")
COLUMNS = (
    "pair", "leg", "match", "one", "two", "first", "opening", "winner", "how", "reason", "plies",
    "void",
)  # fmt: skip


class Progress:
    """A bar on a terminal, else a line now and then, on stderr; with `quiet` a pipe gets none."""

    def __init__(self, contest: Contest, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._total = contest.total
        self._shown = -1
        console = Console(stderr=True)
        self._bar: Bar | None = None
        if console.is_terminal:
            self._bar = Bar(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                console=console,
                transient=True,
            )
            self._task = self._bar.add_task(contest.game, total=contest.total)

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

    def on_state(self, state: LadderState) -> None:
        """There is a new standing."""
        done, said = state.ladder.pairs, state.verdict
        words = "pairs" if said is None else f"pairs: {said.text}"
        if self._bar is not None:
            self._bar.update(self._task, completed=done, description=words)
        elif not self._quiet and done != self._shown:
            self._shown = done
            of = "" if self._total is None else f"/{self._total}"
            print(f"{done}{of} {words}", file=sys.stderr, flush=True)


def print_outcome(contest: Contest, outcome: Outcome, form: str) -> None:
    """Print how it ended on stdout.  `form`: text, json or csv."""
    if form == "csv":
        writer = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(row for pair in outcome.pairs for row in _legs(pair))
    elif form == "json":
        print(json.dumps(_summary(contest, outcome), indent=1))
    else:
        _print_text(contest, outcome)


def _legs(pair: PairLine) -> Iterator[dict[str, Any]]:
    """A row a match."""
    for number, leg in enumerate(pair.legs):
        first, second = (pair.one, pair.two)[:: 1 if number == 0 else -1]
        result = leg.result
        winner = None if result is None or result.winner is None else (first, second)[result.winner]
        yield {
            "pair": pair.pair,
            "leg": number,
            "match": leg.match,
            "one": pair.one,
            "two": pair.two,
            "first": first,
            "opening": " ".join(pair.opening),
            "winner": winner,
            "how": result.how if result is not None else None,
            "reason": result.reason if result is not None else None,
            "plies": leg.plies,
            "void": pair.void,
        }


def _summary(contest: Contest, outcome: Outcome) -> dict[str, Any]:
    """All of it as plain values."""
    state = outcome.state
    bots = zip(contest.players, contest.entries, strict=True)
    return {
        "game": contest.game,
        "format": contest.form,
        "clock": msgspec.to_builtins(contest.clock),
        "seed": contest.seed,
        "bots": [{"player": player, **described(entry)} for player, entry in bots],
        "pairs": state.ladder.pairs,
        "standings": [_row(row) for row in state.standings],
        "cross": [_cell(state, cell) for cell in msgspec.to_builtins(state.cross)],
        "first_move": state.first_move,
        "first_move_error": state.first_move_error,
        "verdict": msgspec.to_builtins(state.verdict),
        "records": [row for pair in outcome.pairs for row in _legs(pair)],
    }


def _row(row: Standing) -> dict[str, Any]:
    """A standing with all its fields, those included that the wire leaves out."""
    found = {name: getattr(row, name) for name in row.__struct_fields__}
    return found | {"forfeits": _forfeits(row)}


def _cell(state: LadderState, cell: dict[str, Any]) -> dict[str, Any]:
    names = [row.player for row in state.standings]
    return cell | {"one": names[cell["one"]], "two": names[cell["two"]]}


def _forfeits(row: Standing) -> int:
    return sum(row.lost_by.get(how, 0) for how in FORFEITS)


# ---------------------------------------------------------------- text


def _print_text(contest: Contest, outcome: Outcome) -> None:
    state = outcome.state
    for owner, entry in zip(contest.owners, contest.entries, strict=True):
        print(f"{owner}  {title(entry)}")
    void = sum(pair.void is not None for pair in outcome.pairs)
    clock = f"{(contest.clock.base_ms or 0) / 1000:g}+{contest.clock.increment_ms / 1000:g}"
    print(
        f"{contest.game}: {state.ladder.pairs} pairs of matches"
        f"{f', {void} void' if void else ''}, clock {clock}, seed {contest.seed}"
    )
    names = {
        player: f"{owner} {entry.name}"
        for player, owner, entry in zip(
            contest.players, contest.owners, contest.entries, strict=True
        )
    }
    width = max(len("bot"), *map(len, names.values()))
    _print_standing(state, names, width)
    _print_cross(state, names, width)
    if state.first_move is not None:
        print(f"moving first is worth {_elo(state.first_move)} ± {state.first_move_error:.0f} Elo")
    said = state.verdict
    if said is not None:
        print(
            f"{said.text} ({said.pairs} pairs, log-likelihood ratio {said.llr:+.2f} of "
            f"{said.lower:.2f} to {said.upper:.2f})"
        )


def _print_standing(state: LadderState, names: dict[str, str], width: int) -> None:
    dice = any(row.points is not None for row in state.standings)
    head = f"{'':>2}  {'bot':{width}}  {'rating':>7} {'±':>5}  {'pairs':>5}  {'score':>11}"
    print(f"{head}  {'+':>5} {'=':>5} {'-':>5}  forfeits  ms/move{'   points' if dice else ''}")
    for row in state.standings:
        rating = f"{_elo(row.rating):>7} {'' if row.error is None else f'{row.error:.0f}':>5}"
        score = f"{row.score:g}/{2 * row.pairs}"
        time = "" if row.move_ms is None else f"{row.move_ms:.0f}"
        line = f"{row.rank:>2}  {names.get(row.player, row.player):{width}}  {rating}"
        line += f"  {row.pairs:>5}  {score:>11}  {row.wins:>5} {row.draws:>5} {row.losses:>5}"
        line += f"  {_forfeits(row):>8}  {time:>7}"
        if row.points is not None:
            line += f"   {row.points:+.3f} ± {row.points_error or 0:.3f}"
        print(line + (f"  {row.suspended}" if row.suspended else ""))


def _print_cross(state: LadderState, names: dict[str, str], width: int) -> None:
    """Points of the row against the column, of two a pair; = where that is exact."""
    if len(state.standings) < 3:
        return
    cells: dict[tuple[int, int], str] = {}
    for cell in state.cross:
        exact = "=" if cell.exact else ""
        cells[cell.one, cell.two] = f"{exact}{cell.score:g}/{2 * cell.pairs}"
        cells[cell.two, cell.one] = f"{exact}{2 * cell.pairs - cell.score:g}/{2 * cell.pairs}"
    shown = [names.get(row.player, row.player) for row in state.standings]
    broad = max(6, *(len(text) for text in cells.values())) if cells else 6
    print(f"{'':>2}  {'':{width}}" + "".join(f"  {name.split()[0]:>{broad}}" for name in shown))
    for i, name in enumerate(shown):
        line = "".join(
            f"  {'·' if i == j else cells.get((i, j), ''):>{broad}}" for j in range(len(shown))
        )
        print(f"{i + 1:>2}  {name:{width}}{line}")


def _elo(value: float | None) -> str:
    return "" if value is None else f"{value:+.0f}"
