"""Ultimate tic-tac-toe: nine boards make a large one, and a cell sends the opponent to a board.

1 2 3      Boards are numbered like this, and so are the cells of each.  An action is a board
4 5 6      and a cell, "11" to "99": the opponent has to answer on the board of that cell's
7 8 9      number, or, where it is closed, on any open one.  A board with three in a row is won;
           one that is won or full is closed.  Three boards in a row win; when all are closed
           without, it is a draw.  Seat 0 is X and moves first.
"""

from __future__ import annotations

from functools import partial

from games.game import SQUARE, Game
from games.ultimate_tic_tac_toe import notation, rules
from games.ultimate_tic_tac_toe.drawing import draw
from games.ultimate_tic_tac_toe.evaluation import boards, lines, rich
from games.ultimate_tic_tac_toe.playouts import playout
from games.ultimate_tic_tac_toe.tactics import tactic

GAME = Game(
    name="ultimate_tic_tac_toe",
    title="Ultimate tic-tac-toe",
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
    format_action=notation.ACTIONS,
    parse_action=notation.parse_action,
    format_state=notation.format_state,
    parse_state=notation.parse_state,
    draw=draw,
    draw_over=partial(draw, over=True),
    symmetries=SQUARE,  # a cell sends to the board of its number: both turn together
    evaluate=rich,
    evaluations={"rich": rich, "lines": lines, "boards": boards},
    tactic=tactic,
    playout=playout,
)
