"""The two pictures of a report, as SVG files: ratings with error bars, and ratings over time.

A colour is a class in the file's own style, with a light and a dark value, so that a picture looks
right in a page, in a viewer and in print.  Numbers have one digit after the point, so that the same
figures make the same file.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from typing import Final, NamedTuple

from client.styled_text import clean, shorten
from protocol.ladder import RatingPoint, Standing

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
MAX_BARS = 40  # players in the picture of ratings
MAX_ERROR_BARS = 30  # of a curve
LETTER = 7.4  # pixels of a character of a name, about
ROW = 26
WIDTH, HEIGHT = 960, 470  # of the picture over time
LEFT, RIGHT, TOP, BOTTOM = 62, 960 - 210, 62, 470 - 56


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


def text(x: float, y: float, words: str, kind: str, anchor: str = "start") -> str:
    place = f"x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}' class='{kind}'"
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


class RatingAt(NamedTuple):
    """A rating after so many pairs, with half of its 95 % interval."""

    pairs: int
    rating: float
    error: float


def colors(rows: Sequence[Standing]) -> Mapping[str, int]:
    """Return the colour of each of the best players that can be compared, by number."""
    comparable = [row.player for row in rows if row.rating is not None and not row.group]
    return {player: i for i, player in enumerate(comparable[: len(LIGHT)])}


def ratings(rows: Sequence[Standing], title: str) -> str:
    """Return the last ratings of the players that can be compared, each with its 95 % interval."""
    rated = [row for row in rows if row.rating is not None and not row.group][:MAX_BARS]
    left = 24 + LETTER * max((min(36, len(row.player)) for row in rated), default=0)
    width, height = left + 780, 66 + ROW * max(1, len(rated)) + 24
    ends = [end for row in rated for end in _ends(row)] or [0.0]
    across = padded_scale(ends, left, width - 96)
    parts = [text(16, 24, clean(title), "ink bold")]
    bottom = height - 34
    for value in across.ticks(9):
        x = across(value)
        parts.append(path([(x, 44), (x, bottom)], "grid"))
        parts.append(text(x, bottom + 16, _number(value), "quiet", "middle"))
    parts.append(text(width - 92, bottom + 16, "Elo", "quiet"))
    numbers = colors(rows)
    for i, row in enumerate(rated):
        parts += _bar(row, 60 + ROW * i, across, width, color(numbers.get(row.player)))
    return picture(width, height, clean(title), parts)


def _ends(row: Standing) -> tuple[float, float]:
    rating, error = row.rating or 0.0, row.error or 0.0
    return rating - error, rating + error


def _bar(row: Standing, y: float, across: Scale, width: float, kind: str) -> list[str]:
    """Return a name, a rating with its interval, and both in figures."""
    rating, (low, high) = row.rating or 0.0, _ends(row)
    figures = f"{_number(rating)} ±{row.error:.0f}" if row.error else _number(rating)
    parts = [text(across.first - 12, y + 4, shorten(row.player, 36), "ink", "end")]
    if row.error:
        parts += error_bar((across(low), y), (across(high), y), 5, f"{kind} line")
    parts.append(dot(across(rating), y, 4.5, kind))
    return [*parts, text(width - 8, y + 4, figures, "ink", "end")]


def over_time(points: Sequence[RatingPoint], rows: Sequence[Standing], title: str) -> str:
    """Ratings after growing numbers of pairs; the best players of `rows` have a colour and bars.

    An interval that reaches beyond the picture, as those of the first pairs do, is cut off.
    """
    unconnected = {row.player for row in rows if row.group}
    curves: dict[str, list[RatingAt]] = {}
    for point in points:
        for rated in point.ratings:
            if rated.player not in unconnected:
                at = RatingAt(point.pairs, rated.rating, rated.error)
                curves.setdefault(rated.player, []).append(at)
    numbers = {player: i for player, i in colors(rows).items() if player in curves}
    across = Scale(0, max((p.pairs for p in points), default=1) or 1, LEFT, RIGHT)
    up = padded_scale(_heights(curves, numbers), BOTTOM, TOP)
    parts = [text(16, 24, clean(title), "ink bold"), *_axes(points, across, up)]
    parts.append(
        f"<clipPath id='inside'><rect x='{LEFT}' y='{TOP}' width='{RIGHT - LEFT + 8}' "
        f"height='{BOTTOM - TOP}'/></clipPath>"
    )
    parts.append("<g clip-path='url(#inside)'>")
    for player, curve in curves.items():
        if player not in numbers:
            parts.append(path(_places(curve, across, up), "rest thin"))
    for player, number in sorted(numbers.items(), key=lambda item: -item[1]):
        parts += _curve(curves[player], number, across, up)
    return picture(WIDTH, HEIGHT, clean(title), [*parts, "</g>", *_labels(curves, numbers, up)])


def _places(curve: Sequence[RatingAt], across: Scale, up: Scale) -> list[tuple[float, float]]:
    return [(across(rated.pairs), up(rated.rating)) for rated in curve]


def _heights(curves: Mapping[str, Sequence[RatingAt]], numbers: Mapping[str, int]) -> list[float]:
    """Return the heights to be seen: all ratings with a colour, and each player's last interval."""
    heights = [0.0]
    for player, curve in curves.items():
        last = curve[-1]
        heights += [last.rating - last.error, last.rating + last.error]
        if player in numbers:
            heights += [rated.rating for rated in curve]
    return heights


def _axes(points: Sequence[RatingPoint], across: Scale, up: Scale) -> list[str]:
    parts = []
    for value in up.ticks(9):
        y = up(value)
        parts.append(path([(LEFT, y), (RIGHT, y)], "grid"))
        parts.append(text(LEFT - 8, y + 4, _number(value), "quiet", "end"))
    parts.append(text(LEFT - 8, TOP - 6, "Elo", "quiet", "end"))
    for value in (tick for tick in across.ticks(7) if tick == int(tick)):
        x = across(value)
        parts.append(path([(x, BOTTOM), (x, BOTTOM + 5)], "grid"))
        parts.append(text(x, BOTTOM + 19, f"{value:,.0f}", "quiet", "middle"))
        at = _when(points, value)
        if at is not None:
            date = datetime.fromtimestamp(at / 1000, UTC)
            parts.append(text(x, BOTTOM + 34, f"{date:%d %b %H:%M}", "quiet small", "middle"))
    parts.append(text(RIGHT + 40, BOTTOM + 19, "pairs", "quiet"))
    return parts


def _when(points: Sequence[RatingPoint], pairs: float) -> float | None:
    """When so many pairs were over, in ms, between the known points; before the first, None."""
    before: RatingPoint | None = None
    for point in points:
        if point.pairs >= pairs:
            if before is None:
                return point.at if point.pairs == pairs else None
            share = (pairs - before.pairs) / (point.pairs - before.pairs)
            return before.at + share * (point.at - before.at)
        before = point
    return None


def _curve(curve: Sequence[RatingAt], number: int, across: Scale, up: Scale) -> list[str]:
    """Return a curve with error bars; those of different players stand a little apart."""
    aside = (number - (len(LIGHT) - 1) / 2) * 1.6
    stride = -(-len(curve) // MAX_ERROR_BARS)
    parts = []
    for i, (pairs, rating, error) in enumerate(curve):
        if error > 0 and (len(curve) - 1 - i) % stride == 0:
            x = across(pairs) + aside
            low, high = (x, up(rating - error)), (x, up(rating + error))
            parts += error_bar(low, high, 2.5, f"{color(number)} bar")
    places = _places(curve, across, up)
    return [*parts, path(places, f"{color(number)} line"), dot(*places[-1], 3, color(number))]


def _labels(
    curves: Mapping[str, Sequence[RatingAt]], numbers: Mapping[str, int], up: Scale
) -> list[str]:
    """Names at the ends of curves, from the top, pushed apart where they would overlap."""
    ends = sorted((up(curves[player][-1].rating), i, player) for player, i in numbers.items())
    heights = [y for y, _, _ in ends]
    for i in range(1, len(heights)):
        heights[i] = max(heights[i], heights[i - 1] + 15)
    if heights and heights[-1] > BOTTOM:
        count = len(heights)
        heights = [min(y, BOTTOM - 15 * (count - 1 - i)) for i, y in enumerate(heights)]
    parts = []
    for y, (end, number, player) in zip(heights, ends, strict=True):
        parts.append(path([(RIGHT + 12, end), (RIGHT + 22, y)], f"{color(number)} bar"))
        parts.append(text(RIGHT + 26, y + 4, shorten(player, 26), f"{color(number)} word"))
    return parts


def _number(value: float) -> str:
    return f"{value:.0f}".replace("-", "−") if round(value) else "0"
