"""Positions as people paste them, of every game, with or without its name."""

from __future__ import annotations

import pytest

from games import registry
from games.game import NotationError
from protocol.reading.positions import MAX_TEXT, read_position

FIRST = "-b----E-C---eE---c-e----B-"
LATER = "-aa---EBB---dDa--c-e----B-"
FOUR = "7/7/7/7/3o3/3x3 x"
ULTIMATE = "2o1o4/oo1xo1ooo/3xo4/x1x1xxx2/x3x2x1/ooooox2o/1xx2x1xx/x4xoo1/o1xo1x1xo o -"


@pytest.mark.parametrize(
    ("text", "xgid"),
    [
        (f"XGID={LATER}:0:0:1:16:0:0:3:0:8", f"{LATER}:0:0:1:61:0:0:3:0:8"),
        (f"XGID={FIRST}:0:0:1:31:0:0:0:0:10 ", f"{FIRST}:0:0:1:31:0:0:0:0:10"),
        (f"  XGID={FIRST}:0:0:1:31:0:0:0:0:10\r", f"{FIRST}:0:0:1:31:0:0:0:0:10"),
        (f"\ufeffxgid = {FIRST} : 0:0:1:31:0:0:0:0:10", f"{FIRST}:0:0:1:31:0:0:0:0:10"),
        (f"{FIRST}:0:0:1:31:0:0:0:31:10", f"{FIRST}:0:0:1:31:0:0:0:31:10"),
        (f"{FIRST}:0:0:1:31:0:0:0:7:12", f"{FIRST}:0:0:1:31:0:0:0:7:10"),
        (f"{FIRST}:0:0:1:31:6:6:1:7:10", f"{FIRST}:0:0:1:31:6:6:0:7:10"),
        (f"{FIRST}:1:0:1:31:0:0:0:7:10", f"{FIRST}:1:0:1:31:0:0:0:7:10"),
        (f"{FIRST}:0:0:-1:d:0:0:0:0:10", f"{FIRST}:0:0:-1:D:0:0:0:0:10"),
        (f"XGID={FIRST}:0:0:1:31:0:0:0:0:10\nX:one   O:two\nScore is X:0 O:0. Unlimited Game",
         f"{FIRST}:0:0:1:31:0:0:0:0:10"),
        (f"see {FIRST}:0:0:1:31:0:0:0:0:10\n{LATER}:0:0:1:16:0:0:3:0:8",
         f"{FIRST}:0:0:1:31:0:0:0:0:10"),
        # What GNU Backgammon 1.07 says of these positions itself.
        ("4HPwATDgc/ABMA", f"{FIRST}:0:0:1:00:0:0:0:0:10"),
        ("4HPwATDgc/ABMA:cAkHAAAAAAAA", f"{FIRST}:0:0:1:61:0:0:1:0:10"),
        ("4OvgATDgc+QBUA:cInpAAAAAAAA", "-b----E-C--AdD---cae----AA:0:0:1:32:0:0:0:7:10"),
        ("4HPkASjg2+ABMA:cAkHAAAAAAAA", f"{LATER}:0:0:1:61:0:0:1:0:10"),
        ("wnPwATDgc/ABMA:cBHgADAAEAAE", "-b----E-C---eE---c-d---aB-:0:0:1:D:2:3:0:7:10"),
        ("wnPwATDgc/ABMA:QQnmADAAEAAE", "-b----E-C---eE---c-d---aB-:1:-1:1:41:2:3:0:7:10"),
        ("4HPwATDgc/ABMA:8InlACAAMAAE", f"{FIRST}:0:0:1:31:6:2:1:7:10"),
        ("4HPwATDgc/ABMA:8InlAGAAMAAE", f"{FIRST}:0:0:1:31:6:6:0:7:10"),
        ("GNUBGID 4HPwATDgc/ABMA:cIkFCAAAAAAE", f"{FIRST}:0:0:1:31:0:0:0:64:10"),
        (" GNU Backgammon  Position ID: 4HPwATDgc/ABMA\n                 Match ID   : cIkFAAAAAAAE",
         f"{FIRST}:0:0:1:31:0:0:0:0:10"),
    ],
)  # fmt: skip
def test_backgammon_is_read_as_programs_and_people_write_it(text: str, xgid: str) -> None:
    position = read_position(text)
    assert (position.game.name, str(position.game.format_position(position))) == (
        "backgammon_cube", f"XGID={xgid}",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "game", "position"),
    [
        ("4453", "connect_four", "7/7/7/7/3o3/2oxx2 x"),
        (" 44 53\n", "connect_four", "7/7/7/7/3o3/2oxx2 x"),
        ("7/7/7/7/3O3/3X3 X", "connect_four", FOUR),
        ("7/7/7/7/3o3/3x3", "connect_four", FOUR),
        (".......\n.......\n.......\n.......\n...o...\n...x...", "connect_four", FOUR),
        ("1111111/7/7/7/...o.../3x3 x", "connect_four", FOUR),
        ("3/1x1/3 o ", "tic_tac_toe", "3/1x1/3 o"),
        ("X.O|...|...", "tic_tac_toe", "x1o/3/3 x"),
        (ULTIMATE.upper(), "ultimate_tic_tac_toe", ULTIMATE),
    ],
)
def test_the_other_games_are_told_apart_by_their_boards(
    text: str, game: str, position: str
) -> None:
    for read in (read_position(text), read_position(text, game)):
        assert (read.game.name, read.game.format_position(read)) == (game, position)


def test_with_its_game_named_a_text_may_be_the_actions_from_the_start() -> None:
    assert "x1o/1o1/2x x" in str(read_position("1 3 9,5", "tic_tac_toe"))
    position = read_position(f"{FIRST}:0:0:1:13:0:0:0:0:10", "backgammon")
    assert position.game.name == "backgammon"
    assert read_position("4HPwATDgc/ABMA", "backgammon").state[52:] == (0, 0, 0)


@pytest.mark.parametrize("name", registry.names())
def test_what_a_game_writes_is_read_as_it_stands(name: str) -> None:
    game = registry.game(name)
    for position in (game.initial(), game.initial().apply(game.initial().legal_actions()[0])):
        assert read_position(game.format_position(position), name) == position


@pytest.mark.parametrize(
    ("text", "game", "why"),
    [
        ("", None, "of no game here: paste an XGID or a GNU Position ID"),
        ("hello", None, "of no game here"),
        ("<script>alert(1)</script>", None, "of no game here"),
        ("x" * (MAX_TEXT + 1), None, "4,000 characters at most, not 4,001"),
        ("4444444", None, "action 7: 4 is not legal in connect_four"),
        ("123456789", "connect_four", "action 8: '8' is no column"),
        ("1 1", "tic_tac_toe", "action 2: 1 is not legal"),
        ("1 2 " * 200, "tic_tac_toe", "400 actions are too many"),
        ("7/7/7/3x3/7/7 o", None, "a stone hangs in the air"),
        ("xxx/ooo/3 x", None, "somebody played on after"),
        ("", "tic_tac_toe", "is no tic-tac-toe position"),
        ("XGID=", None, "is no XGID; one looks like"),
        (f"XGID={FIRST[:-1]}C:0:0:1:31:0:0:0:0:10", None, "X has 18 checkers"),
        (f"XGID={FIRST}:0:0:1:71:0:0:0:0:10", None, "the dice are two digits from 1 to 6"),
        (f"XGID={FIRST}:0:0:1:31:0:0:0:99:10", None, "64 points at most, not to 99"),
        (f"XGID={FIRST}:0:0:1:31:9:0:0:7:10", None, "at 9 to 0 a match to 7 points is over"),
        (f"XGID={FIRST}:1:1:1:31:0:0:0:7:10", "backgammon", "backgammon_cube has both"),
        ("AAAAAAAAAAAAAA", None, "both sides have borne off all their checkers"),
        ("4HPwATDgc/ABMA:cIkFAAAA", None, "of no game here"),
    ],
)  # fmt: skip
def test_what_is_no_position_is_refused_in_a_sentence(
    text: str, game: str | None, why: str
) -> None:
    with pytest.raises(NotationError) as no:
        read_position(text, game)
    assert why in str(no.value)
