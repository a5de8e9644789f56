"""A bot at one table: it readies, thinks when it is its turn, answers offers, gets up at the end.

Fed with the messages about its room by bots/runner.py, whose connection it asks.  One bot object
plays one match.  What the server refuses is taken as an answer; what the bot itself raises is
reported with match, position and seed, and costs that match and nothing else.

Where a setting `ponder` is on, it thinks on the opponent's time as well, on the same thread, until
the opponent has moved.

A leg, which is a match of a ladder, is played in a room that the server opens, seats and closes:
there it only plays.

Its manners elsewhere:
    ready      at once after sitting down, and for another match as soon as the opponent is ready
    takeback   granted (the server knows where that is not allowed)
    draw       taken if the bot's last value was 0 or less, else declined with a word in the chat
    leaving    when the opponent has left, or when no match has started for a while
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Protocol

from bots import registry
from bots.bot import Bot, Choice
from bots.foreign import Foreign
from bots.terms import Terms
from bots.thought import Thought
from games import registry as games
from games.game import Game
from protocol.errors import Code, PlyhouseError, Refusal
from protocol.messages import MatchState, OfferKind, RoomState

GONE: Final = frozenset({"over", "closed"})  # a room in which nothing is left to be done
PATIENCE_S: Final = 600.0  # for a person to be ready, or ready again
BOT_PATIENCE_S: Final = 10.0  # for another program, which has nothing to make up its mind about
RETRY_S: Final = 1.0
# The server could not take it just now, and nothing is wrong with what was asked.
PASSING: Final = frozenset({Code.ROOM_BUSY, Code.SESSION_FLOOD, Code.SERVER_NOT_STORED})
# The match has gone on without us, or will be shown to us again.
MOVED_ON: Final = frozenset(
    {
        Code.LOBBY_NO_ROOM,
        Code.MATCH_NOT_YOUR_TURN,
        Code.MATCH_OVER,
        Code.MATCH_STALE_TURN,
        Code.ROOM_CLOSED,
        Code.ROOM_FAILED,
        Code.ROOM_NO_MATCH,
        Code.SERVER_CLOSING,
    }
)

log = logging.getLogger("plyhouse.bots")


class House(Protocol):
    """What a table asks of a connection; client.connection.Connection fits."""

    name: str

    async def ready(self, room: int, salt: str | None = None) -> object: ...
    async def leave(self, room: int) -> object: ...
    async def say(self, room: int, text: str) -> object: ...
    async def play(self, match: str, turn: int, action: str, note: str | None = None) -> object: ...
    async def resign(self, match: str, crashed: bool = False) -> object: ...
    async def answer(self, match: str, kind: OfferKind, accept: bool) -> object: ...


@dataclass(slots=True)
class Hooks:
    """Who wants to look on: a duel, a test.  Called on the event loop; nothing is waited for."""

    on_match: Callable[[MatchState], None] = lambda state: None
    on_choice: Callable[[MatchState, Choice, float], None] = lambda state, choice, seconds: None
    on_crash: Callable[[str], None] = lambda match: None
    on_closed: Callable[[int], None] = lambda room: None  # the bot is out of this room
    encore: Callable[[int], bool] = lambda room: False  # ready for a next match without being asked


@dataclass(frozen=True, slots=True)
class Leg:
    """One of the two matches of a pair; `last`: no further one of that pair begins after it."""

    ladder: str
    pair: int
    last: bool


class Table:
    """The bot's side of one room, from sitting down to getting up."""

    def __init__(
        self,
        house: House,
        room: int,
        terms: Terms,
        workers: Executor,
        hooks: Hooks,
        on_closed: Callable[[int], None] = lambda room: None,
        leg: Leg | None = None,
    ) -> None:
        """`on_closed` is told the room once the bot is out of it."""
        self.house = house
        self.room = room
        self.terms = terms
        self.leg = leg
        self.match: str | None = None  # the one that is on
        self.leaving = False  # as soon as no match is on
        self._workers = workers
        self._hooks = hooks
        self._on_closed = on_closed
        self._closed = False
        self._farewell = ""  # what is said when it leaves
        self._met = False  # an opponent has sat here
        self._asking = False  # a `ready` or `leave` is on its way
        self._bot: Bot | None = None  # plays self.match
        self._value: float | None = None  # of its last choice
        self._thought: Thought | None = None
        self._thinking: asyncio.Task[None] | None = None
        self._patience: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()  # the event loop holds its tasks only weakly

    # ---- the room

    def on_room(self, state: RoomState) -> None:
        """Take in the room: who sits here, who is ready, whether a match is on."""
        if state.state in GONE or state.seat is None:
            self.close()
            return
        if self.leg is not None:
            return
        opponent = state.seats[1 - state.seat]
        self._be_patient(state)
        if state.state == "waiting":
            self._drop()
            self.match = None
            mine, theirs = state.ready[state.seat], state.ready[1 - state.seat]
            if self.leaving or (opponent is None and self._met):
                self.leave()
            elif not mine and (theirs or self._hooks.encore(self.room)):
                self.ready(state.game)
        self._met = self._met or opponent is not None

    def ready(self, game: str) -> None:
        """Agree to the next match; where dice roll, with our share of them."""
        salt = secrets.token_hex(16) if games.game(game).has_chance else None
        if not self._asking:
            self._asking = True
            self._spawn(self._get_ready(games.game(game), salt))

    def leave(self, why: str = "") -> None:
        """Get up, now or after the match that is on; `why` is said in the chat."""
        self.leaving = True
        if self.leg is not None:
            return
        self._farewell = why or self._farewell
        if self.match is None and not self._asking:
            self._asking = True
            self._spawn(self._ask(self._leave(self._farewell)))

    def resign(self) -> None:
        """Give up the match that is on."""
        self._drop()
        if self.match is not None:
            self._spawn(self.house.resign(self.match))

    def close(self) -> None:
        """Forget the table: nothing is sent from here on."""
        self._drop()
        if self._patience is not None:
            self._patience.cancel()
        if not self._closed:
            self._closed = True
            self._on_closed(self.room)

    async def _ask(self, request: Coroutine[Any, Any, object]) -> None:
        try:
            await request
        finally:
            self._asking = False

    async def _get_ready(self, game: Game, salt: str | None) -> None:
        await self._ask(self._load_and_ready(game, salt))
        if self.leaving:  # decided while that was on its way
            self.leave()

    async def _load_and_ready(self, game: Game, salt: str | None) -> None:
        """Load the bot's code, then say ready; where the first fails it leaves."""
        kind = registry.kind(self.terms.program)
        if not kind.loaded(game):  # not on the clock of the first move
            loop = asyncio.get_running_loop()
            with Foreign() as code:
                await loop.run_in_executor(self._workers, kind.prepare, game)
            if code.error is not None:
                name = self.terms.name
                log.error("%s cannot prepare for %s", name, game.name, exc_info=code.error)
                self.leave(f"I cannot play {game.name}: getting ready failed.")
                return
        await self._ready(salt)

    async def _ready(self, salt: str | None) -> None:
        while not self._closed:
            try:
                await self.house.ready(self.room, salt)
                return
            except Refusal as no:
                if no.code not in PASSING:
                    raise
            await asyncio.sleep(RETRY_S)

    async def _leave(self, why: str) -> None:
        if why:
            with suppress(Refusal):  # whoever may not speak may still leave
                await self.house.say(self.room, why)
        try:
            await self.house.leave(self.room)
        except Refusal as no:
            if no.code == Code.ROOM_MATCH_ON:
                return  # it began meanwhile: it is played, and then left
            log.info("%s leaves room %s: %s", self.terms.name, self.room, no)
        self.close()

    def _be_patient(self, state: RoomState) -> None:
        """While no match is on, patience runs; whatever happens in the room renews it."""
        if self._patience is not None:
            self._patience.cancel()
        if state.state != "waiting" or state.seat is None:
            return
        opponent = state.seats[1 - state.seat]
        patience = BOT_PATIENCE_S if opponent is not None and opponent.program else PATIENCE_S
        why = "Nothing has started here for a while, so I get up."
        self._patience = asyncio.get_running_loop().call_later(patience, self.leave, why)

    # ---- the match

    def on_match(self, state: MatchState) -> None:
        """Take in the match: think if it is our turn; if it is not, stop, or think on."""
        self._hooks.on_match(state)
        if state.result is not None:
            self._over(state, state.result.how)
            return
        if state.match != self.match:
            self.match, self._bot, self._value = state.match, None, None
        if state.legal:
            self._answer(state)
        elif self.terms.ponders and state.to_move == 1 - self._seat(state):
            self._think_on(state)
        else:
            self._drop()
        self._consider_offers(state)

    def _over(self, state: MatchState, how: str) -> None:
        self._drop()
        log.info("%s: match %s is over (%s)", self.terms.name, state.match, how)
        self.match = self._bot = None
        if self.leaving:
            self.leave()

    def _answer(self, state: MatchState) -> None:
        """Think about this turn, once; asked again after a lost connection, say the same again."""
        thought = self._thought
        if thought is None or not thought.is_about(state):
            self._drop()
            self._thought = Thought(state, self.terms.name)
            self._thinking = self._spawn(self._choose(self._thought, self._thinking))
        elif self._thinking is None or self._thinking.done():
            again = self._play(thought) if thought.choice else self._fail(state.match)
            self._thinking = self._spawn(again)

    def _think_on(self, state: MatchState) -> None:
        """Think on the opponent's time, once about each position."""
        if self._thought is None or not self._thought.is_about(state):
            self._drop()
            self._thought = Thought(state, self.terms.name)
            self._thinking = self._spawn(self._ponder(self._thought, self._thinking))

    async def _ponder(self, thought: Thought, earlier: asyncio.Task[None] | None) -> None:
        """Ponder until the thought is ended."""
        await self._use(thought, earlier, lambda bot: thought.ponder(bot, self._workers))

    async def _choose(self, thought: Thought, earlier: asyncio.Task[None] | None) -> None:
        """Think, then play."""
        state = thought.state
        await self._use(
            thought,
            earlier,
            lambda bot: thought.think(bot, self.terms.budget_at(state.clocks), self._workers),
        )
        if thought.choice is not None:
            self._value = thought.choice.value
            self._hooks.on_choice(state, thought.choice, thought.seconds)
            await self._play(thought)

    async def _use(
        self,
        thought: Thought,
        earlier: asyncio.Task[None] | None,
        think: Callable[[Bot], Awaitable[None]],
    ) -> None:
        """Let the bot think.  An `earlier` thought, stopped, may still run: one bot, one thread."""
        if earlier is not None:
            await asyncio.wait({earlier})
        if thought.ended:
            return
        with Foreign() as code:
            if self._bot is None:
                self._bot = self.terms.bot(thought.state.match)
            await think(self._bot)
        if code.error is not None:
            await self._crashed(thought, code.error)

    async def _play(self, thought: Thought) -> None:
        """Send the play until the server has taken it, or nobody waits for it any more."""
        state = thought.state
        while not thought.ended:
            try:
                await self.house.play(state.match, state.turn, thought.action, thought.note)
                return
            except Refusal as no:
                if no.code in MOVED_ON:
                    return
                if no.code not in PASSING:
                    log.error("%s: %s in %s: %s", thought.program, thought.action, state.match, no)
                    await self.house.resign(state.match)
                    return
            await asyncio.sleep(RETRY_S)

    async def _crashed(self, thought: Thought, error: Exception) -> None:
        """Report the exception, and resign."""
        state = thought.state
        seed = self._bot.seed if self._bot is not None else self.terms.seed
        log.error(
            "%s crashed, and resigns match %s: turn %s, %s %r, seed %s, settings %s",
            thought.program,
            state.match,
            state.turn,
            state.game,
            state.position,
            seed,
            self.terms.settings,
            exc_info=error,
        )
        self._hooks.on_crash(state.match)
        if not thought.ended:
            await self._fail(state.match)

    async def _fail(self, match: str) -> None:
        """Resign, and say that it is for a crash."""
        await self.house.resign(match, crashed=True)

    def _drop(self) -> None:
        """Stop thinking: the match has moved on."""
        if self._thought is not None:
            self._thought.end()
            self._thought = None

    def _seat(self, state: MatchState) -> int:
        """Where it sits in this match."""
        me = (self.house.name, self.terms.name)
        return 0 if (state.seats[0].name, state.seats[0].program) == me else 1

    # ---- offers

    def _consider_offers(self, state: MatchState) -> None:
        """Answer what the opponent offers."""
        seat = self._seat(state)
        for offer in state.offers:
            if offer.seat == seat:
                continue
            if offer.kind == "takeback":
                self._spawn(self.house.answer(state.match, "takeback", True))
            else:
                self._spawn(self._answer_draw(state.match))

    async def _answer_draw(self, match: str) -> None:
        value = self._value
        accept = value is not None and value <= 0
        await self.house.answer(match, "draw", accept)
        if not accept:
            stand = "I have not moved yet" if value is None else f"I see myself at {value:+.2f}"
            await self.house.say(self.room, f"No draw: {stand}. I take one at 0 or below.")

    # ---- tasks

    def _spawn(self, work: Coroutine[Any, Any, object]) -> asyncio.Task[None]:
        """Ask the server something without holding up the messages."""
        task = asyncio.get_running_loop().create_task(self._mind(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _mind(self, work: Coroutine[Any, Any, object]) -> None:
        """A refusal or lost connection ends the work: the next message says how things stand."""
        try:
            await work
        except PlyhouseError as error:
            log.info("%s, room %s: %s", self.terms.name, self.room, error)
