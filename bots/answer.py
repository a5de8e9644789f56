"""`plyhouse solve GAME [ACTIONS]`: what a position is worth with best play, and how to get it.

    plyhouse solve connect_four 4453

ACTIONS are those from the first position on, one character each.  A score is what bots/solve.py
calls one: in connect four 22 minus the number of stones that the winner will have played, negative
when the other side wins, 0 for a draw; for the side to move.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from bots import book, compiled
from bots.bot import BadBudget, Budget
from bots.solve import PLENTY, SOLVERS, Solution, Solver, Spent, signed, solver
from bots.terms import BadTerms
from games import registry as games
from games.game import END, IllegalAction, NotationError, Position
from games.registry import UnknownGame


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found out.

    best      the actions that get the score, one of them only `by_book`; empty without a proof
    seconds   without loading and compiling
    """

    position: Position
    solution: Solution
    best: list[int]
    seconds: float
    by_book: bool = False

    def row(self) -> dict[str, Any]:
        """As JSON has it."""
        game, found = self.position.game, self.solution
        return {
            "game": game.name,
            "position": game.format_position(self.position),
            "mover": self.position.to_move,
            "score": found.high if found.proven else None,
            "low": found.low,
            "high": found.high,
            "best": [game.format_action(self.position, action) for action in self.best],
            "book": self.by_book,
            "nodes": found.nodes,
            "seconds": round(self.seconds, 6),
        }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `plyhouse solve`."""
    parser.add_argument("game", help=" or ".join(sorted(SOLVERS)))
    parser.add_argument("actions", nargs="*", metavar="ACTIONS", help="such as 4453")
    parser.add_argument("--position", help="begin here, in the game's notation")
    parser.add_argument("--nodes", type=int, help="positions to look at (default: all it takes)")
    parser.add_argument("--no-book", action="store_true", help="search, whatever the book says")
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
    except (BadBudget, BadTerms, UnknownGame, IllegalAction, NotationError) as error:
        print(f"plyhouse: {error}", file=sys.stderr)
        return 2
    found, broken = answer(position, args.nodes, use_book=not args.no_book)
    if args.json:
        print(json.dumps(found.row(), indent=1))
    else:
        show(found)
    if broken:
        return 130
    return 0 if found.solution.proven else 1


def position_of(args: argparse.Namespace) -> Position:
    """The position that is asked about.

    Raises:
        UnknownGame, NotationError, IllegalAction, BadTerms: with what is wrong.
    """
    game = games.game(args.game)
    if game.name not in SOLVERS:
        able = " and ".join(sorted(SOLVERS))
        raise BadTerms(f"{game.name} is too large to be solved; {able} can be")
    position = game.parse_position(args.position) if args.position else game.initial()
    for text in "".join(args.actions):
        if position.to_move == END:
            raise BadTerms(f"the game is over in {position}, before {text}")
        action = game.parse_action(position, text)
        if action not in position.legal_actions():
            raise IllegalAction(position, action, text)
        position = position.apply(action)
    if position.to_move == END:
        raise BadTerms(f"the game is over in {position}")
    return position


def answer(position: Position, nodes: int | None, *, use_book: bool) -> tuple[Answer, bool]:
    """What is found within `nodes`, and whether a Ctrl-C ended it."""
    told = _by_book(position) if use_book else None
    if told is not None:
        return told, False
    search = _solver(position)
    stop = compiled.ints(1)
    began = time.perf_counter()
    with ThreadPoolExecutor(1) as worker:  # compiled code on this thread would not hear of a Ctrl-C
        work = worker.submit(_solve, search, position, PLENTY if nodes is None else nodes, stop)
        try:
            found, best = work.result()
        except KeyboardInterrupt:
            stop[0] = 1
            found, best = work.result()
    return Answer(position, found, best, time.perf_counter() - began), bool(stop[0])


def _solve(search: Solver, position: Position, nodes: int, stop: Any) -> tuple[Solution, list[int]]:
    """The score, and if it is proven, the actions that get it: all, or the one that is known."""
    found = search.solve(position, nodes, stop)
    if not found.proven:
        return found, []
    try:
        return found, search.all_best(position, found.high, stop)
    except Spent:
        return found, [found.best]


def _solver(position: Position) -> Solver:
    """A solver, loaded and compiled, and with a large table where that helps."""
    game = position.game
    if game.name != "connect_four":
        return solver(game)
    if not compiled.ready("four", game):
        print("plyhouse: compiling the search, once", file=sys.stderr)
    search = solver(game, wide=compiled.available() and position.state[2] < book.PLIES)
    search.solve(game.initial(), 10, compiled.ints(1))
    compiled.compiled_whole("four", game)
    return search


def _by_book(position: Position) -> Answer | None:
    if position.game.name != "connect_four":
        return None
    try:
        told = book.read().look(position)
    except book.BadBook as error:
        print(f"plyhouse: {error}; it goes without", file=sys.stderr)
        return None
    if told is None:
        return None
    score, action = told
    return Answer(position, Solution(score, score, action, 0), [action], 0.0, by_book=True)


def show(found: Answer) -> None:
    """Print it for people."""
    row, position, solution = found.row(), found.position, found.solution
    game = position.game
    print(game.draw(position))
    if solution.proven:
        print(f"score        {signed(solution.high)}: {_meaning(found)}")
        print(f"best         {' '.join(row['best'])}{' (by the book)' if found.by_book else ''}")
    else:
        print(f"score        from {signed(solution.low)} to {signed(solution.high)}; not proven")
    print(f"nodes        {solution.nodes:,} in {found.seconds:.3f} s")


def _meaning(found: Answer) -> str:
    """Who wins, and when."""
    position, score = found.position, found.solution.high
    if score == 0:
        return "a draw"
    winner = position.to_move if score > 0 else 1 - position.to_move
    stones = SOLVERS[position.game.name].most + 1 - abs(score)
    return f"{position.game.seats[winner]} wins with its stone number {stones}"
