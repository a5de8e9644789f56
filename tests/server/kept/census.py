"""Counts what a server in this process keeps: objects by class, and what their collections hold."""

from __future__ import annotations

import gc
import sys
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

REMEMBERING: Final = type(lru_cache(len))


def census() -> Counter[str]:
    """Return how many objects there are of each class of server/, and what each attribute holds.

    What functions remember of their calls is forgotten first.
    """
    for name, module in list(sys.modules.items()):
        for each in vars(module).values() if name.startswith("server.") else ():
            if isinstance(each, REMEMBERING):
                each.cache_clear()
    gc.collect()
    kept: Counter[str] = Counter()
    for each in gc.get_objects():
        kind = type(each)
        where = str(kind.__module__)
        if not where.startswith("server.") or (
            where.startswith("server.store.") and issubclass(kind, tuple)
        ):
            continue  # a row is on the disk, for which a log in memory stands, or on its way there
        kept[kind.__qualname__] += 1
        for name, value in _attributes(each):
            if not isinstance(value, str | bytes) and hasattr(value, "__len__"):
                kept[f"{kind.__qualname__}.{name}"] += len(value)
    return +kept


def _attributes(each: Any) -> Iterator[tuple[str, Any]]:
    yield from getattr(each, "__dict__", {}).items()
    for kind in type(each).__mro__:
        slots = getattr(kind, "__slots__", ())
        for name in [slots] if isinstance(slots, str) else slots:
            if hasattr(each, name):
                yield name, getattr(each, name)
