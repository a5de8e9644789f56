"""Backgammon: 15 checkers a side, two dice, and a whole turn as one action."""

from __future__ import annotations

from functools import partial

from games.backgammon import positions, rules, turns
from games.backgammon.drawing import draw
from games.backgammon.evaluation import evaluate, features
from games.backgammon.playouts import playout
from games.game import Game

GAME = Game(
    name="backgammon",
    title="Backgammon",
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
    format_action=turns.format_action,
    parse_action=turns.parse_action,
    format_state=positions.format_state,
    parse_state=positions.parse_state,
    draw=draw,
    draw_over=partial(draw, over=True),
    weight=rules.weight,
    evaluate=evaluate,
    features=features,
    playout=playout,
    forfeit_points=rules.forfeit_points,
    resign_points=rules.resign_points,
    draws=False,
)
