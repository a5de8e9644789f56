"""A bot in one match: it thinks when it is its turn, plays, and answers offers.

One Bot object plays one match.  What the server refuses is taken as an answer; what the bot itself
raises is logged with match, position and seed, and costs that match and nothing else.  Where a
setting `ponder` is on, the bot thinks on the opponent's time as well, until the opponent has moved.

Its manners:

    takeback   granted (the server knows where that is not allowed)
    draw       accepted if the bot's last value was 0 or less, else declined with a word in the chat
    resign     for fewer points than a forfeit costs: accepted if the bot can tell how many points
               it wins here on average (`Bot.expected_points`), and that is not more; else declined
               with a word in the chat.  Its own play waits for that answer
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Final, assert_never

from bots.bot import Bot, CannotPlay, Choice, is_illegal
from bots.online.guard import contained
from bots.online.requests import BackgroundTasks, ask_until_taken
from bots.online.search_task import MatchFollower, SearchTask, read_position
from bots.online.terms import Terms
from client.connection import Connection
from games.game import Position
from protocol.errors import Code, Refusal
from protocol.messages import MatchState

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


@dataclass(slots=True)
class Hooks:
    """Callbacks for an observer: a duel, a test.  They run on the event loop."""

    on_match: Callable[[MatchState], None] = lambda state: None
    on_choice: Callable[[MatchState, Choice, float], None] = lambda state, choice, seconds: None
    on_crash: Callable[[str, Exception], None] = lambda match, error: None
    on_closed: Callable[[int], None] = lambda room: None  # the bot is out of this room
    goes_on: Callable[[int], bool] = lambda room: False  # ready for a next match unasked


class MatchPlayer:
    """The bot's side of one match."""

    def __init__(
        self,
        connection: Connection,
        name: str,
        terms: Terms,
        workers: Executor,
        hooks: Hooks,
        tasks: BackgroundTasks,
    ) -> None:
        self.name = name
        self._connection = connection
        self._terms = terms
        self._workers = workers
        self._hooks = hooks
        self._tasks = tasks
        self._bot: Bot | None = None
        self._value: float | None = None  # of its last choice
        self._follower = MatchFollower(connection) if terms.entry.bot_class.FOLLOWS else None
        self._search: SearchTask | None = None
        self._thinking: asyncio.Task[None] | None = None
        self._judged: tuple[int, int] | None = None  # the last offer to resign: turn and points
        self._judging: asyncio.Task[None] | None = None

    def on_state(self, state: MatchState) -> None:
        """Take in the match: think if it is our turn; if it is not, stop, or ponder."""
        if self._follower is not None:
            self._follower.take(state)
        self._answer_offers(state)
        if state.legal:
            self._on_our_turn(state)
        elif self._terms.ponders and state.to_move == 1 - self._seat(state):
            if self._search is None or not self._search.is_about(state):
                search = self._begin(state)
                self._thinking = self._tasks.spawn(self._ponder(search, self._thinking))
        else:
            self.stop()

    def tell_of_flag(self, state: MatchState) -> None:
        """Say what we were at when the time ran out, if it was ours."""
        search = self._search
        if search is None or state.result is None or state.result.winner == self._seat(state):
            return
        why = self._bot.silence if self._bot is not None else ""
        log.error(
            "%s lost match %s on time, ply %s: %s",
            self._terms.name,
            self.name,
            search.state.ply + 1,
            why or f"it had thought for {search.waited:.1f} s",
        )

    def stop(self) -> None:
        """Stop thinking: the match has moved on, or is over."""
        if self._search is not None:
            self._search.end()
            self._search = None

    def rest(self) -> None:
        """Let go of what the bot holds, which may be much, until the match goes on."""
        self.stop()
        if self._bot is not None:
            self._bot.close()
            self._bot = None

    def close(self) -> None:
        """Forget the match: it is over."""
        self.rest()

    def resign(self) -> None:
        self.stop()
        self._tasks.spawn(self._connection.resign(self.name))

    def _on_our_turn(self, state: MatchState) -> None:
        """Think about this turn, once; asked again after a lost connection, say the same again."""
        search = self._search
        if search is None or not search.is_about(state):
            self._thinking = self._tasks.spawn(self._choose(self._begin(state), self._thinking))
        elif self._thinking is None or self._thinking.done():
            again = self._play(search) if search.choice else self._resign_for_crash()
            self._thinking = self._tasks.spawn(again)

    def _begin(self, state: MatchState) -> SearchTask:
        """A search for this position; the one before ends."""
        self.stop()
        self._search = SearchTask(state, self._terms.name)
        return self._search

    async def _ponder(self, search: SearchTask, earlier: asyncio.Task[None] | None) -> None:
        await self._use(search, earlier, lambda bot: search.ponder(bot, self._workers))

    async def _choose(self, search: SearchTask, earlier: asyncio.Task[None] | None) -> None:
        """Think, then play."""
        await self._use(search, earlier, lambda bot: self._think(search, bot))
        if search.choice is not None:
            self._value = search.choice.value
            self._hooks.on_choice(search.state, search.choice, search.seconds)
            if self._judging is not None:  # a play would have the offer lapse
                await asyncio.wait({self._judging})
            await self._play(search)

    async def _think(self, search: SearchTask, bot: Bot) -> None:
        """Let the bot choose, within what its terms and its clock allow."""
        state, follower = search.state, self._follower
        situation = await follower.situation(state) if follower is not None else None
        if search.ended:  # while the server was asked
            return
        budget = self._terms.budget_at(state.clocks)
        await search.think(bot, budget, self._workers, situation)

    async def _use(
        self,
        search: SearchTask,
        earlier: asyncio.Task[None] | None,
        think: Callable[[Bot], Awaitable[None]],
    ) -> None:
        """Let the bot think.  An `earlier` search, stopped, may still run: one bot, one thread."""
        if earlier is not None:
            await asyncio.wait({earlier})
        if search.ended:
            return
        with contained() as code:
            if self._bot is None:
                self._bot = self._terms.bot(self.name)
            await think(self._bot)
        if code.error is not None:
            await self._on_crash(search, code.error)

    async def _play(self, search: SearchTask) -> None:
        """Send the play until the server has taken it, or no longer waits for it."""
        turn, action, note = search.state.turn, search.action, search.note
        try:
            await ask_until_taken(
                lambda: self._connection.play(self.name, turn, action, note),
                lambda: not search.ended,
            )
        except Refusal as refusal:
            if refusal.code in MOVED_ON:
                return
            log.error("%s: %s in %s: %s", search.program, action, self.name, refusal)
            await self._connection.resign(self.name)

    async def _on_crash(self, search: SearchTask, error: Exception) -> None:
        """Log the exception, and resign."""
        if isinstance(error, CannotPlay):
            log.error("%s resigns match %s: %s", search.program, self.name, error)
        else:
            self._log_crash(search, error)
        self._hooks.on_crash(self.name, error)
        if not search.ended:
            await self._resign_for_crash()

    def _log_crash(self, search: SearchTask, error: Exception) -> None:
        state = search.state
        log.error(
            "%s %s, and resigns match %s: ply %s, %s %r, seed %s, settings %s",
            search.program,
            "chose what is not legal" if is_illegal(error) else "crashed",
            self.name,
            state.ply + 1,
            state.game,
            state.position,
            self._bot.seed if self._bot is not None else self._terms.entry.seed,
            self._terms.settings,
            exc_info=error,
        )

    async def _resign_for_crash(self) -> None:
        await self._connection.resign(self.name, crashed=True)

    def _seat(self, state: MatchState) -> int:
        me = (self._connection.name, self._terms.name)
        return 0 if (state.seats[0].name, state.seats[0].program) == me else 1

    def _answer_offers(self, state: MatchState) -> None:
        """Answer what the opponent offers."""
        seat = self._seat(state)
        for offer in state.offers:
            if offer.seat == seat:
                continue
            match offer.kind:
                case "takeback":
                    self._tasks.spawn(self._connection.answer(self.name, "takeback", True))
                case "draw":
                    self._tasks.spawn(self._answer_draw(state.room))
                case "resign":
                    self._judge_resignation(state, seat, offer.points or 0)
                case _:
                    assert_never(offer.kind)

    async def _answer_draw(self, room: int) -> None:
        value = self._value
        accept = value is not None and value <= 0
        await self._connection.answer(self.name, "draw", accept)
        if not accept:
            view = "I have not moved yet" if value is None else f"I see myself at {value:+.2f}"
            await self._connection.say(room, f"No draw: {view}. I accept one at 0 or below.")

    def _judge_resignation(self, state: MatchState, seat: int, points: int) -> None:
        """Answer an offer to resign, once."""
        if self._judged != (state.turn, points):
            self._judged = (state.turn, points)
            self._judging = self._tasks.spawn(self._answer_resignation(state, seat, points))

    async def _answer_resignation(self, state: MatchState, seat: int, points: int) -> None:
        expected: float | None = None
        with contained() as code:
            bot, position = self._terms.bot(self.name), read_position(state)
            loop = asyncio.get_running_loop()
            expected = await loop.run_in_executor(self._workers, _expected, bot, position, seat)
        if code.error is not None:
            log.error("%s crashed over a resignation", self._terms.name, exc_info=code.error)
        accept = expected is not None and expected <= points
        await self._connection.answer(self.name, "resign", accept)
        if not accept:
            why = "I cannot tell what is due" if expected is None else f"I expect {expected:+.2f}"
            await self._connection.say(state.room, f"{points} is not enough: {why}.")


def _expected(bot: Bot, position: Position, seat: int) -> float | None:
    """The points that `seat` wins on average, as `bot` sees it."""
    if position.seat is None:
        return None
    expected = bot.expected_points(position)
    return expected if expected is None or position.seat == seat else -expected
