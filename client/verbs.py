"""The requests as methods, one each: what a member of the house can ask for.

Each returns the typed reply, and raises Refusal where the server says no.  How a request travels is
`request`, which client/connection.py supplies.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TypeVar

from protocol.analysis import Analyse, Analysed, MatchAnalysis, ReportAnalysis
from protocol.ladder import (
    LadderCreate,
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
from protocol.messages import (
    Abort,
    Advise,
    Answer,
    Claim,
    ClockOptions,
    Create,
    Hint,
    Hinted,
    History,
    HistoryPage,
    Invite,
    Join,
    Kick,
    Leave,
    Link,
    Linked,
    Lobby,
    LobbyList,
    Offer,
    OfferKind,
    Ok,
    Options,
    Play,
    Push,
    Ready,
    Request,
    Resign,
    RoomState,
    Say,
    Seat,
    Strength,
    Watch,
)

__all__ = ["Seat", "Verbs", "answer_type"]

P = TypeVar("P", bound=Push)

_ANSWERS: dict[type[Request], type[Push]] = {
    Create: RoomState,
    Join: RoomState,
    Watch: RoomState,
    Lobby: LobbyList,
    History: HistoryPage,
    Link: Linked,
    Hint: Hinted,
    LadderCreate: LadderState,
    LadderPairs: PairPage,
    LadderHistory: RatingHistory,
    Analyse: Analysed,
}


def answer_type(request: Request) -> type[Push]:
    """The type of the reply to a request that is granted."""
    if isinstance(request, LadderStatus):
        return Ladders if request.ladder is None else LadderState
    return _ANSWERS.get(type(request), Ok)


class Verbs(ABC):
    """The typed requests over one untyped `request`."""

    @abstractmethod
    async def request(self, request: Request) -> Push:
        """Send a request and return its reply, which is of `answer_type(request)`."""

    async def _ask(self, request: Request, reply: type[P]) -> P:
        answer = await self.request(request)
        assert isinstance(answer, reply)  # `request` promises answer_type
        return answer

    async def lobby(self, follow: bool = True) -> LobbyList:
        """The rooms and bots; with `follow`, a new list is pushed whenever it changes."""
        return await self._ask(Lobby(follow=follow), LobbyList)

    async def create(
        self, game: str, options: Options | None = None, seat: Seat | None = 0
    ) -> RoomState:
        """Open a room and sit at `seat` (None: at neither)."""
        options = Options() if options is None else options
        return await self._ask(Create(game=game, options=options, seat=seat), RoomState)

    async def join(
        self, room: int | None = None, code: str | None = None, seat: Seat | None = None
    ) -> RoomState:
        """Sit down in a room, by number or code; `seat` None: at any free seat."""
        return await self._ask(Join(room=room, code=code, seat=seat), RoomState)

    async def watch(self, room: int | None = None, code: str | None = None) -> RoomState:
        """Follow a room without a seat."""
        return await self._ask(Watch(room=room, code=code), RoomState)

    async def leave(self, room: int) -> Ok:
        """Get up, or stop watching."""
        return await self._ask(Leave(room=room), Ok)

    async def ready(self, room: int, salt: str | None = None) -> Ok:
        """Agree to start the next match; `salt`, in hex digits, is one's share of the dice."""
        return await self._ask(Ready(room=room, salt=salt), Ok)

    async def invite(self, room: int, who: str, strength: Strength | None = None) -> Ok:
        """Ask a connected player to join: by name, by program, or as `name/program`."""
        strength = Strength() if strength is None else strength
        return await self._ask(Invite(room=room, who=who, strength=strength), Ok)

    async def kick(self, room: int, seat: Seat) -> Ok:
        """Free a seat of one's own room while no match is on."""
        return await self._ask(Kick(room=room, seat=seat), Ok)

    async def say(self, room: int, text: str) -> Ok:
        """Chat."""
        return await self._ask(Say(room=room, text=text), Ok)

    async def history(self, room: int, since: int = 0, code: str | None = None) -> HistoryPage:
        """One page of a room's events with seq above `since`; `next`: the next `since`."""
        return await self._ask(History(room=room, since=since, code=code), HistoryPage)

    async def link(self) -> Linked:
        """A code that moves this session's name to another device."""
        return await self._ask(Link(), Linked)

    async def play(self, match: str, turn: int, action: str, note: str | None = None) -> Ok:
        """Answer position `turn` with an action in notation.

        Exactly once: a play whose answer got lost is sent again on the next connection, and the
        server counts it once.
        """
        return await self._ask(Play(match=match, turn=turn, action=action, note=note), Ok)

    async def resign(self, match: str, crashed: bool = False) -> Ok:
        """Lose the match; `crashed`: because the program failed."""
        return await self._ask(Resign(match=match, crashed=crashed), Ok)

    async def abort(self, match: str) -> Ok:
        """End the match without a result; free until each side has moved."""
        return await self._ask(Abort(match=match), Ok)

    async def claim(self, match: str) -> Ok:
        """Win a match without clock whose opponent has been absent for two minutes."""
        return await self._ask(Claim(match=match), Ok)

    async def offer(self, match: str, kind: OfferKind) -> Ok:
        """Offer a draw, or ask for a takeback."""
        return await self._ask(Offer(match=match, kind=kind), Ok)

    async def answer(self, match: str, kind: OfferKind, accept: bool) -> Ok:
        """Accept or decline the opponent's offer, or withdraw one's own."""
        return await self._ask(Answer(match=match, kind=kind, accept=accept), Ok)

    async def hint(self, match: str) -> Hinted:
        """What a connected bot would play in one's place."""
        return await self._ask(Hint(match=match), Hinted)

    async def advise(self, ask: int, action: str, note: str | None = None) -> Ok:
        """A bot's answer to the `advice_wanted` that carried `ask`."""
        return await self._ask(Advise(ask=ask, action=action, note=note), Ok)

    async def analyse(self, match: str, code: str | None = None) -> Analysed:
        """A match that is over, gone through by a connected bot; it may take a minute."""
        return await self._ask(Analyse(match=match, code=code), Analysed)

    async def report_analysis(
        self, ask: int, analysis: MatchAnalysis | None, error: str | None = None
    ) -> Ok:
        """A bot's answer to the `analysis_wanted` that carried `ask`; None: it declines."""
        return await self._ask(ReportAnalysis(ask=ask, analysis=analysis, error=error), Ok)

    # ---- ladders

    async def ladder_create(
        self,
        name: str,
        game: str,
        clock: ClockOptions,
        form: str = "endless",
        quota: int = 16,
        seed: int | None = None,
        players: int = 1,
    ) -> LadderState:
        """Open a ladder; `form`: endless, roundrobin:N, gauntlet:BOT or sprt:NEW,OLD.

        The first pair begins when as many as `players` have joined.
        """
        asked = LadderCreate(
            name=name, game=game, clock=clock, format=form, quota=quota, seed=seed,
            players=players,
        )  # fmt: skip
        return await self._ask(asked, LadderState)

    async def ladder_join(
        self, ladder: str, salt: str | None = None, slots: int | None = None
    ) -> Ok:
        """For a bot: be paired on a ladder from now on, in at most `slots` pairs at once.

        It may be asked again: it changes the slots.  `salt`, in hex digits, is one's share of the
        dice.
        """
        return await self._ask(LadderJoin(ladder=ladder, salt=salt, slots=slots), Ok)

    async def ladder_leave(self, ladder: str) -> Ok:
        """For a bot: begin no more pairs."""
        return await self._ask(LadderLeave(ladder=ladder), Ok)

    async def ladder_status(self, ladder: str, follow: bool = False) -> LadderState:
        """A ladder's standing; with `follow`, further ones are pushed, at most one a second."""
        return await self._ask(LadderStatus(ladder=ladder, follow=follow), LadderState)

    async def ladders(self) -> Ladders:
        """All ladders of the server, newest first."""
        return await self._ask(LadderStatus(), Ladders)

    async def ladder_pairs(self, ladder: str, since: int = 0) -> PairPage:
        """One page of the pairs from number `since` on that are over; `next`: the next `since`."""
        return await self._ask(LadderPairs(ladder=ladder, since=since), PairPage)

    async def ladder_history(self, ladder: str) -> RatingHistory:
        """The ratings after growing numbers of pairs."""
        return await self._ask(LadderHistory(ladder=ladder), RatingHistory)

    async def ladder_stop(self, ladder: str) -> Ok:
        """End one's own ladder; pairs that are on are void."""
        return await self._ask(LadderStop(ladder=ladder), Ok)
