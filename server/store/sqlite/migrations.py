"""The tables of the database, built up by numbered steps.

`user_version` in the file counts the steps that it has behind it.  A new file takes them all, an
older one those that it lacks; a file from a newer Plyhouse is left alone.  A step that was released
is never changed: what comes later is a step of its own.  A step that adds a column to rows computes
their checksums anew, over all columns but `sum`, in the order of the tuples in contract.py.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from server.store.checksums import row_sum
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
    # A checksum a row (see checksums.py), and what opening.py tells an unharmed file by: `commits`
    # counts those without events, `is_open` is 0 in a file that was closed, and times of epochs
    # before `times_from` say nothing about what time it is.
    """
    ALTER TABLE event ADD COLUMN sum INTEGER;
    UPDATE event SET sum = row_sum(room, seq, epoch, kind, match, body);
    ALTER TABLE room ADD COLUMN sum INTEGER;
    UPDATE room SET sum = row_sum(number, open);
    DROP INDEX room_open;
    ALTER TABLE session ADD COLUMN sum INTEGER;
    UPDATE session SET sum = row_sum(number, name, token, seen, guest);
    ALTER TABLE server ADD COLUMN commits INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE server ADD COLUMN is_open INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE server ADD COLUMN times_from INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE server ADD COLUMN sum INTEGER;
    UPDATE server SET sum = row_sum(id, epoch, commits, is_open, times_from);
    """,
    # Which names are kept for long: it is not known who of the older ones has played.
    """
    ALTER TABLE session ADD COLUMN recovery BLOB NOT NULL DEFAULT x'';
    ALTER TABLE session ADD COLUMN played INTEGER NOT NULL DEFAULT 0;
    UPDATE session SET played = 1 - guest;
    UPDATE session SET sum = row_sum(number, name, token, seen, guest, recovery, played);
    """,
    # The index of matches that are over, which is filled later for rooms that there are already
    # (`progress`), and what bots have said of them.
    """
    CREATE TABLE past (room INTEGER, match INTEGER, at INTEGER NOT NULL, game TEXT NOT NULL,
                       one INTEGER NOT NULL, one_name TEXT NOT NULL, two INTEGER NOT NULL,
                       two_name TEXT NOT NULL, outcome INTEGER NOT NULL, private INTEGER NOT NULL,
                       rated INTEGER NOT NULL, ladder INTEGER NOT NULL, body BLOB NOT NULL,
                       sum INTEGER, PRIMARY KEY (room, match)) WITHOUT ROWID;
    CREATE INDEX past_one ON past (one_name, one, private, at);
    CREATE INDEX past_two ON past (two_name, two, private, at);
    CREATE INDEX past_public ON past (at) WHERE private = 0 AND ladder = 0;
    CREATE INDEX past_rated ON past (game, at) WHERE rated = 1;
    CREATE TABLE progress (name TEXT PRIMARY KEY, room INTEGER NOT NULL, sum INTEGER);
    INSERT INTO progress SELECT 'past', coalesce(max(number), 0), 0 FROM room;
    UPDATE progress SET sum = row_sum(name, room);
    CREATE TABLE analysis (room INTEGER, match INTEGER, at INTEGER NOT NULL, body BLOB NOT NULL,
                           sum INTEGER, PRIMARY KEY (room, match));
    """,
    # Where new events wait, side by side, until they are moved to `event`: see newest.py.
    """
    CREATE TABLE newest_0 (room INTEGER, seq INTEGER, epoch INTEGER, kind TEXT, match INTEGER,
                           body BLOB, sum INTEGER);
    CREATE TABLE newest_1 (room INTEGER, seq INTEGER, epoch INTEGER, kind TEXT, match INTEGER,
                           body BLOB, sum INTEGER);
    """,
    # What a start wants to know of a room before its events are read.
    """
    ALTER TABLE room ADD COLUMN body BLOB NOT NULL DEFAULT x'';
    UPDATE room SET sum = row_sum(number, open, body);
    """,
    # The devices of those names that are on several.
    """
    CREATE TABLE device (session INTEGER PRIMARY KEY, body BLOB NOT NULL, sum INTEGER);
    """,
    # What people's programs keep with their names.
    """
    CREATE TABLE setting (session INTEGER PRIMARY KEY, body BLOB NOT NULL, sum INTEGER);
    """,
)
SIDE_BY_SIDE = 5  # the version from which on there are such tables


def migrate(db: sqlite3.Connection, path: Path, version: int | None = None) -> None:
    """Take the steps that the database lacks, each as one transaction; up to `version`, or all.

    Raises:
        StoreError: if the file is not ours, or from a newer version; nothing is changed then.
    """
    db.create_function("row_sum", -1, lambda *values: row_sum(values), deterministic=True)
    behind = version_of(db, path)
    for number, step in enumerate(STEPS[behind:version], behind + 1):
        try:
            db.executescript(f"BEGIN;{step}PRAGMA user_version = {number};COMMIT;")
        except sqlite3.Error:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise


def version_of(db: sqlite3.Connection, path: Path) -> int:
    """Return how many steps a database has behind it.

    Raises:
        StoreError: if the file is not ours, or from a newer version.
    """
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        return 0
    if db.execute("PRAGMA application_id").fetchone() != (APPLICATION_ID,):
        raise StoreError(f"{path} is a database, but not one of Plyhouse's")
    if version > len(STEPS):
        raise StoreError(
            f"{path} was written by a newer Plyhouse (version {version} of its tables,"
            f" this one knows {len(STEPS)}); use that one, or another --data folder"
        )
    return int(version)
