"""Ultimate tic-tac-toe: each rule with its picture, a second set of rules, notation, tactics."""

from __future__ import annotations

import math
import random
from functools import cache

import pytest

from games import registry
from games.game import END, IllegalAction, NotationError, Outcome, Position
from games.ultimate_tic_tac_toe.rules import has_line
from games.ultimate_tic_tac_toe.tactics import threats
from tests.games import slow_ultimate as slow
from tests.games.walks import Walk, walk

GAME = registry.game("ultimate_tic_tac_toe")


def play(actions: str) -> Position:
    """The position after these actions."""
    position = GAME.initial()
    for action in actions.split():
        position = position.apply(GAME.parse_action(position, action))
    return position


@cache
def games() -> list[Walk]:
    rng = random.Random(21)
    return [walk(GAME, rng) for _ in range(40)]


def drawn(picture: str) -> str:
    """A picture as it stands in a test, without the indentation."""
    return "\n".join(line[4:] for line in picture.strip("\n").split("\n")).rstrip()


# The rules, one after the other.


def test_the_first_move_may_be_anywhere() -> None:
    assert GAME.draw(GAME.initial()) == drawn("""
    ┌─[1]──────────┬─[2]──────────┬─[3]──────────┐
    │  11  12  13  │  21  22  23  │  31  32  33  │
    │  14  15  16  │  24  25  26  │  34  35  36  │
    │  17  18  19  │  27  28  29  │  37  38  39  │
    ├─[4]──────────┼─[5]──────────┼─[6]──────────┤
    │  41  42  43  │  51  52  53  │  61  62  63  │
    │  44  45  46  │  54  55  56  │  64  65  66  │
    │  47  48  49  │  57  58  59  │  67  68  69  │
    ├─[7]──────────┼─[8]──────────┼─[9]──────────┤
    │  71  72  73  │  81  82  83  │  91  92  93  │
    │  74  75  76  │  84  85  86  │  94  95  96  │
    │  77  78  79  │  87  88  89  │  97  98  99  │
    └──────────────┴──────────────┴──────────────┘
      to play on any of 1 2 3 4 5 6 7 8 9
    """)
    assert GAME.initial().legal_actions() == tuple(range(81))


def test_a_cell_sends_the_opponent_to_the_board_of_its_number() -> None:
    p = play("51 19")
    assert GAME.draw(p) == drawn("""
    ┌─ 1 ──────────┬─ 2 ──────────┬─ 3 ──────────┐
    │   ·   ·   ·  │   ·   ·   ·  │   ·   ·   ·  │
    │   ·   ·   ·  │   ·   ·   ·  │   ·   ·   ·  │
    │   ·   ·   O  │   ·   ·   ·  │   ·   ·   ·  │
    ├─ 4 ──────────┼─ 5 ──────────┼─ 6 ──────────┤
    │   ·   ·   ·  │   X   ·   ·  │   ·   ·   ·  │
    │   ·   ·   ·  │   ·   ·   ·  │   ·   ·   ·  │
    │   ·   ·   ·  │   ·   ·   ·  │   ·   ·   ·  │
    ├─ 7 ──────────┼─ 8 ──────────┼─[9]──────────┤
    │   ·   ·   ·  │   ·   ·   ·  │  91  92  93  │
    │   ·   ·   ·  │   ·   ·   ·  │  94  95  96  │
    │   ·   ·   ·  │   ·   ·   ·  │  97  98  99  │
    └──────────────┴──────────────┴──────────────┘
      to play on board 9
    """)
    assert p.legal_notation() == ("91", "92", "93", "94", "95", "96", "97", "98", "99")
    for elsewhere in ("12", "81", "51"):
        with pytest.raises(IllegalAction, match="9/9/2o6/3x5/9/9/9/9/9 x 9"):
            p.apply(GAME.parse_action(p, elsewhere))


def test_the_cell_of_its_own_number_sends_to_the_same_board_where_it_is_taken() -> None:
    assert play("55").legal_notation() == ("51", "52", "53", "54", "56", "57", "58", "59")


def test_who_is_sent_to_a_board_that_is_won_may_choose_any_open_one() -> None:
    p = play("51 15 52 25 53 35")
    assert GAME.draw(p) == drawn("""
    ┌─[1]──────────┬─[2]──────────┬─[3]──────────┐
    │  11  12  13  │  21  22  23  │  31  32  33  │
    │  14   O  16  │  24   O  26  │  34   O  36  │
    │  17  18  19  │  27  28  29  │  37  38  39  │
    ├─[4]──────────┼─ 5 ──────────┼─[6]──────────┤
    │  41  42  43  │  XX      XX  │  61  62  63  │
    │  44  45  46  │      XX      │  64  65  66  │
    │  47  48  49  │  XX      XX  │  67  68  69  │
    ├─[7]──────────┼─[8]──────────┼─[9]──────────┤
    │  71  72  73  │  81  82  83  │  91  92  93  │
    │  74  75  76  │  84  85  86  │  94  95  96  │
    │  77  78  79  │  87  88  89  │  97  98  99  │
    └──────────────┴──────────────┴──────────────┘
      to play on any of 1 2 3 4 6 7 8 9
    """)
    assert len(p.legal_actions()) == 81 - 9 - 3
    assert not [a for a in p.legal_notation() if a[0] == "5"], "six cells are free, none is open"


def test_a_move_that_wins_the_board_it_sends_to_lets_the_opponent_choose() -> None:
    p = play("51 15 59 95 55")
    assert {a[0] for a in p.legal_notation()} == set("12346789")


def test_a_full_board_that_nobody_has_won_is_closed_and_nobody_s() -> None:
    p = play(
        "37 79 91 13 31 17 73 39 92 23 33 34 42 29 93 35 "
        "55 53 38 84 43 32 27 71 19 15 58 83 36 66 63"
    )
    assert GAME.draw(p) == drawn("""
    ┌─ 1 ──────────┬─[2]──────────┬─ 3 ──────────┐
    │    OOOOOO    │  21  22   O  │   X   O   X  │
    │  OO      OO  │  24  25  26  │   O   O   X  │
    │    OOOOOO    │   X  28   O  │   X   X   O  │
    ├─[4]──────────┼─[5]──────────┼─[6]──────────┤
    │  41   X   X  │  51  52   O  │  61  62   X  │
    │  44  45  46  │  54   X  56  │  64  65   O  │
    │  47  48  49  │  57   X  59  │  67  68  69  │
    ├─[7]──────────┼─[8]──────────┼─ 9 ──────────┤
    │   O  72   X  │  81  82   O  │  XX      XX  │
    │  74  75  76  │   O  85  86  │      XX      │
    │  77  78   O  │  87  88  89  │  XX      XX  │
    └──────────────┴──────────────┴──────────────┘
      to play on any of 2 4 5 6 7 8
    """)
    assert p.state[9] == 0b1 << 9 | 0b100_000_000, "O has board 1 and X board 9"


def test_three_in_a_row_on_the_last_cell_of_a_board_win_it() -> None:
    end = play("35 53 39 91 11 12 29 99 93 34 49 95 58 86 68 89 38 83 33 36 63 32 23 37 73 31")
    assert (end.state[2] | end.state[2] >> 9) & 0b111_111_111 == 0b111_111_111
    assert end.state[9] == 0b110_000_100 << 9, "O has boards 3, 8 and 9"


WINS = [
    ("23 31 12 27 73 33 34 43 36 63 35 51 15 52 26 62 29 91 18", "X", "123"),
    ("47 74 48 84 49 94 53 35 55 56 68 85 57 76 69 96 67", "X", "456"),
    ("91 19 94 49 97 78 89 47 72 28 87 79 88 15 56 67 71 17 73", "X", "789"),
    ("17 77 76 61 14 41 11 28 82 24 46 64 43 34 49 97 74 37 75", "X", "147"),
    ("83 32 27 75 51 12 29 92 28 82 53 35 52 15 87 78 85", "X", "258"),
    ("98 83 33 36 68 86 62 26 65 59 97 79 99 73 31 13 32", "X", "369"),
    ("57 79 99 91 16 61 13 31 19 95 55 59 98 89 97 75 53", "X", "159"),
    ("32 27 77 73 35 53 38 87 78 85 55 57 79 95 51 15 59", "X", "357"),
    ("61 17 73 34 43 37 72 28 83 31 19 98 82 22 21 13 92 25 51 15", "O", "123"),
    ("78 87 75 55 58 85 52 23 38 83 32 21 12 22 65 51 15 59", "O", "258"),
    ("99 92 21 12 29 95 59 98 85 58 81 13 31 11 49 55 51 52", "O", "159"),
    ("27 75 57 78 87 72 23 31 19 99 93 37 83 34 45 53 17 51 15 52", "O", "357"),
]


@pytest.mark.parametrize(("actions", "side", "boards"), WINS)
def test_three_boards_in_a_row_win(actions: str, side: str, boards: str) -> None:
    assert play(actions[:-3]).outcome() is None
    end = play(actions)
    points = 1.0 if side == "X" else -1.0
    assert end.outcome() == Outcome((points, -points), "line")
    assert end.to_move == END
    assert end.legal_actions() == ()
    large = end.state[9] >> 9 * GAME.seats.index(side)
    assert all(large >> int(board) - 1 & 1 for board in boards)


def test_when_all_boards_are_closed_without_a_line_it_is_a_draw() -> None:
    end = play(
        "87 73 31 14 41 18 89 98 88 16 61 15 56 66 68 65 54 46 62 25 "
        "55 64 44 45 27 76 47 79 91 92 29 95 22 26 32 24 39 36 35"
    )
    assert GAME.draw(end) == drawn("""
    ┌─ 1 ──────────┬─ 2 ──────────┬─ 3 ──────────┐
    │    OOOOOO    │    OOOOOO    │  XX      XX  │
    │  OO      OO  │  OO      OO  │      XX      │
    │    OOOOOO    │    OOOOOO    │  XX      XX  │
    ├─ 4 ──────────┼─ 5 ──────────┼─ 6 ──────────┤
    │  XX      XX  │  XX      XX  │    OOOOOO    │
    │      XX      │      XX      │  OO      OO  │
    │  XX      XX  │  XX      XX  │    OOOOOO    │
    ├─ 7 ──────────┼─ 8 ──────────┼─ 9 ──────────┤
    │    OOOOOO    │  XX      XX  │    OOOOOO    │
    │  OO      OO  │      XX      │  OO      OO  │
    │    OOOOOO    │  XX      XX  │    OOOOOO    │
    └──────────────┴──────────────┴──────────────┘
    """)
    assert end.outcome() == Outcome((0.0, 0.0), "full")
    assert end.legal_actions() == ()


def test_three_in_a_row_that_close_the_last_board_win() -> None:
    end = play(
        "97 78 85 54 41 16 65 56 61 15 51 12 23 36 69 96 93 39 "
        "95 55 38 83 35 33 42 24 43 13 21 19 22 75 84 88 86 72"
    )
    assert (end.state[9] | end.state[9] >> 9) & 0b111_111_111 == 0b111_111_111
    assert end.outcome() == Outcome((-1.0, 1.0), "line")


def test_a_second_set_of_rules_agrees_along_random_games() -> None:
    results = set()
    for game in games()[:20]:
        moves: list[slow.Move] = []
        for p, action in zip(game.positions, (*game.actions, None), strict=True):
            allowed = slow.legal(moves)
            assert p.legal_notation() == tuple(map(slow.written, allowed)), p
            result = slow.result(moves)
            assert p.to_move == (END if result else len(moves) % 2)
            if action is not None:
                moves.append(allowed[p.legal_actions().index(action)])
        expected = {"X": (1.0, "line"), "O": (-1.0, "line"), "draw": (0.0, "full")}[result]
        outcome = p.outcome()
        assert outcome is not None
        assert (outcome.returns[0], outcome.reason) == expected
        results.add(result)
    assert results == {"X", "O", "draw"}


# Notation.


@pytest.mark.parametrize(
    ("actions", "text"),
    [
        ("", "9/9/9/9/9/9/9/9/9 x -"),
        ("51", "9/9/9/3x5/9/9/9/9/9 o 1"),
        ("12 29 94", "1x7/9/5o3/9/9/9/9/6x2/9 o 4"),
        ("51 15 52 25 53", "9/1o2o4/9/3xxx3/9/9/9/9/9 o 3"),
        ("51 15 52 25 53 35", "9/1o2o2o1/9/3xxx3/9/9/9/9/9 x -"),
        (
            "57 79 99 91 16 61 13 31 19 95 55 59 98 89 97 75 53",
            "2x3o2/2x6/2x6/5xo2/4x4/3x1o3/6o2/1o5o1/2o2oxxx o -",
        ),
    ],
)
def test_a_position_is_the_whole_picture_the_side_and_its_board(actions: str, text: str) -> None:
    assert GAME.format_position(play(actions)) == text
    assert GAME.parse_position(text) == play(actions)


def test_every_position_that_is_played_is_read() -> None:
    for game in games()[:15]:
        for p in game.positions:
            assert GAME.parse_position(GAME.format_position(p)) == p


@pytest.mark.parametrize("text", ["0", "5", "10", "01", "5 5", "111", "", "٣٣", "ab"])
def test_an_action_is_two_digits_from_1_to_9(text: str) -> None:
    with pytest.raises(NotationError, match="a place is two digits from 1 to 9"):
        GAME.parse_action(GAME.initial(), text)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("9/9/9/9/9/9/9/9 x -", "is no ultimate tic-tac-toe position; one looks like"),
        ("9/9/9/9/9/9/9/9/9/9 x -", "is no ultimate tic-tac-toe position"),
        ("9/9/9/9/9/9/9/9/8 x -", "is no ultimate tic-tac-toe position"),
        ("9/9/9/9/9/9/9/9/9x x -", "is no ultimate tic-tac-toe position"),
        ("9/9/9/9/4y4/9/9/9/9 o 5", "is no ultimate tic-tac-toe position"),
        ("9/9/9/9/4X4/9/9/9/9 o 5", "is no ultimate tic-tac-toe position"),
        ("9/9/9/9/9/9/9/9/9 x", "is no ultimate tic-tac-toe position"),
        ("9/9/9/9/9/9/9/9/9 - x", "is no ultimate tic-tac-toe position"),
        ("9/9/9/9/9/9/9/9/9 x 0", "is no ultimate tic-tac-toe position"),
        ("9/9/9/9/9/9/9/9/9 x  -", "is no ultimate tic-tac-toe position"),
        ("9/9/9/9/9/9/9/9/9 x -\n", "is no ultimate tic-tac-toe position"),
        ("9/9/9/9/9/9/9/9/45 x -", "is written '9/9/9/9/9/9/9/9/9 x -'"),
        ("9/9/9/3x41/9/9/9/9/9 o 1", "is written '9/9/9/3x5/9/9/9/9/9 o 1'"),
        ("9/9/9/9/9/9/9/9/9 o -", "X moves first and the sides alternate"),
        ("9/9/9/3x5/9/9/9/9/9 x 1", "X moves first and the sides alternate"),
        ("9/9/9/3o5/9/9/9/9/9 o 1", "X moves first and the sides alternate"),
        ("9/9/9/3xx4/9/9/9/9/9 x 1", "X moves first and the sides alternate"),
        ("xxx6/ooo6/9/9/9/9/9/9/9 x -", "played on after three in a row on board 1"),
        (
            "9/9/9/3xxx3/3xxx3/9/oo2oo3/oo7/9 x 1",
            "somebody played on after three in a row on board 5",
        ),
        (
            "xxx6/3xxx3/6xxx/ooo6/3ooo3/6ooo/9/9/9 x -",
            "somebody played on after three boards in a row",
        ),
        ("9/9/9/9/9/9/9/9/9 x 5", "after no last move would X have to play on board 5"),
        ("9/9/9/3x5/9/9/9/9/9 o 5", "after no last move would O have to play on board 5"),
        ("9/9/9/3x5/9/9/9/9/9 o -", "after no last move would O choose its board"),
        (
            "9/1o2o2o1/9/3xxx3/9/9/9/9/9 x 5",
            "after no last move would X have to play on board 5",
        ),
        (
            "2x3o2/2x6/2x6/5xo2/4x4/3x1o3/6o2/1o5o1/2o2oxxx o 3",
            "after no last move would O have to play on board 3",
        ),
        (
            "2x3o2/2x6/2x6/5xo2/4x4/3x1o3/6o2/1o5o1/o1o2oxxx x -",
            "after no last move would X choose its board",
        ),
        ("x8/9/9/9/9/9/9/9/8o x 9", "O was sent to board 1 and played elsewhere"),
        ("2x6/9/9/9/9/8o/9/6x2/9 o 4", "O was sent to board 3 and played elsewhere"),
        ("xo7/6x2/9/9/9/9/9/9/9 o 4", "X was sent to board 2 and played elsewhere"),
    ],
)
def test_a_wrong_position_is_told_what_is_wrong_with_it(text: str, complaint: str) -> None:
    with pytest.raises(NotationError) as caught:
        GAME.parse_position(text)
    assert complaint in str(caught.value)
    assert repr(text) in str(caught.value)


# What the searches ask.


def test_a_threat_completes_one_of_eight_lines() -> None:
    lines = [sum(1 << 3 * y + x for y, x in line) for line in slow.LINES]
    for stones in range(2**9):
        assert has_line(stones) == has_line(stones | 0o777 << 9) == _lined(stones, lines)
        found = sum(1 << c for c in range(9) if _lined(stones | 1 << c, lines, through=1 << c))
        assert threats(stones) == threats(stones | 0o777 << 9) == found


def _lined(stones: int, lines: list[int], through: int = 0) -> bool:
    return any(stones & line == line and line & through == through for line in lines)


def _wins(p: Position) -> list[int]:
    seat = p.to_move
    ends = [(a, p.apply(a).outcome()) for a in p.legal_actions()]
    return [a for a, end in ends if end is not None and end.returns[seat] > 0]


def test_tactic_wins_else_avoids_what_loses_at_once() -> None:
    assert GAME.tactic is not None
    out, kinds = [0] * 81, set()
    for game in games():
        for p in game.positions[-14:-1]:
            wins = _wins(p)
            safe = [a for a in p.legal_actions() if not _wins(p.apply(a))]
            forced = safe if len(safe) < len(p.legal_actions()) else []
            n = GAME.tactic(list(p.state), out, [])
            assert out[:n] == (wins or forced), p
            kinds.add("win" if wins else "lost" if not safe else "forced" if forced else "quiet")
    assert kinds == {"win", "lost", "forced", "quiet"}


def test_the_state_s_masks_say_what_its_boards_do() -> None:
    for game in games()[:12]:
        for p in game.positions:
            *boards, won, still_open, forced, side = p.state
            for board in range(9):
                x, o = boards[board], boards[board] >> 9
                assert (won >> board & 1, won >> board + 9 & 1) == (has_line(x), has_line(o))
                shut = has_line(x) or has_line(o) or (x | o) & 0o777 == 0o777
                assert still_open >> board & 1 == (not shut and p.to_move != END)
            assert forced == 9 or still_open >> forced & 1
            assert p.to_move in (side, END)


def test_keys_differ_and_each_of_their_bits_is_set_in_half_of_them() -> None:
    layer = [GAME.initial()]
    for _ in range(3):
        layer = [p.apply(a) for p in layer for a in p.legal_actions()]
    keys = [GAME.key(list(p.state)) for p in layer]
    assert len(set(keys)) == len({p.state for p in layer}) == 6336
    for bit in range(62):
        assert 0.45 < sum(k >> bit & 1 for k in keys) / len(keys) < 0.55
    met = len({k & 0xFFF for k in keys})
    assert met > 0.95 * 4096 * (1 - math.exp(-6336 / 4096)), "as at random, or better"
