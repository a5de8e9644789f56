"""The record of a ladder's match: what its server wrote is judged again, and told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from client.records.verify import Verification, verify
from client.replica import Replica
from client.terminal.shown import replayed
from client.terminal.shown.moves import moves
from protocol.messages import Resign
from protocol.parts import ClockOptions, Event, Options
from protocol.records import record, text
from protocol.records.record import MatchRecord
from protocol.records.replay import replay_events
from server.core import playing
from server.core.events import public, read_body
from server.core.orders import Alarm, Close, Disconnected, Release
from tests.server.core.score import ANN, BOB, MATCH, MINUTE, RATED, Table, on_a_ladder, started

Forge = Callable[[Event], Event]
UNRATED = Options(clock=RATED.clock)


def of(table: Table, forge: Forge = lambda event: event) -> MatchRecord:
    """The record of a room's match, as history tells it once the room is closed."""
    events = [
        public(row.seq, f"{row.room}.{row.match}", read_body(row.kind, row.body), sealed=False)
        for row in table.rows if row.match is not None
    ]  # fmt: skip
    return MatchRecord(MATCH, tuple(map(forge, events)))


def judge(table: Table, forge: Forge = lambda event: event) -> Verification:
    return verify(of(table, forge))


def change(which: str, /, **fields: Any) -> Forge:
    """Change fields of all events of a kind."""
    return lambda event: replace(event, **fields) if event.kind == which else event


def opened() -> Table:
    table = on_a_ladder("connect_four", opening=("4", "3"))
    table.plays("4", "3", "4", "3", "4")
    return table


def struck() -> Table:
    table = on_a_ladder()
    table.plays("5")
    for junk in ("5", "e4", "x" * 50):
        table.at(900, BOB, table.play(junk))
    return table


def backgammon(number: int) -> Table:
    table = on_a_ladder("backgammon", number=number)
    for _ in range(6):
        table.at(0, None, Release(playing.waiting_ply(table.room) or 0))
        table.plays(table.match.position.legal_notation()[number])
    table.at(0, ANN, Resign(match=MATCH))
    table.at(0, None, Close("scored"))
    return table


def test_a_match_with_an_opening_holds_goes_through_a_file_and_has_it_in_brackets() -> None:
    kept, verdict = of(opened()), judge(opened())
    assert (verdict.wrong, verdict.actions) == (None, 7)
    assert record.read(record.write(kept)) == kept
    assert text.move_list(replay_events(kept.events))[:2] == ["  1. (4)   (3)", "  2. 4     3"]
    assert [move.text for move in moves(kept.events[1:])][:3] == ["(4)", "(3)", "4"]


def test_a_replica_counts_an_opening_among_the_actions() -> None:
    table = on_a_ladder("connect_four", opening=("4", "3"))
    replica = Replica("eve")
    replica.feed(table.seen(0))
    assert [event.action for event in replica.actions(MATCH)] == ["4", "3"]
    assert replica.gap(MATCH) is None


@pytest.mark.parametrize("number", [0, 1])
def test_the_dice_of_a_pair_are_those_of_its_deal(number: int) -> None:
    table = backgammon(number)
    verdict = judge(table)
    assert (verdict.wrong, verdict.rolls, verdict.salts) == (None, 6, ("00ff", "ee"))


@pytest.mark.parametrize(
    ("number", "forge", "why"),
    [
        (0, change("dealt", deal=None), "the deal gives"),
        (0, change("dealt", deal="L12.35"), "the deal gives"),
        (1, change("started", salts=("ee", "00ff")), "the deal gives"),  # not in the pair's order
        *(
            (0, change("dealt", deal=name), "is not the name of a deal that this match can have")
            for name in ("17.1", "L12", "", "Lä.1")
        ),
    ],
)
def test_they_are_no_other_deals(number: int, forge: Forge, why: str) -> None:
    assert why in (judge(backgammon(number), forge).wrong or "")


def test_dice_whose_secret_is_kept_have_no_record_yet() -> None:
    table = backgammon(0)
    assert not of(table).sealed
    assert of(table, change("dealt", secret=None)).sealed


def test_three_strikes_hold_and_each_stands_below_its_position() -> None:
    verdict, replay = judge(struck()), replay_events(of(struck()).events)
    assert verdict.wrong is None
    assert verdict.result is not None
    assert (verdict.result.how, verdict.result.winner) == ("illegal", 0)
    written = text.write(replay)
    assert "O played an illegal action" in written
    assert "Not legal:\n  at ply 2: O tried 5\n  at ply 2: O tried e4\n" in written
    told = ["".join(text for _, text in parts) for parts in replayed.plain(replay)]
    assert "Not legal at ply 2: O tried e4." in told


def later_opening(event: Event) -> Event:
    """A play becomes an opening."""
    later = event.kind == "play" and event.ply == 3
    return replace(event, kind="opening", spent_ms=None, lag_ms=None) if later else event


@pytest.mark.parametrize(
    ("table", "forge", "why"),
    [
        (struck, change("strike", action="1"), "1 was a legal action"),
        (struck, change("strike", ply=2), "who was not to move"),
        (struck, change("strike", seat=0), "who was not to move"),
        (struck, change("strike", note="x"), "it carries note, which is not for a strike"),
        (struck, change("started", options=UNRATED), "only a ladder counts strikes"),
        (opened, change("started", options=UNRATED), "has no opening"),
        (opened, change("opening", spent_ms=0), "it carries spent_ms, which is not for an opening"),
        (opened, change("opening", action="9"), "is no column"),
        (opened, later_opening, "an opening comes first"),
    ],
)
def test_a_strike_or_an_opening_that_cannot_have_been(
    table: Callable[[], Table], forge: Forge, why: str
) -> None:
    assert why in (judge(table(), forge).wrong or "")


def test_whether_an_action_was_an_opening_changes_nothing_on_the_board() -> None:
    for forge in (
        change("opening", kind="play", spent_ms=0, lag_ms=0),
        change("play", kind="opening", spent_ms=None, lag_ms=None),
    ):
        assert judge(opened(), forge).wrong is None


def test_strikes_and_the_end_belong_together() -> None:
    table = struck()
    ended = of(table).events[-1]
    assert ended.result is not None
    resigned = change("ended", result=replace(ended.result, how="resign", reason="resign"))
    assert "it ended by resign, and seat 1 had 3 strikes" in (judge(table, resigned).wrong or "")
    two = MatchRecord(MATCH, (*of(table).events[:-2], ended))
    assert "it ended by illegal, and seat 1 had 2 strikes" in (verify(two).wrong or "")
    later = MatchRecord(MATCH, (*of(table).events[:-1], of(table).events[2], ended))
    assert "seat 1 had its last strike" in (verify(later).wrong or "")


def test_the_ends_that_only_a_ladder_knows_hold() -> None:
    long = Options(clock=ClockOptions(base_ms=10 * MINUTE))
    away, both, flag, off = (on_a_ladder(options=long) for _ in range(4))
    flag = on_a_ladder()
    away.at(0, BOB, Disconnected())
    away.at(MINUTE, None, Alarm())
    for table in (both, flag):
        table.at(50_000, ANN, Disconnected())
        table.at(51_000, BOB, Disconnected())
    both.at(110_000, None, Alarm())
    flag.at(MINUTE + 201, None, Alarm())
    off.at(5, None, Close("stopped"))
    hows = []
    for table in (away, both, flag, off):
        verdict = judge(table)
        assert verdict.wrong is None
        assert verdict.result is not None
        hows.append((verdict.result.how, verdict.result.reason))
    assert hows == [
        ("disconnect", "disconnect"), ("void", "both away"), ("void", "both away"),
        ("void", "called off"),
    ]  # fmt: skip


def test_a_match_that_is_not_rated_does_not_become_void_so() -> None:
    table = started(options=UNRATED)
    table.at(0, ANN, Resign(match=MATCH))
    ended = of(table).events[-1]
    assert ended.result is not None
    void = replace(ended.result, how="void", winner=None, returns=(0.0, 0.0), reason="both away")
    assert "does not become void" in (judge(table, change("ended", result=void)).wrong or "")


def test_a_crash_holds_in_any_match() -> None:
    table = started()
    table.at(0, ANN, Resign(match=MATCH, crashed=True))
    assert judge(table).wrong is None
