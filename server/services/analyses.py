"""Analyses: somebody asks what a finished match gave away, or what is best in a position, and a bot
looks at it.

Nothing is computed here.  A bot that says in `hello` which games it `analyses` is sent the actions,
and its report is handed on; one of the house's own is kept for who asks later.  Each player waits
for at most one analysis at a time, and each bot makes at most one.  Positions, of the games that a
bot `considers`, are not kept: a board asks about the next one in a moment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Final, NamedTuple

from msgspec.structs import replace

from games import registry
from games.game import CHANCE, END
from protocol.analysis import (
    Analyse,
    Analysed,
    AnalyseOwn,
    AnalysisUnwanted,
    AnalysisWaits,
    AnalysisWanted,
    Consider,
    Considered,
    ConsiderUnwanted,
    ConsiderWanted,
    DelayAnalysis,
    ReportAnalysis,
    ReportConsidered,
)
from protocol.errors import Code, Refusal
from protocol.messages import MAX_SERVER_LIST, Ok
from protocol.notation import MatchName, format_match
from protocol.parts import Event, Options
from server.core.analysis import Course, check_consideration
from server.core.analysis import check as check_analysis
from server.core.analysis import course as course_of
from server.core.events import NotReplayed, Started, read_body
from server.core.lobby import LobbyState, Presence
from server.core.names.text import clean
from server.past.kept_analyses import KeptAnalyses, KeptReport
from server.past.log_reads import LogReads
from server.rooms.directory import RoomDirectory, match_of
from server.rooms.peers import Peer
from server.rooms.wall_clock import WallClock
from server.services import history
from server.services.drawings import position_of
from server.services.questions import Question, Questions
from server.store.contract import EventRow, LogReader

MAX_BYTES: Final = 192 * 1024  # of actions; the names around them have to fit into the frame, too
MAX_POSITIONS: Final = 4  # that one bot is asked about at once: it looks at one after the other


class Analyses(Questions[Course]):
    """The analyses that somebody waits for, at most `limit` at once."""

    unanswered = Code.ANALYSIS_NO_BOT

    def __init__(
        self, lobby: LobbyState, clock: WallClock, wait_ms: int, reads: LogReads,
        rooms: RoomDirectory, limit: int, delay_ms: int, kept: KeptAnalyses,
    ) -> None:  # fmt: skip
        super().__init__(lobby, clock, wait_ms, delay_ms)
        self.reads = reads
        self.rooms = rooms
        self.limit = limit
        self.kept = kept
        self._reading: set[int] = set()  # sessions whose match is being read from the log
        self._failing: dict[Presence, int] = {}  # bots without an answer: when others go first

    def ask(self, peer: Peer, request: Analyse, now: int) -> None:
        """Answer with what is kept of a match, or have it read and a bot asked: its report is the
        answer.

        Raises:
            Refusal: analysis/busy, room/busy or lobby/no-room; others are sent once the log has
                been read.
        """
        number, which = match_of(request.match)
        self.rooms.check_number(number)
        if self.kept.has(MatchName(number, which)) and not request.anew:
            self.reads.ask(peer, lambda log: self._hand_out(log, peer, request))
            return
        session = peer.me().session
        self._check_busy(session)
        self._reading.add(session)

        def check_start(start: Started) -> None:
            _check_rules(start)
            self._choose_bot(start.game, peer, _only(start))

        def ask_bot(rows: list[EventRow] | Refusal) -> None:
            self._reading.discard(session)
            try:
                self._ask_bot(peer, request, rows)
            except Refusal as no:
                peer.refuse(no, request.id)

        def read(log: LogReader) -> None:
            history.read_match(
                log, peer.asker(number), number, which, request.code,
                self.rooms.room(number), check_start, ask_bot,
            )  # fmt: skip

        try:
            self.reads.ask(peer, read)
        except Refusal:
            self._reading.discard(session)
            raise

    def _hand_out(self, log: LogReader, peer: Peer, request: Analyse) -> None:
        """Answer with what is kept, to a client that may read the match."""
        match = match_of(request.match)

        def send(report: KeptReport | None) -> None:
            if peer.state == "gone":
                return
            if report is None:
                self.kept.forget(match)
                no = Refusal(Code.SERVER_NOT_STORED, "the analysis cannot be read; ask once more")
                peer.refuse(no, request.id)
                return
            name = format_match(*match)
            peer.send(Analysed(re=request.id, match=name, bot=report.bot, analysis=report.analysis))

        def found(bounds: history.MatchBounds | Refusal) -> None:
            if isinstance(bounds, Refusal):
                peer.refuse(bounds, request.id)
            else:
                self.kept.read(log, match, send)

        room = self.rooms.room(match.room)
        history.find_match(
            log, peer.asker(match.room), match.room, match.number, request.code, room, found
        )

    def _check_busy(self, session: int) -> None:
        if session in self._reading or self._waits(session):
            raise Refusal(Code.ANALYSIS_BUSY, "an analysis is being made for you already")
        if len(self._open) + len(self._reading) >= self.limit:
            raise _busy()

    def _ask_bot(self, peer: Peer, request: Analyse, rows: list[EventRow] | Refusal) -> None:
        """Ask a bot about the match of these rows."""
        if isinstance(rows, Refusal):
            raise rows
        if peer.state == "gone":
            return
        start, about = _course(request.match, rows)
        actions = tuple(event.action or "" for event in about.events)
        if len(actions) > MAX_SERVER_LIST or len("".join(actions).encode()) > MAX_BYTES:
            raise Refusal(Code.ANALYSIS_NO_BOT, history.TOO_LONG)
        bot = self._choose_bot(about.game, peer, _only(start))
        self._send_course(Question(peer, request.id, about, bot), start.options)

    def ask_own(self, peer: Peer, request: AnalyseOwn, now: int) -> None:
        """Ask a bot about a match of no room: one of the house's, or of the asker's own.

        Raises:
            Refusal: lobby/unknown-game, match/not-allowed, analysis/busy or analysis/no-bot.
        """
        session = peer.me().session
        self._check_busy(session)
        check_not_rated(self.rooms, peer)
        if request.game not in registry.names():
            raise Refusal(Code.LOBBY_UNKNOWN_GAME, "there is no such game here")
        events = [
            Event(seq=ply, kind=each.kind, ply=ply, seat=each.seat, action=each.action)
            for ply, each in enumerate(request.actions)
        ]
        about = course_of(request.name, request.game, events, request.series, request.resignations)
        about = replace(about, placed=bool(request.options.position), own=True)
        bot = self._choose_bot(request.game, peer, (session,))
        self._send_course(Question(peer, request.id, about, bot), request.options)

    def _send_course(self, question: Question[Course], options: Options) -> None:
        about = question.about
        wanted = AnalysisWanted(
            ask=self._add(question), game=about.game, given=about.given,
            actions=tuple(event.action or "" for event in about.events), expires_ms=self.wait_ms,
            options=_of_rules(options), series=about.series, resignations=about.resignations,
        )  # fmt: skip
        self._send_bot(question.bot, wanted)

    def _choose_bot(self, game: str, asker: Peer, only: Collection[int] | None) -> Presence:
        """Return the bot to ask: of those that have time, one of the house's; of these the one made
        for the fewest games.  `only`: see `_bots`.

        Raises:
            Refusal: analysis/no-bot or analysis/busy.
        """
        able = [p for p in self._bots(asker, only) if p.bot and game in p.bot.analyses]
        if not able:
            text = f"no bot that analyses {game.replace('_', ' ')} is connected"
            if only is not None:
                text += ", and others are not told of a private match"
            raise Refusal(Code.ANALYSIS_NO_BOT, text)
        busy = [question.bot for question in self._open.values()]
        idle = [p for p in able if p not in busy]
        if not idle:
            raise _busy()
        return min(idle, key=lambda bot: self._rank(bot, asker))

    def _rank(self, bot: Presence, asker: Peer) -> tuple[bool, bool, bool, bool, int, int, str]:
        """Lower is better: none that has just failed, then as `_standing` says."""
        failing = self._failing.get(bot, 0) > self.clock.now()
        info = bot.bot if self.lobby.is_of_house(bot) else None
        games = len(info.analyses) if info is not None else 0
        return failing, *self._standing(bot, asker), games, bot.who.title()

    def report(self, peer: Peer, request: ReportAnalysis, now: int) -> None:
        """Hand a bot's analysis on, or say that it has none.

        Raises:
            Refusal: match/no-offer or analysis/bad-report.
        """
        question, by = self._find(request.ask, peer), peer.me().title()
        if request.analysis is None:
            why = clean(request.error or "") or "it does not say why"
            no = Refusal(Code.ANALYSIS_NO_BOT, f"{by} has no analysis: {why}")
            self._close(request.ask)
            self._note_failure(question.bot)
            question.peer.refuse(no, question.re)
        else:
            analysis = check_analysis(request.analysis, question.about)
            self._close(request.ask)
            match = question.about.match
            question.peer.send(Analysed(re=question.re, match=match, bot=by, analysis=analysis))
            if self.lobby.is_of_house(question.bot) and not question.about.own:
                self.kept.keep(match_of(match), KeptReport(by, analysis), now)
        if request.id is not None:
            peer.send(Ok(re=request.id))

    def delay(self, peer: Peer, request: DelayAnalysis, now: int) -> None:
        """Wait longer, and tell the client for about how long.

        Raises:
            Refusal: match/no-offer.
        """
        question = self._wait_longer(request.ask, peer, now)
        match, wait = question.about.match, min(request.wait_ms, self.delay_ms)
        question.peer.notify(AnalysisWaits(match=match, bot=peer.me().title(), wait_ms=wait))
        if request.id is not None:
            peer.send(Ok(re=request.id))

    def forget(self, peer: Peer) -> None:
        for number in [n for n, question in self._open.items() if question.peer is peer]:
            self._tell_unwanted(number, self._close(number))

    def bot_left(self, bot: Presence) -> None:
        super().bot_left(bot)
        self._failing.pop(bot, None)

    def _give_up(self, number: int) -> None:
        question = self._open[number]
        super()._give_up(number)
        self._note_failure(question.bot)
        self._tell_unwanted(number, question)

    def _note_failure(self, bot: Presence) -> None:
        """Let other bots go first for as long as an answer may take."""
        self._failing[bot] = self.clock.now() + self.wait_ms

    def _tell_unwanted(self, number: int, question: Question[Course]) -> None:
        self._send_bot(question.bot, AnalysisUnwanted(ask=number))


def check_not_rated(rooms: RoomDirectory, peer: Peer) -> None:
    """Refuse who plays a rated match: that is between the two who play it."""
    who = peer.presence
    for number in () if who is None else who.rooms:
        room = rooms.room(number)
        if room is not None and room.options.rated and room.state == "playing":
            text = f"not while you play a rated match, in room {number}"
            raise Refusal(Code.MATCH_NOT_ALLOWED, text)


def _made(bot: Presence) -> int:
    """For how many games a bot considers positions: fewer, and it was made for them."""
    return len(bot.bot.considers) if bot.bot is not None else 0


def _busy() -> Refusal:
    text = "all bots that could do it are busy with other matches; ask again in a while"
    return Refusal(Code.ANALYSIS_BUSY, text)


def _check_rules(start: Started) -> None:
    """Refuse a match that a bot could not follow."""
    here = registry.game(start.game) if start.game in registry.names() else None
    if here is None or here.rules_version != start.rules_version:  # bots know the newest alone
        text = "this match was played by rules that are not those of today"
        raise Refusal(Code.ANALYSIS_NO_BOT, text)


def _only(start: Started) -> tuple[int, ...] | None:
    """The sessions whose bots may be asked beside those of the house; None: all."""
    return None if start.options.public else tuple(who.session for who in start.players)


def _course(name: str, rows: list[EventRow]) -> tuple[Started, Course]:
    try:
        start = read_body(rows[0].kind, rows[0].body)
        events = history.remaining_actions(rows)
        resignations = history.resignations(rows)
    except NotReplayed:
        raise Refusal(Code.SERVER_NOT_STORED, "the log of this match cannot be read") from None
    if not isinstance(start, Started):
        raise Refusal(Code.SERVER_NOT_STORED, "the log of this match cannot be read")
    about = course_of(name, start.game, events, start.series, resignations)
    return start, replace(about, placed=bool(start.options.position))


def _of_rules(options: Options) -> Options:
    """Return the options that rules know, so that a bot is not told who may watch, or how fast."""
    return replace(options, clock=None, public=True, rated=False)


class AskedPosition(NamedTuple):
    """A position of no match, in notation, and what is legal there."""

    game: str
    position: str
    legal: tuple[str, ...]


class Considerations(Questions[AskedPosition]):
    """The positions that somebody has a bot look at: one of each session."""

    unanswered = Code.ANALYSIS_NO_BOT

    def __init__(
        self, lobby: LobbyState, clock: WallClock, wait_ms: int, rooms: RoomDirectory
    ) -> None:
        super().__init__(lobby, clock, wait_ms, delay_ms=0)
        self.rooms = rooms

    def ask(self, peer: Peer, request: Consider, now: int) -> None:
        """Ask a bot which actions are best; what this session asked before gives way.

        Raises:
            Refusal: analysis/no-bot, analysis/busy, match/over, match/not-allowed, or one of
                `position_of`.
        """
        self._give_way(peer.me().session)
        check_not_rated(self.rooms, peer)
        position = position_of(request.game, request.position)
        if position.to_move == END:
            raise Refusal(Code.MATCH_OVER, "the game is over there")
        if position.to_move == CHANCE:
            raise Refusal(Code.MATCH_NOT_ALLOWED, "dice are to be rolled there")
        bot = self._choose_bot(request.game, peer)
        text = position.game.format_position(position)
        about = AskedPosition(request.game, text, position.legal_notation())
        number = self._add(Question(peer, request.id, about, bot))
        wanted = ConsiderWanted(
            ask=number, game=request.game, position=text, effort=request.effort,
            expires_ms=self.wait_ms,
        )  # fmt: skip
        self._send_bot(bot, wanted)

    def _choose_bot(self, game: str, asker: Peer) -> Presence:
        """Return the bot to ask, of the house's and the asker's own: what somebody studies is not
        for strangers.
        """
        bots = self._bots(asker, (asker.me().session,))
        able = [p for p in bots if p.bot and game in p.bot.considers]
        if not able:
            text = f"no bot that considers positions of {game.replace('_', ' ')} is connected"
            raise Refusal(Code.ANALYSIS_NO_BOT, text)
        busy = Counter(id(question.bot) for question in self._open.values())
        idle = [p for p in able if busy[id(p)] < MAX_POSITIONS]
        if not idle:
            text = "the bots think about other positions; ask again in a moment"
            raise Refusal(Code.ANALYSIS_BUSY, text)
        return min(idle, key=lambda bot: (*self._standing(bot, asker), busy[id(bot)], _made(bot)))

    def report(self, peer: Peer, request: ReportConsidered, now: int) -> None:
        """Hand on what a bot says, or that it has nothing to say.

        Raises:
            Refusal: match/no-offer or analysis/bad-report.
        """
        question, by = self._find(request.ask, peer), peer.me().title()
        game, text, legal = question.about
        if request.consideration is None:
            why = clean(request.error or "") or "it does not say why"
            self._close(request.ask)
            question.peer.refuse(Refusal(Code.ANALYSIS_NO_BOT, f"{by}: {why}"), question.re)
        else:
            consideration = check_consideration(request.consideration, legal)
            self._close(request.ask)
            question.peer.send(
                Considered(
                    re=question.re, game=game, position=text, bot=by, consideration=consideration
                )
            )
        if request.id is not None:
            peer.send(Ok(re=request.id))

    def forget(self, peer: Peer) -> None:
        for number in [n for n, question in self._open.items() if question.peer is peer]:
            self._tell_unwanted(number, self._close(number))

    def _give_way(self, session: int) -> None:
        """Refuse what this session waits for: its board shows another position by now."""
        for number, question in list(self._open.items()):
            if question.peer.me().session == session:
                self._tell_unwanted(number, self._close(number))
                no = Refusal(Code.MATCH_STALE_TURN, "another position was asked about since")
                question.peer.refuse(no, question.re)

    def _give_up(self, number: int) -> None:
        question = self._open[number]
        super()._give_up(number)
        self._tell_unwanted(number, question)

    def _tell_unwanted(self, number: int, question: Question[AskedPosition]) -> None:
        self._send_bot(question.bot, ConsiderUnwanted(ask=number))
