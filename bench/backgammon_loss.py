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

from bench.backgammon_match import Interval, interval, rolled
from bench.backgammon_peers import Gnu, Player
from games import registry
from games.game import CHANCE, END, Position
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


class Kept(msgspec.Struct):
    """A file of judgements: by whom, and of each position, as an XGID, what is known."""

    by: str
    positions: dict[str, Values]


def decisions(gnu: Gnu, seed: int) -> Iterator[Position]:
    """Positions with a choice from games that GNU Backgammon plays against itself, without end."""
    number = 0
    while True:
        position, ply = registry.game("backgammon").initial(), 0
        while position.to_move != END:
            if position.to_move == CHANCE:
                position = position.apply(rolled(position, seed, number, ply))
            else:
                if len(position.legal_actions()) > 1 and _taken(seed, number, ply):
                    yield position
                position = position.apply(gnu(position))
            ply += 1
        number += 1


def _taken(seed: int, number: int, ply: int) -> bool:
    """Whether a decision is one of those to be judged; nothing to do with the dice."""
    return below(seeded(((seed + OTHER) * 1_000_003 + number) * 4_096 + ply), ONE_IN) == 0


class Bench:
    """The judge, with all that it has said."""

    def __init__(self, gnu: Gnu, by: str, file: Path | None) -> None:
        self._gnu = gnu
        self._file = file
        self._kept = _read(file, by)

    def __len__(self) -> int:
        return sum(map(len, self._kept.positions.values()))

    def values(self, position: Position, turns: Sequence[int] = ()) -> Values:
        """The equities of the turns worth looking at, and of `turns`."""
        name = position.game.format_position(position)
        known = self._kept.positions.get(name)
        if known is None:
            known = self._kept.positions[name] = dict.fromkeys(self._worth_it(position), 0.0)
            for action in known:
                known[action] = self._judged(position, action)
        for action in turns:
            if action not in known:
                known[action] = self._judged(position, action)
        return known

    def keep(self) -> None:
        """Write what was said to the file, whole or not; a sentence on stderr if it cannot be."""
        if self._file is None:
            return
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            beside = self._file.with_name(self._file.name + ".new")
            beside.write_bytes(msgspec.json.encode(self._kept))
            beside.replace(self._file)
        except OSError as error:
            print(f"{self._file}: {error.strerror}; nothing is kept", file=sys.stderr)

    def _worth_it(self, position: Position) -> list[int]:
        first = {a: self._gnu.equity(position, a, 1) for a in position.legal_actions()}
        least = max(first.values()) - GAP
        return [a for a, value in first.items() if value >= least]

    def _judged(self, position: Position, action: int) -> float:
        return round(self._gnu.equity(position, action, PLIES), 6)


def _read(file: Path | None, by: str) -> Kept:
    """What the file says; nothing if there is none, or if somebody else said it."""
    try:
        kept = msgspec.json.decode(file.read_bytes() if file else b"", type=Kept)
    except (OSError, UnicodeDecodeError, msgspec.DecodeError):
        return Kept(by, {})
    return kept if kept.by == by else Kept(by, {})


def losses(players: dict[str, Player], bench: Bench, positions: Sequence[Position]) -> list[Loss]:
    """What each player gives away in these decisions; how far it is goes to stderr."""
    _prepare(bench, positions)
    chosen = {name: [player(p) for p in positions] for name, player in players.items()}
    best, values = [], []
    for i, position in enumerate(positions):
        values.append(bench.values(position, [turns[i] for turns in chosen.values()]))
        best.append(max(values[-1].values()))
    bench.keep()
    return [
        loss(name, [top - known[a] for top, known, a in zip(best, values, turns, strict=True)])
        for name, turns in chosen.items()
    ]


def loss(player: str, lost: Sequence[float]) -> Loss:
    """What it comes to, of the points lost in each decision."""
    return Loss(
        player=player,
        decisions=len(lost),
        loss=interval(lost),
        best=sum(x < EQUAL for x in lost) / len(lost),
        blunders=sum(x > BLUNDER for x in lost) / len(lost),
    )


def _prepare(bench: Bench, positions: Sequence[Position]) -> None:
    """Have all positions judged, and keep that every minute."""
    told = kept = time.monotonic()
    for i, position in enumerate(positions):
        bench.values(position)
        now = time.monotonic()
        if now - told > 10:
            told = now
            print(f"judged {i + 1} of {len(positions)} decisions", file=sys.stderr, flush=True)
        if now - kept > 60:
            kept = now
            bench.keep()


def first(gnu: Gnu, seed: int, n: int) -> list[Position]:
    """The first `n` decisions of a seed."""
    return list(islice(decisions(gnu, seed), n))
