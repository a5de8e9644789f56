"""Ultimate tic-tac-toe: nine boards make a large one, and a cell sends the opponent to a board.

    1 2 3      Boards are numbered like this, and so are the cells of each.  An action is a board
    4 5 6      and a cell, "11" to "99": the opponent has to answer on the board of that cell's
    7 8 9      number, or, where it is closed, on any open one.  A board with three in a row is won;
               one that is won or full is closed.  Three boards in a row win; when all are closed
               without, it is a draw.  Seat 0 is X and moves first.

rules.py       the state and the kernels of the rules
tactics.py     what wins at once, and what must be blocked
evaluation.py  what a position looks worth, in three ways
playouts.py    random games, for search
notation.py    how actions and positions are written and read
drawing.py     the boards as text
"""

from __future__ import annotations

from games.game import Game
from games.ultimate_tic_tac_toe.drawing import draw
from games.ultimate_tic_tac_toe.evaluation import boards, lines, rich
from games.ultimate_tic_tac_toe.notation import (
    format_action,
    format_position,
    parse_action,
    parse_position,
)
from games.ultimate_tic_tac_toe.playouts import playout
from games.ultimate_tic_tac_toe.rules import (
    MAX_LEGAL,
    MAX_PLIES,
    MAX_RETURN,
    RULES_VERSION,
    SCRATCH,
    STATE,
    key,
    legal,
    mover,
    play,
    points,
    reason,
    setup,
)
from games.ultimate_tic_tac_toe.tactics import tactic

GAME = Game(
    name="ultimate_tic_tac_toe",
    title="Ultimate tic-tac-toe",
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
    evaluate=rich,
    evaluations={"rich": rich, "lines": lines, "boards": boards},
    tactic=tactic,
    playout=playout,
)
