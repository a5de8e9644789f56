"""`docs/results.md`: what was measured, as a page in Markdown; and its charts.

A rating is that of the ladders' model: `Rate` fits it, and is handed in, as no bot may import the
server.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from games import registry as games
from lab.arena.score import PairTally, Tally, elo
from lab.experiments import catalog, sweep_report
from lab.experiments.catalog import GAMES, GROWING, MS, NODES, GrowthCell, LandmarkCell
from lab.experiments.plots import Chart, ChartLine
from lab.experiments.sample import CellSample, EffortSums, Measurement

MIN_PAIRS: Final = 5  # pairs of a cell, below which nothing is said of it
POINTS: Final = (0.0, 0.5, 1.0)  # a game lost, drawn, won


class FieldRating(NamedTuple):
    """Ratings in Elo from the mean of all, with half their 95 % intervals, and of moving first."""

    elo: Sequence[float | None]
    error: Sequence[float | None]
    first_move: float
    first_move_error: float


# Players, and pairs as parallel lists: one, two, score of `one` in seat 0, and in seat 1.
Rate: TypeAlias = Callable[[int, list[int], list[int], list[float], list[float]], FieldRating]


@dataclass(frozen=True, slots=True)
class Study:
    """All that has been played.  `minutes`: of one core."""

    samples: Mapping[str, CellSample]
    seed: int
    rate: Rate
    minutes: float
    date: str
    machine: str

    @property
    def cpu_minutes(self) -> float:
        return sum(s.a.cpu_ms + s.b.cpu_ms for s in self.samples.values()) / 60_000

    @property
    def games(self) -> int:
        return sum(sample.games for sample in self.samples.values())

    def sample(self, key: str) -> CellSample:
        return self.samples.get(key, CellSample())


@dataclass(frozen=True, slots=True)
class RobinTable:
    """A round robin of one game: its players, with ratings, and what each did."""

    players: list[str]
    rating: FieldRating
    totals: list[Tally]
    efforts: list[EffortSums]
    pairs: list[int]
    plies: float
    draws: PairTally
    cross: Mapping[tuple[int, int], PairTally]

    @property
    def order(self) -> list[int]:
        return sorted(range(len(self.players)), key=lambda i: -(self.rating.elo[i] or -math.inf))

    def elo(self, player: int) -> str:
        """The rating, from that of random, with its interval against the field."""
        mine, base = self.rating.elo[player], self.rating.elo[self.players.index("random")]
        error = self.rating.error[player]
        if mine is None or base is None or error is None:
            return "-"
        return f"{mine - base:+.0f} ± {error:.0f}" if mine != base else f"0 ± {error:.0f}"


def robin_table(study: Study, mode: str, game: str) -> RobinTable | None:
    """A round robin, as far as it was played; None before MIN_PAIRS pairs of each pairing."""
    names = catalog.players(game)
    n = len(names)
    whole, efforts, counts = [Tally() for _ in names], [EffortSums() for _ in names], [0] * n
    one, two = list[int](), list[int]()
    first, second = list[float](), list[float]()
    cross, total = {}, CellSample()
    for cell in catalog.robin(mode, game):
        sample = study.sample(cell.key)
        if sample.pairs < MIN_PAIRS:
            return None
        total.merge(sample)
        i, j = names.index(cell.a), names.index(cell.b)
        for code, count in enumerate(sample.outcomes):
            one += [i] * count
            two += [j] * count
            first += [POINTS[code // 3]] * count
            second += [POINTS[code % 3]] * count
        tally = sample.tally
        whole[i] = _sum(whole[i], tally)
        whole[j] = _sum(whole[j], Tally(tally.losses, tally.draws, tally.wins))
        for player, sums in ((i, sample.a), (j, sample.b)):
            efforts[player].merge(sums)
            counts[player] += sample.pairs
        cross[i, j] = sample.pair_tally
        cross[j, i] = PairTally(tuple(sample.pair_tally.counts[::-1]))
    if not total.pairs:
        return None
    rating = study.rate(n, one, two, first, second)
    plies = total.plies / total.games
    return RobinTable(names, rating, whole, efforts, counts, plies, total.draws(), cross)


def _sum(one: Tally, other: Tally) -> Tally:
    return Tally(*(x + y for x, y in zip(one, other, strict=True)))


def page(study: Study, pictures: Sequence[str] = ()) -> str:
    """The whole page.  `pictures`: the charts that were drawn, by their files' names."""
    parts = [
        "# Results",
        _introduction(study),
        "## In short",
        *short_form(study),
        *_robins(study),
        *_growths(study, pictures),
        *_landmarks(study),
        *_playouts(study, pictures),
        *_how(study),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _introduction(study: Study) -> str:
    return (
        f"Written by `plyhouse results` on {study.date}, after {study.minutes:.0f} minutes of play "
        "of all processes together, in which the bots' choices had "
        f"{study.cpu_minutes:.0f} minutes of CPU; {study.games:,} games; {study.machine}. "
        "The same command goes on from there and makes the intervals narrower. Nothing here is "
        "written by hand.\n\n"
        "What stands behind ± or in brackets is a 95 % interval, from the spread of pairs: two "
        "games with the seats swapped, and the same opening or dice. That of a rating is against "
        "the mean of the field. Only the sweep at the end counts single games, with Wilson's "
        "interval."
    )


def short_form(study: Study) -> list[str]:
    """The ratings at equal time: a row a bot, a column a game."""
    tables = {game: robin_table(study, "time", game) for game in GAMES}
    played = [game for game in GAMES if tables[game] is not None]
    if not played:
        return ["Too little has been played so far."]
    rows = []
    for bot in catalog.BOTS:
        row = [f"`{bot}`"]
        for game in played:
            table = tables[game]
            assert table is not None
            row.append(table.elo(table.players.index(bot)) if bot in table.players else "")
        rows.append(row)
    titles = [games.game(game).title for game in played]
    return [
        f"Elo at {MS} ms a move, from that of `random`, which has 0:",
        markdown(["", *titles], rows),
    ]


def _robins(study: Study) -> list[str]:
    parts = []
    for game in GAMES:
        tables = {mode: robin_table(study, mode, game) for mode in ("time", "nodes")}
        if not any(tables.values()):
            continue
        parts.append(f"## {games.game(game).title}: each against each")
        for mode, table in tables.items():
            if table is not None:
                parts += _robin(mode, table)
    return parts


def _robin(mode: str, table: RobinTable) -> list[str]:
    head = ["", "Elo", "pairs", "score", "+", "=", "-", "ms a move", "CPU ms", "nodes a move"]
    rows = []
    for i in table.order:
        tally, effort, pairs = table.totals[i], table.efforts[i], table.pairs[i]
        rows.append([
            f"`{table.players[i]}`", table.elo(i), f"{pairs:,}", f"{100 * tally.score:.1f} %",
            *(f"{n:,}" for n in tally), _milliseconds(effort.wall(pairs)),
            _milliseconds(effort.cpu(pairs)), f"{effort.nodes / max(1, effort.choices):,.0f}",
        ])  # fmt: skip
    rating = table.rating
    facts = (
        f"Moving first is worth {rating.first_move:+.0f} ± {rating.first_move_error:.0f} Elo here; "
        f"{_share(table.draws)} of the games were drawn; a game has {table.plies:.1f} plies."
    )
    equal = f"{MS} ms a move" if mode == "time" else f"{NODES:,} nodes a move"
    return [f"### At {equal}", markdown(head, rows), facts, _cross(table)]


def _cross(table: RobinTable) -> str:
    """Score of the row against the column, in per cent."""
    head = ["score, %", *(f"`{table.players[j]}`" for j in table.order)]
    rows = []
    for i in table.order:
        row = [f"`{table.players[i]}`"]
        for j in table.order:
            if i == j:
                row.append("")
                continue
            tally = table.cross[i, j]
            low, high = tally.interval()
            row.append(f"{100 * tally.score:.0f} ({100 * low:.0f}–{100 * high:.0f})")
        rows.append(row)
    return markdown(head, rows)


def _growths(study: Study, pictures: Sequence[str]) -> list[str]:
    parts = []
    for game in GAMES:
        rows = [
            _growth_row(cell, study.sample(cell.key))
            for bot in GROWING
            for cell in catalog.growth(game, bot)
            if study.sample(cell.key).pairs >= MIN_PAIRS
        ]
        if rows:
            head = [
                "",
                "nodes",
                "pairs",
                "score",
                "Elo of doubling",
                "drawn",
                "first mover",
            ]
            parts += [f"### {games.game(game).title}", markdown(head, rows)]
    if not parts:
        return []
    picture = "![Elo of each doubling](results/growth.svg)"
    text = (
        "A bot with so many nodes a move against itself with half of them. Without dice, `mcts` "
        "plays from the first position, so its last two columns say how the game ends between "
        "equals, nearly, and what moving first is worth; `minimax` plays after two random plies. A "
        "doubling without a lost pair has no upper end, only a lower one."
    )
    shown = [picture] if "growth.svg" in pictures else []
    return ["## Strength and nodes", text, *shown, *parts]


def _growth_row(cell: GrowthCell, sample: CellSample) -> list[str]:
    tally = sample.pair_tally
    low, high = tally.interval()
    return [
        f"`{cell.bot}`", f"{2 * cell.nodes:,}", f"{sample.pairs:,}", f"{100 * tally.score:.1f} %",
        f"{elo_text(tally.score)} ({elo_text(low)} to {elo_text(high)})", _share(sample.draws()),
        _share(sample.first_mover()),
    ]  # fmt: skip


def _landmarks(study: Study) -> list[str]:
    """Our bots against engines of others, a table a game."""
    parts = []
    for game in GAMES:
        points = games.game(game).max_return > 1
        rows = [
            _landmark_row(cell, study.sample(cell.key), points)
            for cell in catalog.landmarks(game)
            if study.sample(cell.key).pairs >= MIN_PAIRS
        ]
        if rows:
            head = ["", "against", "pairs", "score", "Elo difference"]
            head += ["points a game"] if points else []
            head += ["ms a move", "the engine's"]
            parts += [f"### {games.game(game).title}", markdown(head, rows)]
    if not parts:
        return []
    text = (
        f"The bots of the house, with {NODES:,} nodes a move, against engines of others that are "
        "known elsewhere, with the engines' settings in the second column. Scores, Elo and points "
        "are those of our bot, in pairs as above. The time is that of the wall's clock, as GNU "
        "Backgammon thinks in a process of its own: what it takes is in no figure of CPU."
        " OpenSpiel is 2.0.1 or newer: before, its ultimate tic-tac-toe was another game."
    )
    return ["## Landmarks: against engines of others", text, *parts]


def _landmark_row(cell: LandmarkCell, sample: CellSample, points: bool) -> list[str]:
    tally = sample.pair_tally
    low, high = tally.interval()
    won = sample.points_a_game()
    return [
        f"`{cell.bot}`", cell.landmark.title, f"{sample.pairs:,}",
        _share(tally), f"{elo_text(tally.score)} ({elo_text(low)} to {elo_text(high)})",
        *([f"{won.value:+.2f} ± {won.high - won.value:.2f}"] if points else []),
        _milliseconds(sample.a.wall(sample.pairs)), _milliseconds(sample.b.wall(sample.pairs)),
    ]  # fmt: skip


def elo_text(score: float) -> str:
    """A difference in Elo; one that no number stands for is "∞"."""
    value = elo(score)
    if math.isfinite(value):
        return f"{value:+.0f}"
    return "∞" if value > 0 else "-∞"


def _playouts(study: Study, pictures: Sequence[str]) -> list[str]:
    sweep = catalog.playouts(study.seed)
    cells = sweep_report.swept(sweep, {c.key: study.sample(c.key) for c in sweep.cells()})
    if not any(cell.sample.pairs for cell in cells):
        return []
    rows = []
    for cell in cells:
        rates, times = cell.rates(), cell.times()
        rows.append([
            f"{cell.point['nodes']:,}", str(cell.point["playouts"]), str(cell.sample.games),
            *(_per_cent(rates[name]) for name in ("loss", "draw", "win")),
            _milliseconds(times["ms"]), _milliseconds(times["cpu_ms"]),
        ])  # fmt: skip
    head = ["iterations", "playouts", "games", "lost", "drawn", "won", "ms a move", "CPU ms"]
    text = (
        "A tree search, without proofs and with a new tree for each move, against `random`, half "
        "of the games in each seat: so many iterations a move, and so many random games at each "
        "new node. The command alone, with the same games:"
    )
    command = (
        "```sh\nplyhouse sweep mcts --game tic_tac_toe --against random --games 500 \\\n"
        "    --iterations 10,20,50,100,200,500,1000,2000 --playouts 1,2,5,10,20 \\\n"
        "    --proofs off --keep off --plot playouts.svg\n```"
    )
    picture = (
        "![Time and losses by iterations, one line a number of playouts](results/playouts.svg)"
    )
    shown = [picture] if "playouts.svg" in pictures else []
    title = "## Random playouts in tic-tac-toe"
    return [title, text, command, *shown, markdown(head, rows)]


def _how(study: Study) -> list[str]:
    text = f"""\
Bots play with their default settings, each game with a new bot, in one process and without a
server; code is compiled and loaded before the first game. At equal time each choice ends after
{MS} ms of the wall's clock. Other work on the machine makes that less: but the two sides of a game
think in turn in the same thread, and the games of all pairings are played in turn, so all suffer
alike. At equal nodes each choice has {NODES:,} of what the bot calls nodes, simulations of a tree
search or positions of alpha-beta, which do not take the same time: see "CPU ms". A solver reads
its book, whatever the budget. Openings are two random plies where no dice roll, the same for both
games of a pair. Cells take turns so that those that are cheap are played more often: pairs in
proportion to 1 / sqrt(cost), which makes the intervals narrow soonest.

Ratings are fitted by the model of the ladders (Bradley-Terry with a term for moving first, errors
from pairs), over all results of a game; `random` is set to 0. The Elo of a doubling is that of its
score. At equal nodes and in the sweep the same seed, {study.seed}, plays the same games on any
machine; at equal time it cannot.

```sh
plyhouse results --minutes 240       # goes on to four hours of one core
plyhouse results --part growth --game connect_four --jobs 2
```

The journal, `results/journal.jsonl`, holds the sums that this page is made from."""
    return ["## How it was measured", text]


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    marks = ["---", *("--:" for _ in head[1:])]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, marks, *rows))


def _share(pairs: PairTally) -> str:
    low, high = (100 * end for end in pairs.interval())
    return f"{100 * pairs.score:.1f} % ({low:.1f}–{high:.1f})"


def _per_cent(estimate: Measurement) -> str:
    if math.isnan(estimate.value):
        return "-"
    value, low, high = (100 * part for part in estimate)
    return f"{value:.1f} % ({low:.1f}–{high:.1f})"


def _milliseconds(estimate: Measurement) -> str:
    half = estimate.high - estimate.value
    return f"{estimate.value:.3g} ± {half:.1g}" if math.isfinite(half) else f"{estimate.value:.3g}"


def growth_charts(study: Study) -> list[Chart]:
    """One chart a game: the Elo of each doubling."""
    charts = []
    for game in GAMES:
        lines = []
        for bot in GROWING:
            points = [
                (float(2 * cell.nodes), estimate)
                for cell in catalog.growth(game, bot)
                if (estimate := doubling(study.sample(cell.key))) is not None
            ]
            if points:
                lines.append(ChartLine(bot, points))
        if lines:
            title = games.game(game).title
            charts.append(Chart(title, "nodes a move", "Elo over half", lines, True, zero=0.0))
    return charts


def doubling(sample: CellSample) -> Measurement | None:
    """The Elo of a sample's score; None where there is too little, or no number for it."""
    tally = sample.pair_tally
    values = Measurement(elo(tally.score), *map(elo, tally.interval()))
    return values if sample.pairs >= MIN_PAIRS and math.isfinite(values.value) else None
