"""A scripted server: what it knows of the bot, its one room, and what it expects to hear.

Whatever the bot asks while a script waits for something else is answered as a server would.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import msgspec

from games import registry
from games.dice import commitment
from games.game import CHANCE, END, Game, IllegalAction, NotationError, Position
from games.rng import below, seeded
from lab.doctor.wire import BotWire, WireLost
from protocol import messages
from protocol.errors import Code, ProtocolError
from protocol.messages import VERSION, Push, Request
from protocol.parts import (
    ClockOptions,
    Clocks,
    Event,
    Offer_,
    Options,
    Player,
    Result,
    Seat,
    Strength,
)

OPPONENT: Final = "ann"
TOKEN: Final = "a-token-of-the-doctor-that-nobody-else-uses"
SERVER: Final = "d0c70d0c70d0c70d"
SECRET: Final = bytes(range(32))
ANSWER_S: Final = 5.0  # for an answer that needs no thought
PLAY_S: Final = 20.0  # for a play without a clock
SHOWN: Final = 8  # actions in a match message
R = TypeVar("R", bound=Request)


class CaseFailed(Exception):
    """The bot did something else than what a case expects; both are sentences."""

    def __init__(self, expected: str, seen: str) -> None:
        super().__init__(f"expected {expected}; {seen}")
        self.expected = expected
        self.seen = seen


class NotTried(Exception):
    """A case that does not apply to this bot; the message says why."""


@dataclass
class Guest:
    """What is known of the bot under test, from its `hello`."""

    name: str = ""
    program: str = ""
    games: tuple[str, ...] = ()
    hellos: int = 0

    @property
    def player(self) -> Player:
        return Player(name=self.name, program=self.program)


@dataclass
class Script:
    """One case: a room of its own, the match in it, and the bot."""

    wire: BotWire
    guest: Guest
    room: int
    patience: float = 1.0  # what seconds are multiplied by
    extra: dict[str, Any] = field(default_factory=dict)  # fields that every message has beside
    game: Game = field(default_factory=lambda: registry.game("tic_tac_toe"))
    seat: int = 1  # the bot's
    options: Options = field(default_factory=Options)
    code: str | None = None
    state: str = "waiting"
    ready: list[bool] = field(default_factory=lambda: [False, False])
    absent: bool = False  # the opponent
    gone: bool = False  # the opponent has left the room
    invited: bool = False  # the bot
    seated: bool = False
    seq: int = 2
    number: int = 0
    turn: int = 0
    position: Position | None = None
    events: list[Event] = field(default_factory=list)
    past: list[tuple[Position, int]] = field(default_factory=list)  # before each action; its ply
    clocks: Clocks | None = None
    offers: tuple[Offer_, ...] = ()
    result: Result | None = None
    answered: dict[int, str] = field(default_factory=dict)  # turn: the action that was taken
    strays: list[messages.Play] = field(default_factory=list)  # that were not waited for
    left: bool = False
    rolls: list[int] = field(default_factory=lambda: seeded(1))

    # What the bot is told.

    async def send(self, message: Push, **more: Any) -> None:
        """Say something, with what every message of this script holds beside."""
        await self.wire.send({**msgspec.to_builtins(message), **self.extra, **more})

    async def answer(self, request: Request, message: Push | None = None) -> None:
        """Answer a request that has an `id`; `ok` unless there is more to say."""
        if request.id is not None:
            reply = message or messages.Ok(seq=self.seq)
            await self.send(msgspec.structs.replace(reply, re=request.id))

    async def refuse(self, request: Request, code: Code, text: str, **more: Any) -> None:
        error = messages.Error(code=str(code), text=text, re=request.id, **more)
        await self.send(error)

    async def welcome(self, hello: messages.Hello) -> None:
        """Let the bot in, and show it where it sits."""
        on = self.state == "playing" and self.seated
        await self.send(
            messages.Welcome(
                version=VERSION, server=SERVER, name=self.guest.name, now=1_800_000_000_000,
                token=None if hello.token else TOKEN, re=hello.id,
                games=self.guest.games or registry.names(),
                rooms=(self.room,) if self.seated else (),
                matches=(self.match,) if on else (),
            )
        )  # fmt: skip
        if self.seated:
            await self.show_room()
            if self.position is not None:
                await self.show()

    @property
    def match(self) -> str:
        return f"{self.room}.{self.number}"

    @property
    def other(self) -> Seat:
        return 0 if self.seat == 1 else 1

    def room_state(self) -> messages.RoomState:
        """The room as the bot is shown it."""
        one: Player | None = None if self.gone else Player(name=OPPONENT, absent=self.absent)
        two = self.guest.player if self.seated else None
        dice = self.game.has_chance and self.state == "waiting"
        return messages.RoomState(
            room=self.room, seq=self.seq, game=self.game.name, state=self.state, owner=OPPONENT,
            seats=(one, two) if self.seat == 1 else (two, one),
            ready=(self.ready[0], self.ready[1]), options=self.options, code=self.code,
            match=self.match if self.number else None, seat=self.seat if self.seated else None,
            commitment=commitment(SECRET) if dice else None,
        )  # fmt: skip

    async def show_room(self) -> None:
        await self.send(self.room_state())

    async def show(self) -> None:
        """Send the match, with `legal` where it is the bot's turn."""
        position = self.at()
        opponent = Player(name=OPPONENT, absent=self.absent)
        pair = (opponent, self.guest.player) if self.seat == 1 else (self.guest.player, opponent)
        asked = self.result is None and position.to_move == self.seat
        await self.send(
            messages.MatchState(
                match=self.match, room=self.room, seq=self.seq, turn=self.turn,
                game=self.game.name, ply=len(self.past), seats=pair,
                position=self.game.format_position(position),
                to_move=END if self.result is not None else position.to_move,
                events=tuple(self.events[-SHOWN:]), clocks=self.clocks, offers=self.offers,
                legal=position.legal_notation() if asked else None, result=self.result,
            )
        )  # fmt: skip

    # What the bot is expected to say.

    async def expect(
        self,
        kind: type[R],
        what: str,
        seconds: float = ANSWER_S,
        when: Callable[[R], bool] = lambda request: True,
    ) -> R:
        """Wait for a request; whatever else is asked meanwhile is answered.

        Raises:
            CaseFailed: it does not come in time, or something that is no message.
        """
        until = self.wire.now() + seconds * self.patience
        while True:
            try:
                request = await self._until(until)
            except TimeoutError:
                seen = f"nothing of it came within {seconds * self.patience:g} s"
                raise CaseFailed(what, seen) from None
            except WireLost:
                raise CaseFailed(what, "the bot ended the connection") from None
            if isinstance(request, kind) and when(request):
                return request
            await self.otherwise(request)
            if isinstance(request, messages.Resign) and kind is messages.Play:
                why = ", because its program had failed" if request.crashed else ""
                raise CaseFailed(what, f"it gave the match up{why}")

    async def _until(self, until: float) -> Request:
        """Return what the bot says next; TimeoutError at a time, however much it says."""
        left = until - self.wire.now()
        if left <= 0:
            raise TimeoutError
        return await self.receive(left)

    async def receive(self, seconds: float) -> Request:
        """Return what the bot says next; CaseFailed if that is no message."""
        try:
            return await self.wire.receive(seconds)
        except ProtocolError as error:
            raise CaseFailed("a message of the protocol", f"{error.code}: {error.text}") from None

    async def quiet(self, seconds: float, what: str = "nothing") -> list[Request]:
        """Answer whatever comes for a while, and return it."""
        until, heard = self.wire.now() + seconds * self.patience, list[Request]()
        while True:
            try:
                request = await self._until(until)
            except TimeoutError:
                return heard
            except WireLost:
                raise CaseFailed(what, "the bot ended the connection") from None
            heard.append(request)
            await self.otherwise(request)

    async def otherwise(self, request: Request) -> None:
        """Answer a request that no script waits for, as a server would."""
        match request:
            case messages.Hello():
                raise CaseFailed("one `hello` a connection", "a second one came")
            case messages.Play():
                await self._stray(request)
            case messages.Ready():
                await self.answer(request)
            case messages.Join() | messages.Watch() | messages.Create():
                await self.answer(request, self.room_state())
            case messages.Leave():
                if self.state == "playing":
                    await self.refuse(request, Code.ROOM_MATCH_ON, "a match is on: resign")
                else:
                    self.left, self.seated = True, False
                    await self.answer(request)
            case messages.Lobby():
                await self.answer(request, messages.LobbyList(rooms=(), bots=(), total=0))
            case messages.History():
                page = messages.HistoryPage(room=self.room, events=())
                await self.answer(request, page)
            case messages.Resign() if self.position is None or self.result is not None:
                await self.refuse(request, Code.MATCH_OVER, "this match is over")
            case messages.Resign():
                self.give_up("resign")
                await self.answer(request)
                await self.show()
            case _:
                await self.answer(request)

    async def _stray(self, play: messages.Play) -> None:
        if play.match == self.match and self.answered.get(play.turn) == play.action:
            await self.answer(play)  # it says the same again: that counts once
            return
        if play.match == self.match:  # else it is about a case that is over
            self.strays.append(play)
        code = Code.MATCH_STALE_TURN if self.result is None else Code.MATCH_OVER
        await self.refuse(play, code, f"turn {play.turn} is not the one to answer")

    # How a room comes to a match.

    async def sit(self, clock: ClockOptions | None = None) -> None:
        """Invite the bot, and wait until it sits and is ready."""
        self.options = Options(clock=clock, public=self.code is None)
        self.invited = True
        await self.send(
            messages.Invited(
                room=self.room, game=self.game.name, options=self.options, by=OPPONENT,
                expires_ms=10_000, code=self.code, strength=Strength(),
            )
        )  # fmt: skip
        join = await self.expect(
            messages.Join, "a `join` after `invited`", when=lambda r: r.room == self.room
        )
        if join.code != self.code:
            shown = f"`code` {self.code!r} of the invitation handed on"
            raise CaseFailed(shown, f"it was {join.code!r}")
        self.seated, self.seq = True, self.seq + 1
        await self.answer(join, self.room_state())
        ready = await self.expect(
            messages.Ready, "a `ready` after the join", when=lambda r: r.room == self.room
        )
        self._check_salt(ready.salt)
        await self.set_ready(ready)

    def _check_salt(self, salt: str | None) -> None:
        good = salt is None or (len(salt) <= 64 and not set(salt) - set("0123456789abcdefABCDEF"))
        if not good:
            raise CaseFailed("a `salt` of up to 64 hex digits, or none", f"it was {salt!r}")

    async def set_ready(self, ready: Request) -> None:
        """Take the bot's `ready`: all are shown it, and it is answered."""
        self.ready[self.seat], self.seq = True, self.seq + 1
        await self.show_room()
        await self.answer(ready)

    async def start(self, position: str | None = None) -> None:
        """Begin a match, from the start or from a position in notation."""
        game = self.game
        self.number, self.seq, self.state = self.number + 1, self.seq + 2, "playing"
        self.ready, self.turn, self.result = [False, False], self.seq, None
        self.events, self.past, self.answered, self.offers = [], [], {}, ()
        self.position = game.parse_position(position) if position else game.initial()
        self.settle()
        await self.show_room()
        await self.show()

    def at(self) -> Position:
        """The position now."""
        if self.position is None:
            raise AssertionError("a script shows a match only after its start")
        return self.position

    # How a match goes on.

    def move(self, action: int, kind: str = "play") -> None:
        """Have something played, rolled or passed."""
        position = self.at()
        text = self.game.format_action(position, action)
        self.seq += 1
        self.turn, self.offers = self.seq, ()
        self.events.append(
            Event(seq=self.seq, kind=kind, ply=len(self.past), seat=_seat(position), action=text)
        )
        self.past.append((position, self.turn))
        self.position = position.apply(action)

    def settle(self) -> None:
        """Roll dice, make forced passes, and end the match where it is over."""
        while self.result is None:
            position = self.at()
            if position.to_move == END:
                outcome = position.outcome()
                assert outcome is not None, "a game that is over has an outcome"
                self.end(outcome.returns, "rules", outcome.reason)
            elif position.to_move == CHANCE:
                chances = position.chance()
                point = below(self.rolls, sum(weight for _, weight in chances))
                for action, weight in chances:
                    point -= weight
                    if point < 0:
                        self.move(action, "roll")
                        break
            elif position.legal_notation() == ("pass",):
                self.move(position.legal_actions()[0], "pass")
            else:
                return

    def end(self, returns: tuple[float, float], how: str, reason: str) -> None:
        """End the match."""
        winner = 0 if returns[0] > returns[1] else 1 if returns[1] > returns[0] else None
        self.seq += 1
        self.result = Result(winner=winner, returns=returns, how=how, reason=reason)  # type: ignore[arg-type]
        self.state, self.offers = "waiting", ()

    def give_up(self, how: str) -> None:
        lost = (-1.0, 1.0) if self.seat == 0 else (1.0, -1.0)
        self.end(lost, how, how)

    def opponent(self) -> None:
        """The opponent plays its first legal action; dice and forced passes follow."""
        position = self.at()
        if self.result is None and position.to_move == 1 - self.seat:
            self.move(position.legal_actions()[0])
            self.settle()

    async def hear_play(self, seconds: float = PLAY_S) -> messages.Play:
        """Wait for the bot's answer to the position, which must be legal; it is not played yet."""
        position = self.at()
        what = f"a `play` of turn {self.turn} of match {self.match}"
        play = await self.expect(messages.Play, what, seconds, lambda r: not self._is_old(r))
        if (play.match, play.turn) != (self.match, self.turn):
            raise CaseFailed(what, f"it was turn {play.turn} of match {play.match}")
        try:
            action = position.read(play.action)
        except (NotationError, IllegalAction) as error:
            raise CaseFailed("one of the `legal` actions", str(error)) from None
        if action not in position.legal_actions():
            raise CaseFailed("one of the `legal` actions", f"it was {play.action!r}")
        if play.note is not None and len(play.note.encode()) > 512:
            raise CaseFailed("a `note` of at most 512 bytes", f"it has {len(play.note.encode())}")
        return play

    def _is_old(self, play: messages.Play) -> bool:
        """Whether it is about a case that is over, or says once more what was taken."""
        return play.match != self.match or self.answered.get(play.turn) == play.action

    async def take(self, play: messages.Play) -> None:
        """Play what the bot has said, show it, and answer."""
        self.answered[self.turn] = play.action
        self.move(self.at().read(play.action))
        self.settle()
        await self.show()
        await self.answer(play)

    async def one_turn(self, seconds: float = PLAY_S) -> messages.Play:
        """The opponent plays if it is its turn, then the bot, as it is expected to."""
        if self.at().to_move != self.seat:
            self.opponent()
            await self.show()
        play = await self.hear_play(seconds)
        await self.take(play)
        return play

    async def play_out(self, most: int = 400) -> None:
        """Play the match to its end, or so many turns and then end it."""
        for _ in range(most):
            while self.result is None and self.at().to_move != self.seat:
                self.opponent()
                await self.show()
            if self.result is not None:
                break
            await self.take(await self.hear_play())
        if self.result is None:
            self.end((0.0, 0.0), "agreement", "draw")
            await self.show()
        await self.show_room()

    async def part(self) -> None:
        """The opponent leaves, and the room is closed: nothing of this case is left."""
        if not self.invited:
            return
        if self.result is None and self.position is not None:
            self.end((0.0, 0.0), "abort", "abort")
            await self.show()
        self.gone, self.state, self.ready, self.seq = True, "waiting", [False, False], self.seq + 1
        if self.seated:
            await self.show_room()
            await self.quiet(0.2)
        self.state, self.seq = "closed", self.seq + 1
        await self.show_room()

    # Coming back.

    async def hear_hello(self, first: bool) -> messages.Hello:
        """Hear how the bot introduces itself, and note it; at its return it must be the same."""
        what = "a `hello` as the first message"
        try:
            hello = await self.receive(ANSWER_S * self.patience)
        except TimeoutError:
            raise CaseFailed(what, "nothing came") from None
        except WireLost:
            raise CaseFailed(what, "the bot ended the connection") from None
        if not isinstance(hello, messages.Hello):
            raise CaseFailed(what, f"it was `{hello.__struct_config__.tag}`")
        if hello.version != VERSION:
            raise CaseFailed(f"`version` {VERSION}", f"it was {hello.version}")
        if hello.bot is None or not hello.bot.program or " " in hello.bot.program:
            raise CaseFailed("`bot` with a `program` without spaces", f"it was {hello.bot!r}")
        guest = self.guest
        if first:
            guest.name = hello.name or "greta"
            guest.program, guest.games = hello.bot.program, tuple(hello.bot.games)
        elif hello.token != TOKEN:
            shown = f"`name` {hello.name!r}" if hello.name else "none"
            raise CaseFailed("the `token` of `welcome` in a later `hello`", f"it was {shown}")
        elif hello.bot.program != guest.program:
            seen = f"{guest.program!r} first and {hello.bot.program!r} now"
            raise CaseFailed("the same `bot` at each `hello`", seen)
        guest.hellos += 1
        return hello

    async def back(self, seconds: float) -> None:
        """Wait until the bot has come back, and show it where it sits."""
        try:
            await self.wire.reopen(seconds * self.patience)
        except TimeoutError:
            what = "the bot to connect again"
            raise CaseFailed(what, f"it did not within {seconds * self.patience:g} s") from None
        await self.welcome(await self.hear_hello(first=False))


def _seat(position: Position) -> int:
    """Of an event: a seat, or -1 for a roll."""
    return -1 if position.to_move == CHANCE else position.to_move
