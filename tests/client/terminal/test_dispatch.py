"""What each command does: typed at a fake server, by a person or by a pipe."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client.terminal.seating import Refused
from client.terminal.shown.view import frame, plain_frame
from client.terminal.typed.commands import CreateRoom, WatchRoom
from client.terminal.typed.terms import RoomReference
from protocol import messages, parts
from protocol.analysis import Analyse
from protocol.errors import Code, Refusal
from protocol.hints import Hint
from protocol.parts import Event, Result, Series
from tests.client.terminal.fakes import Stage, begun, playing
from tests.client.terminal.states import ADA, BOB, MCTS, bot, entry, lobby, match, room, texts

DECLINED = messages.Declined(
    room=17, by="house/mcts", why="terms", text="mcts: there is no setting 'foo'."
)
SAYS_NO = r"^house/mcts does not play by these terms: mcts: there is no setting"
WATCHED = (
    room("tic_tac_toe", seats=(BOB, MCTS), seat=None, state="playing", match="17.1"),
    match("tic_tac_toe", seat=None, seats=(BOB, MCTS)),
)


async def test_numbers_choose_a_bot_a_game_and_a_level(stage: Stage) -> None:
    bots = lobby(bots=[bot("mcts", "connect_four", "pebbles")])
    stage.connection.answers[messages.Lobby] = bots
    await stage.begin()
    await stage.hear(bots)
    assert await stage.type("1") == ""
    games = [("connect_four",), ("pebbles",)]
    assert [row.cells for row in stage.session.view().menu.rows] == games
    await stage.type("/rooms")
    assert stage.session.view().menu.rows[0].head == "Bots"
    await stage.type("1", "2", "3")
    assert stage.connection.asked_for(messages.Create) == [messages.Create(game="pebbles")]
    (invited,) = stage.connection.asked_for(messages.Invite)
    asked = parts.Strength(level=3)
    assert invited == messages.Invite(room=17, who="house/mcts", strength=asked)


async def test_a_bot_that_cannot_play_what_the_command_line_asks_for_ends_it() -> None:
    stage = Stage()
    stage.connection.push(room(seats=(ADA, None)), DECLINED)
    with pytest.raises(Refused, match=SAYS_NO):
        await stage.begin(CreateRoom("connect_four", who="mcts"))
    assert stage.connection.asked_for(messages.Leave) == [messages.Leave(room=17)]


async def test_a_bot_that_declines_ends_a_pipe_whose_next_action_would_wait(pipe: Stage) -> None:
    await pipe.begin()
    await pipe.type("/create connect_four mcts foo=1", "4")
    await pipe.hear(replace(DECLINED, by="bob/flat"))
    assert pipe.code is None
    await pipe.hear(DECLINED)
    assert pipe.connection.asked_for(messages.Leave) == [messages.Leave(room=17)]
    with pytest.raises(Refused, match=SAYS_NO):
        await pipe.ended()


async def test_an_invitation_is_turned_down_by_the_word_that_turns_down_offers(
    stage: Stage,
) -> None:
    await stage.begin()
    assert await stage.type("/decline") == "No match is on here."
    await stage.hear(
        messages.Invited(
            room=9, game="connect_four", options=parts.Options(), by="bob", expires_ms=10_000
        )
    )
    assert await stage.type("/decline") == "bob is told that you do not come."
    assert stage.connection.asked_for(messages.Decline) == [messages.Decline(room=9)]
    assert await stage.type("/decline") == "No match is on here."


@pytest.mark.parametrize("patient", [False, True])
async def test_what_a_bot_says_at_the_table_ends_nothing(patient: bool) -> None:
    stage = Stage(patient)
    await stage.begin()
    await stage.type("/create connect_four mcts")
    if patient:
        await stage.hear(room(seats=(ADA, MCTS)))
    await stage.hear(messages.Said(room=17, seq=99, name="house/mcts", text="No draw", at=0))
    assert stage.connection.asked_for(messages.Leave) == []
    await stage.end()


async def test_what_is_no_choice_says_so(stage: Stage) -> None:
    await stage.begin()
    assert await stage.type("9") == "9 is not in this list; /help lists the commands."
    assert await stage.type("help quit") == (
        "/quit [later]\n    end; a match that is on is given up unless `later`   "
        "(also /exit, /q, /bye)"
    )
    assert await stage.type("/ready") == (
        "You are in no room: choose a room or a bot, or /create GAME."
    )
    assert await stage.type("/resign") == "No match is on here."
    assert await stage.type("/history") == "There was no match here yet."
    assert await stage.type("/rezign") == (
        "There is no /rezign; did you mean /resign? (/help lists all)."
    )


async def test_an_action_is_played_once_for_the_turn_at_hand(stage: Stage) -> None:
    await playing(stage, "5 1")
    assert await stage.type("1") == "1 is not legal here: the cell is taken; legal: 2 3 4 6 7 8 9."
    assert stage.connection.asked_for(messages.Play) == []
    stage.connection.refuse[messages.Play] = Refusal(Code.ROOM_BUSY, "this room has too much to do")
    assert await stage.type("2") == "This room has too much to do."
    text = 'It is the turn of mcts; a line that begins with " is said to all.'
    assert await stage.type("2", "3") == text  # while its answer is under way
    assert (
        stage.connection.asked_for(messages.Play)
        == [messages.Play(match="17.1", turn=6, action="2")] * 2
    )


async def test_the_commands_of_a_match_ask_for_what_they_say(stage: Stage) -> None:
    await playing(stage, "5 1")
    await stage.type("/abort", "/claim", "/draw", "/draw", "/takeback", '"good luck')
    assert stage.connection.asked[-5:] == [
        messages.Abort(match="17.1"),
        messages.Claim(match="17.1"),
        messages.Offer(match="17.1", kind="draw"),
        messages.Offer(match="17.1", kind="takeback"),
        messages.Say(room=17, text="good luck"),
    ]
    assert await stage.type("/hint") == "house/mcts would play 5  x | 9 nodes 0.10 s"
    assert stage.connection.asked_for(Hint) == [Hint(match="17.1")]
    assert await stage.type("/legal 2") == "2"
    assert await stage.type("/history") == "  1. X 5\n  2. O 1"
    assert await stage.type("/ready") == "The match is on already."
    assert not stage.session.view().flip
    await stage.type("/flip")
    assert stage.session.view().flip


async def test_offers_are_answered(stage: Stage) -> None:
    await playing(stage, "5 1")
    assert await stage.type("/accept") == "There is no offer."
    offered = match(
        "tic_tac_toe", "5 1", offers=(parts.Offer_("draw", 1), parts.Offer_("takeback", 0))
    )
    await stage.hear(offered)
    await stage.type("/accept", "/decline")
    assert stage.connection.asked_for(messages.Answer) == [
        messages.Answer(match="17.1", kind="draw", accept=True),
        messages.Answer(match="17.1", kind="draw", accept=False),
    ]
    await stage.hear(match("tic_tac_toe", "5 1", offers=(parts.Offer_("takeback", 0),)))
    await stage.type("/accept", "/decline")
    assert stage.connection.asked[-1] == messages.Answer(
        match="17.1", kind="takeback", accept=False
    )
    assert len(stage.connection.asked_for(messages.Answer)) == 3


async def test_a_spectator_is_told_that_it_watches(stage: Stage) -> None:
    await stage.begin(WatchRoom(RoomReference(room=17)))
    await stage.hear(*WATCHED)
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
    assert stage.connection.asked_for(messages.Ready) == [messages.Ready(room=17)]
    swapped = (BOB, ADA)
    await stage.hear(
        replace(between, seats=swapped, seat=1, state="playing", match="17.2"),
        match("tic_tac_toe", seats=swapped, seat=1, name="17.2"),
    )
    assert [kept.match for kept in stage.interface.kept] == [over]
    assert stage.interface.kept[0].past
    assert stage.session.seat == 1
    assert "Match 17.2 of Tic-tac-toe begins: bob is X, you are O." in stage.interface.text


async def test_a_match_that_is_over_is_gone_through(stage: Stage) -> None:
    await stage.begin(CreateRoom("tic_tac_toe"))
    assert await stage.type("/analyse") == "There was no match here yet."
    await stage.hear(*begun())
    text = "This match is still on; when it is over, /analyse goes through it."
    assert await stage.type("/analyse") == text
    await stage.hear(match("tic_tac_toe", "1 2 5 3 9"))
    told = await stage.type("/analyse")
    assert told.startswith("A bot goes through the match; it may take a minute.\nMatch 17.1:")
    assert stage.connection.asked_for(Analyse) == [Analyse(match="17.1")]
    stage.connection.refuse[Analyse] = Refusal(Code.ANALYSIS_NO_BOT, "no bot is here")
    assert (await stage.type("/analyze")).endswith("\nNo bot is here.")


async def test_all_games_of_a_series_are_gone_through_one_after_the_other(stage: Stage) -> None:
    await stage.begin(CreateRoom("tic_tac_toe"))
    await stage.hear(*begun())
    await stage.hear(match("tic_tac_toe", "1 2 5 3 9"))
    text = "This is no game of a match to points; /analyse goes through it."
    assert await stage.type("/analyse series") == text
    series = Series(points=3, score=(1, 0), game=2)
    await stage.hear(
        room("tic_tac_toe", seats=(ADA, BOB), match="17.2"),
        replace(match("tic_tac_toe", "1 2 5 3 9", name="17.2"), series=series),
    )
    won = Result(winner=0, returns=(1.0, -1.0), how="rules", reason="line")
    events = [
        event
        for n, score in ((1, (0, 0)), (2, (1, 0)))
        for event in (
            Event(seq=2 * n, kind="started", match=f"17.{n}", players=(ADA, BOB),
                  series=Series(points=3, score=score, game=n)),
            Event(seq=2 * n + 1, kind="ended", match=f"17.{n}", result=won),
        )
    ]  # fmt: skip
    stage.connection.pages = [messages.HistoryPage(room=17, events=tuple(events))]
    told = await stage.type("/analyse series")
    assert told.startswith("A bot goes through all games, one after the other;")
    assert "All games up to 17.2:" in told
    assert stage.connection.asked_for(Analyse)[-2:] == [
        Analyse(match="17.1"), Analyse(match="17.2")
    ]  # fmt: skip
    assert await stage.type("/analyse all") == (
        "/analyse goes through the match, /analyse series through all games of one to points."
    )


async def test_who_watches_a_private_room_has_its_matches_gone_through_by_its_code(
    stage: Stage,
) -> None:
    await stage.begin(WatchRoom(RoomReference(room=17, code="482913")))
    series = Series(points=3, score=(0, 0))
    await stage.hear(
        room("tic_tac_toe", seats=(BOB, MCTS), match="17.1", seat=None),
        replace(match("tic_tac_toe", "1 2 5 3 9", seats=(BOB, MCTS)), series=series),
    )
    events = (
        Event(seq=2, kind="started", match="17.1", players=(BOB, MCTS), series=series),
        Event(seq=3, kind="ended", match="17.1"),
    )
    stage.connection.pages = [messages.HistoryPage(room=17, events=events)]
    told = await stage.type("/analyse", "/analyse series")
    assert "All games up to 17.1:" in told
    assert stage.connection.asked_for(Analyse) == 2 * [Analyse(match="17.1", code="482913")]
    (page,) = stage.connection.asked_for(messages.History)[-1:]
    assert page.code == "482913"


async def test_a_new_name_ends_the_visit_but_not_from_a_table(stage: Stage) -> None:
    await stage.begin(CreateRoom("connect_four"))
    text = "Leave the room first: its seat belongs to your name."
    assert await stage.type("/name bob") == text
    await stage.type("/leave")
    follow = messages.Lobby(follow="changes")
    assert stage.connection.asked[-2:] == [messages.Leave(room=17), follow]
    await stage.type("/name bob")
    assert (stage.code, stage.session.rename) == (0, "bob")


async def test_the_lobby_can_be_listed_and_names_completed_from_a_table(stage: Stage) -> None:
    await playing(stage)
    listing = lobby(entry(18, BOB, None), bots=[bot("mcts"), bot("mcts")])
    stage.connection.answers[messages.Lobby] = listing
    text = await stage.type("/rooms")
    assert "house/mcts" in text
    assert text.endswith("The numbers can be typed once you have left this room.")
    assert stage.connection.asked[-1] == messages.Lobby(follow=False)
    await stage.hear(listing)
    names = stage.session.completion_names()
    assert names.games == ("connect_four", "pebbles", "tic_tac_toe")
    assert (tuple(names.bots), names.game, names.rooms) == (("mcts",), "tic_tac_toe", ("18",))
    assert names.legal == tuple("123456789")


async def test_a_link_is_shown_as_it_is_used(stage: Stage) -> None:
    await stage.begin()
    text = "On the other device, within 120 s: plyhouse play --link ABCDEF"
    assert (await stage.type("/link")).startswith(text)
    assert stage.connection.asked_for(messages.Link) == [messages.Link()]


async def test_a_recovery_code_is_shown_with_what_it_is_for(stage: Stage) -> None:
    await stage.begin()
    stage.connection.answers[messages.Link] = messages.Linked(code="QF7K-DM2X", expires_ms=0)
    name = stage.connection.name
    shown = await stage.type("/recovery")
    assert shown.startswith("Keep this code; it is shown only now: QF7K-DM2X")
    assert shown.endswith(f"brings {name} back, also from a thief: plyhouse play --link QF7K-DM2X")
    await stage.type("/recovery qf7k dm2x")
    await stage.type("/recovery lost")
    asked = [
        messages.Link(recovery=True, **more) for more in ({}, {"old": "qf7k dm2x"}, {"lost": True})
    ]
    assert stage.connection.asked_for(messages.Link) == asked


async def test_lines_of_a_pipe_wait_for_their_turn(pipe: Stage) -> None:
    await pipe.begin(CreateRoom("tic_tac_toe", who="mcts"))
    await pipe.type("1", "5", "9", None)
    played: list[str] = []
    for heard, wanted in (
        ([], []),
        (begun(), ["1"]),
        ([match("tic_tac_toe", "1"), match("tic_tac_toe", "1 2")], ["1", "5"]),
        ([match("tic_tac_toe", "1 2 5"), match("tic_tac_toe", "1 2 5 3")], ["1", "5", "9"]),
    ):
        await pipe.hear(*heard)
        played = [asked.action for asked in pipe.connection.asked_for(messages.Play)]
        assert played == wanted
    await pipe.hear(match("tic_tac_toe", "1 2 5 3 9"))
    assert pipe.connection.asked[-1] == messages.Leave(room=17)
    assert pipe.code == 0
    assert "  1. X 1\n  2. O 2\n  3. X 5\n  4. O 3\n  5. X 9" in pipe.interface.text


async def test_quit_in_a_pipe_waits_for_what_stands_before_it(pipe: Stage) -> None:
    await pipe.begin()
    await pipe.type("/create tic_tac_toe mcts", "5", "/quit", "/help")
    await pipe.hear(*begun())
    assert len(pipe.connection.asked_for(messages.Play)) == 1
    await pipe.hear(match("tic_tac_toe", "1 2 5 3 9"))
    assert pipe.code == 0
    assert "/takeback" not in pipe.interface.text


async def test_hint_and_legal_wait_for_the_turn(pipe: Stage) -> None:
    await pipe.begin(CreateRoom("tic_tac_toe", who="mcts"))
    await pipe.type("/hint", "/legal")
    assert pipe.connection.asked_for(Hint) == []
    await pipe.hear(*begun())
    assert pipe.interface.text.endswith("0.10 s\n1   2   3   4   5   6   7   8   9")


async def test_in_a_pipe_a_match_is_gone_through_when_it_is_over(pipe: Stage) -> None:
    await pipe.begin(CreateRoom("tic_tac_toe", who="mcts"))
    await pipe.hear(*begun("1 2 5 3"))
    await pipe.type("9", "/analyse", None)
    assert pipe.connection.asked_for(Analyse) == []
    await pipe.hear(match("tic_tac_toe", "1 2 5 3 9"))
    assert pipe.connection.asked_for(Analyse) == [Analyse(match="17.1")]
    assert "analysed by mcts" in pipe.interface.text
    assert pipe.code == 0


@pytest.mark.parametrize("name", ["17.1", None], ids=["until its end", "until the room is closed"])
async def test_who_watches_stays_after_the_end_of_the_input(pipe: Stage, name: str | None) -> None:
    pipe.session.stay, pipe.session.watched = True, name
    await pipe.begin(WatchRoom(RoomReference(room=17, match=name)))
    await pipe.type(None)
    await pipe.hear(*WATCHED)
    assert pipe.code is None
    await pipe.hear(match("tic_tac_toe", "1 2 5 3 9", seat=None, seats=(BOB, MCTS)))
    assert pipe.code == (None if name is None else 0)
    await pipe.hear(room(seats=(None, None), seat=None, state="closed"))
    assert pipe.code == 0


async def test_a_resignation_says_its_price_and_asks(stage: Stage) -> None:
    await playing(stage, "5 1")
    text = "/resign  loses 1 point here: the same again does it."
    assert await stage.type("/resign") == text
    assert await stage.type("/flip", "/resign") == text, "something else came between"
    assert stage.connection.asked_for(messages.Resign) == []
    await stage.type("resign")
    assert stage.connection.asked_for(messages.Resign) == [messages.Resign(match="17.1")]
    assert "it may cost here: /resign 1." in await stage.type("/resign 3")
    assert await stage.type("/resign x") == "/resign may say how many points it gives: /resign 1."


async def test_in_a_pipe_a_resignation_waits_for_the_match_and_needs_no_second_word(
    pipe: Stage,
) -> None:
    await pipe.begin(CreateRoom("tic_tac_toe", who="mcts"))
    assert await pipe.type("/resign") == ""
    await pipe.hear(*begun("5 1"))
    assert pipe.connection.asked_for(messages.Resign) == [messages.Resign(match="17.1")]


async def test_the_opponents_thoughts_are_hidden_until_they_are_asked_for(stage: Stage) -> None:
    held, _ = begun()
    await stage.begin()
    thought = "mcts 9 nodes 0.10 s | 1 5 +0.00 | 3 3 -0.10 | 7 1 -0.20"
    thinking = match("tic_tac_toe", "5 1", notes={1: thought})
    await stage.hear(held, thinking)
    assert await stage.type("/history") == "  1. X 5\n  2. O 1"
    assert not stage.session.view().notes
    assert "are shown now" in await stage.type("/thoughts")
    told = (await stage.type("/history")).split("\n")
    assert told[1:] == ["  2. O 1  1 5 +0.00 | 9 nodes 0.10 s", "       3 3 -0.10 | 7 1 -0.20"]
    await stage.type("/note")
    over = match("tic_tac_toe", "1 2 5 3 9", notes={1: "mcts 9 nodes 0.10 s"})
    await stage.hear(over)
    assert stage.session.view().notes, "and it is over"


@pytest.mark.parametrize(
    ("actions", "result", "code"),
    [
        ("1 2 5 3 9", None, 0),
        ("1 2 3 5 4 8", None, 4),
        ("1 2 3 5 4 6 8 7 9", None, 5),
        ("5", Result(winner=None, returns=(0.0, 0.0), how="abort", reason="abort"), 6),
        ("5", Result(winner=None, returns=(0.0, 0.0), how="agreement", reason="draw"), 5),
    ],
)
async def test_a_pipe_ends_with_the_match_and_tells_who_won(
    pipe: Stage, actions: str, result: Result | None, code: int
) -> None:
    await playing(pipe)
    await pipe.hear(match("tic_tac_toe", actions, result=result))
    text = await pipe.type("/history", "9", "9", "9")
    assert "No match is on" not in text
    assert pipe.code == code
    assert pipe.connection.asked[-1] == messages.Leave(room=17)


def backgammon(**more: object) -> tuple[messages.RoomState, messages.MatchState]:
    """A match of backgammon in which ada is to move and may resign for one to three points."""
    held = room("backgammon", state="playing", match="17.1")
    return held, match("backgammon", "31 24/23/20 52", seat=0, resign=(1, 2, 3), **more)


async def test_in_backgammon_a_resignation_offers_one_or_two_points_or_pays_three(
    stage: Stage,
) -> None:
    await stage.begin()
    await stage.hear(*backgammon())
    text = (
        "/resign  loses 3 points here: the same again does it, /resign 1 or /resign 2 offers less."
    )
    assert await stage.type("/resign") == text
    await stage.type("/resign", "/resign 1", "/resign 3")
    asked = [request.points for request in stage.connection.asked_for(messages.Resign)]
    assert asked == [3, 1, 3]
    assert "it may cost here: /resign 1 or /resign 2 or /resign 3." in await stage.type("/resign 4")
    theirs = parts.Offer_("resign", 1, 2)
    text = "mcts offers to resign for 2 points: /accept or /decline."
    assert text in await stage.hear_of(replace(backgammon()[1], offers=(theirs,), seq=99))
    await stage.type("/accept")
    assert stage.connection.asked[-1] == messages.Answer(match="17.1", kind="resign", accept=True)


async def test_who_quits_pays_what_was_said_and_never_more(stage: Stage) -> None:
    await stage.begin()
    await stage.hear(*backgammon())
    stage.connection.refuse[messages.Abort] = Refusal(Code.MATCH_TOO_LATE_TO_ABORT, "both moved")
    moved = replace(backgammon()[1], events=(*match("tic_tac_toe", "5 1").events,))
    await stage.hear(replace(moved, seq=98))
    assert "The same again loses 3 points;" in await stage.type("/quit")
    await stage.type("/quit")
    assert stage.connection.asked_for(messages.Resign) == [
        messages.Resign(match="17.1", points=3)
    ], "more than that by now would only be an offer"
    over = Result(winner=1, returns=(-3.0, 3.0), how="resign", reason="resign")
    await stage.hear(replace(moved, seq=100, result=over, resign=None, legal=None))
    assert stage.code == 0


async def test_a_game_that_is_not_known_here_is_drawn_by_the_server(stage: Stage) -> None:
    info = parts.GameInfo(game="hex", title="Hex", start="-", seats=("Red", "Blue"))
    stage.connection.welcome = replace(stage.connection.welcome, catalog=(info,))
    lines = [" . . .", "  . x ."]
    stage.connection.answers[messages.Draw] = messages.Drawn(match="17.1", turn=6, lines=lines)
    await stage.begin()
    held, shown = begun("5 1")
    await stage.hear(replace(held, game="hex"), replace(shown, game="hex"))
    await stage.hear(replace(shown, game="hex", seq=shown.seq + 1))
    assert stage.connection.asked_for(messages.Draw) == [messages.Draw(match="17.1")], "only once"
    text = texts(frame(stage.session.view(), 80, 24))
    assert " . . .     Red   ada (you)   ◀\n  . x .    Blue  mcts\n" in text
    assert "Hex   room 17" in text
    assert "Your turn, Red." in text


async def test_a_pipe_waits_for_the_drawing_and_does_without_if_there_is_none(pipe: Stage) -> None:
    pipe.connection.refuse[messages.Draw] = Refusal(Code.MATCH_NO_DRAWING, "it draws nothing")
    await pipe.begin()
    held, shown = begun("5 1")
    pipe.session.hear(replace(held, game="hex"))
    pipe.session.hear(replace(shown, game="hex"))
    assert pipe.session.view().waits_for_drawing
    await pipe.settle()
    assert not pipe.session.view().waits_for_drawing
    assert texts(plain_frame(pipe.session.view(), 80)).startswith("position O2/1X1/3"[:9])
