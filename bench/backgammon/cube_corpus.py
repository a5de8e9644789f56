"""Cube decisions to be judged, from games with the cube, for money and at scores of matches.

Every other game is played by our nets, the others by GNU Backgammon, neither looking ahead.  The
cube is turned, taken and dropped as GNU Backgammon does without lookahead, so that no opinion of
ours decides which decisions there are.  At most moments nobody would think of doubling, and many
doubles are dropped without a thought; so only those decisions count in which GNU Backgammon without
lookahead finds the two ways no further apart than GAP: of the moments before a roll one in ONE_IN,
of the answers to a double all.  Dice, players and scores follow from the seed.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Final, Literal

import msgspec

from bench.backgammon.gnubg_program import CubeVerdict, GnuCube
from bench.backgammon.match import Ours, rolled
from bench.backgammon.peers import Chooser, Gnu
from bots.backgammon.cube.stakes import Stakes
from bots.backgammon.judge import Judge
from games import registry
from games.backgammon.rules import TURN
from games.game import CHANCE, END, Position
from games.rng import below, seeded

GAP: Final = 0.3  # points
ONE_IN: Final = 2  # moments before a roll
MOST_POINTS: Final = 11  # of a match
PLIES: Final = (0, 1, 2)  # that GNU Backgammon judges with; the last is the yardstick

Kind = Literal["money", "match"]
KINDS: Final[tuple[Kind, ...]] = ("money", "match")


class CubeQuestion(msgspec.Struct, frozen=True):
    """A decision, and what GNU Backgammon says of it by plies.

    state   before the roll of who may double, or has doubled
    answer  the decision is that of the other side: to take or to drop
    """

    state: tuple[int, ...]
    stakes: Stakes
    answer: bool
    verdicts: tuple[CubeVerdict, ...]

    @property
    def position(self) -> Position:
        """The position in which it is to be decided."""
        return Position(registry.game("backgammon"), self.state)


class CorpusFile(msgspec.Struct):
    """Questions as they are kept; `made_by` names all that they follow from."""

    made_by: str
    questions: dict[Kind, list[CubeQuestion]]


class Corpus:
    """Finds questions, and has GNU Backgammon judge them."""

    def __init__(self, judge: Judge, gnu: GnuCube, seed: int) -> None:
        self._gnu, self._seed = gnu, seed
        self._players: tuple[Chooser, Chooser] = (Ours(judge, 0), Gnu())

    def questions(self, kind: Kind, doubles: int, answers: int) -> list[CubeQuestion]:
        """The first questions of this kind: whether to double, and how to answer."""
        wanted = {False: doubles, True: answers}
        questions: list[CubeQuestion] = []
        reported = time.monotonic()
        for position, stakes, answer in self._moments(kind):
            if wanted[answer]:
                wanted[answer] -= 1
                verdicts = tuple(self._gnu.judge(position, stakes, plies) for plies in PLIES)
                questions.append(CubeQuestion(position.state, stakes, answer, verdicts))
            if time.monotonic() - reported > 10:
                reported = time.monotonic()
                print(f"{kind}: {len(questions)} decisions judged", file=sys.stderr, flush=True)
            if not any(wanted.values()):
                break
        return questions

    def _moments(self, kind: Kind) -> Iterator[tuple[Position, Stakes, bool]]:
        """Decisions, game after game, without end."""
        for number in count():
            stakes = Stakes() if kind == "money" else _score(self._seed, number)
            yield from self._game(number, stakes, self._players[number % 2])

    def _game(
        self, number: int, stakes: Stakes, player: Chooser
    ) -> Iterator[tuple[Position, Stakes, bool]]:
        position, ply = registry.game("backgammon").initial(), 0
        while position.to_move != END:
            seat = position.state[TURN]
            if position.to_move != CHANCE:
                position = position.apply(player(position))
            else:
                if seat >= 0 and stakes.may_double(seat) and _useful(stakes, seat):
                    verdict = self._gnu.judge(position, stakes, 0)
                    doubled = min(verdict.taken, verdict.cash)
                    near = abs(doubled - verdict.stays) <= GAP
                    if near and below(_rng(self._seed, number, ply), ONE_IN) == 0:
                        yield position, stakes, False
                    if doubled > verdict.stays:
                        if abs(verdict.taken - verdict.cash) <= GAP:
                            yield position, stakes, True
                        if verdict.taken > verdict.cash:
                            return
                        stakes = stakes.doubled(seat)
                position = position.apply(rolled(position, self._seed, number, ply))
            ply += 1


def _rng(seed: int, number: int, ply: int) -> list[int]:
    return seeded(((seed + 9) * 1_000_003 + number) * 4_096 + ply)


def _useful(stakes: Stakes, seat: int) -> bool:
    """Whether `seat` has any use for a higher cube."""
    return stakes.away is None or stakes.cube < stakes.away[seat]


def _score(seed: int, number: int) -> Stakes:
    """A score with up to MOST_POINTS to go; where that is one, after the Crawford game."""
    rng = _rng(seed, number, 4_095)
    while True:
        away = below(rng, MOST_POINTS) + 1, below(rng, MOST_POINTS) + 1
        if away != (1, 1):
            return Stakes(away=away, crawford_over=1 in away)


def made_by(judge: Judge, gnu: GnuCube, seed: int, doubles: int, answers: int) -> str:
    """What the questions follow from, as text."""
    nets = hashlib.sha256(repr(list(map(float, judge.nets.weights))).encode()).hexdigest()[:12]
    return json.dumps([nets, gnu.version, seed, doubles, answers, GAP, ONE_IN, MOST_POINTS])


def read(file: Path, made: str) -> dict[Kind, list[CubeQuestion]]:
    """The questions in a file; none where it holds others, or cannot be read."""
    try:
        stored = msgspec.json.decode(file.read_bytes(), type=CorpusFile)
    except (OSError, UnicodeDecodeError, msgspec.DecodeError):
        return {}
    return stored.questions if stored.made_by == made else {}


def keep(file: Path, made: str, questions: dict[Kind, list[CubeQuestion]]) -> None:
    """Write the questions to a file; stderr says if that fails."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(msgspec.json.encode(CorpusFile(made, questions)))
    except OSError as error:
        print(f"{file}: {error.strerror}; nothing is kept", file=sys.stderr)
