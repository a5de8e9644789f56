"""Parts of an analysis in few words; their fields are keyword-only on the wire."""

from __future__ import annotations

from typing import Any

from protocol.analysis import AnalysedOption, AnalysedPlay, AnalysedTotal, MatchAnalysis
from protocol.parts import Seat


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
