"""`plyhouse bench scaling`, for a moment."""

from __future__ import annotations

import pytest

from tests.support.command import Run

pytestmark = [pytest.mark.postgres, pytest.mark.socket]


def test_one_server_and_two_on_a_postgresql_are_loaded_in_turns(run: Run) -> None:
    said = run("bench scaling --matches 4 --seconds 0.5 --rounds 1 --json")
    assert said.code == 0, said.err
    report = said.json()
    one, several = report["one_moves_per_s"]["median"], report["several_moves_per_s"]["median"]
    assert one > 0
    assert report["ratio"]["median"] == pytest.approx(several / one)
    assert report["database_cpu_us"]["median"] > 0
    assert report["errors"] == 0


@pytest.mark.parametrize("words", ["--servers 1", "--matches 1", "--rounds 0", "--seconds 0"])
def test_what_cannot_be_measured_is_a_sentence(run: Run, words: str) -> None:
    run(f"bench scaling {words}").refuses("plyhouse bench scaling: ")
