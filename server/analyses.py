"""Analyses: somebody asks for a match that is over to be gone through, and a bot does that.

Nothing is computed here and nothing kept: a bot that says in `hello` which games it `analyses` is
sent the actions, and what it reports is handed on.  One is made at a time for each who asks, and
one by each bot.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from games import registry
from protocol.analysis import (
    Analyse,
    Analysed,
    AnalysisUnwanted,
    AnalysisWanted,
    ReportAnalysis,
)
from protocol.errors import Code, Refusal
from protocol.messages import MAX_SERVER_LIST, Ok, Request
from server import archive
from server.core import analysed
from server.core.analysed import Course
from server.core.events import NotReplayed, Started, read_body
from server.core.lobby import Presence
from server.core.text import clean
from server.questions import Question, Questions
from server.runtime import Peer
from server.store.store import EventRow

if TYPE_CHECKING:
    from server.house import House

MOST_BYTES = 192 * 1024  # of actions; the names around them have to fit into the frame, too


class Analyses(Questions[Course]):
    """The analyses that are waited for."""

    unanswered = Code.ANALYSIS_NO_BOT

    def __init__(self, house: House) -> None:
        super().__init__(house)
        self._reading: set[int] = set()  # sessions whose match is being read from the log
        self._failing: dict[
            Presence, int
        ] = {}  # bots that had no answer; until when others go first

    def ask(self, peer: Peer, request: Analyse) -> None:
        """Have a match read, and a bot asked about it; what that says is the answer.

        Raises:
            Refusal: analysis/busy or lobby/no-room; others are sent once the log has been read.
        """
        number, which = archive.match_of(request.match)
        if not 0 < number <= self.house.last_room:
            raise Refusal(Code.LOBBY_NO_ROOM, f"there is no room {number}")
        session = peer.me().session
        self._check_busy(session)
        self._reading.add(session)
        keeper = self.house.rooms.get(number)

        def look(begun: Started) -> None:
            _check_rules(begun)
            self._bot(begun.game, peer)

        def found(rows: list[EventRow] | Refusal) -> None:
            self._reading.discard(session)
            try:
                self._found(peer, request, rows)
            except Refusal as no:
                peer.refuse(no, request.id)

        archive.finished(
            self.house.store, peer.asker(number), number, which, request.code,
            keeper.room if keeper is not None else None, look, found,
        )  # fmt: skip

    def _check_busy(self, session: int) -> None:
        waiting = [question.peer.me().session for question in self._open.values()]
        if session in self._reading or session in waiting:
            raise Refusal(Code.ANALYSIS_BUSY, "an analysis is being made for you already")
        if len(waiting) + len(self._reading) >= self.house.config.analyses:
            raise _busy()

    def _found(self, peer: Peer, request: Analyse, rows: list[EventRow] | Refusal) -> None:
        """Ask a bot about the match that these rows are."""
        if isinstance(rows, Refusal):
            raise rows
        if peer.state == "gone":
            return
        about = _course(request.match, rows)
        actions = tuple(event.action or "" for event in about.events)
        if len(actions) > MAX_SERVER_LIST or len("".join(actions).encode()) > MOST_BYTES:
            raise Refusal(Code.ANALYSIS_NO_BOT, archive.TOO_LONG)
        bot = self._bot(about.game, peer)
        wait = self.house.config.analysis_ms
        number = self._put(Question(peer, request.id, about, bot), wait)
        wanted = AnalysisWanted(
            ask=number, game=about.game, actions=actions, given=about.given, expires_ms=wait
        )
        for link in self.house.links(bot.who):
            link.send(wanted)

    def _bot(self, game: str, asker: Peer) -> Presence:
        """Who is to be asked: of those that have time the one made for the fewest games.

        Raises:
            Refusal: analysis/no-bot or analysis/busy.
        """
        able = [p for p in self._bots(asker) if p.bot is not None and game in p.bot.analyses]
        if not able:
            raise Refusal(
                Code.ANALYSIS_NO_BOT, f"no bot that analyses {game.replace('_', ' ')} is connected"
            )
        asked = [question.bot for question in self._open.values()]
        idle = [p for p in able if p not in asked]
        if not idle:
            raise _busy()
        return min(idle, key=self._rank)

    def _rank(self, bot: Presence) -> tuple[bool, int, str]:
        """Lower is better: none that has just failed, then few games."""
        failing = self._failing.get(bot, 0) > self.house.now()
        return failing, len(bot.bot.analyses) if bot.bot is not None else 0, bot.who.title()

    def answer(self, peer: Peer, request: ReportAnalysis) -> None:
        """Hand a bot's analysis on, or that it has none.

        Raises:
            Refusal: match/no-offer or analysis/bad-report.
        """
        asked, by = self._find(request.ask, peer), peer.me().title()
        if request.analysis is None:
            why = clean(request.error or "") or "it does not say why"
            no = Refusal(Code.ANALYSIS_NO_BOT, f"{by} has no analysis: {why}")
            self._close(request.ask)
            self._note_failure(asked.bot)
            asked.peer.refuse(no, asked.re)
        else:
            told = analysed.check(request.analysis, asked.about)
            self._close(request.ask)
            match = asked.about.match
            asked.peer.send(Analysed(re=asked.re, match=match, bot=by, analysis=told))
        if request.id is not None:
            peer.send(Ok(re=request.id))

    def forget(self, peer: Peer) -> None:
        """A connection is gone: nobody waits there any more."""
        for number in [n for n, question in self._open.items() if question.peer is peer]:
            self._tell_unwanted(number, self._close(number))

    def left(self, bot: Presence) -> None:
        """A bot's connection is gone; it answers nothing any more."""
        super().left(bot)
        self._failing.pop(bot, None)

    def _give_up(self, number: int) -> None:
        question = self._open[number]
        super()._give_up(number)
        self._note_failure(question.bot)
        self._tell_unwanted(number, question)

    def _note_failure(self, bot: Presence) -> None:
        """Let other bots go first for as long as an answer may take."""
        self._failing[bot] = self.house.now() + self.house.config.analysis_ms

    def _tell_unwanted(self, number: int, question: Question[Course]) -> None:
        for link in self.house.links(question.bot.who):
            link.send(AnalysisUnwanted(ask=number))


def _busy() -> Refusal:
    text = "all bots that could do it are at other matches; ask again in a while"
    return Refusal(Code.ANALYSIS_BUSY, text)


def _check_rules(begun: Started) -> None:
    """Refuse a match that a bot could not follow."""
    here = registry.game(begun.game) if begun.game in registry.names() else None
    if here is None or here.rules_version != begun.rules_version:
        text = "this match was played by rules that are not those of today"
        raise Refusal(Code.ANALYSIS_NO_BOT, text)


def _course(name: str, rows: list[EventRow]) -> Course:
    try:
        begun = read_body(rows[0].kind, rows[0].body)
        events = archive.standing(rows)
    except NotReplayed:
        raise Refusal(Code.SERVER_NOT_STORED, "the log of this match cannot be read") from None
    if not isinstance(begun, Started):
        raise Refusal(Code.SERVER_NOT_STORED, "the log of this match cannot be read")
    return analysed.course(name, begun.game, events)


def _analyse(house: House, peer: Peer, request: Analyse, now: int) -> None:
    house.analyses.ask(peer, request)


def _report(house: House, peer: Peer, request: ReportAnalysis, now: int) -> None:
    house.analyses.answer(peer, request)


ANALYSIS_ROUTES: dict[type[Request], Callable[..., None]] = {
    Analyse: _analyse,
    ReportAnalysis: _report,
}
