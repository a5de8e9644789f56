"""Plays any bot at a server over the network, as an ordinary client.

    runner = Runner(await enter(entry, "localhost", "ann"), entry)
    await runner.serve()

It takes invitations while it has a free slot, and keeps a RoomPlayer (bots/online/room.py) for each
room.  On a ladder (`enlist`) it plays what it is sent.  After a lost connection, or a restart under
the same token, the server shows its rooms and matches again and it plays on, at the level it had.
What else an invitation asked for is lost with this process: then the entry's own strength holds.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from typing import Final

from bots.bot import BadSetting, Budget
from bots.online.entry import BadTerms, Entry
from bots.online.guard import contained
from bots.online.match import Hooks
from bots.online.requests import BackgroundTasks, ask_until_taken
from bots.online.reviewer import COMPILING_MS, Reviewer, introduce
from bots.online.room import FINAL_STATES, LadderLeg, RoomPlayer
from bots.online.terms import HOUSE, TOO_LONG, agree, is_too_long
from client.connection import DEFAULT_PORT, Connection, Interrupted, Unreachable, connect
from games import registry as games
from protocol.analysis import (
    AnalysisUnwanted,
    AnalysisWanted,
    ConsiderUnwanted,
    ConsiderWanted,
)
from protocol.errors import Code, PlyhouseError, Refusal
from protocol.hints import AdviceWanted
from protocol.ladder import LadderTold
from protocol.messages import Error, Invited, MatchState, Push, RoomState, Welcome
from protocol.parts import Declining, Options, Strength

__all__ = ["DEFAULT_PORT", "Connection", "Runner", "Unreachable", "connect", "enter", "game_of"]

ADVICE_MS: Final = 2_000  # a person waits for a hint, and an opponent waits for the worker
SECOND_LEG_S: Final = 5.0  # for a pair's second leg to begin, which takes milliseconds
ENDS: Final = frozenset({Code.LADDER_FINISHED, Code.LADDER_SUSPENDED})  # no more pairs after these
RESIGNING_S: Final = 2.0  # for resignations to get through before the connection is closed

log = logging.getLogger("plyhouse.bots")


async def enter(
    entry: Entry, url: str, name: str, token: str | None = None, *, patient: bool = False
) -> Connection:
    """Connect `entry` under its owner's name, or under the session that `token` stands for.

    A token that the server no longer knows, because its data are gone, is not used.

    Raises:
        Unreachable: no server answers at `url` (never when `patient`).
        Refusal: the server does not let it in, for instance because the name is taken.
    """
    if token is not None:
        try:
            return await connect(url, token=token, bot=introduce(entry), patient=patient)
        except Refusal as refusal:
            if refusal.code != Code.SESSION_BAD_TOKEN:
                raise
    return await connect(url, name=name, bot=introduce(entry), patient=patient)


async def game_of(ladder: str, url: str) -> str:
    """The game of a ladder, asked by a guest.

    Raises:
        Unreachable: no server answers at `url`.
        Refusal: there is no such ladder.
    """
    async with connect(url) as connection:
        return (await connection.ladder_status(ladder)).ladder.game


class Runner:
    """One bot at one server, in as many matches as it has slots."""

    def __init__(
        self,
        connection: Connection,
        entry: Entry,
        hooks: Hooks | None = None,
        workers: Executor | None = None,
    ) -> None:
        """`workers`: threads to think on that it shares with others; None: threads of its own."""
        self.connection = connection
        self.entry = entry
        self.rooms: dict[int, RoomPlayer] = {}
        self.draining = False
        self.ladders: set[str] = set()
        self.dismissed: list[str] = []  # the ladders that will have it no more, though they go on
        self._ties: set[str] = set()  # the ladders with whose end it goes
        self._hooks = hooks or Hooks()
        self._workers = _workers(entry) if workers is None else workers
        self._owns_workers = workers is None
        self._reviewer = Reviewer(entry)
        self._second_legs: dict[tuple[str, int], asyncio.TimerHandle] = {}  # pairs with one to come
        self._withdrawing = 0
        self._abandoning = False
        self._served = asyncio.Event()
        self._tasks = BackgroundTasks(entry.name)

    @property
    def has_gone(self) -> bool:
        """Whether it has left by itself, and there is nothing to tell of that."""
        return self.connection.closed and self.connection.reason is None and not self.dismissed

    async def serve(self) -> None:
        """Play until drained, or until the connection is over, for `connection.reason`."""
        try:
            async for message in self.connection:
                self._take(message)
        finally:
            for room in list(self.rooms.values()):
                room.close()
            for timer in self._second_legs.values():
                timer.cancel()
            self._reviewer.close()
            if self._owns_workers:
                self._workers.shutdown(wait=False, cancel_futures=True)
            self._served.set()

    async def enlist(
        self, ladder: str, slots: int | None = None, code: str | None = None, *, tied: bool = False
    ) -> None:
        """Join a ladder, for good: until `drain`, through restarts of this program and the server.
        `slots`: pairs at once; None: as many as the entry has slots.  `code`: if it has one.
        `tied`: once that ladder is over, or has no more pairs for this bot, drain.

        Raises:
            Refusal: the server says no; the sentence is for people.
        """
        if tied:
            self._ties.add(ladder.casefold())
        salt = secrets.token_hex(16)
        slots = slots or self.entry.slots
        while ladder not in self.ladders:
            with suppress(Interrupted):  # it may have happened; to join again is the same
                await ask_until_taken(
                    lambda: self.connection.ladder_join(ladder, salt, slots, code)
                )
                self.ladders.add(ladder)
        log.info("%s plays on the ladder %s", self.entry.name, ladder)

    def drain(self) -> None:
        """Take no more invitations, leave the ladders, finish the matches that are on, then go."""
        self.draining = True
        for ladder in self.ladders:
            self._withdrawing += 1
            self._tasks.spawn(self._withdraw(ladder))
        self.ladders.clear()
        for room in list(self.rooms.values()):
            room.leave()
        self._go_if_drained()

    async def abandon(self) -> None:
        """Go now: resign what is on, and give that a moment to get through."""
        self._abandoning = True
        self.drain()
        for room in list(self.rooms.values()):
            room.resign()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._served.wait(), RESIGNING_S)
        await self.connection.close()

    async def host(self, game: str, options: Options, rival: str, seat: int = 0) -> int:
        """Open a room, sit down, and invite `rival` ("name/program"); the room's number.

        `serve` must be running.

        Raises:
            Refusal: the server says no to the room or to the invitation.
        """
        state = await self.connection.create(game, options, seat=0 if seat == 0 else 1)
        room = self.rooms.get(state.room) or self._sit(state.room, game, Strength())
        room.ready(game)
        await self.connection.invite(state.room, rival)
        return state.room

    def _take(self, message: Push) -> None:
        match message:
            case MatchState():
                self._on_match(message)
            case RoomState():
                self._on_room(message)
            case Invited():
                self._on_invited(message)
            case AdviceWanted():
                self._tasks.spawn(self._advise(message))
            case AnalysisWanted():
                self._tasks.spawn(self._review(message))
            case AnalysisUnwanted():
                self._reviewer.drop(message.ask)
            case ConsiderWanted():
                self._tasks.spawn(self._consider(message))
            case ConsiderUnwanted():
                self._reviewer.finish_considering(message.ask)
            case Welcome():
                self._reviewer.drop()  # the server has answered the client that the bot was gone
                for room in self.rooms.keys() - set(message.rooms):
                    self.rooms[room].close()
                for ladder in self.ladders:
                    if ladder.casefold() in self._ties:
                        self._tasks.spawn(self._look_at(ladder))
            case LadderTold():
                self._on_told(message)
            case Error():
                log.warning("%s: %s [%s]", self.entry.name, message.text, message.code)
            case _:
                pass  # chat, lobby, bye: nothing that a bot acts upon

    def _on_match(self, state: MatchState) -> None:
        room = self.rooms.get(state.room)
        if room is not None:
            room.on_match(state)
            if self._abandoning and room.leg is not None:  # one that has begun just now
                room.resign()

    def _on_room(self, state: RoomState) -> None:
        room = self.rooms.get(state.room)
        if room is None:
            if state.seat is None or state.state in FINAL_STATES:
                return
            try:
                room = self._sit(state.room, state.game, self._seated_at(state), _leg(state))
            except BadTerms as error:
                self._tasks.spawn(self._give_up_room(state, str(error)))
                return
            log.info("%s sits in room %s", self.entry.name, state.room)
        room.on_room(state)

    async def _give_up_room(self, state: RoomState, why: str) -> None:
        """Leave a room where an earlier run of this bot sat down, with other games."""
        log.warning("%s gives up room %s: %s", self.entry.name, state.room, why)
        if state.match is not None and state.state == "playing":
            await self.connection.resign(state.match)
        if state.ladder is None:
            await self.connection.leave(state.room)

    def _on_invited(self, message: Invited) -> None:
        if not self.entry.invited:
            self._tasks.spawn(self._decline(message, "I play on ladders only"))
            return
        if self.connection.name == HOUSE and is_too_long(message.options.clock):
            self._tasks.spawn(self._decline(message, TOO_LONG))
            return
        if message.room in self.rooms:
            return  # it sits there already, or is on its way
        if self.draining or self._busy_slots() >= self.entry.slots:
            self._tasks.spawn(self._decline(message, "I have no time just now", "busy"))
            return
        try:
            room = self._sit(message.room, message.game, message.strength)
        except (BadTerms, BadSetting) as error:
            self._tasks.spawn(self._decline(message, str(error)))
        else:
            self._tasks.spawn(self._accept(message, room))

    def _on_told(self, message: LadderTold) -> None:
        """Say what a ladder says; go, where there is nothing left to stay for."""
        is_tied, is_over = message.ladder.casefold() in self._ties, message.code in ENDS
        is_news = is_tied or message.code != Code.LADDER_FINISHED  # else it is on many ladders
        level = logging.WARNING if is_news else logging.INFO
        log.log(level, "%s, ladder %s: %s", self.entry.name, message.ladder, message.text)
        if not is_over:
            return
        if message.code == Code.LADDER_SUSPENDED:
            self.dismissed.append(message.ladder)
        self.ladders = {
            name for name in self.ladders if name.casefold() != message.ladder.casefold()
        }
        if is_tied and not self.draining:
            self.drain()

    async def _look_at(self, ladder: str) -> None:
        """After a lost connection, see whether a ladder has ended meanwhile: that is told once."""
        try:
            line = (await self.connection.ladder_status(ladder)).ladder
        except Refusal as refusal:
            if refusal.code != Code.LADDER_UNKNOWN:
                raise
            self._on_told(LadderTold(ladder=ladder, code=Code.LADDER_FINISHED, text=refusal.text))
            return
        if line.state == "finished" and ladder in self.ladders:
            text = f"{line.name} is over"
            self._on_told(LadderTold(ladder=line.name, code=Code.LADDER_FINISHED, text=text))

    async def _accept(self, message: Invited, room: RoomPlayer) -> None:
        log.info("%s plays %s with %s", self.entry.name, message.game, message.by)
        try:
            level = message.strength.level
            state = await self.connection.join(message.room, message.code, level=level)
        except PlyhouseError:
            room.close()
            raise
        room.on_joined(state)
        room.ready(message.game)

    async def _decline(self, message: Invited, text: str, why: Declining = "terms") -> None:
        """Say why not, to the player who invited; an older server has no word for that."""
        log.info("%s does not play with %s: %s", self.entry.name, message.by, text)
        with suppress(Refusal):
            await self.connection.decline(message.room, why, f"{text}.")

    async def _advise(self, message: AdviceWanted) -> None:
        """Say what this bot would play in another player's place."""
        bot_class, game = self.entry.bot_class, message.game
        if game in games.names() and not bot_class.ready(games.game(game)):
            with suppress(Refusal):  # of an older server, which waits for half a minute
                await self.connection.delay_advice(message.ask, COMPILING_MS)
            await self._reviewer.compile(self.entry.program, game)
        with contained() as code:
            action, note = await self._think_for(message)
        if code.error is not None:  # the server tells the client that no answer came
            name, where = self.entry.name, message.position
            log.error("%s crashed when asked about %s", name, where, exc_info=code.error)
            return
        with suppress(Refusal):  # no client waits for it any more
            await self.connection.advise(message.ask, action, note)

    async def _think_for(self, message: AdviceWanted) -> tuple[str, str]:
        """The action in notation, and the note."""
        terms = agree(self.entry, message.game, Strength())
        position = games.game(message.game).parse_position(message.position)
        budget = (terms.budget or Budget(ms=ADVICE_MS)).within(ADVICE_MS)
        bot = terms.bot(f"advice {message.ask}")
        loop, stop = asyncio.get_running_loop(), bot.stop_flag()
        try:
            choice = await loop.run_in_executor(self._workers, bot.choose, position, budget, stop)
        finally:
            stop[0] = 1  # of a program that ends: it would wait for this
            bot.close()
        return position.game.format_action(position, choice.action), choice.note

    async def _consider(self, message: ConsiderWanted) -> None:
        """Say what is best in a position, as far as that is seen in time."""
        consideration, error = await self._reviewer.consider(message)
        if self._reviewer.finish_considering(message.ask):
            with suppress(Refusal):  # no client waits for it any more
                await self.connection.report_considered(message.ask, consideration, error)

    async def _review(self, message: AnalysisWanted) -> None:
        """Analyse a finished match, and report that if it is still wanted."""
        analysis, error = await self._reviewer.review(
            message, lambda wait_ms: self._delay(message.ask, wait_ms)
        )
        if not self._reviewer.finish(message.ask):
            return
        try:
            await self.connection.report_analysis(message.ask, analysis, error)
        except Refusal as refusal:
            if refusal.code != Code.ANALYSIS_BAD_REPORT:
                raise
            log.warning("%s made a bad report: %s", self.entry.name, refusal.text)
            await self.connection.report_analysis(message.ask, None, "what it found does not fit")

    async def _delay(self, ask: int, wait_ms: int) -> None:
        """Tell the client that waits for an analysis; an older server knows nothing of that."""
        with suppress(Refusal):
            await self.connection.delay_analysis(ask, wait_ms)

    def _sit(
        self, room: int, game: str, strength: Strength, leg: LadderLeg | None = None
    ) -> RoomPlayer:
        """A player for `room`; BadTerms or BadSetting where the strength is impossible."""
        terms = agree(self.entry, game, strength)
        player = RoomPlayer(
            self.connection, room, terms, self._workers, self._hooks, self._closed, leg
        )
        player.leaving = self.draining
        self.rooms[room] = player
        if leg is not None and (timer := self._second_legs.pop((leg.ladder, leg.pair), None)):
            timer.cancel()
        return player

    def _seated_at(self, state: RoomState) -> Strength:
        """The strength that an earlier run of this bot sat down at, as far as its seat says so."""
        me = state.seats[state.seat] if state.seat is not None else None
        level = me.level if me is not None else None
        known = level is not None and level <= len(self.entry.bot_class.LEVELS)
        return Strength(level=level if known else None)

    def _busy_slots(self) -> int:
        """How many slots are taken; both legs of a pair take one, and who rests takes none."""
        legs = [room.leg for room in self.rooms.values() if not room.rests]
        return len({(leg.ladder, leg.pair) for leg in legs if leg is not None}) + legs.count(None)

    def _closed(self, room: int) -> None:
        player = self.rooms.pop(room, None)
        if player is not None and player.leg is not None and not player.leg.last:
            self._await_second_leg(player.leg)
        self._hooks.on_closed(room)
        self._go_if_drained()

    def _await_second_leg(self, leg: LadderLeg) -> None:
        """After a first leg, expect the second for a while: of a void pair there is none."""
        pair = (leg.ladder, leg.pair)
        loop = asyncio.get_running_loop()
        self._second_legs[pair] = loop.call_later(SECOND_LEG_S, self._expect_no_leg, pair)

    def _expect_no_leg(self, pair: tuple[str, int]) -> None:
        self._second_legs.pop(pair, None)
        self._go_if_drained()

    async def _withdraw(self, ladder: str) -> None:
        """Begin no more pairs.  Draining goes on even if the server refuses."""
        try:
            await self.connection.ladder_leave(ladder)
        finally:
            self._withdrawing -= 1
            self._go_if_drained()

    def _go_if_drained(self) -> None:
        if self.draining and not (self.rooms or self._second_legs or self._withdrawing):
            self._tasks.spawn(self.connection.close())


def _leg(state: RoomState) -> LadderLeg | None:
    """Which leg is played in a room; None: the room is not a ladder's."""
    if state.ladder is None or state.pair is None or state.leg is None:
        return None
    both_at_once = games.game(state.game).has_chance
    return LadderLeg(state.ladder, state.pair, last=both_at_once or state.leg == 1)


def _workers(entry: Entry) -> ThreadPoolExecutor:
    """Threads for all that an entry may think about at once; each starts when it is first needed.

    A slot can hold a match by invitation and a pair of a ladder, with dice both legs at once.  One
    more thread: a person who asks for a hint does not wait for any of these.
    """
    return ThreadPoolExecutor(3 * entry.slots + 1, thread_name_prefix=entry.program)
