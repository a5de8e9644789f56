"""What a search may tell the compiler; plain, it does nothing."""

from __future__ import annotations

from collections.abc import MutableSequence


def prefetch(table: MutableSequence[int], slot: int) -> None:
    """Fetch `table[slot]` into the cache, as it will be asked for soon; plain, this does nothing.

    In a compiled copy bots/engine/compiled.py puts an instruction of the machine here.
    """


def single(value: float) -> float:
    """`value` in single precision, so that sums of such numbers stay there; plain, as it is.

    In a compiled copy bots/engine/compiled.py puts numpy's float32 here.
    """
    return value


def place(index: int) -> int:
    """An index that is not negative, so that it never counts from the end; plain, as it is.

    In a compiled copy it is unsigned, which lets a loop over floats run eight at a time.
    """
    return index
