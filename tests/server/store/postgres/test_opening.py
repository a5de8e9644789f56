"""What a database must be, and the sentence for each that is not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from bench.support.postgres import PostgresServer
from server.store import driver, open_store_at
from server.store.contract import DatabaseAway, StoreError
from server.store.postgres.address import BadAddress, check_address, shown
from server.store.postgres.node import LoneNode
from server.store.postgres.opening import Engine, check_engine
from server.store.postgres.store import open_postgres
from tests.server.store.rows import append, event

ENGINE = Engine("15.4", 150_004, "UTF8", False, "off", "on", "on", "")
postgres = pytest.mark.postgres


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"number": 120_017, "version": "12.17"}, "is PostgreSQL 12.17; Plyhouse needs 13"),
        ({"encoding": "LATIN1"}, "keeps texts as LATIN1"),
        ({"standby": True}, "is a standby"),
        ({"read_only": "on"}, "it is set to read only"),
    ],
)
def test_an_engine_that_cannot_keep_a_house_is_refused(change: Any, sentence: str) -> None:
    check_engine(ENGINE, "here")
    with pytest.raises(StoreError, match=sentence):
        check_engine(ENGINE._replace(**change), "here")


@pytest.mark.parametrize("url", ["", "house", "http://ann:pw@x/y", "postgresql://ann:pw@[::1/x"])
def test_an_address_that_is_none_is_a_sentence_without_its_password(url: str) -> None:
    with pytest.raises(BadAddress, match="is no address of a database") as error:
        check_address(url)
    assert "pw" not in str(error.value)


def test_no_password_is_ever_shown() -> None:
    assert shown("postgresql://ann:p@ss:w@h:1/d?password=pass&x=y") == "postgresql://ann@h:1/d"
    assert shown("postgresql:///d") == "postgresql:///d"


async def test_a_machine_without_the_driver_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(StoreError, match=r"needs asyncpg: pip install 'plyhouse\[postgres\]'"):
        await open_store_at(tmp_path, "postgresql://x/y", None)


async def test_a_place_where_nothing_listens_is_a_sentence() -> None:
    with pytest.raises(DatabaseAway, match=r"ann@127\.0\.0\.1:1/d cannot be reached: "):
        await open_postgres("postgresql://ann:secret@127.0.0.1:1/d")


@postgres
async def test_who_is_not_let_in_hears_why(postgres_server: PostgresServer) -> None:
    postgres_server.run_sql(["CREATE ROLE locked LOGIN PASSWORD 'right'"])
    wrong = postgres_server.url(user="locked:wrong")
    with pytest.raises(StoreError, match=r"does not let us in: password auth.* failed") as error:
        await open_postgres(wrong)
    assert "wrong" not in str(error.value)
    with pytest.raises(StoreError, match=r"does not let us in: role .* does not exist"):
        await open_postgres(postgres_server.url(user="nobody"))
    with pytest.raises(StoreError, match="there is no database 'none'; createdb makes one"):
        await open_postgres(postgres_server.url("none"))
    postgres_server.run_sql(["DROP ROLE locked"])


@postgres
async def test_who_may_not_create_hears_what_to_ask_for(
    postgres_server: PostgresServer, database: str
) -> None:
    postgres_server.run_sql(["CREATE ROLE weak LOGIN"])
    weak = database.replace("house@", "weak@")
    for _ in range(2):  # without our tables, and with those of somebody else
        with pytest.raises(StoreError, match="the user needs the right to create there"):
            await open_postgres(weak)
        await (await open_postgres(database)).aclose()
    postgres_server.run_sql(["DROP ROLE weak"])


@postgres
async def test_a_database_of_another_kind_or_time_is_left_alone(
    postgres_server: PostgresServer, database: str
) -> None:
    await (await open_postgres(database)).aclose()
    connection = await asyncpg.connect(database)
    await connection.execute("UPDATE plyhouse.house SET version = 99")
    with pytest.raises(StoreError, match=r"written by a newer Plyhouse \(version 99"):
        await open_postgres(database)
    assert await connection.fetchval("SELECT count(*) FROM plyhouse.node") == 0
    await connection.close()
    name = database.rpartition("/")[2]
    postgres_server.run_sql([f"ALTER DATABASE {name} SET default_transaction_read_only = on"])
    with pytest.raises(StoreError, match="takes nothing that is written"):
        await open_postgres(database)


@postgres
@pytest.mark.parametrize("how", ["off", "local", "remote_write"])
async def test_a_database_that_forgets_on_purpose_is_made_not_to(
    postgres_server: PostgresServer, database: str, how: str
) -> None:
    name = database.rpartition("/")[2]
    postgres_server.run_sql([f"ALTER DATABASE {name} SET synchronous_commit = {how}"])
    store = await open_postgres(database)
    assert await append(store, event(1, 1)) is None
    assert await store._writer._db.fetchval("SHOW synchronous_commit") == "on"
    await store.aclose()


@postgres
async def test_a_database_without_room_for_its_connections_is_told_before_a_server_begins(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await (await open_postgres(database)).aclose()
    monkeypatch.setattr(LoneNode, "connections", 1_000)
    why = r"room for \d+ connections, of which \d+ are taken, and this server keeps 1000: "
    with pytest.raises(DatabaseAway, match=why):
        await open_postgres(database)


@postgres
def test_the_command_says_it_in_one_line_and_ends_with_two(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    words = ["-m", "plyhouse", "serve", "--port", "0", "--data", tmp_path, "--database"]
    done = subprocess.run(
        [sys.executable, *map(str, words), postgres_server.url("none")],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("plyhouse: postgresql://house@127.0.0.1:")
    assert len(done.stderr.splitlines()) == 1
