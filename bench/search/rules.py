"""`plyhouse bench rules`: what one move costs in each game's rules, in plain Python.

A move is one `legal` and one `play` of a seat: what the server runs for it.  The moves are those of
random games, forced passes among them, always the same under one seed; rolls are not counted.
Setting up states is not measured, the loop around the kernels is.  Figures move with the machine
and the hour, so every round measures every game, and the median of the rounds counts.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
from rich.console import Console

from bench.support.report import Report, complain, output, slim_table
from games import registry
from games.game import CHANCE, END, Game
from games.rng import below, seeded

# Microseconds a move in the games that come with Plyhouse; others have no target.
TARGETS = {
    "backgammon": 150.0,
    "connect_four": 5.0,
    "tic_tac_toe": 5.0,
    "ultimate_tic_tac_toe": 5.0,
}


class RulesTimes(msgspec.Struct, kw_only=True):
    """The figures of one game.  Times are microseconds a move, the median of the rounds."""

    game: str
    legal_us: float
    play_us: float
    both_us: float
    both_low_us: float  # the fastest round
    both_high_us: float  # the slowest
    target_us: float | None
    moves: int  # in each round
    legal_actions: float  # mean of them


class RulesReport(Report, kw_only=True):
    """Everything that was measured."""

    games: int  # random games of each, in each round
    rounds: int
    seed: int
    lines: list[RulesTimes]


@dataclass(slots=True)
class Moves:
    """The moves of some random games: the state before, the action; how many were legal in all."""

    states: list[list[int]]
    actions: list[int]
    legal: int = 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe `plyhouse bench rules`."""
    parser.add_argument("--games", type=int, default=60, help="random games of each (default 60)")
    parser.add_argument("--rounds", type=int, default=5, help="the median counts (default 5)")
    parser.add_argument("--seed", type=int, default=1, help="other random games")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Measure and print; 2 if it could not be measured."""
    if args.games < 1 or args.rounds < 1:
        return complain("rules", "games and rounds start at 1")
    report = measure(args.games, args.rounds, args.seed)
    output(report, args.json, show)
    return 0


def measure(games: int, rounds: int, seed: int) -> RulesReport:
    """Measure every registered game."""
    samples = {name: sample(registry.game(name), games, seed) for name in registry.names()}
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in samples}
    for _ in range(rounds):
        for name, moves in samples.items():
            game = registry.game(name)
            times[name].append((time_legal(game, moves), time_play(game, moves)))
    return RulesReport(
        games=games,
        rounds=rounds,
        seed=seed,
        lines=[_line(name, samples[name], times[name]) for name in samples],
    )


def sample(game: Game, games: int, seed: int) -> Moves:
    """The moves of `games` games in which everybody plays at random and dice fall as they may."""
    rng, out, tmp = seeded(seed), [0] * game.max_legal, [0] * game.scratch
    moves = Moves([], [])
    for _ in range(games):
        state = list(game.initial().state)
        for _ in range(game.max_plies):
            seat, n = game.mover(state), game.legal(state, out, tmp)
            if seat == END:
                break
            if seat == CHANCE:
                action = _rolled(game, state, out[:n], rng)
            else:
                action = out[below(rng, n)]
                moves.states.append(state[:])
                moves.actions.append(action)
                moves.legal += n
            game.play(state, action)
    return moves


def _rolled(game: Game, state: list[int], rolls: Sequence[int], rng: list[int]) -> int:
    """One of these rolls, each as likely as its weight says."""
    assert game.weight is not None, "only dice have a ply of chance"
    lots = [roll for roll in rolls for _ in range(game.weight(state, roll))]
    return lots[below(rng, len(lots))]


def time_legal(game: Game, moves: Moves) -> float:
    """Microseconds that `legal` takes, on average over the moves."""
    legal, out, tmp = game.legal, [0] * game.max_legal, [0] * game.scratch
    start = time.perf_counter()
    for state in moves.states:
        legal(state, out, tmp)
    return (time.perf_counter() - start) / len(moves.states) * 1e6


def time_play(game: Game, moves: Moves) -> float:
    """Microseconds that `play` takes, on average over the moves."""
    play, states = game.play, [state[:] for state in moves.states]
    start = time.perf_counter()
    for state, action in zip(states, moves.actions, strict=True):
        play(state, action)
    return (time.perf_counter() - start) / len(states) * 1e6


def _line(name: str, moves: Moves, times: Sequence[tuple[float, float]]) -> RulesTimes:
    both = [legal + play for legal, play in times]
    return RulesTimes(
        game=name,
        legal_us=statistics.median(legal for legal, _ in times),
        play_us=statistics.median(play for _, play in times),
        both_us=statistics.median(both),
        both_low_us=min(both),
        both_high_us=max(both),
        target_us=TARGETS.get(name),
        moves=len(moves.states),
        legal_actions=moves.legal / len(moves.states),
    )


def show(report: RulesReport) -> None:
    """Print the report for people."""
    title = f"Rules in plain Python, us a move, {report.games} random games each"
    table = slim_table(title, ["game"], ["legal", "play", "both", "range", "target"])
    for row in report.lines:
        target = "" if row.target_us is None else f"{row.target_us:g}"
        table.add_row(
            row.game,
            f"{row.legal_us:.1f}",
            f"{row.play_us:.1f}",
            f"{row.both_us:.1f}",
            f"{row.both_low_us:.1f} to {row.both_high_us:.1f}",
            target,
        )
    console = Console()
    console.print(table)
    console.print(f"{report.place}, median of {report.rounds} rounds.")
    for row in report.lines:
        if row.target_us is not None and row.both_us > row.target_us:
            console.print(f"OVER ITS TARGET: {row.game}")
