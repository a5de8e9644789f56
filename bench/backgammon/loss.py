"""What a play gives away: decisions from games of GNU Backgammon 0-ply, judged by its 2-ply.

A decision is a position with a choice of two turns or more; about one in twelve is taken, so that
few are of the same game.  Judged are all turns that come within GAP of the best by the judge's
1-ply, and whatever somebody measured plays.  That takes a third of a second a decision, and is
therefore kept in a file.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import msgspec

from bench.backgammon.match import Interval, interval, self_play
from bench.backgammon.peers import Chooser, Gnu
from games.game import Position
from games.rng import below, seeded

PLIES = 2  # of the judge
GAP = 0.16  # points; the judge's two opinions of a turn differ by less, but for a few in a thousand
ONE_IN = 12  # decisions
OTHER = 6  # added to the seed: what is taken has numbers of its own
BLUNDER = 0.08  # points
EQUAL = 1e-5  # points: what the judge's own arithmetic leaves uncertain

Values = dict[int, float]  # equity in points of each turn that has been judged


class Loss(msgspec.Struct, kw_only=True):
    """What a player gives away.  `loss`: points a decision; the shares are of all decisions."""

    player: str
    decisions: int
    loss: Interval
    best: float
    blunders: float


class JudgementFile(msgspec.Struct):
    """A file of judgements: by whom, and the equities of the turns in each position (an XGID)."""

    by: str
    positions: dict[str, Values]


def decisions(gnu: Gnu, seed: int) -> Iterator[Position]:
    """Positions with a choice from games that GNU Backgammon plays against itself, without end."""
    for number, ply, position in self_play(gnu, seed):
        if len(position.legal_actions()) > 1 and _taken(seed, number, ply):
            yield position


def _taken(seed: int, number: int, ply: int) -> bool:
    """Whether a decision is one of those to be judged; nothing to do with the dice."""
    return below(seeded(((seed + OTHER) * 1_000_003 + number) * 4_096 + ply), ONE_IN) == 0


class Judgements:
    """The judge, with all its judgements."""

    def __init__(self, gnu: Gnu, by: str, file: Path | None) -> None:
        self._gnu = gnu
        self._file = file
        self._file_content = _read(file, by)

    def __len__(self) -> int:
        return sum(map(len, self._file_content.positions.values()))

    def values(self, position: Position, turns: Sequence[int] = ()) -> Values:
        """The equities of the turns worth looking at, and of `turns`."""
        name = position.game.format_position(position)
        equities = self._file_content.positions.get(name)
        if equities is None:
            equities = self._file_content.positions[name] = dict.fromkeys(
                self._worth_it(position), 0.0
            )
            for action in equities:
                equities[action] = self._judged(position, action)
        for action in turns:
            if action not in equities:
                equities[action] = self._judged(position, action)
        return equities

    def keep(self) -> None:
        """Write the judgements to the file, whole or not at all; stderr says if that fails."""
        if self._file is None:
            return
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            beside = self._file.with_name(self._file.name + ".new")
            beside.write_bytes(msgspec.json.encode(self._file_content))
            beside.replace(self._file)
        except OSError as error:
            print(f"{self._file}: {error.strerror}; nothing is kept", file=sys.stderr)

    def _worth_it(self, position: Position) -> list[int]:
        first = {a: self._gnu.equity(position, a, 1) for a in position.legal_actions()}
        least = max(first.values()) - GAP
        return [a for a, value in first.items() if value >= least]

    def _judged(self, position: Position, action: int) -> float:
        return round(self._gnu.equity(position, action, PLIES), 6)


def _read(file: Path | None, by: str) -> JudgementFile:
    """The judgements in the file; none without a file, or where another judge wrote it."""
    try:
        judgements = msgspec.json.decode(file.read_bytes() if file else b"", type=JudgementFile)
    except (OSError, UnicodeDecodeError, msgspec.DecodeError):
        return JudgementFile(by, {})
    return judgements if judgements.by == by else JudgementFile(by, {})


def losses(
    players: dict[str, Chooser], judgements: Judgements, positions: Sequence[Position]
) -> list[Loss]:
    """What each player gives away in these decisions; progress goes to stderr."""
    _prepare(judgements, positions)
    chosen = {name: [player(p) for p in positions] for name, player in players.items()}
    best, values = [], []
    for i, position in enumerate(positions):
        values.append(judgements.values(position, [turns[i] for turns in chosen.values()]))
        best.append(max(values[-1].values()))
    judgements.keep()
    return [
        loss(name, [top - each[a] for top, each, a in zip(best, values, turns, strict=True)])
        for name, turns in chosen.items()
    ]


def loss(player: str, lost: Sequence[float]) -> Loss:
    """The loss of a player, from the points lost in each decision."""
    return Loss(
        player=player,
        decisions=len(lost),
        loss=interval(lost),
        best=sum(x < EQUAL for x in lost) / len(lost),
        blunders=sum(x > BLUNDER for x in lost) / len(lost),
    )


def _prepare(judgements: Judgements, positions: Sequence[Position]) -> None:
    """Have all positions judged, and keep that every minute."""
    reported = written = time.monotonic()
    for i, position in enumerate(positions):
        judgements.values(position)
        now = time.monotonic()
        if now - reported > 10:
            reported = now
            print(f"judged {i + 1} of {len(positions)} decisions", file=sys.stderr, flush=True)
        if now - written > 60:
            written = now
            judgements.keep()


def first(gnu: Gnu, seed: int, n: int) -> list[Position]:
    """The first `n` decisions of a seed."""
    return list(islice(decisions(gnu, seed), n))
