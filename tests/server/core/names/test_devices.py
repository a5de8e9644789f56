"""The devices of a name: linked, cut off, giving way, and stored."""

from __future__ import annotations

import contextlib

import pytest

from protocol.errors import Code, Refusal
from server.core.lobby import LobbyState
from server.core.names.devices import decode, encode
from server.core.session import Device, hash_token
from tests.server.core.test_lobby import dead, greet, refused, resume


@pytest.fixture
def lobby() -> LobbyState:
    """A lobby that has no session yet."""
    return LobbyState()


def test_a_link_brings_a_name_to_one_device_more(lobby: LobbyState) -> None:
    greet(lobby, token="old", name="ann", device="Firefox\n on Linux")
    lobby.names.link(1, "CODE", 0)
    linked = greet(lobby, now=120_000, token="new", link=" code ", device="x" * 60)
    assert (linked.token, linked.device, linked.linked) == ("1.new", 2, True)
    assert linked.session.devices == (
        Device(1, hash_token("old"), "Firefox  on Linux", 0, 0),
        Device(2, hash_token("1.new"), "x" * 40, 120_000, 120_000),
    )
    assert [resume(lobby, token).device for token in ("old", "1.new")] == [1, 2]


def test_a_device_is_cut_off_and_the_first_of_the_others_goes_on(lobby: LobbyState) -> None:
    greet(lobby, token="a", name="ann")
    for n, token in enumerate("bc", 1):
        lobby.names.link(1, "CODE", 0)
        greet(lobby, now=n, token=token, link="CODE")
    lobby.names.link(1, "LATE", 0)
    assert lobby.names.cut(1, 1).token == hash_token("1.b")
    assert dead(lobby, "a")
    assert refused(lobby, link="LATE").code == Code.SESSION_BAD_LINK
    for device, left in ((1, ["1.b", "1.c"]), (3, ["1.b"]), (2, ["1.b"])):
        with contextlib.suppress(Refusal):
            lobby.names.cut(1, device)
        assert [token for token in ("a", "1.b", "1.c") if not dead(lobby, token)] == left


def test_of_more_than_sixteen_devices_the_longest_unseen_gives_way(lobby: LobbyState) -> None:
    greet(lobby, token="0", name="ann")
    for n in range(1, 16):
        lobby.names.link(1, "CODE", n)
        greet(lobby, now=n, token=f"{n}", link="CODE")
    resume(lobby, "0", now=20)
    lobby.names.link(1, "CODE", 20)
    assert len(greet(lobby, now=21, token="16", link="CODE").session.devices) == 16
    assert dead(lobby, "1.1")
    assert [resume(lobby, t).device for t in ("0", "1.2", "1.16")] == [1, 3, 17]


def test_devices_are_read_as_they_were_stored_if_no_older_server_gave_the_name_away() -> None:
    both = (Device(1, b"a", "x", 1, 2), Device(2, b"b", "y", 3, 4))
    assert decode(encode(both), b"a") == both
    assert decode(encode(both), b"c") == decode(b"", b"a") == ()
