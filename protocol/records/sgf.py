"""Backgammon in the Smart Game Format (`.sgf`), which GNU Backgammon loads.

    (;FF[4]GM[6]CA[UTF-8]AP[Plyhouse]GN[17.2]PB[ann]PW[bob] ... RE[W+2]MI[length:7][game:0] ...
    ;W[31hefe]
    ;B[double]
    ;W[take]
    ;B[52lqac])

Each game is a tree; of a match to points all stand in one file, up to the one that is asked for.
Seat 0 is Black, seat 1 is White, as the format's X and O are.  `a` is White's 1-point and `x` its
24-point, for both sides; `y` is the bar and `z` off the board.  A turn is the dice and pairs of
points, one for each step of a checker.  A beaver or a raccoon is written as the double that it is.

Source: "Smart Game Format: Backgammon (GM[6])", red-bean.com/sgf/backgammon.html; what GNU
Backgammon 1.07 writes for a match, its rules (RU) and its score (MI).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from protocol.parts import Result
from protocol.records import checkers
from protocol.records.replay import Replay, Turn
from protocol.records.results import full_title

COLOURS = "BW"
VARIATIONS: Final = {"nackgammon": "Nackgammon", "hypergammon": "Hypergammon3"}
WORDS: Final = {"double": "double", "beaver": "double", "raccoon": "double", "take": "take",
                "drop": "drop"}  # fmt: skip


def write(games: Sequence[Replay]) -> str:
    """Return the game trees of a match's games, in order, without branches."""
    return "".join(_tree(game) for game in games)


def _tree(game: Replay) -> str:
    facts = {
        "FF": "4",
        "GM": "6",
        "CA": "UTF-8",
        "AP": "Plyhouse",
        "GN": _escaped(game.match),
        "PB": _escaped(full_title(game.players[0])),
        "PW": _escaped(full_title(game.players[1])),
        "DT": f"{game.day():%Y-%m-%d}",
        "RU": ":".join(_rules(game)),
        "RE": _result(game.result),
    }
    root = "".join(f"{name}[{value}]" for name, value in facts.items() if value)
    number = game.series.game - 1 if game.series is not None else 0
    black, white = game.series.score if game.series is not None else (0, 0)
    score = f"MI[length:{game.options.points or 0}][game:{number}][ws:{white}][bs:{black}]"
    nodes = "\n".join(_node(turn) for turn in game.turns() if turn.answer is not None)
    return f"(;{root}{score}\n{nodes})\n"


def _rules(game: Replay) -> list[str]:
    """Return the words for the rules that a game is played by."""
    series, options = game.series, game.options
    words = []
    if series is not None:
        words.append("Crawford")
        if series.crawford:
            words.append("CrawfordGame")
    if options.jacoby:
        words.append("Jacoby")
    if not checkers.has_cube(game.steps[0].position):
        words.append("NoCube")
    if options.start in VARIATIONS:
        words.append(VARIATIONS[options.start])
    return words


def _escaped(text: str) -> str:
    return "".join(f"\\{c}" if c in "]\\" else c for c in text)


def _result(result: Result | None) -> str:
    """Such as `B+2`; with R if the other side did not play to the end."""
    if result is None or result.winner is None:
        return ""
    given_up = "" if result.how == "rules" else "R"
    return f"{COLOURS[result.winner]}+{max(result.returns):g}{given_up}"


def _node(turn: Turn) -> str:
    about_cube = checkers.cube_decision(turn.before, turn.action())
    if about_cube is not None:
        return f";{COLOURS[turn.seat]}[{WORDS[about_cube[0]]}]"
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
