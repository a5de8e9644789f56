"""`plyhouse train backgammon`: nets from self-play, from nothing but the rules.

It goes on where it was stopped, even by kill -9: every half minute all is put beside the file that
it will write.  The same settings give the same nets, on any number of threads.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Final

from bots import compiled, weights
from bots.training import BadTraining, Progress, Settings, Training, forget
from bots.weights import BadWeights, Weights

OUT: Final = Path("build") / "backgammon.nets"
KEEP_S: Final = 30.0  # between two checkpoints
LINE_S: Final = 1.0  # between two lines on a terminal
POINTS: Final = 30  # measurements on the way ...
PAIRS: Final = 500  # ... of so many pairs of games
LAST: Final = 10  # times as many at the end


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `plyhouse train`."""
    usual = Settings(games=1)
    parser.add_argument("game", choices=["backgammon"], help="backgammon")
    parser.add_argument("--games", type=int, default=200_000, help="default: 200,000")
    parser.add_argument("--seed", type=int, default=usual.seed, help="default: %(default)s")
    parser.add_argument(
        "--hidden", default=",".join(map(str, usual.hidden)), metavar="N,N,N",
        help="units of the nets for contact, one-way contact, races (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--alpha", type=float, default=usual.alpha, help="length of a step (default: %(default)s)"
    )
    parser.add_argument(
        "--alpha-end", type=float, default=usual.alpha_end,
        help="... and in the end (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--lambda", dest="decay", type=float, default=usual.decay, help="default: %(default)s"
    )
    parser.add_argument(
        "--without", action="append", default=[], choices=sorted(weights.WITHOUT), metavar="WHAT",
        help="to see what it brings: "
        + "; ".join(f"{name}: {meaning}" for name, meaning in weights.WITHOUT.items()),
    )  # fmt: skip
    _add_lessons(parser, usual)
    parser.add_argument(
        "--from", dest="start", type=Path, metavar="FILE",
        help="go on from these nets, with a new series of steps (default: random ones)",
    )  # fmt: skip
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="default: all")
    parser.add_argument(
        "--pairs", type=int, default=PAIRS,
        help="of games at each measurement, ten times as many at the end (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, default=OUT, help="default: %(default)s")
    parser.add_argument("--fresh", action="store_true", help="begin anew, whatever is there")
    parser.add_argument("--json", action="store_true", help="print the learning curve as JSON")


def _add_lessons(parser: argparse.ArgumentParser, usual: Settings) -> None:
    """Those of the lessons after the games."""
    parser.add_argument(
        "--lessons", type=int, default=45, help="then, of looking ahead (default: %(default)s)"
    )
    parser.add_argument(
        "--lesson-games", type=int, default=usual.lesson_games,
        help="in which it looks ahead in each (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--window", type=int, default=usual.window, metavar="N",
        help="of the last so many lessons it learns what it saw there (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--passes", type=int, default=usual.passes, help="... in so many (default: %(default)s)"
    )
    parser.add_argument(
        "--rate", type=float, default=usual.rate, help="... by steps so long (default: %(default)s)"
    )
    parser.add_argument(
        "--lesson-lambda", dest="lesson_decay", type=float, default=usual.lesson_decay,
        help="default: %(default)s",
    )  # fmt: skip
    parser.add_argument(
        "--warm", action="store_true",
        help="the first lesson goes on with the nets of the games (default: with random ones)",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Train: 0 when all games have been played, 2 for bad input, 130 after a Ctrl-C."""
    try:
        training = _begin(args)
        print(_greeting(args, training), file=sys.stderr)
        return _train(args, training)
    except (BadTraining, BadWeights) as error:
        print(f"plyhouse: {error}", file=sys.stderr)
    except OSError as error:
        print(f"plyhouse: {error.filename} cannot be written: {error.strerror}", file=sys.stderr)
    return 2


def checkpoint(out: Path) -> Path:
    """Where a training that is not done is kept."""
    return out.with_name(out.name + ".checkpoint")


def settings_of(args: argparse.Namespace, given: Weights | None) -> Settings:
    """The settings that are asked for, with nets to go on from, or none; raises BadTraining."""
    try:
        hidden = tuple(int(part) for part in args.hidden.split(","))
    except ValueError:
        wrong = f"--hidden takes three numbers, such as 160,160,40: {args.hidden}"
        raise BadTraining(wrong) from None
    without, after = tuple(sorted(set(args.without))), ""
    if given is not None:
        hidden, without, after = given.hidden, given.without, weights.digest(args.start)
    return Settings(
        args.games, args.seed, hidden, args.alpha, args.alpha_end, args.decay, without, after,
        args.lessons, args.lesson_games, args.window, args.passes, args.rate, args.lesson_decay,
        args.warm,
    )  # fmt: skip


def _begin(args: argparse.Namespace) -> Training:
    """The training that is asked for, at its start or where it was stopped."""
    if not args.out.name or args.out.is_dir():
        raise BadTraining(f"--out must name a file, not {str(args.out)!r}")
    given = None if args.start is None else weights.load(args.start)
    settings = settings_of(args, given)
    if not 1 <= args.threads <= 256:
        raise BadTraining(f"--threads must be 1 to 256, not {args.threads}")
    if not 0 <= args.pairs <= 10**6:
        raise BadTraining(f"--pairs must be 0 to 1,000,000, not {args.pairs}")
    if not compiled.available():
        print("plyhouse: without numba this takes a thousand times as long", file=sys.stderr)
    training = Training(settings, threads=args.threads, given=given)
    kept = checkpoint(args.out)
    if kept.exists() and not args.fresh:
        try:
            training.go_on(kept)
        except (BadTraining, BadWeights) as error:
            raise BadTraining(f"{error}; --fresh begins anew, --out writes elsewhere") from None
    training.keep(kept)  # or OSError, before an hour has been spent
    return training


def _greeting(args: argparse.Namespace, training: Training) -> str:
    done = training.progress
    ending = "" if done.lessons == 1 else "s"
    lessons = f" and {done.lessons} lesson{ending}" if done.lessons else ""
    where = f"goes on after {done.games:,} games{lessons}" if done.games else "begins"
    return f"plyhouse: training {where}; {args.threads} threads, {args.out}, Ctrl-C stops it"


def _train(args: argparse.Namespace, training: Training) -> int:
    """Play all games, telling how it goes, and write the weights."""
    settings, kept = training.settings, checkpoint(args.out)
    teller = _Teller(training, kept)
    before = signal.signal(signal.SIGINT, lambda *_: training.end())
    try:
        _play(args, training, teller)
        if training.progress.games == settings.games:
            _teach(args, training, teller)
    finally:
        signal.signal(signal.SIGINT, before)
    if (training.progress.games, training.progress.lessons) != (settings.games, settings.lessons):
        print("\nplyhouse: stopped; the same command goes on from here", file=sys.stderr)
        return 130
    training.finish()
    teller.measure(LAST * args.pairs)
    weights.save(args.out, training.result())
    forget(kept)
    size = args.out.stat().st_size
    print(f"plyhouse: {args.out}, {size / 1000:.0f} kB", file=sys.stderr)
    if args.json:
        print(json.dumps(training.result().trained, indent=1))
    return 0


def _play(args: argparse.Namespace, training: Training, teller: _Teller) -> None:
    """Play all games that are left, or until a Ctrl-C."""
    games = training.settings.games
    every = -(-games // POINTS)
    while training.progress.games < games and not training.ended:
        passed = len(training.progress.curve) if args.pairs else 0
        goal = min((passed + 1) * every, games)
        training.run(teller.tell, until=goal if args.pairs else None)
        if training.progress.games >= goal:
            teller.measure(args.pairs)
        training.keep(teller.kept)


def _teach(args: argparse.Namespace, training: Training, teller: _Teller) -> None:
    """Hold all lessons that are left, or until a Ctrl-C."""
    while training.progress.lessons < training.settings.lessons:
        if not training.teach(teller.hear):
            return
        teller.measure(args.pairs)
        training.keep(teller.kept)


class _Teller:
    """Says how a training goes, and keeps it safe on the way."""

    def __init__(self, training: Training, kept: Path) -> None:
        self.training = training
        self.kept = kept
        self.live = sys.stderr.isatty()
        self._kept_at = self._told_at = time.monotonic()
        self._from = training.progress.games, training.progress.seconds

    def tell(self, progress: Progress) -> None:
        """After each round: a checkpoint now and then, and on a terminal a line every second."""
        now = time.monotonic()
        if now - self._kept_at >= KEEP_S:
            self.training.keep(self.kept)
            self._kept_at = now
        if self.live and now - self._told_at >= LINE_S:
            print(f"\r{self._line(progress)}\x1b[K", end="", file=sys.stderr, flush=True)
            self._told_at = now

    def hear(self, what: str) -> None:
        """In a lesson, now and then: on a terminal a line every second."""
        now = time.monotonic()
        if self.live and now - self._told_at >= LINE_S:
            lessons = self.training.settings.lessons
            number = self.training.progress.lessons + 1
            line = f"lesson {number} of {lessons}: it {what}"
            print(f"\r{line}\x1b[K", end="", file=sys.stderr, flush=True)
            self._told_at = now

    def measure(self, pairs: int) -> None:
        """Measure by so many pairs of games, if any, and say so in a line that stays."""
        if not pairs:
            return
        found, progress = self.training.measure(pairs), self.training.progress
        progress.curve.append(found)
        strength = f"{found.points:+.3f} ± {found.error:.3f} points a game"
        end = "\x1b[K" if self.live else ""
        line = f"{self._line(progress)}   {strength} against the hand-made evaluation"
        print(f"{chr(13) if self.live else ''}{line}{end}", file=sys.stderr, flush=True)

    def _line(self, progress: Progress) -> str:
        """Games, their rate, and the time that is left; or lessons, and the time that they took."""
        total, lessons = self.training.settings.games, self.training.settings.lessons
        if progress.lessons:
            spent = f"{progress.seconds / 60:.0f} min so far"
            return f"{progress.lessons:>4} of {lessons:,} lessons   {spent:>17}"
        games, seconds = progress.games - self._from[0], progress.seconds - self._from[1]
        rate = games / seconds if seconds > 0 else 0.0
        left = f"{(total - progress.games) / rate / 60:.0f} min left" if rate else ""
        return f"{progress.games:>11,} of {total:,} games   {rate:5.0f} a second   {left:>12}"
