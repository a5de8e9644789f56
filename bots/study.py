"""`plyhouse think GAME [ACTION...]`: one choice of one bot, here, and all that led to it.

No server and no match: a position, a bot and a budget in; its action, its candidates and its tree
out.  `--tree` writes the tree for study, as JSON or, for Graphviz, as DOT.  Numbers of a candidate
are seen by the seat to move, those in a written tree by seat 0.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import secrets
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bots import readiness, registry, terms
from bots.app import BAD_INPUT
from bots.bot import Bot, Budget, Choice, spelt
from bots.search.uct import NODE
from bots.terms import BadTerms, Entry, Terms
from bots.tree import Candidate, Tree
from games import registry as games
from games.game import CHANCE, END, IllegalAction, NotationError, Position

FORMS: Final = (".json", ".dot")
DEEPEST: Final = 100  # plies of a written tree: it is written by recursion
SHAPES: Final = {0: "box", 1: "ellipse", CHANCE: "diamond", END: "doubleoctagon"}


class NoTree(ValueError):
    """A tree is asked of a bot that has none, or had none for this choice; it names others."""


@dataclass(frozen=True, slots=True)
class Study:
    """What came of one choice.

    seconds   what it took, without compiling
    trees     those that it was read from, one a thread; none if the bot grows no tree
    """

    position: Position
    entry: Entry
    budget: Budget
    choice: Choice
    seconds: float
    candidates: list[Candidate]
    trees: tuple[Tree, ...] = ()

    @property
    def size(self) -> int:
        """How many nodes all trees have."""
        return sum(tree.size for tree in self.trees)

    @property
    def line(self) -> list[str]:
        """The principal variation in notation, of the first tree that agrees with the choice."""
        lines = [tree.principal_variation() for tree in self.trees]
        agreed = [line for line in lines if line[:1] == [self.choice.action]]
        return list(_spoken(self.position, (agreed or lines or [[]])[0]))

    def row(self) -> dict[str, Any]:
        """All but the trees, as JSON has it."""
        write = self.position.game.format_action
        return {
            "game": self.position.game.name,
            "position": self.position.game.format_position(self.position),
            "mover": self.position.to_move,
            "bot": self.entry.program,
            "settings": self.entry.settings,
            "seed": self.entry.seed,
            "budget": {"nodes": self.budget.nodes, "ms": self.budget.ms},
            "action": write(self.position, self.choice.action),
            "value": self.choice.value,
            "nodes": self.choice.nodes,
            "seconds": round(self.seconds, 6),
            "note": self.choice.note,
            "size": self.size,
            "line": self.line,
            "candidates": [
                {
                    "action": write(self.position, c.action),
                    "visits": c.visits,
                    "value": c.value,
                    "proven": c.proven,
                }
                for c in self.candidates
            ],
        }


def _spoken(position: Position, line: list[int]) -> Iterator[str]:
    for action in line:
        yield position.game.format_action(position, action)
        position = position.apply(action)


def study(position: Position, entry: Entry, budget: Budget) -> Study:
    """Let a fresh bot choose; Ctrl-C ends its thinking, and what it has found by then counts."""
    bot: Bot = registry.bot(entry.program, seed=entry.seed, **entry.settings)
    stop = bot.flag()
    began = time.perf_counter()
    with ThreadPoolExecutor(1) as worker:  # compiled code on this thread would not hear of a Ctrl-C
        work = worker.submit(bot.choose, position, budget, stop)
        try:
            choice = work.result()
        except KeyboardInterrupt:
            stop[0] = 1
            choice = work.result()
    seconds = time.perf_counter() - began
    forest = bot.forest()
    if forest is None:
        return Study(position, entry, budget, choice, seconds, [])
    found = forest.candidates()
    return Study(position, entry, budget, choice, seconds, found, tuple(forest.trees))


# ---------------------------------------------------------------- the tree as a file


def trees(found: Study, least: int | None, depth: int) -> list[dict[str, Any]]:
    """Each tree as Tree.dump tells it, with every action also in `notation`.

    `least` None: nodes with a hundredth of the root's visits.
    """
    return [
        named(tree.dump(tree.visits // 100 if least is None else least, depth), found.position)
        for tree in found.trees
    ]


def named(node: dict[str, Any], position: Position) -> dict[str, Any]:
    """A dump of `position` and what is below it, with its actions in notation."""
    children = []
    for child in node["children"]:
        notation = position.game.format_action(position, child["action"])
        below = named(child, position.apply(child["action"]))
        children.append({"notation": notation, **below})
    return {**node, "children": children}


def dot(roots: list[dict[str, Any]], title: str) -> str:
    """Trees from `trees` in the DOT language.

    A node shows visits and the value for seat 0, an edge the action; the shape is by who is to move
    (box: seat 0, ellipse: seat 1, diamond: dice, octagon: over), a proven node is grey.
    """
    lines = [f"digraph {_quoted(title)} {{", "  node [fontsize=10];", "  edge [fontsize=10];"]
    todo = [(root, "") for root in reversed(roots)]
    number = 0
    while todo:
        node, parent = todo.pop()
        sure = "=" if node["proven"] else ""
        label = _quoted(f"{node['visits']}\n{sure}{node['value']:+.3f}")
        looks = f"shape={SHAPES.get(node['mover'], 'box')}"
        looks += ", style=filled, fillcolor=lightgrey" if node["proven"] else ""
        lines.append(f"  n{number} [label={label}, {looks}];")
        if parent:
            lines.append(f"  {parent} -> n{number} [label={_quoted(node['notation'])}];")
        todo += [(child, f"n{number}") for child in reversed(node["children"])]
        number += 1
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    """A text as a string of DOT."""
    safe = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{safe}"'


def write(found: Study, path: Path, least: int | None, depth: int) -> None:
    """Write the trees into a file, in the form that its name asks for.

    Raises:
        NoTree: when there is none.
        OSError: when it cannot be written.
    """
    if not found.trees:
        raise NoTree(f"{found.entry.program} grew no tree for this choice; mcts always does")
    roots = trees(found, least, depth)
    if path.suffix == ".dot":
        text = dot(roots, f"{found.entry.program}: {found.position}")
    else:
        text = json.dumps({**found.row(), "trees": roots}, indent=1) + "\n"
    path.write_text(text, encoding="utf-8")


# ---------------------------------------------------------------- the command


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `plyhouse think`."""
    parser.add_argument("game", metavar="GAME", help=", ".join(games.names()))
    parser.add_argument("actions", nargs="*", metavar="ACTION", help="what was played; rolls, too")
    parser.add_argument("--position", help="begin with this instead of the first one")
    parser.add_argument(
        "--bot", default="mcts", help=f"{', '.join(registry.names())}; mcts if none"
    )
    parser.add_argument("--nodes", type=int, help="nodes to spend")
    parser.add_argument("--ms", type=int, help="milliseconds to spend")
    parser.add_argument("--level", type=int, help="strength, 1 to 8, for bots that have levels")
    parser.add_argument(
        "--set", action="append", default=[], metavar="K=V", help="a setting, such as exploration=2"
    )
    parser.add_argument("--seed", type=int, help="of the random numbers (default: a fresh one)")
    parser.add_argument("--json", action="store_true", help="print it as JSON")
    parser.add_argument("--tree", type=Path, metavar="FILE", help="write the tree: .json or .dot")
    parser.add_argument(
        "--least", type=int, metavar="V", help="... nodes of V visits (default: a 100th of all)"
    )
    parser.add_argument(
        "--depth", type=int, default=4, metavar="D", help="... and D plies deep (default: 4)"
    )


def run(args: argparse.Namespace) -> int:
    """Think and print.

    Returns:
        0 done, 1 if the file cannot be written, 2 for bad input.
    """
    logging.basicConfig(stream=sys.stderr, format="%(message)s")
    try:
        position = position_of(args)
        entry = entry_of(args)
        _check_file(args, entry)
        budget = Terms(entry.program, entry.seed, entry.budget, entry.settings).budget_at(None)
        asyncio.run(readiness.prepare([entry], lambda text: print(text, file=sys.stderr)))
        found = study(position, entry, budget)
        if args.json:
            print(json.dumps(found.row(), indent=1))
        else:
            show(found)
        if args.tree is not None:
            return _write(found, args)
    except (*BAD_INPUT, IllegalAction, NotationError, NoTree) as error:
        print(f"plyhouse: {error}", file=sys.stderr)
        return 2
    return 0


def _write(found: Study, args: argparse.Namespace) -> int:
    """Write the tree, and say where."""
    try:
        write(found, args.tree, args.least, args.depth)
    except OSError as error:
        print(f"plyhouse: {args.tree} cannot be written: {error.strerror}", file=sys.stderr)
        return 1
    print(f"plyhouse: the tree is in {args.tree}", file=sys.stderr)
    return 0


def position_of(args: argparse.Namespace) -> Position:
    """The position that is asked about.

    Raises:
        UnknownGame, NotationError, IllegalAction: with what is wrong.
        BadTerms: when no seat is to move there.
    """
    game = games.game(args.game)
    position = game.parse_position(args.position) if args.position else game.initial()
    for text in args.actions:
        action = game.parse_action(position, text)
        if action not in position.legal_actions():
            raise IllegalAction(position, action, text)
        position = position.apply(action)
    if position.to_move == END:
        raise BadTerms(f"the game is over in {position}")
    if position.to_move == CHANCE:
        rolls = ", ".join(position.legal_notation()[:3])
        raise BadTerms(f"dice are to be rolled in {position}; give a roll, too, such as {rolls}")
    return position


def entry_of(args: argparse.Namespace) -> Entry:
    """The bot that is asked, as it would enter a house.

    Raises:
        one of BAD_INPUT: with what is allowed.
    """
    return terms.entry(
        args.bot,
        seed=secrets.randbits(32) if args.seed is None else args.seed,
        only=(args.game,),
        budget=terms.parse_budget(args.bot, nodes=args.nodes, ms=args.ms, level=args.level),
        settings=terms.parse_settings(args.set),
    )


def _check_file(args: argparse.Namespace, entry: Entry) -> None:
    """Refuse before thinking what could not be written after it."""
    if args.tree is not None and args.tree.suffix not in FORMS:
        raise BadTerms(f"--tree {args.tree}: its name must end in {' or '.join(FORMS)}")
    if args.tree is not None and entry.kind.forest is Bot.forest:  # which gives none, ever
        raise NoTree(f"{entry.program} never grows a tree; mcts does, and hybrid early in a match")
    if args.least is not None and args.least < 1:
        raise BadTerms(f"--least must be 1 or more, not {args.least}")
    if not 0 <= args.depth <= DEEPEST:
        raise BadTerms(f"--depth must be 0 to {DEEPEST}, not {args.depth}")


def show(found: Study) -> None:
    """Print it for people."""
    row, position = found.row(), found.position
    print(position.game.draw(position))
    print(_title(found))
    print(f"action       {row['action']}, value {row['value']:+.3f}")
    spent = "simulations" if found.trees else "nodes"
    print(f"{spent:12} {found.choice.nodes:,} in {found.seconds:.3f} s")
    if not found.trees:
        print(f"it says      {found.choice.note or 'nothing'}")
        return
    print(f"tree         {found.size:,} nodes, {found.size * NODE * 8 / 1e6:.1f} MB")
    print(f"expected     {', '.join(row['line'])}")
    width = max(6, *(len(c["action"]) for c in row["candidates"])) if row["candidates"] else 6
    print(f"\n{'action':{width}}  {'visits':>10}   value")
    for c in row["candidates"]:
        sure = " proven" if c["proven"] else ""
        print(f"{c['action']:{width}}  {c['visits']:10,}  {c['value']:+.3f}{sure}")


def _title(found: Study) -> str:
    """Who thinks: "mcts 500 nodes exploration=2.0, seed 7"."""
    words = [found.entry.program]
    words += [f"{found.budget.nodes} nodes"] if found.budget.nodes is not None else []
    words += [f"{found.budget.ms} ms"] if found.budget.ms is not None else []
    usual = {setting.name: setting.default for setting in found.entry.kind.SETTINGS}
    words += [f"{k}={spelt(v)}" for k, v in found.entry.settings.items() if v != usual.get(k)]
    return f"{' '.join(words)} for {_seat(found)}, seed {found.entry.seed}"


def _seat(found: Study) -> str:
    return found.position.game.seats[found.position.to_move]
