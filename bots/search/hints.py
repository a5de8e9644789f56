"""What a search may tell the machine and nobody else notices."""

from __future__ import annotations

from collections.abc import MutableSequence


def prefetch(table: MutableSequence[int], slot: int) -> None:
    """Fetch `table[slot]` into the cache, as it will be asked for soon; plain, this does nothing.

    In a compiled copy bots/compiled.py puts an instruction of the machine here.
    """
