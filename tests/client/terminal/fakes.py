"""A connection that answers what a test says, and an interface that keeps what it is told."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator
from typing import Any

from client.presence import LineGap
from client.styled_text import StyledText
from client.terminal import dispatch
from client.terminal.session import TerminalSession
from client.terminal.shown.view import ViewModel
from client.terminal.typed.commands import Command
from client.verbs import Verbs, answer_type
from protocol import messages, parts
from protocol.analysis import Analysed, AnalysedTotal, MatchAnalysis
from protocol.errors import PlyhouseError
from protocol.hints import Hinted
from tests.client.terminal.states import ADA, MCTS, lobby, match, room, texts


class Paper(io.StringIO):
    """Keeps what is written, and says when something was."""

    def __init__(self) -> None:
        super().__init__()
        self._written = asyncio.Event()

    def write(self, text: str) -> int:
        self._written.set()
        return super().write(text)

    async def until(self, text: str) -> str:
        """What was written once `text` was."""
        async with asyncio.timeout(60):
            while text not in self.getvalue():
                self._written.clear()
                await self._written.wait()
        return self.getvalue()


class FakeConnection(Verbs):
    """Grants everything; `refuse[type]` is raised once, `answers[type]` replies.

    `asked` is every request, in order.  What is `push`ed is heard by whoever iterates.
    """

    name = "ada"
    token = "t"
    linked = True
    outage: LineGap | None = None
    hold: asyncio.Event | None = None  # what is asked waits for it
    reason: PlyhouseError | None = None

    def __init__(self, **welcome: Any) -> None:
        games = ("connect_four", "pebbles", "tic_tac_toe")
        self.welcome = messages.Welcome(
            version=1, server="s", name="ada", now=0, games=games, **welcome
        )
        self.asked: list[messages.Request] = []
        self.refuse: dict[type[messages.Request], PlyhouseError] = {}
        self.answers: dict[type[messages.Request], messages.Push] = {}
        self.pages: list[messages.HistoryPage] = []  # given before answers[History]
        self._pushed: asyncio.Queue[messages.Push | None] = asyncio.Queue()
        self.push(self.welcome)

    def push(self, *news: messages.Push | None) -> None:
        """Have messages heard; None: that was the last."""
        for message in news:
            self._pushed.put_nowait(message)

    def __aiter__(self) -> FakeConnection:
        return self

    async def __anext__(self) -> messages.Push:
        message = await self._pushed.get()
        if message is None:
            raise StopAsyncIteration
        return message

    async def request(self, request: messages.Request) -> messages.Push:
        self.asked.append(request)
        await (self.hold.wait() if self.hold is not None else asyncio.sleep(0))
        if type(request) in self.refuse:
            raise self.refuse.pop(type(request))
        if isinstance(request, messages.History) and self.pages:
            return self.pages.pop(0)
        return self.answers.get(type(request)) or _GRANTED[answer_type(request)]

    def asked_for(self, kind: type[messages.Request]) -> list[Any]:
        """The requests of one type."""
        return [request for request in self.asked if isinstance(request, kind)]


_GRANTED: dict[type[messages.Push], messages.Push] = {
    messages.Ok: messages.Ok(seq=1),
    messages.RoomState: room(seats=(ADA, None)),
    messages.LobbyList: lobby(),
    messages.HistoryPage: messages.HistoryPage(room=17, events=()),
    messages.Linked: messages.Linked(code="ABCDEF", expires_ms=120_000),
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


class FakeInterface:
    """Keeps the log, the views that were kept, and the number of rings; `type` types a line."""

    def __init__(self, patient: bool = False) -> None:
        self.patient = patient
        self.log: list[StyledText] = []
        self.kept: list[ViewModel] = []
        self.rings = 0
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()

    def tell(self, *lines: StyledText) -> None:
        self.log += lines

    def show(self) -> None:
        pass

    def keep(self, view: ViewModel) -> None:
        self.kept.append(view)

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
    """A session at a fake server, run in the background."""

    def __init__(self, patient: bool = False, **welcome: Any) -> None:
        self.connection = FakeConnection(**welcome)
        self.interface = FakeInterface(patient)
        self.session = TerminalSession(self.connection, self.interface, "home:1", lambda: 0)  # type: ignore[arg-type]
        self.code: int | None = None
        self._run: asyncio.Task[None] | None = None

    async def begin(self, start: Command | None = None) -> None:
        """Do what the command line would, then run on."""
        await dispatch.begin(self.session, start)
        self._run = asyncio.create_task(self._stay())
        await self.settle()

    async def _stay(self) -> None:
        async def work(command: Command) -> None:
            await dispatch.dispatch(self.session, command)

        self.code = await self.session.run(work)

    async def settle(self) -> None:
        """Let everything happen that can."""
        for _ in range(30):
            await asyncio.sleep(0)

    async def hear(self, *news: messages.Push | None) -> None:
        """Push messages and wait until they are heard."""
        self.connection.push(*news)
        await self.settle()

    async def hear_of(self, *news: messages.Push | None) -> str:
        """Push messages and wait; what was told meanwhile."""
        told = len(self.interface.log)
        await self.hear(*news)
        return texts(self.interface.log[told:])

    async def type(self, *lines: str | None) -> str:
        """Type lines and wait; what was told meanwhile."""
        told = len(self.interface.log)
        self.interface.type(*lines)
        await self.settle()
        return texts(self.interface.log[told:])

    async def ended(self) -> None:
        """Wait for its end, and raise what it ended with."""
        assert self._run is not None
        await self._run

    async def end(self) -> None:
        """Stop whatever still runs, without the goodbye that a fake would never answer."""
        if self._run is not None and not self._run.done():
            self.connection.push(None)
            await asyncio.wait({self._run})


def begun(
    actions: str = "",
    seats: tuple[parts.Player, parts.Player] = (ADA, MCTS),
    number: int = 17,
) -> tuple[messages.RoomState, messages.MatchState]:
    """What is heard of a match of tic-tac-toe that has begun."""
    name = f"{number}.1"
    held = room("tic_tac_toe", seats=seats, state="playing", match=name, number=number)
    return held, match("tic_tac_toe", actions, seats=seats, name=name)


async def playing(
    stage: Stage, actions: str = "", seats: tuple[parts.Player, parts.Player] = (ADA, MCTS)
) -> None:
    """Sit at X in a match of tic-tac-toe."""
    await stage.begin()
    await stage.hear(*begun(actions, seats))
