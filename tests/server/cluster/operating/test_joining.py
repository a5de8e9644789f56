"""Who joins with a wrong secret, clock or address is told so, and leaves all as it was."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace

import asyncpg
import pytest

from server.app import opened
from server.cluster import member_table
from server.config import Config
from server.place import HousePlace
from server.rooms.wall_clock import WrongClock
from server.store.contract import StoreError
from tests.server.cluster.test_database import House

pytestmark = [pytest.mark.postgres, pytest.mark.socket]
HOUR_S = 3_600


@pytest.fixture
async def house(tmp_path: Path, database: str) -> AsyncIterator[House]:
    house = House(tmp_path, database)
    yield house
    await house.close()


@pytest.fixture
async def db(database: str) -> AsyncIterator[asyncpg.Connection]:
    db = await asyncpg.connect(database, server_settings={"search_path": "plyhouse"})
    yield db
    await db.close()


async def refusal(place: HousePlace) -> str:
    """What a server is told that may not join."""
    with pytest.raises((StoreError, WrongClock)) as told:
        async with opened(place, Config()):
            pass
    return str(told.value)


async def test_a_server_with_another_secret_is_refused_and_the_house_keeps_its_token(
    house: House, db: asyncpg.Connection, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    one = await house.open("one")
    other = tmp_path / "other.secret"
    other.write_text("of another cluster altogether")
    other.chmod(0o600)
    place = HousePlace(tmp_path / "other", house.database, "ws://127.0.0.1:1/ws", secret=other)
    tokens = await db.fetch("SELECT number, token FROM session")
    assert (
        f"this server's secret is not that of server 1, which is there, at {one.url}/ws"
    ).replace("http", "ws") in await refusal(place)
    assert await db.fetch("SELECT number, token FROM session") == tokens
    assert await db.fetchval("SELECT count(*) FROM node") == 1
    await house.open("two")  # with the right one
    await house.end("one")
    await house.end("two")
    async with opened(place, Config()):  # all were stopped, to change it
        assert await db.fetch("SELECT number, token FROM session") != tokens
    assert "the secret is another one than before" in caplog.text


@pytest.mark.parametrize(
    ("ahead", "said"), [(25, "1 day, 1:00:00 ahead of"), (-1, "1:00:00 behind")]
)
async def test_a_machine_whose_clock_is_off_may_not_join_and_the_others_go_on(
    house: House, db: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch, ahead: int, said: str
) -> None:
    await house.open("one")
    with monkeypatch.context() as patch:
        wrong = SimpleNamespace(time=lambda: time.time() + ahead * HOUR_S)
        patch.setattr(member_table, "time", wrong)
        secret = house.folder / "cluster.secret"
        place = HousePlace(house.folder / "two", house.database, "ws://here:1/ws", secret=secret)
        sentence = await refusal(place)
    assert "the clock of this machine, " in sentence
    assert f"{said} that of the database" in sentence
    assert await db.fetchval("SELECT count(*) FROM node") == 1
    await house.open("two")


async def test_two_servers_with_one_address_for_their_line_are_told_which_they_are(
    house: House, tmp_path: Path
) -> None:
    await house.open("one")
    (member,) = house.entries["one"].members()
    place = HousePlace(
        tmp_path / "two", house.database, "ws://127.0.0.1:1/ws",
        secret=tmp_path / "cluster.secret", line_at=member.address,
    )  # fmt: skip
    sentence = await refusal(place)
    assert f"number 1, advertises {member.url} and has its line at {member.address}" in sentence
