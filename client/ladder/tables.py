"""A ladder as tables for a terminal, or without colour and at any width for a pipe.

At 160 columns all is one table.  Where that does not fit, the reasons of lost matches, and then the
times, go into a second table below, so that a rating is never what is cut off.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TextIO

from rich import box
from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from client.ladder import differences as differences_of
from client.ladder import figures
from client.ladder.crosstable import crosstable as cross_rows
from client.styled_text import clean, shorten, width
from client.words import game_title
from protocol import notation
from protocol.ladder import Cross, LadderDifferences, Ladders, LadderState, PairLine, Standing

ANY_WIDTH = 100_000  # of a pipe, which has none
LIVE, RECENT = 10, 10  # pairs of each kind that are shown where there is room
MIN_WIDTH = 12  # of a name
CLEARLY = {"win": "green", "loss": "red", "": ""}  # by how sure a difference is
MIN_SHOWN, AROUND = 3, 6  # players that are shown in any case; lines of heads and gaps


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the standings; `style` is of a cell, by its row."""

    head: str
    cell: Callable[[Standing], str]
    right: bool = True
    style: Callable[[Standing], str] = lambda row: ""


def _place_style(row: Standing) -> str:
    return "red" if row.suspended is not None else "" if row.slots else "dim"


RANK = Column("#", lambda row: str(row.rank), style=lambda row: "dim")
PLAYER = Column(
    "player",
    lambda row: clean(row.player),
    right=False,
    style=lambda row: "cyan" if row.anchor else "bold",
)
MAIN = (
    Column("rating", figures.rating_text, style=lambda row: "dim" if row.group else "bold"),
    Column("±", figures.error_text, style=lambda row: "dim"),
    Column("pairs", lambda row: f"{row.pairs:,}"),
    Column("score", figures.share_text),
    Column("W–D–L", lambda row: f"{row.wins:,}–{row.draws:,}–{row.losses:,}"),
)
PLACE = Column("busy", figures.place_text, style=_place_style)
MOVE = Column("a move", lambda row: figures.time_text(row.move_ms))
POINTS = Column("points", figures.points_text)
UNEVEN = Column(
    "uneven",
    figures.uneven_text,
    style=lambda row: "red" if row.most_from is not None else "dim",
)


def _reason(why: str) -> Column:
    return Column(why, lambda row: str(figures.forfeits(row)[why] or ""), style=lambda row: "red")


def console(out: TextIO) -> Console:
    """Return where it goes: a terminal with its width and colours, or a pipe with neither."""
    if out.isatty():
        return Console(file=out, highlight=False)
    return Console(file=out, width=ANY_WIDTH, no_color=True, force_terminal=False, highlight=False)


def say(to: Console, content: RenderableType) -> None:
    """Print it; in a pipe no line ends in spaces."""
    if to.is_terminal:
        to.print(content)
        return
    with to.capture() as caught:
        to.print(content)
    lines = [line.rstrip() for line in caught.get().rstrip("\n").split("\n")]
    to.file.write("\n".join([*lines, ""]))
    to.file.flush()


def whole(
    state: LadderState,
    to: Console,
    page: str,
    rows: int | None = None,
    foot: str = "",
    compared: str = "",
) -> Group:
    """Return a ladder with standings and pairs; in about `rows` lines if there is a bound.

    `page`: the address of its page; `foot`: a last line in its place; `compared`: how two differ.
    """
    bound = ANY_WIDTH if rows is None else rows
    limit = max(MIN_SHOWN, bound - AROUND)
    parts: list[RenderableType] = [*_head(state), *standings(state.standings[:limit], to)]
    parts += [Text(), Text(compared, "bold")] if compared else []
    parts += [Text(note, "yellow") for note in figures.notes(state)]
    end = Text(foot, "yellow") if foot else Text(_hint(state, page), "dim")
    left = bound - _lines(Group(*parts, end), to)
    live, recent = _shares(len(state.live), len(state.recent), left)
    if live:
        on_now = _pairs(
            "on now",
            state.live[:live],
            to,
            lambda pair: ", ".join(figures.on_now(pair)),
            lambda pair: clean(pair.why),
        )
        parts += [Text(), on_now]
    if recent:
        parts += [Text(), _pairs("over", state.recent[:recent], to, None, figures.matches_text)]
    return Group(*parts, Text(), end)


def _shares(live: int, recent: int, left: int) -> tuple[int, int]:
    """How many pairs that are on, and that are over, fit into so many lines: two a pair at most."""
    free = max(0, left - AROUND) // 2
    live = min(live, LIVE, max(free // 2, free - recent))
    return live, min(recent, RECENT, free - live)


def _lines(content: RenderableType, to: Console) -> int:
    return len(to.render_lines(content, pad=False))


def _head(state: LadderState) -> list[Text]:
    ladder = state.ladder
    color = "green" if ladder.state == "running" else "dim"
    head = Text.assemble(
        (clean(ladder.name), "bold"), "  ", figures.kind_text(ladder), "  ", (ladder.state, color)
    )
    lines = [head, Text(clean(f"by {ladder.owner}; {'; '.join(figures.facts(state))}"), "dim")]
    if state.verdict is not None:
        said = Text(clean(state.verdict.text), "bold")
        walk = f"{figures.walk_text(state.verdict)}; {figures.hypotheses_text(state.verdict)}"
        lines += [said, Text(walk, "dim")]
    return [*lines, Text()]


def _hint(state: LadderState, page: str) -> str:
    """Return how to see a match, with the names of real ones, and where the page is."""
    live = [name for pair in state.live for name in figures.on_now(pair)]
    ended = [leg.match for pair in state.recent for leg in pair.legs if leg.match and leg.result]
    hints = [f"plyhouse watch {live[0]}"] if live else []
    hints += [f"plyhouse replay {clean(ended[0])}"] if ended else []
    return " · ".join([*hints, page])


def standings(rows: Sequence[Standing], to: Console) -> list[RenderableType]:
    """Return the players by rank, in one table or in two."""
    if not rows:
        return [Text("Nobody has joined yet.", "dim")]
    forfeits = [figures.forfeits(row) for row in rows]
    reasons = [_reason(why) for why in forfeits[0] if any(each[why] for each in forfeits)]
    extra = [POINTS] if any(row.points is not None for row in rows) else []
    extra += [UNEVEN] if any(row.uneven is not None for row in rows) else []
    extra += [MOVE] if any(row.move_ms is not None for row in rows) else []
    layouts = [([*extra, *reasons], []), (extra, reasons), ([], [*extra, *reasons])]
    tables = [([RANK, PLAYER, *MAIN, *a, PLACE], b) for a, b in layouts]
    fits = (both for both in tables if _width(table(both[0], rows), to) <= to.width)
    first, below = next(fits, tables[-1])
    mentioned = [row for row in rows if any(column.cell(row) for column in below)]
    if not below or not mentioned:
        return [_fitting(first, rows, to)]
    return [_fitting(first, rows, to), Text(), _fitting([RANK, PLAYER, *below], mentioned, to)]


def crosstable(rows: Sequence[Standing], cross: Sequence[Cross]) -> Table | None:
    """Return each against each, a column a player by its rank; None where no two have met.

    A cell holds the row's match points and the column's, two matches a pair; `=`: exact.
    """
    lines = cross_rows(rows, cross)
    if not lines:
        return None
    grid = _table()
    for head in ("#", "player", *(str(line.player.rank) for line in lines)):
        grid.add_column(head, justify="left" if head == "player" else "right", no_wrap=True)
    for i, line in enumerate(lines):
        cells = [
            Text("·" if i == j else cell.text if cell is not None else "")
            for j, cell in enumerate(line.cells)
        ]
        name = Text(clean(line.player.player), "cyan" if line.player.anchor else "bold")
        grid.add_row(Text(str(line.player.rank), "dim"), name, *cells)
    return grid


def differences(answer: LadderDifferences, to: Console) -> RenderableType:
    """Return how players differ: two in a sentence, one from all in rows, more in a square."""
    if len(answer.players) == 2:
        return Text(differences_of.sentence(answer))
    if not answer.differences:
        return Text("No two of these can be compared yet: no chain of pairs connects them.", "dim")
    if differences_of.is_of_one(answer):
        return _rivals(answer)
    return _square(answer, to)


def _rivals(answer: LadderDifferences) -> RenderableType:
    """Return a row for each rival of a player."""
    grid = _table()
    one, *others = differences_of.rows(answer)
    for head in ("player", "Elo", "LOS"):
        grid.add_column(head, justify="left" if head == "player" else "right", no_wrap=True)
    for other, cell in zip(others, one.cells[1:], strict=True):
        if cell is None:
            grid.add_row(Text(other.player, "bold"), Text(figures.UNCONNECTED, "dim"), "")
        else:
            grid.add_row(Text(other.player, "bold"), Text(cell.text), Text(cell.los_text))
    note = f"How much stronger {one.player} is than each, and the chance that it is the better one."
    return Group(grid, Text(note, "dim"))


def _square(answer: LadderDifferences, to: Console) -> RenderableType:
    """Return each beside each, as many columns as there is room for."""
    lines = differences_of.rows(answer)
    shown = len(lines)
    while True:
        grid = _table()
        for head in ("#", "player", *map(str, range(1, shown + 1))):
            grid.add_column(head, justify="left" if head == "player" else "right", no_wrap=True)
        for number, line in enumerate(lines, 1):
            cells = [
                Text(f"{cell.text}\n{cell.los_text}", CLEARLY[cell.kind])
                if cell is not None
                else Text("·" if place == number else "", "dim")
                for place, cell in enumerate(line.cells[:shown], 1)
            ]
            grid.add_row(Text(str(number), "dim"), Text(line.player, "bold"), *cells)
        if shown == 1 or _width(grid, to) <= to.width:
            break
        shown -= 1
    note = (
        "How much stronger the row's player is than the column's, in Elo, with the ± of that; "
        "below, LOS: the chance that it is the better one."
    )
    if shown < len(lines):
        note += f" {shown} of {len(lines)} columns fit here; --csv has all."
    return Group(grid, Text(note, "dim"))


def _fitting(columns: Sequence[Column], rows: Sequence[Standing], to: Console) -> Table:
    """Return a table of players.  Where it does not fit, only their names are shortened."""
    over = _width(table(columns, rows), to) - to.width
    if over <= 0:
        return table(columns, rows)
    longest = max(width(clean(row.player)) for row in rows)
    return table(columns, rows, max(MIN_WIDTH, longest - over))


def table(columns: Sequence[Column], rows: Sequence[Standing], name: int = ANY_WIDTH) -> Table:
    """Return a table of players, with names of at most `name` columns."""
    grid = _table()
    for column in columns:
        grid.add_column(column.head, justify="right" if column.right else "left", no_wrap=True)
    for row in rows:
        cells = (shorten(column.cell(row), name) for column in columns)
        grid.add_row(
            *(Text(c, column.style(row)) for c, column in zip(cells, columns, strict=True))
        )
    return grid


def _table() -> Table:
    return Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        header_style="dim",
    )


def _width(grid: Table, to: Console) -> int:
    """Return how many columns of a terminal it would like to have."""
    return Measurement.get(to, to.options.update(max_width=ANY_WIDTH), grid).maximum


def _pairs(
    head: str,
    pairs: Sequence[PairLine],
    to: Console,
    watched: Callable[[PairLine], str] | None,
    more: Callable[[PairLine], str],
) -> Table:
    """Pairs with `more` about each: beside the players, or below them."""
    grid = _pair_table(head, pairs, watched, more, below=False)
    if _width(grid, to) <= to.width:
        return grid
    return _pair_table(head, pairs, watched, more, below=True)


def _pair_table(
    head: str,
    pairs: Sequence[PairLine],
    watched: Callable[[PairLine], str] | None,
    more: Callable[[PairLine], str],
    below: bool,
) -> Table:
    grid = _table()
    for name in (head, "score", *(["watch"] if watched else [])):
        grid.add_column(name, justify="right" if name == head else "left", no_wrap=True)
    grid.add_column("players", overflow="fold")
    if not below:
        grid.add_column("why these two" if watched else "matches")
    for pair in pairs:
        cells = [Text(str(pair.pair), "dim"), Text(figures.pair_score(pair), "bold")]
        if watched is not None:
            cells.append(Text(watched(pair), "green"))
        players = Text(clean(f"{pair.one} – {pair.two}"))
        note = Text(more(pair), "dim")
        grid.add_row(*cells, *([players + "\n" + note] if below else [players, note]))
    return grid


def ladders(all_ladders: Ladders) -> RenderableType:
    """Return all ladders of a server."""
    if not all_ladders.ladders:
        return Text("No ladders here yet; `plyhouse ladder create NAME --game GAME` opens one.")
    grid = _table()
    for head in ("ladder", "game", "clock", "format", "state", "players", "here", "pairs"):
        right = head in ("players", "here", "pairs")
        grid.add_column(head, justify="right" if right else "left", no_wrap=True)
    grid.add_column("opened", no_wrap=True)
    for ladder in all_ladders.ladders:
        begun = datetime.fromtimestamp(ladder.at / 1000, UTC)
        grid.add_row(
            Text(clean(ladder.name), "bold"),
            Text(clean(game_title(ladder.game))),
            notation.format_clock(ladder.clock),
            Text(clean(ladder.format)),
            Text(ladder.state, "green" if ladder.state == "running" else "dim"),
            *(f"{number:,}" for number in (ladder.players, ladder.here, ladder.pairs)),
            Text(clean(f"{begun:%Y-%m-%d} by {ladder.owner}")),
        )
    return grid
