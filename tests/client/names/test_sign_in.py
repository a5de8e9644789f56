"""Under which name one comes in: by a stored token, by a new name, or as a guest."""

from __future__ import annotations

import getpass
from pathlib import Path

import pytest

from client.names import keys
from client.names.keys import Keys
from client.names.sign_in import sign_in
from protocol.errors import Code, Refusal
from tests.client.fake_server import FakeServer, refuse

pytestmark = pytest.mark.socket


@pytest.fixture(autouse=True)
def _ann_without_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(getpass, "getuser", lambda: "ann")


async def test_the_login_is_the_first_name_and_its_token_resumes_the_session(
    fake: FakeServer,
) -> None:
    for _ in range(2):
        async with await sign_in(fake.url) as connection:
            assert connection.name == "ann"
    assert [(hello.name, hello.token) for hello in fake.hellos] == [("ann", None), (None, "secret")]


async def test_a_token_that_the_server_does_not_know_is_replaced_under_the_same_name(
    fake: FakeServer,
) -> None:
    unknown, welcome = refuse(Code.SESSION_BAD_TOKEN), fake.greet
    keys.remember(fake.url, "ada", "old")
    fake.greet = lambda hello: unknown(hello) if hello.token == "old" else welcome(hello)
    async with await sign_in(fake.url) as connection:
        assert connection.name == "ada"
    assert keys.load(fake.url) == Keys("ada", {"ada": "secret"}, "fake")


async def test_where_the_name_is_taken_the_server_s_suggestion_is_used(fake: FakeServer) -> None:
    taken, welcome = refuse(Code.SESSION_NAME_TAKEN, suggestion="ann-2"), fake.greet
    fake.greet = lambda hello: taken(hello) if hello.name == "ann" else welcome(hello)
    async with await sign_in(fake.url) as connection:
        assert connection.name == "ann-2"


async def test_a_login_that_is_no_name_is_a_guest_and_a_bad_name_is_refused(
    fake: FakeServer,
) -> None:
    bad, welcome = refuse(Code.SESSION_BAD_NAME, "no such name"), fake.greet
    fake.greet = lambda hello: bad(hello) if hello.name else welcome(hello)
    async with await sign_in(fake.url):
        assert [hello.name for hello in fake.hellos] == ["ann", None]
    with pytest.raises(Refusal, match="no such name"):
        await sign_in(fake.url, "bob")


async def test_a_link_s_code_goes_before_what_is_stored(fake: FakeServer) -> None:
    keys.remember(fake.url, "ada", "old")
    async with await sign_in(fake.url, link="ABCDEF"):
        pass
    (hello,) = fake.hellos
    assert (hello.link, hello.token, hello.name) == ("ABCDEF", None, None)
