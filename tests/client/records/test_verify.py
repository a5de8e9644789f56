"""What verify finds in a match that was forged with care: hashes made anew, one thing changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from client.records.verify import Unknown, Verification, verify
from games.dice import commitment
from protocol.history import TOO_MANY_EVENTS
from protocol.parts import ClockOptions, Event, Options, Result
from protocol.records import mat, sgf
from protocol.records.record import MatchRecord
from protocol.records.replay import replay_events
from tests.client.records.played import FIVE_PLUS_THREE, Played

DRAW = Result(winner=None, returns=(0.0, 0.0), how="agreement", reason="draw")
ABORT = Result(winner=None, returns=(0.0, 0.0), how="abort", reason="abort")
VOID = Result(winner=None, returns=(0.0, 0.0), how="void", reason="both players left")
TEN_SECONDS = Options(clock=ClockOptions(base_ms=10_000))
Forge = Callable[[list[Event]], None]


def judge(match: Played, change: Forge | None = None) -> Verification:
    """The verdict on a match after its events were changed."""
    events = list(match.events)
    if change is not None:
        change(events)
    return verify(MatchRecord(match.match, tuple(events)))


def change(which: str, nth: int = 0, /, **fields: Any) -> Callable[[list[Event]], None]:
    """Change fields of the nth event of a kind; -1 is the last."""

    def forge(events: list[Event]) -> None:
        places = [i for i, event in enumerate(events) if event.kind == which]
        events[places[nth]] = replace(events[places[nth]], **fields)

    return forge


def clock(**fields: int) -> Forge:
    """Start with another clock."""
    return change("started", options=Options(clock=ClockOptions(**fields)))


def late(which: str, nth: int, spent: int) -> Forge:
    """Have the nth event of a kind take longer, and all that follows happen later."""

    def forge(events: list[Event]) -> None:
        change(which, nth, spent_ms=spent)(events)
        first = [i for i, event in enumerate(events) if event.kind == which][nth]
        for i in range(first, len(events)):
            events[i] = replace(events[i], at=(events[i].at or 0) + spent)

    return forge


def four_in_a_row() -> Played:
    return Played("connect_four", FIVE_PLUS_THREE).plays("4", "3", "4", "3", "4", "3", "4")


def backgammon() -> Played:
    return Played("backgammon", FIVE_PLUS_THREE).plays_on(7)


@pytest.mark.parametrize(
    "game", ["tic_tac_toe", "connect_four", "ultimate_tic_tac_toe", "backgammon"]
)
@pytest.mark.parametrize("options", [None, FIVE_PLUS_THREE])
def test_a_whole_match_holds(game: str, options: Options | None) -> None:
    match = Played(game, options).plays_on(7)  # backgammon with hits, passes, doubles
    verdict = judge(match)
    assert (verdict.wrong, verdict.seq) == (None, None)
    assert (verdict.game, verdict.actions, verdict.timed) == (game, match.ply, options is not None)
    assert verdict.rolls == len([e for e in match.events if e.kind == "roll"])
    assert (verdict.rolls > 0) == (game == "backgammon")
    assert verdict.result == match.events[-1].result


@pytest.mark.parametrize(
    ("game", "position"),
    [("tic_tac_toe", "3/1x1/3 o"),
     ("backgammon", "XGID=-b----E-C---eE---c-e----B-:0:0:-1:00:0:0:0:0:10")],
)  # fmt: skip
def test_a_match_that_begins_in_a_position_holds(game: str, position: str) -> None:
    match = Played(game, Options(position=position)).plays_on(7)
    verdict = judge(match)
    assert (verdict.wrong, verdict.actions) == (None, match.ply)


def test_a_takeback_that_was_agreed_upon_holds_and_its_rolls_fall_again() -> None:
    match = Played("backgammon").plays_on(5, 3)
    before = match.events[-1]
    last = [event for event in match.events if event.kind == "play"][-1]
    assert last.ply is not None
    match.takes_back(last.ply, last.seat or 0).plays_on(5, 1)
    again = match.events[-1]
    assert (again.kind, again.ply, again.action) == (before.kind, before.ply, before.action)
    assert judge(match.gives_up(0)).wrong is None


@pytest.mark.parametrize("how", ["resign", "abandon"])
def test_giving_up_costs_what_the_game_says(how: str) -> None:
    match = Played("backgammon").plays_on(5, 4).gives_up(1, how)
    verdict = judge(match)
    assert verdict.wrong is None
    assert verdict.result is not None
    assert verdict.result.returns == (3.0, -3.0)


@pytest.mark.parametrize("points", [1, 2])
def test_a_resignation_for_fewer_points_counts_what_was_agreed(points: int) -> None:
    match = Played("backgammon").plays_on(5, 4).resigns(1, points)
    verdict = judge(match)
    assert verdict.wrong is None
    assert verdict.result is not None
    assert verdict.result.returns == (points, -points)
    played = replay_events(match.events)
    assert f"Wins {points} point" in mat.write([played])
    assert f"RE[W+{points}R]" in sgf.write([played]) or f"RE[B+{points}R]" in sgf.write([played])


@pytest.mark.parametrize(
    ("forge", "why"),
    [
        (change("offered", points=2), "it gives 1 and -1 points, and 2 and -2 are due"),
        (change("offered", points=3), "for 3 points could not be offered"),
        (change("offered", points=None), "only a resignation is offered for points"),
        (change("offered", seat=0), "cannot accept its own"),
        (change("answered", accept=False), "it gives 1 and -1 points, and 3 and -3 are due"),
        (change("ended", result=DRAW), "agreed that seat 1 resigns"),
    ],
)
def test_a_resignation_for_points_that_nobody_agreed_to_is_found(forge: Forge, why: str) -> None:
    match = Played("backgammon").plays_on(5, 4).resigns(1, 1)
    assert why in (judge(match, forge).wrong or "")


def test_a_flag_an_abort_an_agreed_draw_and_a_void_match_hold() -> None:
    draw = Played("connect_four").plays("4", "4")
    draw.add("offered", seat=0, offer="draw")
    draw.add("answered", seat=1, offer="draw", accept=True)
    abort = Played("connect_four").plays("4").ends(ABORT)
    void = Played("connect_four").plays("4", "4").ends(VOID)
    failed = Played("connect_four", TEN_SECONDS).plays("4", "4")
    failed.ends(replace(VOID, reason="the rules failed"))
    for match in (flagged(spent=10_001), draw.ends(DRAW), abort, void, failed):
        assert judge(match).wrong is None


def ends(winner: int | None, points: float, how: str, reason: str) -> Forge:
    """Another end: seat 0 wins so many points."""
    result = Result(winner=winner, returns=(points, -points), how=how, reason=reason)  # type: ignore[arg-type]
    return change("ended", result=result)


def ten_seconds() -> Played:
    return Played("connect_four", TEN_SECONDS).plays("4", "4", "4", "4").gives_up(0)


def flagged(options: Options | None = TEN_SECONDS, spent: int = 10_201) -> Played:
    return Played("connect_four", options).plays("4").gives_up(1, "flag", spent)


def resigned() -> Played:
    return Played("backgammon").plays_on(5, 4).gives_up(0)


def untimed() -> Played:
    return Played("connect_four").plays("4").gives_up(1)


@pytest.mark.parametrize(
    ("forge", "why"),
    [
        # rules
        (change("play", 2, action="8"), "is no column"),
        (change("play", 2, action="04"), "is no column"),
        (change("play", 2, ply=3), "it is called ply 3, and ply 2 is next: 1 are missing"),
        (change("play", 2, seat=1), "it is by seat 1, and seat 0 is next"),
        (change("play", 2, kind="pass"), "it is a pass, and only a play was possible"),
        (change("play", 2, kind="roll", seat=-1), "it is a roll, and only a play was possible"),
        (change("play", 2, kind="said"), "no event of a match is called 'said'"),
        (change("play", 2, match="17.3"), "it is of another match, 17.3"),
        (change("play", 2, at=5), "its time is before that of the event above"),
        (change("play", 2, at=None), "it lacks at"),
        (change("play", 2, seq=7), "it follows event 7"),
        (change("play", 6, action="5"), "the rules had not ended it"),
        (change("play", 1, action="4"), "the rules had not ended it"),
        # what does not belong to an event
        (change("play", 1, secret="00"), "it carries secret, which is not for a play"),
        (change("ended", ply=7), "it carries ply, which is not for an end"),
        (change("play", 1, action=None), "it lacks action"),
        (change("ended", spent_ms=1), "thought for 1 ms, and it was nobody's turn"),
        # a start that no server makes
        (change("started", players=None), "it lacks players"),
        (change("started", salts=("", "")), "salts, and no dice"),
        (change("started", game="backgammon"), "no dice were promised"),
        (change("started", options=Options(rated=True)), "a rated match needs a clock"),
        (clock(), "either base_ms or per_move_ms"),
        (clock(base_ms=9_000, per_move_ms=900), "either base_ms"),
        (clock(per_move_ms=900, increment_ms=1), "no increment"),
        # time that cannot be
        (change("play", 3, spent_ms=2_001), "2001 ms, and the position had stood for 2000 ms"),
        (change("play", 3, lag_ms=201), "201 ms of lag were forgiven, and the limit is 200 ms"),
        (change("play", 3, lag_ms=-1), "-1 ms of lag"),
        (change("play", 3, spent_ms=10), "20 ms of lag were forgiven of 10 ms"),
        (change("play", 3, spent_ms=None), "it lacks spent_ms"),
        (change("play", 3, lag_ms=None), "it lacks lag_ms"),
        # another result
        (change("ended", result=None), "it lacks result"),
        (ends(1, -1.0, "rules", "line"), "1 and -1 are due"),
        (ends(0, 2.0, "rules", "line"), "1 and -1 are due"),
        (ends(1, 1.0, "rules", "line"), "did not win"),
        (ends(0, 1.0, "rules", "full"), "the reason is line"),
        (ends(0, 1.0, "resign", "resign"), "the rules ended"),
        (change("ended", result=DRAW), "the rules ended it"),
    ],
)
def test_what_cannot_have_been_is_found(forge: Forge, why: str) -> None:
    verdict = judge(four_in_a_row(), forge)
    assert why in (verdict.wrong or "")
    assert verdict.seq is not None


def test_a_turn_of_backgammon_is_written_in_one_way_only() -> None:
    match = Played("backgammon").plays_on(1, 1).gives_up(0)
    played = next(event for event in match.events if event.kind == "play")
    assert " " in (played.action or "")
    other = " ".join(reversed((played.action or "").split()))
    verdict = judge(match, change("play", action=other))
    assert verdict.wrong == f"{other} is written {played.action}"


def test_a_pass_stands_where_nothing_else_is_possible_and_only_there() -> None:
    verdict = judge(backgammon(), change("pass", kind="play", spent_ms=0, lag_ms=0))
    assert verdict.wrong == "it is a play, and only a pass was possible"
    verdict = judge(backgammon(), change("play", kind="pass", action="pass"))
    assert verdict.wrong == "it is a pass, and only a play was possible"


def test_a_match_that_goes_on_after_its_end_or_stops_before_it_is_none() -> None:
    match = four_in_a_row()
    match.add("play", ply=7, seat=1, action="1", spent_ms=1, lag_ms=0)
    assert judge(match).wrong == "the match was over"
    cut = judge(four_in_a_row(), lambda events: events.pop() and None)
    assert (cut.wrong, cut.seq) == ("the match does not end", None)
    assert judge(four_in_a_row(), lambda events: events.clear()).wrong == "the match does not start"
    headless = judge(four_in_a_row(), lambda events: events.pop(0) and None)
    assert headless.wrong == "it comes before the start"
    twice = judge(four_in_a_row(), lambda events: events.insert(1, events[0]))
    assert twice.wrong == "it starts again"


def test_of_rules_that_are_not_here_nothing_is_said() -> None:
    for fields, why in (
        ({"game": "go"}, "the game 'go' is not known here"),
        ({"rules_version": 7}, "version 7 of the rules of connect_four, but here is version 1"),
    ):
        with pytest.raises(Unknown, match=why):
            judge(four_in_a_row(), change("started", **fields))


def test_a_changed_roll_is_found() -> None:
    match = backgammon()
    rolls = [event for event in match.events if event.kind == "roll"]
    for nth, roll in list(enumerate(rolls))[1:9]:
        other = "21" if roll.action != "21" else "31"
        verdict = judge(match, change("roll", nth, action=other))
        gives = f"the deal gives {roll.action} for ply {roll.ply}"
        assert verdict.wrong == f"the roll is {other}, and {gives}"
        assert verdict.seq == roll.seq


def test_another_secret_is_found_whatever_was_promised() -> None:
    secret = bytes(31) + b"\x01"
    one = judge(backgammon(), change("dealt", secret=secret.hex()))
    assert "does not match the commitment" in (one.wrong or "")
    both = change("dealt", secret=secret.hex(), commitment=commitment(secret))
    assert "and the deal gives" in (judge(backgammon(), both).wrong or "")


@pytest.mark.parametrize("secret", [None, "", "zz", "00" * 31, "AB" * 32])
def test_a_secret_that_is_none_is_found(secret: str | None) -> None:
    assert "secret" in (judge(backgammon(), change("dealt", secret=secret)).wrong or "")


@pytest.mark.parametrize(
    "salts",
    [("00fe", ""), ("00ff", "0"), ("", "00ff"), ("00FF", ""), ("é", ""), ("0" * 65, ""), None],
)
def test_another_salt_is_found(salts: tuple[str, str] | None) -> None:
    assert judge(backgammon(), change("started", salts=salts)).wrong is not None


def test_dice_are_dealt_once() -> None:
    verdict = judge(backgammon(), lambda events: events.insert(0, replace(events[0], seq=1)))
    assert verdict.wrong == "the dice were dealt twice"


def test_lag_is_forgiven_for_five_seconds_a_match_and_never_without_a_clock() -> None:
    def forge(events: list[Event]) -> None:
        for i, event in enumerate(events):
            if event.kind == "play":
                events[i] = replace(event, spent_ms=300, lag_ms=200)

    verdict = judge(backgammon(), forge)
    assert verdict.wrong == "200 ms of lag were forgiven, and the limit is 0 ms"


@pytest.mark.parametrize(
    ("match", "forge", "why"),
    [
        # who plays on after the flag, or gives up after longer than the position stood
        (ten_seconds(), late("play", 2, 8_541), "it took 8541 ms, and seat 0 had 8520 ms left"),
        (untimed(), change("ended", spent_ms=2_001), "the position had stood for 2000 ms"),
        (untimed(), change("play", lag_ms=3), "3 ms of lag were forgiven"),
        # a flag that did not fall or was overlooked
        (flagged(), change("ended", spent_ms=10_000), "fell after 10000 ms, and seat 1 had 10000"),
        (flagged(), change("ended", spent_ms=0), "fell after 0 ms, and seat 1 had 10000 ms left"),
        (flagged(), ends(1, -1.0, "flag", "flag"), "a flag fell that was not running"),
        (
            flagged(),
            ends(0, 1.0, "resign", "resign"),
            "seat 1 had thought for 10201 ms, and had 10000 ms left",
        ),
        # another end than the players made
        (resigned(), ends(0, 1.0, "resign", "resign"), "3 and -3 are due"),
        (resigned(), ends(None, 0.0, "resign", "resign"), "nobody has won"),
        (resigned(), ends(0, 3.0, "luck", "luck"), "no match ends by"),
        (resigned(), ends(0, 3.0, "rules", "gammon"), "had not ended it"),
        (resigned(), ends(0, 3.0, "void", "both players left"), "0 and 0"),
    ],
)
def test_time_or_an_end_that_cannot_have_been_is_found(
    match: Played, forge: Forge, why: str
) -> None:
    assert judge(match).wrong is None
    assert why in (judge(match, forge).wrong or "")


def test_the_last_moment_before_the_flag_holds() -> None:
    assert judge(ten_seconds(), late("play", 2, 8_540)).wrong is None


def test_nothing_is_taken_back_that_was_not_agreed_upon() -> None:
    def fresh(options: Options | None = None) -> Played:
        return Played("connect_four", options).plays("4", "4", "4")

    alone = fresh()
    alone.add("takeback", ply=2, seat=0)
    declined = fresh()
    declined.add("offered", seat=0, offer="takeback")
    declined.add("answered", seat=1, offer="takeback", accept=False)
    declined.add("takeback", ply=2, seat=0)
    stale = fresh()
    stale.add("offered", seat=0, offer="takeback")
    stale.add("answered", seat=1, offer="takeback", accept=True)
    stale.add("offered", seat=0, offer="draw")
    stale.add("takeback", ply=2, seat=0)
    for match in (alone, declined):
        assert judge(match).wrong == "no takeback was agreed"
    assert judge(stale).wrong == "it is an offer, and a takeback was agreed"
    too_far = fresh().takes_back(0, 0)
    assert judge(too_far).wrong == "ply 0 is not the last decision of seat 0"
    rated = fresh(Options(clock=ClockOptions(base_ms=10_000), rated=True)).takes_back(2, 0)
    assert judge(rated).wrong == "in a rated match nothing is taken back"


def test_a_draw_takes_two() -> None:
    unasked = Played("connect_four").plays("4").ends(DRAW)
    assert judge(unasked).wrong == "no draw was agreed"
    lapsed = Played("connect_four").plays("4")
    lapsed.add("offered", seat=0, offer="draw")
    lapsed.plays("4")
    lapsed.add("answered", seat=1, offer="draw", accept=True)
    assert judge(lapsed.ends(DRAW)).wrong == "no draw was offered"
    own = Played("connect_four").plays("4")
    own.add("offered", seat=0, offer="draw")
    own.add("answered", seat=0, offer="draw", accept=True)
    assert judge(own.ends(DRAW)).wrong == "a seat cannot accept its own offer"


def test_a_match_of_too_many_events_is_void_and_no_other_because_of_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    match = Played("connect_four", TEN_SECONDS).plays("4", "4")
    match.ends(replace(VOID, reason=TOO_MANY_EVENTS))
    assert judge(match).wrong == "a match with a clock does not become void"
    monkeypatch.setattr("client.records.checked_match.MAX_EVENTS", 3)
    assert judge(match).wrong is None


def test_an_end_that_needs_a_clock_or_none_or_comes_too_late_is_found() -> None:
    claimed = Played("connect_four", TEN_SECONDS).plays("4").gives_up(1, "abandon")
    assert judge(claimed).wrong == "a match with a clock cannot be claimed"
    assert judge(flagged(None)).wrong == "a flag fell that was not running"
    late_abort = Played("connect_four").plays("4", "4").ends(ABORT)
    assert judge(late_abort).wrong == "both sides had moved, so it could not be aborted"


NOT_BEGUN = replace(VOID, reason="not begun in time")
TO_BEGIN = Options(clock=ClockOptions(base_ms=10_000, begin_ms=40_000))


@pytest.mark.parametrize(
    ("moves", "spent", "result", "why"),
    [
        ((), 40_000, NOT_BEGUN, None),
        (("4",), 40_000, NOT_BEGUN, None),
        ((), 0, VOID, None),
        ((), 39_999, NOT_BEGUN, "had 39999 ms to begin, and 40000 ms were promised"),
        (("4", "4"), 40_000, NOT_BEGUN, "a match with a clock does not become void"),
        (
            (), 60_000, Result(winner=1, returns=(-1.0, 1.0), how="flag", reason="flag"),
            "a flag fell before the match had begun",
        ),
    ],
)  # fmt: skip
def test_a_match_that_is_not_begun_in_time_is_void_and_no_other(
    moves: tuple[str, ...], spent: int, result: Result, why: str | None
) -> None:
    match = Played("connect_four", TO_BEGIN).plays(*moves)
    match.ends(result)
    verdict = judge(match, late("ended", 0, spent))
    assert (verdict.wrong is None) if why is None else (why in (verdict.wrong or ""))


def test_what_a_first_decision_takes_in_the_time_to_begin_is_taken_off_no_clock() -> None:
    match = Played("connect_four", TO_BEGIN).plays("4", "3", "4").gives_up(0)
    assert judge(match, late("play", 0, 45_000)).wrong is None
    assert "had 50000 ms left" in (judge(match, late("play", 0, 50_300)).wrong or "")
    assert "had 10000 ms left" in (judge(match, late("play", 2, 10_300)).wrong or "")
