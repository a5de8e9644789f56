"""Parts of an analysis in few words; their fields are keyword-only on the wire."""

from __future__ import annotations

from typing import Any

import msgspec

from protocol.analysis import (
    AnalysedCube,
    AnalysedOption,
    AnalysedPlay,
    AnalysedResigning,
    AnalysedRoll,
    AnalysedTotal,
    MatchAnalysis,
)
from protocol.parts import Seat, Series


def option(action: str, value: float | None = None, note: str = "") -> AnalysedOption:
    return AnalysedOption(action=action, value=value, note=note)


def play(
    ply: int, seat: Seat, loss: float | None, best: list[AnalysedOption], blunder: bool = False
) -> AnalysedPlay:
    """The last of the `best` options was played."""
    return AnalysedPlay(
        ply=ply, seat=seat, action=best[-1].action, loss=loss, blunder=blunder, best=best
    )


def total(plays: int = 0, **counts: Any) -> AnalysedTotal:
    return AnalysedTotal(plays=plays, **counts)


def solved(*plays: AnalysedPlay, **fields: Any) -> MatchAnalysis:
    """An analysis of tic-tac-toe."""
    totals = {"totals": (total(len(plays)), total())}
    return MatchAnalysis(
        game="tic_tac_toe", by="solver", unit="score", plays=[*plays], **(totals | fields)
    )


def in_order(play: AnalysedPlay) -> bool:
    """Whether the best of its options stand first, and it lost nothing or something."""
    values = [option.value for option in play.best if option.value is not None]
    return values == sorted(values, reverse=True) and play.loss is not None and play.loss >= 0


def of_cube(series: Series) -> MatchAnalysis:
    """A game at a score: X did not double, and O took what it should have dropped."""
    double, roll = option("double", 0.56), option("roll", 0.515)
    drop, take = option("drop", 0.4375), option("take", 0.40625)
    about = {"cube": True, "blunder": True}
    cubes = (
        AnalysedCube(plays=5, loss=0.045, normalised=0.25, blunders=1),
        AnalysedCube(plays=1, loss=0.03125, normalised=0.1875, blunders=1),
    )
    return MatchAnalysis(
        game="backgammon_cube", by="gammon, 1 ply, the cube 2 plies", unit="chance",
        blunder=0.08, series=series,
        plays=[
            AnalysedPlay(ply=2, seat=0, action="roll", loss=0.045, best=[double, roll],
                         normalised=0.25, mistake="missed_double", **about),
            AnalysedPlay(ply=6, seat=1, action="take", loss=0.03125, best=[drop, take],
                         normalised=0.1875, shows=2, mistake="wrong_take", **about),
        ],
        rolls=[AnalysedRoll(ply=3, seat=0, roll="66", luck=0.1)],
        totals=(
            total(40, loss=0.0575, blunders=1, doubtful=2, luck=0.1, rated=25, normalised=0.3,
                  cube=cubes[0]),
            total(38, loss=0.03125, blunders=1, luck=0.0, rated=20, normalised=0.1875,
                  cube=cubes[1]),
        ),
    )  # fmt: skip


def given_up(analysis: MatchAnalysis) -> MatchAnalysis:
    """The analysis of `of_cube`, where X has given up an even game for two points at its end."""
    resigned = AnalysedPlay(
        ply=8, seat=0, action="resign 2", loss=0.125, blunder=True, normalised=1.5, shows=2,
        best=[option("play on", 0.5), option("resign 2", 0.375)],
    )  # fmt: skip
    x, o = analysis.totals
    resigning = AnalysedResigning(decisions=1, loss=0.125, blunders=1)
    loss, blunders = x.loss + resigning.loss, x.blunders + 1
    gave = msgspec.structs.replace(x, loss=loss, blunders=blunders, resigning=resigning)
    return msgspec.structs.replace(analysis, totals=(gave, o), resignations=[resigned])
