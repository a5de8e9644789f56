"""The figures of a ladder as words."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client.ladder import figures
from protocol.ladder import LadderWait, PairLeg, PairLine
from tests.client.ladder import states
from tests.client.ladder.states import DRAWN, MCTS, MINE, leg, pair, won

FLAG, GAMMON = won(0, "flag", "flag"), won(0, reason="gammon", points=2)


def met(*legs: PairLeg, void: str | None = None) -> PairLine:
    """A pair of these matches."""
    return pair(1, MINE, MCTS, *legs, void=void)


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
    assert (figures.pair_score(played), figures.matches_text(played)) == (score, matches)


def test_a_rating_that_compares_with_nothing_is_not_shown() -> None:
    first, *_, last = states.standings()
    assert (figures.rating_text(first), figures.error_text(first)) == ("612", "31")
    assert (figures.rating_text(last), figures.error_text(last)) == ("unconnected", "")
    assert figures.error_text(replace(first, rating=0.0, error=0.0)) == ""
    fresh = replace(first, rating=None, error=None, pairs=0)
    assert (figures.rating_text(fresh), figures.share_text(fresh)) == ("", "")


def test_results_that_do_not_fit_a_rating_have_a_number_and_from_three_on_a_sentence() -> None:
    first, second, *_ = states.standings()
    odd = replace(first, uneven=4.26, most_from="eve/odd\x1b@2")
    assert [figures.uneven_text(row) for row in (second, odd, replace(first, uneven=-0.5))] == [
        "", "4.3", "−0.5",
    ]  # fmt: skip
    notes = figures.notes(states.state(standings=(odd, replace(second, uneven=1.0))))
    assert notes == [
        "house/mcts@1 has more than its rating from eve/odd@2: uneven by 4.3, where chance seldom"
        " makes 3"
    ]


def test_what_others_wrote_cannot_move_the_cursor() -> None:
    bad = met(leg("1.1\x1b[2J", won(0, reason="li\nne")), leg(None))
    assert figures.matches_text(bad) == "1.1[2J 1–0 li ne"
    state = states.state(pinned="a\x07b")
    assert "ab is 0" in figures.facts(state)


def test_a_ladder_that_everybody_joins_says_what_its_ratings_are_worth() -> None:
    everybody, invited = states.state(), states.state()
    invited = replace(invited, ladder=replace(invited.ladder, invited=True))
    assert [figures.OPEN in figures.facts(each) for each in (everybody, invited)] == [True, False]
    assert figures.OPEN == "open ladder: ratings can be bought"
    once = replace(everybody, ladder=replace(everybody.ladder, by_owner=True))
    assert figures.facts(once)[-2:] == [figures.BY_OWNER, figures.OPEN]


def test_the_page_of_a_ladder_is_at_its_server() -> None:
    assert figures.page_of("127.0.0.1:9", "daily") == "http://127.0.0.1:9/ladder/daily"
    assert figures.page_of("https://a.example/x", "né") == "https://a.example/x/ladder/n%C3%A9"


def test_what_a_ladder_waits_for_stands_among_its_notes() -> None:
    wait = LadderWait(why="away", text="waits for \x1bbob/b@1, not connected")
    assert figures.notes(states.state(waits=(wait,)))[0] == "waits for bob/b@1, not connected"
