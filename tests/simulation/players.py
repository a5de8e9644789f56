"""Those who play: the client library as it is, and a program over it that does what comes to mind.

Two players share a table.  Each looks at what its replica says from time to time and does the next
thing: sits down, gets ready, plays one of the legal actions.  Now and then it does what it should
not: an action that is not legal, one out of turn, one for a position that is gone, two at once.
"""

from __future__ import annotations

import asyncio
import random
from typing import Any

from client.backoff import Backoff
from client.errors import ConnectionOver
from client.presence import Connection, ConnectPlan
from client.replica import Replica
from protocol import messages as wire
from protocol import parts
from protocol.errors import Code, PlyhouseError, Refusal
from tests.simulation.loop import Host
from tests.simulation.network import ClientEnd, dial
from tests.simulation.story import Wrong

GONE = {Code.ROOM_CLOSED, Code.LOBBY_NO_ROOM, Code.ROOM_WRONG_CODE}
UNUSED_S = 1_800.0  # by which clocks may jump before a name may be forgotten that was not used
# What a player does beside playing: how often in a thousand.
HABITS = (
    ("say", 20), ("illegal", 10), ("out_of_turn", 15), ("stale", 15), ("twice", 20), ("offer", 20),
    ("resign", 2), ("abort", 2), ("history", 8), ("burst", 4), ("draw", 2), ("person", 2),
    ("lobby", 4), ("leave", 1),
)  # fmt: skip


class Table:
    """What two players have told each other of where they meet."""

    def __init__(self, number: int, game: str, options: parts.Options) -> None:
        self.number = number
        self.game = game
        self.options = options
        self.room: int | None = None
        self.code: str | None = None


class Player:
    """One of them."""

    def __init__(self, world: Any, number: int, table: Table, seat: int, pace_s: float) -> None:
        self.world, self.number, self.table, self.seat = world, number, table, seat
        self.host = Host(f"p{number}")
        self.rng = random.Random(f"{world.seed} player {number}")
        self.pace_s = pace_s
        self.token: str | None = None
        self.bot: parts.BotInfo | None = None
        self.names = 0
        self.connection: Connection | None = None
        self.link: ClientEnd | None = None
        self.replica = Replica()
        self.since: float | None = None  # when it began to wait for an answer
        self._alarm: asyncio.Future[None] | None = None
        self._timer: Any = None
        self.doing = ""
        self.is_done = False

    async def _dial(self, hello: wire.Hello) -> ClientEnd:
        return await self._dial_at(None, hello)

    async def _dial_at(self, url: str | None, hello: wire.Hello) -> ClientEnd:
        server = self.world.server_at(self, url)
        self.link = await dial(self.world.network, self.host, server, hello)
        return self.link

    async def live(self) -> None:
        """Come, play, and go when all is over."""
        rng, loop = self.rng, self.world.loop
        await asyncio.sleep(5 * rng.random())
        while not self.world.is_over:
            plan = ConnectPlan(
                self._dial, True, None, Backoff(jitter=rng.random, now=loop.time), lambda _: None,
                self._dial_at,
            )  # fmt: skip
            self.names += self.token is None
            name = f"p{self.number}" + "x" * (self.names - 1)
            hello = wire.Hello(
                version=wire.VERSION, name=None if self.token else name, token=self.token,
                bot=self.bot,
            )  # fmt: skip
            connection = Connection(plan, hello)
            try:
                await connection.start()
            except Refusal as no:
                if self.token is not None and self.world.ahead < UNUSED_S:
                    raise Wrong(f"{name} was welcomed once, and now: {no}") from no
                self.token = None  # or a first welcome was lost on its way, and with it the token
                continue
            self.connection = connection
            listening = asyncio.ensure_future(self._listen(connection))
            try:
                while not self.world.is_over and not connection.closed:
                    await self._rest()
                    await self._act_once(connection)
            finally:
                self.token = connection.token
                await connection.close()
                await listening
        self.is_done = True

    async def _rest(self) -> None:
        """Do nothing for a while: to think, or until something comes that is to be answered."""
        loop = self.world.loop
        self._alarm = loop.create_future()
        self._ring_in(3.0 if self.world.hurries else min(100.0, 3 * self._think_s()))
        if self._is_asked():
            self._ring_in(self._think_s())
        await self._alarm

    def _think_s(self) -> float:
        return 0.2 if self.world.hurries else self.rng.expovariate(1 / self.pace_s) + 0.05

    def _ring_in(self, seconds: float) -> None:
        loop = self.world.loop
        if self._timer is not None:
            if not self._timer.cancelled() and loop.now < self._timer.when() <= loop.now + seconds:
                return
            self._timer.cancel()
        self._timer = loop.call_later(seconds, self._ring)

    def _ring(self) -> None:
        if self._alarm is not None and not self._alarm.done():
            self._alarm.set_result(None)

    def _is_asked(self) -> bool:
        """Whether there is something to do: a turn, an offer, a match to begin."""
        room = self._room()
        if room is None:
            return True
        match = self.replica.current(room.room)
        if match is None or match.result is not None or room.match != match.match:
            return None not in room.seats and not room.ready[room.seat or 0]
        return bool(match.legal or match.offers)

    async def _listen(self, connection: Connection) -> None:
        async for message in connection:
            self.replica.feed(message, int(self.world.loop.now * 1000))
            if self._alarm is not None and not self._alarm.done() and self._is_asked():
                self._ring_in(self._think_s())

    async def _act_once(self, connection: Connection) -> None:
        self.since = self.world.loop.now
        try:
            await self._act(connection)
        except ConnectionOver:
            pass
        except Refusal as no:
            if no.code in GONE and no.match is None:
                self._forget_room()
        except PlyhouseError:
            pass  # the line was lost: what became of it will be seen
        finally:
            self.since = None

    def _forget_room(self) -> None:
        room = self._room()
        if room is not None:
            self.replica.forget(room.room)
        if room is None or self.table.room == room.room:
            self.table.room = None

    def _room(self) -> wire.RoomState | None:
        """The room in which this player sits."""
        rooms = self.replica.rooms.values()
        mine = [r for r in rooms if r.seat is not None and r.state != "closed" and r.ladder is None]
        return mine[-1] if mine else None

    async def _act(self, connection: Connection) -> None:
        room, table = self._room(), self.table
        if room is None:
            self.doing = "sit down"
            if self.world.hurries:
                return
            if table.room is not None:
                self.replica.feed(await connection.join(table.room, table.code))
            elif self.seat == 0:
                made = await connection.create(table.game, table.options)
                self.replica.feed(made)
                table.room, table.code = made.room, made.code
            return
        if self.seat == 0 or table.room is None:
            table.room, table.code = room.room, room.code
        elif room.room != table.room and (room.match is None or room.state != "playing"):
            self.doing = "leave"
            await connection.leave(room.room)
            self.replica.forget(room.room)
            return
        match = self.replica.current(room.room)
        if match is None or match.result is not None or room.match != match.match:
            seat = room.seat or 0
            if not room.ready[seat] and None not in room.seats and not self.world.hurries:
                self.doing = "ready"
                await connection.ready(room.room)
            return
        await self._in_match(connection, room, match)

    async def _in_match(
        self, connection: Connection, room: wire.RoomState, match: wire.MatchState
    ) -> None:
        draw = 1000 * self.rng.random() if not self.world.hurries else 1000.0
        for habit, often in HABITS:
            draw -= often
            if draw < 0:
                self.doing = habit
                await getattr(self, f"_{habit}")(connection, room, match)
                return
        self.doing = "answer"
        for offer in match.offers:
            if offer.seat != room.seat:
                await connection.answer(match.match, offer.kind, self.rng.random() < 0.6)
                return
        if match.legal:
            self.doing = "play"
            await self._play(connection, match, match.turn, self.rng.choice(match.legal))

    async def _play(
        self, connection: Connection, match: wire.MatchState, turn: int, action: str
    ) -> None:
        """Play, and note what was tried and what became of it."""
        story = self.world.story
        key = (match.match, turn, action, connection.name)
        story.tried.add(key)
        outcome, number = "unknown", story.history.call(self.number, *key)
        try:
            await connection.play(match.match, turn, action)
            outcome = "granted"
        except Refusal as no:
            story.refused(key, no)
            outcome = "refused"
            raise
        finally:
            story.history.returned(self.number, number, outcome)
        story.granted.add(key)

    async def _say(self, c: Connection, room: wire.RoomState, match: wire.MatchState) -> None:
        await c.say(room.room, f"hello {self.rng.randrange(10**6)}")

    async def _illegal(self, c: Connection, room: wire.RoomState, match: wire.MatchState) -> None:
        await self._play(c, match, match.turn, self.rng.choice(("9", "z9", "0", "1", "?")))

    async def _out_of_turn(
        self, c: Connection, room: wire.RoomState, match: wire.MatchState
    ) -> None:
        if match.legal is None:
            await self._play(c, match, match.turn, self.rng.choice("123456789"))

    async def _stale(self, c: Connection, room: wire.RoomState, match: wire.MatchState) -> None:
        if match.legal:
            turn = max(0, match.turn - self.rng.choice((1, 1, 2, 3)))
            await self._play(c, match, turn, self.rng.choice(match.legal))

    async def _twice(self, c: Connection, room: wire.RoomState, match: wire.MatchState) -> None:
        if match.legal:
            plays = [self._play(c, match, match.turn, self.rng.choice(match.legal)) for _ in "12"]
            for error in await asyncio.gather(*plays, return_exceptions=True):
                if isinstance(error, BaseException) and not isinstance(error, PlyhouseError):
                    raise error

    async def _offer(self, c: Connection, room: wire.RoomState, match: wire.MatchState) -> None:
        await c.offer(match.match, "draw" if self.rng.random() < 0.1 else "takeback")

    async def _resign(self, c: Connection, room: wire.RoomState, match: wire.MatchState) -> None:
        await c.resign(match.match)

    async def _abort(self, c: Connection, room: wire.RoomState, match: wire.MatchState) -> None:
        await c.abort(match.match)

    async def _history(self, c: Connection, room: wire.RoomState, match: wire.MatchState) -> None:
        since = self.replica.gap(match.match)
        page = await c.history(room.room, 0 if since is None else since, room.code)
        self.replica.feed(page)

    async def _burst(self, c: Connection, room: wire.RoomState, match: wire.MatchState) -> None:
        asked = [c.say(room.room, f"{n} of many") for n in range(12)]
        for error in await asyncio.gather(*asked, return_exceptions=True):
            if isinstance(error, BaseException) and not isinstance(error, PlyhouseError):
                raise error

    async def _draw(self, c: Connection, room: wire.RoomState, match: wire.MatchState) -> None:
        await c.draw(match.match)

    async def _person(self, c: Connection, room: wire.RoomState, match: wire.MatchState) -> None:
        await c.person(match.seats[0].name)

    async def _lobby(self, c: Connection, room: wire.RoomState, match: wire.MatchState) -> None:
        self.replica.feed(await c.lobby(False))

    async def _leave(self, c: Connection, room: wire.RoomState, match: wire.MatchState) -> None:
        await c.leave(room.room)  # which is refused while a match is on


class Onlooker(Player):
    """One who looks on at a table for a while, then at another."""

    async def _act(self, connection: Connection) -> None:
        tables = [table for table in self.world.tables if table.room is not None]
        if self.world.hurries or not tables:
            return
        table = self.rng.choice(tables)
        for number in list(self.replica.rooms):
            self.doing = "leave"
            self.replica.forget(number)
            await connection.leave(number)
        if self.rng.random() < 0.1:
            self.doing = "lobby"
            self.replica.feed(await connection.lobby(self.rng.choice((True, False, "changes"))))
        self.doing = "watch"
        self.replica.feed(await connection.watch(table.room, table.code))
