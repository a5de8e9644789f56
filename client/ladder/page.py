"""A report's page: one HTML file without scripts, light and dark; it links the files beside it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Final

from client.ladder import plot, wording
from client.terminal.lines import clean
from protocol.ladder import Cross, LadderState, PairLine, Standing

MOST_PAIRS: Final = 200  # in the list; pairs.csv has them all

STYLE: Final = Path(__file__).with_name("report.css")


def write(state: LadderState, pairs: Sequence[PairLine], files: Collection[str]) -> str:
    """The page.  `files`: the paths of the records that lie beside it."""
    name = clean(state.ladder.name)
    body = [
        *_head(state),
        _figure("ratings.svg", "Ratings with their 95 % intervals"),
        "<h2>Standings</h2>",
        _card(_standings(state.standings)),
        *(f"<p class='quiet'>{escape(note)}</p>" for note in wording.notes(state)),
        "<h2>Over time</h2>",
        _figure("history.svg", "Ratings over time with their 95 % intervals"),
        *_crosstable(state.standings, state.cross),
        *_beside(files),
        *_pairs(pairs, files),
    ]
    return "\n".join(
        [
            "<!doctype html>",
            "<html lang='en'>",
            "<meta charset='utf-8'>",
            "<meta name='viewport' content='width=device-width, initial-scale=1'>",
            f"<title>{escape(name)}: a ladder</title>",
            f"<style>\n{STYLE.read_text(encoding='utf-8')}{_swatches()}</style>",
            *body,
            "</html>",
            "",
        ]
    )


def _swatches() -> str:
    """The colours of the plots, for the table."""
    light = "".join(f".c{i} {{ background: {c}; }} " for i, c in enumerate(plot.LIGHT))
    dark = "".join(f".c{i} {{ background: {c}; }} " for i, c in enumerate(plot.DARK))
    return f"{light}\n@media (prefers-color-scheme: dark) {{ {dark}}}\n"


def _head(state: LadderState) -> list[str]:
    line = state.ladder
    last = max((pair.at for pair in (*state.recent, *state.live)), default=line.at)
    times = f"opened {_when(line.at)} by {clean(line.owner)}, last pair begun {_when(last)}"
    facts = "; ".join(wording.facts(state))
    parts = [
        f"<h1>{escape(clean(line.name))}</h1>",
        f"<p>{escape(wording.kind_text(line))}, {line.state}</p>",
        f"<p class='quiet'>{escape(facts)}; {escape(times)}.</p>",
    ]
    if state.verdict is not None:
        parts.append(f"<p class='verdict'>{escape(clean(state.verdict.text))}</p>")
    return parts


def _when(at: int) -> str:
    return f"{datetime.fromtimestamp(at / 1000, UTC):%Y-%m-%d %H:%M} UTC"


def _figure(name: str, about: str) -> str:
    return f"<div class='card'><img src='{name}' alt='{escape(about)}'></div>"


def _card(*parts: str) -> str:
    return "\n".join(["<div class='card'>", *parts, "</div>"])


# ---------------------------------------------------------------- tables


def _cell(text: str, kind: str = "", more: str = "") -> str:
    of = f" class='{kind}'" if kind else ""
    return f"<td{of}{more}>{escape(text)}</td>"


def _heads(names: Sequence[str], left: Collection[str]) -> str:
    cells = "".join(
        f"<th class='left'>{escape(n)}</th>" if n in left else f"<th>{escape(n)}</th>"
        for n in names
    )
    return f"<thead><tr>{cells}</tr></thead>"


def _standings(rows: Sequence[Standing]) -> str:
    found = [wording.forfeits(row) for row in rows]
    reasons = [why for why in (*wording.REASONS, "void") if any(each[why] for each in found)]
    points = any(row.points is not None for row in rows)
    heads = ["#", "player", "rating", "±", "pairs", "score", "won", "drawn", "lost"]
    heads += [*(["points a game"] if points else []), "a move", *reasons]
    chosen = plot.colors(rows)
    parts = ["<table>", _heads(heads, ("player",)), "<tbody>"]
    for row, lost in zip(rows, found, strict=True):
        color = f" c{chosen[row.player]}" if row.player in chosen else ""
        cells = [
            _cell(str(row.rank)),
            f"<td class='left player'><span class='swatch{color}'></span>"
            f"{escape(clean(row.player))}</td>",
            _cell(wording.rating_text(row), "strong"),
            _cell(wording.error_text(row)),
            _cell(f"{row.pairs:,}"),
            _cell(wording.share_text(row)),
            *(_cell(f"{number:,}") for number in (row.wins, row.draws, row.losses)),
            *([_cell(wording.points_text(row))] if points else []),
            _cell(wording.time_text(row.move_ms)),
            *(_cell(str(lost[why] or ""), "bad") for why in reasons),
        ]
        kind = " class='anchor'" if row.anchor else ""
        parts.append(f"<tr{kind}>{''.join(cells)}</tr>")
    return "\n".join([*parts, "</tbody></table>"])


def _crosstable(rows: Sequence[Standing], cross: Sequence[Cross]) -> list[str]:
    """Each against each: match points, as the row has them."""
    met = {(c.one, c.two): (c.score, c.pairs, c.exact) for c in cross}
    met |= {(c.two, c.one): (2 * c.pairs - c.score, c.pairs, c.exact) for c in cross}
    shown = sorted({place for pair in met for place in pair if place < len(rows)})
    if len(shown) < 2:
        return []
    heads = ["#", "player", *(str(rows[place].rank) for place in shown)]
    parts = ["<table class='cross'>", _heads(heads, ("player",)), "<tbody>"]
    for one in shown:
        cells = [_cell(str(rows[one].rank)), _cell(clean(rows[one].player), "left")]
        cells += [_cell("", "self") if one == two else _met(met.get((one, two))) for two in shown]
        parts.append(f"<tr>{''.join(cells)}</tr>")
    note = (
        "Match points of the row's player against the column's, two matches a pair."
        "  “=”: both always play alike and all openings were played, so this is no estimate."
    )
    return [
        "<h2>Each against each</h2>",
        _card(*parts, "</tbody></table>"),
        f"<p class='quiet'>{escape(note)}</p>",
    ]


def _met(cell: tuple[float, int, bool] | None) -> str:
    if cell is None or not cell[1]:
        return _cell("")
    score, pairs, exact = cell
    part = 50 * score / pairs
    kind = "win" if part > 50 else "loss" if part < 50 else ""
    text = f"{'= ' if exact else ''}{wording.half(score)}–{wording.half(2 * pairs - score)}"
    about = f" style='--share: {part:.0f}' title='{part:.1f} % of {wording.count(pairs, 'pair')}'"
    return _cell(text, kind, about)


def _pairs(pairs: Sequence[PairLine], files: Collection[str]) -> list[str]:
    """The last pairs, newest first, each match with its record where that is here."""
    heads = ["pair", "begun", "first", "", "second", "opening", "matches"]
    parts = [
        "<table>",
        _heads(heads, ("begun", "first", "second", "opening", "matches")),
        "<tbody>",
    ]
    shown = pairs[::-1][:MOST_PAIRS]
    for pair in shown:
        cells = [
            _cell(str(pair.pair), more=f" id='pair-{pair.pair}'"),
            _cell(_when(pair.at), "left"),
            _cell(clean(pair.one), "left"),
            _cell(wording.pair_score(pair), "strong"),
            _cell(clean(pair.two), "left"),
            _cell(clean(" ".join(pair.opening)), "left"),
            f"<td class='left wide'>{_matches(pair, files)}</td>",
        ]
        parts.append(f"<tr title='{escape(clean(pair.why))}'>{''.join(cells)}</tr>")
    head = "Pairs" if len(shown) == len(pairs) else f"The last {len(shown)} pairs"
    return [f"<h2>{head}</h2>", _card(*parts, "</tbody></table>")]


def _matches(pair: PairLine, files: Collection[str]) -> str:
    if pair.void is not None:
        return escape(clean(f"void: {pair.void}"))
    told = []
    for i, leg in enumerate(pair.legs):
        if leg.match is None:
            continue
        path = f"matches/{leg.match}"
        name = escape(clean(leg.match))
        if f"{path}.txt" in files:
            name = f"<a href='{escape(path)}.txt'>{name}</a>"
        record = f"{path}.json"
        more = f" <a href='{escape(record)}'>record</a>" if record in files else ""
        told.append(f"{name} {escape(wording.leg_text(pair, i))}{more}")
    return ", ".join(told)


def _beside(files: Collection[str]) -> list[str]:
    names = ("standings.csv", "pairs.csv", "ladder.json")
    links = ", ".join(f"<a href='{name}'>{name}</a>" for name in names)
    parts = ["<h2>Beside this page</h2>", f"<p>{links}.</p>"]
    records = [name for name in files if name.endswith(".json")]
    if records:
        name = escape(max(records))
        parts.append(
            f"<p>The records of the last matches: <code>plyhouse replay {name}</code> steps through"
            f" one without a server, <code>plyhouse verify {name}</code> checks its rules, dice and"
            " clocks.</p>"
        )
    return parts
