"""A bot in one room: it gets ready, plays the matches there, and leaves.

bots/online/runner.py feeds it the messages about its room.  Its manners:

    ready     at once after sitting down and for the next game of a series, and for another match
              as soon as the opponent is ready
    leaving   when the opponent has left, or when no match has started for a while
    resting   a match without clock for which a person is waited for takes no slot, for as long as
              the server says so, and the bot lets go of its memory; it goes on when the person does

A leg, which is a match of a ladder, is played in a room that the server opens, seats and closes:
there the bot only plays.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from bots.online.guard import contained
from bots.online.match import Hooks, MatchPlayer
from bots.online.requests import BackgroundTasks, ask_until_taken
from bots.online.terms import Terms
from client.connection import Connection
from games import registry as games
from games.game import Game
from protocol.errors import Code, Refusal
from protocol.messages import MatchState, RoomState
from protocol.parts import Player
from protocol.series import is_on

FINAL_STATES: Final = frozenset({"over", "closed"})  # a room in which nothing is left to do
READY_S: Final = 600.0  # for a person to get ready, or ready again
BOT_READY_S: Final = 10.0  # for another program, which has no decision to make
ABSENT_READY_S: Final = 60.0  # for who has gone to come back and get ready

log = logging.getLogger("plyhouse.bots")


@dataclass(frozen=True, slots=True)
class LadderLeg:
    """One of the two matches of a pair; `last`: no other one of that pair begins after it."""

    ladder: str
    pair: int
    last: bool


class RoomPlayer:
    """The bot's side of one room, from sitting down to leaving."""

    def __init__(
        self,
        connection: Connection,
        room: int,
        terms: Terms,
        workers: Executor,
        hooks: Hooks,
        on_closed: Callable[[int], None] = lambda room: None,
        leg: LadderLeg | None = None,
    ) -> None:
        """`on_closed` is called with the room once the bot is out of it."""
        self.room = room
        self.leg = leg
        self.leaving = False  # as soon as no match is on, or the one that is on rests
        self.rests = False  # the match that is on takes no slot
        self.match: MatchPlayer | None = None  # the one that is on
        self._connection = connection
        self._terms = terms
        self._workers = workers
        self._hooks = hooks
        self._on_closed = on_closed
        self._tasks = BackgroundTasks(f"{terms.name}, room {room}")
        self._closed = False
        self._parting_words = ""  # what it says when it leaves
        self._met_opponent = False
        self._alone = False  # as the newest message has it
        self._asking = False  # a `ready` or `leave` is on its way
        self._patience: asyncio.TimerHandle | None = None

    def on_room(self, state: RoomState) -> None:
        """Take in the room: who sits here, who is ready, whether a match is on."""
        if state.state in FINAL_STATES or state.seat is None:
            self.close()
            return
        if self.leg is not None:
            return
        opponent = state.seats[1 - state.seat]
        self._alone = opponent is None
        self._renew_patience(state)
        self._rest(state.rests)
        if state.state == "waiting":
            self._end_match()
            mine, theirs = state.ready[state.seat], state.ready[1 - state.seat]
            if self.leaving or (opponent is None and self._met_opponent):
                self.leave()
            elif not mine and (theirs or is_on(state.series) or self._hooks.goes_on(self.room)):
                self.ready(state.game)
        self._met_opponent = self._met_opponent or opponent is not None

    def on_joined(self, state: RoomState) -> None:
        """Take in the answer to `join`; that somebody has left since may have come before it."""
        if state.seat is not None and state.seats[1 - state.seat] is not None:
            self._met_opponent = True
            if self._alone:
                self.leave()

    def on_match(self, state: MatchState) -> None:
        """Take in a match in this room."""
        self._hooks.on_match(state)
        if state.result is not None:
            log.info("%s: match %s is over (%s)", self._terms.name, state.match, state.result.how)
            if self.match is not None and state.result.how == "flag":
                self.match.tell_of_flag(state)
            self._end_match()
            if self.leaving:
                self.leave()
            return
        if self.match is None or self.match.name != state.match:
            self._end_match()
            self.match = MatchPlayer(
                self._connection, state.match, self._terms, self._workers, self._hooks, self._tasks
            )
        self.match.on_state(state)

    def ready(self, game: str) -> None:
        """Agree to the next match; where dice roll, with our share of them."""
        if not self._asking:
            self._asking = True
            self._tasks.spawn(self._get_ready(games.game(game)))

    def leave(self, why: str = "") -> None:
        """Leave, now or after the match that is on, with `why` in the chat."""
        self.leaving = True
        if self.leg is not None:
            return
        if self.rests:  # it is taken up again by who comes back under this name
            self.close()
            return
        self._parting_words = why or self._parting_words
        if self.match is None and not self._asking:
            self._asking = True
            self._tasks.spawn(self._leave(self._parting_words))

    def resign(self) -> None:
        if self.match is not None:
            self.match.resign()

    def close(self) -> None:
        """Forget the room: nothing more is sent."""
        if self.match is not None:
            self.match.close()
        if self._patience is not None:
            self._patience.cancel()
        if not self._closed:
            self._closed = True
            self._on_closed(self.room)

    def _end_match(self) -> None:
        if self.match is not None:
            self.match.close()
            self.match = None

    async def _get_ready(self, game: Game) -> None:
        try:
            if await self._load(game):
                salt = secrets.token_hex(16) if game.has_chance else None
                await ask_until_taken(
                    lambda: self._connection.ready(self.room, salt), lambda: not self._closed
                )
            else:
                self.leave(f"I cannot play {game.name}: getting ready failed.")
        finally:
            self._asking = False
        if self.leaving:  # decided meanwhile
            self.leave()

    async def _load(self, game: Game) -> bool:
        """Load the bot's code, not on the clock of the first move; whether it is here."""
        bot_class = self._terms.entry.bot_class
        if bot_class.loaded(game):
            return True
        loop = asyncio.get_running_loop()
        with contained() as code:
            await loop.run_in_executor(self._workers, bot_class.prepare, game)
        if code.error is not None:
            name = self._terms.name
            log.error("%s cannot prepare for %s", name, game.name, exc_info=code.error)
        return code.error is None

    async def _leave(self, why: str) -> None:
        try:
            if why:
                with suppress(Refusal):  # a bot that may not speak may still leave
                    await self._connection.say(self.room, why)
            await self._connection.leave(self.room)
        except Refusal as refusal:
            if refusal.code == Code.ROOM_MATCH_ON:
                return  # it began meanwhile: the bot plays it, and then leaves
            log.info("%s leaves room %s: %s", self._terms.name, self.room, refusal)
        finally:
            self._asking = False
        self.close()

    def _renew_patience(self, state: RoomState) -> None:
        """While no match is on, patience runs out; whatever happens in the room renews it."""
        if self._patience is not None:
            self._patience.cancel()
        if state.state != "waiting" or state.seat is None:
            return
        patience = _patience_with(state.seats[1 - state.seat])
        if is_on(state.series):  # the next game begins by itself, and who leaves gives all of it up
            patience = READY_S
        why = "Nothing has started here for a while, so I leave."
        self._patience = asyncio.get_running_loop().call_later(patience, self.leave, why)

    def _rest(self, rests: bool) -> None:
        """Rest, or no more; who is leaving leaves a match that rests as it is."""
        self.rests = rests
        if rests and self.match is not None:
            self.match.rest()
        if rests and self.leaving:
            self.close()


def _patience_with(opponent: Player | None) -> float:
    """Seconds to wait for an opponent, or for one to come, before the next match."""
    if opponent is not None and opponent.program is not None:
        return BOT_READY_S
    return ABSENT_READY_S if opponent is not None and opponent.absent else READY_S
