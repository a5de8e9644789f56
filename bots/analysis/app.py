"""`plyhouse analyse`: a match that is over, looked at play by play.

Where the match comes from, a server or a file, is the client's; here it is a `Match`.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from bots import compiled, registry
from bots.analysis import chosen, text
from bots.analysis.form import Analysis
from bots.analysis.match import Analyst, Depth, analyse
from bots.terms import BadTerms
from games.game import Game, Ints


@dataclass(frozen=True, slots=True)
class Match:
    """A match that is over.

    players  by seat, safe to print
    result   how it ended, in words
    actions  all that stand, rolls and passes included
    given    so many of them a ladder set up
    """

    name: str
    game: Game
    players: tuple[str, str]
    result: str
    actions: Sequence[int]
    given: int = 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `plyhouse analyse` that do not say which match is meant."""
    parser.add_argument("--all", action="store_true", help="list every play, not the worst only")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--plies", type=int, help="backgammon: look so many plies ahead, 0, 1 (default) or 2"
    )
    parser.add_argument(
        "--luck-plies", type=int, metavar="N", help="backgammon: ... for luck (default: 0)"
    )
    parser.add_argument(
        "--nodes", type=int, help="other games: positions or simulations for a play"
    )


def run(args: argparse.Namespace, match: Match) -> int:
    """Analyse and print.

    Returns:
        0 done, 2 asked wrongly or nothing to look at, 130 after a Ctrl-C, with what was found.
    """
    try:
        depth = Depth(args.plies, args.luck_plies, args.nodes)
        chosen.check(match.game, depth)
        _check(match)
        _prepare(match.game)
        analyst = chosen.analyst(match.game, depth)
    except BadTerms as error:
        print(f"plyhouse: {error}", file=sys.stderr)
        return 2
    found, broken = _analysed(match, analyst)
    if args.json:
        print(json.dumps(row(match, found), indent=1))
        if broken:
            print(f"plyhouse: {text.not_seen(found)}", file=sys.stderr)
    else:
        print("\n".join(head(match)))
        print(text.write(found, match.game, every=args.all), end="")
    return 130 if broken else 0


def row(match: Match, found: Analysis) -> dict[str, object]:
    """As JSON has it: the form, and which match it is of."""
    return {
        "match": match.name,
        "players": list(match.players),
        "result": match.result,
        **asdict(found),
    }


def head(match: Match) -> list[str]:
    """Which match it is, who played it, and how it ended."""
    seats = match.game.seats
    wide = max(map(len, seats))
    sides = [f"{seat:{wide}}  {who}" for seat, who in zip(seats, match.players, strict=True)]
    return [f"{match.game.title}, match {match.name}: {match.result}", "", *sides, ""]


def _check(match: Match) -> None:
    """Refuse a match in which nobody had anything to decide, before anything is compiled."""
    position = match.game.initial()
    for ply, action in enumerate(match.actions):
        if ply >= match.given and position.to_move >= 0 and len(position.legal_actions()) > 1:
            return
        position = position.apply(action)
    raise BadTerms(f"nobody played anything in match {match.name}: there is nothing to look at")


def _prepare(game: Game) -> None:
    """Compile what is needed, and say so, or say that it goes without."""
    kind = registry.kind(chosen.program(game))
    if compiled.missing():
        print("plyhouse: without numba it takes some fifty times longer", file=sys.stderr)
    elif not kind.ready(game):
        print(f"plyhouse: compiling the search for {game.name}, once", file=sys.stderr)
    if not kind.loaded(game) or not kind.ready(game):
        kind.prepare(game)


def _analysed(match: Match, analyst: Analyst) -> tuple[Analysis, bool]:
    """What is found, and whether a Ctrl-C ended it."""
    stop = analyst.flag()
    # Compiled code on this thread would not hear of a Ctrl-C.
    with _ended_by_ctrl_c(stop), _Shown() as shown, ThreadPoolExecutor(1) as worker:
        work = worker.submit(
            analyse, match.game, match.actions, analyst, shown.on_step, stop, match.given
        )
        return work.result(), bool(stop[0])


@contextmanager
def _ended_by_ctrl_c(stop: Ints) -> Iterator[None]:
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


class _Shown:
    """How far it is, on stderr: a bar on a terminal, in a pipe a line for each tenth."""

    def __init__(self) -> None:
        console = Console(stderr=True)
        self._bar: Bar | None = None
        if console.is_terminal:
            self._bar = Bar(
                TextColumn("looked at"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
                console=console, transient=True,
            )  # fmt: skip
            self._task = self._bar.add_task("", total=None)

    def __enter__(self) -> _Shown:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def on_step(self, done: int, of: int) -> None:
        """So much has been looked at, of so much."""
        if self._bar is not None:
            self._bar.update(self._task, completed=done, total=of)
        elif done * 10 // of > (done - 1) * 10 // of:
            print(f"{done} of {of} looked at", file=sys.stderr, flush=True)
