"""Random text for properties: hypothesis's own would first make a table of all characters, which
takes seconds in a clean clone.
"""

from __future__ import annotations

from hypothesis import strategies as st

LAST = 0x10FFFF
SURROGATES = range(0xD800, 0xE000)  # UTF-8 cannot encode them


def any_text(max_size: int = 50, *, surrogates: bool = True) -> st.SearchStrategy[str]:
    """Text of any characters, half of them from the first few alphabets."""
    ranges = [st.integers(0, 0x2FF), st.integers(0, LAST)]
    if not surrogates:
        ranges[1] = st.integers(0, SURROGATES[0] - 1) | st.integers(SURROGATES[-1] + 1, LAST)
    return st.lists(st.one_of(ranges).map(chr), max_size=max_size).map("".join)
