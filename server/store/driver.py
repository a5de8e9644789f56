"""Whether this machine can speak to PostgreSQL: what it takes is an extra."""

from __future__ import annotations

import importlib.util

from server.store.contract import StoreError


def check_driver() -> None:
    """See that this machine can speak to PostgreSQL.

    Raises:
        StoreError: a package is missing.
    """
    if importlib.util.find_spec("asyncpg") is None:
        raise StoreError("a PostgreSQL needs asyncpg: pip install 'plyhouse[postgres]'")
