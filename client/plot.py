"""Plots as SVG files: scales and shapes.

A colour is a class in the file's own style, with a light and a dark value, so that a picture looks
right in a page, in a viewer and in print.  Numbers have one digit after the point, so that the same
figures make the same file.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
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


@dataclass(frozen=True, slots=True)
class Scale:
    """From the numbers low..high to the pixels first..last."""

    low: float
    high: float
    first: float
    last: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.first + share * (self.last - self.first)

    def ticks(self, limit: int = 10) -> list[float]:
        """At most `limit` round numbers."""
        step = _step(self.high - self.low, limit)
        start = math.ceil(self.low / step - 1e-9)
        return [i * step for i in range(start, math.floor(self.high / step + 1e-9) + 1)]


def _step(span: float, limit: int) -> float:
    """Return 1, 2 or 5 times a power of ten; at most `limit - 1` of them cover the span."""
    step = 10.0 ** math.floor(math.log10(span / limit))
    return next(f * step for f in (1, 2, 5, 10, 20, 50) if span / (f * step) <= limit - 1 + 1e-9)


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
    places = "L".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f"<path d='M{places}' class='{kind}'/>"


def dot(x: float, y: float, radius: float, kind: str) -> str:
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
