"""`plyhouse bench`: measures server, rules and search, or tries to make it lose something."""

from __future__ import annotations

import argparse

from bench import backgammon, curve, four, growth, kernels, kill, ladder, search, server, strength


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the measurements; each has options of its own."""
    kinds = parser.add_subparsers(metavar="WHAT", required=True)
    speed = kinds.add_parser("server", help="moves a second, latency, CPU and memory")
    server.add_arguments(speed)
    speed.set_defaults(measure=server.run)
    climbing = kinds.add_parser("ladder", help="matches a minute on a ladder; its page and ratings")
    ladder.add_arguments(climbing)
    climbing.set_defaults(measure=ladder.run)
    rules = kinds.add_parser("rules", help="microseconds a move in each game's rules")
    kernels.add_arguments(rules)
    rules.set_defaults(measure=kernels.run)
    searching = kinds.add_parser("search", help="simulations a second beside OpenSpiel's")
    search.add_arguments(searching)
    searching.set_defaults(measure=search.run)
    playing = kinds.add_parser("strength", help="how well the bots play, with error bars")
    strength.add_arguments(playing)
    playing.set_defaults(measure=strength.run)
    rolling = kinds.add_parser("backgammon", help="our net beside GNU Backgammon: points, time")
    backgammon.add_arguments(rolling)
    rolling.set_defaults(measure=backgammon.run)
    learning = kinds.add_parser("curve", help="how the nets of backgammon learnt; a plot")
    curve.add_arguments(learning)
    learning.set_defaults(measure=curve.run)
    solving = kinds.add_parser("four", help="connect four's solver beside the same in C++")
    four.add_arguments(solving)
    solving.set_defaults(measure=four.run)
    growing = kinds.add_parser("growth", help="how a search's time and memory grow; a plot")
    growth.add_arguments(growing)
    growing.set_defaults(measure=growth.run)
    killing = kinds.add_parser("kill", help="kill -9 in the middle of matches: is anything lost?")
    kill.add_arguments(killing)
    killing.set_defaults(measure=kill.run)


def run(args: argparse.Namespace) -> int:
    """Do what was asked."""
    code: int = args.measure(args)
    return code
