"""The two pictures of a report, as SVG files: ratings with error bars, and ratings over time.

Every colour is written out in a style of the file itself, light and dark, so that a picture looks
right in a page, in a viewer and in print.  Numbers have one digit after the point, so that the same
figures make the same file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape

from client.terminal.lines import clean, shorten
from protocol.ladder import RatingPoint, Standing

MOST_BARS = 40  # players in the picture of ratings
NAMED = 8  # players that have a colour of their own; the others are grey
WHISKERS = 30  # error bars of a line, at most
LETTER = 7.4  # pixels of a character of a name, about
ROW = 26
WIDTH, HEIGHT = 960, 470  # of the picture over time
LEFT, RIGHT, TOP, BOTTOM = 62, 210, 62, 56
# Eight colours that people with colour blindness can tell apart (Okabe and Ito, 2008), here and
# there made darker or lighter for its ground.
LIGHT = ("#0072b2", "#d55e00", "#007a5a", "#b8509a", "#a87800", "#2a9bd6", "#7a5230", "#444444")
DARK = ("#5ab4f0", "#ff8c42", "#3fc79a", "#f08ccf", "#f0c040", "#9ad8ff", "#d0a070", "#d8d8d8")
INK = ("#222222", "#ece8df")
QUIET = ("#6b6b6b", "#a8a194")
GRID = ("#e2e2e2", "#3b3833")
REST = ("#b4b4b4", "#5f5c55")


@dataclass(frozen=True, slots=True)
class Scale:
    """From low..high to the pixels first..last, with round numbers in between."""

    low: float
    high: float
    first: float
    last: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.first + share * (self.last - self.first)

    def ticks(self, most: int) -> list[float]:
        """Round numbers, at most so many."""
        step = _step(self.high - self.low, most)
        start = math.ceil(self.low / step - 1e-9)
        return [i * step for i in range(start, math.floor(self.high / step + 1e-9) + 1)]


def _step(span: float, most: int) -> float:
    """1, 2 or 5 times a power of ten, of which at most `most - 1` cover the span."""
    step = 10.0 ** math.floor(math.log10(span / most))
    for factor in (1, 2, 5, 10, 20):
        if span / (factor * step) <= most - 1:
            return factor * step
    return 50 * step


def colors(rows: Sequence[Standing]) -> Mapping[str, int]:
    """The colour of each of the best players that can be compared, by number."""
    named = [row.player for row in rows if row.rating is not None and not row.group]
    return {player: i for i, player in enumerate(named[:NAMED])}


# ---------------------------------------------------------------- ratings


def ratings(rows: Sequence[Standing], title: str) -> str:
    """The last ratings of the players that can be compared, each with its 95 % interval."""
    rated = [row for row in rows if row.rating is not None and not row.group][:MOST_BARS]
    left = 24 + LETTER * max((min(36, len(row.player)) for row in rated), default=0)
    width, height = left + 780, 66 + ROW * max(1, len(rated)) + 24
    ends = [end for row in rated for end in _ends(row)] or [0.0]
    across = _around(ends, left, width - 96)
    parts = [_text(16, 24, title, "ink bold")]
    bottom = height - 34
    for value in across.ticks(9):
        x = across(value)
        parts.append(_path([(x, 44), (x, bottom)], "grid"))
        parts.append(_text(x, bottom + 16, _number(value), "quiet", "middle"))
    parts.append(_text(width - 92, bottom + 16, "Elo", "quiet"))
    chosen = colors(rows)
    for i, row in enumerate(rated):
        parts += _bar(row, 60 + ROW * i, left, width, across, chosen.get(row.player))
    return _svg(width, height, title, parts)


def _ends(row: Standing) -> tuple[float, float]:
    rating, error = row.rating or 0.0, row.error or 0.0
    return rating - error, rating + error


def _bar(
    row: Standing, y: float, left: float, width: float, across: Scale, color: int | None
) -> list[str]:
    assert row.rating is not None, "only rated players are drawn"
    x, (low, high) = across(row.rating), map(across, _ends(row))
    kind = f"c{color}" if color is not None else "rest"
    said = f"{_number(row.rating)} ±{row.error:.0f}" if row.error else _number(row.rating)
    parts = [_text(left - 12, y + 4, _name(row.player), "ink", "end")]
    if row.error:
        parts.append(_path([(low, y), (high, y)], f"{kind} line"))
        parts += [_path([(end, y - 5), (end, y + 5)], f"{kind} line") for end in (low, high)]
    parts.append(f"<circle cx='{x:.1f}' cy='{y:.1f}' r='4.5' class='{kind} dot'/>")
    parts.append(_text(width - 8, y + 4, said, "ink", "end"))
    return parts


# ---------------------------------------------------------------- over time


def over_time(points: Sequence[RatingPoint], rows: Sequence[Standing], title: str) -> str:
    """Ratings after growing numbers of pairs; the best players of `rows` have a colour and bars.

    An interval that reaches beyond the picture, as those of the first pairs do, is cut off.
    """
    group = {row.player for row in rows if row.group}
    lines: dict[str, list[tuple[float, float, float]]] = {}
    for point in points:
        for of in point.ratings:
            if of.player not in group:
                lines.setdefault(of.player, []).append((point.pairs, of.rating, of.error))
    chosen = {player: i for player, i in colors(rows).items() if player in lines}
    right = WIDTH - RIGHT
    across = Scale(0, max((p.pairs for p in points), default=1) or 1, LEFT, right)
    up = _around(_heights(lines, chosen), HEIGHT - BOTTOM, TOP)
    parts = [_text(16, 24, title, "ink bold"), *_axes(points, across, up)]
    parts.append(
        f"<clipPath id='inside'><rect x='{LEFT}' y='{TOP}' width='{right - LEFT + 8}' "
        f"height='{HEIGHT - BOTTOM - TOP}'/></clipPath>"
    )
    parts.append("<g clip-path='url(#inside)'>")
    for player, line in lines.items():
        if player not in chosen:
            parts.append(_path([(across(x), up(y)) for x, y, _ in line], "rest thin"))
    for player, color in sorted(chosen.items(), key=lambda item: -item[1]):
        parts += _line(lines[player], color, across, up)
    return _svg(WIDTH, HEIGHT, title, [*parts, "</g>", *_labels(lines, chosen, right, up)])


def _heights(
    lines: Mapping[str, Sequence[tuple[float, float, float]]], chosen: Mapping[str, int]
) -> list[float]:
    """What must be seen: every rating of who is named, and the last interval of each."""
    seen = [0.0]
    for player, line in lines.items():
        last = line[-1]
        seen += [last[1] - last[2], last[1] + last[2]]
        if player in chosen:
            seen += [rating for _, rating, _ in line]
    return seen


def _axes(points: Sequence[RatingPoint], across: Scale, up: Scale) -> list[str]:
    parts = []
    for value in up.ticks(9):
        y = up(value)
        parts.append(_path([(across.first, y), (across.last, y)], "grid"))
        parts.append(_text(LEFT - 8, y + 4, _number(value), "quiet", "end"))
    parts.append(_text(LEFT - 8, TOP - 6, "Elo", "quiet", "end"))
    low = HEIGHT - BOTTOM
    for value in (tick for tick in across.ticks(7) if tick == int(tick)):
        x = across(value)
        parts.append(_path([(x, low), (x, low + 5)], "grid"))
        parts.append(_text(x, low + 19, f"{value:,.0f}", "quiet", "middle"))
        when = _when(points, value)
        if when is not None:
            told = datetime.fromtimestamp(when / 1000, UTC)
            parts.append(_text(x, low + 34, f"{told:%d %b %H:%M}", "quiet small", "middle"))
    parts.append(_text(across.last + 40, low + 19, "pairs", "quiet"))
    return parts


def _when(points: Sequence[RatingPoint], pairs: float) -> float | None:
    """When so many pairs were over, in ms, between the points that are known; before them, None."""
    before: RatingPoint | None = None
    for point in points:
        if point.pairs >= pairs:
            if before is None:
                return point.at if point.pairs == pairs else None
            share = (pairs - before.pairs) / (point.pairs - before.pairs)
            return before.at + share * (point.at - before.at)
        before = point
    return None


def _line(
    line: Sequence[tuple[float, float, float]], color: int, across: Scale, up: Scale
) -> list[str]:
    """A line with error bars; those of different players stand a little apart."""
    aside = (color - (NAMED - 1) / 2) * 1.6
    each = -(-len(line) // WHISKERS)
    parts = []
    for i, (x, y, error) in enumerate(line):
        if error > 0 and (len(line) - 1 - i) % each == 0:
            at, low, high = across(x) + aside, up(y - error), up(y + error)
            parts.append(_path([(at, low), (at, high)], f"c{color} bar"))
            parts += [_path([(at - 2.5, y), (at + 2.5, y)], f"c{color} bar") for y in (low, high)]
    parts.append(_path([(across(x), up(y)) for x, y, _ in line], f"c{color} line"))
    end = line[-1]
    parts.append(
        f"<circle cx='{across(end[0]):.1f}' cy='{up(end[1]):.1f}' r='3' class='c{color} dot'/>"
    )
    return parts


def _labels(
    lines: Mapping[str, Sequence[tuple[float, float, float]]],
    chosen: Mapping[str, int],
    x: float,
    up: Scale,
) -> list[str]:
    """Names at the ends of lines, from the top, pushed apart where they would overlap."""
    wished = sorted((up(lines[player][-1][1]), color, player) for player, color in chosen.items())
    places = [y for y, _, _ in wished]
    for i in range(1, len(places)):
        places[i] = max(places[i], places[i - 1] + 15)
    over = places[-1] - (HEIGHT - BOTTOM) if places else 0
    if over > 0:
        places = [
            min(y, HEIGHT - BOTTOM - 15 * (len(places) - 1 - i)) for i, y in enumerate(places)
        ]
    parts = []
    for y, (wish, color, player) in zip(places, wished, strict=True):
        parts.append(_path([(x + 12, wish), (x + 22, y)], f"c{color} bar"))
        parts.append(_text(x + 26, y + 4, _name(player, 26), f"c{color} word"))
    return parts


# ---------------------------------------------------------------- SVG


def _around(values: Sequence[float], first: float, last: float) -> Scale:
    """A scale for all values with a little room on both sides; 100 at least."""
    low, high = min(values), max(values)
    room = max(0.04 * (high - low), (100 - (high - low)) / 2, 5.0)
    return Scale(low - room, high + room, first, last)


def _name(player: str, most: int = 36) -> str:
    return shorten(player, most)


def _number(value: float) -> str:
    return f"{value:.0f}".replace("-", "−") if round(value) else "0"


def _style() -> str:
    light = _colors(0, LIGHT)
    dark = _colors(1, DARK)
    shape = (
        "text{font:12px system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif}"
        ".bold{font-weight:600;font-size:14px}.small{font-size:10px}"
        "path[class]{fill:none}.line{stroke-width:2;stroke-linejoin:round}.thin{stroke-width:1}"
        ".bar{stroke-width:1;opacity:.55}.dot,.word{stroke:none}"
    )
    return f"<style>{light}@media(prefers-color-scheme:dark){{{dark}}}{shape}</style>"


def _colors(side: int, palette: Sequence[str]) -> str:
    """The colours of one side, light or dark."""
    rules = [
        f".ink{{fill:{INK[side]}}}.quiet{{fill:{QUIET[side]}}}",
        f".grid{{stroke:{GRID[side]}}}path.rest{{stroke:{REST[side]}}}.rest{{fill:{REST[side]}}}",
    ]
    rules += [f".c{i}{{fill:{c}}}path.c{i}{{stroke:{c}}}" for i, c in enumerate(palette)]
    return "".join(rules)


def _svg(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    head = (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width:.0f} {height:.0f}' "
        f"width='{width:.0f}' height='{height:.0f}'>"
    )
    told = f"<title>{escape(clean(title))}</title>"
    return "\n".join([head, told, _style(), *parts, "</svg>", ""])


def _text(x: float, y: float, text: str, kind: str, anchor: str = "start") -> str:
    place = f"x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}' class='{kind}'"
    return f"<text {place}>{escape(clean(text))}</text>"


def _path(points: Sequence[tuple[float, float]], kind: str) -> str:
    at = "L".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f"<path d='M{at}' class='{kind}'/>"
