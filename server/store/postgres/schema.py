"""The tables, built up by numbered steps, as those of SQLite are.

`version` in the table `house` counts the steps that a database has behind it.  A step that was
released is never changed.  A step leaves a server of the version before it working, since several
servers are not brought up to date at once.  All is in a schema of its own.
"""

from __future__ import annotations

from typing import Any, Final

from server.store.contract import StoreError
from server.store.postgres.address import SCHEMA

# Locks of the whole database: that one server alone uses it, and that one brings it up to date.
ALONE: Final = 0x506C79_01
BUILDING: Final = 0x506C79_02

STEPS: Final = (
    # `node` holds the servers that may write.  Each append reads its own row there, and locks its
    # key: so what changes `until` waits for no append, and what deletes the row waits for all.
    # `room.owner` is the node that a room belongs to, none if there is no such node; `version`
    # that of the newest server that has written to it.
    """
    CREATE TABLE house (
        one boolean PRIMARY KEY DEFAULT true CHECK (one), id text NOT NULL,
        version integer NOT NULL, times_from bigint NOT NULL DEFAULT 0);
    CREATE SEQUENCE epochs;
    CREATE TABLE counter (name text PRIMARY KEY, next bigint NOT NULL);
    INSERT INTO counter VALUES ('room', 1), ('session', 1);
    CREATE TABLE node (
        id text, epoch bigint, addr text NOT NULL, version integer NOT NULL,
        until timestamptz NOT NULL, draining boolean NOT NULL DEFAULT false,
        pulse bigint NOT NULL DEFAULT 0, PRIMARY KEY (id, epoch));
    CREATE TABLE event (
        room bigint, seq bigint, epoch bigint NOT NULL, kind text NOT NULL, match bigint,
        body bytea NOT NULL, sum bigint NOT NULL, PRIMARY KEY (room, seq));
    CREATE TABLE room (
        number bigint PRIMARY KEY, open smallint NOT NULL, body bytea NOT NULL,
        sum bigint NOT NULL, owner text, version integer NOT NULL);
    CREATE INDEX room_open ON room (owner, number) WHERE open = 1;
    CREATE TABLE session (
        number bigint PRIMARY KEY, name text NOT NULL, token bytea NOT NULL, seen bigint NOT NULL,
        guest smallint NOT NULL, recovery bytea NOT NULL, played smallint NOT NULL,
        sum bigint NOT NULL, folded text NOT NULL,
        CONSTRAINT session_name UNIQUE (folded) DEFERRABLE,
        CONSTRAINT session_token UNIQUE (token) DEFERRABLE);
    CREATE INDEX session_recovery ON session (recovery) WHERE recovery <> '';
    CREATE TABLE past (
        room bigint, match bigint, at bigint NOT NULL, game text NOT NULL,
        one bigint NOT NULL, one_name text NOT NULL, two bigint NOT NULL, two_name text NOT NULL,
        outcome smallint NOT NULL, private smallint NOT NULL, rated smallint NOT NULL,
        ladder smallint NOT NULL, body bytea NOT NULL, sum bigint NOT NULL,
        PRIMARY KEY (room, match));
    CREATE INDEX past_one ON past (one_name, one, private, at, room, match);
    CREATE INDEX past_two ON past (two_name, two, private, at, room, match);
    CREATE INDEX past_public ON past (at, room, match) WHERE private = 0 AND ladder = 0;
    CREATE INDEX past_rated ON past (game, at, room, match) WHERE rated = 1;
    CREATE TABLE progress (name text PRIMARY KEY, room bigint NOT NULL, sum bigint NOT NULL);
    CREATE TABLE analysis (
        room bigint, match bigint, at bigint NOT NULL, body bytea NOT NULL, sum bigint NOT NULL,
        PRIMARY KEY (room, match));
    """,
    # The devices of those names that are on several.  They go with the login, also where a server
    # of the version before forgets it.
    """
    CREATE TABLE device (
        session bigint PRIMARY KEY REFERENCES session ON DELETE CASCADE,
        body bytea NOT NULL, sum bigint NOT NULL);
    """,
    # What people's programs keep with their names.
    """
    CREATE TABLE setting (
        session bigint PRIMARY KEY REFERENCES session ON DELETE CASCADE,
        body bytea NOT NULL, sum bigint NOT NULL);
    """,
    # What only servers can say that know the secret of those which use it together.
    """
    ALTER TABLE house ADD COLUMN secret bytea;
    """,
)


async def migrate(db: Any, house: str) -> None:
    """Take the steps that a database lacks, all as one transaction; `house`: the name of a new one.

    Raises:
        StoreError: it is from a newer version; nothing is changed then.
    """
    async with db.transaction():
        await db.execute(f"SELECT pg_advisory_xact_lock({BUILDING})")
        behind = await version_of(db)
        if behind == 0:
            await db.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
        for step in STEPS[behind:]:
            await db.execute(step)
        if behind == 0:
            await db.execute("INSERT INTO house (id, version) VALUES ($1, 0)", house)
        if behind < len(STEPS):
            await db.execute("UPDATE house SET version = $1", len(STEPS))


async def version_of(db: Any) -> int:
    """Return how many steps a database has behind it.

    Raises:
        StoreError: it is from a newer version.
    """
    if await db.fetchval(f"SELECT to_regclass('{SCHEMA}.house')") is None:
        return 0
    version = int(await db.fetchval("SELECT version FROM house"))
    if version > len(STEPS):
        raise StoreError(
            f"the database was written by a newer Plyhouse (version {version} of its tables,"
            f" this one knows {len(STEPS)}); use that one, or another database"
        )
    return version
