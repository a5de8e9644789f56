"""Ordinary clients that sit in rooms or watch, answer at random and write down what they are shown.

They are what a bot author would write: client/connection.py resumes by itself, and a turn that is
shown again is answered again with the same action.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Sequence

from bench.support.transcript import Transcript, check_stopped
from client.connection import Backoff, Connection, Interrupted, connect
from client.replica import Replica
from games import registry
from protocol.errors import Code, PlyhouseError
from protocol.messages import Error, MatchState, Push, RoomState, Welcome
from protocol.parts import Event, Options, Player

PASSING_S = 0.1
STILL_S = 5.0  # without a message: nothing is under way any more
RETRY_S = 0.2  # until a request is sent again that could not be stored
BACKOFF = Backoff(first=0.02, longest=0.3)  # the default's five seconds would make the runs long


class Participant:
    """One client in a room: its transcript, which is only added to, and its replica."""

    def __init__(self, connection: Connection, room: int, *, sits: bool) -> None:
        self.connection = connection
        self.room = room
        self.transcript = Transcript(connection.name, sits=sits)
        self.replica = Replica(connection.name)
        self.heard_at = time.monotonic()
        self.shown_by: Welcome | None = None  # of the link that has shown the room last
        self._welcome: Welcome | None = None
        self._listening: asyncio.Task[None] | None = None

    def note(self, message: Push) -> None:
        self.heard_at = time.monotonic()
        self.replica.feed(message)
        if isinstance(message, Welcome):
            self._welcome = message
        elif isinstance(message, RoomState):
            self.shown_by = self._welcome
        if isinstance(message, MatchState):
            self.transcript.note(message)
        elif isinstance(message, RoomState):
            self.transcript.note_room(message)

    async def fill_gaps(self) -> None:
        for match in list(self.replica.matches):
            while (since := self.replica.gap(match)) is not None:
                self.replica.fill(await self.connection.history(self.room, since))

    def go_on_listening(self) -> None:
        """Write down what comes from now on, until the connection is closed."""
        if self._listening is None:
            self._listening = asyncio.create_task(self.watch())

    async def watch(self) -> None:
        async for message in self.connection:
            self.note(message)
            if isinstance(message, Error):
                self.blame(f"was told {message.text} [{message.code}]")

    def blame(self, what: str) -> None:
        self.transcript.problems.append(f"{self.transcript.name} {what}")


def lost(members: Sequence[Participant], log: Sequence[Event], until: float) -> list[str]:
    """What the members of a room were not shown, or were shown for nothing, when time was over."""
    is_still = max(member.heard_at for member in members) < until - STILL_S
    return check_stopped([member.transcript for member in members], log, is_still)


class RandomClient(Participant):
    """One who plays.  `think` is the mean of its thinking time, in seconds."""

    def __init__(self, connection: Connection, room: int, seed: int, think: float) -> None:
        super().__init__(connection, room, sits=True)
        self.seats: tuple[Player, ...] = ()
        self.passing: frozenset[str] = frozenset()  # codes after which the same is asked again
        self.first_agreed_at = 0.0
        self._agreed = -1  # how many matches were over when `ready` was last granted
        self._random = random.Random(seed)
        self._think = think
        self._choices: dict[tuple[str, int], str] = {}

    async def play(self, matches: int) -> None:
        """Play until `matches` matches are over."""
        await self._agree()
        async for message in self.connection:
            self.note(message)
            if isinstance(message, MatchState):
                self.seats = message.seats
                if len(self.transcript.results) == matches:
                    return
                if message.legal:
                    await self._answer(message, message.legal)
            elif isinstance(message, Error):
                self.blame(f"was told {message.text} [{message.code}]")
            # After a resume the room comes before the match, the end of which may be news.
            room = self.replica.rooms.get(self.room)
            if room is not None and room.state == "waiting" and not room.ready[room.seat or 0]:
                await self._agree()
        self.blame(f"was left without a connection: {self.connection.reason}")

    async def _answer(self, state: MatchState, legal: Sequence[str]) -> None:
        turn = (state.match, state.turn)
        if turn not in self._choices:
            self._choices[turn] = self._random.choice(legal)
            await asyncio.sleep(self._random.expovariate(1 / self._think) if self._think else 0)
        while (no := await self._refused(state.match, state.turn, self._choices[turn])) is not None:
            if no.code == Code.SERVER_NOT_STORED and no.code not in self.passing:
                return  # it did not happen; the turn is shown again once the log works
            if no.code not in self.passing:
                self.blame(f"played {self._choices[turn]} at {turn} and got {no}")
                return
            await asyncio.sleep(PASSING_S)

    async def _refused(self, match: str, turn: int, action: str) -> PlyhouseError | None:
        try:
            await self.connection.play(match, turn, action)
        except PlyhouseError as error:
            return error
        return None

    async def _agree(self) -> None:
        """Send `ready`; if that gets lost, the room message after the next welcome shows it."""
        over = len(self.transcript.results)
        if self._agreed == over:
            return
        self.first_agreed_at = self.first_agreed_at or time.monotonic()
        try:
            await self._get_ready()
            self._agreed = over
        except Interrupted:
            return
        except PlyhouseError as error:
            if error.code in self.passing:
                await asyncio.sleep(PASSING_S)
                await self._agree()
            # The one that got lost may have happened after all, and have started the match.
            elif error.code != Code.ROOM_MATCH_ON:
                self.blame(f"was not let start: {error}")

    async def _get_ready(self) -> None:
        """Send `ready`, and again while the log is away."""
        salt = f"{self._random.getrandbits(64):016x}"
        while True:
            try:
                await self.connection.ready(self.room, salt)
                return
            except PlyhouseError as error:
                if error.code != Code.SERVER_NOT_STORED:
                    raise
            await asyncio.sleep(RETRY_S)


class PlayedRoom:
    """Two players in one room; a single one has an opponent whose transcript nobody has."""

    def __init__(
        self, number: int, players: Sequence[RandomClient], spectators: Sequence[Participant] = ()
    ) -> None:
        self.number = number
        self.players = players
        self.spectators = spectators
        self.events: list[Event] = []  # its history, as it was last read

    @property
    def members(self) -> list[Participant]:
        return [*self.players, *self.spectators]

    @property
    def transcripts(self) -> list[Transcript]:
        return [member.transcript for member in self.members]

    @property
    def plies(self) -> int:
        return max(player.transcript.plies for player in self.players)

    @property
    def matches_over(self) -> int:
        return min(len(player.transcript.results) for player in self.players)

    @property
    def over(self) -> bool:
        return any(player.transcript.results for player in self.players)

    async def play(self, matches: int) -> None:
        """Let both play until `matches` matches are over."""
        await asyncio.gather(*(player.play(matches) for player in self.players))

    async def play_until(self, done: asyncio.Event) -> float:
        """Let them play match after match; return when the last one was over."""
        await self.play(1)
        while not done.is_set():
            await self.play(self.matches_over + 1)
        return time.monotonic()

    async def history(self) -> list[Event]:
        """All events of the room, over the wire; that it is refused is a problem of who asks."""
        asker, since = self.players[0], 0
        self.events = []
        while True:
            try:
                page = await asker.connection.history(self.number, since)
            except PlyhouseError as error:
                asker.blame(f"was not given the history after seq {since}: {error}")
                return self.events
            self.events += page.events
            if page.next is None:
                return self.events
            since = page.next

    async def close(self) -> None:
        for player in self.players:
            await player.connection.close()


async def seat(address: str, game: str, options: Options, seed: int, think: float) -> PlayedRoom:
    first = await connect(address, backoff=BACKOFF)
    second = await connect(address, backoff=BACKOFF)
    room = (await first.create(game, options)).room
    await second.join(room)
    return PlayedRoom(
        room,
        (
            RandomClient(first, room, 2 * seed, think),
            RandomClient(second, room, 2 * seed + 1, think),
        ),
    )


def mean_plies(game: str, seed: int, games: int = 20) -> float:
    """How long a match between players who choose at random is, found by the rules alone."""
    rules, draw, plies = registry.game(game), random.Random(seed), 0
    for _ in range(games):
        position = rules.initial()
        while actions := position.legal_actions():
            position = position.apply(draw.choice(actions))
            plies += 1
    return plies / games
