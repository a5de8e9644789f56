"""What a pipe tells about the last match: exit codes."""

from __future__ import annotations

from typing import Final

from protocol.parts import Result, Series

LOST: Final = 4  # 1 to 3 have meanings of their own in other commands
DRAWN: Final = 5
UNDECIDED: Final = 6  # aborted, void, or still on


def exit_code(result: Result | None, seat: int, series: Series | None = None) -> int:
    """Return the code of a match, or of the series that it is a game of, for the player at `seat`:
    0 if that one has won.
    """
    if result is None or result.how in ("abort", "void"):
        return UNDECIDED
    if series is not None:
        return UNDECIDED if series.winner is None else 0 if series.winner == seat else LOST
    if result.winner is None:
        return DRAWN
    return 0 if result.winner == seat else LOST
