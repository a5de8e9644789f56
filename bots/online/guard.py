"""Code that is not ours: a bot, or the rules of a game.  It may raise anything, and that must cost
no more than what it was called for.

tests/bots/online/test_guard.py lists the places that use `contained`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(slots=True)
class Containment:
    """What came of the code: `error` is what it raised, or None."""

    error: Exception | None = None


@contextmanager
def contained() -> Iterator[Containment]:
    """Run a block of such code; what it raises goes no further.

        with contained() as code:
            choice = bot.choose(position, budget)
        if code.error is not None: ...

    A cancellation or an interrupt is no error of the code, and does go further.
    """
    code = Containment()
    try:
        yield code
    except Exception as error:  # noqa: BLE001 - others' code may raise anything; the caller logs it
        code.error = error
