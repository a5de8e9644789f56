"""The copy of what a member knows: messages in, knowledge out."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from client import replica as replicas
from client.replica import CHAT_LINES, CLOSED_ROOMS, MATCHES, REACH, WIDER, Replica
from protocol import messages, parts
from tests.client.fake_server import lobby, match, room

ANN, BOB, MCTS = (
    parts.Player(name="ann"),
    parts.Player(name="bob"),
    parts.Player(name="ann", program="mcts"),
)


@pytest.fixture
def replica() -> Replica:
    return Replica("ann")


def welcome(
    server: str = "home", rooms: tuple[int, ...] = (), name: str = "ann"
) -> messages.Welcome:
    return messages.Welcome(version=1, server=server, name=name, now=0, rooms=rooms)


def said(seq: int, number: int = 17) -> messages.Said:
    return messages.Said(room=number, seq=seq, name="bob", text="hm", at=0)


def invited(number: int, expires_ms: int = 10_000) -> messages.Invited:
    return messages.Invited(
        room=number, game="tic_tac_toe", options=parts.Options(), by="bob", expires_ms=expires_ms
    )


def action(seq: int, ply: int, kind: str = "play", name: str = "17.1") -> parts.Event:
    return parts.Event(seq=seq, kind=kind, ply=ply, seat=ply % 2, action=str(seq), match=name)


def plies(replica: Replica, name: str = "17.1") -> list[tuple[int | None, int]]:
    """The (ply, seq) of each action that is known."""
    return [(event.ply, event.seq) for event in replica.actions(name)]


def test_a_new_replica_knows_nothing(replica: Replica) -> None:
    assert (replica.rooms, replica.matches, replica.chat, replica.lobby) == ({}, {}, {}, None)
    assert replica.current(17) is None
    assert (replica.my_seat(17), replica.my_seat("17.1")) == (None, None)
    assert not replica.my_turn("17.1")
    assert replica.time_left("17.1", 0, now=0) is None
    assert (replica.actions("17.1"), replica.gap("17.1")) == ((), None)


def test_the_newest_is_kept(replica: Replica) -> None:
    replica.feed(messages.Ok(re=1, seq=2))  # tells nothing lasting
    for message in (lobby(1), lobby(2), room(seq=3), room(seq=4), match(seq=3), match(seq=4)):
        replica.feed(message)
    replica.feed(room(seq=3))
    replica.feed(match(seq=3))
    assert replica.lobby == lobby(2)
    assert (replica.rooms[17], replica.matches["17.1"]) == (room(seq=4), match(seq=4))


def test_the_same_seq_overwrites_for_absence_and_clocks_have_none(replica: Replica) -> None:
    replica.feed(room(seq=4))
    replica.feed(room(seq=4, watching=2))
    replica.feed(match(seq=4))
    replica.feed(match(seq=4, legal=("1",)))
    assert replica.rooms[17].watching == 2
    assert replica.my_turn("17.1")


def test_current_match_is_the_rooms(replica: Replica) -> None:
    replica.feed(room(match="17.2"))
    assert replica.current(17) is None
    replica.feed(match("17.1"))
    replica.feed(match("17.2", seq=2))
    assert replica.current(17) == match("17.2", seq=2)
    replica.feed(room(18))
    assert replica.current(18) is None


def test_chat_is_kept_in_order_once_and_bounded(replica: Replica) -> None:
    for seq in (1, 2, 2, 1, *range(3, CHAT_LINES + 3)):
        replica.feed(said(seq))
    assert [message.seq for message in replica.chat[17]] == list(range(3, CHAT_LINES + 3))


def test_forgotten_room_leaves_nothing_behind(replica: Replica) -> None:
    for message in (room(), match(), said(1), invited(17), room(18), match("18.1")):
        replica.feed(message)
    replica.forget(17)
    replica.forget(99)
    assert (list(replica.rooms), list(replica.matches), replica.chat) == ([18], ["18.1"], {})
    assert (replica.invited(now=0), replica.actions("17.1")) == ([], ())


def test_old_matches_and_closed_rooms_are_forgotten(replica: Replica) -> None:
    for number in range(1, 20):
        replica.feed(match(f"17.{number}", seq=number))
        replica.feed(room(100 + number, state="closed"))
    assert list(replica.matches) == [f"17.{n}" for n in range(20 - MATCHES, 20)]
    assert list(replica.rooms) == list(range(120 - CLOSED_ROOMS, 120))


def test_seat_in_a_room_or_against_oneself_is_told_by_the_room(replica: Replica) -> None:
    replica.feed(room(18, seat=None))
    replica.feed(match("17.1", seats=(ANN, ANN)))
    assert replica.my_seat("17.1") is None
    replica.feed(room(match="17.1", seat=1))
    assert (replica.my_seat(17), replica.my_seat(18), replica.my_seat("17.1")) == (1, None, 1)
    replica.feed(room(match="17.2", seat=1, seq=2))
    assert replica.my_seat("17.1") is None


@pytest.mark.parametrize(
    ("program", "seats", "seat"),
    [
        (None, (ANN, BOB), 0),
        (None, (BOB, ANN), 1),
        (None, (BOB, MCTS), None),
        ("mcts", (ANN, MCTS), 1),
        (None, (BOB, parts.Player(name="cat")), None),
    ],
)
def test_seat_in_a_match_is_found_by_name_and_program(
    program: str | None, seats: tuple[parts.Player, parts.Player], seat: int | None
) -> None:
    replica = Replica("ann", program)
    replica.feed(match(seats=seats))
    assert replica.my_seat("17.1") == seat


def test_my_turn_is_where_legal_is(replica: Replica) -> None:
    replica.feed(match(seq=1, legal=("1", "2")))
    assert replica.my_turn("17.1")
    replica.feed(match(seq=2))
    assert not replica.my_turn("17.1")
    result = parts.Result(winner=0, returns=(1.0, -1.0), how="rules", reason="line")
    replica.feed(match(seq=3, legal=(), result=result))
    assert not replica.my_turn("17.1")


def test_welcome_gives_the_name_and_has_rooms_left_while_away_forgotten() -> None:
    replica = Replica()
    replica.feed(match())
    assert replica.my_seat("17.1") is None
    for message in (welcome(), room(17), room(18), room(19, seat=None)):
        replica.feed(message)
    assert replica.my_seat("17.1") == 0
    replica.feed(welcome(rooms=(18,)))
    assert list(replica.rooms) == [18, 19]


def test_another_server_has_other_rooms(replica: Replica) -> None:
    for message in (welcome(), room(17, seq=9), match(seq=9), lobby(), said(4, 5), invited(6)):
        replica.feed(message)
    replica.feed(welcome("elsewhere"))
    assert (replica.rooms, replica.matches, replica.chat, replica.lobby) == ({}, {}, {}, None)
    assert replica.invited(now=0) == []
    replica.feed(room(17, seq=1))
    assert replica.rooms[17].seq == 1


def test_a_room_goes_back_over_a_welcome_alone_as_its_server_may_have_lost_the_last_moments(
    replica: Replica,
) -> None:
    lost = (action(8, 0), action(9, 1))
    for message in (welcome(rooms=(17,)), room(17, seq=7), match(seq=9, ply=2, events=lost)):
        replica.feed(message)
    replica.feed(said(9))
    replica.feed(room(17, seq=6))  # it was sent before, and read later
    assert (replica.rooms[17].seq, plies(replica)) == (7, [(0, 8), (1, 9)])
    replica.feed(welcome(rooms=(17,)))
    replica.feed(room(17, seq=8))
    replica.feed(match(seq=8, ply=1, events=lost[:1]))
    replica.feed(match(seq=7, ply=0))
    assert (replica.rooms[17].seq, plies(replica)) == (8, [(0, 8)])
    assert 17 not in replica.chat


def test_an_invitation_that_has_run_out_is_forgotten_though_nothing_asks(replica: Replica) -> None:
    for number in range(100):
        replica.feed(invited(number), now=number * 1_000)
    assert list(replica.invitations) == list(range(90, 100))


def test_invitations_run_out_and_end_with_a_seat(replica: Replica) -> None:
    replica.feed(invited(17), now=1_000)
    replica.feed(invited(18, expires_ms=500), now=1_000)
    replica.feed(invited(19), now=1_000)
    assert replica.invited(now=1_499) == [invited(17), invited(18, 500), invited(19)]
    replica.feed(room(17, seat=None))
    assert replica.invited(now=1_500) == [invited(17), invited(19)]
    replica.feed(room(17, seat=1))
    assert replica.invited(now=1_500) == [invited(19)]


def test_time_passes_for_the_running_seat_only(replica: Replica) -> None:
    replica.feed(match(clocks=parts.Clocks(remaining=(60_000, 50_000), running=1)), now=1_000)
    assert replica.time_left("17.1", 0, now=11_000) == 60_000
    assert replica.time_left("17.1", 1, now=11_000) == 40_000
    assert replica.time_left("17.1", 1, now=99_000) == 0
    assert replica.time_left("17.1", 1, now=0) == 50_000


def test_no_time_passes_before_the_time_to_begin_is_over(replica: Replica) -> None:
    clocks = parts.Clocks(remaining=(60_000, 50_000), begin_ms=40_000)
    replica.feed(match(seq=4, clocks=clocks), now=1_000)
    assert replica.to_begin("17.1", now=11_000) == 30_000
    assert replica.time_left("17.1", 0, now=99_000) == 60_000
    replica.feed(match(seq=5, clocks=replace(clocks, running=0)), now=1_000)
    assert replica.time_left("17.1", 0, now=51_000) == 50_000
    away = (parts.Player(name="ann"), parts.Player(name="bob", absent=True))
    replica.feed(match(seq=6, clocks=clocks, seats=away), now=1_000)
    assert replica.to_begin("17.1", now=99_000) == 40_000
    replica.feed(match(seq=7, clocks=replace(clocks, begin_ms=None)), now=1_000)
    assert replica.to_begin("17.1", now=2_000) is None


@pytest.mark.parametrize("stands", ["untimed", "nobody", "paused", "over"])
def test_clock_that_stands_does_not_move(replica: Replica, stands: str) -> None:
    result = parts.Result(winner=0, returns=(1.0, -1.0), how="flag", reason="flag")
    clocks = {
        "untimed": None,
        "nobody": parts.Clocks(remaining=(5, 6)),
        "paused": parts.Clocks(remaining=(5, 6), running=0, paused="server"),
        "over": parts.Clocks(remaining=(5, 6), running=0),
    }[stands]
    replica.feed(match(clocks=clocks, result=result if stands == "over" else None), now=0)
    assert replica.time_left("17.1", 0, now=9) == (None if clocks is None else 5)


def test_missing_actions_are_a_gap_that_history_fills(replica: Replica) -> None:
    course = [action(10 + ply, ply) for ply in range(30)]
    replica.feed(match(seq=13, ply=4, events=tuple(course[:4])))
    replica.feed(match(seq=39, ply=30, events=tuple(course[22:])))
    assert replica.gap("17.1") == 13
    replica.feed(messages.HistoryPage(room=17, events=tuple(course[4:14]), next=23))
    assert replica.gap("17.1") == 23
    other = action(24, 0, name="17.9")
    talk = parts.Event(seq=25, kind="said", text="hm")
    replica.fill(messages.HistoryPage(room=17, events=(other, talk, *course[14:30])))
    assert replica.gap("17.1") is None
    assert replica.actions("17.1") == tuple(course)


@pytest.mark.parametrize(("talk", "asked"), [(50, 1), (5_000, 4)])
def test_of_a_long_room_no_more_is_read_than_a_few_times_what_a_match_takes(
    replica: Replica, talk: int, asked: int
) -> None:
    begins, ply = 1_000_000, 20
    course = [action(begins + n, n) for n in range(10)]
    course += [action(begins + talk + n, n) for n in range(10, ply)]
    newest = course[-1].seq
    replica.feed(match(seq=newest, ply=ply, events=tuple(course[-8:])))
    gaps = []
    while (since := replica.gap("17.1")) is not None:
        gaps.append(newest - since)
        events = tuple(event for event in course if event.seq > since)
        replica.fill(messages.HistoryPage(room=17, events=events))
    assert replica.actions("17.1") == tuple(course)
    assert len(gaps) == asked
    assert gaps[-1] <= WIDER * (talk + ply + REACH)


@pytest.mark.parametrize(
    ("page", "gap"),
    [
        (messages.HistoryPage(room=18, events=(action(1, 0),)), 0),
        (messages.HistoryPage(room=17, events=()), None),
        (messages.HistoryPage(room=17, events=(action(20, 11),), next=20), 20),
    ],
    ids=["of another room", "that has no more", "that leaves a hole"],
)
def test_history_that_fills_nothing_is_not_taken_for_the_course(
    replica: Replica, page: messages.HistoryPage, gap: int | None
) -> None:
    replica.feed(match(seq=39, ply=30, events=(action(39, 29),)))
    replica.fill(page)
    assert (replica.gap("17.1"), replica.actions("17.1")) == (gap, ())


def test_a_page_serves_all_matches_of_a_room(replica: Replica) -> None:
    first = [action(10 + ply, ply, name="17.1") for ply in range(9)]
    second = [action(30 + ply, ply, name="17.2") for ply in range(9)]
    replica.feed(match("17.1", seq=18, ply=9, events=tuple(first[1:])))
    replica.feed(match("17.2", seq=34, ply=5, events=tuple(second[:5])))
    replica.feed(match("17.3", seq=90, ply=9, events=(action(90, 8, name="17.3"),)))
    assert [replica.gap(f"17.{n}") for n in (1, 2, 3)] == [0, None, 0]
    replica.fill(messages.HistoryPage(room=17, events=(*first, *second), next=40))
    assert [replica.gap(f"17.{n}") for n in (1, 2, 3)] == [None, None, 40]
    assert replica.actions("17.1") == tuple(first)
    assert replica.actions("17.2") == tuple(second[:5])


def test_takeback_that_was_missed_is_a_gap_not_a_guess(replica: Replica) -> None:
    course = [action(10 + ply, ply) for ply in range(6)]
    replica.feed(match(seq=15, ply=6, events=tuple(course)))
    # Seq 16 went back to ply 4; what is shown now begins at ply 6, and nobody can tell from it.
    anew = [action(17 + n, 4 + n) for n in range(10)]
    replica.feed(match(seq=26, ply=14, events=tuple(anew[2:])))
    assert replica.gap("17.1") == 15
    back = parts.Event(seq=16, kind="takeback", match="17.1", ply=4, seat=0)
    replica.fill(messages.HistoryPage(room=17, events=(back, *anew)))
    assert replica.actions("17.1") == (*course[:4], *anew)
    assert replica.gap("17.1") is None


def test_message_may_show_actions_that_were_taken_back(replica: Replica) -> None:
    shown = (action(10, 0), action(11, 1), action(12, 2), action(14, 1))
    replica.feed(match(seq=14, ply=2, events=shown))
    assert plies(replica) == [(0, 10), (1, 14)]
    replica.feed(match(seq=15, ply=1, events=shown))
    assert plies(replica) == [(0, 10)]


def test_history_read_later_than_the_message_changes_nothing(replica: Replica) -> None:
    course = [action(10 + ply, ply) for ply in range(12)]
    replica.feed(match(seq=18, ply=9, events=tuple(course[1:9])))
    replica.fill(messages.HistoryPage(room=17, events=tuple(course)))
    assert replica.actions("17.1") == tuple(course[:9])
    replica.fill(messages.HistoryPage(room=17, events=tuple(course)))
    assert replica.actions("17.1") == tuple(course[:9])


@st.composite
def stories(
    draw: st.DrawFn,
) -> tuple[list[parts.Event], list[tuple[messages.MatchState, tuple[parts.Event, ...]]]]:
    """A room's log, and after each of its events the match message and the whole course."""
    log: list[parts.Event] = []
    course: list[parts.Event] = []
    states: list[tuple[messages.MatchState, tuple[parts.Event, ...]]] = []
    for seq in range(1, draw(st.integers(1, 60)) + 1):
        kind = draw(st.sampled_from(["play"] * 6 + ["roll", "said", "takeback"]))
        if kind == "said":
            log.append(parts.Event(seq=seq, kind=kind, text="hm"))
        elif kind == "takeback":
            del course[draw(st.integers(0, len(course))) :]
            log.append(parts.Event(seq=seq, kind=kind, match="17.1", ply=len(course)))
        else:
            log.append(action(seq, len(course), kind))
            course.append(log[-1])
        state = match(seq=seq, turn=seq, ply=len(course), events=tuple(course[-8:]))
        states.append((state, tuple(course)))
    return log, states


@settings(deadline=None, max_examples=20)
@given(stories(), st.data())
def test_whatever_is_missed_the_course_becomes_whole(
    story: tuple[list[parts.Event], list[tuple[messages.MatchState, tuple[parts.Event, ...]]]],
    data: st.DataObject,
) -> None:
    log, states = story
    replica, reach = Replica("ann"), data.draw(st.sampled_from([0, 3, REACH]))
    for at, (state, course) in enumerate(states):
        if not data.draw(st.integers(0, 12)):
            continue
        with patch.object(replicas, "REACH", reach):
            replica.feed(state)
        if replica.gap("17.1") is None:
            assert replica.actions("17.1") == course
        elif data.draw(st.booleans()):
            size = data.draw(st.integers(1, 9))
            seen = log[: data.draw(st.integers(at + 1, len(log)))]
            while (since := replica.gap("17.1")) is not None:
                page = [event for event in seen if event.seq > since]
                more = page[size - 1].seq if len(page) > size else None
                replica.fill(messages.HistoryPage(room=17, events=tuple(page[:size]), next=more))
            assert replica.actions("17.1") == course


def numbered(seq: int, *numbers: int) -> messages.LobbyList:
    """A list of the lobby for who follows the changes."""
    rooms = [parts.RoomLine(room=n, game="g", state="waiting", seats=(None, None),
                            options=parts.Options()) for n in numbers]  # fmt: skip
    return messages.LobbyList(rooms=tuple(rooms), bots=(), total=len(numbers), seq=seq)


def came(seq: int, number: int) -> messages.LobbyChanged:
    """Another room is in the list."""
    rooms = numbered(seq, number).rooms
    return messages.LobbyChanged(seq=seq, total=number, rooms=rooms)


def listed(replica: Replica) -> list[int]:
    """The rooms of the lobby."""
    return [] if replica.lobby is None else [line.room for line in replica.lobby.rooms]


def test_changes_of_the_lobby_are_put_together(replica: Replica) -> None:
    for message in (numbered(4, 2, 1), came(5, 3), came(6, 4)):
        replica.feed(message)
    replica.feed(messages.LobbyChanged(seq=7, total=3, rooms_gone=(2,)))
    assert listed(replica) == [4, 3, 1]
    assert replica.lobby is not None
    assert replica.lobby.total == 3


def test_a_change_that_is_read_before_its_list_waits_for_it(replica: Replica) -> None:
    """A reply is taken by whoever asked, maybe after what was pushed behind it."""
    for message in (came(3, 9), came(5, 3), came(6, 4), numbered(4, 2)):
        replica.feed(message)
    assert listed(replica) == [4, 3, 2]
    for message in (numbered(5, 3, 2), came(7, 5)):  # an older list of the same connection
        replica.feed(message)
    assert listed(replica) == [5, 4, 3, 2]


def test_a_list_of_another_connection_is_taken_whatever_its_number_is(replica: Replica) -> None:
    for message in (welcome(), numbered(5_004, 2, 1), came(5_005, 3), welcome()):
        replica.feed(message)
    assert listed(replica) == [3, 2, 1]  # as it was, until the list comes
    for message in (numbered(7, 7), came(8, 8), came(5_006, 4)):  # a server whose clock is late
        replica.feed(message)
    assert listed(replica) == [8, 7]
    replica.feed(numbered(9_000, 9))
    replica.feed(welcome())  # it may be read after what was answered behind it
    replica.feed(came(9_001, 10))
    assert listed(replica) == [10, 9]
