"""`plyhouse solve GAME [ACTIONS]`: what a position is worth with best play, and how to get it.

    plyhouse solve connect_four 4453

ACTIONS are those from the first position on, one character each.  A score is as in
bots/engine/solvers.py: in connect four 22 minus the number of stones that the winner will have
played, negative when the other side wins, 0 for a draw; for the side to move.
"""

from __future__ import annotations

import argparse
import json
import sys

from bots.analysis.position_score import ScoredPosition, score_position
from bots.bot import Budget
from bots.commands.arguments import BAD_INPUT, BadOption, parse_position
from bots.engine import compiled
from bots.engine.solvers import SOLVERS, signed
from games import registry as games
from games.game import IllegalAction, NotationError, Position


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `plyhouse solve`."""
    parser.add_argument("game", help=" or ".join(sorted(SOLVERS)))
    parser.add_argument("actions", nargs="*", default=[], metavar="ACTIONS", help="such as 4453")
    parser.add_argument("--position", help="begin here, in the game's notation")
    parser.add_argument("--nodes", type=int, help="positions to look at (default: no limit)")
    parser.add_argument("--no-book", action="store_true", help="search, without the opening book")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Solve and print.

    Returns:
        0 solved, 1 if the nodes ended before the proof, 2 for bad input, 130 after a Ctrl-C.
    """
    try:
        position = position_of(args)
        if args.nodes is not None:
            Budget(args.nodes)  # or BadBudget
    except (*BAD_INPUT, IllegalAction, NotationError) as error:
        print(f"plyhouse: {error}", file=sys.stderr)
        return 2
    if compiled.missing():
        print("plyhouse: without numba this takes some fifty times longer", file=sys.stderr)
    scored, interrupted = score_position(position, args.nodes, use_book=not args.no_book)
    if args.json:
        print(json.dumps(scored.row(), indent=1))
    else:
        _print_text(scored)
    if interrupted:
        return 130
    return 0 if scored.solution.proven else 1


def position_of(args: argparse.Namespace) -> Position:
    """The position that the arguments name.

    Raises:
        UnknownGame, NotationError, IllegalAction, BadOption: with what is wrong.
    """
    game = games.game(args.game)
    if game.name not in SOLVERS:
        solved = " and ".join(sorted(SOLVERS))
        raise BadOption(f"{game.name} is too large to be solved; {solved} can be")
    return parse_position(args, "".join(args.actions))


def _print_text(scored: ScoredPosition) -> None:
    """Print it for people."""
    position, solution = scored.position, scored.solution
    print(position.game.draw(position))
    if solution.proven:
        best = " ".join(position.game.format_action(position, action) for action in scored.best)
        print(f"score        {signed(solution.high)}: {_meaning(position, solution.high)}")
        print(f"best         {best}{' (by the book)' if scored.by_book else ''}")
    else:
        print(f"score        from {signed(solution.low)} to {signed(solution.high)}; not proven")
    print(f"nodes        {solution.nodes:,} in {scored.seconds:.3f} s")


def _meaning(position: Position, score: int) -> str:
    """Who wins, and when."""
    if score == 0:
        return "a draw"
    winner = position.to_move if score > 0 else 1 - position.to_move
    stones = SOLVERS[position.game.name].most + 1 - abs(score)
    return f"{position.game.seats[winner]} wins with its stone number {stones}"
