"""A connection without a network: it records what a runner asks, and pushes what a test says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from games import registry as games
from games.game import Position
from protocol import messages
from protocol.errors import Code, Refusal
from protocol.ladder import LadderLine, Ladders, LadderState
from protocol.messages import MatchState, Push, RoomState
from protocol.parts import ClockOptions, Options, Player, Result, Strength

if TYPE_CHECKING:
    from bots.online.runner import Runner

ME, RIVAL = Player(name="house", program="mcts"), Player(name="ann")


class FakeConnection:
    """What a Runner needs of a Connection; `calls` are the requests, `refuse` what they meet."""

    runner: Runner  # whose connection it is, where a test made one

    def __init__(self) -> None:
        self.name = "house"
        self.token: str | None = None
        self.reason = None
        self.calls: list[tuple[Any, ...]] = []
        self.lines: list[LadderLine] = []
        self.ladder_state: str | None = "running"  # of any that it is asked about; None: unknown
        self.closed = False
        self.join_answer: RoomState | None = None
        self.refuse: dict[str, list[Exception]] = {}
        self.happened = asyncio.Event()
        self._queue: asyncio.Queue[Push | None] = asyncio.Queue()
        self.push(messages.Welcome(version=1, server="s", name="house", now=0))

    def push(self, *pushes: Push) -> None:
        for message in pushes:
            self._queue.put_nowait(message)

    async def until(self, verb: str, *pushes: Push, count: int = 1) -> list[tuple[Any, ...]]:
        """Push these, wait for so many calls of this verb, and return them."""
        self.push(*pushes)
        async with asyncio.timeout(60):
            while len(calls := [call for call in self.calls if call[0] == verb]) < count:
                self.happened.clear()
                await self.happened.wait()
        return calls

    async def settle(self, *pushes: Push) -> None:
        """Push these, and let everything that can happen without time passing happen."""
        self.push(*pushes)
        for _ in range(20):
            await asyncio.sleep(0)

    def verbs(self) -> list[str]:
        return [call[0] for call in self.calls]

    def _call(self, *call: Any) -> messages.Ok:
        self.calls.append(call)
        self.happened.set()
        errors = self.refuse.get(call[0])
        if errors:
            raise errors.pop(0)
        return messages.Ok(re=1)

    def __getattr__(self, verb: str) -> Callable[..., Any]:
        """Any request; of keyword arguments only the names of those that are set are recorded."""

        async def request(*arguments: Any, **switches: bool) -> messages.Ok:
            return self._call(verb, *arguments, *(name for name, on in switches.items() if on))

        return request

    async def join(self, room: int, code: str | None, level: int | None = None) -> RoomState:
        self._call("join", room, code)
        return self.join_answer or room_state(room, opponent=None)

    async def ladders(self) -> Ladders:
        self._call("ladders")
        return Ladders(ladders=tuple(self.lines))

    async def ladder_status(self, name: str) -> LadderState:
        self._call("ladder_status", name)
        if self.ladder_state is None:
            raise Refusal(Code.LADDER_UNKNOWN, f"there is no ladder called {name}")
        line = LadderLine(
            name=name, game="tic_tac_toe", format="endless", clock=ClockOptions(base_ms=1),
            state=self.ladder_state, owner="ann", at=0,  # type: ignore[arg-type]
        )  # fmt: skip
        return LadderState(ladder=line, seq=1)

    async def close(self) -> None:
        self._call("close")
        self.end()

    def end(self) -> None:
        """The connection is over."""
        self.closed = True
        self._queue.put_nowait(None)

    def __aiter__(self) -> FakeConnection:
        return self

    async def __anext__(self) -> Push:
        message = await self._queue.get()
        if message is None:
            raise StopAsyncIteration
        return message


async def eventually(condition: Callable[[], object]) -> None:
    """Wait until a worker thread has made `condition` true."""
    for _ in range(5_000):
        if condition():
            return
        await asyncio.sleep(0.002)
    raise TimeoutError


def refusal(code: Code, text: str = "no") -> Refusal:
    return Refusal(code, text)


def invited(room: int = 7, **strength: Any) -> messages.Invited:
    return messages.Invited(
        room=room, game="tic_tac_toe", options=Options(), by="ann", expires_ms=10_000,
        strength=Strength(**strength),
    )  # fmt: skip


def room_state(
    room: int = 7,
    *,
    seat: int | None = 1,
    opponent: Player | None = RIVAL,
    leg: tuple[str, int, int] | tuple[None, None, None] = (None, None, None),
    **fields: Any,
) -> RoomState:
    """A room where the bot has `seat`; `leg`: the ladder, the pair and the leg of its match."""
    usual = {"seq": 1, "state": "waiting", "game": "tic_tac_toe", "ready": (False, False)}
    return RoomState(
        room=room, owner="ann", options=Options(),
        seats=(ME, opponent) if seat == 0 else (opponent, ME), seat=seat,
        ladder=leg[0], pair=leg[1], leg=leg[2], **(usual | fields),
    )  # fmt: skip


def match_state(
    notation: str = "x2/3/3 o",
    *,
    turn: int = 2,
    match: str = "7.1",
    result: Result | None = None,
    **fields: Any,
) -> MatchState:
    """A match as the server would show it to seat 1."""
    position: Position = games.game("tic_tac_toe").parse_position(notation)
    mine = position.to_move == 1 and result is None
    return MatchState(
        match=match, room=int(match.partition(".")[0]), seq=turn, turn=turn, game="tic_tac_toe",
        ply=turn, position=notation, seats=(RIVAL, ME), events=(), result=result,
        to_move=position.to_move if result is None else -2,
        legal=position.legal_notation() if mine else None, **fields,
    )  # fmt: skip


WON = Result(winner=1, returns=(-1.0, 1.0), how="rules", reason="line")
