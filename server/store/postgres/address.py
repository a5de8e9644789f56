"""Where a database is, connecting to it, and a sentence for each way in which that can fail.

Addresses are libpq's: `postgresql://USER:PASSWORD@HOST:PORT/DATABASE`.  What is left out comes from
PGHOST, PGUSER and so on, and a password from ~/.pgpass, too.  No sentence repeats a password.
"""

from __future__ import annotations

import re
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import asyncpg
from asyncpg import connect_utils

from server.store.contract import DatabaseAway, StoreError

PASSWORD: Final = re.compile(r"//([^/@:]*):[^/]*@")
SCHEMES: Final = ("postgresql", "postgres")
SCHEMA: Final = "plyhouse"  # where our tables are, apart from those of others
CONNECT_S: Final = 10.0
# What the database's own host may have set for everybody, and what would cost us answers; and how
# soon it lets go of a server that is gone without a word: after 25 seconds, and not two hours.
SETTINGS: Final = {
    "search_path": SCHEMA,
    "statement_timeout": "0",
    "lock_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
}

# What says nothing about what was sent before: the connection is gone, or was never there.
LOST: Final = (
    OSError, TimeoutError, EOFError, asyncpg.PostgresConnectionError, asyncpg.InterfaceError,
    asyncpg.InternalClientError,
)  # fmt: skip
# Of SQL: the connection; the server that ends or begins; who idled in a transaction for too long.
LOST_STATES: Final = ("08", "57P", "25P03")
# What has nothing to do with what was sent: no room for it, a lock, somebody who cancels, a disk
# that fails; and what is read only.
BUSY_STATES: Final = ("25006", "40", "53", "55P03", "57", "58")


class BadAddress(StoreError):
    """An address of a database that is none."""


def is_lost(error: BaseException) -> bool:
    """Whether an error means that the connection is of no use any more."""
    if isinstance(error, asyncpg.PostgresError) and error.sqlstate:
        return bool(error.sqlstate.startswith(LOST_STATES))
    return isinstance(error, LOST)


def is_away(error: BaseException) -> bool:
    """Whether an error means that the database cannot do this now, and may do so later."""
    if isinstance(error, asyncpg.PostgresError) and str(error.sqlstate).startswith(BUSY_STATES):
        return True
    return is_lost(error) or isinstance(error, StoreError)


def shown(url: str) -> str:
    """Return an address without its password, for people to read."""
    return PASSWORD.sub(r"//\1@", url.partition("?")[0])


def check_address(url: str) -> None:
    """See that an address can be one of PostgreSQL's.

    Raises:
        BadAddress: it cannot.
    """
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise BadAddress(f"{shown(url)!r} is no address of a database: {error}") from None
    if parts.scheme not in SCHEMES:
        raise BadAddress(
            f"{shown(url)!r} is no address of a database that Plyhouse knows: it begins with"
            " postgresql://, as in postgresql://USER@HOST/DATABASE"
        )


async def connect(url: str, program: str) -> Any:
    """Connect to a database; `program` is what its host sees us as.

    Raises:
        BadAddress: the address is none.
        DatabaseAway: it does not answer, or not now.
        StoreError: it does not let us in, or has no such database.
    """
    check_address(url)
    try:
        return await asyncpg.connect(
            url,
            timeout=CONNECT_S,
            server_settings={**SETTINGS, "application_name": program},
            max_cached_statement_lifetime=0,  # else they are prepared anew every five minutes
        )
    except Exception as error:  # noqa: BLE001 - it is raised again
        raise explained(error, url) from None


def explained(error: Exception, url: str) -> Exception:
    """Return a sentence for an error of the database, and a bug as it is."""
    where = shown(url)
    if isinstance(error, StoreError):
        return error
    if isinstance(error, asyncpg.ClientConfigurationError | ValueError):
        return BadAddress(f"{where} is no address of a database: {error}")
    if isinstance(error, asyncpg.InvalidCatalogNameError):
        name = unquote(urlsplit(url).path.lstrip("/"))
        return StoreError(f"{where}: there is no database {name!r}; createdb makes one")
    if isinstance(error, asyncpg.InvalidAuthorizationSpecificationError):
        return StoreError(f"{where} does not let us in: {error}")
    if isinstance(error, asyncpg.InsufficientPrivilegeError):
        return StoreError(
            f"{where}: {error}; the user needs the right to create there, or to own its"
            f" schema {SCHEMA}"
        )
    if isinstance(error, asyncpg.ReadOnlySQLTransactionError):
        return StoreError(f"{where} takes nothing that is written: {error}")
    if is_lost(error) or isinstance(error, asyncpg.TooManyConnectionsError):
        return DatabaseAway(f"{where} cannot be reached: {_why(error)}")
    if isinstance(error, asyncpg.PostgresError):
        return StoreError(f"{where}: {error}")
    return error


def _why(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "it does not answer"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__


class UpgradeProtocol(connect_utils.TLSUpgradeProto):  # type: ignore[misc]
    """Asks for TLS as asyncpg does.  The caller is told of the loss as before.

    asyncpg waits for the answer in a future of its own, `on_data`.  Somebody may give up while the
    socket is being opened: a server that ends, a beat that has taken too long, or asyncpg itself,
    which opens a connection for each statement that is cancelled.  The socket is closed then before
    anybody waits for that answer, so the future fails and no code asks why, which asyncio logs.
    """

    def connection_lost(self, exc: Exception | None) -> None:
        """Note the loss, of which somebody may not hear who has given up already."""
        super().connection_lost(exc)
        if self.on_data.done() and not self.on_data.cancelled():
            self.on_data.exception()  # it counts as retrieved


connect_utils.TLSUpgradeProto = UpgradeProtocol  # asyncpg asks by this one from now on
