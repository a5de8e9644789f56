"""A house that answers what a test says, and a face that keeps what it is told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from client.terminal import obey
from client.terminal.commands import Command
from client.terminal.lines import Line
from client.terminal.session import Session
from client.terminal.view import Scene
from client.verbs import Verbs, answer_type
from protocol.analysis import Analysed, AnalysedTotal, MatchAnalysis
from protocol.errors import PlyhouseError
from protocol.messages import (
    Hinted,
    History,
    HistoryPage,
    Linked,
    LobbyList,
    Ok,
    Player,
    Push,
    Request,
    RoomState,
    Welcome,
)
from tests.client.terminal.scenes import ADA, MCTS, lobby, match, room, texts


class FakeHouse(Verbs):
    """Grants everything; `refuse[type]` is raised once, `answers[type]` replies.

    `asked` is every request, in order.  What is `push`ed is heard by whoever iterates.
    """

    name = "ada"
    token = "t"
    linked = True
    reason: PlyhouseError | None = None

    def __init__(self, **welcome: Any) -> None:
        games = ("connect_four", "pebbles", "tic_tac_toe")
        self.welcome = Welcome(version=1, server="s", name="ada", now=0, games=games, **welcome)
        self.asked: list[Request] = []
        self.refuse: dict[type[Request], PlyhouseError] = {}
        self.answers: dict[type[Request], Push] = {}
        self.pages: list[HistoryPage] = []  # given before answers[History]
        self._pushed: asyncio.Queue[Push | None] = asyncio.Queue()
        self.push(self.welcome)

    def push(self, *messages: Push | None) -> None:
        """Have messages heard; None: that was the last."""
        for message in messages:
            self._pushed.put_nowait(message)

    def __aiter__(self) -> FakeHouse:
        return self

    async def __anext__(self) -> Push:
        message = await self._pushed.get()
        if message is None:
            raise StopAsyncIteration
        return message

    async def request(self, request: Request) -> Push:
        self.asked.append(request)
        await asyncio.sleep(0)
        if type(request) in self.refuse:
            raise self.refuse.pop(type(request))
        if isinstance(request, History) and self.pages:
            return self.pages.pop(0)
        return self.answers.get(type(request)) or _GRANTED[answer_type(request)]

    def asked_for(self, kind: type[Request]) -> list[Any]:
        """The requests of one type."""
        return [request for request in self.asked if isinstance(request, kind)]


_GRANTED: dict[type[Push], Push] = {
    Ok: Ok(seq=1),
    RoomState: room(seats=(ADA, None)),
    LobbyList: lobby(),
    HistoryPage: HistoryPage(room=17, events=()),
    Linked: Linked(code="ABCDEF", expires_ms=120_000),
    Analysed: Analysed(
        match="17.1",
        bot="house/mcts",
        analysis=MatchAnalysis(
            game="tic_tac_toe", by="mcts", unit="value", totals=(AnalysedTotal(), AnalysedTotal())
        ),
    ),
    Hinted: Hinted(
        match="17.1", turn=4, action="5", by="house/mcts", note="mcts 9 nodes 0.10 s | x"
    ),
}


class FakeFace:
    """Keeps the log, the scenes that were kept, and the number of rings; `type` types a line."""

    def __init__(self, patient: bool = False) -> None:
        self.patient = patient
        self.log: list[Line] = []
        self.kept: list[Scene] = []
        self.rings = 0
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()

    def tell(self, *lines: Line) -> None:
        self.log += lines

    def show(self) -> None:
        pass

    def keep(self, scene: Scene) -> None:
        self.kept.append(scene)

    def bell(self) -> None:
        self.rings += 1

    def type(self, *lines: str | None) -> None:
        """Type lines; None: the end of the input."""
        for text in lines:
            self._lines.put_nowait(text)

    async def typed(self) -> AsyncIterator[str]:
        while (text := await self._lines.get()) is not None:
            yield text

    @property
    def text(self) -> str:
        """The log as one text."""
        return texts(self.log)


class Stage:
    """A session at a fake house, run in the background."""

    def __init__(self, patient: bool = False, **welcome: Any) -> None:
        self.house = FakeHouse(**welcome)
        self.face = FakeFace(patient)
        self.session = Session(self.house, self.face, "home:1", lambda: 0)  # type: ignore[arg-type]
        self.code: int | None = None
        self._run: asyncio.Task[None] | None = None

    async def begin(self, start: Command | None = None) -> None:
        """Do what the command line would, then run on."""
        await obey.begin(self.session, start)
        self._run = asyncio.create_task(self._stay())
        await self.settle()

    async def _stay(self) -> None:
        async def work(command: Command) -> None:
            await obey.obey(self.session, command)

        self.code = await self.session.run(work)

    async def settle(self) -> None:
        """Let everything happen that can."""
        for _ in range(30):
            await asyncio.sleep(0)

    async def hear(self, *messages: Push | None) -> None:
        """Push messages and wait until they are heard."""
        self.house.push(*messages)
        await self.settle()

    async def type(self, *lines: str | None) -> str:
        """Type lines and wait; what was told meanwhile."""
        told = len(self.face.log)
        self.face.type(*lines)
        await self.settle()
        return texts(self.face.log[told:])

    async def interrupt(self) -> None:
        """Press Ctrl-C where that is a signal."""
        assert self._run is not None
        self._run.cancel()
        await self.settle()

    async def ended(self) -> None:
        """Wait for its end, and raise what it ended with."""
        assert self._run is not None
        await self._run

    async def end(self) -> None:
        """Stop whatever still runs, without the goodbye that this house would never answer."""
        if self._run is not None and not self._run.done():
            self.house.push(None)
            await asyncio.wait({self._run})


async def playing(
    stage: Stage, actions: str = "", seats: tuple[Player, Player] = (ADA, MCTS)
) -> None:
    """Sit at X in a match of tic-tac-toe."""
    await stage.begin()
    await stage.hear(
        room("tic_tac_toe", seats=seats, state="playing", match="17.1"),
        match("tic_tac_toe", actions, seats=seats),
    )
