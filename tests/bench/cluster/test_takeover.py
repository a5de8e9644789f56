"""`plyhouse bench takeover`, over a house of a few rooms."""

from __future__ import annotations

import pytest

from tests.support.command import Run

pytestmark = [pytest.mark.postgres, pytest.mark.socket]


def test_the_rooms_of_a_killed_server_are_read_and_shown_by_the_other(run: Run) -> None:
    said = run("bench takeover --rooms 20 --json")
    assert said.code == 0, said.err
    report = said.json()
    assert report["rooms"] == 20
    assert 0 < report["read_s"] < report["taken_s"] < report["shown_s"]
    assert report["cpu_s"] > 0


def test_no_rooms_are_a_sentence(run: Run) -> None:
    run("bench takeover --rooms 0").refuses("plyhouse bench takeover: ", "at least 1 room")
