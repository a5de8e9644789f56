"""One house by two addresses is one person, and no other server ever gets its tokens."""

from __future__ import annotations

import getpass
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from client.names import keys, same_house
from client.names.keys import Keys
from client.names.sign_in import sign_in
from server.net.door import LOOPBACK
from tests.client.fake_server import FakeServer
from tests.support.live_server import live_server

pytestmark = pytest.mark.socket


@pytest.fixture(autouse=True)
def _ann(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(getpass, "getuser", lambda: "ann")
    # Tests have loopback addresses only, which prove nothing otherwise.
    monkeypatch.setattr(same_house, "_is_loopback", lambda theirs: False)


@pytest.fixture
async def address(tmp_path: Path) -> AsyncIterator[str]:
    async with live_server(tmp_path / "data") as server:
        yield f"http://127.0.0.1:{server.port}"


async def _name_at(address: str) -> str:
    async with await sign_in(address) as connection:
        return connection.name


def _is_known_elsewhere_as(address: str, other: str) -> Path:
    """Let what is known at an address be known at another one only."""
    path = keys.file_of(address)
    return path.rename(path.with_name(f"{keys.slug(other)}.json"))


async def test_a_house_is_known_again_at_another_address(address: str) -> None:
    assert await _name_at(address) == "ann"
    path = _is_known_elsewhere_as(address, "10.9.0.1:1")
    for _ in range(2):
        assert await _name_at(address) == "ann"
    assert keys.file_of(address) == path
    assert keys.load(address).addresses == (keys.slug(address),)


async def test_who_does_not_have_the_token_proves_nothing(address: str) -> None:
    assert await _name_at(address) == "ann"
    house = keys.load(address).server
    keys.file_of(address).unlink()
    keys.remember("10.9.0.1:1", "ann", "another house's", house)
    assert await _name_at(address) == "ann-2"
    assert keys.load("10.9.0.1:1") == Keys("ann", {"ann": "another house's"}, house)


@pytest.mark.parametrize("proof", [{}, {"proof": "0" * 64}, {"proof": "é"}, {"proof": None}])
async def test_a_server_that_only_says_who_it_is_gets_no_token(
    fake: FakeServer, monkeypatch: pytest.MonkeyPatch, proof: dict[str, str]
) -> None:
    monkeypatch.setattr(same_house, "_ask", lambda *_, **fields: {"server": "fake", **proof})
    keys.remember("10.9.0.1:1", "ann", "precious", "fake")
    assert await _name_at(fake.url) == "ann"
    assert [hello.token for hello in fake.hellos] == [None]
    assert keys.load("10.9.0.1:1").tokens == {"ann": "precious"}


async def test_an_answer_that_was_passed_on_is_for_another_connection(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await _name_at(address) == "ann"
    _is_known_elsewhere_as(address, "10.9.0.1:1")
    relay = ("10.66.6.6", 1)  # as the asker of one that passes all on to the house
    monkeypatch.setattr(same_house, "_ends", lambda c: (c.sock.getsockname(), relay))
    assert await _name_at(address) == "ann-2"


async def test_a_loopback_address_proves_nothing(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    assert same_house._is_loopback("127.0.0.1:8765")
    assert same_house._is_loopback("[::1]:8765")
    assert not same_house._is_loopback("10.9.0.1:8765")


async def test_the_keys_of_one_house_outlast_another_at_its_address(tmp_path: Path) -> None:
    names = []
    async with live_server(tmp_path / "one") as server:
        address = f"http://127.0.0.1:{server.port}"
        names.append(await _name_at(address))
    port = int(address.rpartition(":")[2])
    for folder in ("two", "one", "two"):
        async with live_server(tmp_path / folder, door=LOOPBACK._replace(port=port)):
            names.append(await _name_at(address))
    assert names == ["ann"] * 4
    files = sorted(path.name for path in keys.file_of(address).parent.iterdir())
    assert len(files) == 2
