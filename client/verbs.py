"""The requests as methods, one each: what a member can ask of the server.

Each returns the typed reply, and raises Refusal where the server says no.  How a request travels is
`request`, which client/connection.py supplies.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Literal, TypedDict, TypeVar, Unpack

from protocol import codec, parts
from protocol import messages as wire
from protocol.analysis import (
    Analyse,
    Analysed,
    Consider,
    Consideration,
    Considered,
    DelayAnalysis,
    MatchAnalysis,
    ReportAnalysis,
    ReportConsidered,
    Tried,
    Try,
)
from protocol.devices import DeviceList, Devices, KeptSettings, Settings
from protocol.hints import Advise, DelayAdvice, Hint, Hinted
from protocol.ladder import (
    LadderCompare,
    LadderCreate,
    LadderDifferences,
    LadderDrop,
    LadderHistory,
    LadderJoin,
    LadderLeave,
    LadderPairs,
    Ladders,
    LadderState,
    LadderStatus,
    LadderStop,
    PairPage,
    RatingHistory,
)
from protocol.past import Matches, MatchPage, PeopleRatings, Person, PersonPage, RatingTable

P = TypeVar("P", bound=wire.Push)


class LadderTerms(TypedDict, total=False):
    """What may be said of a new ladder; LadderCreate has what each means, and its default."""

    quota: int
    seed: int | None
    players: int
    members: tuple[str, ...]
    code: str | None
    siblings: bool
    by_owner: bool


def answer_type(request: wire.Request) -> type[wire.Push]:
    """Return the type of the reply to a request that is granted."""
    if isinstance(request, LadderStatus):
        return Ladders if request.ladder is None else LadderState
    return codec.REPLIES[request.answer]


class Verbs(ABC):
    """The typed requests over one untyped `request`."""

    @abstractmethod
    async def request(self, request: wire.Request) -> wire.Push:
        """Send a request and return its reply, which is of `answer_type(request)`."""

    async def _ask(self, request: wire.Request, reply: type[P]) -> P:
        answer = await self.request(request)
        assert isinstance(answer, reply)  # `request` promises answer_type
        return answer

    async def lobby(self, follow: bool | Literal["changes"] = True) -> wire.LobbyList:
        """Return the rooms and bots; with `follow`, a new list is pushed whenever it changes, or,
        for less, what changes in it: a `Replica` puts that together.
        """
        return await self._ask(wire.Lobby(follow=follow), wire.LobbyList)

    async def create(
        self, game: str, options: parts.Options | None = None, seat: parts.Seat | None = 0
    ) -> wire.RoomState:
        """Open a room and sit at `seat` (None: at neither)."""
        options = parts.Options() if options is None else options
        return await self._ask(wire.Create(game=game, options=options, seat=seat), wire.RoomState)

    async def join(
        self, room: int | None = None, code: str | None = None, seat: parts.Seat | None = None,
        level: int | None = None,
    ) -> wire.RoomState:  # fmt: skip
        """Sit down in a room, by number or code; `seat` None: at any; `level`: a bot's."""
        request = wire.Join(room=room, code=code, seat=seat, level=level)
        return await self._ask(request, wire.RoomState)

    async def seek(self, game: str, options: parts.Options | None = None) -> wire.RoomState:
        """Sit down with who waits by the same terms, but for those in `options.sought`, or open a
        room and wait.
        """
        options = parts.Options() if options is None else options
        return await self._ask(wire.Seek(game=game, options=options), wire.RoomState)

    async def watch(self, room: int | None = None, code: str | None = None) -> wire.RoomState:
        """Follow a room without a seat."""
        return await self._ask(wire.Watch(room=room, code=code), wire.RoomState)

    async def leave(self, room: int) -> wire.Ok:
        """Get up, or stop watching."""
        return await self._ask(wire.Leave(room=room), wire.Ok)

    async def ready(self, room: int, salt: str | None = None) -> wire.Ok:
        """Agree to start the next match; `salt`, in hex digits, is one's share of the dice."""
        return await self._ask(wire.Ready(room=room, salt=salt), wire.Ok)

    async def invite(self, room: int, who: str, strength: parts.Strength | None = None) -> wire.Ok:
        """Ask a connected player to join: by name, by program, or as `name/program`."""
        strength = parts.Strength() if strength is None else strength
        return await self._ask(wire.Invite(room=room, who=who, strength=strength), wire.Ok)

    async def decline(
        self, room: int, why: parts.Declining = "no", text: str | None = None
    ) -> wire.Ok:
        """Turn down an invitation to a room; the one who invited is told."""
        return await self._ask(wire.Decline(room=room, why=why, text=text), wire.Ok)

    async def kick(self, room: int, seat: parts.Seat) -> wire.Ok:
        """Free a seat of one's own room while no match is on."""
        return await self._ask(wire.Kick(room=room, seat=seat), wire.Ok)

    async def say(self, room: int, text: str) -> wire.Ok:
        """Chat."""
        return await self._ask(wire.Say(room=room, text=text), wire.Ok)

    async def history(self, room: int, since: int = 0, code: str | None = None) -> wire.HistoryPage:
        """One page of a room's events with seq above `since`; `next`: the next `since`."""
        return await self._ask(wire.History(room=room, since=since, code=code), wire.HistoryPage)

    async def link(
        self, recovery: bool = False, old: str | None = None, lost: bool = False
    ) -> wire.Linked:
        """Return a code that brings this session's name to another device, too.

        `recovery`: the one that brings it back at any time, in place of the `old` one, if there is
        one, or of one that is `lost`; it is shown only once.
        """
        return await self._ask(wire.Link(recovery=recovery, old=old, lost=lost), wire.Linked)

    async def devices(self, cut: int | None = None) -> DeviceList:
        """The devices of this session's name; `cut`: after that one is cut off."""
        return await self._ask(Devices(cut=cut), DeviceList)

    async def settings(self, keep: str | None = None) -> KeptSettings:
        """What is kept with this session's name, for all its devices; `keep`: that from now on."""
        return await self._ask(Settings(keep=keep), KeptSettings)

    async def play(self, match: str, turn: int, action: str, note: str | None = None) -> wire.Ok:
        """Answer position `turn` with an action in notation.

        Exactly once: a play whose answer got lost is sent again on the next connection, and the
        server counts it once.
        """
        return await self._ask(wire.Play(match=match, turn=turn, action=action, note=note), wire.Ok)

    async def resign(self, match: str, crashed: bool = False, points: int | None = None) -> wire.Ok:
        """Lose the match; `crashed`: because the program failed.

        `points`: offer to lose so many, which the other side has to accept if a forfeit costs more.
        """
        request = wire.Resign(match=match, crashed=crashed, points=points)
        return await self._ask(request, wire.Ok)

    async def abort(self, match: str) -> wire.Ok:
        """End the match without a result; free until each side has moved.

        A rated one with dice can be called off until somebody has.
        """
        return await self._ask(wire.Abort(match=match), wire.Ok)

    async def claim(self, match: str) -> wire.Ok:
        """Win a match without clock whose opponent has been absent for two minutes."""
        return await self._ask(wire.Claim(match=match), wire.Ok)

    async def offer(self, match: str, kind: parts.Asked) -> wire.Ok:
        """Offer a draw, or ask for a takeback."""
        return await self._ask(wire.Offer(match=match, kind=kind), wire.Ok)

    async def answer(self, match: str, kind: parts.OfferKind, accept: bool) -> wire.Ok:
        """Accept or decline the opponent's offer, or withdraw one's own."""
        return await self._ask(wire.Answer(match=match, kind=kind, accept=accept), wire.Ok)

    async def hint(self, match: str) -> Hinted:
        """Return what a connected bot would play in one's place."""
        return await self._ask(Hint(match=match), Hinted)

    async def draw(self, match: str) -> wire.Drawn:
        """Return the board of a match as lines of text, from one's own side."""
        return await self._ask(wire.Draw(match=match), wire.Drawn)

    async def advise(self, ask: int, action: str, note: str | None = None) -> wire.Ok:
        """Answer the `advice_wanted` that carried `ask`."""
        return await self._ask(Advise(ask=ask, action=action, note=note), wire.Ok)

    async def delay_advice(self, ask: int, wait_ms: int) -> wire.Ok:
        """Tell the client that waits for it that thinking begins only in about `wait_ms`."""
        return await self._ask(DelayAdvice(ask=ask, wait_ms=wait_ms), wire.Ok)

    async def analyse(self, match: str, code: str | None = None, anew: bool = False) -> Analysed:
        """Have a connected bot go through a match that is over; it may take a minute.

        What a bot has found before is answered at once, unless it is asked for `anew`.
        """
        return await self._ask(Analyse(match=match, code=code, anew=anew), Analysed)

    async def matches(
        self, who: str | None = None, before: str | None = None, limit: int = 20
    ) -> MatchPage:
        """Return matches that are over, newest first: of `ann`, `house/mcts`, or of everybody.

        `before`: only older ones than this.
        """
        return await self._ask(Matches(who=who, before=before, limit=limit), MatchPage)

    async def person(self, name: str) -> PersonPage:
        """Return who somebody is: what they played, against whom, and how well."""
        return await self._ask(Person(name=name), PersonPage)

    async def ratings(self, game: str, of: Sequence[str] = ()) -> RatingTable:
        """Return how strong people are at a game: those `of` these names, or else the best."""
        return await self._ask(PeopleRatings(game=game, of=tuple(of)), RatingTable)

    async def report_analysis(
        self, ask: int, analysis: MatchAnalysis | None, error: str | None = None
    ) -> wire.Ok:
        """Answer the `analysis_wanted` that carried `ask`; None: the bot declines."""
        return await self._ask(ReportAnalysis(ask=ask, analysis=analysis, error=error), wire.Ok)

    async def delay_analysis(self, ask: int, wait_ms: int) -> wire.Ok:
        """Tell the client that waits for it that an analysis begins only in about `wait_ms`."""
        return await self._ask(DelayAnalysis(ask=ask, wait_ms=wait_ms), wire.Ok)

    async def try_action(
        self, game: str, position: str | None = None, action: str | None = None
    ) -> Tried:
        """Return a position of no match, after an action if one is given, and what is legal."""
        return await self._ask(Try(game=game, position=position, action=action), Tried)

    async def consider(self, game: str, position: str, effort: int = 0) -> Considered:
        """Have a connected bot say which actions are best there."""
        return await self._ask(Consider(game=game, position=position, effort=effort), Considered)

    async def report_considered(
        self, ask: int, consideration: Consideration | None, error: str | None = None
    ) -> wire.Ok:
        """Answer the `consider_wanted` that carried `ask`; None: the bot has no answer."""
        request = ReportConsidered(ask=ask, consideration=consideration, error=error)
        return await self._ask(request, wire.Ok)

    async def ladder_create(
        self,
        name: str,
        game: str,
        clock: parts.ClockOptions,
        form: str = "endless",
        **terms: Unpack[LadderTerms],
    ) -> LadderState:
        """Open a ladder; `form`: one of `protocol.ladder.FORMATS`.

        The first pair begins when as many as `players` have joined.
        """
        request = LadderCreate(name=name, game=game, clock=clock, format=form, **terms)
        return await self._ask(request, LadderState)

    async def ladder_join(
        self,
        ladder: str,
        salt: str | None = None,
        slots: int | None = None,
        code: str | None = None,
    ) -> wire.Ok:
        """For a bot: be paired on a ladder from now on, in at most `slots` pairs at once.

        It may be asked again: it changes the slots.  `salt`, in hex digits, is one's share of the
        dice; `code` that of a ladder for who was invited.
        """
        request = LadderJoin(ladder=ladder, salt=salt, slots=slots, code=code)
        return await self._ask(request, wire.Ok)

    async def ladder_leave(self, ladder: str) -> wire.Ok:
        """For a bot: begin no more pairs."""
        return await self._ask(LadderLeave(ladder=ladder), wire.Ok)

    async def ladder_status(self, ladder: str, follow: bool = False) -> LadderState:
        """Return a ladder's state; with `follow`, newer ones are pushed, at most one a second."""
        return await self._ask(LadderStatus(ladder=ladder, follow=follow), LadderState)

    async def ladders(self) -> Ladders:
        """Return all ladders of the server, newest first."""
        return await self._ask(LadderStatus(), Ladders)

    async def ladder_pairs(self, ladder: str, since: int = 0) -> PairPage:
        """One page of the pairs from number `since` on that are over; `next`: the next `since`."""
        return await self._ask(LadderPairs(ladder=ladder, since=since), PairPage)

    async def ladder_history(self, ladder: str) -> RatingHistory:
        """Return the ratings after growing numbers of pairs."""
        return await self._ask(LadderHistory(ladder=ladder), RatingHistory)

    async def ladder_compare(self, ladder: str, *players: str) -> LadderDifferences:
        """Return how players differ: each from each, one from all, or none: the best ones."""
        request = LadderCompare(ladder=ladder, players=players)
        return await self._ask(request, LadderDifferences)

    async def ladder_drop(self, ladder: str, player: str) -> wire.Ok:
        """Have a player of one's own ladder begin no more pairs, for good."""
        return await self._ask(LadderDrop(ladder=ladder, player=player), wire.Ok)

    async def ladder_stop(self, ladder: str) -> wire.Ok:
        """End one's own ladder; pairs that are on are void."""
        return await self._ask(LadderStop(ladder=ladder), wire.Ok)
