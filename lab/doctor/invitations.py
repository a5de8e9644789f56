"""What anybody can try on a bot that is connected to a real server: by inviting it, and playing.

What a server does to a bot, such as to break off or to refuse, is left to the scripted one.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from bots.registry import UnknownBot
from client.connection import Connection, connect
from games import registry
from lab.doctor import cases
from lab.doctor.cases import games_for, title
from lab.doctor.checklist import CaseResult
from lab.doctor.script import CaseFailed, NotTried
from protocol.errors import Code, PlyhouseError, Refusal
from protocol.messages import MatchState, RoomState
from protocol.parts import BotLine, ClockOptions, Options

COMES_S: Final = 20.0  # for a bot to join and to get ready; it may compile first
PLAY_S: Final = 60.0
REMATCH_S: Final = 10.0
OVERTAKEN: Final = frozenset({Code.MATCH_OVER, Code.MATCH_STALE_TURN})
LITTLE: Final = ClockOptions(base_ms=1_000, increment_ms=500, begin_ms=0)
SCRIPTED: Final = "only the scripted server can do this to a bot: leave --url out"


@dataclass
class Inviter:
    """A player at the server who has invited the bot."""

    url: str
    connection: Connection
    bot: BotLine
    patience: float
    room: RoomState | None = None
    match: MatchState | None = None
    code: str | None = None
    vanished: bool = False
    plays: dict[str, int] = field(default_factory=dict)  # turns of mine that are answered

    @property
    def title(self) -> str:
        return f"{self.bot.name}/{self.bot.program}"

    async def until(self, holds: Callable[[], bool], what: str, seconds: float) -> None:
        """Take in what the server tells until something holds; else CaseFailed."""
        end = time.monotonic() + seconds * self.patience
        while not holds():
            try:
                async with asyncio.timeout(max(0.0, end - time.monotonic())):
                    message = await anext(self.connection)
            except TimeoutError:
                seen = f"it did not happen within {seconds * self.patience:g} s"
                raise CaseFailed(what, seen) from None
            except StopAsyncIteration:
                seen = f"the connection is over: {self.connection.reason}"
                raise CaseFailed(what, seen) from None
            match message:
                case RoomState() if self.room is None or message.room == self.room.room:
                    self.room = message
                case MatchState() if self.room is not None and message.room == self.room.room:
                    self.match = message
                case _:
                    pass

    async def begin(self, game: str, clock: ClockOptions | None = None) -> None:
        """Open a private room, invite the bot, and have a match begin."""
        self.match = None
        options = Options(public=False, clock=clock)
        self.room = await self.connection.create(game, options, seat=0)
        self.code = self.room.code
        try:
            await self.connection.invite(self.room.room, self.title)
        except Refusal as no:
            raise NotTried(no.text) from None
        what = "the bot to join and to be ready"
        await self.until(lambda: bool(self.room and self.room.ready[1]), what, COMES_S)
        await self.get_ready()

    async def get_ready(self) -> None:
        """Be ready, and wait for the match."""
        assert self.room is not None, "a room has been opened"
        salt = secrets.token_hex(8) if registry.game(self.room.game).has_chance else None
        await self.connection.ready(self.room.room, salt)
        what = "a match to begin"
        await self.until(
            lambda: self.match is not None and self.match.result is None, what, COMES_S
        )

    def is_on(self) -> bool:
        return self.match is not None and self.match.result is None

    async def turn(self) -> None:
        """Once it is our turn, play the first of `legal`; nothing if the match is over."""
        what = "the bot to play"
        await self.until(lambda: not self.is_on() or self.asked(), what, PLAY_S)
        state = self.match
        if state is not None and state.result is None and state.legal:
            self.plays[state.match] = state.turn
            try:
                await self.connection.play(state.match, state.turn, state.legal[0])
            except Refusal as no:
                if no.code not in OVERTAKEN:  # else the next message says how things stand
                    raise

    def asked(self) -> bool:
        state = self.match
        return bool(state and state.legal and self.plays.get(state.match) != state.turn)

    async def play_out(self, most: int = 60, ends: tuple[str, ...] = ("rules",)) -> None:
        """Play to an end of these kinds, or so many turns and then give up."""
        for _ in range(most):
            if not self.is_on():
                break
            await self.turn()
        state = self.match
        assert state is not None, "a match has begun"
        if state.result is None:
            await self.connection.resign(state.match)
            await self.until(lambda: not self.is_on(), "the end of the match", COMES_S)
            return
        if state.result.how not in ends:
            shown = " or ".join(f"`{end}`" for end in ends)
            raise CaseFailed(f"a match that ends by {shown}", f"it was `{state.result.how}`")

    async def part(self) -> None:
        """Leave the room, and see the bot get up as well."""
        if self.room is None:
            return
        room, state = self.room.room, self.match
        if state is not None and state.result is None:
            await self.connection.resign(state.match)
        await self.connection.leave(room)
        self.room = self.match = None


InviterCase: TypeAlias = Callable[[Inviter], Awaitable[None]]


async def whole_match(inviter: Inviter) -> None:
    """It joins a private room, is ready, and plays a match to its end."""
    await inviter.begin(_games(inviter)[0])
    await inviter.play_out()


async def rematch(inviter: Inviter) -> None:
    """It gives a rematch with seats swapped, if it gives one."""
    await inviter.begin(_games(inviter)[0])
    await inviter.play_out()
    first = inviter.match.match if inviter.match is not None else ""
    await inviter.connection.ready(inviter.room.room if inviter.room is not None else 0)
    try:
        begun = lambda: bool(inviter.match and inviter.match.match != first)  # noqa: E731
        await inviter.until(begun, "a rematch", REMATCH_S)
    except CaseFailed:
        raise NotTried("it gives no rematch, which it need not") from None
    await inviter.play_out()


async def dice(inviter: Inviter) -> None:
    """With dice it plays each roll."""
    games = [game for game in _games(inviter) if registry.game(game).has_chance]
    if not games:
        raise NotTried("it does not play a game with dice")
    await inviter.begin(games[0])
    await inviter.play_out(6)


async def little_time(inviter: Inviter) -> None:
    """It plays in time with a second on its clock, and half a second more for each play."""
    await inviter.begin(_games(inviter)[0], LITTLE)
    await inviter.play_out()


async def takeback(inviter: Inviter) -> None:
    """It grants a takeback or declines it, and plays on."""
    await inviter.begin(_games(inviter)[0])
    await inviter.turn()
    await _own_turn(inviter)
    await _offer(inviter, "takeback")
    await inviter.play_out()


async def draw(inviter: Inviter) -> None:
    """It accepts a draw or declines it, and plays on."""
    await inviter.begin(_games(inviter)[0])
    await inviter.turn()
    await _own_turn(inviter)
    await _offer(inviter, "draw")
    await inviter.play_out(ends=("rules", "agreement"))


async def opponent_returns(inviter: Inviter) -> None:
    """It stays in the match while its opponent is away, and plays on."""
    await inviter.begin(_games(inviter)[0])
    await inviter.turn()
    token, url = inviter.connection.token, inviter.url
    await inviter.connection.close()
    await asyncio.sleep(1.0)  # so long the opponent is away
    inviter.connection = await connect(url, token=token)
    await inviter.play_out()


INVITER_CASES: Final[tuple[InviterCase, ...]] = (
    whole_match, rematch, dice, little_time, takeback, draw, opponent_returns,
)  # fmt: skip


# Cases of the scripted server of which those above are the like.
ALIKE: Final = frozenset({
    cases.whole_match, cases.first_seat, cases.private_room, cases.dice, cases.nearly_no_time,
    cases.takeback, cases.opponent_away,
})  # fmt: skip


async def invite(url: str, name: str, patience: float) -> AsyncIterator[CaseResult]:
    """Invite a bot that is connected to a server, and play with it.

    Raises:
        Unreachable, Refusal: the server does not answer, or not let us in.
        UnknownBot: no such bot is connected.
    """
    connection = await connect(url, name=f"doctor-{secrets.token_hex(3)}")
    inviter = None
    try:
        bot = _found((await connection.lobby(follow=False)).bots, name)
        inviter = Inviter(url, connection, bot, patience)
        for case in INVITER_CASES:
            yield await _tried(case, inviter)
    finally:
        await (connection if inviter is None else inviter.connection).close()
    for scripted in cases.CASES:
        if scripted not in ALIKE:
            yield CaseResult(title(scripted), "not tried", why=SCRIPTED)


async def _tried(case: InviterCase, inviter: Inviter) -> CaseResult:
    what = (case.__doc__ or "").strip().rstrip(".")
    try:
        await case(inviter)
        result = CaseResult(what, "ok")
    except NotTried as reason:
        result = CaseResult(what, "not tried", why=str(reason))
    except CaseFailed as error:
        result = CaseResult(what, "failed", error.expected, error.seen)
    except PlyhouseError as error:
        result = CaseResult(what, "failed", "no refusal by the server", error.text)
    try:
        await inviter.part()
    except PlyhouseError:  # the room is gone, with all that is left of the case
        inviter.room = inviter.match = None
    return result


async def _own_turn(inviter: Inviter) -> None:
    await inviter.until(lambda: not inviter.is_on() or inviter.asked(), "its play", PLAY_S)


async def _offer(inviter: Inviter, kind: str) -> None:
    """Make an offer and wait for an answer, which may also be none."""
    state = inviter.match
    assert state is not None, "a match is on"
    try:
        await inviter.connection.offer(state.match, kind)  # type: ignore[arg-type]
        await inviter.until(
            lambda: inviter.match is not state and not (inviter.match and inviter.match.offers),
            "an answer to the offer",
            REMATCH_S,
        )
    except Refusal as no:
        raise NotTried(no.text) from None
    except CaseFailed:
        return


def _found(bots: tuple[BotLine, ...], name: str) -> BotLine:
    """The bot of this name or owner/name."""
    owner, _, program = name.rpartition("/")
    for bot in bots:
        if bot.program == program and owner in ("", bot.name):
            return bot
    there = ", ".join(f"{bot.name}/{bot.program}" for bot in bots) or "none"
    raise UnknownBot(f"no bot called {name!r} is connected there; there are {there}")


def _games(inviter: Inviter) -> list[str]:
    """The games to be played; NotTried if none of the bot's is known here."""
    games = games_for(inviter.bot.games or registry.names())
    if not games:
        raise NotTried("it plays no game that is known here")
    return games
