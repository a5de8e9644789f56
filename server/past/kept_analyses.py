"""Analyses that were made once and are kept: the house's own bots', the newest, within bounds.

What somebody else's bot says is told to who asked for it and is not kept: it is not checked whether
it judges well, and everybody would be told it from then on.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

import msgspec
from msgspec import Struct

from protocol.analysis import MatchAnalysis
from protocol.notation import MatchName
from server.config import Config
from server.store.contract import (
    AnalysisRow,
    DroppedAnalysisRow,
    LogReader,
    Row,
    Store,
)

log = logging.getLogger("plyhouse")


class KeptReport(Struct, frozen=True, array_like=True):
    """What a bot has said of a match; it is stored, so fields are only ever added at the end."""

    bot: str
    analysis: MatchAnalysis


_write = msgspec.msgpack.Encoder().encode
_read = msgspec.msgpack.Decoder(KeptReport).decode


class KeptAnalyses:
    """Knows of which matches there is an analysis; the analyses themselves are in the store."""

    def __init__(self, store: Store, config: Config) -> None:
        self.store = store
        self.most = config.analyses_kept
        self.most_bytes = config.analyses_kept_bytes
        kept = store.kept_analyses()
        self._sizes = {MatchName(each.room, each.match): each.size for each in kept}  # oldest first
        self._bytes = sum(self._sizes.values())

    def has(self, match: MatchName) -> bool:
        return match in self._sizes

    def read(
        self, reader: LogReader, match: MatchName, done: Callable[[KeptReport | None], None]
    ) -> None:
        """Hand an analysis to `done`, or None if there is none that can be read."""

        def found(rows: list[AnalysisRow] | None) -> None:
            try:
                done(_read(rows[0].body) if rows else None)
            except msgspec.DecodeError as error:
                log.error("the analysis of %d.%d cannot be read: %s", *match, error)
                done(None)

        reader.read_analysis(match.room, match.number, found)

    def forget(self, match: MatchName) -> None:
        """Do not hand out this analysis any more: it cannot be read."""
        self._bytes -= self._sizes.pop(match, 0)

    def keep(self, match: MatchName, report: KeptReport, now: int) -> None:
        """Store an analysis, in place of an older one, and drop the oldest that are too many."""
        body = _write(report)
        if len(body) > self.most_bytes:
            return
        self.forget(match)
        rows: list[Row] = [AnalysisRow(match.room, match.number, now, body)]
        while self._sizes and not self._has_place(len(body)):
            oldest = next(iter(self._sizes))
            self.forget(oldest)
            rows.append(DroppedAnalysisRow(*oldest))

        def stored(error: Exception | None) -> None:
            if error is not None:
                log.error("the analysis of %d.%d is not kept: %s", *match, error)
                return
            self.forget(match)
            self._sizes[match] = len(body)
            self._bytes += len(body)

        self.store.append(rows, stored)

    def _has_place(self, size: int) -> bool:
        return len(self._sizes) < self.most and self._bytes + size <= self.most_bytes
