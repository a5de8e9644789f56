"""How turns and rolls are written, every usual way to write them, and why some are refused."""

from __future__ import annotations

import random
import re

import pytest

from games import registry
from games.backgammon.steps import MOVES
from games.game import IllegalAction, NotationError, Position
from tests.games.backgammon.brute import random_board, state
from tests.games.backgammon.pictures import drawn, turned

GAME = registry.game("backgammon")

# The upper row, and the lower one with the bar.
PICTURES = {
    "start":
        ["x5  .  .  . o3  . | o5  .  .  .  . x2", "o5  .  .  . x3  . | x5  .  .  .  . o2"],
    "blots on 18, 19 and 4":
        [".  .  .  .  . o1 | o1  .  .  .  . x2", "o2  .  .  . x3  . | x5  . o1  .  . o2"],
    "a blot on 18 only":
        [".  .  .  .  . o1 |  .  .  .  .  . x2", "o2  .  .  . x3  . | x5  .  .  .  . o2"],
    "two on the bar":
        [".  .  .  .  .  . | o2 o1  . o2  .  .", ".  .  .  . x3  . | x5  .  .  .  . o2\nbar x2"],
    "one on the bar":
        [".  .  .  .  .  . | o2 o1  . o2  .  .", ".  .  .  . x3  . | x5  .  .  .  . o2\nbar x1"],
    "home":
        [".  .  .  .  .  . |  .  .  .  .  . o2", ".  .  .  .  .  . | x2 x1  . x2  .  ."],
    "home, one of 2":
        [".  .  .  .  .  . |  .  .  .  .  . o2", ".  .  .  .  .  . |  . x2  . x2 x1  ."],
    "one not home":
        [".  .  .  .  .  . |  .  .  .  .  . o2", ".  .  .  .  . x1 | x2 x1  .  .  .  ."],
    "a first step spoils the second":
        [".  .  .  .  .  . |  .  .  .  .  . o2", ".  . x1  .  .  . |  . x1  . o2  .  ."],
    "either die but not both":
        [".  .  .  .  .  . |  .  .  .  .  . o2", ".  . x1  .  .  . |  .  .  . o2  .  ."],
    "all closed":
        [".  .  .  .  .  . | o2 o2 o2 o2 o2 o2", ".  .  .  .  .  . | x5  .  .  .  .  .\nbar x1"],
    "home, two left":
        [".  .  .  .  .  . |  .  .  .  .  . o2", ".  .  .  .  .  . | x1 x1  .  .  .  ."],
    "won":
        [".  .  .  .  .  . |  .  .  .  .  .  .", ".  .  .  .  .  . | x5  .  .  .  .  ."],
}  # fmt: skip


def at(name: str, roll: int | None) -> Position:
    """The position of this name with X to play `roll`."""
    return drawn("\n".join(PICTURES[name]), roll)


@pytest.mark.parametrize(
    ("name", "roll", "turns"),
    [
        ("start", 65, "13/2, 8/2 8/3, 13/7 8/3, 24/18 8/3, 13/7 13/8, 24/18 13/8, 24/13"),
        ("start", 66, "13/7 8/2(3), 13/7(2) 8/2(2), 13/7(3) 8/2, 13/7(4), 24/18 8/2(3), "
         "24/18 13/7 8/2(2), 24/18 13/7(2) 8/2, 24/18 13/7(3), 24/18(2) 8/2(2), "
         "24/18(2) 13/7 8/2, 24/18(2) 13/7(2)"),
        ("blots on 18, 19 and 4", 65,
         "8/2 8/3, 24/18* 8/3, 24/19* 8/2, 24/18*/13, 24/19*/13, 24/18* 24/19*"),
        ("a blot on 18 only", 65, "8/2 8/3, 24/18* 8/3, 24/19 8/2, 24/18*/13, 24/13, 24/18* 24/19"),
        ("blots on 18, 19 and 4", 55,
         "24/19* 8/3(3), 24/19*/14 8/3(2), 24/19*/9 8/3, 24/19*/4*, 24/19*(2) 8/3(2), "
         "24/19*/14 24/19 8/3, 24/19*/9 24/19, 24/19*/14(2)"),
        ("two on the bar", 52, "bar/20* bar/23"),
        ("two on the bar", 61, "bar/24"),
        ("one on the bar", 52, "bar/20* 6/4, bar/20* 8/6, bar/23 8/3, bar/20*/18, bar/18"),
        ("home", 65, "6/off 5/off, 6/off 6/1"),
        ("home", 66, "6/off(2) 5/off 3/off"),
        ("home, one of 2", 65, "5/off(2)"),
        ("home, one of 2", 41, "5/off, 5/1 2/1, 5/1 3/2, 5/1 5/4"),
        ("all closed", 31, "pass"),
    ],
)  # fmt: skip
def test_turns_are_written_short(name: str, roll: int, turns: str) -> None:
    for p in (at(name, roll), turned(at(name, roll))):
        assert sorted(p.legal_notation()) == sorted(turns.split(", "))


@pytest.mark.parametrize(
    ("name", "roll", "turn"),
    [
        ("blots on 18, 19 and 4", 42, "8/4* 6/4"),
        ("blots on 18, 19 and 4", 42, "6/2 6/4*"),
        ("blots on 18, 19 and 4", 42, "8/4*/2"),
        ("blots on 18, 19 and 4", 42, "8/2"),
        ("blots on 18, 19 and 4", 22, "8/4* 6/4(2)"),
        ("blots on 18, 19 and 4", 22, "8/4*(2)"),
        ("blots on 18, 19 and 4", 22, "6/4*/2 6/4(2)"),
        ("start", 44, "24/16(2)"),
        ("start", 31, "24/20"),
    ],
)
def test_a_turn_is_written_so(name: str, roll: int, turn: str) -> None:
    for p in (at(name, roll), turned(at(name, roll))):
        assert turn in p.legal_notation()


def test_rolls_are_two_digits() -> None:
    opening, later = GAME.initial(), at("start", None)
    assert opening.legal_notation()[:6] == ("12", "13", "14", "15", "16", "21")
    assert later.legal_notation()[:6] == ("11", "21", "22", "31", "32", "33")
    assert GAME.parse_action(opening, "13") == 13
    assert GAME.parse_action(later, "13") == GAME.parse_action(later, "31") == 31
    assert GAME.parse_action(later, "3-1") == GAME.parse_action(later, "1 3") == 31
    for text in ("", "3", "37", "00", "311", "8/5 6/5", "pass"):
        with pytest.raises(NotationError, match="is no roll; one looks like '31'"):
            GAME.parse_action(later, text)
    with pytest.raises(IllegalAction, match="the opening is rolled again until the dice differ"):
        GAME.parse_action(opening, "33")


@pytest.mark.parametrize(
    ("name", "roll", "turn", "texts"),
    [
        ("start", 31, "8/5 6/5", "6/5 8/5 | 6/5,8/5 |  8/5,  6/5 | 31: 8/5 6/5 | 1-3: 6/5 8/5"),
        ("start", 31, "8/5 6/5", "8-5 6-5 | 3-1: 8-5, 6-5 | 8 5 6 5 | 31: 6 5 8 5 | 8/5 6/5 pass"),
        ("start", 65, "24/13", "24/13 | 24/18/13 | 24/18 18/13 | 18/13 24/18"),
        ("start", 31, "24/20", "24/20 | 24/21/20 | 24/23/20 | 23/20 24/23"),
        ("start", 33, "13/7(2)", "13/7 13/7 | 13/10(2) 10/7(2) | 13/10/7(2) | 13/7 (2)"),
        ("start", 33, "24/15 13/10", "24/21/18/15 13/10 | 13/10 24/18 18/15 | 24/21 13/10 21/15"),
        ("start", 44, "24/16(2)", "24/20(2) 20/16(2) | 24/20 24/16 20/16 | 20/16(2) 24/20(2)"),
        ("blots on 18, 19 and 4", 42, "8/4* 6/4", "8/4 6/4 | 6/4* 8/4 | 6/4* 8/4* | 6/4 8/4*"),
        ("blots on 18, 19 and 4", 42, "8/4*/2", "8/4/2 | 8/4* 4/2 | 4/2 8/4"),
        ("blots on 18, 19 and 4", 42, "8/2", "8/6/2 | 8/6 6/2 | 6/2 8/6"),
        ("blots on 18, 19 and 4", 65, "24/18*/13", "24/18/13 | 24/18* 18/13 | 18/13 24/18"),
        ("a blot on 18 only", 65, "24/13", "24/19/13 | 24/13"),
        ("a blot on 18 only", 65, "24/18*/13", "24/18/13 | 24/18*/13"),
        ("two on the bar", 52, "bar/20* bar/23", "bar/20 bar/23 | 25/23 25/20* | B/20* b/23"),
        ("two on the bar", 52, "bar/20* bar/23", "BAR/20*, Bar/23 | bar/23 bar/20*"),
        ("one on the bar", 52, "bar/18", "bar/23/18 | 25/18 | bar/23 23/18"),
        ("home", 65, "6/off 5/off", "6/0 5/0 | 5/OFF 6/Off | 6/o 5/o | 5/off,6/off"),
        ("home", 66, "6/off(2) 5/off 3/off", "3/off 5/off 6/off 6/off | 6/0 6/0 5/0 3/0"),
        ("home", 65, "6/off 6/1", "6/1 6/off"),
        ("home, one of 2", 41, "5/off", "5/1/off | 5/4/off | 5/4 4/off | 5/0"),
        ("home, one of 2", 65, "5/off(2)", "5/off 5/off | 5/0(2) | 5/off (2)"),
        ("all closed", 31, "pass", "Pass | no play | No  move | cannot move | 31: pass | 31:"),
    ],
)
def test_every_usual_way_to_write_a_turn_is_read(
    name: str, roll: int, turn: str, texts: str
) -> None:
    for p in (at(name, roll), turned(at(name, roll))):
        for text in texts.split("|"):
            assert GAME.format_action(p, GAME.parse_action(p, text)) == turn, text


def test_what_is_not_written_is_not_hit_and_if_that_does_not_tell_both_ways_are_named() -> None:
    p = at("a blot on 18 only", 65)
    assert GAME.format_action(p, GAME.parse_action(p, "24/13")) == "24/13"
    p = at("blots on 18, 19 and 4", 65)
    with pytest.raises(NotationError) as caught:
        GAME.parse_action(p, "24/13")
    assert str(caught.value) == "'24/13' can be 24/18*/13 or 24/19*/13; write which"


def single_steps(p: Position, action: int) -> list[str]:
    """A turn step by step, with a star on every step to a point where there is a hit."""
    s = p.state
    base, larger, smaller = 26 * s[52], s[53], s[54]
    steps = [(action // 2 % 26, larger), (action // 52, smaller)]
    if larger == smaller:
        steps = [(action // 26**i % 26, larger) for i in range(4)]
    elif action % 2:
        steps = [(action // 2 % 26, smaller), (action // 52, larger)]
    texts = []
    for source, die in steps:
        target = max(source - die, 0)
        star = "*" if target and s[51 - base - target] == 1 else ""
        texts += [MOVES[source][target] + star] if source else []
    return texts


def boards(count: int, seed: int) -> list[Position]:
    """Random positions of every kind, with dice, and with not too many turns."""
    rng, positions = random.Random(seed), list[Position]()
    while len(positions) < count:
        dice = rng.randint(1, 6), rng.randint(1, 6)
        p = Position(GAME, tuple(state(random_board(rng), dice, rng.randrange(2))))
        if len(p.legal_actions()) <= 100:
            positions.append(p)
    return positions


def test_turns_are_read_back_from_single_steps_in_any_order() -> None:
    rng = random.Random(3)
    for p in boards(150, seed=3):
        legal = p.legal_actions()
        for action in rng.sample(legal, min(6, len(legal))):
            steps = single_steps(p, action) or ["pass"]
            rng.shuffle(steps)
            text = rng.choice((" ", ", ")).join(steps)
            for way in (text, text.replace("*", ""), text.upper(), text.replace("bar", "25")):
                assert GAME.parse_action(p, way) == action, (str(p), way)


@pytest.mark.parametrize(
    ("name", "roll", "text", "why"),
    [
        ("start", 31, "7/4 7/6", "7/4: no checker is on 7"),
        ("start", 31, "24/21 20/19", "20/19: no checker is on 20"),
        ("start", 31, "bar/22 6/5", "bar/22: no checker is on the bar"),
        ("start", 65, "24/19/13", "24/19: 5 checkers block 19"),
        ("start", 66, "24/12", "18/12: 5 checkers block 12"),
        ("all closed", 21, "bar/22", "bar/23: 2 checkers block 23 and bar/24: 2 checkers block 24"),
        ("start", 31, "24/18", "24/18: that takes 6, and the dice are 3 and 1"),
        ("start", 33, "24/20", "24/20: that takes 4, and the dice are four 3s"),
        ("start", 31, "6/off 6/3", "6/off: that takes 6, and the dice are 3 and 1"),
        ("start", 31, "8/5(2)",
         "8/5: the other moves leave no die for it, and the dice are 3 and 1"),
        ("start", 22, "24/16 6/4",
         "6/4: the other moves leave no die for it, and the dice are four 2s"),
        ("start", 31, "65: 24/13", "the dice are 3 and 1"),
        ("one on the bar", 52, "8/3 6/4", "8/3: a checker on the bar has to enter first"),
        ("two on the bar", 52, "bar/20 6/4", "6/4: a checker on the bar has to enter first"),
        ("one not home", 61, "6/off 6/5", "6/off: a checker on 7 is not home yet"),
        ("home", 65, "6/off 3/off", "3/off: with a 5, a checker on 6 goes first"),
        ("start", 31, "8/5", "8/5 leaves the 1 unplayed, and both dice can be played"),
        ("a first step spoils the second", 61, "10/9",
         "10/9 leaves the 6 unplayed, and both dice can be played"),
        ("either die but not both", 61, "10/9",
         "of the two dice only one can be played, and that has to be the 6"),
        ("start", 66, "24/18(2)", "that plays 2 of the four 6s, and all four can be played"),
        ("home, two left", 55, "6/1", "that plays 1 of the four 5s, and 3 can be played"),
        ("start", 31, "pass", "something can be moved"),
        ("start", 31, "8/5* 6/5", "nothing is hit on 5"),
        ("a blot on 18 only", 65, "24/19*/13", "nothing is hit on 19"),
        ("home", 65, "6/off* 5/off", "nothing is hit on off"),
        ("all closed", 31, "6/5", "6/5: a checker on the bar has to enter first"),
        ("won", None, "8/5 6/5", "the game is over"),
        ("start", 31, "31:", "something can be moved"),
        ("start", 31, "8/5 pass", "8/5 leaves the 1 unplayed, and both dice can be played"),
    ],
)  # fmt: skip
def test_what_is_impossible_is_named_and_why(
    name: str, roll: int | None, text: str, why: str
) -> None:
    for p in (at(name, roll), turned(at(name, roll))):
        with pytest.raises(IllegalAction) as caught:
            GAME.parse_action(p, text)
        assert caught.value.why == why
        assert str(caught.value) == f"{text} is not legal in {p}: {why}"


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "8", "8/", "/5", "8/5/", "8//5", "8/5 and 6/5", "8/5 6", "26/5", "8/5**",
        "8*/5", "8/5(5)", "8/5(0)", "8/5(2)(2)", "8/5x2", "(2)", "31", "8 5 6", "71: 8/5", "٨/5",
        "pass pass", "8/5 " * 40, "9" * 5000,
    ],
)  # fmt: skip
def test_what_is_written_like_no_turn_is_bad_notation(text: str) -> None:
    with pytest.raises(NotationError, match=r"is no turn; one looks like '8/5 6/5' or 'bar/22'$"):
        GAME.parse_action(at("start", 31), text)


@pytest.mark.parametrize("text", ["5/8", "6/6", "off/3", "24/bar", "8/5/6", "0/25"])
def test_a_move_leads_towards_home(text: str) -> None:
    with pytest.raises(NotationError, match="leads away from home: points count down"):
        GAME.parse_action(at("start", 31), text)


def read(p: Position, text: str) -> int | str:
    """The action that `text` is, or what is said against it."""
    try:
        return GAME.parse_action(p, text)
    except IllegalAction as error:
        return error.why
    except NotationError as error:
        return str(error)


def test_any_moves_are_a_legal_turn_or_refused_with_a_reason() -> None:
    rng, turns = random.Random(5), 0
    for p in boards(80, seed=5):
        held = [point for point in range(1, 26) if p.state[26 * p.to_move + point]]
        for _ in range(12):
            pips = [
                rng.choice((*p.state[53:], sum(p.state[53:]))) for _ in range(rng.randint(1, 3))
            ]
            sources = [rng.choice((*held, rng.randint(1, 25))) for _ in pips]
            moves = zip(sources, pips, strict=True)
            action = read(p, " ".join(MOVES[a][max(a - by, 0)] for a, by in moves))
            if isinstance(action, str):
                assert re.fullmatch(r"[a-z0-9/ ,:]{10,}|.* can be .* or .*; write which", action)
            else:
                assert action in p.legal_actions()
                turns += 1
    assert turns > 10
