"""Charts of measurements with their intervals, as PNG, SVG or PDF: the only importer of matplotlib.

The same figures make the same SVG, whatever a user has set up for charts of their own.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from lab.experiments.sample import Measurement

SUFFIXES: Final = (".png", ".svg", ".pdf")
COLUMNS: Final = 2  # charts beside each other
CHART: Final = (5.2, 3.7)  # inches
ASIDE: Final = 1.02  # where lines share places: each a little further, so that one sees all bars
DECADES: Final = 2.5  # of an axis: on fewer, 1, 2 and 5 are labelled
DOTS: Final = 130  # an inch, of a PNG
# Okabe and Ito (2008), for people with colour blindness as well; and shapes, for print.
COLORS: Final = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#7a5230", "#444444",
)  # fmt: skip
MARKERS: Final = "osD^vPX*"


class NoPlot(ValueError):
    """A plot that cannot be made; the sentence says what it takes."""


class ChartLine(NamedTuple):
    """A line of a chart: places from left to right, and what was measured at each."""

    name: str
    points: Sequence[tuple[float, Measurement]]


class Chart(NamedTuple):
    """One diagram.  `ticks`: words for the places 0, 1, 2 ... where these are no numbers;
    `zero`: a line at this height.
    """

    title: str
    across: str
    up: str
    series: Sequence[ChartLine]
    log_across: bool = False
    log_up: bool = False
    ticks: Sequence[str] = ()
    zero: float | None = None


def missing() -> bool:
    return importlib.util.find_spec("matplotlib") is None


def check(path: Path) -> None:
    """Raises NoPlot where no plot can be written to this file, before hours are spent on it."""
    if path.suffix.lower() not in SUFFIXES:
        raise NoPlot(f"a plot's name must end in {', '.join(SUFFIXES)}, not {path.name!r}")
    if missing():
        raise NoPlot("a plot needs matplotlib: pip install 'plyhouse[plots]'")
    check_folder(path)


def check_folder(path: Path) -> None:
    """Raises NoPlot where there is no folder for this file, or it may not be written to."""
    if not path.parent.is_dir():
        raise NoPlot(f"{path} cannot be written: there is no folder {path.parent}")
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise NoPlot(f"{path} cannot be written")


def draw(charts: Sequence[Chart], caption: str, path: Path) -> None:
    """Write the charts, two beside each other, above a line of text.

    Raises:
        OSError: the file cannot be written.
    """
    figures, styles = _matplotlib("figure"), _matplotlib("style")
    columns = min(COLUMNS, len(charts))
    rows = -(-len(charts) // columns)
    style = {"svg.hashsalt": "plyhouse", "svg.fonttype": "none", "font.size": 9}
    with styles.context(["default", style]):  # whatever a matplotlibrc of the user's says
        size = (CHART[0] * columns, CHART[1] * rows + 0.3)
        figure = figures.Figure(figsize=size, layout="constrained")
        for place, chart in enumerate(charts):
            _draw_chart(figure.add_subplot(rows, columns, place + 1), chart)
        figure.supxlabel(caption, fontsize=8, color="#666")
        dated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
        figure.savefig(path, dpi=DOTS, metadata=dated.get(path.suffix.lower()))


def _matplotlib(module: str) -> Any:
    """A module of the library, which refuses to be loaded where MPLBACKEND names no backend; here
    none shows anything.
    """
    backend = os.environ.pop("MPLBACKEND", None)
    try:
        return importlib.import_module(f"matplotlib.{module}")
    finally:
        if backend is not None:
            os.environ["MPLBACKEND"] = backend


def _draw_chart(axes: Any, chart: Chart) -> None:
    for number, series in enumerate(chart.series):
        color, marker = COLORS[number % len(COLORS)], MARKERS[number % len(MARKERS)]
        aside = ASIDE ** (number - (len(chart.series) - 1) / 2) if chart.log_across else 1.0
        across = [x * aside for x, _ in series.points]
        values = [estimate.value for _, estimate in series.points]
        below = [_reach(e.value - e.low, e.value) for _, e in series.points]
        above = [_reach(e.high - e.value, e.value) for _, e in series.points]
        axes.errorbar(
            across, values, yerr=(below, above), label=series.name, color=color, marker=marker,
            markersize=3.5, linewidth=1.2, elinewidth=0.8, capsize=2,
            linestyle="" if chart.ticks else "-",  # nothing lies between two words
        )  # fmt: skip
    if chart.log_across:
        axes.set_xscale("log")
        _label_logarithms(axes.xaxis)
    if chart.log_up:
        axes.set_yscale("log")
        _label_logarithms(axes.yaxis)
    if chart.ticks:
        axes.set_xticks(range(len(chart.ticks)), chart.ticks)
    if chart.zero is not None:
        axes.axhline(chart.zero, color="#999", linewidth=0.8)
    axes.set_title(chart.title, fontsize=10)
    axes.set_xlabel(chart.across)
    axes.set_ylabel(chart.up)
    axes.grid(visible=True, which="major", color="#ddd", linewidth=0.6)
    if len(chart.series) > 1:
        axes.legend(fontsize=8, frameon=False)


def _label_logarithms(axis: Any) -> None:
    """Write 10, 100 ..., and where these are few 20, 50 ... too, as plain numbers."""
    ticker = _matplotlib("ticker")
    low, high = sorted(axis.get_view_interval())
    few = math.log10(high / low) < DECADES
    axis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if few else (1,)))
    axis.set_major_formatter("{x:,g}")
    axis.set_minor_formatter(ticker.NullFormatter())


def _reach(length: float, value: float) -> float:
    """How far an interval is drawn: an endless one as far as its value."""
    return max(0.0, length) if math.isfinite(length) else abs(value)
