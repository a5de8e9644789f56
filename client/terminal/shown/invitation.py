"""How somebody else gets into a room: a command, a link, and the link as a QR code.

The code stands beside the text, where the window has room for both; a phone reads it from there.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from client.address import DEFAULT_ADDRESS, is_loopback
from client.styled_text import StyledText, beside, cut, styled, width
from protocol.messages import RoomState

QUIET: Final = 2  # modules of margin; four are the norm, but phones read it with two
MIN_TEXT: Final = 40  # columns that the text beside a code needs
GAP: Final = 3


@dataclass(frozen=True, slots=True)
class Invitation:
    """A command and a link into a room, and the link as a QR code, if others can follow it."""

    command: str
    link: str
    qr: tuple[str, ...] = ()
    only_here: bool = False  # the server can be reached from its own machine only


def invitation(room: RoomState | None, origin: str) -> Invitation | None:
    """Return how others get into a room; None where the page's address is not known yet."""
    if room is None or not origin:
        return None
    key = room.code or str(room.room)
    link = f"{origin}/#{'code' if room.code else 'room'}={key}"
    command = f"plyhouse play --join {key}"
    if origin != f"http://{DEFAULT_ADDRESS}":
        command += f" --url {origin}"
    only_here = is_loopback(origin)
    return Invitation(command, link, () if only_here else qr_rows(link), only_here)


def with_invitation(
    lines: list[StyledText], invitation: Invitation, wide: int, rows: int
) -> list[StyledText]:
    """Return the lines of a room, and the invitation below them; its code to their right."""
    code = [styled(("qr", row)) for row in invitation.qr]
    beside_code = wide - max(map(width, code), default=0) - GAP
    if not code or beside_code < MIN_TEXT or len(code) > rows:
        return [*lines, *_text(invitation, wide)]
    text = [cut(line, beside_code) for line in [*lines, *_text(invitation, beside_code)]]
    return beside(text, code, GAP)


def _text(invitation: Invitation, wide: int) -> list[StyledText]:
    lines = [
        styled("/invite WHO asks somebody here; others type"),
        (),
        *_command(invitation.command, wide - 2),
        (),
        styled("or open"),
        (),
        styled("  ", ("key", invitation.link)),
    ]
    if invitation.only_here:
        lines += [(), styled(("dim", "On this machine only: `plyhouse up --lan` lets others in."))]
    return lines


def _command(command: str, wide: int) -> list[StyledText]:
    """The command on one line, or on two that a shell reads as one."""
    first, option, address = command.partition(" --url ")
    if len(command) <= wide or not option:
        return [styled("  ", ("key", command))]
    return [styled("  ", ("key", f"{first} \\")), styled("  ", ("key", f"  --url {address}"))]


@lru_cache(maxsize=4)
def qr_rows(text: str) -> tuple[str, ...]:
    """Return a QR code as lines of half blocks, two modules each; none without colours.

    It is to be shown black on white: a terminal's own colours may be the other way round.
    """
    if os.environ.get("NO_COLOR"):
        return ()
    import segno

    modules = segno.make(text, error="l", micro=False).matrix_iter(border=QUIET)
    rows = [[bool(module) for module in row] for row in modules]
    rows += [[False] * len(rows[0])] * (len(rows) % 2)
    return tuple(
        "".join(_HALVES[pair] for pair in zip(upper, lower, strict=True))
        for upper, lower in zip(rows[::2], rows[1::2], strict=True)
    )


_HALVES: Final = {
    (False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█",
}  # fmt: skip
