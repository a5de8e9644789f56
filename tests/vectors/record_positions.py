"""Writes positions.jsonl beside this file: how every game writes positions and actions.

    python tests/vectors/record_positions.py

One JSON object a line, each with `game`.  Of five kinds:

    position, to_move, legal, count    a position, who is to move (a seat, -1 dice, -2 nobody), the
                                       first legal actions in order, and how many there are; also
                                       `weights` of rolls, `reason` and `returns` at the end, and
                                       for some `draw`, what a terminal shows to seat 0
    position, text, action             another way to write one of the legal actions
    position, text, error              what is none, by the code that a server answers with
    refused                            a text that is no position
    position_id, seat, position        GNU Backgammon's Position ID with this seat on roll
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
FILE = HERE / "positions.jsonl"
if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parents[1]))

from games import registry  # noqa: E402 - run as a script, the house must be found first
from games.backgammon.positions import parse_position_id  # noqa: E402
from games.game import CHANCE, IllegalAction, NotationError, Position  # noqa: E402
from tests.games.walks import walk  # noqa: E402

GAMES = ("tic_tac_toe", "ultimate_tic_tac_toe", "connect_four", "backgammon")
MOST_LEGAL = 32
WALKS = 2  # games of which positions are taken, the first of them drawn
PER_WALK = 9

START = "-b----E-C---eE---c-e----B-"
MONEY = "0:0:0:0:10"

# Where the rules have something special, to look at besides the walks.
SPECIAL = {
    "tic_tac_toe": ("xxx/oo1/3 o", "xox/oxx/oxo o"),
    "connect_four": ("7/7/7/7/ooo4/xxxx3 o", "7/7/7/7/ooo1ooo/xxxxxxx o"),
    "ultimate_tic_tac_toe": ("9/9/9/3x5/9/9/9/9/9 o 1",),
    "backgammon": (
        f"XGID={START}:0:0:1:00:{MONEY}",
        f"XGID={START}:0:0:-1:31:{MONEY}",
        f"XGID={START}:0:0:1:66:{MONEY}",
        f"XGID=-b----E-C---b-----aa----B-:0:0:1:65:{MONEY}",  # a run that hits in either way
        f"XGID=-b----E-C---b-----a-----B-:0:0:1:65:{MONEY}",  # and in one of two
        f"XGID=-b--a-E-C---b-----a-----B-:0:0:1:22:{MONEY}",
        f"XGID=-b----E-C----------ba-b--B:0:0:1:52:{MONEY}",  # two enter
        f"XGID=-b----E-C----------ba-b--B:0:0:1:61:{MONEY}",  # one of two
        f"XGID=------E------------bbbbbbA:0:0:1:31:{MONEY}",  # none
        f"XGID=---B-AB-----------------b-:0:0:1:65:{MONEY}",  # bearing off
        f"XGID=--AB-B------------------b-:0:0:1:66:{MONEY}",
        f"XGID=---b-A----A-------------b-:0:0:1:61:{MONEY}",  # a first step spoils the second
        f"XGID=---b------A-------------b-:0:0:1:61:{MONEY}",  # either die, so the larger
        f"XGID=------O-------------------:0:0:1:00:{MONEY}",  # a gammon
        f"XGID=--a----------------n------:0:0:-1:00:{MONEY}",  # a backgammon
    ),
}

# Game, position, text, and the action that it means, or the code of what is wrong with it.
BAD, ILLEGAL = "match/bad-notation", "match/illegal-action"
OPENED = f"XGID={START}:0:0:1:%s:{MONEY}"
BLOTS = f"XGID=-b----E-C---b-----%sa----B-:0:0:1:65:{MONEY}"
TEXTS = (
    ("tic_tac_toe", "3/1x1/3 o", "5", ILLEGAL),
    ("tic_tac_toe", "3/1x1/3 o", "0", BAD),
    ("connect_four", "xo5/ox5/xo5/ox5/xo5/ox5 x", "1", ILLEGAL),
    ("connect_four", "7/7/7/7/7/7 x", "8", BAD),
    ("ultimate_tic_tac_toe", "9/9/9/3x5/9/9/9/9/9 o 1", "51", ILLEGAL),
    ("ultimate_tic_tac_toe", "9/9/9/3x5/9/9/9/9/9 o 1", "10", BAD),
    ("backgammon", f"XGID={START}:0:0:0:00:{MONEY}", "33", ILLEGAL),
    ("backgammon", f"XGID={START}:0:0:1:00:{MONEY}", "13", "31"),
    ("backgammon", OPENED % "31", "6/5 8/5", "8/5 6/5"),
    ("backgammon", OPENED % "31", "31: 8/5, 6/5", "8/5 6/5"),
    ("backgammon", OPENED % "31", "24/23/20", "24/20"),
    ("backgammon", OPENED % "31", "8/5", ILLEGAL),
    ("backgammon", OPENED % "31", "8/5* 6/5", ILLEGAL),
    ("backgammon", OPENED % "31", "pass", ILLEGAL),
    ("backgammon", OPENED % "31", "5/8", BAD),
    ("backgammon", OPENED % "31", "8-5 6-5", BAD),
    ("backgammon", OPENED % "33", "13/10(2) 10/7 10/7", "13/7(2)"),
    ("backgammon", BLOTS % "a", "24/18/13", "24/18*/13"),
    ("backgammon", BLOTS % "a", "24/13", BAD),
    ("backgammon", BLOTS % "-", "24/13", "24/13"),
    ("backgammon", BLOTS % "-", "24/19/13", "24/19*/13"),
    ("backgammon", f"XGID=-b----E-C----------ba-b--B:0:0:1:52:{MONEY}", "25/23, B/20",
     "bar/20* bar/23"),
    ("backgammon", f"XGID=---B-AB-----------------b-:0:0:1:65:{MONEY}", "5/0 6/OFF",
     "6/off 5/off"),
    ("backgammon", f"XGID=------E------------bbbbbbA:0:0:1:31:{MONEY}", "no play", "pass"),
)  # fmt: skip

REFUSED = {
    "tic_tac_toe": ("", "3/3/3", "4/3/3 x", "3/3/12 x", "3/3/3 o", "xxx/ooo/3 x"),
    "connect_four": ("7/7/7/7/7/7", "7/7/7/7/3x3/7 o", "7/7/7/7/7/34 x", "7/7/7/7/7/3x3 x"),
    "ultimate_tic_tac_toe": (
        "9/9/9/9/9/9/9/9/9 x",
        "9/9/9/9/9/9/9/9/9 x 5",
        "9/9/9/3x5/9/9/9/9/9 o 2",
        "9/9/9/3x5/9/9/9/9/9 x 1",
    ),
    "backgammon": (
        START,
        "4HPwATDgc/ABMA",
        f"XGID={START}:0:0:1:13:{MONEY}",
        f"XGID={START}:0:0:1:71:{MONEY}",
        f"XGID={START}:0:0:0:31:{MONEY}",
        f"XGID={START}:1:0:1:31:{MONEY}",
        f"XGID={START}:0:0:1:31:2:4:0:7:10",
        f"XGID=-b----E-C---eE---c-e----C-:0:0:1:31:{MONEY}",
        f"XGID={'-' * 26}:0:0:1:00:{MONEY}",
        f"XGID=a{'-' * 25}:0:0:1:00:{MONEY}",
    ),
}

POSITION_IDS = (
    ("4HPwATDgc/ABMA", 0),
    ("4HPwATDgc/ABMA:cAkAAAAAAAAA", 1),
    ("4PPgASTgc/ABMA", 0),
    ("4PPgASTgc/ABMA", 1),
    ("PAAAICMAAAAAAA", 0),
    ("ewMAAD4gAAAAAA", 1),
)


def lines() -> Iterator[str]:
    """The vectors, a line each."""
    for name in GAMES:
        for vector in _of_game(name):
            yield json.dumps({"game": name} | vector, ensure_ascii=False) + "\n"


def _of_game(name: str) -> Iterator[dict[str, object]]:
    game = registry.game(name)
    special = [game.parse_position(text) for text in SPECIAL[name]]
    rng = random.Random(f"vectors of {name}")
    walked = [_some(walk(game, rng).positions) for _ in range(WALKS)]
    drawn = {*walked[0], *special}
    for p in dict.fromkeys([*special, *(p for positions in walked for p in positions)]):
        yield _position(p, drawn=p in drawn)
    for of, position, text, meant in TEXTS:
        if of == name:
            key = "error" if meant in (BAD, ILLEGAL) else "action"
            yield {"position": position, "text": text, key: meant}
    for text in REFUSED[name]:
        yield {"refused": text}
    if name == "backgammon":
        for text, seat in POSITION_IDS:
            position = game.format_position(parse_position_id(text, seat))
            yield {"position_id": text, "seat": seat, "position": position}


def _some(positions: tuple[Position, ...]) -> list[Position]:
    """A few of a game, evenly spread, the first and the last among them."""
    last = len(positions) - 1
    return [positions[last * i // (PER_WALK - 1)] for i in range(PER_WALK)]


def _position(p: Position, *, drawn: bool) -> dict[str, object]:
    legal = p.legal_notation()
    vector: dict[str, object] = {
        "position": p.game.format_position(p),
        "to_move": p.to_move,
        "legal": legal[:MOST_LEGAL],
        "count": len(legal),
    }
    if p.to_move == CHANCE:
        vector["weights"] = [weight for _, weight in p.chance()[:MOST_LEGAL]]
    if outcome := p.outcome():
        vector |= {"reason": outcome.reason, "returns": outcome.returns}
    if drawn:
        vector["draw"] = p.game.draw(p)
    return vector


def read(game: str, position: str, text: str) -> dict[str, str]:
    """What `text` is in this position: `action` or `error`, as in the file."""
    p = registry.game(game).parse_position(position)
    try:
        action = p.game.parse_action(p, text)
        p.apply(action)
    except NotationError:
        return {"error": BAD}
    except IllegalAction:
        return {"error": ILLEGAL}
    return {"action": p.game.format_action(p, action)}


if __name__ == "__main__":
    FILE.write_text("".join(lines()), encoding="utf-8")
    print(f"{FILE.name}: {sum(1 for _ in lines())} vectors")
