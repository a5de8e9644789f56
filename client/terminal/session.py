"""One person at a house: what is heard becomes lines and scenes, what is typed becomes requests.

Knows no terminal: a Face shows lines and scenes, and brings what is typed (screen.py, plain.py).
What each command does stands in obey.py.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from client.connection import Connection
from client.replica import Replica
from client.terminal import commands, narrate
from client.terminal.commands import BadCommand, Command, Known, Quit
from client.terminal.face import Face
from client.terminal.lines import Line, line
from client.terminal.tables import Menu, lobby_menu
from client.terminal.view import Scene
from client.terminal.wording import sentence, title
from protocol.errors import Code, PlyhouseError, Refusal
from protocol.messages import (
    Bye,
    Error,
    Invited,
    LobbyList,
    MatchState,
    Push,
    RoomState,
    Said,
    Welcome,
)

FAREWELL_S: Final = 2.0  # for a resignation to get through before the connection is closed
CATCH_UP_S: Final = 2.0  # for the matches that `welcome` names to be shown


def milliseconds() -> int:
    """A clock that never goes back."""
    return time.monotonic_ns() // 1_000_000


class Session:
    """What one person knows, looks at and does, over one connection."""

    def __init__(
        self, house: Connection, face: Face, address: str, now: Callable[[], int] = milliseconds
    ) -> None:
        self.house = house
        self.face = face
        self.address = address
        self.replica = Replica(house.name)
        self.focus: int | None = None  # the room looked at
        self.menu = Menu()
        self.picking: Menu | None = None  # a question that a number answers, before the lobby's
        self.flip = False
        self.readied: int | None = None  # a room whose next match this person has agreed to
        self.answered: tuple[str, int] | None = None  # the match and turn of the last play
        self.rename: str | None = None
        self.stay = False  # the end of the input is not the end: only that of what is watched is
        self.watched: str | None = None  # a match whose end ends it
        self.over = asyncio.Event()  # set when this session shall end whatever is typed
        self._now = now
        self._news = asyncio.Event()
        self._before: dict[str, str] = {}
        self._queue: asyncio.Queue[Command] = asyncio.Queue()
        self._tasks: set[asyncio.Task[None]] = set()
        self._kept: tuple[str, int] | None = None  # the match, and its seq, that was kept last
        self._bug: BaseException | None = None
        self._begun = self._leaving = False
        self._warned = False
        self._later = False

    # ---------------------------------------------------------------- what is known

    @property
    def room(self) -> RoomState | None:
        """The room looked at."""
        return self.replica.rooms.get(self.focus) if self.focus is not None else None

    @property
    def match(self) -> MatchState | None:
        """The match in the room looked at that is on, or was last."""
        return self.replica.current(self.focus) if self.focus is not None else None

    @property
    def running(self) -> MatchState | None:
        """The match looked at, if it is not over."""
        match = self.match
        return match if match is not None and match.result is None else None

    @property
    def seat(self) -> int | None:
        """This person's seat in the match looked at, or else in the room."""
        match = self.running or self.match
        if match is not None:
            return self.replica.my_seat(match.match)
        return self.replica.my_seat(self.focus) if self.focus is not None else None

    def my_turn(self) -> bool:
        """Whether an action is awaited that was not given yet."""
        match = self.running
        return (
            match is not None
            and match.legal is not None
            and self.answered != (match.match, match.turn)
        )

    def scene(self, typed: str = "") -> Scene:
        """What there is to see; `typed`: what stands at the prompt."""
        match = self.match
        left = None
        if match is not None and match.clocks is not None:
            now = self._now()
            zero, one = (self.replica.time_left(match.match, seat, now) for seat in (0, 1))
            left = (zero or 0, one or 0)
        return Scene(
            me=self.house.name,
            address=self.address,
            linked=self.house.linked,
            room=self.room,
            match=match,
            seat=self.seat,
            events=self.replica.actions(match.match) if match is not None else (),
            left=left,
            before=self._before.get(match.match) if match is not None else None,
            flip=self.flip,
            menu=self.picking or self.menu,
            typed=typed,
            past=self._leaving,
        )

    def known(self) -> Known:
        """What names can be completed."""
        lobby, welcome = self.replica.lobby, self.house.welcome
        match = self.running
        bots: dict[str, tuple[str, ...]] = {}
        for bot in lobby.bots if lobby is not None else ():
            bots[bot.program] = (*bots.get(bot.program, ()), *(bot.games or welcome.games))
        rooms = [str(entry.room) for entry in lobby.rooms] if lobby is not None else []
        return Known(
            games=tuple(welcome.games),
            bots=bots,
            game=self.room.game if self.room is not None else None,
            rooms=tuple(rooms),
            legal=(match.legal or ()) if match is not None else (),
        )

    async def until(self, done: Callable[[], bool]) -> None:
        """Wait until something heard makes it so."""
        while not done():
            self._news.clear()
            await self._news.wait()

    # ---------------------------------------------------------------- what is heard

    async def catch_up(self) -> None:
        """Hear the welcome, the rooms and matches that it names, before anything is asked for."""
        known, welcome = self.replica, self.house.welcome
        with suppress(TimeoutError, StopAsyncIteration):
            async with asyncio.timeout(CATCH_UP_S):
                while not (
                    known.welcome is not None
                    and known.rooms.keys() >= set(welcome.rooms)
                    and known.matches.keys() >= set(welcome.matches)
                ):
                    self.hear(await anext(self.house))

    def hear(self, message: Push) -> None:
        """Learn from a message, pushed or a reply, and tell what is new in it."""
        match message:
            case RoomState():
                self._hear_room(message)
            case MatchState():
                self._hear_match(message)
            case LobbyList():
                self.replica.feed(message, self._now())
                games = self.house.welcome.games
                self.menu = lobby_menu(message, self.house.name, self.menu, games)
            case Said():
                self.replica.feed(message, self._now())
                self._tell(message.room, narrate.said(message))
            case Invited():
                self.replica.feed(message, self._now())
                self.face.tell(narrate.invited(message))
                self.face.bell()
            case Welcome():
                self.replica.feed(message, self._now())
            case Error() | Bye():
                self.face.tell(line(("error", sentence(message.text))))
            case _:
                pass
        self._news.set()
        self.face.show()

    def _hear_room(self, new: RoomState) -> None:
        old = self.replica.rooms.get(new.room)
        if old is not None and old.match != new.match and new.room == self.focus:
            self.keep()
        self.replica.feed(new, self._now())
        if self.focus is None and new.seat is not None and new.state != "closed":
            self.focus = new.room
        self._tell(new.room, *narrate.room_news(old, new, self.house.name))
        if narrate.came(old, new, self.house.name):
            self.face.bell()
        if new.state == "closed":
            if new.room == self.focus:
                self.face.tell(line(("event", f"Room {new.room} is closed.")))
            self.forget(new.room)

    def _hear_match(self, new: MatchState) -> None:
        old = self.replica.matches.get(new.match)
        if old is not None and old.position != new.position:
            self._before[new.match] = old.position
        if old is None:
            self._before = {new.match: new.position, **self._other_rooms(new.room)}
        self.replica.feed(new, self._now())
        if new.result is None:
            self.readied = None if self.readied == new.room else self.readied
        if (since := self.replica.gap(new.match)) is not None:
            self.spawn(self._fill(new.match, since))
        seat = self.replica.my_seat(new.match)
        if self.face.patient and old is not None:
            actions = narrate.action_news(self.replica.actions(new.match), old, new)
            self._tell(new.room, *actions)
        if self._begun:  # what was on before is no news
            news = narrate.match_news(old, new, seat, told=new.room == self.focus)
            self._tell(new.room, *news)
        self._call_to_turn(old, new, seat)
        if new.match == self.watched and new.result is not None:
            self.over.set()

    def _other_rooms(self, room: int) -> dict[str, str]:
        matches = self.replica.matches
        return {m: p for m, p in self._before.items() if m in matches and matches[m].room != room}

    def _call_to_turn(self, old: MatchState | None, new: MatchState, seat: int | None) -> None:
        """Ring for a person's action, not for a bot's; say so where another room is looked at."""
        if new.legal is None or seat is None or (old is not None and old.turn == new.turn):
            return
        if new.room != self.focus:
            self.face.tell(line(("offer", f"Your turn in room {new.room}: /join {new.room}")))
        elif new.seats[1 - seat].program is not None:
            return
        self.face.bell()

    async def _fill(self, match: str, since: int) -> None:
        """Fetch the actions that are missing, as after joining in the middle."""
        room = self.replica.matches[match].room
        while True:
            page = await self.house.history(room, since)
            self.replica.fill(page)
            if page.next is None or match not in self.replica.matches:
                break
            since = page.next
        self.face.show()

    def _tell(self, room: int, *lines: Line) -> None:
        if room != self.focus:
            lines = tuple(line(("dim", f"room {room}: "), *shown) for shown in lines)
        self.face.tell(*lines)

    def link_changed(self, up: bool) -> None:
        """The connection was lost, or made again."""
        text = "Back." if up else f"Lost the connection to {self.address}; trying again …"
        self.face.tell(line(("good" if up else "error", text)))
        self.face.show()

    # ---------------------------------------------------------------- where one looks

    def look_at(self, room: int) -> None:
        """Turn to a room."""
        if self.focus not in (None, room):
            self.keep()
        self.focus, self.picking, self.flip = room, None, False
        self.face.show()

    def forget(self, room: int) -> None:
        """A room is over for this person."""
        if self.focus == room:
            self.keep()
            self.focus = None
            if self._begun and not self.stay:
                self.spawn(self.to_lobby())
        self.replica.forget(room)
        if self.stay:
            self.over.set()

    async def to_lobby(self) -> None:
        """Look at the lobby, numbered anew, and keep it fresh while nothing else is looked at."""
        self.menu = Menu()
        self.hear(await self.house.lobby(follow=True))

    def keep(self) -> None:
        """Leave in the log how the match that was looked at stood at its end."""
        match = self.match
        if self._begun and match is not None and self._kept != (match.match, match.seq):
            self._kept = (match.match, match.seq)
            self.face.keep(replace(self.scene(), past=True))

    # ---------------------------------------------------------------- what is typed

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something beside; a refusal of it is told."""
        task = asyncio.create_task(self._guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._landed)
        task.add_done_callback(lambda _: work.close())  # cancelled, it may never have begun

    def _landed(self, task: asyncio.Task[None]) -> None:
        """Something done beside has ended; a bug in it ends the session, and is seen."""
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self._bug = task.exception()
            self.over.set()

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except PlyhouseError as error:
            self.refused(error)

    def refused(self, error: PlyhouseError) -> None:
        """Say why something did not happen."""
        self.face.tell(line(("error", sentence(error.text))))
        if isinstance(error, Refusal) and error.suggestion:
            self.face.tell(line(("dim", f"Free is, for instance, {error.suggestion}.")))

    async def run(self, obey: Callable[[Command], Coroutine[Any, Any, None]]) -> int:
        """Listen and obey until this person goes or the house closes; the exit code."""
        self._begun = True
        listening = asyncio.create_task(self._listen())
        working = asyncio.create_task(self._work(obey))
        reading = asyncio.create_task(self._read())
        ending = asyncio.create_task(self._end())
        mine = {listening, working, reading, ending}
        try:
            await asyncio.wait(mine, return_when=asyncio.FIRST_COMPLETED)
            for task in mine - {listening}:
                if task.done():
                    task.result()
            if listening.done():
                return self._thrown_out(listening)
            await self._farewell()
            return 0
        except asyncio.CancelledError:  # Ctrl-C
            await self._farewell()
            raise
        finally:
            mine |= self._tasks
            for task in mine:
                task.cancel()
            await asyncio.wait(mine)

    async def _end(self) -> None:
        await self.over.wait()
        if self._bug is not None:
            raise self._bug

    def go_for_now(self) -> None:
        """End soon, and leave a match that is on to be come back to: the terminal is gone."""
        self._later = True
        self.over.set()

    async def _listen(self) -> None:
        async for message in self.house:
            self.hear(message)

    def _thrown_out(self, listening: asyncio.Task[None]) -> int:
        listening.result()
        self.keep()
        reason = self.house.reason
        self.face.tell(line(("error", sentence(reason.text if reason else "the connection ended"))))
        return 1

    async def _read(self) -> None:
        """Take lines until somebody quits or there are no more."""
        async for text in self.face.typed():
            try:
                command = commands.parse(text)
            except BadCommand as error:
                self.face.tell(line(("error", sentence(str(error)))))
                continue
            if isinstance(command, Quit):
                if self.face.patient:
                    await self._queue.join()
                if self._may_quit(command):
                    return
            elif command is not None:
                self._warned = False
                self._queue.put_nowait(command)
        await self._queue.join()
        if self.stay:
            await self.over.wait()

    def _may_quit(self, command: Quit) -> bool:
        """Whether to go now; a match that would be given up is asked about once."""
        self._later = command.later
        match = self.running
        if command.later or match is None or self.seat is None or self.face.patient or self._warned:
            return True
        self._warned = True
        other = title(match.seats[1 - self.seat])
        text = f"The match against {other} is still on. The same again gives it up and ends;"
        self.face.tell(line(("offer", f"{text} /quit later keeps it to come back to.")))
        return False

    async def _work(self, obey: Callable[[Command], Coroutine[Any, Any, None]]) -> None:
        """Obey one command after the other."""
        while True:
            command = await self._queue.get()
            await self._guarded(obey(command))
            self._queue.task_done()
            self.face.show()

    async def _farewell(self) -> None:
        """Do not let anybody wait: give up the match looked at, and get up from the table.

        Unless it was left for later.
        """
        self._leaving = True
        with suppress(TimeoutError, PlyhouseError):
            async with asyncio.timeout(FAREWELL_S):
                while not self._later and not await self._got_up():
                    await self.until(lambda: self.running is not None)
        self.keep()

    async def _got_up(self) -> bool:
        """Give up what is on and get up; False where a match began meanwhile."""
        match, room = self.running, self.room
        if match is not None and self.seat is not None:
            try:
                await self.house.abort(match.match)
            except Refusal:
                await self.house.resign(match.match)
            await self.until(lambda: self.running is None)
        self.keep()
        try:
            if room is not None and room.seat is not None:
                await self.house.leave(room.room)
        except Refusal as no:
            return no.code != Code.ROOM_MATCH_ON
        return True
