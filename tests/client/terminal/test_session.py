"""A session between a fake house and a fake face: what is heard, typed, and asked for."""

from __future__ import annotations

import asyncio

import pytest

from client.errors import Closed
from client.terminal import obey
from client.terminal.commands import BadCommand, Follow, Open, Sit
from client.terminal.terms import Place
from protocol.errors import Code, Refusal
from protocol.messages import (
    Abort,
    Bye,
    Create,
    Error,
    Event,
    History,
    HistoryPage,
    Invite,
    Invited,
    Join,
    Leave,
    Lobby,
    Options,
    Ready,
    Resign,
    Said,
    Strength,
    Watch,
)
from tests.client.terminal.fakes import Stage, playing
from tests.client.terminal.scenes import ADA, BOB, MCTS, bot, entry, lobby, match, room

# ---- the beginning


async def test_alone_one_sees_the_lobby(stage: Stage) -> None:
    await stage.begin()
    await stage.hear(lobby(entry(18, BOB, None), bots=[bot("mcts")]))
    assert stage.house.asked == [Lobby(follow=True)]
    assert [row.number for row in stage.session.scene().menu.rows] == [1, 2]


async def test_a_game_against_a_bot_is_created_invited_and_ready(stage: Stage) -> None:
    strength = Strength(level=3)
    await stage.begin(Open("connect four", Options(rated=True), 1, "mcts", strength))
    assert stage.house.asked == [
        Create(game="connect_four", options=Options(rated=True), seat=1),
        Lobby(follow=False),
        Invite(room=17, who="mcts", strength=strength),
        Ready(room=17, salt=None),
    ]
    assert stage.face.text == "mcts is invited (level 3)."


async def test_where_there_are_dice_ready_brings_a_salt(stage: Stage) -> None:
    stage.house.answers[Create] = room("pebbles", seats=(ADA, None), commitment="ab" * 32)
    await stage.begin(Open("pebbles", who="mcts"))
    (ready,) = stage.house.asked_for(Ready)
    assert len(bytes.fromhex(ready.salt)) == 16


async def test_without_the_one_invited_no_room_is_left_behind(stage: Stage) -> None:
    stage.house.refuse[Invite] = Refusal(Code.INVITE_NO_SUCH_PLAYER, "nobody called deep is here")
    with pytest.raises(Refusal, match="nobody called deep"):
        await obey.begin(stage.session, Open("connect_four", who="deep"))
    assert stage.house.asked[-1] == Leave(room=17)
    assert stage.session.focus is None


async def test_an_unknown_game_is_told_the_known_ones(stage: Stage) -> None:
    with pytest.raises(
        BadCommand, match=r"there are connect_four, pebbles, .* mean connect_four\?"
    ):
        await obey.begin(stage.session, Open("conect_four"))
    with pytest.raises(BadCommand, match="no game is called 'go' here"):
        await obey.begin(stage.session, Open("go"))
    assert stage.house.asked == []


async def test_who_joins_is_ready(stage: Stage) -> None:
    stage.house.answers[Join] = room(seats=(BOB, ADA), seat=1)
    await stage.begin(Sit(Place(code="QF7KDM")))
    assert stage.house.asked == [
        Join(room=None, code="QF7KDM"),
        Lobby(follow=False),
        Ready(room=17),
    ]


async def test_six_digits_can_be_a_room_or_a_code(stage: Stage) -> None:
    stage.house.refuse[Join] = Refusal(Code.LOBBY_NO_ROOM, "there is no room 234567")
    await stage.begin(Sit(Place(room=234567)))
    assert stage.house.asked_for(Join) == [Join(room=234567), Join(code="234567")]


async def test_another_refusal_of_a_place_is_final(stage: Stage) -> None:
    stage.house.refuse[Watch] = Refusal(Code.LOBBY_NO_ROOM, "there is no room 99")
    with pytest.raises(Refusal, match="there is no room 99"):
        await obey.begin(stage.session, Follow(Place(room=99)))


async def test_a_match_that_is_over_is_watched_in_its_successor(stage: Stage) -> None:
    stage.house.answers[Watch] = room(seats=(BOB, MCTS), seat=None, match="17.3")
    await stage.begin(Follow(Place(room=17, match="17.2")))
    assert stage.face.text == "Match 17.2 is over; the room has gone on to 17.3."


async def test_one_comes_back_to_the_match_that_is_on() -> None:
    stage = Stage(rooms=(17,), matches=("17.1",))
    stage.house.push(
        room("tic_tac_toe", state="playing", match="17.1"), match("tic_tac_toe", "5 1")
    )
    await stage.begin(Open("tic_tac_toe", who="house/mcts"))
    assert stage.house.asked_for(Create) == []
    assert stage.face.text == "You are back at your table, room 17."
    assert stage.session.my_turn()
    await stage.end()


async def test_a_match_against_somebody_else_is_only_mentioned() -> None:
    stage = Stage(rooms=(18,), matches=("18.1",))
    stage.house.push(
        room("tic_tac_toe", state="playing", match="18.1", number=18),
        match("tic_tac_toe", "5 1", name="18.1"),
    )
    await stage.begin(Open("tic_tac_toe", who="minimax"))
    assert len(stage.house.asked_for(Create)) == 1
    assert stage.session.focus == 17
    assert "Another match of yours is on: /join 18 goes there." in stage.face.text
    await stage.end()


async def test_the_table_before_is_left_for_a_new_one(stage: Stage) -> None:
    stage.house.answers[Join] = room(number=18, seats=(BOB, ADA), seat=1)
    await stage.begin(Open("connect_four"))
    await stage.type("/join 18")
    assert stage.house.asked_for(Leave) == [Leave(room=17)]
    assert stage.session.focus == 18


# ---- what is heard


async def test_chat_invitations_and_errors_are_told(stage: Stage) -> None:
    await playing(stage)
    asked = Invited(room=9, game="connect_four", options=Options(), by="bob", expires_ms=10_000)
    await stage.hear(
        Said(room=17, seq=9, name="bob", text="hi", at=0),
        Said(room=9, seq=9, name="eve", text="psst", at=0),
        asked,
        Error(code="room/closed", text="room 5 is closed"),
        Bye(code="server/closing", text="the server ends"),
    )
    assert stage.face.text.endswith(
        "<bob> hi\n"
        "room 9: <eve> psst\n"
        "bob invites you to Connect four: /join 9 within 10 s\n"
        "Room 5 is closed.\n"
        "The server ends."
    )
    assert stage.face.rings == 1


async def test_it_rings_when_a_person_has_moved_not_when_a_bot_has(stage: Stage) -> None:
    await playing(stage, "5")
    await stage.hear(match("tic_tac_toe", "5 1"))
    assert stage.face.rings == 0
    await stage.hear(match("tic_tac_toe", "5 1 2 3", seats=(ADA, BOB)))
    assert stage.face.rings == 1


async def test_ones_turn_in_another_room_is_told(stage: Stage) -> None:
    await playing(stage, "5")
    await stage.hear(room("tic_tac_toe", number=18, state="playing", match="18.1"))
    await stage.hear(match("tic_tac_toe", "5 1", name="18.1"))
    assert "Your turn in room 18: /join 18" in stage.face.text


async def test_missing_actions_are_fetched(stage: Stage) -> None:
    actions = "1 2 3 4 5 6 7 1 2 3"
    events = tuple(
        Event(seq=5 + ply, kind="play", ply=ply, seat=ply % 2, action=action, match="17.1")
        for ply, action in enumerate(actions.split())
    )
    stage.house.answers[History] = HistoryPage(room=17, events=events)
    await stage.begin(Follow(Place(room=17)))
    await stage.hear(room(state="playing", match="17.1"), match("connect_four", actions))
    assert stage.house.asked_for(History) == [History(room=17, since=0)]
    assert [event.ply for event in stage.session.scene().events] == list(range(10))


async def test_long_histories_come_in_pages(stage: Stage) -> None:
    stage.house.pages = [HistoryPage(room=17, events=(), next=9)]
    await stage.begin(Follow(Place(room=17)))
    full = match("connect_four", "1 2 3 4 5 6 7 1 2 3")
    await stage.hear(room(state="playing", match="17.1"), full)
    assert [asked.since for asked in stage.house.asked_for(History)] == [0, 9]


async def test_a_closed_room_leads_to_the_lobby(stage: Stage) -> None:
    await stage.begin(Open("connect_four"))
    await stage.hear(room(seats=(None, None), seat=None, state="closed"))
    assert stage.face.text == "Room 17 is closed."
    assert stage.session.focus is None
    assert stage.house.asked[-1] == Lobby(follow=True)


async def test_a_lost_connection_is_told_and_its_return(stage: Stage) -> None:
    await stage.begin()
    stage.session.link_changed(False)
    stage.session.link_changed(True)
    assert stage.face.text == "Lost the connection to home:1; trying again …\nBack."


async def test_an_invited_one_who_does_not_come_is_told(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("client.terminal.seating.COMES_WITHIN_S", 0)
    await stage.begin(Open("connect_four"))
    await stage.type("/invite mcts")
    assert stage.face.text == "mcts is invited.\nmcts did not come; /invite mcts asks again."


async def test_refusals_are_told_with_their_suggestion(stage: Stage) -> None:
    await stage.begin(Open("connect_four"))
    no = Refusal(Code.SESSION_NAME_TAKEN, "that name is taken", suggestion="ada-2")
    stage.house.refuse[Ready] = no
    assert await stage.type("/ready") == "That name is taken.\nFree is, for instance, ada-2."


# ---- the end


async def test_quitting_a_match_asks_once_and_then_gives_it_up(stage: Stage) -> None:
    await playing(stage, "5 1")
    text = await stage.type("/quit")
    assert text.startswith("The match against mcts is still on.")
    assert stage.code is None
    stage.house.refuse[Abort] = Refusal(Code.MATCH_TOO_LATE_TO_ABORT, "both sides have moved")
    await stage.type("/quit")
    assert stage.house.asked_for(Resign) == [Resign(match="17.1")]
    await stage.hear(match("tic_tac_toe", "1 2 5 3 9"))
    assert stage.house.asked[-1] == Leave(room=17)
    assert stage.code == 0
    assert len(stage.face.kept) == 1


async def test_another_command_between_makes_it_ask_again(stage: Stage) -> None:
    await playing(stage, "5 1")
    await stage.type("/quit", "/flip", "/quit")
    assert stage.code is None


async def test_quitting_for_later_gives_nothing_up(stage: Stage) -> None:
    await playing(stage, "5 1")
    await stage.type("/quit later")
    assert stage.code == 0
    assert not {type(asked) for asked in stage.house.asked} & {Abort, Resign, Leave}


async def test_when_the_terminal_is_gone_nothing_is_given_up(stage: Stage) -> None:
    await playing(stage, "5 1")
    stage.session.go_for_now()
    await stage.settle()
    assert stage.code == 0
    assert not {type(asked) for asked in stage.house.asked} & {Abort, Resign, Leave}


async def test_a_match_that_begins_while_one_goes_is_given_up(pipe: Stage) -> None:
    await pipe.begin(Open("tic_tac_toe", who="mcts"))
    pipe.house.refuse[Leave] = Refusal(Code.ROOM_MATCH_ON, "a match is under way")
    await pipe.type(None)
    assert pipe.code is None
    await pipe.hear(room("tic_tac_toe", state="playing", match="17.1"), match("tic_tac_toe"))
    assert pipe.house.asked_for(Abort) == [Abort(match="17.1")]
    await pipe.hear(match("tic_tac_toe", "1 2 5 3 9"))
    assert pipe.code == 0


async def test_ctrl_c_gives_up_as_quitting_does(stage: Stage) -> None:
    await playing(stage, "5 1")
    await stage.interrupt()
    await stage.hear(match("tic_tac_toe", "1 2 5 3 9"))
    assert stage.house.asked_for(Abort) == [Abort(match="17.1")]


async def test_when_the_house_ends_it_that_is_said(stage: Stage) -> None:
    await stage.begin()
    stage.house.reason = Closed("the server closed for good")
    await stage.hear(None)
    assert stage.code == 1
    assert stage.face.text == "The server closed for good."


async def test_a_bug_while_listening_is_not_swallowed(stage: Stage) -> None:
    await obey.begin(stage.session, None)
    running = asyncio.create_task(stage.session.run(lambda command: asyncio.sleep(0)))
    stage.session.hear = None  # type: ignore[assignment,method-assign]
    stage.house.push(lobby())
    with pytest.raises(TypeError):
        await running


async def test_a_bug_in_what_is_done_beside_is_not_swallowed(stage: Stage) -> None:
    async def work() -> None:
        raise ZeroDivisionError

    await obey.begin(stage.session, None)
    running = asyncio.create_task(stage.session.run(lambda command: asyncio.sleep(0)))
    await stage.settle()
    stage.session.spawn(work())
    with pytest.raises(ZeroDivisionError):
        await running
