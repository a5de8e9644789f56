"""A ladder's standing as tables for a terminal, or without colour and at any width for a pipe.

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

from client.ladder import wording
from client.terminal.board import known_game
from client.terminal.lines import clean, shorten, width
from client.terminal.wording import game_title
from protocol.ladder import Ladders, LadderState, PairLine, Standing

ANY_WIDTH = 100_000  # of a pipe, which has none
LIVE, RECENT = 10, 10  # pairs of each kind that are shown where there is room
SHORTEST = 12  # of a name
LEAST, AROUND = 3, 6  # players that are shown in any case; lines of heads and gaps


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the standings; `style` is of a cell, by its row."""

    head: str
    cell: Callable[[Standing], str]
    right: bool = True
    style: Callable[[Standing], str] = lambda row: ""


def _bad(row: Standing) -> str:
    return "red" if row.suspended is not None else "" if row.slots else "dim"


def _record(row: Standing) -> str:
    return f"{row.wins:,}–{row.draws:,}–{row.losses:,}"


RANK = Column("#", lambda row: str(row.rank), style=lambda row: "dim")
PLAYER = Column(
    "player",
    lambda row: clean(row.player),
    right=False,
    style=lambda row: "cyan" if row.anchor else "bold",
)
MAIN = (
    Column("rating", wording.rating_text, style=lambda row: "dim" if row.group else "bold"),
    Column("±", wording.error_text, style=lambda row: "dim"),
    Column("pairs", lambda row: f"{row.pairs:,}"),
    Column("score", wording.share_text),
    Column("W–D–L", _record),
)
PLACE = Column("busy", wording.place_text, style=_bad)
MOVE = Column("a move", lambda row: wording.time_text(row.move_ms))
POINTS = Column("points", wording.points_text)


def _reason(why: str) -> Column:
    return Column(why, lambda row: str(wording.forfeits(row)[why] or ""), style=lambda row: "red")


# ---------------------------------------------------------------- what goes where


def console(out: TextIO) -> Console:
    """Where it goes: a terminal with its width and colours, or a pipe with neither."""
    if out.isatty():
        return Console(file=out, highlight=False)
    return Console(file=out, width=ANY_WIDTH, no_color=True, force_terminal=False, highlight=False)


def say(to: Console, shown: RenderableType) -> None:
    """Print it; in a pipe no line ends in spaces."""
    if to.is_terminal:
        to.print(shown)
        return
    with to.capture() as caught:
        to.print(shown)
    lines = [line.rstrip() for line in caught.get().rstrip("\n").split("\n")]
    to.file.write("\n".join([*lines, ""]))
    to.file.flush()


def whole(
    state: LadderState, to: Console, page: str, rows: int | None = None, foot: str = ""
) -> Group:
    """All there is to see of a ladder; in about `rows` lines if there is a bound.

    `page`: the address of its page; `foot`: a last line in its place.
    """
    bound = ANY_WIDTH if rows is None else rows
    most = max(LEAST, bound - AROUND)
    parts: list[RenderableType] = [*_head(state), *standings(state.standings[:most], to)]
    parts += [Text(note, "yellow") for note in wording.notes(state)]
    end = Text(foot, "yellow") if foot else Text(_hint(state, page), "dim")
    left = bound - _lines(Group(*parts, end), to)
    live, recent = _shares(len(state.live), len(state.recent), left)
    if live:
        parts += [Text(), _pairs("on now", state.live[:live], to, _watched, _why)]
    if recent:
        parts += [Text(), _pairs("over", state.recent[:recent], to, None, wording.matches_text)]
    return Group(*parts, Text(), end)


def _shares(live: int, recent: int, left: int) -> tuple[int, int]:
    """How many pairs that are on, and that are over, fit into so many lines: two a pair at most."""
    free = max(0, left - AROUND) // 2
    live = min(live, LIVE, max(free // 2, free - recent))
    return live, min(recent, RECENT, free - live)


def _lines(shown: RenderableType, to: Console) -> int:
    return len(to.render_lines(shown, pad=False))


def _head(state: LadderState) -> list[Text]:
    line = state.ladder
    color = "green" if line.state == "running" else "dim"
    head = Text.assemble(
        (clean(line.name), "bold"), "  ", wording.kind_text(line), "  ", (line.state, color)
    )
    said = [head, Text(clean(f"by {line.owner}; {'; '.join(wording.facts(state))}"), "dim")]
    if state.verdict is not None:
        said.append(Text(clean(state.verdict.text), "bold"))
    return [*said, Text()]


def _hint(state: LadderState, page: str) -> str:
    """How to see a match, with the names of real ones, and where the page is."""
    live = [name for pair in state.live for name in wording.on_now(pair)]
    over = [leg.match for pair in state.recent for leg in pair.legs if leg.match and leg.result]
    said = [f"plyhouse watch {live[0]}"] if live else []
    said += [f"plyhouse replay {clean(over[0])}"] if over else []
    return " · ".join([*said, page])


# ---------------------------------------------------------------- the standings


def standings(rows: Sequence[Standing], to: Console) -> list[RenderableType]:
    """The players by rank, in one table or in two."""
    if not rows:
        return [Text("Nobody has joined yet.", "dim")]
    found = [wording.forfeits(row) for row in rows]
    reasons = [_reason(why) for why in found[0] if any(each[why] for each in found)]
    extra = [POINTS] if any(row.points is not None for row in rows) else []
    extra += [MOVE] if any(row.move_ms is not None for row in rows) else []
    layouts = [
        ([*extra, *reasons], []),
        (extra, reasons),
        ([], [*extra, *reasons]),
    ]
    made = [([RANK, PLAYER, *MAIN, *a, PLACE], b) for a, b in layouts]
    fits = (both for both in made if _width(table(both[0], rows), to) <= to.width)
    first, below = next(fits, made[-1])
    told = [row for row in rows if any(column.cell(row) for column in below)]
    if not below or not told:
        return [_fitting(first, rows, to)]
    return [_fitting(first, rows, to), Text(), _fitting([RANK, PLAYER, *below], told, to)]


def _fitting(columns: Sequence[Column], rows: Sequence[Standing], to: Console) -> Table:
    """A table of players.  Where it does not fit, only their names are shortened."""
    over = _width(table(columns, rows), to) - to.width
    if over <= 0:
        return table(columns, rows)
    longest = max(width(clean(row.player)) for row in rows)
    return table(columns, rows, max(SHORTEST, longest - over))


def table(columns: Sequence[Column], rows: Sequence[Standing], name: int = ANY_WIDTH) -> Table:
    """A table of players, with names of at most `name` columns."""
    made = _table()
    for column in columns:
        made.add_column(column.head, justify="right" if column.right else "left", no_wrap=True)
    for row in rows:
        cells = (shorten(column.cell(row), name) for column in columns)
        made.add_row(
            *(Text(c, column.style(row)) for c, column in zip(cells, columns, strict=True))
        )
    return made


def _table() -> Table:
    return Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        header_style="dim",
    )


def _width(made: Table, to: Console) -> int:
    """How many columns of a terminal it would like to have."""
    return Measurement.get(to, to.options.update(max_width=ANY_WIDTH), made).maximum


# ---------------------------------------------------------------- pairs


def _watched(pair: PairLine) -> str:
    return ", ".join(wording.on_now(pair))


def _why(pair: PairLine) -> str:
    return clean(pair.why)


def _pairs(
    head: str,
    pairs: Sequence[PairLine],
    to: Console,
    watched: Callable[[PairLine], str] | None,
    more: Callable[[PairLine], str],
) -> Table:
    """Pairs with what there is `more` to say of each: beside the players, or below them."""
    made = _pair_table(head, pairs, watched, more, below=False)
    if _width(made, to) <= to.width:
        return made
    return _pair_table(head, pairs, watched, more, below=True)


def _pair_table(
    head: str,
    pairs: Sequence[PairLine],
    watched: Callable[[PairLine], str] | None,
    more: Callable[[PairLine], str],
    below: bool,
) -> Table:
    made = _table()
    for name in (head, "score", *(["watch"] if watched else [])):
        made.add_column(name, justify="right" if name == head else "left", no_wrap=True)
    made.add_column("players", overflow="fold")
    if not below:
        made.add_column("why these two" if watched else "matches")
    for pair in pairs:
        cells = [Text(str(pair.pair), "dim"), Text(wording.pair_score(pair), "bold")]
        if watched is not None:
            cells.append(Text(watched(pair), "green"))
        players = Text(clean(f"{pair.one} – {pair.two}"))
        told = Text(more(pair), "dim")
        made.add_row(*cells, *([players + "\n" + told] if below else [players, told]))
    return made


# ---------------------------------------------------------------- the list


def ladders(listed: Ladders) -> RenderableType:
    """All ladders of a server."""
    if not listed.ladders:
        return Text("No ladders here yet; `plyhouse ladder create NAME --game GAME` opens one.")
    made = _table()
    for head in ("ladder", "game", "clock", "format", "state", "players", "here", "pairs"):
        right = head in ("players", "here", "pairs")
        made.add_column(head, justify="right" if right else "left", no_wrap=True)
    made.add_column("opened", no_wrap=True)
    for line in listed.ladders:
        begun = datetime.fromtimestamp(line.at / 1000, UTC)
        made.add_row(
            Text(clean(line.name), "bold"),
            Text(clean(game_title(line.game, known_game(line.game)))),
            wording.clock_text(line.clock),
            Text(clean(line.format)),
            Text(line.state, "green" if line.state == "running" else "dim"),
            *(f"{number:,}" for number in (line.players, line.here, line.pairs)),
            Text(clean(f"{begun:%Y-%m-%d} by {line.owner}")),
        )
    return made
