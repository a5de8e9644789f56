"""A report's page: one HTML file without scripts, light and dark; it links the files beside it.

The template is report.html, which includes report.css.  Jinja2 escapes whatever it puts in, and
control characters are taken out before: the names come from strangers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

import jinja2

from client import words
from client.ladder import figures, plots
from client.ladder.crosstable import crosstable
from client.ladder.differences import rows
from client.styled_text import clean
from protocol.ladder import LadderDifferences, LadderState, PairLine

MAX_PAIRS: Final = 200  # in the list; pairs.csv has them all
FOLDER: Final = Path(__file__).parent


class LinkedMatch(NamedTuple):
    """A match of a pair, how it ended, and how it went, where that is known."""

    name: str
    result: str
    text: str | None


def write(
    state: LadderState,
    differences: LadderDifferences,
    pairs: Sequence[PairLine],
    matches: Mapping[str, str | None],
) -> str:
    """Return the page.  `matches`: as text, where the game is known here, those whose
    records lie beside it.
    """
    forfeits = [figures.forfeits(row) for row in state.standings]
    return _template().render(
        state=state,
        figures=figures,
        count=words.count,
        palettes=(plots.LIGHT, plots.DARK),
        last=max((pair.at for pair in (*state.recent, *state.live)), default=state.ladder.at),
        has_points=any(row.points is not None for row in state.standings),
        has_uneven=any(row.uneven is not None for row in state.standings),
        reasons=[
            reason
            for reason in (*figures.REASONS, "void")
            if any(each[reason] for each in forfeits)
        ],
        colors=plots.colors(state.standings),
        differences=rows(differences) if differences.differences else (),
        crosstable=crosstable(state.standings, state.cross),
        record=max(matches, default=None),
        pairs=[(pair, _linked(pair, matches)) for pair in pairs[::-1][:MAX_PAIRS]],
        all_pairs=len(pairs),
    )


def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_cleaned,
    )
    environment.filters |= {"time": _time, "number": "{:,}".format}
    return environment.get_template("report.html")


def _cleaned(value: object) -> object:
    """Return what an expression of the template gives, without control characters."""
    return clean(value) if isinstance(value, str) else value


def _time(at: int) -> str:
    return f"{datetime.fromtimestamp(at / 1000, UTC):%Y-%m-%d %H:%M} UTC"


def _linked(pair: PairLine, texts: Mapping[str, str | None]) -> list[LinkedMatch]:
    """Return the matches of a pair."""
    return [
        LinkedMatch(leg.match, figures.leg_text(pair, i), texts.get(leg.match))
        for i, leg in enumerate(pair.legs)
        if leg.match is not None
    ]
