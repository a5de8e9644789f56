"""A session between a fake server and a fake interface: what is heard, typed, and asked for."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from client.errors import ConnectionOver
from client.presence import LineGap
from client.terminal import dispatch
from client.terminal.fetching import MAX_DRAWN, DrawnBoards
from client.terminal.typed.commands import BadCommand, CreateRoom, JoinRoom, SeekOpponent, WatchRoom
from client.terminal.typed.terms import RoomReference
from protocol import messages, parts, past
from protocol.analysis import AnalysisWaits
from protocol.devices import DeviceNews
from protocol.errors import Code, Refusal
from protocol.hints import HintWaits
from tests.client.terminal.fakes import Stage, begun, playing
from tests.client.terminal.states import ADA, BOB, MCTS, bot, entry, lobby, match, room


async def test_alone_one_sees_the_lobby(stage: Stage) -> None:
    await stage.begin()
    await stage.hear(lobby(entry(18, BOB, None), bots=[bot("mcts")]))
    assert stage.connection.asked == [messages.Lobby(follow="changes")]
    assert [row.number for row in stage.session.view().menu.rows] == [1, 2]


async def test_a_game_against_a_bot_is_created_invited_and_ready(stage: Stage) -> None:
    strength = parts.Strength(level=3)
    await stage.begin(CreateRoom("connect four", parts.Options(rated=True), 1, "mcts", strength))
    assert stage.connection.asked == [
        messages.Create(game="connect_four", options=parts.Options(rated=True), seat=1),
        messages.Lobby(follow=False),
        messages.Invite(room=17, who="mcts", strength=strength),
        messages.Ready(room=17, salt=None),
    ]
    assert stage.interface.text == "mcts is invited (level 3)."


async def test_where_there_are_dice_ready_brings_a_salt(stage: Stage) -> None:
    stage.connection.answers[messages.Create] = room(
        "pebbles", seats=(ADA, None), commitment="ab" * 32
    )
    await stage.begin(CreateRoom("pebbles", who="mcts"))
    (ready,) = stage.connection.asked_for(messages.Ready)
    assert len(bytes.fromhex(ready.salt)) == 16


async def test_without_the_one_invited_no_room_is_left_behind(stage: Stage) -> None:
    stage.connection.refuse[messages.Invite] = Refusal(
        Code.INVITE_NO_SUCH_PLAYER, "nobody called deep is here"
    )
    with pytest.raises(Refusal, match="nobody called deep"):
        await dispatch.begin(stage.session, CreateRoom("connect_four", who="deep"))
    assert stage.connection.asked[-1] == messages.Leave(room=17)
    assert stage.session.focus is None


async def test_an_unknown_game_is_told_the_known_ones(stage: Stage) -> None:
    with pytest.raises(
        BadCommand, match=r"there are connect_four, pebbles, .* mean connect_four\?"
    ):
        await dispatch.begin(stage.session, CreateRoom("conect_four"))
    with pytest.raises(BadCommand, match="there is no game 'go' here"):
        await dispatch.begin(stage.session, CreateRoom("go"))
    assert stage.connection.asked == []


async def test_who_joins_is_ready(stage: Stage) -> None:
    stage.connection.answers[messages.Join] = room(seats=(BOB, ADA), seat=1)
    await stage.begin(JoinRoom(RoomReference(code="QF7KDM")))
    assert stage.connection.asked == [
        messages.Join(room=None, code="QF7KDM"),
        messages.Lobby(follow=False),
        messages.Ready(room=17),
    ]


async def test_six_digits_can_be_a_room_or_a_code_and_another_refusal_is_final(
    stage: Stage,
) -> None:
    stage.connection.refuse[messages.Join] = Refusal(Code.LOBBY_NO_ROOM, "there is no room 234567")
    await stage.begin(JoinRoom(RoomReference(room=234567)))
    assert stage.connection.asked_for(messages.Join) == [
        messages.Join(room=234567),
        messages.Join(code="234567"),
    ]
    stage.connection.refuse[messages.Watch] = Refusal(Code.LOBBY_NO_ROOM, "there is no room 99")
    with pytest.raises(Refusal, match="there is no room 99"):
        await dispatch.begin(stage.session, WatchRoom(RoomReference(room=99)))


async def test_a_match_that_is_over_is_watched_in_its_successor(stage: Stage) -> None:
    stage.connection.answers[messages.Watch] = room(seats=(BOB, MCTS), seat=None, match="17.3")
    await stage.begin(WatchRoom(RoomReference(room=17, match="17.2")))
    assert stage.interface.text == "Match 17.2 is over; the room has gone on to 17.3."


async def test_one_comes_back_to_the_match_that_is_on() -> None:
    stage = Stage(rooms=(17,), matches=("17.1",))
    stage.connection.push(*begun("5 1"))
    await stage.begin(CreateRoom("tic_tac_toe", who="house/mcts"))
    assert stage.connection.asked_for(messages.Create) == []
    assert stage.interface.text == "You are back in your room, 17."
    assert stage.session.my_turn()
    await stage.end()


async def test_a_match_against_somebody_else_is_only_mentioned() -> None:
    stage = Stage(rooms=(18, 19), matches=("18.1", "19.1"))
    stage.connection.push(*begun("5 1", number=18), *begun("5 1", number=19))
    await stage.begin(CreateRoom("tic_tac_toe", who="minimax"))
    assert len(stage.connection.asked_for(messages.Create)) == 1
    assert stage.session.focus == 17
    lines = stage.interface.text.splitlines()
    assert "Another match of yours is on and it is your move: /join 18 goes there." in lines
    assert lines[-1] == "It is your move in 2 matches."
    await stage.end()


async def test_the_table_before_is_left_for_a_new_one(stage: Stage) -> None:
    stage.connection.answers[messages.Join] = room(number=18, seats=(BOB, ADA), seat=1)
    await stage.begin(CreateRoom("connect_four"))
    await stage.type("/join 18")
    assert stage.connection.asked_for(messages.Leave) == [messages.Leave(room=17)]
    assert stage.session.focus == 18


async def test_chat_invitations_and_errors_are_told(stage: Stage) -> None:
    await playing(stage)
    asked = messages.Invited(
        room=9, game="connect_four", options=parts.Options(), by="bob", expires_ms=10_000
    )
    await stage.hear(
        messages.Said(room=17, seq=9, name="house/mcts", text="hi", at=0),
        messages.Said(room=9, seq=9, name="eve", text="psst", at=0),
        asked,
        messages.Notice(text="tea at \x1b[2Jfive"),
        DeviceNews(news="linked", device="Firefox on Linux"),
        DeviceNews(news="cut"),
        DeviceNews(news="recovery"),
        AnalysisWaits(match="17.1", bot="house/gammon", wait_ms=40_000),
        HintWaits(match="17.1", bot="house/mcts", wait_ms=1_000),
        messages.Declined(room=17, by="eve", why="busy"),
        messages.Error(code="room/closed", text="room 5 is closed"),
        messages.Bye(code="server/closing", text="the server ends"),
    )
    assert stage.interface.text.endswith(
        "<house/mcts> hi\n"
        "room 9: <eve> psst\n"
        "bob invites you to Connect four: /join 9 within 10 s\n"
        "The host says: tea at [2Jfive\n"
        "Your name is on one more device: Firefox on Linux. /devices cuts off what is not yours.\n"
        "A device was cut off from your name: a device that says nothing of itself.\n"
        "Your name has a new recovery code, made on another device; the old one is void.\n"
        "house/gammon is getting ready, which takes about 40 seconds; the analysis comes then.\n"
        "house/mcts is getting ready, which takes about 1 second; the hint comes then.\n"
        "eve is busy.\n"
        "Room 5 is closed.\n"
        "The server ends."
    )
    assert stage.interface.rings == 5


async def test_it_rings_when_a_person_has_moved_and_tells_ones_turn_in_another_room(
    stage: Stage,
) -> None:
    await playing(stage, "5")
    await stage.hear(match("tic_tac_toe", "5 1"))
    assert stage.interface.rings == 0  # a bot has moved
    await stage.hear(match("tic_tac_toe", "5 1 2 3", seats=(ADA, BOB)))
    assert stage.interface.rings == 1
    await stage.hear(*begun("5 1", number=18))
    assert "Your turn in room 18: /join 18" in stage.interface.text


async def test_missing_actions_are_fetched_page_by_page(stage: Stage) -> None:
    actions = "1 2 3 4 5 6 7 1 2 3"
    events = tuple(
        parts.Event(seq=5 + ply, kind="play", ply=ply, seat=ply % 2, action=action, match="17.1")
        for ply, action in enumerate(actions.split())
    )
    stage.connection.pages = [messages.HistoryPage(room=17, events=events[:2], next=6)]
    stage.connection.answers[messages.History] = messages.HistoryPage(room=17, events=events[2:])
    await stage.begin(WatchRoom(RoomReference(room=17)))
    await stage.hear(room(state="playing", match="17.1"), match("connect_four", actions))
    assert [asked.since for asked in stage.connection.asked_for(messages.History)] == [0, 6]
    assert [event.ply for event in stage.session.view().events] == list(range(10))


async def test_who_seeks_waits_and_is_told_for_whom(stage: Stage) -> None:
    stage.connection.answers[messages.Seek] = room(
        seats=(ADA, None), options=parts.Options(sought=("clock",))
    )
    await stage.begin(SeekOpponent("connect four", parts.Options(rated=True, sought=("clock",))))
    assert stage.connection.asked_for(messages.Seek) == [
        messages.Seek(game="connect_four", options=parts.Options(rated=True, sought=("clock",)))
    ]
    assert stage.connection.asked_for(messages.Ready)[0].room == 17
    assert stage.interface.text == (
        "Waiting for somebody who wants the same: any clock.  /leave stops."
    )


async def test_who_waits_asks_again_and_goes_where_somebody_has_opened_a_table(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("client.terminal.seating.AGAIN_S", 0.0)
    monkeypatch.setattr("client.terminal.seating.OFFER_S", 0.0)
    stage.connection.answers[messages.Seek] = room(
        seats=(ADA, None), options=parts.Options(sought=())
    )
    await stage.begin(SeekOpponent("connect_four"))
    assert "Nobody has come yet: /invite mcts calls a bot" in stage.interface.text
    stage.connection.answers[messages.Seek] = room(number=18, seats=(BOB, ADA), seat=1)
    await stage.settle()
    assert stage.session.focus == 18
    assert stage.connection.asked_for(messages.Ready)[-1].room == 18
    asked = stage.connection.asked_for(messages.Seek)
    await stage.settle()
    assert stage.connection.asked_for(messages.Seek) == asked


async def test_a_closed_room_leads_to_the_lobby(stage: Stage) -> None:
    await stage.begin(CreateRoom("connect_four"))
    await stage.hear(room(seats=(None, None), seat=None, state="closed"))
    assert stage.interface.text == "Room 17 is closed."
    assert stage.session.focus is None
    assert stage.connection.asked[-1] == messages.Lobby(follow="changes")


async def test_a_seat_that_was_lost_with_the_connection_leads_to_the_lobby(stage: Stage) -> None:
    await stage.begin(CreateRoom("connect_four"))
    await stage.hear(replace(stage.connection.welcome, rooms=(17,)))
    assert stage.session.focus == 17
    await stage.hear(stage.connection.welcome)
    assert stage.interface.text == "You are no longer in room 17."
    assert stage.session.focus is None
    assert stage.connection.asked[-1] == messages.Lobby(follow="changes")


async def test_a_lost_connection_is_told_and_its_return(stage: Stage) -> None:
    await stage.begin()
    for outage in (None, LineGap(9.4, servers=False), LineGap(0.2, servers=True)):
        stage.connection.outage = outage
        stage.session.line.changed(False)
        stage.session.line.changed(True)
    lost = "Lost the connection to home:1; trying again …"
    assert stage.interface.text.split("\n") == [
        lost, "Back.",
        lost, "Back. The line was down for 9 s; clocks ran on.",
        lost, "Back. The server was away for 1 s; no clock ran meanwhile.",
    ]  # fmt: skip


async def test_an_action_that_waits_for_the_line_is_taken_back(stage: Stage) -> None:
    await playing(stage)
    stage.connection.linked, stage.connection.hold = False, asyncio.Event()
    assert await stage.type("5") == "Your action waits for the line; /takeback takes it back."
    assert not stage.session.my_turn()
    assert await stage.type("/takeback") == "Your action is taken back."
    assert stage.session.my_turn()
    stage.connection.hold.set()
    assert await stage.type("1") == "Your action waits for the line; /takeback takes it back."
    assert stage.connection.asked_for(messages.Play)[-1].action == "1"
    assert stage.connection.asked_for(messages.Offer) == []


async def test_an_invited_one_who_does_not_come_is_told(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("client.terminal.seating.COMES_WITHIN_S", 0)
    await stage.begin(CreateRoom("connect_four"))
    await stage.type("/invite mcts")
    assert stage.interface.text == "mcts is invited.\nmcts did not come; /invite mcts asks again."


async def test_refusals_are_told_with_their_suggestion(stage: Stage) -> None:
    await stage.begin(CreateRoom("connect_four"))
    no = Refusal(Code.SESSION_NAME_TAKEN, "that name is taken", suggestion="ada-2")
    stage.connection.refuse[messages.Ready] = no
    assert await stage.type("/ready") == "That name is taken.\nThe name ada-2 is free."


async def test_quitting_a_match_asks_once_and_then_gives_it_up(stage: Stage) -> None:
    await playing(stage, "5 1")
    text = await stage.type("/quit")
    assert text == (
        "The match against mcts is still on. The same again loses 1 point; /quit later keeps it."
    )
    await stage.type("/flip", "/quit")  # another command between makes it ask again
    assert stage.code is None
    stage.connection.refuse[messages.Abort] = Refusal(
        Code.MATCH_TOO_LATE_TO_ABORT, "both sides have moved"
    )
    await stage.type("quit")  # it needs no slash
    assert stage.connection.asked_for(messages.Resign) == [messages.Resign(match="17.1")]
    await stage.hear(match("tic_tac_toe", "1 2 5 3 9"))
    assert stage.connection.asked[-1] == messages.Leave(room=17)
    assert stage.code == 0
    assert len(stage.interface.kept) == 1


async def test_quitting_never_costs_more_than_it_said(stage: Stage) -> None:
    await playing(stage, "5")
    text = await stage.type("/quit")
    assert "The same again ends it without a result;" in text
    await stage.hear(match("tic_tac_toe", "5 1"))
    assert "The same again loses 1 point;" in await stage.type("/quit"), "it has risen: ask again"
    assert stage.code is None
    assert stage.connection.asked_for(messages.Resign) == []


async def test_a_pipe_that_is_interrupted_gives_up_only_what_is_free(pipe: Stage) -> None:
    await playing(pipe, "5 1")
    pipe.connection.refuse[messages.Abort] = Refusal(Code.MATCH_TOO_LATE_TO_ABORT, "both moved")
    assert pipe._run is not None
    pipe._run.cancel()
    await pipe.settle()
    assert pipe.connection.asked_for(messages.Resign) == []
    assert pipe.interface.text.endswith("Match 17.1 is still on: `plyhouse play` goes back to it.")


@pytest.mark.parametrize("how", ["/quit later", "the terminal is gone"])
async def test_who_goes_for_now_gives_nothing_up(stage: Stage, how: str) -> None:
    await playing(stage, "5 1")
    if how.startswith("/"):
        await stage.type(how)
    else:
        stage.session.go_for_now()
        await stage.settle()
    assert stage.code == 0
    assert not {type(asked) for asked in stage.connection.asked} & {
        messages.Abort,
        messages.Resign,
        messages.Leave,
    }


async def test_a_match_that_begins_while_one_goes_is_given_up(pipe: Stage) -> None:
    await pipe.begin(CreateRoom("tic_tac_toe", who="mcts"))
    pipe.connection.refuse[messages.Leave] = Refusal(Code.ROOM_MATCH_ON, "a match is under way")
    await pipe.type(None)
    assert pipe.code is None
    await pipe.hear(*begun())
    assert pipe.connection.asked_for(messages.Abort) == [messages.Abort(match="17.1")]
    await pipe.hear(match("tic_tac_toe", "1 2 5 3 9"))
    assert pipe.code == 0


async def test_the_end_of_the_input_waits_to_hear_how_a_match_ended(pipe: Stage) -> None:
    await playing(pipe, "1 2 5 3")
    pipe.connection.refuse[messages.Abort] = Refusal(Code.MATCH_OVER, "the match is over")
    await pipe.type(None)
    assert pipe.code is None
    await pipe.hear(match("tic_tac_toe", "1 2 5 3 9"))
    assert pipe.code == 0


async def test_when_the_server_ends_it_that_is_said(stage: Stage) -> None:
    await stage.begin()
    stage.connection.reason = ConnectionOver("the server closed for good")
    await stage.hear(None)
    assert stage.code == 1
    assert stage.interface.text == "The server closed for good."


@pytest.mark.parametrize("beside", [False, True], ids=["while listening", "in what is done beside"])
async def test_a_bug_is_not_swallowed(stage: Stage, beside: bool) -> None:
    async def work() -> None:
        raise ZeroDivisionError

    await stage.begin()
    if beside:
        stage.session.spawn(work())
    else:
        stage.session.hear = lambda message: 1 // 0  # type: ignore[assignment,method-assign]
        stage.connection.push(lobby())
    with pytest.raises(ZeroDivisionError):
        await stage.ended()


async def test_of_boards_that_the_server_draws_the_newest_are_kept(stage: Stage) -> None:
    boards = DrawnBoards()
    for turn in range(1, 100):
        drawn = match("tic_tac_toe", name=f"{turn}.1")
        stage.connection.answers[messages.Draw] = messages.Drawn(
            re=1, match=drawn.match, turn=turn, lines=("+",)
        )
        await boards.fetch(stage.connection, drawn, lambda: None)  # type: ignore[arg-type]
    assert len(boards._drawn) == MAX_DRAWN
    assert boards.of(drawn) == ("+",)


async def test_the_best_people_at_a_game_are_listed(stage: Stage) -> None:
    await stage.begin()
    await stage.type("/best")
    assert "/best needs a game" in stage.interface.text
    rows = (
        past.RatedPerson(name="ann", matches=24, elo=104.4, error=39.6),
        past.RatedPerson(name="bob", matches=10, elo=-104.4, error=60.0),
    )
    stage.connection.answers[past.PeopleRatings] = past.RatingTable(
        game="connect_four", rows=rows, least=10, total=2
    )
    await stage.type("/best connect four")
    assert "1  ann    +104 ±40  24 matches" in stage.interface.text
    assert "2  bob    -104 ±60  10 matches" in stage.interface.text
    stage.connection.answers[past.PeopleRatings] = past.RatingTable(game="connect_four", least=10)
    await stage.type("/create connect_four")
    await stage.type("/best")
    assert stage.connection.asked_for(past.PeopleRatings)[-1].game == "connect_four"
    assert "a rating takes 10 rated matches" in stage.interface.text


async def test_a_room_is_named_anew_and_all_there_are_told(stage: Stage) -> None:
    await stage.begin()
    await stage.type("/create connect_four")
    await stage.type("/rename the den")
    assert stage.connection.asked_for(messages.RoomRename) == [
        messages.RoomRename(room=17, name="the den")
    ]
    named = replace(stage.session.replica.rooms[17], name="the den", seq=99)
    assert await stage.hear_of(named) == "The room is called the den."
