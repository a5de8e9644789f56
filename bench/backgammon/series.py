"""`plyhouse bench series`: matches to points against GNU Backgammon, with the cube.

Each pair is two matches with the same dice: of ply n of game m in both, as long as they last that
long.  `gammon` and GNU Backgammon play as the bots of these names, each with as many plies for its
turns as for the cube.  What a roll was worth is the chance to win the match after it, without
lookahead, less its average over all rolls; that is taken out of the results, as in
bench/backgammon/match.py, and the chances are those that matches are analysed by.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

import msgspec
from rich.console import Console

from bench.backgammon.match import Interval, interval, rolled
from bench.support.report import (
    Missing,
    Report,
    code_text,
    complain,
    output,
    progress,
    slim_table,
)
from bots.analysis.cube_equity import CubeAnalyst
from bots.backgammon.judge import nets_file
from bots.backgammon.weights import BadWeights
from bots.bot import MAX_NODES, Bot, Budget, CannotPlay
from bots.engine import compiled
from bots.farm import where
from bots.farm.executor import Task, in_order, kept
from bots.farm.farm import open_executor
from bots.roster.gammon import Gammon
from bots.roster.gnubg import GnuBackgammon
from games import registry
from games.backgammon_cube.starts import LONGEST
from games.game import CHANCE, END, Game, Ints, MatchTerms, Position
from protocol.parts import Result, Seat, Series
from protocol.series import after, begin

WITH_CUBE: Final = registry.game("backgammon_cube")
GOALS: Final = (50.0, 52.0)  # per cent of the matches: at least, and to aim at
CHUNK: Final = 2  # pairs that a process plays before it says how they ended
GAMES: Final = 64  # more than any match has: pair and game make one number
BUDGET: Final = Budget(nodes=MAX_NODES)

Player: TypeAlias = Callable[[Position], int]


class MatchPair(msgspec.Struct, frozen=True):
    """How we did in two matches with the same dice.

    won     which of them: 1 or 0 each
    luck    by how much our rolls improved our chances more than theirs did, in each
    """

    won: tuple[int, int]
    luck: tuple[float, float]

    @property
    def raw(self) -> float:
        """Matches won, in per cent."""
        return 50.0 * sum(self.won)

    @property
    def adjusted(self) -> float:
        """The same, the luck taken out."""
        return 50.0 * (sum(self.won) - sum(self.luck))


class SeriesReport(Report, kw_only=True):
    """How many matches we won, in per cent."""

    points: int
    plies: int
    their_plies: int
    pairs: int
    raw: Interval
    adjusted: Interval
    games: float  # of a match, on average
    seconds: float
    weights: str
    seed: int
    compiled: bool


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe `plyhouse bench series`."""
    parser.add_argument("--points", type=int, default=7, metavar="N", help="of a match (7)")
    parser.add_argument("--pairs", type=int, default=100, metavar="N", help="of matches (100)")
    parser.add_argument(
        "--plies", type=int, default=1, choices=(0, 1, 2), help="that we look ahead (1)"
    )
    parser.add_argument(
        "--their-plies", type=int, default=0, choices=(0, 1, 2), help="that they do (0)"
    )
    parser.add_argument("--processes", type=int, default=1, metavar="N", help="for the matches (1)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Play and print; 1 if GNU Backgammon is missing, 2 if nothing can be measured."""
    if not 1 <= args.points <= LONGEST or min(args.pairs, args.processes) < 1:
        wanted = f"a match has 1 to {LONGEST} points; pairs and processes start at 1"
        return complain("series", ValueError(wanted))
    if (missing := GnuBackgammon.missing()) is not None:
        complain("series", Missing(missing))
        return 1
    began = time.perf_counter()
    try:
        played = _contest(args)
    except (BadWeights, CannotPlay) as error:
        return complain("series", error)
    pairs = [pair for pair, _ in played]
    report = SeriesReport(
        points=args.points,
        plies=args.plies,
        their_plies=args.their_plies,
        pairs=len(pairs),
        raw=interval([pair.raw for pair in pairs]),
        adjusted=interval([pair.adjusted for pair in pairs]),
        games=sum(games for _, games in played) / (2 * len(pairs)),
        seconds=time.perf_counter() - began,
        weights=nets_file().name,
        seed=args.seed,
        compiled=compiled.available(),
    )
    output(report, args.json, show)
    return 0


@dataclass(frozen=True, slots=True)
class SeriesTask:
    """Some pairs of matches."""

    points: int
    plies: int
    their_plies: int
    seed: int
    first: int
    last: int


def _contest(args: argparse.Namespace) -> list[tuple[MatchPair, int]]:
    """Each pair, and how many games it took; progress goes to stderr."""
    tasks = [
        Task(
            play_task,
            (SeriesTask(args.points, args.plies, args.their_plies, args.seed, first,
                        min(first + CHUNK, args.pairs)),),
            f"pairs {first + 1} to {min(first + CHUNK, args.pairs)}",
        )
        for first in range(0, args.pairs, CHUNK)
    ]  # fmt: skip
    played: list[tuple[MatchPair, int]] = []
    reported = time.monotonic()
    with open_executor(where.processes(args.processes)) as executor:
        for some in in_order(executor, tasks, say=progress):
            played += some
            if len(played) == args.pairs or time.monotonic() - reported > 10:
                reported = time.monotonic()
                so_far = interval([pair.adjusted for pair, _ in played])
                progress(f"{len(played)} of {args.pairs} pairs, {_per_cent(so_far)}")
    return played


def play_task(task: SeriesTask) -> list[tuple[MatchPair, int]]:
    """The pairs of a task, by bots of this thread."""
    players = kept(series_players, task.plies, task.their_plies)
    return [players.pair(task.points, task.seed, n) for n in range(task.first, task.last)]


def series_players(plies: int, their_plies: int) -> SeriesPlayers:
    """The two bots, so many plies each, and who tells their luck; raises BadWeights."""
    return SeriesPlayers(
        chooser(Gammon(plies=plies)),
        chooser(GnuBackgammon(plies=their_plies)),
        CubeAnalyst(plies=0, luck_plies=0, cube_plies=0),
    )


class LuckTeller(Protocol):
    """Who says what a roll was worth: an analyst."""

    def begin(self, first: Position) -> None:
        """Take a game that begins here."""

    def luck(self, position: Position, roll: int, stop: Ints) -> float | None:
        """The chance to win the match that the roll brought the seat which plays it."""


class SeriesPlayers:
    """Plays pairs of matches, and counts who was lucky."""

    def __init__(self, ours: Player, theirs: Player, analyst: LuckTeller) -> None:
        self._ours, self._theirs, self._analyst = ours, theirs, analyst

    def pair(self, points: int, seed: int, number: int) -> tuple[MatchPair, int]:
        """One pair, and how many games it took: we have seat 0, then seat 1."""
        won, lucky, games = self.match((self._ours, self._theirs), points, seed, number)
        lost, unlucky, more = self.match((self._theirs, self._ours), points, seed, number)
        return MatchPair((won, 1 - lost), (lucky, 0.0 - unlucky)), games + more

    def match(
        self, players: tuple[Player, Player], points: int, seed: int, number: int
    ) -> tuple[int, float, int]:
        """Whether seat 0 won, by how much its rolls improved its chances more than those of the
        other seat did, and how many games it took.
        """
        series, lucky = begin(points), 0.0
        while series.winner is None:
            result, luck = self._game(players, series, seed, number * GAMES + series.game)
            series, lucky = after(series, result), lucky + luck
        return int(series.winner == 0), lucky, series.game

    def _game(
        self, players: tuple[Player, Player], series: Series, seed: int, number: int
    ) -> tuple[Result, float]:
        position, lucky, ply = first_position(WITH_CUBE, series), 0.0, 0
        self._analyst.begin(position)
        while position.to_move != END:
            if position.to_move == CHANCE:
                action = rolled(position, seed, number, ply)
                lucky += self._luck(position, action)
            else:
                action = players[position.to_move](position)
            position, ply = position.apply(action), ply + 1
        outcome = position.outcome()
        assert outcome is not None, "the game is over"
        winner: Seat = 0 if outcome.returns[0] > 0 else 1
        result = Result(winner=winner, returns=outcome.returns, how="rules", reason=outcome.reason)
        return result, lucky

    def _luck(self, position: Position, roll: int) -> float:
        """How much the roll improved the chances of seat 0."""
        luck = self._analyst.luck(position, roll, [0])
        assert luck is not None, "nothing stops it"
        return luck if position.apply(roll).to_move == 0 else -luck


def first_position(game: Game, series: Series) -> Position:
    """How the next game of a match begins."""
    terms = MatchTerms(points=series.points, score=series.score, crawford=series.crawford)
    return game.initial(terms)


def chooser(bot: Bot) -> Player:
    """The bot as a player that looks as far ahead as it is set to."""
    return lambda position: bot.choose(position, BUDGET).action


def _per_cent(value: Interval) -> str:
    margin = "" if value.margin is None else f" ± {value.margin:.2f}"
    return f"{value.mean:.2f}{margin} %"


def show(report: SeriesReport) -> None:
    """Print the report for people."""
    console = Console()
    title = f"Matches to {report.points} points that we won against GNU Backgammon"
    table = slim_table(title, ["we look ahead", "they"], ["pairs", "the luck taken out", "won",
                                                          "games a match", "goal"])  # fmt: skip
    table.add_row(
        f"{report.plies}-ply", f"{report.their_plies}-ply", str(report.pairs),
        _per_cent(report.adjusted), _per_cent(report.raw), f"{report.games:.1f}",
        "/".join(f"{goal:g}" for goal in GOALS) if is_goal(report) else "",
    )  # fmt: skip
    console.print(table)
    console.print(
        f"{report.weights}, {report.place}, {code_text(report.compiled)}, "
        f"{report.seconds:.0f} s; ± is 95 %, seed {report.seed}."
    )
    if is_goal(report) and report.adjusted.mean < GOALS[0]:
        console.print(f"OFF ITS TARGET: {report.adjusted.mean:.2f} % of {GOALS[0]:g} %")


def is_goal(report: SeriesReport) -> bool:
    """Whether the goals are for such matches."""
    return report.points == 7 and report.their_plies == 0
