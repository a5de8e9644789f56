"""Draws the page's icons as PNG and ICO from the shapes of its icon.svg.

`python -m tests.support.icons` writes them into client/web/icons; a test sees that they are up to
date.  Of SVG only what that file has is read: filled polygons and circles, one colour each.
"""

from __future__ import annotations

import math
import re
import struct
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

WEB: Final = Path(__file__).resolve().parents[2] / "client" / "web"
ICONS: Final = WEB / "icons"
GROUND: Final = (0xF5, 0xF3, 0xEE)  # --ground of style.css
ROOM: Final = 0.74  # of the width is the house's: a system may cut the rest off in its own shape
SIDE: Final = 32.0  # of icon.svg's view box
SUBROWS: Final = 4  # of a row of pixels, to smooth what is not vertical
LEVELS: Final = 15  # of smoothing
SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
Colour: TypeAlias = tuple[int, int, int]


class Shape(NamedTuple):
    """A convex shape.  `span(y)`: from where to where it is filled at this height; None: not."""

    colour: Colour
    span: Callable[[float], tuple[float, float] | None]


def shapes(svg: str) -> list[Shape]:
    """Return the shapes of an SVG, the hindmost first."""
    found = []
    for tag, text in re.findall(r"<(path|circle) ([^>]*)/>", svg):
        values = dict(re.findall(r'(\w+)="([^"]*)"', text))
        fill = values["fill"]
        colour = (int(fill[1:3], 16), int(fill[3:5], 16), int(fill[5:7], 16))
        if tag == "circle":
            found.append(
                Shape(colour, _circle(*(float(values[each]) for each in ("cx", "cy", "r"))))
            )
        else:
            found.append(Shape(colour, _polygon(_points(values["d"]))))
    return found


def _points(path: str) -> list[tuple[float, float]]:
    """Return the corners of a path of the commands M, L (also implied), l, v, H and z."""
    x = y = 0.0
    points = []
    for command, text in re.findall(r"([MLlvHz])([^A-Za-z]*)", path):
        numbers = [float(each) for each in re.findall(r"-?[0-9.]+", text)]
        if command == "v":
            y += numbers[0]
            points.append((x, y))
        elif command == "H":
            x = numbers[0]
            points.append((x, y))
        else:
            for dx, dy in zip(numbers[::2], numbers[1::2], strict=True):
                x, y = (x + dx, y + dy) if command == "l" else (dx, dy)
                points.append((x, y))
    return points


def _polygon(
    points: Sequence[tuple[float, float]],
) -> Callable[[float], tuple[float, float] | None]:
    def span(y: float) -> tuple[float, float] | None:
        crossings = [
            x0 + (y - y0) * (x1 - x0) / (y1 - y0)
            for (x0, y0), (x1, y1) in zip(points, [*points[1:], points[0]], strict=True)
            if (y0 <= y) != (y1 <= y)
        ]
        return (min(crossings), max(crossings)) if crossings else None

    return span


def _circle(cx: float, cy: float, r: float) -> Callable[[float], tuple[float, float] | None]:
    def span(y: float) -> tuple[float, float] | None:
        rest = r * r - (y - cy) ** 2
        return (cx - math.sqrt(rest), cx + math.sqrt(rest)) if rest > 0 else None

    return span


def draw(figures: Iterable[Shape], size: int, room: float) -> list[list[Colour]]:
    """Return the rows of a square picture; the view box takes `room` of its width."""
    scale = size * room / SIDE
    edge = size * (1 - room) / 2
    rows = [[GROUND] * size for _ in range(size)]
    for shape in figures:
        for y, row in enumerate(rows):
            for x, level in _coverage(shape, y, size, scale, edge).items():
                row[x] = _mixed(row[x], shape.colour, level)
    return rows


def _coverage(shape: Shape, y: int, size: int, scale: float, edge: float) -> dict[int, int]:
    """Return pixel of a row -> how much of it is filled, 1 to LEVELS."""
    filled: dict[int, float] = {}
    for part in range(SUBROWS):
        span = shape.span((y + (part + 0.5) / SUBROWS - edge) / scale)
        if span is None:
            continue
        left, right = (edge + each * scale for each in span)
        for x in range(max(0, int(left)), min(size, math.ceil(right))):
            overlap = min(right, x + 1) - max(left, x)
            filled[x] = filled.get(x, 0.0) + max(0.0, overlap) / SUBROWS
    levels = {x: round(part * LEVELS) for x, part in filled.items()}
    return {x: level for x, level in levels.items() if level}


def _mixed(below: Colour, above: Colour, level: int) -> Colour:
    red, green, blue = (
        round(b + (a - b) * level / LEVELS) for a, b in zip(above, below, strict=True)
    )
    return red, green, blue


def png(rows: Sequence[Sequence[Colour]]) -> bytes:
    """Return a picture of at most 256 colours as PNG, with a palette."""
    palette = {colour: n for n, colour in enumerate(sorted({each for row in rows for each in row}))}
    pixels = b"".join(b"\0" + bytes(palette[each] for each in row) for row in rows)
    head = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 3, 0, 0, 0)
    colours = bytes(part for colour in palette for part in colour)
    parts = (
        (b"IHDR", head),
        (b"PLTE", colours),
        (b"IDAT", zlib.compress(pixels, 9)),
        (b"IEND", b""),
    )
    return SIGNATURE + b"".join(_chunk(kind, body) for kind, body in parts)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def ico(pictures: Sequence[bytes], sizes: Sequence[int]) -> bytes:
    """Return an ICO file of PNG pictures of these sizes."""
    at = 6 + 16 * len(pictures)
    entries = b""
    for picture, size in zip(pictures, sizes, strict=True):
        entries += struct.pack("<BBBBHHII", size, size, 0, 0, 1, 8, len(picture), at)
        at += len(picture)
    return struct.pack("<HHH", 0, 1, len(pictures)) + entries + b"".join(pictures)


def pixels_of(picture: bytes) -> list[bytes]:
    """Return the chunks of a PNG, unpacked: what stays the same with another version of zlib."""
    chunks, at = [], len(SIGNATURE)
    while at < len(picture):
        (size,) = struct.unpack(">I", picture[at : at + 4])
        kind, body = picture[at + 4 : at + 8], picture[at + 8 : at + 8 + size]
        chunks.append(kind + (zlib.decompress(body) if kind == b"IDAT" else body))
        at += size + 12
    return chunks


def pictures() -> dict[str, bytes]:
    """Return file name -> what should be in it."""
    figures = shapes((WEB / "icon.svg").read_text("utf-8"))
    named = {"192.png": 192, "512.png": 512, "touch.png": 180}
    drawn = {name: png(draw(figures, size, ROOM)) for name, size in named.items()}
    small = (16, 32)
    tabs = [png(draw(figures, size, 1.0)) for size in small]
    return {**drawn, "favicon.ico": ico(tabs, small)}


if __name__ == "__main__":
    for name, body in pictures().items():
        (ICONS / name).write_bytes(body)
        print(f"{ICONS / name}: {len(body):,} bytes")
