"""`plyhouse train backgammon`: nets from self-play, from nothing but the rules.

It goes on where it was stopped, even by kill -9: every half minute it writes a checkpoint beside
the file of nets.  The same settings give the same nets, on any number of threads.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bots.backgammon import weights
from bots.backgammon.nets import Nets
from bots.backgammon.weights import BadWeights, Weights
from bots.commands import arguments
from bots.engine import compiled
from lab.commands import farm_options
from lab.farm.executor import FarmExecutor, WorkerFailed
from lab.farm.farm import open_executor
from lab.farm.where import MAX_WORKERS, BadFarm
from lab.training import checkpoint
from lab.training.progress import TrainingProgress
from lab.training.settings import OPTIONS, BadTraining, TrainingSettings
from lab.training.training import Training
from lab.training.worker import Worker

OUT: Final = Path("build") / "backgammon.nets"
PAIRS: Final = 500  # of games at a measurement on the way
LAST: Final = 10  # times as many at the end
SETTINGS: Final = {  # that are one number, with what they mean
    "games": "games of self-play",
    "seed": "of all random numbers",
    "alpha": "length of a step at the start",
    "alpha_end": "length of a step at the end",
    "decay": "how much of a target comes from the targets after it, 0 to 1",
    "lessons": "rounds of lookahead after the games",
    "lesson_games": "games of a round",
    "window": "learn from the datasets of the last N rounds",
    "passes": "passes over these in each round",
    "rate": "length of a step at the start of a round",
    "lesson_decay": "the same as --lambda, in rounds of lookahead",
    "refinements": "rounds after these, in whose games turns are chosen with lookahead",
    "refinement_games": "games of such a round",
    "refinement_window": "learn from the datasets of the last N of them",
    "refinement_passes": "passes over these in each of them",
    "refinement_rate": "length of a step at the start of each of them",
    "refinement_decay": "the same as --lambda, in these rounds",
    "wide_rounds": "rounds after these, in which wider nets learn",
    "wide_games": "games of such a round",
    "wide_window": "learn from the datasets of the last N of them",
    "wide_passes": "passes over these in each of them",
    "wide_rate": "length of a step at the start of each of them",
    "wide_decay": "the same as --lambda, in these rounds",
}
SKIPPED: Final = ("games", "lessons")  # with nets to start from, unless they are asked for
USUAL: Final = TrainingSettings(games=200_000, lessons=45, refinements=4, wide_rounds=3)


@dataclass(frozen=True)
class Pace:
    """What a training of some hours and a test of a second do at different times.

    worker          makes what a thread does
    clock           seconds
    checkpoint_s    between two checkpoints
    line_s          between two lines on a terminal
    measurements    on the way
    """

    worker: Callable[[Nets], Worker] = Worker
    clock: Callable[[], float] = time.monotonic
    checkpoint_s: float = 30.0
    line_s: float = 1.0
    measurements: int = 30


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `plyhouse train`."""
    usual = USUAL
    parser.add_argument("game", choices=["backgammon"], help="backgammon")
    parser.add_argument(
        "--hidden", default=",".join(map(str, usual.hidden)), metavar="N,N,N",
        help="units of the nets for contact, one-way contact, races (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--wide-hidden", default=",".join(map(str, usual.wide_hidden)), metavar="N,N,N",
        help="units of the wider nets in the last rounds (default: %(default)s)",
    )  # fmt: skip
    for name, meaning in SETTINGS.items():
        value, option = getattr(usual, name), OPTIONS.get(name, name.replace("_", "-"))
        words, default = (", with --from 0", None) if name in SKIPPED else ("", value)
        parser.add_argument(
            f"--{option}", dest=name, type=type(value), default=default, metavar="N",
            help=f"{meaning} (default: {value:,}{words})",
        )  # fmt: skip
    parser.add_argument(
        "--warm", action="store_true",
        help="the first round goes on with the nets of the games (default: with random nets)",
    )  # fmt: skip
    parser.add_argument(
        "--without", action="append", default=[], choices=sorted(weights.WITHOUT), metavar="WHAT",
        help="leave something out, to measure what it is worth: "
        + "; ".join(f"{name}: {meaning}" for name, meaning in weights.WITHOUT.items()),
    )  # fmt: skip
    parser.add_argument(
        "--from", dest="start", type=Path, metavar="FILE",
        help="start from these nets, with refinement at once (default: random nets)",
    )  # fmt: skip
    parser.add_argument(
        "--threads",
        type=int,
        default=os.cpu_count() or 1,
        help="that play and learn (default: one a core); --farm is for games with lookahead and "
        "measurements, which cost most",
    )
    farm_options.add_farm(parser, "the threads")
    parser.add_argument(
        "--pairs", type=int, default=PAIRS, metavar="N",
        help="pairs of games at a measurement, ten times as many at the end (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--out", type=Path, default=OUT, help="file of the nets (default: %(default)s)"
    )
    parser.add_argument("--fresh", action="store_true", help="start anew; ignore a checkpoint")
    parser.add_argument("--json", action="store_true", help="print the learning curve as JSON")


def run(args: argparse.Namespace, pace: Pace = Pace()) -> int:
    """Train.

    Returns:
        0 when all games have been played, 1 if workers fail, 2 for bad input, 130 after a Ctrl-C.
    """
    try:
        with _farm(args) as executor:
            training = _begin(args, pace, executor)
            print(_greeting(args, training), file=sys.stderr)
            code = _train(args, training, pace)
            if training.ended:  # no round waits for what is still being done
                executor.shutdown(cancel_futures=True)
        if args.json and code == 0:
            print(json.dumps(training.result().trained, indent=1))
        return code
    except WorkerFailed as error:
        arguments.say(f"{error}; the same command goes on from its last checkpoint")
        return 1
    except (BadFarm, BadTraining, BadWeights) as error:
        print(f"plyhouse: {error}", file=sys.stderr)
    except OSError as error:
        print(f"plyhouse: {error.filename} cannot be written: {error.strerror}", file=sys.stderr)
    return 2


def checkpoint_of(out: Path) -> Path:
    """The checkpoint file of a training that writes to `out`."""
    return out.with_name(out.name + ".checkpoint")


def settings_of(args: argparse.Namespace, start: Weights | None) -> TrainingSettings:
    """The settings that are asked for, with nets to start from, or None; raises BadTraining."""
    hidden: tuple[int, ...] = _widths("hidden", args.hidden)
    wide = _widths("wide-hidden", args.wide_hidden)
    without, after = tuple(sorted(set(args.without))), ""
    if start is not None:
        hidden, without, after = start.hidden, start.without, weights.digest(args.start)
    values = {k: v for k, v in vars(args).items() if k in TrainingSettings.__struct_fields__}
    for name in SKIPPED:
        if values[name] is None:
            values[name] = getattr(USUAL, name) if start is None else 0
    values |= {"hidden": hidden, "wide_hidden": wide, "without": without, "after": after}
    return TrainingSettings.checked(**values)


def _widths(option: str, given: str) -> tuple[int, int, int]:
    """The units of the three nets, as an option gives them; raises BadTraining."""
    try:
        contact, one_way, race = map(int, given.split(","))
        return contact, one_way, race
    except ValueError:
        problem = f"--{option} takes three numbers, such as 160,160,40: {given}"
        raise BadTraining(problem) from None


def _farm(args: argparse.Namespace) -> FarmExecutor:
    """Who looks ahead and measures; raises BadFarm, BadTraining."""
    if not 1 <= args.threads <= MAX_WORKERS:
        raise BadTraining(f"--threads must be 1 to {MAX_WORKERS}, not {args.threads}")
    return open_executor(args.farm or f"threads:{args.threads}", arguments.say)


def _begin(args: argparse.Namespace, pace: Pace, executor: FarmExecutor) -> Training:
    """The training that is asked for, at its start or where it was stopped."""
    if not args.out.name or args.out.is_dir():
        raise BadTraining(f"--out must name a file, not {str(args.out)!r}")
    start = None if args.start is None else weights.load(args.start)
    settings = settings_of(args, start)
    if not 0 <= args.pairs <= 10**6:
        raise BadTraining(f"--pairs must be 0 to 1,000,000, not {args.pairs}")
    if not compiled.available():
        print("plyhouse: without numba this takes a thousand times as long", file=sys.stderr)
    training = Training(
        settings, threads=args.threads, start=start, worker=pace.worker, executor=executor,
        say=arguments.say,
    )  # fmt: skip
    file = checkpoint_of(args.out)
    if file.exists() and not args.fresh:
        try:
            training.go_on(file)
        except (BadTraining, BadWeights) as error:
            hint = "--fresh starts anew, --out writes elsewhere"
            raise BadTraining(f"{error}; {hint}") from None
    training.write(file)  # or OSError, before an hour has been spent
    return training


def _greeting(args: argparse.Namespace, training: Training) -> str:
    done = training.progress
    ending = "" if done.lessons == 1 else "s"
    rounds = f" and {done.lessons} round{ending} of lookahead" if done.lessons else ""
    begun = done.games or done.lessons
    where = f"goes on after {done.games:,} games{rounds}" if begun else "begins"
    return f"plyhouse: training {where}; {args.threads} threads, {args.out}, Ctrl-C stops it"


def _train(args: argparse.Namespace, training: Training, pace: Pace) -> int:
    """Play all games, report how it goes, and write the weights."""
    settings, file = training.settings, checkpoint_of(args.out)
    reporter = _Reporter(training, file, pace)
    before = signal.signal(signal.SIGINT, lambda *_: training.end())
    try:
        _play(args, training, reporter)
        if training.progress.games == settings.games:
            _look_ahead(args, training, reporter)
    finally:
        signal.signal(signal.SIGINT, before)
    if (training.progress.games, training.progress.lessons) != (settings.games, settings.rounds):
        weights.save(args.out, training.result())  # to be played by; the checkpoint has all of it
        print(
            f"\nplyhouse: stopped; {args.out} holds the nets as they are now; "
            "the same command goes on from here",
            file=sys.stderr,
        )
        return 130
    training.finish()
    reporter.measure(LAST * args.pairs)
    weights.save(args.out, training.result())
    checkpoint.remove(file)
    size = args.out.stat().st_size
    print(f"plyhouse: {args.out}, {size / 1000:.0f} kB", file=sys.stderr)
    return 0


def _play(args: argparse.Namespace, training: Training, reporter: _Reporter) -> None:
    """Play all games that are left, or until a Ctrl-C."""
    games = training.settings.games
    every = -(-games // reporter.pace.measurements)
    while training.progress.games < games and not training.ended:
        passed = len(training.progress.curve) if args.pairs else 0
        goal = min((passed + 1) * every, games)
        training.run(reporter.batch, until=goal if args.pairs else None)
        if training.progress.games >= goal:
            reporter.measure(args.pairs)
        training.write(reporter.file)


def _look_ahead(args: argparse.Namespace, training: Training, reporter: _Reporter) -> None:
    """All rounds of lookahead that are left, or until a Ctrl-C."""
    while training.progress.lessons < training.settings.rounds:
        if not training.look_ahead(reporter.lookahead):
            return
        reporter.measure(args.pairs)
        training.write(reporter.file)


class _Reporter:
    """Reports how a training goes, and writes a checkpoint now and then."""

    def __init__(self, training: Training, file: Path, pace: Pace) -> None:
        self.training = training
        self.file = file
        self.pace = pace
        self.live = sys.stderr.isatty()
        self._written_at = self._printed_at = pace.clock()
        self._from = training.progress.games, training.progress.seconds

    def batch(self, progress: TrainingProgress) -> None:
        """Report a batch: a checkpoint now and then, on a terminal a line every second."""
        now = self.pace.clock()
        if now - self._written_at >= self.pace.checkpoint_s:
            self.training.write(self.file)
            self._written_at = now
        self._print(self._line(progress))

    def lookahead(self, activity: str) -> None:
        """Report a round of lookahead: on a terminal a line every second."""
        number, of = self.training.progress.lessons + 1, self.training.settings.rounds
        self._print(f"round {number} of {of}: it {activity}")

    def _print(self, line: str) -> None:
        now = self.pace.clock()
        if self.live and now - self._printed_at >= self.pace.line_s:
            print(f"\r{line}\x1b[K", end="", file=sys.stderr, flush=True)
            self._printed_at = now

    def measure(self, pairs: int) -> None:
        """Measure by this number of pairs, if any, and print the strength in a line that stays."""
        if not pairs:
            return
        strength, progress = self.training.measure(pairs), self.training.progress
        progress.curve.append(strength)
        points = f"{strength.points:+.3f} ± {strength.error:.3f} points a game"
        end = "\x1b[K" if self.live else ""
        line = f"{self._line(progress)}   {points} against the hand-made evaluation"
        print(f"{chr(13) if self.live else ''}{line}{end}", file=sys.stderr, flush=True)

    def _line(self, progress: TrainingProgress) -> str:
        """Games, their rate, and the time left; or rounds of lookahead, and the time spent."""
        total, rounds = self.training.settings.games, self.training.settings.rounds
        if progress.lessons:
            spent = f"{progress.seconds / 60:.0f} min so far"
            return f"{progress.lessons:>4} of {rounds:,} rounds of lookahead   {spent:>17}"
        games, seconds = progress.games - self._from[0], progress.seconds - self._from[1]
        rate = games / seconds if seconds > 0 else 0.0
        left = f"{(total - progress.games) / rate / 60:.0f} min left" if rate else ""
        return f"{progress.games:>11,} of {total:,} games   {rate:5.0f} a second   {left:>12}"
