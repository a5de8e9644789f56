"""Somebody else's code: what it raises is known, and goes no further."""

from __future__ import annotations

import asyncio

import pytest

from bots.foreign import Foreign


def test_what_it_raises_is_known_and_goes_no_further() -> None:
    with Foreign() as code:
        raise ZeroDivisionError("a bug of theirs")
    assert repr(code.error) == "ZeroDivisionError('a bug of theirs')"


def test_where_it_raises_nothing_there_is_no_error() -> None:
    with Foreign() as code:
        found = 1 + 1
    assert (found, code.error) == (2, None)


@pytest.mark.parametrize("end", [asyncio.CancelledError, KeyboardInterrupt, SystemExit])
def test_to_be_cancelled_or_interrupted_goes_further(end: type[BaseException]) -> None:
    code = Foreign()
    with pytest.raises(end), code:
        raise end
    assert code.error is None
