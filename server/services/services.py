"""The services beside the rooms, as one value: each client that comes or goes concerns them all."""

from __future__ import annotations

from typing import NamedTuple

from protocol.analysis import (
    Analyse,
    AnalyseOwn,
    Consider,
    DelayAnalysis,
    ReportAnalysis,
    ReportConsidered,
    Try,
)
from protocol.hints import Advise, DelayAdvice
from protocol.messages import Decline, Draw, Lobby, Request
from server.core.lobby import Presence
from server.ladder.service import LadderService
from server.past.log_reads import LogReads
from server.past.service import PastService
from server.rooms.peers import Peer, Route
from server.services.analyses import Analyses, Considerations
from server.services.drawings import Drawings
from server.services.hints import Hints
from server.services.invitations import Invitations
from server.services.lobby_list import LobbyFeed
from server.services.seeking import Seeking


class Services(NamedTuple):
    """What a server does beside its rooms."""

    lobby_feed: LobbyFeed
    invitations: Invitations
    hints: Hints
    analyses: Analyses
    considerations: Considerations
    ladders: LadderService
    reads: LogReads
    drawings: Drawings
    past: PastService
    seeking: Seeking

    def routes(self) -> dict[type[Request], Route]:
        """Return which request goes where."""
        return {
            Lobby: self.lobby_feed.answer,
            Decline: self.invitations.decline,
            Advise: self.hints.answer,
            DelayAdvice: self.hints.delay,
            Draw: self.drawings.answer,
            Analyse: self.analyses.ask,
            AnalyseOwn: self.analyses.ask_own,
            ReportAnalysis: self.analyses.report,
            DelayAnalysis: self.analyses.delay,
            Try: self.drawings.answer_try,
            Consider: self.considerations.ask,
            ReportConsidered: self.considerations.report,
            **self.ladders.routes(),
            **self.past.routes(),
        }

    def forget(self, peer: Peer) -> None:
        self.lobby_feed.forget(peer)
        self.ladders.forget(peer)
        self.analyses.forget(peer)
        self.considerations.forget(peer)
        self.reads.forget(peer)

    def bot_left(self, bot: Presence) -> None:
        self.hints.bot_left(bot)
        self.analyses.bot_left(bot)
        self.considerations.bot_left(bot)

    def stop(self) -> None:
        self.lobby_feed.stop()
        self.ladders.stop()
        self.reads.stop()
        self.past.stop()
