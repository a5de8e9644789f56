"""Backgammon with the doubling cube: games of money, and those of a match to points.

The board, its turns and their notation are those of games/backgammon, the one game that another
one is made of.
"""

from __future__ import annotations

from functools import partial

from games.backgammon.rules import weight
from games.backgammon_cube import actions, positions, rules, starts
from games.backgammon_cube.drawing import draw
from games.game import Game

GAME = Game(
    name="backgammon_cube",
    title="Backgammon with the cube",
    seats=("X", "O"),
    state_size=rules.STATE,
    max_legal=rules.MAX_LEGAL,
    scratch=rules.SCRATCH,
    max_plies=rules.MAX_PLIES,
    max_return=rules.MAX_RETURN,
    rules_version=rules.RULES_VERSION,
    setup=rules.setup,
    mover=rules.mover,
    legal=rules.legal,
    play=rules.play,
    points=rules.points,
    key=rules.key,
    reason=rules.reason,
    format_action=actions.format_action,
    parse_action=actions.parse_action,
    format_state=positions.format_state,
    parse_state=positions.parse_state,
    draw=draw,
    draw_over=partial(draw, over=True),
    weight=weight,
    forfeit_points=rules.forfeit_points,
    resign_points=rules.resign_points,
    begin=starts.begin,
    trials=starts.TRIALS,
    special=True,
    draws=False,
)
