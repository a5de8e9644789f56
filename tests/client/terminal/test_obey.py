"""What each command does: typed at a fake house, by a person or by a pipe."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client.terminal.commands import Follow, Open
from client.terminal.seating import Refused
from client.terminal.terms import Place
from protocol.analysis import Analyse
from protocol.errors import Code, Refusal
from protocol.messages import (
    Abort,
    Answer,
    Claim,
    Create,
    Hint,
    Invite,
    Leave,
    Link,
    Lobby,
    Offer,
    Offer_,
    Play,
    Ready,
    Resign,
    Said,
    Say,
    Strength,
)
from tests.client.terminal.fakes import Stage, playing
from tests.client.terminal.scenes import ADA, BOB, MCTS, bot, entry, lobby, match, room

# ---- the lobby's numbers


async def test_numbers_choose_a_bot_a_game_and_a_level(stage: Stage) -> None:
    await stage.begin()
    await stage.hear(lobby(bots=[bot("mcts", "connect_four", "pebbles")]))
    assert await stage.type("1") == ""
    assert [row.cells for row in stage.session.scene().menu.rows] == [
        ("connect_four",),
        ("pebbles",),
    ]
    await stage.type("2", "3")
    assert stage.house.asked_for(Create) == [Create(game="pebbles")]
    asked = Strength(level=3)
    assert stage.house.asked_for(Invite) == [Invite(room=17, who="house/mcts", strength=asked)]


async def test_a_bot_that_cannot_play_what_the_command_line_asks_for_ends_it() -> None:
    stage = Stage()
    words = "I cannot play that: mcts: there is no setting 'foo'"
    stage.house.push(
        room(seats=(ADA, None)), Said(room=17, seq=9, name="house/mcts", text=words, at=0)
    )
    with pytest.raises(Refused, match=r"^house/mcts: I cannot play that: mcts: there is no"):
        await stage.begin(Open("connect_four", who="mcts"))
    assert stage.house.asked_for(Leave) == [Leave(room=17)]


async def test_a_bot_that_declines_ends_a_pipe_whose_next_action_would_wait(pipe: Stage) -> None:
    await pipe.begin()
    words = "I cannot play that: mcts: there is no setting 'foo'"
    no = Said(room=17, seq=99, name="house/mcts", text=words, at=0)
    await pipe.type("/create connect_four mcts foo=1", "4")
    await pipe.hear(replace(no, name="bob/flat", seq=98))
    assert pipe.code is None
    await pipe.hear(no)
    assert pipe.house.asked_for(Leave) == [Leave(room=17)]
    with pytest.raises(Refused, match=r"^house/mcts: I cannot play that: mcts: there is no"):
        await pipe.ended()


@pytest.mark.parametrize("patient", [False, True])
async def test_what_a_bot_says_at_the_table_ends_nothing(patient: bool) -> None:
    stage = Stage(patient)
    await stage.begin()
    await stage.type("/create connect_four mcts")
    said = Said(room=17, seq=99, name="house/mcts", text="No draw", at=0)
    if patient:
        await stage.hear(room(seats=(ADA, MCTS)))
    await stage.hear(said)
    assert stage.house.asked_for(Leave) == []
    await stage.end()


async def test_rooms_goes_back_from_the_choice_of_a_game(stage: Stage) -> None:
    await stage.begin()
    stage.house.answers[Lobby] = lobby(bots=[bot("mcts")])
    await stage.hear(lobby(bots=[bot("mcts")]))
    await stage.type("1", "/rooms")
    assert stage.session.scene().menu.rows[0].head == "Bots"


async def test_what_is_no_choice_says_so(stage: Stage) -> None:
    await stage.begin()
    assert await stage.type("9") == "9 is nothing to choose here; /help lists what there is."
    assert await stage.type("help quit") == (
        "/quit [later]\n    end; a match that is on is given up unless `later`   "
        "(also /exit, /q, /bye)"
    )
    assert await stage.type("/ready") == (
        "You are at no table: choose a room or a bot, or /create GAME."
    )
    assert await stage.type("/resign") == "No match is on here."
    assert await stage.type("/history") == "There was no match here yet."
    assert await stage.type("/rezign") == (
        "There is no /rezign; did you mean /resign? (/help lists all)."
    )


# ---- at the board


async def test_an_action_is_played_for_the_turn_at_hand(stage: Stage) -> None:
    await playing(stage)
    assert await stage.type("5") == ""
    assert stage.house.asked_for(Play) == [Play(match="17.1", turn=4, action="5")]


async def test_an_action_is_given_once_while_its_answer_is_under_way(stage: Stage) -> None:
    await playing(stage)
    text = await stage.type("5", "1")
    assert text == 'It is the turn of mcts; a line that begins with " is said to all.'
    assert len(stage.house.asked_for(Play)) == 1


async def test_after_a_refusal_the_action_can_be_given_again(stage: Stage) -> None:
    await playing(stage)
    stage.house.refuse[Play] = Refusal(Code.ROOM_BUSY, "this room has too much to do")
    assert await stage.type("5") == "This room has too much to do."
    await stage.type("5")
    assert len(stage.house.asked_for(Play)) == 2


async def test_what_is_not_legal_is_not_sent(stage: Stage) -> None:
    await playing(stage, "5 1")
    assert await stage.type("1") == "1 is not legal here; legal: 2 3 4 6 7 8 9."
    assert stage.house.asked_for(Play) == []


async def test_a_command_without_slash_is_no_illegal_action(stage: Stage) -> None:
    await playing(stage)
    await stage.type("resign")
    assert stage.house.asked_for(Resign) == [Resign(match="17.1")]


async def test_a_line_in_quotes_is_said(stage: Stage) -> None:
    await playing(stage)
    await stage.type('"good luck')
    assert stage.house.asked_for(Say) == [Say(room=17, text="good luck")]


async def test_the_commands_of_a_match_ask_for_what_they_say(stage: Stage) -> None:
    await playing(stage, "5 1")
    await stage.type("/abort", "/claim", "/draw", "/takeback")
    assert stage.house.asked[-4:] == [
        Abort(match="17.1"),
        Claim(match="17.1"),
        Offer(match="17.1", kind="draw"),
        Offer(match="17.1", kind="takeback"),
    ]
    assert await stage.type("/hint") == "house/mcts would play 5  9 nodes 0.10 s | x"
    assert stage.house.asked_for(Hint) == [Hint(match="17.1")]
    assert await stage.type("/legal 2") == "2"
    assert await stage.type("/history") == "  1. X 5\n  2. O 1"
    assert await stage.type("/ready") == "The match is on already."
    assert not stage.session.scene().flip
    await stage.type("/flip")
    assert stage.session.scene().flip


async def test_offers_are_answered(stage: Stage) -> None:
    await playing(stage, "5 1")
    assert await stage.type("/accept") == "Nobody offers anything."
    offered = match("tic_tac_toe", "5 1", offers=(Offer_("draw", 1), Offer_("takeback", 0)))
    await stage.hear(offered)
    await stage.type("/accept", "/decline")
    assert stage.house.asked_for(Answer) == [
        Answer(match="17.1", kind="draw", accept=True),
        Answer(match="17.1", kind="draw", accept=False),
    ]
    await stage.hear(match("tic_tac_toe", "5 1", offers=(Offer_("takeback", 0),)))
    await stage.type("/accept", "/decline")
    assert stage.house.asked[-1] == Answer(match="17.1", kind="takeback", accept=False)
    assert len(stage.house.asked_for(Answer)) == 3


async def test_a_spectator_is_told_that_it_watches(stage: Stage) -> None:
    await stage.begin(Follow(Place(room=17)))
    seen = room("tic_tac_toe", seats=(BOB, MCTS), seat=None, state="playing", match="17.1")
    await stage.hear(seen, match("tic_tac_toe", seat=None, seats=(BOB, MCTS)))
    assert await stage.type("5") == 'You are watching; a line that begins with " is said to all.'
    assert await stage.type("/legal") == "It is not your turn."


async def test_a_rematch_is_offered_and_the_old_board_kept(stage: Stage) -> None:
    await playing(stage, "1 2 5 3", (ADA, BOB))
    over = match("tic_tac_toe", "1 2 5 3 9", seats=(ADA, BOB))
    between = room("tic_tac_toe", seats=(ADA, BOB), match="17.1")
    await stage.hear(over, between)
    assert await stage.type("7") == (
        "No match is on: /rematch starts the next one when both sides are ready."
    )
    await stage.type("/rematch")
    assert stage.house.asked_for(Ready) == [Ready(room=17)]
    swapped = (BOB, ADA)
    await stage.hear(
        replace(between, seats=swapped, seat=1, state="playing", match="17.2"),
        match("tic_tac_toe", seats=swapped, seat=1, name="17.2"),
    )
    assert [kept.match for kept in stage.face.kept] == [over]
    assert stage.face.kept[0].past
    assert stage.session.seat == 1
    assert "Match 17.2 of Tic-tac-toe begins: bob is X, you are O." in stage.face.text


async def test_a_match_that_is_over_is_gone_through(stage: Stage) -> None:
    await stage.begin(Open("tic_tac_toe"))
    assert await stage.type("/analyse") == "There was no match here yet."
    await stage.hear(room("tic_tac_toe", state="playing", match="17.1"), match("tic_tac_toe"))
    text = "This match is still on; when it is over, /analyse goes through it."
    assert await stage.type("/analyse") == text
    await stage.hear(match("tic_tac_toe", "1 2 5 3 9"))
    told = await stage.type("/analyse")
    assert told.startswith(
        "A bot goes through the match; it may take a minute.\nMatch 17.1, looked"
    )
    assert stage.house.asked_for(Analyse) == [Analyse(match="17.1")]
    stage.house.refuse[Analyse] = Refusal(Code.ANALYSIS_NO_BOT, "no bot is here")
    assert (await stage.type("/analyze")).endswith("\nNo bot is here.")


# ---- other commands


async def test_leaving_goes_to_the_lobby(stage: Stage) -> None:
    await stage.begin(Open("connect_four"))
    await stage.type("/leave")
    assert stage.house.asked[-2:] == [Leave(room=17), Lobby(follow=True)]


async def test_the_lobby_can_be_listed_from_a_table(stage: Stage) -> None:
    await stage.begin(Open("connect_four"))
    stage.house.answers[Lobby] = lobby(bots=[bot("mcts")])
    text = await stage.type("/rooms")
    assert "house/mcts" in text
    assert text.endswith("The numbers can be typed once you have left this room.")
    assert stage.house.asked[-1] == Lobby(follow=False)


async def test_a_link_is_shown_as_it_is_used(stage: Stage) -> None:
    await stage.begin()
    text = "On the other device, within 120 s: plyhouse play --link ABCDEF"
    assert await stage.type("/link") == text
    assert stage.house.asked_for(Link) == [Link()]


async def test_a_new_name_ends_the_visit_but_not_from_a_table(stage: Stage) -> None:
    await stage.begin(Open("connect_four"))
    text = "Leave the room first: its seat belongs to your name."
    assert await stage.type("/name bob") == text
    await stage.type("/leave", "/name bob")
    assert (stage.code, stage.session.rename) == (0, "bob")


async def test_names_that_can_be_completed(stage: Stage) -> None:
    await playing(stage)
    await stage.hear(lobby(entry(18, BOB, None), bots=[bot("mcts"), bot("mcts")]))
    known = stage.session.known()
    assert known.games == ("connect_four", "pebbles", "tic_tac_toe")
    assert (tuple(known.bots), known.game, known.rooms) == (("mcts",), "tic_tac_toe", ("18",))
    assert known.legal == tuple("123456789")


# ---- in a pipe


async def test_lines_of_a_pipe_wait_for_their_turn(pipe: Stage) -> None:
    await pipe.begin(Open("tic_tac_toe", who="mcts"))
    await pipe.type("1", "5", "9", None)
    assert pipe.house.asked_for(Play) == []
    await pipe.hear(room("tic_tac_toe", state="playing", match="17.1"), match("tic_tac_toe"))
    await pipe.hear(match("tic_tac_toe", "1"), match("tic_tac_toe", "1 2"))
    assert [asked.action for asked in pipe.house.asked_for(Play)] == ["1", "5"]
    await pipe.hear(match("tic_tac_toe", "1 2 5"), match("tic_tac_toe", "1 2 5 3"))
    await pipe.hear(match("tic_tac_toe", "1 2 5 3 9"))
    assert [asked.action for asked in pipe.house.asked_for(Play)] == ["1", "5", "9"]
    assert pipe.house.asked[-1] == Leave(room=17)
    assert pipe.code == 0
    assert "  1. X 1\n  2. O 2\n  3. X 5\n  4. O 3\n  5. X 9" in pipe.face.text


async def test_a_line_too_many_says_why_it_is_not_played(pipe: Stage) -> None:
    await pipe.begin(Open("tic_tac_toe", who="mcts"))
    await pipe.hear(room("tic_tac_toe", state="playing", match="17.1"), match("tic_tac_toe"))
    await pipe.hear(match("tic_tac_toe", "1 2 5 3 9"))
    assert await pipe.type("7") == (
        "No match is on: /rematch starts the next one when both sides are ready."
    )


async def test_quit_in_a_pipe_waits_for_what_stands_before_it(pipe: Stage) -> None:
    await pipe.begin()
    await pipe.type("/create tic_tac_toe mcts", "5", "/quit", "/help")
    await pipe.hear(room("tic_tac_toe", state="playing", match="17.1"), match("tic_tac_toe"))
    assert len(pipe.house.asked_for(Play)) == 1
    await pipe.hear(match("tic_tac_toe", "1 2 5 3 9"))
    assert pipe.code == 0
    assert "/takeback" not in pipe.face.text


async def test_hint_and_legal_wait_for_the_turn(pipe: Stage) -> None:
    await pipe.begin(Open("tic_tac_toe", who="mcts"))
    await pipe.type("/hint", "/legal")
    assert pipe.house.asked_for(Hint) == []
    await pipe.hear(room("tic_tac_toe", state="playing", match="17.1"), match("tic_tac_toe"))
    assert pipe.face.text.endswith("| x\n1   2   3   4   5   6   7   8   9")


async def test_in_a_pipe_a_match_is_gone_through_when_it_is_over(pipe: Stage) -> None:
    await pipe.begin(Open("tic_tac_toe", who="mcts"))
    await pipe.hear(room("tic_tac_toe", state="playing", match="17.1"))
    await pipe.hear(match("tic_tac_toe", "1 2 5 3"))
    await pipe.type("9", "/analyse", None)
    assert pipe.house.asked_for(Analyse) == []
    await pipe.hear(match("tic_tac_toe", "1 2 5 3 9"))
    assert pipe.house.asked_for(Analyse) == [Analyse(match="17.1")]
    assert "looked at by mcts" in pipe.face.text
    assert pipe.code == 0


async def test_who_watches_stays_after_the_end_of_the_input(pipe: Stage) -> None:
    pipe.session.stay, pipe.session.watched = True, "17.1"
    await pipe.begin(Follow(Place(room=17, match="17.1")))
    await pipe.type(None)
    seen = room("tic_tac_toe", seats=(BOB, MCTS), seat=None, state="playing", match="17.1")
    await pipe.hear(seen, match("tic_tac_toe", seat=None, seats=(BOB, MCTS)))
    assert pipe.code is None
    await pipe.hear(match("tic_tac_toe", "1 2 5 3 9", seat=None, seats=(BOB, MCTS)))
    assert pipe.code == 0


async def test_who_watches_a_room_stays_until_it_is_closed(pipe: Stage) -> None:
    pipe.session.stay = True
    await pipe.begin(Follow(Place(room=17)))
    await pipe.type(None)
    assert pipe.code is None
    await pipe.hear(room(seats=(None, None), seat=None, state="closed"))
    assert pipe.code == 0
