"""Days as files write them, 2026.11.01 or 2026-11-01, in milliseconds since 1970."""

from __future__ import annotations

import calendar
import re

_DAY = re.compile(r"\s*(\d{4})[-./](\d{1,2})[-./](\d{1,2})(?:\s+(\d{1,2})[:.](\d{2}))?\b")


def milliseconds(text: str) -> int:
    """Return the beginning of a day, or the minute where it is written; 0: there is none."""
    found = _DAY.match(text)
    if found is None:
        return 0
    year, month, day, hour, minute = (int(part or 0) for part in found.groups())
    if not (1970 <= year <= 9998 and 1 <= month <= 12 and 1 <= day <= 31 and hour < 24):
        return 0
    return 1000 * calendar.timegm((year, month, day, hour, minute % 60, 0))
