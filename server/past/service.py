"""Answers about the past: lists of matches that are over, and the persons who played them.

What is private is told to its players alone.  Whose a past is goes by the session, not by the name:
who takes a name that was free begins without one.
"""

from __future__ import annotations

import logging
import unicodedata
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from protocol.errors import Code, Refusal
from protocol.messages import Push, Request
from protocol.notation import format_match
from protocol.parts import Player
from protocol.past import (
    MAX_RATED,
    MAX_STREAK,
    GameTally,
    Matches,
    MatchLine,
    MatchPage,
    OpponentTally,
    PeopleRatings,
    Person,
    PersonPage,
    PersonRating,
    RatingTable,
)
from server.config import LISTED, Config
from server.core.events import NotReplayed, Who
from server.core.lobby import LobbyState
from server.core.past.summary import MatchSummary, read_summary
from server.core.seating import find_game
from server.past import ratings
from server.past.indexing import Indexing
from server.past.log_reads import FULL_MS, LogReads
from server.past.rater import PeopleRater
from server.rooms.directory import match_of
from server.rooms.index_rows import is_of, key_of
from server.rooms.peers import Peer, Route, with_re
from server.store.contract import (
    LogReader,
    MatchMoment,
    PastQuery,
    PastRow,
    PlayerKey,
    Tallies,
    TallyQuery,
)

log = logging.getLogger("plyhouse")
MAX_OPPONENTS = 100  # that are listed of one person


class Subject(NamedTuple):
    """Whom a request is about.  `who`: under the name that is shown; `own`: the asker's own past.

    `known`: there is such a session; else no one has the name, and it was this session's last.
    """

    key: PlayerKey
    who: Who
    own: bool
    known: bool


class PastService:
    """Answers requests about matches that are over."""

    def __init__(
        self,
        lobby: LobbyState,
        reads: LogReads,
        rater: PeopleRater,
        indexing: Indexing,
        config: Config,
    ) -> None:
        self.lobby = lobby
        self.reads = reads
        self.rater = rater
        self.indexing = indexing
        self.config = config
        self._asking: set[int] = set()  # sessions that wait for ratings

    def routes(self) -> dict[type[Request], Route]:
        return {
            Matches: self.list_matches,
            Person: self.show_person,
            PeopleRatings: self.show_ratings,
        }

    def stop(self) -> None:
        self.rater.stop()
        self.indexing.stop()

    # ------------------------------------------------------------ lists

    def list_matches(self, peer: Peer, request: Matches, now: int) -> None:
        """Answer with a page of matches.

        Raises:
            Refusal: lobby/no-room, if `before` is no match; others come once the log is read.
        """
        before = match_of(request.before) if request.before is not None else None

        def list_of(reader: LogReader, subject: Subject | None, since: MatchMoment | None) -> None:
            key, own = (subject.key, subject.own) if subject is not None else (None, False)
            query = PastQuery(key, own, since, request.limit + 1)
            reader.read_past(query, lambda rows: self._send_list(peer, request, subject, rows))

        def find_start(reader: LogReader, subject: Subject | None) -> None:
            if before is None:
                list_of(reader, subject, None)
                return

            def found(rows: list[PastRow] | None) -> None:
                visible = [row for row in rows or () if _may_see(peer, row)]
                if not visible:
                    text = f"no match {request.before} is over that you could know of"
                    peer.refuse(_unreadable(rows) or Refusal(Code.LOBBY_NO_ROOM, text), request.id)
                    return
                (row,) = visible
                list_of(reader, subject, MatchMoment(row.at, row.room, row.match))

            reader.read_match(before.room, before.number, found)

        def begin(reader: LogReader) -> None:
            if request.who is None:
                find_start(reader, None)
            else:
                self._find(reader, peer, request.id, request.who, find_start)

        self.reads.ask(peer, begin)

    def _send_list(
        self, peer: Peer, request: Matches, subject: Subject | None, rows: list[PastRow] | None
    ) -> None:
        no = _unreadable(rows)
        if no is None and not rows and subject is not None and not subject.known:
            no = _nobody(subject.who.title())
        if no is not None or rows is None:
            peer.refuse(no or _not_read(), request.id)
            return
        lines = [self._line(peer, row) for row in rows[: request.limit]]
        peer.charge(LISTED * len(lines))
        _send(
            peer,
            MatchPage(
                matches=tuple([line for line in lines if line is not None]),
                more=len(rows) > request.limit,
            ),
            request.id,
        )

    def _line(self, peer: Peer, row: PastRow) -> MatchLine | None:
        summary = _summary(row.body)
        if summary is None:
            return None
        one, two = summary.players
        is_former = self.lobby.names.is_former
        return MatchLine(
            match=format_match(row.room, row.match),
            game=summary.game,
            seats=(one.player(), two.player()),
            result=summary.result,
            at=summary.at,
            plies=summary.plies,
            rated=summary.rated,
            position=summary.position,
            code=summary.code if row.private and is_of(row, peer.me()) else None,
            ladder=summary.ladder,
            series=summary.series,
            former=tuple([seat for seat in (0, 1) if is_former(summary.players[seat])]),
        )

    # ------------------------------------------------------------ persons

    def show_person(self, peer: Peer, request: Person, now: int) -> None:
        """Answer with somebody's past; refusals come once the log is read."""

        def tally(reader: LogReader, subject: Subject) -> None:
            query = TallyQuery(subject.key, subject.own, self.config.tallied_matches)
            reader.read_tallies(query, lambda tallies: self._rate(peer, request, subject, tallies))

        self.reads.ask(peer, lambda r: self._find(r, peer, request.id, request.name, tally))

    def _rate(self, peer: Peer, request: Person, subject: Subject, tallies: Tallies | None) -> None:
        if tallies is None:
            peer.refuse(_not_read(), request.id)
            return
        if tallies.since is None and not (subject.known and self._exists(subject.who)):
            peer.refuse(_nobody(subject.who.title()), request.id)
            return
        games = sorted({row.game for row in tallies.rows if row.rated})

        def answer() -> None:
            page = self._page(subject, tallies, self._ratings(subject, games))
            _send(peer, page, request.id)

        self.rater.ask(games, answer)

    def _exists(self, who: Who) -> bool:
        """Whether there is such a person, or such a program now."""
        return who.program is None or (who.session, who.program) in self.lobby.present

    def _ratings(self, subject: Subject, games: list[str]) -> tuple[PersonRating, ...]:
        known = [(game, self.rater.games[game]) for game in games if game in self.rater.games]
        return tuple(
            ratings.rating_of(subject.key.session, game, each.field, each.curve())
            for game, each in known
        )

    def _page(
        self, subject: Subject, tallies: Tallies, rated: tuple[PersonRating, ...]
    ) -> PersonPage:
        who, outcomes = subject.who, tallies.outcomes
        presence = self.lobby.present.get((who.session, who.program)) if subject.known else None
        streak = outcomes[0] * min(len(outcomes), MAX_STREAK) if outcomes else 0
        return PersonPage(
            name=who.name,
            program=who.program,
            here=presence is not None and bool(presence.links),
            since=tallies.since,
            counted=sum(row.won + row.drawn + row.lost for row in tallies.rows),
            games=_by_game(tallies),
            opponents=_by_opponent(tallies, self.lobby.names.is_former),
            streak=streak,
            ratings=rated,
            former=self.lobby.names.is_former(who),
        )

    def show_ratings(self, peer: Peer, request: PeopleRatings, now: int) -> None:
        """Answer with ratings of people at a game, once they are up to date.

        Raises:
            Refusal: lobby/unknown-game, room/busy.
        """
        find_game(request.game)
        session = peer.me().session
        if session in self._asking:
            raise Refusal(
                Code.ROOM_BUSY, "the ratings that you asked for come soon", retry_ms=FULL_MS
            )
        self._asking.add(session)

        def answer() -> None:
            self._asking.discard(session)
            table = self._table(request)
            peer.charge(LISTED * len(table.rows))
            _send(peer, table, request.id)

        self.rater.ask([request.game], answer)

    def _table(self, request: PeopleRatings) -> RatingTable:
        known = self.rater.games.get(request.game)
        field = known.field if known is not None else ratings.NOBODY_RATED
        register = self.lobby.names
        if request.of:
            found = [(name, register.of_name(name)) for name in request.of]
            rows = [ratings.row_of(name, session, field) for name, session in found]
        else:
            names = {session: each.name for session, each in register.sessions.items()}
            rows = ratings.best(field, names, MAX_RATED)
        return RatingTable(
            game=request.game, rows=tuple(rows), least=ratings.MIN_RATED,
            total=len(field.now.ratings),
        )  # fmt: skip

    # ------------------------------------------------------------ whom a name means

    def _find(
        self,
        reader: LogReader,
        peer: Peer,
        re: int | None,
        name: str,
        then: Callable[[LogReader, Subject], None],
    ) -> None:
        """Go on with whom a name means: the one who has it now, or had it last."""
        title = unicodedata.normalize("NFKC", name).strip()
        owner, _, program = title.partition("/")
        number = self.lobby.names.by_name.get(owner.casefold())
        if number is not None:
            session = self.lobby.names.sessions[number]
            who = self._spelt(Who(number, session.name, program or None))
            own = peer.me().session == number
            then(reader, Subject(PlayerKey(key_of(who.title()), number), who, own, True))
            return

        def found(rows: list[PastRow] | None) -> None:
            summary = _summary(rows[0].body) if rows else None
            players = summary.players if summary is not None else ()
            last = [who for who in players if key_of(who.title()) == key_of(title)]
            if not last:
                peer.refuse(_unreadable(rows) or _nobody(title), re)
                return
            who = max(last, key=lambda who: who.session)
            then(reader, Subject(PlayerKey(key_of(title), who.session), who, False, False))

        reader.read_owner(key_of(title), found)

    def _spelt(self, who: Who) -> Who:
        """Return a program as it is spelt, if it is here."""
        here = self.lobby.connected_as(who.session, who.program) if who.program else None
        return here.who if here is not None else who


def _may_see(peer: Peer, row: PastRow) -> bool:
    return not row.private or is_of(row, peer.me())


def _by_game(tallies: Tallies) -> tuple[GameTally, ...]:
    won, drawn, lost = Counter[str](), Counter[str](), Counter[str]()
    for row in tallies.rows:
        won[row.game] += row.won
        drawn[row.game] += row.drawn
        lost[row.game] += row.lost
    games = sorted(won, key=lambda game: (-won[game] - drawn[game] - lost[game], game))
    return tuple(
        GameTally(game=game, won=won[game], drawn=drawn[game], lost=lost[game]) for game in games
    )


def _by_opponent(tallies: Tallies, is_former: Callable[[Who], bool]) -> tuple[OpponentTally, ...]:
    """Return the sums against MAX_OPPONENTS others at most, the most frequent first."""
    sums: dict[Who, tuple[Player, int, int, int]] = {}
    for row in tallies.rows:
        summary = _summary(row.body)
        if summary is None:
            continue
        who = summary.players[row.seat]
        opponent = Player(name=who.name, program=who.program)  # at whatever level a bot played
        key = Who(who.session, who.name, who.program)
        player, won, drawn, lost = sums.get(key, (opponent, 0, 0, 0))
        sums[key] = (player, won + row.won, drawn + row.drawn, lost + row.lost)
    most = sorted(sums.items(), key=lambda each: -sum(each[1][1:]))
    return tuple(
        OpponentTally(player=player, won=won, drawn=drawn, lost=lost, former=is_former(who))
        for who, (player, won, drawn, lost) in most[:MAX_OPPONENTS]
    )


def _summary(body: bytes) -> MatchSummary | None:
    try:
        return read_summary(body)
    except NotReplayed as error:
        log.error("%s", error)
        return None


def _send(peer: Peer, message: Push, re: int | None) -> None:
    if peer.state != "gone":
        peer.send(with_re(message, re))


def _nobody(title: str) -> Refusal:
    return Refusal(
        Code.PAST_NO_PERSON, f"nobody is called {title[:50]!r}, and nobody was who has played here"
    )


def _unreadable(rows: list[PastRow] | None) -> Refusal | None:
    return _not_read() if rows is None else None


def _not_read() -> Refusal:
    return Refusal(Code.SERVER_NOT_STORED, "the index of matches cannot be read now")
