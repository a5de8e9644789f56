"""`plyhouse think GAME [ACTION...]`: one choice of one bot, here, and all that led to it.

No server and no match: a position, a bot and a budget in; its action, its candidates and its tree
out.  `--tree` writes the tree as JSON or, for Graphviz, as DOT; `--page` writes a page in which the
search is seen step by step.  The values of candidates are those of the seat to move, those in a
written tree seat 0's.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import sys
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Final

from bots import registry
from bots.bot import NO_LIMIT, Budget
from bots.commands import arguments
from bots.commands.arguments import BAD_INPUT, BadOption
from bots.engine.kernels.uct import NODE
from bots.engine.tree import GrowsTrees
from bots.online import readiness
from bots.online.entry import Entry, make_entry, usual_budget
from games import registry as games
from games.game import CHANCE, IllegalAction, NotationError, Position
from lab.tracing.choice import MAX_DEPTH, SUFFIXES, AnalysedChoice, NoTree, choose, write_trees
from lab.tracing.page_file import DRAWN, write_page
from lab.tracing.trace import NoTrace, record, watchable

USUAL_LEVEL: Final = 6  # by default: strong, and done in a fraction of a second
NODES_A_PLAY: Final = 4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `plyhouse think`."""
    parser.add_argument("game", metavar="GAME", help=", ".join(games.names()))
    parser.add_argument(
        "actions", nargs="*", default=[], metavar="ACTION", help="played before, with rolls"
    )
    parser.add_argument("--position", help="begin here, in the game's notation")
    parser.add_argument(
        "--bot", help=f"{registry.described()} (default: mcts, or the first --engine)"
    )
    arguments.add_engines(parser)
    arguments.add_strength(parser)
    parser.add_argument("--seed", type=int, help="of the random numbers (default: a fresh one)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--tree", type=Path, metavar="FILE", help="write the tree: .json or .dot")
    parser.add_argument(
        "--page", type=Path, metavar="FILE", help="write a page that shows the search: .html"
    )
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
        _check_tree_options(args, entry)
        _check_page_options(args, entry, position)
        budget = entry.budget or _usual_budget(entry, position)
        asyncio.run(readiness.prepare([entry], lambda text: print(text, file=sys.stderr)))
        with redirect_stdout(sys.stderr):  # what the bot prints is no result
            analysed = choose(position, entry, budget)
        if args.json:
            print(json.dumps(analysed.row(), indent=1))
        else:
            _print_text(analysed)
        failed = args.tree is not None and _write_trees(analysed, args)
        return int((args.page is not None and _write_page(analysed, args)) or failed)
    except (*BAD_INPUT, IllegalAction, NotationError, NoTree, NoTrace) as error:
        print(f"plyhouse: {error}", file=sys.stderr)
        return 2


def _usual_budget(entry: Entry, position: Position) -> Budget:
    """What a choice may cost by default: enough to look at all plays, and at some twice."""
    level = usual_budget(entry.program, entry.settings, USUAL_LEVEL)
    if level.nodes is None or level == NO_LIMIT:  # an engine, which keeps its own time, or a depth
        return level
    plays = len(position.legal_actions())
    return replace(level, nodes=max(level.nodes, NODES_A_PLAY * plays))


def _write_trees(analysed: AnalysedChoice, args: argparse.Namespace) -> int:
    """Write the trees, and say where."""
    try:
        write_trees(analysed, args.tree, args.least, args.depth)
    except OSError as error:
        print(f"plyhouse: {args.tree} cannot be written: {error.strerror}", file=sys.stderr)
        return 1
    print(f"plyhouse: the tree is in {args.tree}", file=sys.stderr)
    return 0


def _write_page(analysed: AnalysedChoice, args: argparse.Namespace) -> int:
    """Have the bot think once more, step by step, and write the page of it; say where it is."""
    trace = record(analysed, drawn=analysed.position.game.name not in DRAWN)
    try:
        write_page(trace, args.page)
    except OSError as error:
        print(f"plyhouse: {args.page} cannot be written: {error.strerror}", file=sys.stderr)
        return 1
    part = ""
    if trace["cut"]:
        unit = "positions" if trace["kind"] == "window" else "simulations"
        part = f"; it shows the first {trace['recorded']:,} of {trace['nodes']:,} {unit}"
    print(f"plyhouse: the search is in {args.page}{part}", file=sys.stderr)
    return 0


def position_of(args: argparse.Namespace) -> Position:
    """The position that the arguments name.

    Raises:
        UnknownGame, NotationError, IllegalAction: with what is wrong.
        BadOption: when no seat is to move there.
    """
    position = arguments.parse_position(args, args.actions)
    if position.to_move == CHANCE:
        rolls = ", ".join(position.legal_notation()[:3])
        raise BadOption(f"dice are to be rolled in {position}; add a roll, such as {rolls}")
    return position


def entry_of(args: argparse.Namespace) -> Entry:
    """The bot that is to think, as it would enter a server.

    Raises:
        one of BAD_INPUT: with what is allowed.
    """
    engines = arguments.make_engines(args, (args.game,))
    bot = args.bot or (engines[0] if engines else "mcts")
    return make_entry(
        bot,
        seed=arguments.seed_of(args),
        only=(args.game,),
        budget=arguments.parse_budget(bot, nodes=args.nodes, ms=args.ms, level=args.level),
        settings=arguments.parse_settings(args.set),
    )


def _check_tree_options(args: argparse.Namespace, entry: Entry) -> None:
    """Refuse before thinking what could not be written after it."""
    if args.tree is not None and args.tree.suffix not in SUFFIXES:
        raise BadOption(f"--tree {args.tree}: its name must end in {' or '.join(SUFFIXES)}")
    if args.tree is not None and not issubclass(entry.bot_class, GrowsTrees):
        raise NoTree(f"{entry.program} never grows a tree; mcts does, and hybrid early in a match")
    if args.least is not None and args.least < 1:
        raise BadOption(f"--least must be 1 or more, not {args.least}")
    if not 0 <= args.depth <= MAX_DEPTH:
        raise BadOption(f"--depth must be 0 to {MAX_DEPTH}, not {args.depth}")


def _check_page_options(args: argparse.Namespace, entry: Entry, position: Position) -> None:
    """Refuse before thinking what a page could not show after it."""
    if args.page is None:
        return
    if args.page.suffix != ".html":
        raise BadOption(f"--page {args.page}: its name must end in .html")
    watchable(entry, position)


def _plays(analysed: AnalysedChoice) -> str:
    """How many of the legal plays were looked at, where that was not each of them."""
    plays = len(analysed.position.legal_actions())
    looked_at = sum(c.visits > 0 for c in analysed.candidates) if analysed.trees else plays
    looked_at = min(looked_at, max(1, analysed.choice.nodes))
    if looked_at == plays or not analysed.entry.bot_class.LEVELS or not _is_spent(analysed):
        return ""
    return (
        f"plays        {looked_at:,} of {plays:,} looked at; more nodes, or a higher level, see all"
    )


def _is_spent(analysed: AnalysedChoice) -> bool:
    """Whether the budget ended the choice; else more of it would change nothing."""
    nodes, ms = analysed.budget.nodes, analysed.budget.ms
    out_of_nodes = nodes is not None and analysed.choice.nodes >= nodes
    return out_of_nodes or (ms is not None and 1000 * analysed.seconds >= ms)


def _print_text(analysed: AnalysedChoice) -> None:
    """Print it for people."""
    position, choice = analysed.position, analysed.choice
    row = analysed.row()
    print(position.game.draw(position, position.to_move))  # whose numbers the plays have
    print(_title(analysed))
    most = position.game.max_return
    points = f": {most * choice.value:+.3f} points, 1 is {most}" if 1 < most <= 3 else ""
    print(f"action       {row['action']}, value {choice.value:+.3f}{points}")
    if plays := _plays(analysed):
        print(plays)
    unit = "simulations" if analysed.trees else "nodes"
    print(f"{unit:12} {choice.nodes:,} in {analysed.seconds:.3f} s")
    if choice.cut:
        print("cut          the budget ended it before the depth that is set")
    if not analysed.trees:
        print(f"note         {choice.note or 'none'}")
        return
    print(f"tree         {analysed.size:,} nodes, {analysed.size * NODE * 8 / 1e6:.1f} MB")
    print(f"expected     {', '.join(row['line'])}")
    width = max([6, *(len(c["action"]) for c in row["candidates"])])
    print(f"\n{'action':{width}}  {'visits':>10}   value")
    for c in row["candidates"]:
        proven = " proven" if c["proven"] else ""
        print(f"{c['action']:{width}}  {c['visits']:10,}  {c['value']:+.3f}{proven}")


def _title(analysed: AnalysedChoice) -> str:
    """Who thinks: "mcts 500 nodes exploration=2.0 for X, seed 7"."""
    position, entry = analysed.position, analysed.entry
    seat = position.game.seats[position.to_move]
    return f"{entry.title(analysed.budget)} for {seat}, seed {entry.seed}"
