"""Plots as SVG files: scales, shapes, and panels of curves over linear or logarithmic axes.

A colour is a class in the file's own style, with a light and a dark value, so that a picture looks
right in a page, in a viewer and in print.  Numbers have one digit after the point, so that the same
figures make the same file.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

Point = tuple[float, float]

# Eight colours that people with colour blindness can tell apart (Okabe and Ito, 2008), here and
# there made darker or lighter for its ground.
LIGHT: Final = (
    "#0072b2", "#d55e00", "#007a5a", "#b8509a", "#a87800", "#2a9bd6", "#7a5230", "#444444",
)  # fmt: skip
DARK: Final = (
    "#5ab4f0", "#ff8c42", "#3fc79a", "#f08ccf", "#f0c040", "#9ad8ff", "#d0a070", "#d8d8d8",
)  # fmt: skip
GROUND: Final = ("#ffffff", "#181715")
INK: Final = ("#222222", "#ece8df")
QUIET: Final = ("#6b6b6b", "#a8a194")
GRID: Final = ("#e2e2e2", "#3b3833")
REST: Final = ("#b4b4b4", "#5f5c55")  # of what has no colour of its own

PANEL_WIDTH, PANEL_HEIGHT = 430, 340
PANEL_LEFT, PANEL_RIGHT, PANEL_TOP, PANEL_BOTTOM = 68, 28, 74, 44  # from a panel's edge to its axes
COLUMNS = 2  # panels beside each other


@dataclass(frozen=True, slots=True)
class Scale:
    """From the numbers low..high to the pixels first..last; `log`: by their logarithms."""

    low: float
    high: float
    first: float
    last: float
    log: bool = False

    def __call__(self, value: float) -> float:
        low, high = self._at(self.low), self._at(self.high)
        return self.first + (self._at(value) - low) / (high - low) * (self.last - self.first)

    def ticks(self, limit: int = 10) -> list[float]:
        """At most `limit` round numbers; on a logarithmic scale the powers of ten."""
        if self.log:
            first, last = round(math.log10(self.low)), round(math.log10(self.high))
            return [10.0**power for power in range(first, last + 1)]
        step = _step(self.high - self.low, limit)
        start = math.ceil(self.low / step - 1e-9)
        return [i * step for i in range(start, math.floor(self.high / step + 1e-9) + 1)]

    def _at(self, value: float) -> float:
        return math.log10(value) if self.log else value


def _step(span: float, limit: int) -> float:
    """Return 1, 2 or 5 times a power of ten; at most `limit - 1` of them cover the span."""
    step = 10.0 ** math.floor(math.log10(span / limit))
    return next(f * step for f in (1, 2, 5, 10, 20, 50) if span / (f * step) <= limit - 1 + 1e-9)


def round_scale(values: Sequence[float], first: float, last: float, log: bool = False) -> Scale:
    """Return a scale that shows all values, from one round number to another."""
    low, high = min(values), max(values)
    if log:
        low, high = 10.0 ** math.floor(math.log10(low)), 10.0 ** math.ceil(math.log10(high))
        return Scale(low, high if high > low else low * 10, first, last, log)
    step = _step(max(high, low + 1) - low, 10)
    low = math.floor(low / step) * step
    return Scale(low, max(math.ceil(high / step) * step, low + step), first, last)


def padded_scale(values: Sequence[float], first: float, last: float) -> Scale:
    """Return a scale for all values with a little room on both sides; it spans 100 at least."""
    low, high = min(values), max(values)
    room = max(0.04 * (high - low), (100 - (high - low)) / 2, 5.0)
    return Scale(low - room, high + room, first, last)


def color(number: int | None) -> str:
    """Return the class of a colour by its number; None: of what has none."""
    return "rest" if number is None else f"c{number}"


def text(x: float, y: float, words: str, kind: str, anchor: str = "start", turn: int = 0) -> str:
    """Words at a place, turned by so many degrees."""
    turned = f" transform='rotate({turn} {x:.1f} {y:.1f})'" if turn else ""
    place = f"x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}' class='{kind}'{turned}"
    return f"<text {place}>{escape(words)}</text>"


def path(points: Iterable[Point], kind: str) -> str:
    """Return a line through these points."""
    places = "L".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f"<path d='M{places}' class='{kind}'/>"


def dot(x: float, y: float, radius: float, kind: str) -> str:
    """Return a filled circle."""
    return f"<circle cx='{x:.1f}' cy='{y:.1f}' r='{radius}' class='{kind} dot'/>"


def error_bar(low: Point, high: Point, cap: float, kind: str) -> list[str]:
    """Return a level or upright line from `low` to `high` with caps at both ends."""
    aside, up = (0.0, cap) if low[1] == high[1] else (cap, 0.0)
    caps = [path([(x - aside, y - up), (x + aside, y + up)], kind) for x, y in (low, high)]
    return [path([low, high], kind), *caps]


def picture(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    """Return an SVG file of these parts."""
    head = (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width:.0f} {height:.0f}' "
        f"width='{width:.0f}' height='{height:.0f}'>"
    )
    return "\n".join([head, f"<title>{escape(title)}</title>", _style(), *parts, "</svg>", ""])


def _style() -> str:
    shapes = (
        "text{font:12px system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif}"
        ".bold{font-weight:600;font-size:14px}.small{font-size:10px}"
        "path[class]{fill:none}.line{stroke-width:2;stroke-linejoin:round}.thin{stroke-width:1}"
        ".dashed{stroke-dasharray:5 4}.bar{stroke-width:1;opacity:.55}.dot,.word{stroke:none}"
    )
    dark = f"@media(prefers-color-scheme:dark){{{_colors(1, DARK)}}}"
    return f"<style>{_colors(0, LIGHT)}{dark}{shapes}</style>"


def _colors(side: int, palette: Sequence[str]) -> str:
    """Return the colours of one side, light (0) or dark (1)."""
    rules = [
        f".ground{{fill:{GROUND[side]}}}.ink{{fill:{INK[side]}}}.quiet{{fill:{QUIET[side]}}}",
        f".grid{{stroke:{GRID[side]}}}path.rest{{stroke:{REST[side]}}}.rest{{fill:{REST[side]}}}",
    ]
    rules += [f".c{i}{{fill:{c}}}path.c{i}{{stroke:{c}}}" for i, c in enumerate(palette)]
    return "".join(rules)


@dataclass(frozen=True, slots=True)
class Curve:
    """Points from left to right; a `dashed` curve is computed, not measured, and has no dots."""

    name: str
    points: Sequence[Point]
    color: int | None = None  # its number in the palette
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis shows.  `log`: its ticks are powers of ten; `label` writes a tick."""

    title: str
    log: bool = False
    label: Callable[[float], str] = lambda value: f"{value:g}"


@dataclass(frozen=True, slots=True)
class Panel:
    """One diagram."""

    title: str
    across: Axis
    up: Axis
    curves: Sequence[Curve]


def panels(diagrams: Sequence[Panel], caption: str) -> str:
    """Return an SVG file of panels in two columns, above a line of text."""
    rows = -(-len(diagrams) // COLUMNS)
    width, height = COLUMNS * PANEL_WIDTH, rows * PANEL_HEIGHT + 26
    parts = [f"<rect width='{width}' height='{height}' class='ground'/>"]
    for i, panel in enumerate(diagrams):
        x, y = i % COLUMNS * PANEL_WIDTH, i // COLUMNS * PANEL_HEIGHT
        parts += [f"<g transform='translate({x} {y})'>", *_panel(panel), "</g>"]
    parts.append(text(width / 2, height - 9, caption, "quiet", "middle"))
    return picture(width, height, caption, parts)


def _panel(panel: Panel) -> list[str]:
    points = [point for curve in panel.curves for point in curve.points]
    left, right = PANEL_LEFT, PANEL_WIDTH - PANEL_RIGHT
    top, bottom = PANEL_TOP, PANEL_HEIGHT - PANEL_BOTTOM
    across = round_scale([x for x, _ in points], left, right, panel.across.log)
    up = round_scale([y for _, y in points], bottom, top, panel.up.log)
    parts = [text(left, 18, panel.title, "ink bold"), *_legend(panel.curves)]
    for value in across.ticks():
        parts.append(path([(across(value), top), (across(value), bottom)], "grid"))
        parts.append(text(across(value), bottom + 15, panel.across.label(value), "ink", "middle"))
    for value in up.ticks():
        parts.append(path([(left, up(value)), (right, up(value))], "grid"))
        parts.append(text(left - 6, up(value) + 4, panel.up.label(value), "ink", "end"))
    parts.append(text((left + right) / 2, bottom + 32, panel.across.title, "quiet", "middle"))
    parts.append(text(12, (top + bottom) / 2, panel.up.title, "quiet", "middle", turn=-90))
    for curve in panel.curves:
        places = [(across(x), up(y)) for x, y in curve.points]
        parts.append(path(places, _kind(curve)))
        if not curve.dashed:
            parts += [dot(x, y, 2.6, color(curve.color)) for x, y in places]
    return parts


def _legend(curves: Sequence[Curve]) -> list[str]:
    """Two names a row, each behind a piece of its curve."""
    parts = []
    for i, curve in enumerate(curves):
        x, y = PANEL_LEFT + i % 2 * 172, 33 + i // 2 * 15
        parts.append(path([(x, y), (x + 16, y)], _kind(curve)))
        parts.append(text(x + 21, y + 4, curve.name, "ink"))
    return parts


def _kind(curve: Curve) -> str:
    return f"{color(curve.color)} line{' dashed' if curve.dashed else ''}"
