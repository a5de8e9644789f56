"""A small writer of SVG: panels of lines over axes, linear or logarithmic, in a grid.

Only what bench/growth.py draws.  The numbers are written with one digit after the point, so that
the same figures make the same file.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 430, 340  # of a panel
LEFT, RIGHT, TOP, BOTTOM = 68, 28, 74, 44  # between a panel's edge and its axes
COLUMNS = 2
INK, GREY, GRID = "#222222", "#777777", "#e4e4e4"
STYLE = "font-family='Helvetica, Arial, sans-serif' font-size='11'"


@dataclass(frozen=True, slots=True)
class Line:
    """Points from left to right; `dashed` lines, which are computed and not measured, are bare."""

    name: str
    color: str
    points: Sequence[tuple[float, float]]
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Axis:
    """What is on it.  `log`: its ticks are powers of ten; `write` makes a number a label."""

    title: str
    log: bool = True
    write: Callable[[float], str] = lambda value: f"{value:g}"


@dataclass(frozen=True, slots=True)
class Panel:
    """One diagram."""

    title: str
    across: Axis
    up: Axis
    lines: Sequence[Line]


@dataclass(frozen=True, slots=True)
class Scale:
    """From the numbers of an axis, low to high, to its pixels, first to last."""

    axis: Axis
    low: float
    high: float
    first: float
    last: float

    def __call__(self, value: float) -> float:
        share = (self._at(value) - self._at(self.low)) / (self._at(self.high) - self._at(self.low))
        return self.first + share * (self.last - self.first)

    def ticks(self) -> list[float]:
        """The powers of ten in between, or up to ten round numbers."""
        if self.axis.log:
            powers = range(round(math.log10(self.low)), round(math.log10(self.high)) + 1)
            return [10.0**power for power in powers]
        step = _step(self.low, self.high)
        return [self.low + i * step for i in range(round((self.high - self.low) / step) + 1)]

    def _at(self, value: float) -> float:
        return math.log10(value) if self.axis.log else value


def scale(axis: Axis, values: Sequence[float], first: float, last: float) -> Scale:
    """An axis that shows all values, from one round number to another."""
    low, high = min(values), max(values)
    if axis.log:
        low, high = 10.0 ** math.floor(math.log10(low)), 10.0 ** math.ceil(math.log10(high))
        return Scale(axis, low, high if high > low else low * 10, first, last)
    step = _step(low, max(high, low + 1))
    low = math.floor(low / step) * step
    return Scale(axis, low, max(math.ceil(high / step) * step, low + step), first, last)


def _step(low: float, high: float) -> float:
    """1, 2 or 5 times a power of ten: nine of them at most cover the span."""
    step = 10.0 ** math.floor(math.log10(high - low) - 1)
    while (high - low) / step > 9:
        step *= 2.5 if f"{step:e}"[0] == "2" else 2
    return step


def drawing(panels: Sequence[Panel], caption: str) -> str:
    """The panels in two columns, above a line of text."""
    rows = -(-len(panels) // COLUMNS)
    width, height = COLUMNS * WIDTH, rows * HEIGHT + 26
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' "
        f"width='{width}' height='{height}' {STYLE}>",
        f"<title>{escape(caption)}</title>",
        f"<rect width='{width}' height='{height}' fill='white'/>",
    ]
    for i, panel in enumerate(panels):
        parts.append(f"<g transform='translate({i % COLUMNS * WIDTH} {i // COLUMNS * HEIGHT})'>")
        parts += _panel(panel)
        parts.append("</g>")
    parts.append(_text(width / 2, height - 9, caption, "middle", GREY))
    return "\n".join([*parts, "</svg>", ""])


def _panel(panel: Panel) -> list[str]:
    points = [point for line in panel.lines for point in line.points]
    across = scale(panel.across, [x for x, _ in points], LEFT, WIDTH - RIGHT)
    up = scale(panel.up, [y for _, y in points], HEIGHT - BOTTOM, TOP)
    parts = [_text(LEFT, 18, panel.title, "start", INK, bold=True)]
    parts += _legend(panel.lines)
    for x in across.ticks():
        parts.append(_stroke([(across(x), TOP), (across(x), HEIGHT - BOTTOM)], GRID))
        parts.append(_text(across(x), HEIGHT - BOTTOM + 15, panel.across.write(x), "middle", INK))
    for y in up.ticks():
        parts.append(_stroke([(LEFT, up(y)), (WIDTH - RIGHT, up(y))], GRID))
        parts.append(_text(LEFT - 6, up(y) + 4, panel.up.write(y), "end", INK))
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(_text(middle, HEIGHT - BOTTOM + 32, panel.across.title, "middle", GREY))
    turned = f"transform='rotate(-90 12 {(TOP + HEIGHT - BOTTOM) / 2:.1f})'"
    parts.append(_text(12, (TOP + HEIGHT - BOTTOM) / 2, panel.up.title, "middle", GREY, turned))
    for line in panel.lines:
        at = [(across(x), up(y)) for x, y in line.points]
        parts.append(_stroke(at, line.color, 1.8, line.dashed))
        if not line.dashed:
            parts += [
                f"<circle cx='{x:.1f}' cy='{y:.1f}' r='2.6' fill='{line.color}'/>" for x, y in at
            ]
    return parts


def _legend(lines: Sequence[Line]) -> list[str]:
    """Two names a row, each behind a piece of its line."""
    parts = []
    for i, line in enumerate(lines):
        x, y = LEFT + i % 2 * 172, 33 + i // 2 * 15
        parts.append(_stroke([(x, y), (x + 16, y)], line.color, 2.2, line.dashed))
        parts.append(_text(x + 21, y + 4, line.name, "start", INK))
    return parts


def _stroke(
    points: Sequence[tuple[float, float]], color: str, width: float = 1.0, dashed: bool = False
) -> str:
    at = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dash = " stroke-dasharray='5 4'" if dashed else ""
    return f"<polyline points='{at}' fill='none' stroke='{color}' stroke-width='{width}'{dash}/>"


def _text(
    x: float, y: float, text: str, anchor: str, color: str, more: str = "", *, bold: bool = False
) -> str:
    weight = " font-weight='bold'" if bold else ""
    place = f"x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}' fill='{color}'{weight} {more}".rstrip()
    return f"<text {place}>{escape(text)}</text>"
