"""Positions as XGID and as GNU Backgammon's Position ID, and those that cannot be."""

from __future__ import annotations

import base64
import random

import pytest

from games import registry
from games.backgammon.positions import parse_position_id
from games.game import CHANCE, END, NotationError, Outcome, Position
from tests.games.backgammon.brute import random_board, state
from tests.games.backgammon.pictures import drawn, turned

GAME = registry.game("backgammon")
START = "-b----E-C---eE---c-e----B-"
MONEY = "0:0:0:0:10"
START_ID = "4HPwATDgc/ABMA"

# As GNU Backgammon writes them, with X or O on roll.
PAIRS = (
    (f"XGID={START}:0:0:1:00:{MONEY}", "4HPwATDgc/ABMA"),
    (f"XGID={START}:0:0:-1:00:{MONEY}", "4HPwATDgc/ABMA"),
    (f"XGID=-A-B--A---------------d---:0:0:1:00:{MONEY}", "PAAAICMAAAAAAA"),
    (f"XGID=---D---------------a--b-a-:0:0:-1:00:{MONEY}", "PAAAICMAAAAAAA"),
    (f"XGID=-a-a--E-C---dE---d-e----B-:0:0:1:00:{MONEY}", "4PPgASTgc/ABMA"),
    (f"XGID=-BDB-------------a------e-:0:0:-1:00:{MONEY}", "ewMAAD4gAAAAAA"),
)


def test_an_xgid_shows_the_board_from_seat_0_whoever_plays() -> None:
    p = drawn(
        """
        x5  .  .  . o3  . | o4  .  .  .  . x1
        o5  .  .  . x3  . | x4  .  .  .  . o1
        bar x1 o2
        """,
        63,
    )
    assert GAME.format_position(p) == f"XGID=ba----D-C---eE---c-d----AA:0:0:1:63:{MONEY}"
    assert GAME.format_position(turned(p)) == f"XGID=aa----D-C---eE---c-d----AB:0:0:-1:63:{MONEY}"
    assert p.state[0] == 1


def test_the_opening_roll_has_a_turn_of_its_own_and_the_prefix_may_be_left_out() -> None:
    text, start = f"XGID={START}:0:0:0:00:{MONEY}", GAME.initial()
    assert GAME.format_position(start) == text
    assert GAME.parse_position(text) == GAME.parse_position(text.removeprefix("XGID=")) == start
    assert GAME.format_position(start.apply(31)) == f"XGID={START}:0:0:1:31:{MONEY}"
    assert GAME.format_position(start.apply(13)) == f"XGID={START}:0:0:-1:31:{MONEY}"


@pytest.mark.parametrize(
    ("text", "returns", "reason"),
    [
        (f"XGID=-------------------------A:0:0:1:00:{MONEY}", -1.0, "single"),
        (f"XGID=a-------------------------:0:0:-1:00:{MONEY}", 1.0, "single"),
        (f"XGID=------O-------------------:0:0:1:00:{MONEY}", -2.0, "gammon"),
        (f"XGID=--a----------------n------:0:0:-1:00:{MONEY}", 3.0, "backgammon"),
    ],
)
def test_a_game_that_is_over_is_a_position(text: str, returns: float, reason: str) -> None:
    p = GAME.parse_position(text)
    assert p.to_move == END
    assert p.outcome() == Outcome((returns, -returns), reason)
    assert GAME.format_position(p) == text


def test_positions_of_every_kind_survive_their_notation() -> None:
    rng = random.Random(6)
    for seat in (0, 1) * 100:
        dice = rng.choice(((0, 0), (rng.randint(1, 6), rng.randint(1, 6))))
        p = Position(GAME, tuple(state(random_board(rng), dice, seat)))
        assert GAME.parse_position(GAME.format_position(p)) == p


@pytest.mark.parametrize(
    ("board", "turn", "dice", "complaint"),
    [
        ("-b----E-C---eE---c-e----C-", "1", "31", "X has 16 checkers, and there are 15"),
        ("qb----E-C---eE---c-e----B-", "1", "31", "O has 32 checkers, and there are 15"),
        ("-" * 26, "1", "00", "both sides have borne off all their checkers"),
        ("Ab----E-C---eE---c-e----A-", "1", "31",
         "the first place is O's bar, the last one is X's"),
        ("-b----E-C---eE---c-d----Ba", "1", "31",
         "the first place is O's bar, the last one is X's"),
        (START, "2", "31", "the turn is 1 for X, -1 for O, 0 for the opening roll"),
        (START, "-0", "31", "the turn is 1 for X, -1 for O, 0 for the opening roll"),
        (START, "1", "71", "the dice are two digits from 1 to 6, or 00"),
        (START, "1", "30", "the dice are two digits from 1 to 6, or 00"),
        (START, "1", "3", "the dice are two digits from 1 to 6, or 00"),
        (START, "1", "D", "the dice are two digits from 1 to 6, or 00"),
        (START, "1", "13", "of the dice the larger comes first: 31"),
        (START, "0", "31", "the opening roll is made from the start, with the dice still 00"),
        ("-b----E-C---eE---c-e---B--", "0", "00",
         "the opening roll is made from the start, with the dice still 00"),
        ("a" + "-" * 25, "1", "00", "X has won, so it would be O's turn to roll"),
        ("a" + "-" * 25, "-1", "31", "X has won, so it would be O's turn to roll"),
        ("-" * 25 + "A", "0", "00", "O has won, so it would be X's turn to roll"),
    ],
)  # fmt: skip
def test_a_position_that_cannot_be_is_refused(
    board: str, turn: str, dice: str, complaint: str
) -> None:
    text = f"XGID={board}:0:0:{turn}:{dice}:{MONEY}"
    with pytest.raises(NotationError) as caught:
        GAME.parse_position(text)
    assert str(caught.value) == f"{text!r}: {complaint}"


@pytest.mark.parametrize(
    ("cube", "score"), [("1:0", MONEY), ("0:1", MONEY), ("0:0", "1:0:0:5:10"), ("0:0", "0:0:1:0:8")]
)
def test_there_is_no_cube_and_no_match_score(cube: str, score: str) -> None:
    with pytest.raises(NotationError, match="a game here has no cube and no score"):
        GAME.parse_position(f"XGID={START}:{cube}:1:31:{score}")


@pytest.mark.parametrize(
    "text",
    [
        "", "XGID=", START, f"XGID=XGID={START}:0:0:1:31:{MONEY}", f"xgid={START}:0:0:1:31:{MONEY}",
        f"XGID={START[:-1]}:0:0:1:31:{MONEY}", f"XGID={START}:0:0:1:31:{MONEY}\n",
        f"XGID={START}:0:0:1:31:0:0:0:0", f"XGID={START}:0:0:١:31:{MONEY}", "4HPwATDgc/ABMA",
    ],
)  # fmt: skip
def test_what_has_not_its_form_is_no_xgid(text: str) -> None:
    with pytest.raises(NotationError, match=r"is no XGID; one looks like 'XGID=-b----E-C---"):
        GAME.parse_position(text)


@pytest.mark.parametrize(("xgid", "position_id"), PAIRS)
def test_a_position_id_is_the_board_as_who_rolls_next_sees_it(xgid: str, position_id: str) -> None:
    p = GAME.parse_position(xgid)
    assert p.to_move == CHANCE
    seat = p.state[52]
    assert parse_position_id(position_id, seat) == p.state
    assert parse_position_id(f"{position_id}:cAkAAAAAAAAA", seat) == p.state
    if seat == 0:
        assert parse_position_id(position_id) == p.state


def test_every_board_is_read_from_its_position_id() -> None:
    rng = random.Random(7)
    for seat in (0, 1) * 50:
        p = Position(GAME, tuple(state(random_board(rng), (0, 0), seat)))
        assert parse_position_id(position_id(p.state, seat), seat) == p.state


def position_id(s: tuple[int, ...], seat: int) -> str:
    """The 80 bits by the book: of who waits, then of who rolls, ones and a nought a point."""
    bits = "".join("1" * s[26 * who + point] + "0" for who in (1 - seat, seat) for point in POINTS)
    numbers = [int(bits.ljust(80, "0")[i : i + 8][::-1], 2) for i in range(0, 80, 8)]
    return base64.b64encode(bytes(numbers)).decode().rstrip("=")


POINTS = range(1, 26)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        *(
            (text, " is no Position ID; one looks like '4HPwATDgc/ABMA'")
            for text in ("", "4HPwATDgc/ABM", "4HPwATDgc/ABMB", "4HPwATDgc-ABMA", f"{START_ID}:cAk")
        ),
        ("/////////////w", " has too many checkers, or some beyond the bar"),
        ("AAAAAAAAAAAAgA", " has too many checkers, or some beyond the bar"),
        ("AP//AAAAAAAAAA", ": O has 16 checkers, and there are 15"),
        ("AAAAAAAAAAAAAA", ": both sides have borne off all their checkers"),
    ],
)
def test_a_broken_position_id_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_position_id(text)
    assert str(caught.value) == repr(text) + complaint


def test_a_position_id_with_both_sides_on_a_point_is_refused() -> None:
    s = [0] * 55
    s[1], s[26 + 24] = 2, 2
    with pytest.raises(NotationError, match="both sides have checkers on X's point 1"):
        parse_position_id(position_id(tuple(s), 0))
