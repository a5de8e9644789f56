"""Training the nets of backgammon by self-play, from nothing but the rules.

Games are played in rounds of ROUND with the weights as they were when it began, on as many threads
as there are; then the nets learn from them in order, each net on one thread.  So the weights depend
on the settings and on nothing else: not on the number of threads, nor on stopping and going on.

The length of a step stays as it begins for a while, and then falls evenly on a logarithmic scale.
What is kept in the end is the mean of the weights over the last stretch (B. Polyak, A. Juditsky,
"Acceleration of stochastic approximation by averaging", 1992).

Then come lessons (bots/lessons.py): the nets learn what their own lookahead says.  Those that the
games have left only play the first one: it is learnt by random nets again, as weights that came
about in small steps are slow to become anything else.

Every so often all is put into a checkpoint, from which a killed training goes on; of a lesson that
was not over, from its beginning.  What lessons saw lies in files beside it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Container
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from bots import compiled, weights
from bots.lessons import Lesson, Page, joined
from bots.nets import GAME, Desk, Nets, kernels
from bots.search.backgammon.net import KINDS, OUTPUTS, size
from bots.search.backgammon.selfplay import LONGEST
from bots.weights import BadWeights, Weights
from games.rng import seeded

ROUND: Final = 8  # games that are played before the nets learn
WHOLE: Final = 8  # of so many games one goes on to its end, for the net of races
STEADY: Final = 0.08  # the share of the games in which a step stays as long as it was
LAST: Final = 0.2  # the share of the games at the end whose weights are averaged
SPREAD: Final = 0.1  # of the random weights at the start
STEM: Final = 1 << 40  # keeps the dice of measuring apart from those of playing ...
LESSON_STEM: Final = 1 << 28  # ... and those of one lesson from the next one's


class BadTraining(ValueError):
    """Settings that cannot be trained by, or that differ from those of a checkpoint."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All that the weights depend on.

    games    to be played
    hidden   units of the nets for contact, one-way contact and races
    alpha    the length of a step at the start; `alpha_end` at the end
    decay    lambda: how much of a target comes from the targets after it
    without  what the nets have to do without, to see what it brings: some of weights.WITHOUT
    after    the digest of the nets that it goes on from; empty: random ones
    lessons  after the games; in each it looks ahead in `lesson_games` games, and learns what it saw
             in the last `window` lessons in so many `passes`, with steps of about `rate` at first
    lesson_decay  the lambda of lessons
    warm     the first lesson goes on with the nets that the games have left
    """

    games: int
    seed: int = 1
    hidden: tuple[int, ...] = (160, 160, 40)
    alpha: float = 0.05
    alpha_end: float = 0.0005
    decay: float = 0.3
    without: tuple[str, ...] = ()
    after: str = ""
    lessons: int = 0
    lesson_games: int = 2400
    window: int = 16
    passes: int = 10
    rate: float = 0.004
    lesson_decay: float = 0.7
    warm: bool = False

    def __post_init__(self) -> None:
        """Raises BadTraining for what cannot be meant."""
        if not 1 <= self.games <= 10**9:
            raise BadTraining(f"games must be 1 to 1,000,000,000, not {self.games}")
        if len(self.hidden) != KINDS or not all(1 <= h <= weights.MOST_HIDDEN for h in self.hidden):
            raise BadTraining(f"hidden must be {KINDS} numbers from 1 to {weights.MOST_HIDDEN}")
        if not 0 < self.alpha_end <= self.alpha <= 1:
            raise BadTraining("alpha must be above 0 and at most 1, and not grow")
        if not 0 <= self.decay <= 1:
            raise BadTraining(f"lambda must be from 0 to 1, not {self.decay}")
        if not set(self.without) <= weights.WITHOUT.keys():
            raise BadTraining(f"there can be done without {', '.join(weights.WITHOUT)}")
        if not 0 <= self.lessons <= 200:
            raise BadTraining(f"lessons must be 0 to 200, not {self.lessons}")
        if not 1 <= self.lesson_games <= 10_000:
            raise BadTraining(f"games of a lesson must be 1 to 10,000, not {self.lesson_games}")
        if not 1 <= self.window <= 200:
            raise BadTraining(f"window must be 1 to 200, not {self.window}")
        if not 1 <= self.passes <= 10_000:
            raise BadTraining(f"passes must be 1 to 10,000, not {self.passes}")
        if not 0 < self.rate <= 1:
            raise BadTraining(f"rate must be above 0 and at most 1, not {self.rate}")
        if not 0 <= self.lesson_decay <= 1:
            raise BadTraining(f"lambda of lessons must be from 0 to 1, not {self.lesson_decay}")

    def step(self, game: int) -> float:
        """How long a step is in the round that begins with this game."""
        done = game / self.games
        if done <= STEADY:
            return self.alpha
        return float(self.alpha * (self.alpha_end / self.alpha) ** ((done - STEADY) / (1 - STEADY)))


@dataclass(frozen=True, slots=True)
class Measure:
    """How strong the nets were: points a game against the hand-made evaluation, no lookahead.

    error     95 %, from pairs of games with the same dice and seats exchanged
    seconds   of playing and learning until then
    lessons   that it had had by then
    """

    games: int
    seconds: float
    points: float
    error: float
    lessons: int = 0


@dataclass(slots=True)
class Progress:
    """How far a training has come.

    learnt   positions that each net has learnt from in games
    studied  positions of each lesson
    """

    games: int = 0
    lessons: int = 0
    seconds: float = 0.0
    learnt: list[int] = field(default_factory=lambda: [0] * KINDS)
    studied: list[int] = field(default_factory=list)
    curve: list[Measure] = field(default_factory=list)


class Worker:
    """What one thread plays and learns with."""

    def __init__(self, nets: Nets) -> None:
        plain = nets.plain
        self.nets = nets
        self.desk = Desk(nets.hidden, plain=plain)
        self.code = kernels("selfplay", plain)
        self.rng = compiled.ints(1, plain)
        self.s, self.t = (compiled.ints(GAME.state_size, plain) for _ in range(2))
        self.turns = compiled.ints(GAME.max_legal, plain)
        self.values = compiled.floats(GAME.max_legal, plain)
        self.tmp = compiled.ints(GAME.scratch, plain)
        self.blame = compiled.singles(max(nets.hidden), plain)
        self.reply = compiled.ints(GAME.state_size, plain)
        self.average, self.change = (compiled.singles(OUTPUTS, plain) for _ in range(2))
        self.spent, self.stop = compiled.ints(1, plain), compiled.ints(1, plain)
        self.given = (
            self.s, self.t, self.turns, self.values, self.tmp, *nets.given, *self.desk.given,
        )  # fmt: skip

    def play(self, seed: int, whole: bool, record: Record, stop: Any) -> None:
        """Play one game into `record`."""
        self.rng[0] = seeded(seed)[0]
        record.count = self.code.play_game(
            self.rng, whole, record.boards, record.chances, *self.given, stop
        )

    def learn(self, records: list[Record], which: int, alpha: float) -> int:
        """Let one net learn from all these games; from how many positions."""
        nets = self.nets
        return sum(
            self.code.learn(
                record.boards, record.chances, record.count, which, alpha, self.s,
                nets.w, nets.shape, nets.escapes, *self.desk.single, self.blame,
            )
            for record in records
        )  # fmt: skip

    def aim(self, record: Record, decay: float) -> None:
        """Turn what was said in a game into targets."""
        most = int(self.nets.shape[2 * KINDS])
        if record.count:
            self.code.aim(
                record.boards, record.chances, record.count, most, decay, self.s, self.desk.told
            )

    def match(self, seed: int, seat: int, stop: Any) -> int:
        """The points of one game against the hand-made evaluation."""
        self.rng[0] = seeded(seed)[0]
        return int(self.code.match_game(self.rng, seat, *self.given, stop))


class Record:
    """Room for one game."""

    def __init__(self, plain: bool) -> None:
        self.boards = compiled.ints(LONGEST * GAME.state_size, plain)
        self.chances = compiled.singles(LONGEST * OUTPUTS, plain)
        self.count = 0


class Training:
    """A training that can be stopped and goes on: `run` plays until all is done.

    `given`: the nets that it goes on from, by settings.after.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        threads: int = 1,
        plain: bool = False,
        given: Weights | None = None,
    ) -> None:
        self.settings = settings
        self.given = given
        self.progress = Progress()
        count = sum(size(h) for h in settings.hidden)
        start = given or Weights(settings.hidden, [0.0] * count, {}, settings.without)
        self.nets = Nets(start, plain=plain)
        plain = self.nets.plain
        self.mean: Any = compiled.singles(count, plain)
        self.stop = compiled.ints(1, plain)
        self.workers = [Worker(self.nets) for _ in range(threads)]
        self.records = [Record(plain) for _ in range(ROUND)]
        if given is None:
            self._scatter()
        self.pages: list[Page] = []  # of the last lessons, the oldest one first
        self._averaged = 0  # rounds that `mean` is the mean of
        self._written: set[int] = set()  # lessons whose pages are in their files
        self._pool = ThreadPoolExecutor(threads)
        self._ending = False

    # ------------------------------------------------------------ playing and learning

    def run(self, tell: Callable[[Progress], None], *, until: int | None = None) -> None:
        """Play and learn until all games are done, `until` so many are, or `end` is called.

        `tell` is called after every round, on this thread.
        """
        goal = self.settings.games if until is None else min(until, self.settings.games)
        progress = self.progress
        before = progress.seconds
        began = time.perf_counter()
        while progress.games < goal and not self.ended:
            self._round()
            progress.seconds = before + time.perf_counter() - began
            tell(progress)

    @property
    def ended(self) -> bool:
        """Whether somebody wants no more rounds."""
        return self._ending

    def end(self) -> None:
        """Stop after this round; a signal handler may call it."""
        self._ending = True

    def _round(self) -> None:
        """Play ROUND games at once, then learn from them."""
        settings, progress = self.settings, self.progress
        first = progress.games
        records = self.records[: min(ROUND, settings.games - first)]
        alpha = settings.step(first)
        self._share(lambda worker, i: self._play(worker, first + i, records[i]), len(records))
        learnt = self._each_net(lambda worker, k: worker.learn(records, k, alpha))
        progress.learnt = [a + b for a, b in zip(progress.learnt, learnt, strict=True)]
        progress.games += len(records)
        if progress.games > (1 - LAST) * settings.games:
            self._averaged += 1
            self.workers[0].code.blend(self.nets.w, self.mean, 1 / self._averaged)

    def _play(self, worker: Worker, game: int, record: Record) -> None:
        worker.play(self.settings.seed * STEM + game, game % WHOLE == 0, record, self.stop)
        worker.aim(record, self.settings.decay)

    def _each_net(self, work: Callable[[Worker, int], Any]) -> list[Any]:
        """What `work` gives for each of the nets, on several threads where none has two of them."""
        if "one-way" in self.settings.without:  # two of the nets are one
            return [work(self.workers[0], k) for k in range(KINDS)]
        return self._share(work, KINDS)

    def _share(self, work: Callable[[Worker, int], Any], n: int) -> list[Any]:
        """What `work` gives for 0 to n - 1, shared among the workers, each on its own thread."""
        count = len(self.workers)

        def part(number: int) -> list[Any]:
            return [work(self.workers[number], i) for i in range(number, n, count)]

        if count == 1:
            return part(0)
        parts = [job.result() for job in [self._pool.submit(part, k) for k in range(count)]]
        return [parts[i % count][i // count] for i in range(n)]

    def teach(self, tell: Callable[[str], None]) -> bool:
        """One lesson more, once all games are done; False if `end` was called before it was over.

        `tell` is called now and then with what is going on, on this thread.
        """
        settings, progress = self.settings, self.progress
        if progress.lessons == 0:
            self.finish()
        began, number, games = time.perf_counter(), progress.lessons, settings.lesson_games
        lesson = Lesson(games, settings.lesson_decay, self._share, self.nets.plain)
        seed = settings.seed * STEM + STEM // 2 + number * LESSON_STEM

        def go_on(done: int) -> bool:
            tell(f"looks ahead in games: {done:,} of {games:,}")
            return not self.ended

        page = lesson.look(seed, go_on)
        if page is None:
            return False
        pages = [*self.pages, page][-settings.window :]
        tell(f"learns {sum(page.count for page in pages):,} positions")
        if not self._learn(lesson, pages, seed):
            return False
        self.pages = pages
        progress.lessons += 1
        progress.studied.append(page.count)
        progress.seconds += time.perf_counter() - began
        return True

    def _learn(self, lesson: Lesson, pages: list[Page], seed: int) -> bool:
        """Learn what is on these pages; False if `end` was called, with nets as they were."""
        settings, w, shape = self.settings, self.nets.w, self.nets.shape
        before = w[:] if self.nets.plain else w.copy()
        whole = joined(pages, self.nets.plain)
        starts = [shape[2 * k] for k in range(KINDS)]
        nets = [k for k in range(KINDS) if starts.index(starts[k]) == k]  # two may be one
        if self.progress.lessons == 0 and not settings.warm:
            self._scatter()

        def study(worker: Worker, i: int) -> bool:
            return lesson.learn(
                whole, nets[i], worker, settings.passes, settings.rate, seed, lambda: not self.ended
            )

        over = all(self._share(study, len(nets)))
        if not over:
            w[:] = before
        return over

    def _scatter(self) -> None:
        """Give the nets the random weights that belong to the seed."""
        rng = compiled.ints(1, self.nets.plain)
        rng[0] = seeded(self.settings.seed)[0]
        code = kernels("selfplay", self.nets.plain)
        code.scatter(self.nets.w, self.nets.shape, rng, SPREAD)

    # ------------------------------------------------------------ measuring and keeping

    def measure(self, pairs: int) -> Measure:
        """How strong the weights are now; it changes nothing of what follows."""
        seed = self.settings.seed * STEM + 3 * STEM // 4

        def pair(worker: Worker, i: int) -> int:
            return sum(worker.match(seed + i, seat, self.stop) for seat in (0, 1))

        won = [points / 2 for points in self._share(pair, pairs)]
        average = sum(won) / pairs
        squares = sum((points - average) ** 2 for points in won)
        error = 1.96 * (squares / max(1, pairs - 1) / pairs) ** 0.5
        done = self.progress
        return Measure(
            done.games, round(done.seconds, 1), round(average, 4), round(error, 4), done.lessons
        )

    def finish(self) -> None:
        """Take the mean of the last stretch of games for the weights, if no lesson came after."""
        if self._averaged and not self.progress.lessons:
            self.nets.w[:] = self.mean

    def result(self) -> Weights:
        """The weights as they are, and what they were trained by."""
        progress = self.progress
        trained = {
            **_plain(self.settings),
            "games_played": progress.games,
            "seconds": round(progress.seconds),
            "positions": progress.learnt,
            "studied": progress.studied,
            "curve": [[m.games, m.lessons, m.points, m.error] for m in progress.curve],
        }
        if self.given is not None:
            trained["before"] = self.given.trained
        values = [float(x) for x in self.nets.w]
        return Weights(self.settings.hidden, values, trained, self.settings.without)

    def keep(self, path: Path) -> None:
        """Write a checkpoint; of plain Python's weights in single precision, so nearly as they are.

        The pages of lessons lie beside it, each in a file of its own.

        Raises:
            OSError: it cannot be written.
        """
        heading = {
            "checkpoint": "backgammon",
            "settings": _plain(self.settings),
            "progress": asdict(self.progress),
            "averaged": self._averaged,
        }
        both = [*(float(x) for x in self.nets.w), *(float(x) for x in self.mean)]
        pages = self._numbered()
        for number in pages.keys() - self._written:
            path.parent.mkdir(parents=True, exist_ok=True)
            pages[number].keep(page_file(path, number))
            self._written.add(number)
        weights.write(path, heading, both, "f")
        _clear(path, keep=pages)

    def _numbered(self) -> dict[int, Page]:
        """The pages by the numbers of their lessons, from 1."""
        return dict(enumerate(self.pages, self.progress.lessons - len(self.pages) + 1))

    def go_on(self, path: Path) -> None:
        """Take up what `keep` has written.

        Raises:
            BadWeights: there is no checkpoint, or it is damaged.
            BadTraining: it is one of other settings.
        """
        heading, both = weights.read(path)
        count = len(self.nets.w)
        if heading.get("checkpoint") != "backgammon":
            raise BadWeights(f"{path} is no checkpoint of a training")
        if heading.get("settings") != _plain(self.settings) or len(both) != 2 * count:
            raise BadTraining(f"{path} is of a training with other settings")
        try:
            found = heading["progress"]
            found["curve"] = [Measure(**m) for m in found["curve"]]
            progress, averaged = Progress(**found), heading["averaged"]
            first = max(0, progress.lessons - self.settings.window) + 1
        except (KeyError, TypeError):
            raise BadWeights(f"{path} is a checkpoint of another version") from None
        numbers = range(first, progress.lessons + 1)
        self.pages = [Page.kept(page_file(path, number), self.nets.plain) for number in numbers]
        self._written = set(numbers)
        self.progress, self._averaged = progress, averaged
        self.nets.w[:], self.mean[:] = both[:count], both[count:]


def page_file(path: Path, number: int) -> Path:
    """Where beside a checkpoint the page of a lesson lies."""
    return path.with_name(f"{path.name}.{number}")


def forget(path: Path) -> None:
    """Remove a checkpoint, if there is one, and the pages beside it."""
    path.unlink(missing_ok=True)
    _clear(path, keep=())


def _clear(path: Path, keep: Container[int]) -> None:
    """Remove the pages beside a checkpoint but for some."""
    for file in path.parent.iterdir():
        number = file.name.removeprefix(f"{path.name}.")
        if number != file.name and number.isdecimal() and int(number) not in keep:
            file.unlink()


def _plain(settings: Settings) -> dict[str, Any]:
    """The settings as JSON has them."""
    return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(settings).items()}
