"""The match equity table, from games that the nets play against themselves.

Two kinds of games are recorded (kernels/match_games.py).  At most scores the cube is alive, and how
a game ends is told from games of money play: at each of their positions both sides do what is best
at that score.  Where the cube is dead from the start, as in the Crawford game and after it, what
counts is how often each side wins gammons, and that depends on how much it wants to.  So games are
recorded in which they count nothing to one side, and nothing, as much as a win, or twice as much to
the other; what lies between is interpolated.

Scores are worked out backwards from the end of the match, each from those that a game leads to.

    python -m lab.training.match_games FILE       eight minutes of one core
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from bots.backgammon.cube import match_table
from bots.backgammon.cube.cube_judge import CubeJudge
from bots.backgammon.cube.match_table import MAX_AWAY, MatchTable
from bots.backgammon.judge import Judge
from bots.backgammon.kernels.cube import MIDDLE, REACH
from bots.backgammon.kernels.net import OUTPUTS
from bots.backgammon.nets import GAME, MONEY_PRICES, kernels
from bots.engine import compiled
from games.rng import seeded
from lab.training.kernels import match_games
from lab.training.kernels.selfplay import MAX_POSITIONS
from lab.training.kernels.training_records import GameArrays, KeptGames

POSITIONS: Final = 60  # of a game, on average: there is room for so many
FIRST: Final = 3  # positions of a game with a dead cube: by then it has been turned
GAMMON_PRICES: Final = (0.0, 1.0, 2.0)  # of who still needs points, in the Crawford game and after


class TableSettings(msgspec.Struct, frozen=True):
    """What a table depends on, beside the nets.

    games  of money play
    pairs  of games with the same dice, sides swapped, for each price of gammons
    """

    games: int = 48_000
    pairs: int = 50_000
    seed: int = 1


@dataclass(frozen=True, slots=True)
class RecordedGames:
    """Some games: `n` of them, and how often seat 0 won -3 to 3 points, at 3 + points."""

    games: KeptGames
    n: int
    shares: tuple[float, ...]


class MatchGames:
    """Records games, and works out what a match is worth at each score."""

    def __init__(
        self, judge: Judge, settings: TableSettings, tell: Callable[[str], None] = lambda _: None
    ) -> None:
        """`tell` gets a line now and then."""
        self._judge, self._settings, self._tell = judge, settings, tell
        self._cubes = CubeJudge(judge)
        self._code = kernels(match_games, judge.nets.plain)
        self._before = [[0.5] * (MAX_AWAY + 1) for _ in range(MAX_AWAY + 1)]
        self._after = [0.5] * (MAX_AWAY + 1)

    def table(self) -> MatchTable:
        """The chances at all scores."""
        settings = self._settings
        dead = [self._pair(price) for price in GAMMON_PRICES]
        money = self._record(settings.games, MONEY_PRICES, POSITIONS)
        for away in range(2, MAX_AWAY + 1):
            self._after[away] = self._after_crawford(away, dead)
        for away in range(2, MAX_AWAY + 1):
            self._enter(away, 1, self._crawford(away, dead))
        for away in range(3, MAX_AWAY + 1):
            for their_away in range(2, away):
                worth = self._worth(away, their_away, crawford_over=False)
                value = (self._replay(money, worth, False) + self._replay(money, worth, True)) / 2
                self._enter(away, their_away, (1 + value) / 2)
            self._tell(f"scores up to {away} points")
        rows = tuple(tuple(row[1:]) for row in self._before[1:])
        return MatchTable(rows, tuple(self._after[1:]))

    def _enter(self, away: int, their_away: int, chance: float) -> None:
        self._before[away][their_away] = chance
        self._before[their_away][away] = 1 - chance

    def _worth(self, away: int, their_away: int, *, crawford_over: bool) -> list[float]:
        """What points are worth at a score, by what is known of the scores they lead to."""
        known = MatchTable(
            tuple(tuple(row[1:]) for row in self._before[1:]), tuple(self._after[1:])
        )
        return [
            2 * known.chance(
                away - max(points, 0), their_away - max(-points, 0), crawford_over=crawford_over
            ) - 1
            for points in range(-REACH, REACH + 1)
        ]  # fmt: skip

    def _after_crawford(
        self, away: int, dead: Sequence[tuple[RecordedGames, RecordedGames]]
    ) -> float:
        """The chance of who needs `away` points when the other side needs one.

        It doubles before its first roll, and the other side drops if that is better.
        """
        worth = self._worth(away, 1, crawford_over=True)
        values = [
            (self._replay(mine, worth, False) + self._replay(theirs, worth, True)) / 2
            for mine, theirs in dead
        ]
        return (1 + _between(_gammon_price(worth, 2), values)) / 2

    def _crawford(self, away: int, dead: Sequence[tuple[RecordedGames, RecordedGames]]) -> float:
        """The same for the Crawford game, in which neither doubles."""
        worth = self._worth(away, 1, crawford_over=True)
        values = []
        for mine, theirs in dead:
            shares = zip(mine.shares, reversed(theirs.shares), strict=True)
            won = [sum(both) / 2 for both in shares]
            values.append(sum(share * worth[MIDDLE - 3 + i] for i, share in enumerate(won)))
        return (1 + _between(_gammon_price(worth, 1), values)) / 2

    def _replay(self, recorded: RecordedGames, worth: list[float], turned: bool) -> float:
        """What games are worth to seat 0, or to seat 1 if `turned`: to whom `worth` belongs."""
        space = self._cubes.set_worth(worth)
        return float(self._code.replay_all(recorded.games, recorded.n, turned, space))

    def _pair(self, price: float) -> tuple[RecordedGames, RecordedGames]:
        """Games in which gammons count `price` to seat 0 and nothing to seat 1, and the reverse.

        Backgammons count where gammons do not: who needs three points has little use for the second
        one, much for the third.
        """
        more = 1 - price / 2
        own, other = (2.0, price, more, 0.0, 0.0), (2.0, 0.0, 0.0, -price, -more)
        pairs = self._settings.pairs
        # Twice the same dice: what one side owes to luck the other gets.
        return (
            self._record(pairs, own + other, FIRST),
            self._record(pairs, other + own, FIRST),
        )

    def _record(self, n: int, prices: Sequence[float], most: int) -> RecordedGames:
        """Play n games, in which chances are worth `prices`."""
        plain, judge = self._judge.nets.plain, self._judge
        room = n * min(most, POSITIONS)
        games = KeptGames(
            begins=compiled.ints(n + 1, plain),
            first=compiled.ints(n, plain),
            points=compiled.ints(n, plain),
            chances=compiled.singles(room * OUTPUTS, plain),
            live=compiled.singles(room, plain),
        )
        one = GameArrays(
            compiled.ints(MAX_POSITIONS * GAME.state_size, plain),
            compiled.singles(MAX_POSITIONS * OUTPUTS, plain),
        )
        rng = compiled.ints(1, plain)
        rng[0] = seeded(self._settings.seed)[0]
        judge.price(prices)
        most = MAX_POSITIONS if most == POSITIONS else most
        kept = self._code.keep_games(
            rng, n, most, one, games, judge.nets.arrays, judge.workspace, self._cubes.space,
            judge.stop_flag(None),
        )  # fmt: skip
        judge.price(MONEY_PRICES)
        points = [int(p) for p in games.points[:kept]]
        self._tell(f"{kept} games, gammons at {prices[1]:g} and {prices[OUTPUTS + 1]:g}")
        return RecordedGames(games, kept, tuple(points.count(p) / kept for p in range(-3, 4)))


def _gammon_price(worth: Sequence[float], n: int) -> float:
    """What a gammon adds to a win of n points, where the difference from a loss to a win is 2."""
    win, loss = worth[MIDDLE + n], worth[MIDDLE - n]
    price = 2 * (worth[MIDDLE + 2 * n] - win) / (win - loss)
    return max(GAMMON_PRICES[0], min(GAMMON_PRICES[-1], price))


def _between(price: float, values: Sequence[float]) -> float:
    """The value at a price from those at GAMMON_PRICES, along a parabola."""
    low, middle, high = values
    slope, bend = (high - low) / 2, (high - 2 * middle + low) / 2
    return middle + (price - 1) * slope + (price - 1) ** 2 * bend


def main() -> None:
    """Compute the table of the shipped nets, and write it."""
    settings = TableSettings()
    table = MatchGames(Judge(), settings, lambda line: print(line, file=sys.stderr)).table()
    match_table.write(Path(sys.argv[1]), table, msgspec.to_builtins(settings))


if __name__ == "__main__":
    main()
