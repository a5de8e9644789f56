"""Backgammon: 15 checkers a side, two dice, and a whole turn as one action.

rules.py       the state, the kernels, what a win counts
evaluation.py  what a position looks worth
playouts.py    random games, for search
turns.py       how turns and rolls are written and read
steps.py       what a written turn takes, and what is in its way
positions.py   how positions are written and read
drawing.py     the board as text
"""

from __future__ import annotations

from games.backgammon.drawing import draw
from games.backgammon.evaluation import evaluate, features
from games.backgammon.playouts import playout
from games.backgammon.positions import format_position, parse_position
from games.backgammon.rules import (
    MAX_LEGAL,
    MAX_PLIES,
    MAX_RETURN,
    RULES_VERSION,
    SCRATCH,
    STATE,
    forfeit_points,
    key,
    legal,
    mover,
    play,
    points,
    reason,
    setup,
    weight,
)
from games.backgammon.turns import format_action, parse_action
from games.game import Game

GAME = Game(
    name="backgammon",
    title="Backgammon",
    seats=("X", "O"),
    state_size=STATE,
    max_legal=MAX_LEGAL,
    scratch=SCRATCH,
    max_plies=MAX_PLIES,
    max_return=MAX_RETURN,
    rules_version=RULES_VERSION,
    setup=setup,
    mover=mover,
    legal=legal,
    play=play,
    points=points,
    key=key,
    reason=reason,
    format_action=format_action,
    parse_action=parse_action,
    format_position=format_position,
    parse_position=parse_position,
    draw=draw,
    weight=weight,
    evaluate=evaluate,
    features=features,
    playout=playout,
    forfeit_points=forfeit_points,
)
