"""A match of backgammon in the Smart Game Format (`.sgf`), which GNU Backgammon loads.

    (;FF[4]GM[6]CA[UTF-8]AP[Plyhouse]GN[17.2]PB[ann]PW[bob] ... RE[W+1]MI[length:0] ...
    ;W[31hefe]
    ;B[52lqac])

Seat 0 is Black, seat 1 is White, as the format's X and O are.  `a` is White's 1-point and `x` its
24-point, for both sides; `y` is the bar and `z` off the board.  A turn is the dice and pairs of
points, one for each step of a checker.

Source: "Smart Game Format: Backgammon (GM[6])", red-bean.com/sgf/backgammon.html.
"""

from __future__ import annotations

from protocol.parts import Result
from protocol.records import checkers
from protocol.records.replay import Replay, Turn
from protocol.records.results import full_title

COLOURS = "BW"


def write(replay: Replay) -> str:
    """Return the game tree of a match of backgammon, without branches."""
    facts = {
        "FF": "4",
        "GM": "6",
        "CA": "UTF-8",
        "AP": "Plyhouse",
        "GN": _escaped(replay.match),
        "PB": _escaped(full_title(replay.players[0])),
        "PW": _escaped(full_title(replay.players[1])),
        "DT": f"{replay.day():%Y-%m-%d}",
        "RU": "NoCube",
        "RE": _result(replay.result),
    }
    root = "".join(f"{name}[{value}]" for name, value in facts.items() if value)
    nodes = "\n".join(_node(turn) for turn in replay.turns() if turn.answer is not None)
    return f"(;{root}MI[length:0][game:0][ws:0][bs:0]\n{nodes})\n"


def _escaped(text: str) -> str:
    """Text inside of brackets."""
    return "".join(f"\\{c}" if c in "]\\" else c for c in text)


def _result(result: Result | None) -> str:
    """Such as `B+2`; with R if the other side did not play to the end."""
    if result is None or result.winner is None:
        return ""
    given_up = "" if result.how == "rules" else "R"
    return f"{COLOURS[result.winner]}+{max(result.returns):g}{given_up}"


def _node(turn: Turn) -> str:
    moved = "".join(
        _letter(step.source, turn.seat) + _letter(step.target, turn.seat)
        for step in checkers.steps(turn.before, turn.action())
    )
    return f";{COLOURS[turn.seat]}[{checkers.dice(turn.before)}{moved}]"


def _letter(point: int, seat: int) -> str:
    if point == 0:
        return "z"
    if point == 25:
        return "y"
    return chr(ord("a") + (point if seat == 1 else 25 - point) - 1)
