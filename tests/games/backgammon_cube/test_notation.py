"""How positions and decisions with the cube are written and read, and what is refused."""

from __future__ import annotations

import pytest

from games import registry
from games.game import CHANCE, END, IllegalAction, MatchTerms, NotationError

GAME = registry.game("backgammon_cube")
START = "-b----E-C---eE---c-e----B-"
LATER = "-bA---D-C---eE---c-e----B-"


@pytest.mark.parametrize(
    "text",
    [
        # From eXtreme Gammon's help: O has rolled 63 at 0 to 0 of 3 points, X owns a cube of 2.
        "XGID=-a-B--E-B-a-dDB--b-bcb----:1:1:-1:63:0:0:0:3:8",
        f"XGID={LATER}:0:0:-1:00:0:0:0:0:10",
        f"XGID={LATER}:0:0:-1:--:0:0:0:0:10",
        f"XGID={LATER}:0:0:-1:D:0:0:0:0:10",
        f"XGID={LATER}:0:0:-1:DD:0:0:0:0:10",
        f"XGID={LATER}:1:-1:-1:D:3:2:0:7:10",
        f"XGID={LATER}:0:0:-1:B:0:0:2:0:10",
        f"XGID={LATER}:0:0:-1:BD:0:0:3:0:10",
        f"XGID={LATER}:0:0:-1:R:0:0:2:0:10",
        f"XGID={LATER}:0:0:-1:RD:0:0:2:0:10",
        f"XGID={LATER}:0:0:1:52:4:6:1:7:10",
        f"XGID={LATER}:0:0:1:52:6:6:0:7:10",
        f"XGID={LATER}:0:0:1:52:13:8:0:0:10",  # a session of money
        f"XGID={LATER}:2:0:1:52:0:0:1:0:10",  # after automatic doubles
        f"XGID={LATER}:1:0:1:52:0:0:0:7:10",  # as others write one, though no match comes to it
        f"XGID={LATER}:0:0:1:52:0:0:0:64:10",
        f"XGID={START}:0:0:0:00:0:0:0:25:10",
        f"XGID={START}:0:0:0:00:0:0:0:0:0",  # without the cube
        f"XGID=-aaa{'-' * 18}AAA-:0:0:0:00:0:0:0:3:10:3",
    ],
)
def test_a_position_is_written_as_it_is_read(text: str) -> None:
    p = GAME.parse_position(text)
    assert GAME.format_position(p) == text
    assert GAME.parse_position(text.removeprefix("XGID=")) == p


def test_the_dice_field_says_who_answers_what() -> None:
    asked = {
        dice: GAME.parse_position(f"XGID={LATER}:0:0:-1:{dice}:0:0:2:0:10")
        for dice in ("00", "--", "D", "B", "R", "DD", "BD", "RD")
    }
    movers = {dice: p.to_move for dice, p in asked.items()}
    assert movers == {
        "00": 1, "--": CHANCE, "D": 0, "B": 1, "R": 0, "DD": END, "BD": END, "RD": END,
    }  # fmt: skip
    lost = {dice: p.outcome().returns[0] for dice, p in asked.items() if p.to_move == END}  # type: ignore[union-attr]
    assert lost == {"DD": -1.0, "BD": 2.0, "RD": -4.0}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"{LATER}:0:0:-1:00:7:2:0:7:10", "at 7 to 2 a match to 7 points is over"),
        (f"{LATER}:0:0:-1:00:0:9:0:7:10", "at 0 to 9 a match to 7 points is over"),
        (f"{LATER}:0:0:-1:00:5:2:1:7:10", "nobody lacks one point of 7"),
        (f"{LATER}:0:0:-1:00:6:6:1:7:10", "the Crawford game is over"),
        (f"{LATER}:0:0:-1:00:0:0:2:7:10", "in a match the eighth field is 1 in the Crawford game"),
        (f"{LATER}:0:0:-1:00:0:0:4:0:10", "1 for Jacoby, 2 for beavers, 3 for both"),
        (f"{LATER}:0:0:-1:00:0:0:0:99:10", "a match is to 64 points at most, not to 99"),
        (f"{LATER}:0:0:-1:00:1000:0:0:0:10", "a score of money has 999 points at most"),
        (f"{LATER}:0:1:-1:00:0:0:0:0:10", "X owns the cube, so somebody has doubled"),
        (f"{LATER}:4:1:-1:00:0:0:0:0:3", "the cube is 16, and it goes up to 8"),
        (f"{LATER}:4:1:-1:00:0:0:0:0:11", "the largest cube is"),
        (f"{LATER}:1:1:-1:00:6:2:1:7:10", "nobody doubles in the Crawford game"),
        (f"{LATER}:0:0:-1:D:6:2:1:7:10", "nobody doubles in the Crawford game"),
        (f"{LATER}:0:0:-1:--:6:2:1:7:10", "nobody doubles in the Crawford game"),
        (f"{LATER}:1:1:-1:D:0:0:0:0:10", "X owns the cube, so there is no double of O's"),
        (f"{LATER}:1:1:-1:--:0:0:0:0:10", "there is no roll instead of a double of O's"),
        (f"{LATER}:3:-1:-1:D:0:0:0:0:3", "the cube goes up to 8, so there is no double"),
        (f"{LATER}:0:0:-1:B:0:0:0:0:10", "a beaver is for games of money with beavers"),
        (f"{LATER}:0:0:-1:R:0:0:0:7:10", "a raccoon is for games of money with beavers"),
        (f"{START}:1:1:0:00:0:0:0:0:10", "nobody doubles before the opening roll"),
        (f"{LATER}:0:0:0:00:0:0:0:0:10", "the opening roll is made from the start"),
        (f"{START}:0:0:0:D:0:0:0:0:10", "the opening roll is made from the start"),
        (f"a{'-' * 25}:0:0:-1:D:0:0:0:0:10", "X has won, so it would be O's turn to roll"),
        (f"{LATER}:0:2:-1:00:0:0:0:0:10", "in the middle"),
        (f"{LATER}:0:0:-1:X:0:0:0:0:10", "is no XGID"),
        (f"{LATER}:0:0:-1:BR:0:0:0:0:10", "D, B or R for an offer"),
        (f"{LATER}:0:0:-1:00:0:0:0:0:10:3", "X has 15 checkers, and there are 3"),
        (f"{LATER}:00:0:-1:00:0:0:0:0:10", "is no XGID"),
        (f"{LATER}:0:0:2:00:0:0:0:0:10", "the turn is 1 for X, -1 for O"),
        (f"{LATER}:0:0:1:12:0:0:0:0:10", "of the dice the larger comes first: 21"),
    ],
)
def test_an_xgid_that_contradicts_itself_is_refused_in_a_sentence(text: str, why: str) -> None:
    with pytest.raises(NotationError) as no:
        GAME.parse_position(text)
    assert why in str(no.value)


@pytest.mark.parametrize(
    ("dice", "text", "action"),
    [
        ("00", "Double", "double"),
        ("00", " redouble ", "double"),
        ("00", "r", "roll"),
        ("D", "accept", "take"),
        ("D", "pass", "drop"),
        ("D", "BEAVER", "beaver"),
        ("B", "raccoon", "raccoon"),
        ("R", "t", "take"),
    ],
)
def test_a_decision_is_read_however_it_is_usually_written(
    dice: str, text: str, action: str
) -> None:
    p = GAME.parse_position(f"XGID={LATER}:0:0:-1:{dice}:0:0:2:0:10")
    assert GAME.format_action(p, GAME.parse_action(p, text)) == action


@pytest.mark.parametrize(
    ("position", "text", "why"),
    [
        (":0:0:-1:31:0:0:0:0:10", "double", "the dice have fallen, and one doubles before"),
        (":1:1:-1:31:0:0:0:0:10", "double", "the other side owns the cube"),
        (":0:0:-1:31:6:0:1:7:10", "double", "this is the Crawford game"),
        (":0:0:-1:31:0:0:0:0:0", "double", "this game is played without the cube"),
        (":10:-1:-1:31:0:0:0:0:10", "double", "the cube goes up to 1024"),
        (":0:0:-1:31:0:0:0:0:10", "take", "nobody has doubled"),
        (":0:0:-1:31:0:0:0:0:10", "roll", "the dice have fallen"),
        (":0:0:-1:00:0:0:0:0:10", "drop", "nobody has doubled"),
        (":0:0:-1:00:0:0:0:0:10", "8/5 6/5", "roll first, or double"),
        (":0:0:-1:D:0:0:0:0:10", "roll", "the double has to be answered first"),
        (":0:0:-1:D:0:0:0:0:10", "8/5 6/5", "the offer has to be answered first"),
        (":0:0:-1:D:0:0:0:0:10", "beaver", "this game is played without beavers"),
        (":0:0:-1:D:0:0:0:7:10", "beaver", "a beaver is for games of money"),
        (":9:-1:-1:D:0:0:2:0:10", "beaver", "the cube goes up to 1024"),
        (":0:0:-1:D:0:0:2:0:10", "raccoon", "a raccoon answers a beaver"),
        (":0:0:-1:B:0:0:2:0:10", "beaver", "the answer to a beaver is a raccoon"),
        (":0:0:-1:R:0:0:2:0:10", "beaver", "a raccoon is taken or dropped"),
        (":0:0:-1:DD:0:0:2:0:10", "take", "the game is over"),
    ],
)
def test_a_decision_out_of_turn_is_refused_with_what_is_in_the_way(
    position: str, text: str, why: str
) -> None:
    p = GAME.parse_position(f"XGID={LATER}{position}")
    with pytest.raises(IllegalAction) as no:
        GAME.parse_action(p, text)
    assert why in no.value.why


def test_what_is_no_decision_is_answered_with_those_there_are() -> None:
    p = GAME.parse_position(f"XGID={LATER}:0:0:-1:D:0:0:2:0:10")
    with pytest.raises(NotationError, match="'take' or 'drop' or 'beaver'"):
        GAME.parse_action(p, "maybe")


def test_the_drawing_shows_cube_score_and_who_is_asked() -> None:
    p = GAME.parse_position(f"XGID={LATER}:1:-1:-1:D:3:2:0:7:10")
    rows = GAME.draw(p, 0).split("\n")
    assert rows[0].endswith("2 of 7")
    assert rows[12].endswith("3 of 7")
    assert rows[3].endswith("cube 2")
    assert rows[6].endswith("O doubles: 4")
    assert GAME.draw(p, 1).split("\n")[9].endswith("cube 2")
    crawford = GAME.initial(MatchTerms(points=3, score=(0, 2), crawford=True))
    assert "Crawford game" in GAME.draw(crawford)
    dropped = GAME.parse_position(f"XGID={LATER}:0:0:-1:DD:0:0:0:0:10")
    assert "O wins: drop" in GAME.draw(dropped, over=True)
