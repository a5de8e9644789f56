"""Code that is not ours: what it raises is reported, goes no further, and where that holds."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from bots.online import guard
from bots.online.guard import contained


def test_what_it_raises_is_known_and_goes_no_further() -> None:
    with contained() as code:
        raise ZeroDivisionError("a bug of theirs")
    assert repr(code.error) == "ZeroDivisionError('a bug of theirs')"


def test_where_it_raises_nothing_there_is_no_error() -> None:
    with contained() as code:
        found = 1 + 1
    assert (found, code.error) == (2, None)


@pytest.mark.parametrize("end", [asyncio.CancelledError, KeyboardInterrupt, SystemExit])
def test_to_be_cancelled_or_interrupted_goes_further(end: type[BaseException]) -> None:
    with pytest.raises(end), contained() as code:
        raise end
    assert code.error is None


def test_only_these_places_catch_every_exception() -> None:
    bots = Path(guard.__file__).parents[1]
    places = [
        path.relative_to(bots).as_posix()
        for path in bots.rglob("*.py")
        for line in path.read_text("utf-8").splitlines()
        if line.strip() == "with contained() as code:" and path.name != "guard.py"
    ]
    assert sorted(places) == [
        "online/match.py",  # a bot thinks, or ponders
        "online/match.py",  # ... or judges a resignation
        "online/reviewer.py",  # an analyst looks at a match
        "online/reviewer.py",  # ... or at a position
        "online/room.py",  # a bot loads its code
        "online/runner.py",  # a bot is asked for a hint
    ]
