"""A ladder as CSV: a row a player, a pair or a ladder; numbers as they are, times in UTC.

Names are other people's texts, and a spreadsheet takes some texts for formulas, which it computes:
those get an apostrophe in front, by which spreadsheets know a text.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from client.ladder import figures
from client.ladder.differences import named
from protocol import notation
from protocol.ladder import LadderDifferences, Ladders, LadderState, PairLine, Standing

Cell = str | int | float | None
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet's formula begins with


def standings(state: LadderState) -> str:
    """Return a row a player, by rank; `share` is the part of all match points, 0 to 1.

    `error` is the ± of `above_field`, the rating less the mean of all that can be compared.
    """
    head = (
        "rank", "player", "rating", "above_field", "error", "group", "pairs", "score", "share",
        "wins", "draws", "losses", *figures.REASONS, "voids", "points", "points_error",
        "move_ms", "slots", "busy", "anchor", "suspended", "uneven", "most_from",
        "former",
    )  # fmt: skip
    rows = (
        (
            row.rank, row.player, row.rating, _above(row, state.field), row.error, row.group,
            row.pairs, row.score, _share(row), row.wins, row.draws, row.losses,
            *(row.lost_by.get(why, 0) for why in figures.REASONS), row.voids,
            row.points, row.points_error, row.move_ms, row.slots, row.busy,
            int(row.anchor), row.suspended, row.uneven, row.most_from,
            int(row.former),
        )
        for row in state.standings
    )  # fmt: skip
    return _written(head, rows)


def differences(answer: LadderDifferences) -> str:
    """Return a row for each two: `one` is `difference` Elo stronger, ± `error`; `los` 0 to 1."""
    head = ("one", "two", "difference", "error", "los")
    rows = ((one, two, a.elo, a.error, a.los) for one, two, a in named(answer))
    return _written(head, rows)


def _above(row: Standing, field: float | None) -> float | None:
    if row.rating is None or field is None or row.group:
        return None
    return round(row.rating - field, 1) + 0.0


def _share(row: Standing) -> float | None:
    share = figures.share(row)
    return None if share is None else round(share, 4)


def pairs(played: Iterable[PairLine]) -> str:
    """A row a pair: `score` is that of `one` in match points, empty where the pair is void."""
    head = ["pair", "began", "one", "two", "opening", "score", "void", "why"]
    for leg in (1, 2):
        head += [f"match_{leg}", f"score_{leg}", f"points_{leg}", f"how_{leg}", f"plies_{leg}"]
    return _written(head, (_pair(pair) for pair in played))


def _pair(pair: PairLine) -> list[Cell]:
    scores = [figures.leg_score(pair, leg) for leg in (0, 1)]
    counted = [score for score in scores if score is not None]
    total = sum(counted) if len(counted) == 2 and pair.void is None else None
    opening = " ".join(pair.opening)
    cells: list[Cell] = [
        pair.pair, _when(pair.at), pair.one, pair.two, opening, total, pair.void, pair.why,
    ]  # fmt: skip
    for seat, (leg, score) in enumerate(zip(pair.legs, scores, strict=True)):
        result = leg.result
        points = result.returns[seat] if result is not None else None
        how = None if result is None else result.reason if result.how == "rules" else result.how
        cells += [leg.match, score, points, how, leg.plies]
    return cells


def ladders(answer: Ladders) -> str:
    """Return a row a ladder."""
    head = (
        "name", "game", "format", "clock", "state", "owner", "opened", "players", "here", "pairs",
    )  # fmt: skip
    rows = (
        (
            line.name, line.game, line.format, notation.format_clock(line.clock), line.state,
            line.owner, _when(line.at), line.players, line.here, line.pairs,
        )
        for line in answer.ladders
    )  # fmt: skip
    return _written(head, rows)


def _when(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="seconds")


def _written(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([plain(cell) for cell in row] for row in rows)
    return out.getvalue()


def plain_row(row: Mapping[str, Cell]) -> dict[str, Cell]:
    """Return a row, by column, that holds no formula."""
    return {column: plain(cell) for column, cell in row.items()}


def plain(cell: Cell) -> Cell:
    """Return a cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell
