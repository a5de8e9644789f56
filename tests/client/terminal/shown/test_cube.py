"""The cube in the terminal: what is asked, in which words, and what is not told twice."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client.terminal import quitting
from client.terminal.shown.moves import moves
from client.terminal.shown.view import frame, status_lines
from client.terminal.typed.actions import read_action
from client.words import named_game, series_result_text, terms_text
from games import registry
from protocol import messages, parts
from tests.client.terminal import states
from tests.client.terminal.states import texts, view

GAME = registry.game("backgammon_cube")
LATER = "-bA---D-C---eE---c-e----B-"
SEATS = (states.ADA, states.BOB)


def at(rest: str, seat: int | None) -> messages.MatchState:
    """A match in which the cube is decided about, as `seat` is shown it."""
    p = GAME.parse_position(f"XGID={LATER}:{rest}")
    shown = states.match(GAME.name, seat=seat, seats=SEATS)
    legal = p.legal_notation() if p.to_move == seat else None
    return replace(shown, position=GAME.format_position(p), to_move=p.to_move, legal=legal)


def status(shown: messages.MatchState, seat: int | None) -> str:
    return texts(status_lines(view(shown, seat=seat), shown, named_game(GAME.name)))


@pytest.mark.parametrize(
    ("rest", "seat", "text"),
    [
        ("1:1:1:00:0:0:0:0:10", 0, "Your turn, X: roll (r), or double to 4 (d)."),
        (
            "1:-1:-1:D:3:2:0:7:10", 0,
            "Your turn, X: bob doubles to 4! Take or drop?\n"
            "take (t): the cube is yours; drop (p): lose 2 points",
        ),
        (
            "1:-1:-1:D:3:5:0:7:10", 0,
            "Your turn, X: bob doubles to 4! Take or drop?\n"
            "take (t): the cube is yours; drop (p): lose the match",
        ),
        (
            "0:0:-1:B:0:0:2:0:10", 1,
            "Your turn, O: ada beavers to 4! Take or drop?\n"
            "take (t): the cube is ada's; drop (p): lose 2 points\n"
            "raccoon: double at once, to 8",
        ),
        ("1:-1:-1:D:3:2:0:7:10", 1, "You double to 4. ada takes or drops …"),
        ("1:-1:-1:D:3:2:0:7:10", None, "bob doubles to 4. ada takes or drops …"),
        ("1:1:1:00:0:0:0:0:10", 1, "ada (X) is to move …"),
    ],
)  # fmt: skip
def test_the_cube_is_asked_about_in_words(rest: str, seat: int | None, text: str) -> None:
    shown = at(rest, seat)
    assert status(shown, seat) == text
    for wide, rows in ((120, 40), (80, 24), (60, 20)):
        lines = texts(frame(view(shown, seat=seat), wide, rows)).split("\n")
        assert all(len(line) <= wide for line in lines)
        assert all(line in lines for line in text.split("\n"))  # none is cut
        assert not any("…" in line for line in lines if "│" in line)  # beside the board neither


def test_words_and_letters_decide() -> None:
    asked = at("1:-1:-1:D:3:2:0:7:10", 0)
    own = at("1:1:1:00:0:0:0:0:10", 0)
    for shown, typed, action in ((asked, "t", "take"), (asked, "p", "drop"), (own, "d", "double")):
        assert read_action(typed, shown.legal or (), GAME, shown.position) == action


def test_a_decision_to_roll_is_told_by_its_dice() -> None:
    kinds = [("roll", -1, "52"), ("play", 0, "24/22 13/8"), ("play", 1, "roll"), ("roll", -1, "43")]
    kinds += [("play", 1, "24/20 24/21"), ("play", 0, "double"), ("play", 1, "take")]
    events = [
        parts.Event(seq=ply, kind=kind, ply=ply, seat=seat, action=action)
        for ply, (kind, seat, action) in enumerate(kinds)
    ]
    told = [(move.number, move.text) for move in moves(events)]
    assert told == [(1, "52: 24/22 13/8"), (2, "43: 24/20 24/21"), (3, "double"), (4, "take")]


def test_terms_and_what_a_match_to_points_has_come_to() -> None:
    series = parts.Series(points=7, score=(3, 6), game=4, crawford=True)
    options = parts.Options(points=7, start="nackgammon")
    assert terms_text(options, series) == ["to 7 points", "3 – 6", "Crawford", "nackgammon"]
    assert terms_text(parts.Options(jacoby=True, cube=False)) == ["Jacoby", "no cube"]
    assert series_result_text(series, SEATS, 0) == "3 – 6, to 7 points."
    won = replace(series, score=(3, 8), winner=1)
    assert series_result_text(won, SEATS, 1) == "You have won the match, 3 – 8."
    assert series_result_text(replace(won, conceded=True), SEATS, 0).startswith("bob has won")


def test_who_quits_is_told_what_becomes_of_a_match_to_points() -> None:
    series = parts.Series(points=7, score=(3, 2), game=4)
    room = states.room(GAME.name)
    room = replace(room, series=series, seat=0, match="17.3", state="waiting", seats=SEATS)
    cost = quitting.quitting_cost(room, None, 0, ())
    assert cost is not None
    assert "The match to 7 points against bob is still on." in cost.text
    assert quitting.gives_up_series(room)
    assert "gives up a match" in quitting.leaving_text(room)
    over = replace(room, series=replace(series, winner=1))
    assert quitting.quitting_cost(over, None, 0, ()) is None
    assert not quitting.gives_up_series(replace(room, seat=None))


def test_a_game_that_is_over_tells_the_score_before_its_room_does() -> None:
    before = parts.Series(points=3, score=(0, 0))
    after = replace(before, score=(0, 6), winner=1)
    lost = states.match("tic_tac_toe", "1 5 2 4 9 6", seats=SEATS)
    lost = replace(lost, series=after)
    room = replace(states.room("tic_tac_toe", seats=SEATS, match=lost.match), series=before)
    told = texts(status_lines(view(lost, room=room), lost, None)).split("\n")
    assert told[1] == "bob has won the match, 0 – 6."
    assert "next game" not in "".join(told)
    left = replace(room, series=replace(before, winner=0, conceded=True))
    told = texts(status_lines(view(lost, room=left), lost, None)).split("\n")
    assert told[1].endswith("the other side has given it up.")
