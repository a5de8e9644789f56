"""What stands above the prompt, whole screens of it."""

from __future__ import annotations

import itertools
from dataclasses import replace

import msgspec
import pytest
from msgspec.structs import replace as with_fields

from client.styled_text import text_of, width
from client.terminal.shown.invitation import invitation
from client.terminal.shown.menus import Menu, lobby_menu
from client.terminal.shown.view import ViewModel, frame, plain_frame, toolbar
from protocol.messages import MatchState
from protocol.parts import Clocks, Offer_, Options, PersonLine, Player, Result
from tests.client.terminal.states import (
    ADA,
    BOB,
    FIVE_PLUS_THREE,
    MCTS,
    bot,
    entry,
    lobby,
    match,
    room,
    texts,
    view,
)


def screen(shown: ViewModel) -> str:
    """What a terminal of 80 x 24 shows above the prompt."""
    return texts(frame(shown, 80, 24))


NOTE = "mcts 812 nodes 0.30 s | 4 400 +0.21 | 3 200 +0.10"


def test_a_match_stands_with_its_players_and_actions_beside_the_board() -> None:
    shown = match("connect_four", "4 4 3 5", notes={1: NOTE})
    at = room(options=Options(clock=FIVE_PLUS_THREE), score=(1.0, 0.5), watching=2)
    assert (
        screen(view(shown, room=at, left=(291_000, 9_300)))
        == """\
Connect four   room 17, match 17.1, 5 min + 3 s, score 1 – 0.5, 2 watching

│   │   │   │   │   │   │   │    X  ada (you)     4:51 ◀
│   │   │   │   │   │   │   │    O  mcts           9.3
│   │   │   │   │   │   │   │
│   │   │   │   │   │   │   │      1. X 4
│   │   │   │ O │   │   │   │      2. O 4  4 400 +0.21 | 812 nodes 0.30 s
│   │   │ X │ X │ O │   │   │      3. X 3
└───┴───┴───┴───┴───┴───┴───┘      4. O 5
  1   2   3   4   5   6   7

Your turn, X.
1   2   3   4   5   6   7"""
    )


def test_in_a_narrow_terminal_the_players_stand_above_the_board() -> None:
    lines = texts(frame(view(match("tic_tac_toe", "5 1", seats=(ADA, BOB))), 36, 24))
    assert lines.startswith(
        "Tic-tac-toe   room 17, match 17.1,…\n\nX  ada (you)   ◀\nO  bob\n O │ 2 │ 3\n"
    )
    assert lines.endswith("\n 7 │ 8 │ 9\n  2. O 1\n\nYour turn, X.\n2   3   4   6   7   8   9")


def test_a_frame_fits_its_terminal() -> None:
    for shown in (match("connect_four", "4 4"), match("pebbles", "white hand")):
        for wide, rows in itertools.product((20, 40, 60, 80), (9, 10, 12, 15, 19, 24)):
            lines = frame(view(shown, left=(1, 2)), wide, rows)
            assert len(lines) <= rows, (wide, rows)
            assert max(map(width, lines)) <= wide, (wide, rows)


def test_in_a_low_terminal_title_turn_and_as_much_of_the_board_as_fits_are_kept() -> None:
    lines = texts(frame(view(match("connect_four", "4 4")), 80, 11))
    assert lines.startswith("Connect four   room 17, match 17.1, untimed\n│   │")
    assert lines.endswith("Your turn, X.\n1   2   3   4   5   6   7")
    lower = texts(frame(view(match("tic_tac_toe", "5 1")), 80, 5)).split("\n")
    assert lower[0] == "Tic-tac-toe   X ada (you) ◀   O mcts   match 17.1, untimed"
    assert lower[1:] == [" 4 │ X │ 6", "───┼───┼───", " 7 │ 8 │ 9", "Your turn, X."]


SMALL = (60, 18)  # what 60 columns of 20 lines show above prompt and toolbar


def test_ultimate_keeps_title_players_and_turn_in_a_small_window() -> None:
    shown = view(match("ultimate_tic_tac_toe", "51 15 52 25 53"), left=(61_000, 9_300))
    lines = texts(frame(shown, *SMALL)).split("\n")
    assert len(lines) <= 18
    assert lines[0] == "Ultimate tic-tac-toe   X ada (you) 1:01   O mcts 9.3 ◀"
    assert lines[1] == "┌─ 1 ──────────┬─ 2 ──────────┬─[3]──────────┐"
    assert "board 3" in lines[14]
    assert "mcts (O) is thinking …" in lines


def test_backgammon_keeps_dice_and_lists_its_moves_in_a_small_window() -> None:
    shown = match("backgammon", "31")
    lines = texts(frame(view(shown, room=None), *SMALL)).split("\n")
    assert lines[0] == "Backgammon   X ada (you) ◀   O mcts   match 17.1"
    assert any(line.endswith("│ 3 │ │ 1 │") for line in lines)
    assert "Your turn, X. You rolled 31." in lines
    few = msgspec.structs.replace(shown, legal=tuple(f"{n}/off {n}/off" for n in range(1, 8)))
    listed = texts(frame(view(few, room=None), *SMALL)).split("\n")[-3:]
    assert [line.split()[0] for line in listed] == ["1", "4", "7"], "all seven, over three lines"


@pytest.mark.parametrize("game", ["ultimate_tic_tac_toe", "backgammon"])
def test_the_board_stays_in_place_from_turn_to_turn(game: str) -> None:
    words = {"backgammon": "31 24/23/20 52"}.get(game, "51 15").split()
    tops = set()
    for rows in (18, 20, 22):
        for n in range(1, len(words) + 1):
            shown = view(match(game, " ".join(words[:n])))
            lines = texts(frame(shown, 80, rows)).split("\n")
            tops.add((rows, next(i for i, line in enumerate(lines) if "┌" in line)))
    assert len(tops) == 3


def test_the_line_that_has_won_is_marked() -> None:
    lines = frame(view(match("connect_four", "1 1 2 2 3 3 4")), 80, 24)
    won = [text for line in lines for style, text in line if style == "seat0 won"]
    assert won == ["[X]"] * 4


def test_after_a_resignation_nothing_is_listed_to_play() -> None:
    result = Result(winner=1, returns=(-1.0, 1.0), how="resign", reason="resign")
    text = screen(view(match("ultimate_tic_tac_toe", "51 15", result=result)))
    assert "to play on" not in text
    assert "[5]" not in text


def test_the_opponents_thoughts_are_shown_only_where_they_are_asked_for() -> None:
    shown = view(match("connect_four", "4 4 3 5", notes={1: NOTE}))
    assert "812 nodes" in screen(shown)
    assert "812 nodes" not in screen(replace(shown, notes=False))


def test_what_is_typed_narrows_the_list() -> None:
    shown = match("pebbles", "white hand")
    typed = screen(view(shown, typed="9-14-19"))
    assert typed.endswith("You rolled hand.\n3000 9-14-19")
    for unrelated in ("/help", '"9-14-19', "3000", "#3", "nonsense"):
        assert "1 pass" in screen(view(shown, typed=unrelated))


@pytest.mark.parametrize(
    ("game", "actions", "row"),
    [("tic_tac_toe", "5 1", 2), ("ultimate_tic_tac_toe", "51 15 52 25 53 35", 4)],
    ids=["a mark", "a mark, and not the cells that have become playable"],
)
def test_the_last_change_on_the_board_is_marked(game: str, actions: str, row: int) -> None:
    one, two = match(game, actions.rpartition(" ")[0]), match(game, actions)
    lines = frame(view(two, before=one.position), 80, 24)
    assert [text for shown in lines for style, text in shown if "fresh" in style] == ["O"]
    assert ("seat1 fresh", "O") in lines[row]


def test_a_board_can_be_seen_from_the_other_side() -> None:
    shown = match("pebbles", "white 1 0-0-1", seat=0)
    assert screen(view(shown)).split("\n")[2].startswith("black")
    assert screen(view(shown, flip=True)).split("\n")[2].startswith("white")


def test_a_game_that_is_not_known_here_is_shown_by_its_notation() -> None:
    strange = with_fields(match("connect_four", "4 4"), game="hex_chess")
    assert screen(view(strange, room=None)).startswith("""\
Hex chess   room 17, match 17.1

position 7/7/7/7/3o3/3x3 x    first   ada (you)   ◀
                              second  mcts
""")
    shown = with_fields(match("connect_four", "4 4"), position="version 9")
    assert "position version 9" in screen(view(shown))


def status(shown: MatchState, **more: object) -> str:
    """The lines under the board."""
    lines = screen(view(shown, **more))
    return lines.split("\n\n")[-1]


def test_whose_turn_it_is() -> None:
    assert status(match("tic_tac_toe", "5")) == "mcts (O) is thinking …"
    people = match("tic_tac_toe", "5", seats=(ADA, BOB))
    assert status(people) == "bob (O) is to move …"
    assert status(match("tic_tac_toe", seat=None), seat=None) == "ada (X) is to move …"
    rolled = match("pebbles", "white 4", seat=1)
    assert status(rolled, seat=1) == "ada (White) is to move … Rolled: 4."
    mine = match("pebbles", "white 4")
    assert status(mine) == "Your turn, White. You rolled 4.\n 1 0-0-4    2 0-4-0    3 4-0-0"


def test_who_is_away_may_lose_by_a_claim() -> None:
    shown = match("tic_tac_toe", "5", seats=(ADA, BOB))
    bob = Player(name="bob", absent=True, claim_ms=52_000)
    away = room("tic_tac_toe", seats=(ADA, bob))
    head = "bob (O) is to move, and away"
    assert status(shown, room=away) == f"{head}; /claim wins in 0:52."
    assert status(shown, room=away, room_ms=2_000) == f"{head}; /claim wins in 0:50."
    assert status(shown, room=away, room_ms=60_000) == f"{head}; /claim wins."
    never = room("tic_tac_toe", seats=(ADA, with_fields(bob, claim_ms=None)))
    assert status(shown, room=never) == f"{head}."
    assert "bob (away)" in screen(view(shown, room=away))


def test_before_both_have_begun_it_is_said_how_long_one_has_and_who_is_waited_for() -> None:
    times = {"left": (1, 1), "begin": 31_000}
    clocks = Clocks(remaining=(1, 1), begin_ms=40_000)
    shown = match("tic_tac_toe", "", clocks=clocks)
    assert "You have 0:31 to begin; then the match is void." in status(shown, **times)
    shown = match("tic_tac_toe", "5", seats=(ADA, BOB), clocks=with_fields(clocks, running=1))
    assert "bob has 0:31 to begin; then the clock runs." in status(shown, **times)
    away = room("tic_tac_toe", seats=(ADA, Player(name="bob", absent=True)))
    assert "Waiting for bob: no clock runs meanwhile." in status(shown, room=away, **times)


def test_an_offer_to_resign_says_for_how_much() -> None:
    for points, lost in ((1, "1 point"), (2, "2 points")):
        theirs = match("tic_tac_toe", "5 1", offers=(Offer_("resign", 1, points),))
        assert f"mcts offers to resign for {lost}: /accept or /decline." in status(theirs)
        mine = match("tic_tac_toe", "5 1", offers=(Offer_("resign", 0, points),))
        assert f"You offer to resign for {lost}; /decline withdraws it." in status(mine)


def test_offers_and_pauses_are_said() -> None:
    offers = (Offer_("draw", 1), Offer_("takeback", 0))
    clocks = Clocks(remaining=(1, 1), paused="server")
    shown = match("tic_tac_toe", "5 1", offers=offers, clocks=clocks)
    assert (
        status(shown, left=(1, 1))
        == """\
Your turn, X.
mcts offers a draw: /accept or /decline.
You ask to take back your last action; /decline withdraws it.
The clock waits: a server was away.
2   3   4   6   7   8   9"""
    )


@pytest.mark.parametrize(
    ("winner", "how", "text"),
    [
        (0, "resign", "You won: mcts resigned."),
        (1, "resign", "You resigned: mcts won."),
        (0, "flag", "You won: mcts ran out of time."),
        (1, "flag", "You lost: your time ran out."),
        (0, "abandon", "You won: mcts was away for too long."),
        (1, "abandon", "You lost: you were away for too long."),
        (0, "illegal", "You won: mcts played an illegal action."),
        (0, "crash", "You won: mcts crashed."),
        (0, "eclipse", "You won: mcts lost by eclipse."),
        (1, "eclipse", "You lost: by eclipse."),
        (None, "abort", "Called off: nobody won."),
        (None, "agreement", "A draw, by agreement."),
        (None, "void", "Void: 2000 plies."),
    ],
)
def test_how_it_ended(winner: int | None, how: str, text: str) -> None:
    points = {0: (1.0, -1.0), 1: (-1.0, 1.0), None: (0.0, 0.0)}[winner]
    reason = "2000 plies" if how == "void" else how
    result = Result(winner=winner, returns=points, how=how, reason=reason)  # type: ignore[arg-type]
    assert status(match("tic_tac_toe", "5", result=result)).split("\n")[0] == text


def test_how_the_rules_ended_it() -> None:
    assert status(match("tic_tac_toe", "1 2 5 3 9")).startswith("You won: three in a row.\n")
    assert status(match("tic_tac_toe", "1 2 5 3 9"), seat=1).startswith(
        "You lost: three in a row for ada.\n"
    )
    draw = match("tic_tac_toe", "1 2 3 5 4 6 8 7 9")
    assert status(draw).startswith("A draw: the board is full.\n")
    double = Result(winner=1, returns=(-2.0, 2.0), how="rules", reason="double")
    assert status(match("pebbles", "white 4", result=double)).startswith(
        "You lost 2 points: double for mcts.\n"
    )


def test_after_the_end_a_rematch_is_near() -> None:
    over = match("tic_tac_toe", "1 2 5 3 9", seats=(ADA, BOB))
    at = room("tic_tac_toe", seats=(ADA, BOB), match="17.1")
    again = "/rematch plays again with seats swapped, /leave gets up."
    assert status(over, room=at).split("\n")[1] == again
    wants = with_fields(at, ready=(False, True))
    assert status(over, room=wants).split("\n")[1] == f"bob wants a rematch. {again}"
    ready = with_fields(at, ready=(True, False))
    assert status(over, room=ready).split("\n")[1] == "Waiting for bob to be ready."
    alone = room("tic_tac_toe", seats=(ADA, None), match="17.1")
    free = "The other seat is free: /invite WHO, or /leave."
    assert status(over, room=alone).split("\n")[1] == free
    assert status(over, room=at, past=True) == "You won: three in a row."
    assert status(over, room=at, seat=None) == "ada won: three in a row."


def test_a_pipe_gets_the_board_alone() -> None:
    shown = match("tic_tac_toe", "5 1", clocks=Clocks(remaining=(1, 1)))
    lines = texts(plain_frame(view(shown, left=(61_000, 3_600_000)), 80))
    assert lines.startswith(" O │ 2 │ 3\n───")
    assert lines.endswith("\nYour turn, X.\nX 1:01   O 1:00:00\n2   3   4   6   7   8   9")


def test_a_room_says_what_it_waits_for() -> None:
    alone = ViewModel(me="ada", room=room(seats=(ADA, None), seat=0), seat=0)
    assert (
        screen(alone)
        == """\
Connect four   room 17, public, untimed

X  ada (you), not ready yet
O  (free)

/ready, and who joins starts the match."""
    )
    private = Options(public=False, clock=FIVE_PLUS_THREE)
    coded = room(seats=(ADA, BOB), ready=(True, False), code="QF7KDM", options=private)
    assert (
        screen(ViewModel(me="ada", room=coded, seat=0))
        == """\
Connect four   room 17, private, code QF7KDM, 5 min + 3 s

X  ada (you), ready
O  bob, not ready yet

Waiting for bob to be ready."""
    )
    away = Player(name="bob", absent=True)
    other = room(seats=(ADA, away), seat=0, score=(2.0, 1.0))
    assert screen(ViewModel(me="ada", room=other, seat=0)).endswith("""\
X  ada (you), not ready yet, 2 won
O  bob (away), not ready yet, 1 won

/ready starts the match.""")
    watched = ViewModel(me="eve", room=room(seats=(ADA, None), seat=None, options=private))
    assert screen(watched).endswith("You are watching; /join 17 takes the free seat.")


def test_the_lobby_lists_rooms_and_bots_with_numbers() -> None:
    timed = Options(clock=FIVE_PLUS_THREE)
    listing = lobby(
        entry(18, ADA, None, options=timed),
        entry(17, BOB, MCTS, state="playing", ply=12),
        entry(16, BOB, ADA),
        entry(15, BOB, Player(name="eve")),
        bots=[bot("mcts", "a", "b"), bot("gammon", "backgammon", levels=0, free=0), bot("any")],
        total=7,
    )
    menu = lobby_menu(listing, "ada", Menu())
    assert (
        screen(ViewModel(me="ada", menu=menu))
        == """\
Rooms
  1  room 18   Connect four   ada – (free)       5 min + 3 s   yours
  2  room 17   Connect four   bob – house/mcts   untimed       playing, ply 12
  3  room 16   Connect four   bob – ada          untimed       yours
  4  room 15   Connect four   bob – eve          untimed       between matches

Bots
  5  house/mcts     a, b         levels 1 to 8   2 free
  6  house/gammon   backgammon                   0 free
  7  house/any      all games    levels 1 to 8   2 free

3 more rooms are here.  Type a number, or /create GAME; /help tells more."""
    )


def test_the_lobby_says_who_else_is_here() -> None:
    people = [PersonLine(name="ada"), PersonLine(name="bob", playing=True), PersonLine(name="eve")]
    here = with_fields(lobby(), people=tuple(people))
    lines = screen(ViewModel(me="ada", menu=lobby_menu(here, "ada", Menu())))
    assert lines.startswith("Here now  bob (playing), eve\n\nNo rooms")


def test_a_narrow_lobby_leaves_out_what_matters_least() -> None:
    listing = lobby(entry(18, BOB, None), bots=[bot("mcts", "connect_four")])
    shown = ViewModel(me="ada", menu=lobby_menu(listing, "ada", Menu()))
    rows = texts(frame(shown, 60, 18)).split("\n")
    assert rows[1] == "  1  Connect four   bob – (free)   waiting for a player"
    assert rows[4] == "  2  house/mcts   connect_four   levels 1 to 8   2 free"


def test_a_long_lobby_is_cut_and_an_empty_one_says_so() -> None:
    rooms = [entry(n, ADA, None) for n in range(50, 0, -1)]
    menu = lobby_menu(lobby(*rooms), "bob", Menu())
    lines = texts(frame(ViewModel(me="bob", menu=menu), 80, 10)).split("\n")
    assert (len(lines), lines[-2]) == (10, "… more: /rooms lists all")
    empty = ViewModel(me="ada", menu=lobby_menu(lobby(), "ada", Menu()))
    assert screen(empty).startswith("No rooms and no bots here")


def test_the_toolbar_says_who_where_and_when() -> None:
    shown = match("tic_tac_toe", "5 1", clocks=Clocks(remaining=(1, 1)))
    here = view(shown, address="127.0.0.1:8765", left=(61_000, 9_999))
    assert text_of(toolbar(here)) == (
        " ada at 127.0.0.1:8765 │ X 1:01 ◀ │ O 9.9   │ Tab completes, /help"
    )
    assert ("low", "│ O 9.9   ") in toolbar(here)
    lost = replace(here, linked=False)
    assert text_of(toolbar(lost)) == "  127.0.0.1:8765: no connection, trying again … "


def test_what_others_wrote_cannot_reach_the_terminal() -> None:
    evil = Player(name="\x1b[2Jb\u202eob")
    shown = match("tic_tac_toe", "5", seats=(ADA, evil), notes={0: "\x1b]0;x\x07"})
    menu = lobby_menu(lobby(entry(1, evil, None)), "ada", Menu())
    for seen in (
        view(shown, seat=1),
        ViewModel(me="ada", room=room(seats=(ADA, evil))),
        ViewModel(me="ada", menu=menu),
    ):
        assert "[2Jbob" in screen(seen)
        assert not set(screen(seen)) & {"\x1b", "\x07", "\u202e"}


LINK = "http://192.168.1.7:9100"


@pytest.mark.parametrize("size", [(100, 22), (80, 20)])
def test_an_invitation_is_a_command_a_link_and_a_code_to_photograph(size: tuple[int, int]) -> None:
    here = room(seats=(ADA, None), seat=0, code="QF7KDM", options=Options(public=False))
    asked = invitation(here, LINK)
    assert asked is not None
    lines = texts(frame(ViewModel(me="ada", room=here, seat=0, invitation=asked), *size))
    assert f"{LINK}/#code=QF7KDM" in lines
    assert "plyhouse play --join QF7KDM" in lines
    assert f"--url {LINK}" in lines
    assert "…" not in lines.split("\n", 1)[1], "all of the code is there"
    assert lines.count("█▀▀▀▀▀█") == 3, "the three corners of a QR code"


def test_a_small_window_leaves_the_code_out_and_breaks_the_command_where_a_shell_may() -> None:
    here = room(seats=(ADA, None), seat=0, code="QF7KDM", options=Options(public=False))
    asked = invitation(here, "http://plyhouse.example.org:9100")
    lines = texts(frame(ViewModel(me="ada", room=here, seat=0, invitation=asked), 60, 18))
    command = "  plyhouse play --join QF7KDM \\\n    --url http://plyhouse.example.org:9100\n"
    assert command in lines
    assert "█" not in lines


def test_only_what_others_can_follow_becomes_a_code() -> None:
    here = room(seats=(ADA, None), seat=0)
    asked = invitation(here, "http://127.0.0.1:8765")
    assert asked is not None
    assert (asked.command, asked.qr) == ("plyhouse play --join 17", ())
    assert asked.link == "http://127.0.0.1:8765/#room=17"
    view_of = ViewModel(me="ada", room=here, seat=0, invitation=asked)
    assert "On this machine only" in texts(frame(view_of, 80, 20))
    assert invitation(here, "") is None
