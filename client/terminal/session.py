"""One person at a server: messages become log lines and views, typed lines become requests.

A UserInterface (screen.py, plain.py) shows them and brings what is typed; dispatch.py has the
commands.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from client.address import origin_for_others
from client.connection import Connection
from client.replica import Replica
from client.styled_text import StyledText, styled
from client.terminal import fetching
from client.terminal.exit_codes import exit_code
from client.terminal.line import Line
from client.terminal.quitting import quitting_cost, resignation_cost
from client.terminal.shown import invitation, narrate
from client.terminal.shown.cube import is_question
from client.terminal.shown.interface import UserInterface
from client.terminal.shown.menus import Menu, lobby_menu
from client.terminal.shown.view import ViewModel
from client.terminal.typed import completion, grammar
from client.terminal.typed.commands import BadCommand, BareCommand, Quit, SessionCommand
from client.terminal.typed.completion import CompletionNames
from client.words import sentence
from protocol import messages as wire
from protocol.analysis import AnalysisWaits
from protocol.devices import DeviceNews
from protocol.errors import Code, PlyhouseError, Refusal
from protocol.hints import HintWaits
from protocol.parts import GameInfo

GOODBYE_S: Final = 2.0  # for a resignation to get through before the connection is closed
CATCH_UP_S: Final = 2.0  # for the matches that `welcome` names to be shown


class TerminalSession:
    """The state and the actions of one person at a terminal, over one connection."""

    def __init__(
        self,
        connection: Connection,
        interface: UserInterface,
        address: str,
        now: Callable[[], int],
    ) -> None:
        self.connection = connection
        self.interface = interface
        self.address = address
        self.replica = Replica(connection.name)
        self.line = Line(connection, interface, address, lambda: self.running)
        self.focus: int | None = None  # the room looked at
        self.codes: dict[int, str] = {}  # of private rooms, as typed to get in, by room
        self.menu = Menu()
        self.picking: Menu | None = None  # a question that a number answers, before the lobby's
        self.flip = False
        self.readied: int | None = None  # a room whose next match this person has agreed to
        self.answered: tuple[str, int] | None = None  # the match and turn of the last play
        self.rename: str | None = None
        self.notes = False  # whether the thoughts of bots are shown in mid-match
        self.origin = ""  # of the server's page, as others reach it
        self.asked: tuple[str, str, int] | None = None  # giving up: how, which match, at what price
        self.code: int | None = None  # that a pipe ends with, once this person wanted to play
        self.stay = False  # the session outlives its input, until what is watched ends
        self.watched: str | None = None  # a match whose end ends it
        self.over = asyncio.Event()  # set to end this session, whatever is typed
        self._now = now
        self._news = asyncio.Event()
        self._before: dict[str, str] = {}
        self._queue: asyncio.Queue[SessionCommand] = asyncio.Queue(64)  # others are not read yet
        self._tasks: set[asyncio.Task[None]] = set()
        self._logged: tuple[str, int] | None = None  # the match, and its seq, that was kept last
        self._bug: BaseException | None = None
        self._begun = self._leaving = False
        self._missing = fetching.MissingActions(connection, self.replica)
        self._drawings = fetching.DrawnBoards()
        self._agreed: int | None = None  # points that quitting may cost; None: whatever it takes
        self._later = False
        self._room_heard = 0  # when the room looked at was heard of last

    @property
    def room(self) -> wire.RoomState | None:
        return self.replica.rooms.get(self.focus) if self.focus is not None else None

    @property
    def match(self) -> wire.MatchState | None:
        """The match in the room looked at that is on, or was last."""
        return self.replica.current(self.focus) if self.focus is not None else None

    @property
    def running(self) -> wire.MatchState | None:
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
        """Return whether it is this person's turn and no action was sent yet."""
        match = self.running
        return (
            match is not None
            and match.legal is not None
            and self.answered != (match.match, match.turn)
        )

    def catalog(self) -> tuple[GameInfo, ...]:
        return self.connection.welcome.catalog

    def shows_notes(self) -> bool:
        """Return whether thoughts are shown: those of one's opponent if asked for, or after it."""
        return self.notes or self.running is None or self.seat is None

    async def find_origin(self) -> None:
        """Find out by which address others reach the server's page."""
        if not self.origin:
            self.origin = await origin_for_others(self.address)

    def view(self, typed: str = "") -> ViewModel:
        """Return what to draw; `typed`: the text at the prompt."""
        match = self.match
        left = begin = None
        if match is not None and match.clocks is not None:
            now = self._now()
            begin = self.replica.to_begin(match.match, now)
            zero, one = (self.replica.time_left(match.match, seat, now) for seat in (0, 1))
            left = (zero or 0, one or 0)
        return ViewModel(
            me=self.connection.name,
            address=self.address,
            linked=self.connection.linked,
            room=self.room,
            match=match,
            seat=self.seat,
            events=self.replica.actions(match.match) if match is not None else (),
            left=left,
            begin=begin,
            before=self._before.get(match.match) if match is not None else None,
            flip=self.flip,
            menu=self.picking or self.menu,
            typed=typed,
            past=self._leaving,
            notes=self.shows_notes(),
            catalog=self.catalog(),
            waits_for_drawing=match is not None and self._drawings.lacks(match),
            drawing=self._drawings.of(match) if match is not None else None,
            room_ms=self._now() - self._room_heard,
            invitation=invitation.invitation(self.room, self.origin) if match is None else None,
        )

    def completion_names(self) -> CompletionNames:
        welcome, lobby = self.connection.welcome, self.replica.lobby
        return completion.names_of(welcome, lobby, self.room, self.running)

    async def until(self, done: Callable[[], bool]) -> None:
        """Wait until something heard makes it so."""
        while not done():
            self._news.clear()
            await self._news.wait()

    async def catch_up(self) -> None:
        """Hear the welcome, the rooms and matches that it names, before anything is asked for."""
        replica, welcome = self.replica, self.connection.welcome
        with suppress(TimeoutError, StopAsyncIteration):
            async with asyncio.timeout(CATCH_UP_S):
                while not (
                    replica.welcome is not None
                    and replica.rooms.keys() >= set(welcome.rooms)
                    and replica.matches.keys() >= set(welcome.matches)
                ):
                    self.hear(await anext(self.connection))

    def hear(self, message: wire.Push) -> None:
        """Learn from a message, pushed or a reply, and tell what is new in it."""
        match message:
            case wire.RoomState():
                self._hear_room(message)
            case wire.MatchState():
                self._hear_match(message)
            case wire.LobbyList() | wire.LobbyChanged():
                self.replica.feed(message, self._now())
                if (lobby := self.replica.lobby) is not None:
                    me, games = self.connection.name, self.connection.welcome.games
                    self.menu = lobby_menu(lobby, me, self.menu, games, self.catalog())
            case wire.Said():
                self.replica.feed(message, self._now())
                self._tell(message.room, narrate.said(message))
            case wire.Invited():
                self.replica.feed(message, self._now())
                self.interface.tell(narrate.invited(message, self.catalog()))
                self.interface.bell()
            case wire.Notice():
                self.interface.tell(styled(("offer", f"The host says: {message.text}")))
                self.interface.bell()
            case DeviceNews():
                self.interface.tell(styled(("offer", narrate.device_news(message))))
                self.interface.bell()
            case AnalysisWaits() | HintWaits():
                self.interface.tell(styled(("dim", narrate.waits(message))))
            case wire.Declined():
                self.replica.feed(message, self._now())
                self.interface.tell(styled(("error", narrate.declined(message))))
            case wire.Welcome():
                self._hear_welcome(message)
            case wire.Error() | wire.Bye():
                self.interface.tell(styled(("error", sentence(message.text))))
            case _:
                pass
        self._news.set()
        self.interface.show()

    def _hear_welcome(self, welcome: wire.Welcome) -> None:
        """Leave the rooms behind that were lost while there was no connection."""
        before = list(self.replica.rooms)
        self.replica.feed(welcome, self._now())
        for room in before:
            if room not in self.replica.rooms:
                self.interface.tell(styled(("event", f"You are no longer in room {room}.")))
                self.forget(room)

    def _hear_room(self, new: wire.RoomState) -> None:
        old = self.replica.rooms.get(new.room)
        if old is not None and old.match != new.match and new.room == self.focus:
            self.keep()
        self.replica.feed(new, self._now())
        if new.room == self.focus:
            self._room_heard = self._now()
        if self.focus is None and new.seat is not None and new.state != "closed":
            self.focus = new.room
        self._tell(new.room, *narrate.room_news(old, new, self.connection.name))
        if narrate.came(old, new, self.connection.name):
            self.interface.bell()
        if new.state == "closed":
            if new.room == self.focus:
                self.interface.tell(styled(("event", f"Room {new.room} is closed.")))
            self.forget(new.room)

    def _hear_match(self, new: wire.MatchState) -> None:
        old = self.replica.matches.get(new.match)
        if old is not None and old.position != new.position:
            self._before[new.match] = old.position
        if old is None:
            known, before = self.replica.matches, self._before.items()
            others = {m: p for m, p in before if known.get(m, new).room != new.room}
            self._before = {new.match: new.position, **others}
        self.replica.feed(new, self._now())
        if new.result is None:
            self.readied = None if self.readied == new.room else self.readied
        if self._missing.of(new.match):
            self.spawn(self._missing.fetch(new.match, self.interface.show))
        if self._drawings.lacks(new):
            self.spawn(self._drawings.fetch(self.connection, new, self.interface.show))
        seat = self.replica.my_seat(new.match)
        if self.interface.patient and old is not None:
            course = self.replica.actions(new.match)
            notes = self.shows_notes()
            self._tell(new.room, *narrate.action_news(course, old, new, notes, self.catalog()))
        if self._begun:  # what was on before is no news
            news = narrate.match_news(old, new, seat, new.room == self.focus, self.catalog())
            self._tell(new.room, *news)
        if seat is not None:
            self.code = exit_code(new.result, seat, new.series)
        self._call_to_turn(old, new, seat)
        if new.match == self.watched and new.result is not None:
            self.over.set()

    def _call_to_turn(
        self, old: wire.MatchState | None, new: wire.MatchState, seat: int | None
    ) -> None:
        """Ring for a person's action, not for a bot's; say so where another room is looked at."""
        if new.legal is None or seat is None or (old is not None and old.turn == new.turn):
            return
        if new.room != self.focus:
            text = f"Your turn in room {new.room}: /join {new.room}"
            self.interface.tell(styled(("offer", text)))
        elif new.seats[1 - seat].program is not None and not is_question(new):
            return
        self.interface.bell()

    def _tell(self, room: int, *lines: StyledText) -> None:
        if room != self.focus:
            lines = tuple(styled(("dim", f"room {room}: "), *line) for line in lines)
        self.interface.tell(*lines)

    def look_at(self, room: int) -> None:
        if self.focus not in (None, room):
            self.keep()
        self.focus, self.picking, self.flip = room, None, False
        self.interface.show()

    def forget(self, room: int) -> None:
        """Drop a room that this person is done with."""
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
        self.hear(await self.connection.lobby(follow="changes"))

    def keep(self) -> None:
        """Copy the last view of the match into the log."""
        match = self.match
        if self._begun and match is not None and self._logged != (match.match, match.seq):
            self._logged = (match.match, match.seq)
            self.interface.keep(replace(self.view(), past=True))

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run `work` beside the session; show a refusal of it."""
        task = asyncio.create_task(self._guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._spawned_ended)
        task.add_done_callback(lambda _: work.close())  # cancelled, it may never have begun

    def _spawned_ended(self, task: asyncio.Task[None]) -> None:
        """Spawned work has ended; a bug in it ends the session and is raised there."""
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
        self.interface.tell(styled(("error", sentence(error.text))))
        if isinstance(error, Refusal) and error.suggestion:
            self.interface.tell(styled(("dim", f"The name {error.suggestion} is free.")))

    async def run(self, dispatch: Callable[[SessionCommand], Coroutine[Any, Any, None]]) -> int:
        """Take messages and commands until either side ends it; return the exit code."""
        self._begun = True
        listening = asyncio.create_task(self._listen())
        working = asyncio.create_task(self._work(dispatch))
        reading = asyncio.create_task(self._read())
        ending = asyncio.create_task(self._end())
        watching = asyncio.create_task(self.line.watch())
        mine = {listening, working, reading, ending, watching}
        try:
            await asyncio.wait(mine, return_when=asyncio.FIRST_COMPLETED)
            for task in mine - {listening}:
                if task.done():
                    task.result()
            if listening.done():
                return self._ended_by_server(listening)
            await self._say_goodbye()
            return (self.code or 0) if self.interface.patient else 0
        except asyncio.CancelledError:  # Ctrl-C in a pipe, where no price was shown
            self._agreed = 0
            await self._say_goodbye()
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
        """End soon without giving up a match: the terminal is gone."""
        self._later = True
        self.over.set()

    async def _listen(self) -> None:
        async for message in self.connection:
            self.hear(message)

    def _ended_by_server(self, listening: asyncio.Task[None]) -> int:
        listening.result()
        self.keep()
        reason = self.connection.reason
        text = reason.text if reason else "the connection ended"
        self.interface.tell(styled(("error", sentence(text))))
        return 1

    async def _read(self) -> None:
        """Read lines until the person quits or the input ends."""
        async for text in self.interface.typed():
            try:
                command = grammar.parse(text)
            except BadCommand as error:
                self.interface.tell(styled(("error", sentence(str(error)))))
                continue
            if isinstance(command, Quit):
                if self.interface.patient:
                    await self._queue.join()
                if self._may_quit(command):
                    return
            elif command == BareCommand("takeback") and self.line.take_back():
                continue  # what comes behind it in the queue waits for the play itself
            elif command is not None:
                if not grammar.is_resigning(command):
                    self.asked = None
                await self._queue.put(command)
        await self._queue.join()
        if self.stay:
            await self.over.wait()

    def _may_quit(self, command: Quit) -> bool:
        """Return whether to quit now; where a match would be given up, ask once, with the price."""
        self._later = command.later
        match = self.running
        course = self.replica.actions(match.match) if match is not None else ()
        cost = quitting_cost(self.room, match, self.seat, course)
        if command.later or cost is None or self.interface.patient:
            return True
        if self.agreed("quit", cost.what, cost.points):
            self._agreed = cost.points
            return True
        self.interface.tell(styled(("offer", cost.text)))
        return False

    def agreed(self, how: str, match: str, price: int) -> bool:
        """Return whether this person has been told this price, or more; the next time they have."""
        told = self.asked is not None and self.asked[:2] == (how, match) and self.asked[2] >= price
        self.asked = (how, match, price)
        return told

    async def _work(self, dispatch: Callable[[SessionCommand], Coroutine[Any, Any, None]]) -> None:
        """Obey one command after the other."""
        while True:
            command = await self._queue.get()
            await self._guarded(dispatch(command))
            self._queue.task_done()
            self.interface.show()

    async def _say_goodbye(self) -> None:
        """Keep no opponent waiting: give up the match looked at, and leave the room.

        Unless it was left for later.
        """
        self._leaving = True
        with suppress(TimeoutError, PlyhouseError):
            async with asyncio.timeout(GOODBYE_S):
                while not self._later and not await self._leave_room():
                    await self.until(lambda: self.running is not None)
        self.keep()

    async def _leave_room(self) -> bool:
        """Give up the match and leave the room; False if a match began meanwhile."""
        match, room = self.running, self.room
        if match is not None and self.seat is not None:
            await self._give_up(match)
            await self.until(lambda: self.running is None)
        self.keep()
        try:
            if room is not None and room.seat is not None:
                await self.connection.leave(room.room)
        except Refusal as no:
            return no.code != Code.ROOM_MATCH_ON
        return True

    async def _give_up(self, match: wire.MatchState) -> None:
        """Abort a match, or resign it at no more than the agreed price."""
        try:
            await self.connection.abort(match.match)
        except Refusal as no:
            if no.code == Code.MATCH_OVER:
                return  # we hear of it in a moment
            price = resignation_cost(match, self.seat or 0)
            if self._agreed is not None and price > self._agreed:
                self._later = True
                text = f"Match {match.match} is still on: `plyhouse play` goes back to it."
                self.interface.tell(styled(("offer", text)))
                raise
            # Should it cost more by now, this is an offer, and the match stays.
            await self.connection.resign(match.match, points=price if match.resign else None)
