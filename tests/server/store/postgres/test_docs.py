"""docs/postgresql.md says what is so: the commands take its lines, and a dump is a backup."""

from __future__ import annotations

import argparse
import asyncio
import re
import shlex
import subprocess
from pathlib import Path

import pytest

import plyhouse
from bench.support.postgres import PostgresServer, programs
from server.store.contract import RoomRow, SessionRow
from server.store.postgres.opening import OLDEST
from server.store.postgres.store import open_postgres
from server.store.postgres.writing import ANSWER_S, RETRY_S, STALL_S
from tests.server.store.rows import append, event

PAGE = (Path(__file__).parents[4] / "docs" / "postgresql.md").read_text("utf-8")
FENCES = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
LINES = [shlex.split(line) for fence in FENCES for line in fence.splitlines()]


@pytest.mark.parametrize("words", [w[1:] for w in LINES if w[0] == "plyhouse"], ids=" ".join)
def test_the_command_takes_every_line(words: list[str]) -> None:
    parser = argparse.ArgumentParser(exit_on_error=False)
    plyhouse._function(plyhouse.COMMANDS[words[0]].add_arguments)(parser)
    args = parser.parse_args(words[1:])
    assert args.data is not None or args.database is not None


def test_the_page_says_what_the_code_does() -> None:
    assert f"PostgreSQL {OLDEST} or newer" in PAGE
    assert (STALL_S, RETRY_S[1], ANSWER_S) == (1.0, 5.0, 10.0)
    assert "After a second the clocks stand still" in PAGE
    assert "tries again, at least every five seconds" in PAGE
    assert "does not answer for ten seconds" in PAGE


@pytest.mark.postgres
async def test_a_dump_taken_while_a_server_writes_is_a_house(
    tmp_path: Path, postgres_server: PostgresServer, database: str
) -> None:
    dump, restore = ([*words] for words in LINES if words[0] in ("pg_dump", "pg_restore"))
    store = await open_postgres(database)
    await append(store, event(1, 1), RoomRow(1, 1, b"b"), SessionRow(1, "ann", b"t", 5, 0))
    postgres_server.run_sql(["CREATE DATABASE restored"])
    other = postgres_server.url("restored")
    dump[-1], restore[restore.index("--dbname") + 1] = database, other
    for words in (dump, restore):
        words[0] = str(programs() / words[0])
        done = await asyncio.to_thread(
            subprocess.run, words, cwd=tmp_path, check=False, capture_output=True, text=True
        )
        assert (done.returncode, done.stderr) == (0, "")
    await store.aclose()
    again = await open_postgres(other)
    assert (again.server, again.epoch) == (store.server, store.epoch + 1)
    assert again.all_events(1) == [event(1, 1)]
    assert (again.open_room_rows(), len(again.sessions())) == ([RoomRow(1, 1, b"b")], 1)
    assert await append(again, event(1, 2)) is None
    await again.aclose()
    postgres_server.run_sql(["DROP DATABASE restored"])
