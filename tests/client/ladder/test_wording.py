"""The figures of a ladder as words."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client.ladder import wording
from client.terminal.terms import BadTerm
from protocol.ladder import PairLeg, PairLine
from protocol.messages import ClockOptions
from tests.client.ladder import scenes
from tests.client.ladder.scenes import DRAWN, MCTS, MINE, leg, pair, won

FLAG, GAMMON = won(0, "flag", "flag"), won(0, reason="gammon", points=2)


def met(*legs: PairLeg, void: str | None = None) -> PairLine:
    """A pair of these matches."""
    return pair(1, MINE, MCTS, *legs, void=void)


@pytest.mark.parametrize(
    ("typed", "clock", "shown"),
    [
        ("10+0.1", ClockOptions(base_ms=10_000, increment_ms=100), "10+0.1 s"),
        ("10s+0.1", ClockOptions(base_ms=10_000, increment_ms=100), "10+0.1 s"),
        ("60", ClockOptions(base_ms=60_000), "60+0 s"),
        ("0.5/move", ClockOptions(per_move_ms=500), "0.5 s/move"),
    ],
)
def test_a_clock_is_in_seconds(typed: str, clock: ClockOptions, shown: str) -> None:
    assert wording.parse_clock(typed) == clock
    assert wording.clock_text(clock) == shown


@pytest.mark.parametrize(
    "typed", ["none", "", "10+", "5:00", "nan", "1e3", "0.01/move", "0.5", "9999999"]
)
def test_a_ladder_has_a_clock(typed: str) -> None:
    with pytest.raises(BadTerm, match=r"no clock of a ladder|out of range"):
        wording.parse_clock(typed)


@pytest.mark.parametrize(
    ("played", "score", "matches"),
    [
        (met(leg("1.1", won(0)), leg("2.1", won(0))), "1–1", "1.1 1–0 line, 2.1 0–1 line"),
        (met(leg("1.1", won(1)), leg("2.1", DRAWN)), "½–1½", "1.1 0–1 line, 2.1 ½–½ full"),
        (met(leg("1.1", FLAG), leg("2.1")), "1–0", "1.1 1–0 flag, 2.1 not over"),
        (met(leg("1.1", GAMMON), leg("2.1", won(1))), "2–0", "1.1 2–0 gammon, 2.1 1–0 line"),
        (met(leg(None), leg(None)), "", ""),
        (met(leg("1.1"), leg(None), void="both away"), "void", "void: both away"),
    ],
)  # fmt: skip
def test_a_pair_is_told_from_the_side_of_its_first_player(
    played: PairLine, score: str, matches: str
) -> None:
    assert (wording.pair_score(played), wording.matches_text(played)) == (score, matches)


def test_a_rating_that_compares_with_nothing_is_not_shown() -> None:
    first, *_, last = scenes.standings()
    assert (wording.rating_text(first), wording.error_text(first)) == ("612", "31")
    assert (wording.rating_text(last), wording.error_text(last)) == ("unconnected", "")
    assert wording.error_text(replace(first, rating=0.0, error=0.0)) == ""
    fresh = replace(first, rating=None, error=None, pairs=0)
    assert (wording.rating_text(fresh), wording.share_text(fresh)) == ("", "")


def test_what_others_wrote_cannot_move_the_cursor() -> None:
    bad = met(leg("1.1\x1b[2J", won(0, reason="li\nne")), leg(None))
    assert wording.matches_text(bad) == "1.1[2J 1–0 li ne"
    state = scenes.state(pinned="a\x07b")
    assert "ab is 0" in wording.facts(state)


def test_the_page_of_a_ladder_is_at_its_server() -> None:
    assert wording.page_of("127.0.0.1:9", "daily") == "http://127.0.0.1:9/ladder/daily"
    assert wording.page_of("https://a.example/x", "né") == "https://a.example/x/ladder/n%C3%A9"
