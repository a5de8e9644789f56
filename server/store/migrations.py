"""The tables of the database, built up by numbered steps.

`user_version` in the file counts the steps that it has behind it.  A new file takes them all, an
older one those that it lacks; a file from a newer Plyhouse is left alone.  A step that was released
is never changed: what comes later is a step of its own.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from server.store.contract import StoreError

APPLICATION_ID = 0x506C7968  # "Plyh", so that `file` and we know our own

STEPS = (
    f"""
    CREATE TABLE event (room INTEGER, seq INTEGER, epoch INTEGER, kind TEXT, match INTEGER,
                        body BLOB, PRIMARY KEY (room, seq)) WITHOUT ROWID;
    CREATE TABLE room (number INTEGER PRIMARY KEY, open INTEGER NOT NULL);
    CREATE INDEX room_open ON room (number) WHERE open;
    CREATE TABLE session (number INTEGER PRIMARY KEY, name TEXT NOT NULL, token BLOB NOT NULL,
                          seen INTEGER NOT NULL, guest INTEGER NOT NULL);
    CREATE TABLE server (id TEXT NOT NULL, epoch INTEGER NOT NULL);
    PRAGMA application_id = {APPLICATION_ID};
    """,
)


def migrate(db: sqlite3.Connection, path: Path) -> None:
    """Take the steps that the database lacks, each as one transaction.

    Raises:
        StoreError: if the file is not ours, or from a newer version; nothing is changed then.
    """
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        _check(path, version, db.execute("PRAGMA application_id").fetchone()[0])
    for number, step in enumerate(STEPS[version:], version + 1):
        try:
            db.executescript(f"BEGIN;{step}PRAGMA user_version = {number};COMMIT;")
        except sqlite3.Error:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise


def _check(path: Path, version: int, application_id: int) -> None:
    if application_id != APPLICATION_ID:
        raise StoreError(f"{path} is a database, but not one of Plyhouse's")
    if version > len(STEPS):
        raise StoreError(
            f"{path} was written by a newer Plyhouse (version {version} of its tables,"
            f" this one knows {len(STEPS)}); use that one, or another --data folder"
        )
