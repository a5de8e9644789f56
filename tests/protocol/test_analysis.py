"""The sizes of analyses: what a bot can send, the server can hand on."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import Any

import pytest

from protocol import codec
from protocol.analysis import (
    Analysed,
    AnalysedOption,
    AnalysedPlay,
    AnalysedRoll,
    AnalysedTotal,
    MatchAnalysis,
    ReportAnalysis,
)
from protocol.messages import MAX_CLIENT_FRAME, MAX_CLIENT_LIST, MAX_SERVER_FRAME
from protocol.parts import MAX_INT

THIRD = -1.2345678901234567e-300  # of numbers, JSON takes the most letters for such a one
PLAY = AnalysedPlay(ply=1, seat=1, action="", loss=-THIRD, error=-THIRD, doubtful=True)
ROLL = AnalysedRoll(ply=1, seat=0, roll="", luck=THIRD)


def of(**fields: Any) -> MatchAnalysis:
    totals = (AnalysedTotal(), AnalysedTotal())
    return MatchAnalysis(**{"game": "", "by": "", "unit": "score", "totals": totals} | fields)


def noted(note: str) -> Callable[[int], MatchAnalysis]:
    option = AnalysedOption(action="", value=THIRD, note=note)
    play = AnalysedPlay(ply=1, seat=0, action="", best=[option] * 5)
    return lambda n: of(plays=[play] * n)


def report(analysis: MatchAnalysis) -> bytes:
    return codec.encode(ReportAnalysis(ask=MAX_INT, analysis=analysis))


FULL: dict[str, Callable[[int], MatchAnalysis]] = {
    "quotation marks": noted('"' * 256),
    "backslashes": noted("\\" * 256),
    "letters of four bytes": noted("𝄞" * 256),
    "values": noted(""),
    "losses": lambda n: of(plays=[PLAY] * n),
    "luck and plies": lambda n: of(rolls=[ROLL] * n, left=[MAX_INT] * n),
}


@pytest.mark.parametrize("make", FULL.values(), ids=FULL.keys())
def test_what_fits_into_a_client_s_frame_fits_into_the_server_s(
    make: Callable[[int], MatchAnalysis],
) -> None:
    counts = range(1, MAX_CLIENT_LIST + 1)
    most = bisect_right(counts, MAX_CLIENT_FRAME, key=lambda n: len(report(make(n))))
    answer = Analysed(re=MAX_INT, match="x" * 256, bot="x" * 49, analysis=make(most))
    for text in (False, True):
        frame = codec.encode(answer, text)
        assert len(frame) <= MAX_SERVER_FRAME
        assert codec.decode_reply(frame, text) == answer
