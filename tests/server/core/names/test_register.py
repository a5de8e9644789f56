"""Whose names are new: by when they began, whatever else becomes of them."""

from __future__ import annotations

from protocol.messages import VERSION, Hello
from server.core.lobby import LobbyState, LoginSecrets
from server.core.names.numbers import NumberBlocks
from server.core.names.register import NEW_MS, YOUNG_MS
from server.core.session import Session, hash_token


def test_a_name_is_new_for_an_hour_whatever_its_number_and_when_it_gets_a_device() -> None:
    lobby = LobbyState([Session(7, "old", hash_token("o"), 0)])
    names = lobby.names
    names.take(Session(65, "far", hash_token("f"), 0))  # of another server's block
    names.numbers = NumberBlocks(lambda: None)
    names.numbers.add(33)
    hello = Hello(version=VERSION, name="ann")
    here = lobby.greet(hello, LoginSecrets("t", "guest-1"), 0).session.number
    assert here == 33
    assert [names.is_new(number, NEW_MS) for number in (7, here, 65)] == [False, True, True]
    names.link(here, "CODE", 0)
    moved = lobby.greet(Hello(version=VERSION, link="CODE"), LoginSecrets("t2", "guest-1"), 0)
    assert moved.session.number == here
    assert [names.is_new(here, now) for now in (NEW_MS, NEW_MS + 1)] == [True, False]
    young = [names.is_new(here, now, YOUNG_MS) for now in (YOUNG_MS, YOUNG_MS + 1)]
    assert young == [True, False]
