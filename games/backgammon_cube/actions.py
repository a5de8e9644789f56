"""How decisions about the cube are written, and every usual way in which they are read.

`roll` and `double` before a roll; `take`, `drop`, and where they are allowed `beaver` and `raccoon`
as answers.  Turns and rolls are written as on the board without a cube.
"""

from __future__ import annotations

from games.backgammon import turns
from games.backgammon.rules import LARGER, TURN
from games.backgammon_cube.rules import (
    BEAVER,
    CRAWFORD,
    CUBE,
    DOUBLE,
    DROP,
    LENGTH,
    LIMIT,
    OFFER,
    OWNER,
    ROLL,
    RULES,
    TAKE,
)
from games.game import CHANCE, END, IllegalAction, NotationError, Position

NAMES = {ROLL: "roll", DOUBLE: "double", TAKE: "take", DROP: "drop", BEAVER: "beaver"}
OFFERS = ("", "double", "beaver", "raccoon")  # by s[OFFER]
_READ = {
    "roll": "roll", "r": "roll", "no double": "roll", "double": "double", "d": "double",
    "redouble": "double", "take": "take", "t": "take", "accept": "take", "drop": "drop",
    "p": "drop", "pass": "drop", "refuse": "drop", "reject": "drop", "beaver": "beaver",
    "b": "beaver", "raccoon": "raccoon",
}  # fmt: skip
_MAX_LENGTH = 40  # characters of a word that are looked at


def decides_about_cube(p: Position) -> bool:
    """Return whether who is to move rolls, doubles or answers an offer."""
    return p.to_move >= 0 and p.state[LARGER] == 0


def format_action(p: Position, a: int) -> str:
    """Return the decision, the turn, or at CHANCE the roll, in its one notation."""
    if not decides_about_cube(p):
        return turns.format_action(p, a)
    return "raccoon" if a == BEAVER and p.state[OFFER] == 2 else NAMES[a]


def parse_action(p: Position, text: str) -> int:
    """Return the action that `text` names, in any usual way of writing it.

    Raises:
        NotationError: it is not written like an action.
        IllegalAction: it is one, but not here; `why` says what is in the way.
    """
    word = None
    if len(text) <= _MAX_LENGTH:
        word = _READ.get(" ".join(text.lower().split()))
    if p.to_move == CHANCE or (word is None and not decides_about_cube(p)):
        return turns.parse_action(p, text)
    if not decides_about_cube(p):
        if word == "drop" and text.lower() == "pass" and p.to_move != END:  # in a turn: no move
            return turns.parse_action(p, text)
        raise IllegalAction(p, None, text, _too_late(p, word or text))
    if word is None:
        raise _no_decision(p, text)
    for action in p.legal_actions():
        if format_action(p, action) == word:
            return action
    raise IllegalAction(p, None, text, _out_of_turn(p, word))


def _no_decision(p: Position, text: str) -> NotationError | IllegalAction:
    """Return what is wrong with a text that is no decision; a turn may only be too early."""
    try:
        turns.read_moves(" ".join(text.lower().split()), text)
    except NotationError:
        words = " or ".join(repr(name) for name in p.legal_notation())
        return NotationError(f"{text[:40]!r} is no answer here; one is {words}")
    why = "the offer has to be answered first" if p.state[OFFER] else "roll first, or double"
    return IllegalAction(p, None, text, why)


def _too_late(p: Position, word: str) -> str:
    if p.to_move == END:
        return "the game is over"
    if word == "roll":
        return "the dice have fallen"
    if word == "double":
        return no_double(p) or "the dice have fallen, and one doubles before the roll"
    return "nobody has doubled"


def _out_of_turn(p: Position, word: str) -> str:
    """Return why a decision about the cube cannot be made where another one can."""
    s = p.state
    if s[OFFER] == 0:
        return "nobody has doubled"
    if word in ("roll", "double"):
        return f"the {OFFERS[s[OFFER]]} has to be answered first: take or drop"
    if word == "raccoon" and s[OFFER] == 1:
        return "a raccoon answers a beaver"
    if s[OFFER] == 3:
        return "a raccoon is taken or dropped"
    if s[LENGTH]:
        return f"a {word} is for games of money"
    if s[CUBE] + s[OFFER] >= s[LIMIT]:
        return f"the cube goes up to {1 << s[LIMIT]}"
    if word == "beaver" and s[OFFER] == 2:
        return "the answer to a beaver is a raccoon"
    return "this game is played without beavers"


def no_double(p: Position) -> str:
    """Return why whose turn it is cannot double before this roll; empty if it can."""
    s = p.state
    if s[LENGTH] and s[RULES] == CRAWFORD:
        return "this is the Crawford game"
    if s[LIMIT] == 0:
        return "this game is played without the cube"
    if s[CUBE] >= s[LIMIT]:
        return f"the cube goes up to {1 << s[LIMIT]}"
    if s[TURN] >= 0 and s[OWNER] == 1 - s[TURN]:
        return "the other side owns the cube"
    return ""
