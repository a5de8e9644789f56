"""The steps that bring an older database up to date; each older schema is written out as SQL."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from server.store import FILE, open_store
from server.store.contract import INDEXING, RoomRow, SessionRow, StoreError
from server.store.sqlite import migrations
from server.store.sqlite.migrations import APPLICATION_ID, STEPS
from tests.server.store.rows import append, event

# The schema of every version that was ever released.  Never change one of them.
SCHEMAS = {
    1: """
    CREATE TABLE event (room INTEGER, seq INTEGER, epoch INTEGER, kind TEXT, match INTEGER,
                        body BLOB, PRIMARY KEY (room, seq)) WITHOUT ROWID;
    CREATE TABLE room (number INTEGER PRIMARY KEY, open INTEGER NOT NULL);
    CREATE INDEX room_open ON room (number) WHERE open;
    CREATE TABLE session (number INTEGER PRIMARY KEY, name TEXT NOT NULL, token BLOB NOT NULL,
                          seen INTEGER NOT NULL, guest INTEGER NOT NULL);
    CREATE TABLE server (id TEXT NOT NULL, epoch INTEGER NOT NULL);
    PRAGMA application_id = 1349286248;
    PRAGMA user_version = 1;
    """,
    2: """
    CREATE TABLE event (room INTEGER, seq INTEGER, epoch INTEGER, kind TEXT, match INTEGER,
                        body BLOB, sum INTEGER, PRIMARY KEY (room, seq)) WITHOUT ROWID;
    CREATE TABLE room (number INTEGER PRIMARY KEY, open INTEGER NOT NULL, sum INTEGER);
    CREATE TABLE session (number INTEGER PRIMARY KEY, name TEXT NOT NULL, token BLOB NOT NULL,
                          seen INTEGER NOT NULL, guest INTEGER NOT NULL, sum INTEGER);
    CREATE TABLE server (id TEXT NOT NULL, epoch INTEGER NOT NULL,
                         commits INTEGER NOT NULL DEFAULT 0, is_open INTEGER NOT NULL DEFAULT 0,
                         times_from INTEGER NOT NULL DEFAULT 0, sum INTEGER);
    PRAGMA application_id = 1349286248;
    PRAGMA user_version = 2;
    """,
    3: """
    CREATE TABLE event (room INTEGER, seq INTEGER, epoch INTEGER, kind TEXT, match INTEGER,
                        body BLOB, sum INTEGER, PRIMARY KEY (room, seq)) WITHOUT ROWID;
    CREATE TABLE room (number INTEGER PRIMARY KEY, open INTEGER NOT NULL, sum INTEGER);
    CREATE TABLE session (number INTEGER PRIMARY KEY, name TEXT NOT NULL, token BLOB NOT NULL,
                          seen INTEGER NOT NULL, guest INTEGER NOT NULL, sum INTEGER,
                          recovery BLOB NOT NULL DEFAULT x'', played INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE server (id TEXT NOT NULL, epoch INTEGER NOT NULL,
                         commits INTEGER NOT NULL DEFAULT 0, is_open INTEGER NOT NULL DEFAULT 0,
                         times_from INTEGER NOT NULL DEFAULT 0, sum INTEGER);
    PRAGMA application_id = 1349286248;
    PRAGMA user_version = 3;
    """,
    4: """
    CREATE TABLE event (room INTEGER, seq INTEGER, epoch INTEGER, kind TEXT, match INTEGER,
                        body BLOB, sum INTEGER, PRIMARY KEY (room, seq)) WITHOUT ROWID;
    CREATE TABLE room (number INTEGER PRIMARY KEY, open INTEGER NOT NULL, sum INTEGER);
    CREATE TABLE session (number INTEGER PRIMARY KEY, name TEXT NOT NULL, token BLOB NOT NULL,
                          seen INTEGER NOT NULL, guest INTEGER NOT NULL, sum INTEGER,
                          recovery BLOB NOT NULL DEFAULT x'', played INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE server (id TEXT NOT NULL, epoch INTEGER NOT NULL,
                         commits INTEGER NOT NULL DEFAULT 0, is_open INTEGER NOT NULL DEFAULT 0,
                         times_from INTEGER NOT NULL DEFAULT 0, sum INTEGER);
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
    CREATE TABLE analysis (room INTEGER, match INTEGER, at INTEGER NOT NULL, body BLOB NOT NULL,
                           sum INTEGER, PRIMARY KEY (room, match));
    PRAGMA application_id = 1349286248;
    PRAGMA user_version = 4;
    """,
    5: """
    CREATE TABLE event (room INTEGER, seq INTEGER, epoch INTEGER, kind TEXT, match INTEGER,
                        body BLOB, sum INTEGER, PRIMARY KEY (room, seq)) WITHOUT ROWID;
    CREATE TABLE room (number INTEGER PRIMARY KEY, open INTEGER NOT NULL, sum INTEGER);
    CREATE TABLE session (number INTEGER PRIMARY KEY, name TEXT NOT NULL, token BLOB NOT NULL,
                          seen INTEGER NOT NULL, guest INTEGER NOT NULL, sum INTEGER,
                          recovery BLOB NOT NULL DEFAULT x'', played INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE server (id TEXT NOT NULL, epoch INTEGER NOT NULL,
                         commits INTEGER NOT NULL DEFAULT 0, is_open INTEGER NOT NULL DEFAULT 0,
                         times_from INTEGER NOT NULL DEFAULT 0, sum INTEGER);
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
    CREATE TABLE analysis (room INTEGER, match INTEGER, at INTEGER NOT NULL, body BLOB NOT NULL,
                           sum INTEGER, PRIMARY KEY (room, match));
    CREATE TABLE newest_0 (room INTEGER, seq INTEGER, epoch INTEGER, kind TEXT, match INTEGER,
                           body BLOB, sum INTEGER);
    CREATE TABLE newest_1 (room INTEGER, seq INTEGER, epoch INTEGER, kind TEXT, match INTEGER,
                           body BLOB, sum INTEGER);
    PRAGMA application_id = 1349286248;
    PRAGMA user_version = 5;
    """,
    6: """
    CREATE TABLE event (room INTEGER, seq INTEGER, epoch INTEGER, kind TEXT, match INTEGER,
                        body BLOB, sum INTEGER, PRIMARY KEY (room, seq)) WITHOUT ROWID;
    CREATE TABLE room (number INTEGER PRIMARY KEY, open INTEGER NOT NULL, sum INTEGER,
                       body BLOB NOT NULL DEFAULT x'');
    CREATE TABLE session (number INTEGER PRIMARY KEY, name TEXT NOT NULL, token BLOB NOT NULL,
                          seen INTEGER NOT NULL, guest INTEGER NOT NULL, sum INTEGER,
                          recovery BLOB NOT NULL DEFAULT x'', played INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE server (id TEXT NOT NULL, epoch INTEGER NOT NULL,
                         commits INTEGER NOT NULL DEFAULT 0, is_open INTEGER NOT NULL DEFAULT 0,
                         times_from INTEGER NOT NULL DEFAULT 0, sum INTEGER);
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
    CREATE TABLE analysis (room INTEGER, match INTEGER, at INTEGER NOT NULL, body BLOB NOT NULL,
                           sum INTEGER, PRIMARY KEY (room, match));
    CREATE TABLE newest_0 (room INTEGER, seq INTEGER, epoch INTEGER, kind TEXT, match INTEGER,
                           body BLOB, sum INTEGER);
    CREATE TABLE newest_1 (room INTEGER, seq INTEGER, epoch INTEGER, kind TEXT, match INTEGER,
                           body BLOB, sum INTEGER);
    PRAGMA application_id = 1349286248;
    PRAGMA user_version = 6;
    """,
    7: """
    CREATE TABLE event (room INTEGER, seq INTEGER, epoch INTEGER, kind TEXT, match INTEGER,
                        body BLOB, sum INTEGER, PRIMARY KEY (room, seq)) WITHOUT ROWID;
    CREATE TABLE room (number INTEGER PRIMARY KEY, open INTEGER NOT NULL, sum INTEGER,
                       body BLOB NOT NULL DEFAULT x'');
    CREATE TABLE session (number INTEGER PRIMARY KEY, name TEXT NOT NULL, token BLOB NOT NULL,
                          seen INTEGER NOT NULL, guest INTEGER NOT NULL, sum INTEGER,
                          recovery BLOB NOT NULL DEFAULT x'', played INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE server (id TEXT NOT NULL, epoch INTEGER NOT NULL,
                         commits INTEGER NOT NULL DEFAULT 0, is_open INTEGER NOT NULL DEFAULT 0,
                         times_from INTEGER NOT NULL DEFAULT 0, sum INTEGER);
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
    CREATE TABLE analysis (room INTEGER, match INTEGER, at INTEGER NOT NULL, body BLOB NOT NULL,
                           sum INTEGER, PRIMARY KEY (room, match));
    CREATE TABLE newest_0 (room INTEGER, seq INTEGER, epoch INTEGER, kind TEXT, match INTEGER,
                           body BLOB, sum INTEGER);
    CREATE TABLE newest_1 (room INTEGER, seq INTEGER, epoch INTEGER, kind TEXT, match INTEGER,
                           body BLOB, sum INTEGER);
    CREATE TABLE device (session INTEGER PRIMARY KEY, body BLOB NOT NULL, sum INTEGER);
    PRAGMA application_id = 1349286248;
    PRAGMA user_version = 7;
    """,
    8: """
    CREATE TABLE event (room INTEGER, seq INTEGER, epoch INTEGER, kind TEXT, match INTEGER,
                        body BLOB, sum INTEGER, PRIMARY KEY (room, seq)) WITHOUT ROWID;
    CREATE TABLE room (number INTEGER PRIMARY KEY, open INTEGER NOT NULL, sum INTEGER,
                       body BLOB NOT NULL DEFAULT x'');
    CREATE TABLE session (number INTEGER PRIMARY KEY, name TEXT NOT NULL, token BLOB NOT NULL,
                          seen INTEGER NOT NULL, guest INTEGER NOT NULL, sum INTEGER,
                          recovery BLOB NOT NULL DEFAULT x'', played INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE server (id TEXT NOT NULL, epoch INTEGER NOT NULL,
                         commits INTEGER NOT NULL DEFAULT 0, is_open INTEGER NOT NULL DEFAULT 0,
                         times_from INTEGER NOT NULL DEFAULT 0, sum INTEGER);
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
    CREATE TABLE analysis (room INTEGER, match INTEGER, at INTEGER NOT NULL, body BLOB NOT NULL,
                           sum INTEGER, PRIMARY KEY (room, match));
    CREATE TABLE newest_0 (room INTEGER, seq INTEGER, epoch INTEGER, kind TEXT, match INTEGER,
                           body BLOB, sum INTEGER);
    CREATE TABLE newest_1 (room INTEGER, seq INTEGER, epoch INTEGER, kind TEXT, match INTEGER,
                           body BLOB, sum INTEGER);
    CREATE TABLE device (session INTEGER PRIMARY KEY, body BLOB NOT NULL, sum INTEGER);
    CREATE TABLE setting (session INTEGER PRIMARY KEY, body BLOB NOT NULL, sum INTEGER);
    PRAGMA application_id = 1349286248;
    PRAGMA user_version = 8;
    """,
}  # fmt: skip
FIRST = """
    INSERT INTO event VALUES (3, 1, 1, 'said', NULL, x'');
    INSERT INTO room VALUES (3, 1);
    INSERT INTO session VALUES (1, 'ann', x'74', 99, 0);
    INSERT INTO server VALUES ('5ce4e', 4);
"""
ROWS = {
    1: FIRST,
    2: """
    INSERT INTO event VALUES (3, 1, 1, 'said', NULL, x'', 1778434298);
    INSERT INTO room VALUES (3, 1, 101211270);
    INSERT INTO session VALUES (1, 'ann', x'74', 99, 0, 1803538558);
    INSERT INTO server VALUES ('5ce4e', 4, 7, 0, 0, 973518050);
""",
    3: """
    INSERT INTO event VALUES (3, 1, 1, 'said', NULL, x'', 1778434298);
    INSERT INTO room VALUES (3, 1, 101211270);
    INSERT INTO session VALUES (1, 'ann', x'74', 99, 0, 2839250290, x'', 1);
    INSERT INTO server VALUES ('5ce4e', 4, 7, 0, 0, 973518050);
""",
}
ROWS[4] = f"""{ROWS[3]}
    INSERT INTO progress VALUES ('past', 3, 2896929134);
"""
ROWS[5] = ROWS[4].replace("INTO event", "INTO newest_1")
ROWS[6] = ROWS[7] = ROWS[8] = ROWS[5].replace("(3, 1, 101211270)", "(3, 1, 2766233874, x'')")


def execute(folder: Path, script: str) -> None:
    folder.mkdir(exist_ok=True)
    with contextlib.closing(sqlite3.connect(folder / FILE)) as db:
        db.executescript(script)


def schema(folder: Path) -> list[tuple[str, str]]:
    """All tables and indexes, written the same way, and the version of the file."""
    with contextlib.closing(sqlite3.connect(folder / FILE)) as db:
        rows = db.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()
        version = db.execute("PRAGMA user_version").fetchone()[0]
    return [*((name, " ".join((sql or "").split())) for name, sql in rows), ("", version)]


def test_the_schema_of_each_version_is_written_here() -> None:
    assert list(SCHEMAS) == list(range(1, len(STEPS) + 1))


@pytest.mark.parametrize("version", SCHEMAS)
async def test_an_older_database_opens_with_all_that_is_in_it(tmp_path: Path, version: int) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    execute(old, SCHEMAS[version] + ROWS[version])
    with contextlib.closing(open_store(old)) as store:
        assert (store.server, store.epoch, store.last_at) == ("5ce4e", 5, 99)
        assert store.sessions() == [SessionRow(1, "ann", b"t", 99, 0, b"", 1)]
        assert store.devices() == []
        assert (store.open_rooms(), store.all_events(3)) == ([3], [event(3, 1)])
        assert store.open_room_rows() == [RoomRow(3, 1, b"")]
        assert store.newest_events() == store.events_before(3) == [event(3, 1)]
        assert (store.progress(INDEXING), store.kept_analyses()) == (3, [])
        assert await append(store, event(3, 2), RoomRow(3, 0)) is None
    open_store(new).close()
    assert schema(old) == schema(new)
    with contextlib.closing(sqlite3.connect(new / FILE)) as db:
        assert db.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)


def test_only_the_missing_steps_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    execute(tmp_path, SCHEMAS[1] + FIRST)
    later = ("ALTER TABLE session ADD COLUMN a;", "CREATE TABLE b (c);")
    monkeypatch.setattr(migrations, "STEPS", (*STEPS, *later))
    for _ in range(2):
        with contextlib.closing(open_store(tmp_path)) as store:
            assert store.open_rooms() == [3]
    assert schema(tmp_path)[-1] == ("", len(STEPS) + 2)


def test_a_step_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    execute(tmp_path, SCHEMAS[1] + FIRST)
    before = schema(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "STEPS", (STEPS[0], "CREATE TABLE b (c); CREATE TABLE b (c);"))
        with pytest.raises(StoreError, match="table b already exists"):
            open_store(tmp_path)
    assert schema(tmp_path) == before
    open_store(tmp_path).close()


@pytest.mark.parametrize(
    ("script", "why"),
    [
        (SCHEMAS[1] + f"PRAGMA user_version = {len(STEPS) + 1};", "written by a newer Plyhouse"),
        ("CREATE TABLE recipe (name);", "not one of Plyhouse's"),
    ],
)
def test_what_others_have_written_is_left_alone(tmp_path: Path, script: str, why: str) -> None:
    execute(tmp_path, script)
    before = schema(tmp_path)
    with pytest.raises(StoreError, match=why):
        open_store(tmp_path)
    assert schema(tmp_path) == before
