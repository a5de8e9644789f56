"""Plays any bot at a house over the network, as an ordinary client; alone in bots to touch client.

    runner = Runner(await enter(entry, "localhost", "ann"), entry)
    await runner.serve()

It takes invitations while it has a free slot, and keeps a Table (bots/table.py) for each room.  On
a ladder (`enlist`) it plays what it is sent.  After a lost connection, or a restart under the same
token, the server shows its rooms and matches again and it plays on.  What an invitation asked for
does not outlive this process: then the entry's own strength holds.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Coroutine
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Final

from bots.bot import BadSetting, Budget
from bots.foreign import Foreign
from bots.reviewer import Reviewer, introduce
from bots.table import GONE, PASSING, RETRY_S, Hooks, Leg, Table
from bots.terms import BadTerms, Entry, agree
from client.connection import DEFAULT_PORT, Connection, Interrupted, Unreachable, connect
from games import registry as games
from protocol.analysis import AnalysisUnwanted, AnalysisWanted
from protocol.errors import Code, PlyhouseError, Refusal
from protocol.ladder import LadderTold
from protocol.messages import (
    AdviceWanted,
    Error,
    Invited,
    MatchState,
    Options,
    Push,
    RoomState,
    Strength,
    Welcome,
)

__all__ = ["DEFAULT_PORT", "Connection", "Runner", "Unreachable", "connect", "enter", "game_of"]

ADVICE_MS: Final = 2_000  # a person waits for a hint, and whoever plays here waits for the worker
SECOND_LEG_S: Final = 5.0  # for a pair's second leg to begin, which takes milliseconds
FAREWELL_S: Final = 2.0  # for resignations to get through before the connection is closed

log = logging.getLogger("plyhouse.bots")


async def enter(
    entry: Entry, url: str, name: str, token: str | None = None, *, patient: bool = False
) -> Connection:
    """Connect `entry` under its owner's name, or under the session that `token` stands for.

    A token that the server does not know any longer, because its data are gone, is not used.

    Raises:
        Unreachable: no server answers at `url` (never when `patient`).
        Refusal: the server does not let it in, for instance because the name is taken.
    """
    if token is not None:
        try:
            return await connect(url, token=token, bot=introduce(entry), patient=patient)
        except Refusal as no:
            if no.code != Code.SESSION_BAD_TOKEN:
                raise
    return await connect(url, name=name, bot=introduce(entry), patient=patient)


async def game_of(ladder: str, url: str) -> str:
    """The game of a ladder, asked by a guest.

    Raises:
        Unreachable: no server answers at `url`.
        Refusal: there is no such ladder.
    """
    house = await connect(url)
    try:
        return (await house.ladder_status(ladder)).ladder.game
    finally:
        await house.close()


class Runner:
    """One bot at one house, in as many matches as it has slots."""

    def __init__(
        self,
        house: Connection,
        entry: Entry,
        hooks: Hooks | None = None,
        workers: Executor | None = None,
    ) -> None:
        """`workers`: threads to think on that it shares with others; None: threads of its own."""
        self.house = house
        self.entry = entry
        self.tables: dict[int, Table] = {}
        self.draining = False
        self.ladders: set[str] = set()
        self._hooks = hooks or Hooks()
        self._workers = _workers(entry) if workers is None else workers
        self._shares = workers is not None
        self._reviewer = Reviewer(entry)
        self._awaited: dict[tuple[str, int], asyncio.TimerHandle] = {}  # pairs with a leg to come
        self._withdrawing = 0
        self._abandoning = False
        self._gone = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()  # the event loop holds its tasks only weakly

    async def serve(self) -> None:
        """Play until drained, or until the connection is over: `house.reason` then says why."""
        try:
            async for message in self.house:
                self._take(message)
        finally:
            for table in list(self.tables.values()):
                table.close()
            for timer in self._awaited.values():
                timer.cancel()
            self._reviewer.close()
            if not self._shares:
                self._workers.shutdown(wait=False, cancel_futures=True)
            self._gone.set()

    async def enlist(self, ladder: str, slots: int | None = None) -> None:
        """Join a ladder, for good: until `drain`, through restarts of this program and the server.
        `slots`: pairs at once; None: as many as the entry has slots.

        Raises:
            Refusal: the server says no; the sentence is for people.
        """
        salt = secrets.token_hex(16)
        while True:
            try:
                await self.house.ladder_join(ladder, salt, slots or self.entry.slots)
            except Interrupted:
                continue  # it may have happened; to join again is the same
            except Refusal as no:
                if no.code not in PASSING:
                    raise
                await asyncio.sleep(RETRY_S)
            else:
                self.ladders.add(ladder)
                log.info("%s plays on the ladder %s", self.entry.name, ladder)
                return

    def drain(self) -> None:
        """Take no more invitations, leave the ladders, play the matches that are on to their end,
        then go.
        """
        self.draining = True
        for ladder in self.ladders:
            self._withdrawing += 1
            self._spawn(self._withdraw(ladder))
        self.ladders.clear()
        for table in list(self.tables.values()):
            table.leave()
        self._go_if_drained()

    async def abandon(self) -> None:
        """Go now: resign what is on, and give that a moment to get through."""
        self._abandoning = True
        self.drain()
        for table in list(self.tables.values()):
            table.resign()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._gone.wait(), FAREWELL_S)
        await self.house.close()

    async def host(self, game: str, options: Options, rival: str, seat: int = 0) -> int:
        """Open a room, sit down, and invite `rival` ("name/program"); the room's number.

        `serve` must be running.

        Raises:
            Refusal: the server says no to the room or to the invitation.
        """
        state = await self.house.create(game, options, seat=0 if seat == 0 else 1)
        table = self.tables.get(state.room) or self._sit(state.room, game, Strength())
        table.ready(game)
        await self.house.invite(state.room, rival)
        return state.room

    # ---- messages

    def _take(self, message: Push) -> None:
        match message:
            case MatchState():
                self._on_match(message)
            case RoomState():
                self._on_room(message)
            case Invited():
                self._on_invited(message)
            case AdviceWanted():
                self._spawn(self._advise(message))
            case AnalysisWanted():
                self._spawn(self._review(message))
            case AnalysisUnwanted():
                self._reviewer.drop(message.ask)
            case Welcome():
                self._reviewer.drop()  # whoever asked was told that this bot had gone
                for room in self.tables.keys() - set(message.rooms):
                    self.tables[room].close()
            case LadderTold():
                log.warning("%s, ladder %s: %s", self.entry.name, message.ladder, message.text)
            case Error():
                log.warning("%s: %s [%s]", self.entry.name, message.text, message.code)
            case _:
                pass  # chat, lobby, bye: nothing that a bot acts upon

    def _on_match(self, state: MatchState) -> None:
        table = self.tables.get(state.room)
        if table is not None:
            table.on_match(state)
            if self._abandoning and table.leg is not None:  # one that has begun just now
                table.resign()

    def _on_room(self, state: RoomState) -> None:
        table = self.tables.get(state.room)
        if table is None:
            if state.seat is None or state.state in GONE:
                return
            try:
                table = self._sit(state.room, state.game, Strength(), _leg(state))
            except BadTerms as impossible:
                self._spawn(self._walk_out(state, str(impossible)))
                return
            log.info("%s sits in room %s", self.entry.name, state.room)
        table.on_room(state)

    async def _walk_out(self, state: RoomState, why: str) -> None:
        """Get up from a room where an earlier run of this bot sat down, with other games."""
        log.warning("%s gives up room %s: %s", self.entry.name, state.room, why)
        if state.match is not None and state.state == "playing":
            await self.house.resign(state.match)
        if state.ladder is None:
            await self.house.leave(state.room)

    def _on_invited(self, message: Invited) -> None:
        if not self.entry.invited:
            self._spawn(self._decline(message, "I play on ladders only"))
            return
        free = self._busy() < self.entry.slots
        if self.draining or not free or message.room in self.tables:
            log.info("%s has no time for %s", self.entry.name, message.by)
            return
        try:
            table = self._sit(message.room, message.game, message.strength)
        except (BadTerms, BadSetting) as impossible:
            self._spawn(self._decline(message, str(impossible)))
        else:
            self._spawn(self._accept(message, table))

    async def _accept(self, message: Invited, table: Table) -> None:
        log.info("%s plays %s with %s", self.entry.name, message.game, message.by)
        try:
            await self.house.join(message.room, message.code)
        except PlyhouseError:
            table.close()
            raise
        table.ready(message.game)

    async def _decline(self, message: Invited, why: str) -> None:
        """Come in only to say why not; without a seat, so that nothing starts."""
        log.info("%s does not play with %s: %s", self.entry.name, message.by, why)
        await self.house.watch(message.room, message.code)
        await self.house.say(message.room, f"I cannot play that: {why}.")
        await self.house.leave(message.room)

    async def _advise(self, message: AdviceWanted) -> None:
        """Say what this bot would play in somebody else's place."""
        with Foreign() as thought:
            action, note = await self._think_for(message)
        if thought.error is None:
            await self.house.advise(message.ask, action, note)
        else:  # the hint stays unanswered, which the house tells the asker
            name, where = self.entry.name, message.position
            log.error("%s crashed when asked about %s", name, where, exc_info=thought.error)

    async def _think_for(self, message: AdviceWanted) -> tuple[str, str]:
        """The action in notation, and the note."""
        terms = agree(self.entry, message.game, Strength())
        position = games.game(message.game).parse_position(message.position)
        budget = (terms.budget or Budget(ms=ADVICE_MS)).within(ADVICE_MS)
        bot = terms.bot(f"advice {message.ask}")
        loop = asyncio.get_running_loop()
        choice = await loop.run_in_executor(self._workers, bot.choose, position, budget)
        return position.game.format_action(position, choice.action), choice.note

    async def _review(self, message: AnalysisWanted) -> None:
        """Go through a match that is over, and tell what was found if it is still asked for."""
        found, no = await self._reviewer.review(message)
        if not self._reviewer.wanted(message.ask):
            return
        try:
            await self.house.report_analysis(message.ask, found, no)
        except Refusal as refusal:
            if refusal.code != Code.ANALYSIS_BAD_REPORT:
                raise
            log.warning("%s made a bad report: %s", self.entry.name, refusal.text)
            await self.house.report_analysis(message.ask, None, "what it found does not fit")

    # ---- tables

    def _sit(self, room: int, game: str, strength: Strength, leg: Leg | None = None) -> Table:
        """A table for `room`; BadTerms or BadSetting where the strength is impossible."""
        terms = agree(self.entry, game, strength)
        table = Table(self.house, room, terms, self._workers, self._hooks, self._closed, leg)
        table.leaving = self.draining
        self.tables[room] = table
        if leg is not None and (timer := self._awaited.pop((leg.ladder, leg.pair), None)):
            timer.cancel()
        return table

    def _busy(self) -> int:
        """How many slots are taken; both legs of a pair take one."""
        legs = [table.leg for table in self.tables.values()]
        return len({(leg.ladder, leg.pair) for leg in legs if leg is not None}) + legs.count(None)

    def _closed(self, room: int) -> None:
        table = self.tables.pop(room, None)
        if table is not None and table.leg is not None and not table.leg.last:
            self._await_second(table.leg)
        self._hooks.on_closed(room)
        self._go_if_drained()

    def _await_second(self, leg: Leg) -> None:
        """After a first leg, expect the second for a while: of a void pair there is none."""
        pair = (leg.ladder, leg.pair)
        loop = asyncio.get_running_loop()
        self._awaited[pair] = loop.call_later(SECOND_LEG_S, self._give_up, pair)

    def _give_up(self, pair: tuple[str, int]) -> None:
        """No second leg came."""
        self._awaited.pop(pair, None)
        self._go_if_drained()

    async def _withdraw(self, ladder: str) -> None:
        """Begin no more pairs; whatever comes of that, it goes on."""
        try:
            await self.house.ladder_leave(ladder)
        finally:
            self._withdrawing -= 1
            self._go_if_drained()

    def _go_if_drained(self) -> None:
        waits = self.tables or self._awaited or self._withdrawing
        if self.draining and not waits:
            self._spawn(self.house.close())

    def _spawn(self, work: Coroutine[Any, Any, object]) -> None:
        """Ask the server something without holding up the messages."""
        task = asyncio.get_running_loop().create_task(self._mind(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: work.close())  # cancelled, it may never have begun

    async def _mind(self, work: Coroutine[Any, Any, object]) -> None:
        try:
            await work
        except PlyhouseError as error:
            log.info("%s: %s", self.entry.name, error)


def _leg(state: RoomState) -> Leg | None:
    """Which leg is played in a room; None: it is no ladder's."""
    if state.ladder is None or state.pair is None or state.leg is None:
        return None
    both_at_once = games.game(state.game).has_chance
    return Leg(state.ladder, state.pair, last=both_at_once or state.leg == 1)


def _workers(entry: Entry) -> ThreadPoolExecutor:
    """Threads for all that an entry may think about at once; they are made as they are needed.

    Each slot can have a table of an invitation and a pair of a ladder, with dice two legs, of which
    one may be pondered on.  One more: a person who asks for a hint does not wait for any of that.
    """
    return ThreadPoolExecutor(3 * entry.slots + 1, thread_name_prefix=entry.program)
