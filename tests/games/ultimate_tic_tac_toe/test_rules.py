"""Ultimate tic-tac-toe: its rules one by one, a second set of rules, tactics, keys.

Its drawing is held by tests/vectors/positions.jsonl too, its texts by tests/games/test_texts.py.
"""

from __future__ import annotations

import math
import random
from functools import cache
from textwrap import dedent

import pytest

from games import registry
from games.game import END, IllegalAction, Outcome, Position
from games.ultimate_tic_tac_toe.rules import has_line
from games.ultimate_tic_tac_toe.tactics import threats
from tests.games.laws.walks import Walk, after, walk
from tests.games.ultimate_tic_tac_toe import slow_rules as slow

GAME = registry.game("ultimate_tic_tac_toe")


@cache
def games() -> list[Walk]:
    rng = random.Random(21)
    return [walk(GAME, rng) for _ in range(40)]


# The rules, one after the other.


def test_the_first_move_may_be_anywhere() -> None:
    assert GAME.initial().legal_actions() == tuple(range(81))


def test_a_cell_sends_the_opponent_to_the_board_of_its_number() -> None:
    p = after(GAME, "51 19")
    assert p.legal_notation() == ("91", "92", "93", "94", "95", "96", "97", "98", "99")
    where = "9/9/2o6/3x5/9/9/9/9/9 x 9': board 9 is to be played on"
    for elsewhere in ("12", "81", "51"):
        with pytest.raises(IllegalAction, match=where):
            GAME.parse_action(p, elsewhere)
        with pytest.raises(IllegalAction):
            p.apply(9 * int(elsewhere[0]) + int(elsewhere[1]) - 10)


def test_who_is_sent_to_a_board_that_is_won_may_choose_any_open_one() -> None:
    p = after(GAME, "51 15 52 25 53 35")
    assert len(p.legal_actions()) == 81 - 9 - 3
    assert not [a for a in p.legal_notation() if a[0] == "5"], "six cells are free, none is open"
    for text, why in (("59", "board 5 is decided"), ("15", "the cell is taken")):
        with pytest.raises(IllegalAction, match=why):
            GAME.parse_action(p, text)


def test_a_full_board_that_nobody_has_won_is_closed_and_nobody_s() -> None:
    p = after(
        GAME,
        "37 79 91 13 31 17 73 39 92 23 33 34 42 29 93 35 "
        "55 53 38 84 43 32 27 71 19 15 58 83 36 66 63",
    )
    assert GAME.draw(p) == dedent("""\
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
      to play on any of 2 4 5 6 7 8""")
    assert p.state[9] == 0b1 << 9 | 0b100_000_000, "O has board 1 and X board 9"


def test_after_a_resignation_the_board_shows_nothing_to_play() -> None:
    p = after(GAME, "51 15 52")
    assert "[2]" in GAME.draw(p)
    assert not {"[", "to play", "21"} & set(GAME.drawing(p, over=True).split())
    assert "[2]" not in GAME.drawing(p, over=True)


def test_three_in_a_row_on_the_last_cell_of_a_board_win_it() -> None:
    end = after(
        GAME, "35 53 39 91 11 12 29 99 93 34 49 95 58 86 68 89 38 83 33 36 63 32 23 37 73 31"
    )
    assert (end.state[2] | end.state[2] >> 9) & 0b111_111_111 == 0b111_111_111
    assert end.state[9] == 0b110_000_100 << 9, "O has boards 3, 8 and 9"


def test_when_all_boards_are_closed_without_a_line_it_is_a_draw() -> None:
    end = after(
        GAME,
        "87 73 31 14 41 18 89 98 88 16 61 15 56 66 68 65 54 46 62 25 "
        "55 64 44 45 27 76 47 79 91 92 29 95 22 26 32 24 39 36 35",
    )
    assert end.outcome() == Outcome((0.0, 0.0), "full")
    assert end.legal_actions() == ()


def test_three_in_a_row_that_close_the_last_board_win() -> None:
    end = after(
        GAME,
        "97 78 85 54 41 16 65 56 61 15 51 12 23 36 69 96 93 39 "
        "95 55 38 83 35 33 42 24 43 13 21 19 22 75 84 88 86 72",
    )
    assert (end.state[9] | end.state[9] >> 9) & 0b111_111_111 == 0b111_111_111
    assert end.outcome() == Outcome((-1.0, 1.0), "line")


def test_three_boards_in_a_row_win() -> None:
    actions = "61 17 73 34 43 37 72 28 83 31 19 98 82 22 21 13 92 25 51 15"
    assert after(GAME, actions[:-3]).outcome() is None
    end = after(GAME, actions)
    assert end.outcome() == Outcome((-1.0, 1.0), "line")
    assert (end.to_move, end.legal_actions()) == (END, ())
    assert end.state[9] >> 9 & 0b111 == 0b111, "O has boards 1, 2 and 3"
    rows = GAME.draw(end).split("\n")
    assert [row.count("[") for row in rows] == [0, 3, 3, 3, *[0] * 9], "and they are in brackets"


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


# What the searches ask.


def test_a_threat_completes_one_of_eight_lines() -> None:
    lines = [sum(1 << 3 * y + x for y, x in line) for line in slow.LINES]
    for stones in range(2**9):
        assert has_line(stones) == has_line(stones | 0o777 << 9) == _lined(stones, lines)
        cells = sum(1 << c for c in range(9) if _lined(stones | 1 << c, lines, through=1 << c))
        assert threats(stones) == threats(stones | 0o777 << 9) == cells


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
