"""How far a training has come, and how strong its nets were on the way."""

from __future__ import annotations

import msgspec

from bots.backgammon.kernels.net import KINDS


class CurvePoint(msgspec.Struct, frozen=True):
    """Points a game against the hand-made evaluation, without lookahead.

    games     that had been played by then
    seconds   of playing and learning until then
    error     95 %, from pairs of games with the same dice and seats exchanged
    lessons   rounds of lookahead that were over by then, of both kinds
    """

    games: int
    seconds: float
    points: float
    error: float
    lessons: int = 0


class TrainingProgress(msgspec.Struct):
    """How far a training has come.

    lessons  rounds of lookahead that are over, of both kinds
    learnt   positions that each net has learnt from in games of self-play
    studied  positions of each round of lookahead
    """

    games: int = 0
    lessons: int = 0
    seconds: float = 0.0
    learnt: list[int] = msgspec.field(default_factory=lambda: [0] * KINDS)
    studied: list[int] = []
    curve: list[CurvePoint] = []
