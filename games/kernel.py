"""@kernel marks a function of ints that search may compile.  A marker, nothing else.

A kernel takes its state as a list of ints (in the server) or an int64 array (in a bot), and uses
ints only: no allocation, closures, exceptions or slices; scratch space is passed in.  It may call
other kernels, of its own game or of games.rng.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Mark a function as compilable and give it back as it is."""
    function.__kernel__ = True  # type: ignore[attr-defined]
    return function


def is_kernel(value: object) -> bool:
    return getattr(value, "__kernel__", False) is True
