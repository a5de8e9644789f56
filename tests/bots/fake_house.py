"""A house without a network: records what a runner asks, pushes what a test says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from games import registry as games
from games.game import Position
from protocol.errors import Code, Refusal
from protocol.ladder import LadderLine, Ladders
from protocol.messages import (
    Clocks,
    Invited,
    MatchState,
    Offer_,
    Ok,
    Options,
    Player,
    Push,
    Result,
    RoomState,
    Strength,
    Welcome,
)

ME, RIVAL = Player(name="house", program="mcts"), Player(name="ann")


class FakeHouse:
    """What a Runner needs of a Connection; `calls` are the requests, `refuse` what they meet."""

    def __init__(self) -> None:
        self.name = "house"
        self.token: str | None = None
        self.reason = None
        self.calls: list[tuple[Any, ...]] = []
        self.lines: list[LadderLine] = []
        self.closed = False
        self.refuse: dict[str, list[Exception]] = {}
        self.happened = asyncio.Event()
        self._queue: asyncio.Queue[Push | None] = asyncio.Queue()
        self.push(Welcome(version=1, server="s", name="house", now=0))

    def push(self, *messages: Push) -> None:
        for message in messages:
            self._queue.put_nowait(message)

    async def until(self, *verbs: str, count: int = 1) -> list[tuple[Any, ...]]:
        """Wait for so many calls of these verbs, and return them."""
        async with asyncio.timeout(10):
            while True:
                found = [call for call in self.calls if call[0] in verbs]
                if len(found) >= count:
                    return found
                self.happened.clear()
                await self.happened.wait()

    async def settle(self) -> None:
        """Let everything that can happen without time passing happen."""
        for _ in range(20):
            await asyncio.sleep(0)

    def _call(self, *call: Any) -> Ok:
        self.calls.append(call)
        self.happened.set()
        errors = self.refuse.get(call[0])
        if errors:
            raise errors.pop(0)
        return Ok(re=1)

    async def join(self, room: int | None = None, code: str | None = None) -> Ok:
        return self._call("join", room, code)

    async def watch(self, room: int | None = None, code: str | None = None) -> Ok:
        return self._call("watch", room, code)

    async def ready(self, room: int, salt: str | None = None) -> Ok:
        return self._call("ready", room, salt)

    async def leave(self, room: int) -> Ok:
        return self._call("leave", room)

    async def say(self, room: int, text: str) -> Ok:
        return self._call("say", room, text)

    async def play(self, match: str, turn: int, action: str, note: str | None = None) -> Ok:
        return self._call("play", match, turn, action, note)

    async def resign(self, match: str, crashed: bool = False) -> Ok:
        return self._call("resign", match, *(["crashed"] if crashed else []))

    async def ladder_join(
        self, ladder: str, salt: str | None = None, slots: int | None = None
    ) -> Ok:
        return self._call("ladder_join", ladder, salt, slots)

    async def ladder_leave(self, ladder: str) -> Ok:
        return self._call("ladder_leave", ladder)

    async def ladders(self) -> Ladders:
        self._call("ladders")
        return Ladders(ladders=tuple(self.lines))

    async def answer(self, match: str, kind: str, accept: bool) -> Ok:
        return self._call("answer", match, kind, accept)

    async def advise(self, ask: int, action: str, note: str | None = None) -> Ok:
        return self._call("advise", ask, action, note)

    async def report_analysis(self, ask: int, analysis: Any, error: str | None = None) -> Ok:
        return self._call("report_analysis", ask, analysis, error)

    async def close(self) -> None:
        self._call("close")
        self.end()

    def end(self) -> None:
        """The connection is over."""
        self.closed = True
        self._queue.put_nowait(None)

    def __aiter__(self) -> FakeHouse:
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


def invited(room: int = 7, game: str = "tic_tac_toe", **strength: Any) -> Invited:
    return Invited(
        room=room,
        game=game,
        options=Options(),
        by="ann",
        expires_ms=10_000,
        strength=Strength(**strength),
    )


def room_state(
    room: int = 7,
    *,
    state: str = "waiting",
    seat: int | None = 1,
    opponent: Player | None = RIVAL,
    ready: tuple[bool, bool] = (False, False),
    game: str = "tic_tac_toe",
    match: str | None = None,
    leg: tuple[str, int, int] | tuple[None, None, None] = (None, None, None),
) -> RoomState:
    seats = (ME, opponent) if seat == 0 else (opponent, ME)
    return RoomState(
        room=room,
        seq=1,
        game=game,
        state=state,
        owner="ann",
        seats=seats,
        ready=ready,
        options=Options(),
        seat=seat,
        match=match,
        ladder=leg[0],
        pair=leg[1],
        leg=leg[2],
    )


def match_state(
    notation: str = "x2/3/3 o",
    *,
    turn: int = 2,
    match: str = "7.1",
    seat: int = 1,
    game: str = "tic_tac_toe",
    clocks: Clocks | None = None,
    offers: tuple[Offer_, ...] = (),
    result: Result | None = None,
) -> MatchState:
    """A match as the server would show it to `seat`."""
    position: Position = games.game(game).parse_position(notation)
    mine = position.to_move == seat and result is None
    return MatchState(
        match=match,
        room=int(match.partition(".")[0]),
        seq=turn,
        turn=turn,
        game=game,
        ply=turn,
        position=notation,
        seats=(ME, RIVAL) if seat == 0 else (RIVAL, ME),
        to_move=position.to_move if result is None else -2,
        events=(),
        legal=position.legal_notation() if mine else None,
        clocks=clocks,
        offers=offers,
        result=result,
    )


WON = Result(winner=1, returns=(-1.0, 1.0), how="rules", reason="line")
