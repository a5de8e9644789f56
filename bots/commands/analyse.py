"""`plyhouse analyse`: a finished match, play by play.

The client fetches the match from a server or a file; here it is a FinishedMatch.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec.structs import replace

from bots import registry
from bots.analysis import analysts
from bots.analysis.analyst import AnalysisDepth, Analyst, BadDepth, ResignationAnalyst
from bots.analysis.match_analysis import analyse
from bots.commands.arguments import BadOption
from bots.commands.progress import ProgressBar
from bots.engine import compiled
from games.game import Game, Ints, Position
from protocol.analysis import MatchAnalysis, Resignation
from protocol.parts import Series
from protocol.records import analysis_text
from protocol.records.replay import Replay


@dataclass(frozen=True, slots=True)
class FinishedMatch:
    """A match that is over.

    first    the position that it began with
    players  by seat, safe to print
    result   how it ended, in words
    actions  all that remain, rolls and passes included
    given    how many of them a ladder set up
    series   of which it is a game, as it stood before this one
    resignations  in order, those that decided something
    """

    name: str
    first: Position
    players: tuple[str, str]
    result: str
    actions: Sequence[int]
    given: int = 0
    series: Series | None = None
    resignations: Sequence[Resignation] = ()

    @property
    def game(self) -> Game:
        return self.first.game


def finished(replay: Replay, players: tuple[str, str], result: str) -> FinishedMatch:
    """Return the match of a replay; `players` and `result` are safe to print."""
    return FinishedMatch(
        name=replay.match,
        first=replay.steps[0].position,
        players=players,
        result=result,
        actions=replay.actions(),
        given=replay.given(),
        series=replay.series,
        resignations=replay.resignations,
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `plyhouse analyse`, but for those that name the match."""
    parser.add_argument("--all", action="store_true", help="list every play, not only the worst")
    parser.add_argument(
        "--positions",
        action="store_true",
        help="below the list, the position before each play, of backgammon as XGID",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--series",
        action="store_true",
        help="of a match to points, all games up to this one, and their sums",
    )
    parser.add_argument(
        "--plies", type=int, help="backgammon: plies to look ahead, 0, 1 (default) or 2"
    )
    parser.add_argument(
        "--luck-plies", type=int, metavar="N", help="backgammon: the same for luck (default: 0)"
    )
    parser.add_argument(
        "--nodes", type=int, help="other games: positions or simulations for each play"
    )


def run(args: argparse.Namespace, matches: Sequence[FinishedMatch]) -> int:
    """Analyse and print: one match, or with `--series` the games of a series in order.

    Returns:
        0 done, 2 for bad input or a match without plays, 130 after a Ctrl-C, with the plays so far.
    """
    game = matches[-1].game
    try:
        depth = AnalysisDepth(args.plies, args.luck_plies, args.nodes)
        analysts.check_depth(game, depth)
        todo = _with_decisions(matches, args.series)
        _prepare(game)
        analyst = analysts.make_analyst(game, depth)
    except (BadOption, BadDepth) as error:
        print(f"plyhouse: {error}", file=sys.stderr)
        return 2
    analyses: list[MatchAnalysis] = []
    interrupted = False
    for match in todo:
        analysis, interrupted = _analyse(match, analyst)
        analyses.append(analysis)
        if interrupted:
            break
    print(_document(args, todo, analyses), end="")
    if interrupted and args.json:
        print(f"plyhouse: {analysis_text.format_left(analyses[-1])}", file=sys.stderr)
    return 130 if interrupted else 0


def _document(
    args: argparse.Namespace, matches: Sequence[FinishedMatch], analyses: Sequence[MatchAnalysis]
) -> str:
    """What is printed of these matches, or of as many of them as were analysed."""
    if args.json:
        rows = [row(match, analysis) for match, analysis in zip(matches, analyses, strict=False)]
        return json.dumps(rows if args.series else rows[0], indent=1) + "\n"
    parts = []
    for match, analysis in zip(matches, analyses, strict=False):
        part = "\n".join(
            [
                *head(match),
                analysis_text.format_analysis(analysis, match.game.seats, all_plays=args.all),
            ]
        )
        if args.positions:
            part += "\n" + "".join(f"{line}\n" for line in positions(match, analysis, args.all))
        parts.append(part)
    if args.series:
        parts.append(analysis_text.format_series(analyses, matches[0].game.seats))
    return "\n".join(parts)


def positions(match: FinishedMatch, analysis: MatchAnalysis, all_plays: bool) -> list[str]:
    """Return the ply and the position before each play that is listed, by ply."""
    plies = {play.ply for play in analysis_text.listed(analysis, all_plays=all_plays)}
    lines, position = [], match.first
    for ply in range(len(match.actions) + 1):
        if ply in plies:
            lines.append(f"{ply + 1:3}  {match.game.format_position(position)}")
        if ply < len(match.actions):
            position = position.apply(match.actions[ply])
    return lines


def row(match: FinishedMatch, analysis: MatchAnalysis) -> dict[str, Any]:
    """The match and its analysis as plain values for JSON."""
    return {
        "match": match.name,
        "players": list(match.players),
        "result": match.result,
        **_with_defaults(analysis),
    }


def _with_defaults(value: Any) -> Any:
    """Plain values of a message, with the fields that the wire leaves out."""
    if isinstance(value, msgspec.Struct):
        return {
            name: _with_defaults(field) for name, field in msgspec.structs.asdict(value).items()
        }
    if isinstance(value, list | tuple):
        return [_with_defaults(item) for item in value]
    return value


def head(match: FinishedMatch) -> list[str]:
    """Which match it is, who played it, and how it ended."""
    seats = match.game.seats
    width = max(map(len, seats))
    sides = [f"{seat:{width}}  {who}" for seat, who in zip(seats, match.players, strict=True)]
    return [f"{match.game.title}, match {match.name}: {match.result}", "", *sides, ""]


def _with_decisions(matches: Sequence[FinishedMatch], whole_series: bool) -> list[FinishedMatch]:
    """Return those in which somebody had anything to decide, before anything is compiled.

    Raises:
        BadOption: there is none, or all games are asked for of what is no series.
    """
    if whole_series and len(matches) == 1 and matches[0].series is None:
        raise BadOption(f"match {matches[-1].name} is no game of a match to points: no --series")
    found = [match for match in matches if _has_decision(match)]
    if not found:
        name = matches[-1].name
        raise BadOption(f"nobody chose anything in match {name}: there is nothing to analyse")
    return found


def _has_decision(match: FinishedMatch) -> bool:
    if match.resignations and issubclass(analysts.analyst_class(match.game), ResignationAnalyst):
        return True
    position = match.first
    for ply, action in enumerate(match.actions):
        if ply >= match.given and position.to_move >= 0 and len(position.legal_actions()) > 1:
            return True
        position = position.apply(action)
    return False


def _prepare(game: Game) -> None:
    """Compile what is needed, and say so, or say that numba is missing."""
    bot_class = registry.bot_class(analysts.analyst_class(game).PROGRAM)
    if compiled.missing():
        print("plyhouse: without numba this takes some fifty times longer", file=sys.stderr)
    elif not bot_class.ready(game):
        print(f"plyhouse: compiling the search for {game.name}, once", file=sys.stderr)
    if not bot_class.loaded(game) or not bot_class.ready(game):
        bot_class.prepare(game)


def _analyse(match: FinishedMatch, analyst: Analyst) -> tuple[MatchAnalysis, bool]:
    """The analysis, and whether a Ctrl-C ended it."""
    stop = analyst.stop_flag()
    # Compiled code on this thread would not hear of a Ctrl-C.
    with (
        _stopped_by_ctrl_c(stop),
        AnalysisProgress("analysed") as progress,
        ThreadPoolExecutor(1) as worker,
    ):
        work = worker.submit(
            analyse, match.first, match.actions, analyst, progress.on_progress, stop, match.given,
            match.resignations,
        )  # fmt: skip
        return replace(work.result(), series=match.series), bool(stop[0])


@contextmanager
def _stopped_by_ctrl_c(stop: Ints) -> Iterator[None]:
    """A Ctrl-C sets the flag; only a second one is a KeyboardInterrupt."""

    def on_signal(number: int, frame: object) -> None:
        if stop[0]:
            raise KeyboardInterrupt
        stop[0] = 1

    before = signal.signal(signal.SIGINT, on_signal)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class AnalysisProgress(ProgressBar):
    """How far an analysis is: a bar, or a line for each tenth."""

    def on_progress(self, done: int, total: int) -> None:
        tenth = done * 10 // total > (done - 1) * 10 // total
        self.show(done, f"{done} of {total} analysed" if tenth else None, total=total)
