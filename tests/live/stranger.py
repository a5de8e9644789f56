"""A client by somebody who has read SPEC.md and its reference, and nothing else of Plyhouse.

It speaks the JSON encoding over the websockets package and imports nothing of the product: what
works here works for whoever writes a bot from that page.  A `Stranger` is one session, and outlives
its connections.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

Message = dict[str, Any]
T = TypeVar("T")

VERSION = 1
LARGEST_FRAME = 262_144
PATIENCE_S = 60.0
PAUSES_S = (0.0, 0.25, 0.5, 1.0, 2.0)
CUT = (ConnectionClosed, ConnectionError)
"""What a request raises when its connection is gone; it may have been carried out or not."""


class Refused(Exception):
    """The server said no: an `error`, or the `bye` after which one must not come back.

    `request`: the type of what it answers, if it does.
    """

    def __init__(self, error: Message, request: str = "") -> None:
        super().__init__(f"{error['code']}: {error['text']}")
        self.error = error
        self.code: str = error["code"]
        self.request = request


class Stranger:
    """One session at one server: what it has been told, and how it plays.

    `rooms` and `matches` hold the newest message of each room and match on this connection, `heard`
    every message of every connection in the order of arrival, and `farewell` the close code and
    reason once the connection is over.
    """

    def __init__(self, url: str, seed: int = 0) -> None:
        self.url = url
        self.name = ""
        self.token = ""
        self.bot: Message | None = None
        self.rooms: dict[int, Message] = {}
        self.matches: dict[str, Message] = {}
        self.heard: list[Message] = []
        self.farewell: tuple[int | None, str | None] | None = None
        self._random = random.Random(seed)
        self._ids = itertools.count(1)
        self._answers: dict[int, asyncio.Future[Message]] = {}
        self._thoughts: dict[tuple[str, int], str] = {}
        self._news = asyncio.Event()
        self._socket: ClientConnection
        self._listening: asyncio.Task[None]

    async def dial(self) -> Stranger:
        """Open a connection without a word; what an earlier one has shown is out of date."""
        self._socket = await connect(self.url, compression=None, proxy=None, max_size=LARGEST_FRAME)
        self.rooms.clear()
        self.matches.clear()
        self.farewell = None
        self._listening = asyncio.create_task(self._listen(self._socket))
        return self

    async def hello(self, name: str | None = None, bot: Message | None = None) -> Message:
        """Connect as a new session of this name, or as a guest; with `bot`, as that program."""
        await self.dial()
        self.bot = bot
        return await self.ask("hello", version=VERSION, name=name, bot=bot)

    async def resume(self) -> Message:
        """Connect as who we were; our rooms and matches follow the welcome by themselves."""
        await self.dial()
        return await self.ask("hello", version=VERSION, token=self.token, bot=self.bot)

    async def come_back(self) -> None:
        """Resume at once, then with growing pauses; never after another one has replaced us."""
        if self.heard and self.heard[-1].get("code") == "session/replaced":
            raise Refused(self.heard[-1])
        for pause in PAUSES_S:
            await asyncio.sleep(pause * self._random.uniform(0.5, 1.5))
            try:
                await self.resume()
            except CUT:
                continue
            return
        raise TimeoutError(f"nobody answers at {self.url}")

    async def cut(self) -> None:
        """Drop the connection without goodbye, as a failing network does."""
        self._socket.transport.abort()
        await self._listening

    async def close(self) -> None:
        """Close the connection as one should; the session lives on."""
        await self._socket.close()
        await self._listening

    async def send(self, frame: str | bytes) -> None:
        """Send a frame as it is, be it a message or not."""
        await self._socket.send(frame)

    @contextmanager
    def corked(self) -> Iterator[None]:
        """Hold back what is sent meanwhile, and write all of it at once."""
        transport = self._socket.transport
        frames: list[bytes] = []
        write, transport.write = transport.write, frames.append  # type: ignore[method-assign]
        try:
            yield
        finally:
            transport.write = write  # type: ignore[method-assign]
            write(b"".join(frames))

    async def ask(self, request: str, /, **fields: Any) -> Message:
        """Send a request and wait for its answer, however much other news comes before.

        Raises:
            Refused: The answer is an `error`.
            ConnectionError, ConnectionClosed: The connection ended before there was an answer.
        """
        number = next(self._ids)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        try:
            await self.send(json.dumps({"type": request, "id": number, **fields}))
            async with asyncio.timeout(PATIENCE_S):
                message = await answer
        finally:
            self._answers.pop(number, None)
        if message["type"] == "error":
            raise Refused(message, request)
        return message

    async def until(self, wanted: Callable[..., T], *details: Any) -> T:
        """Wait for the news that makes `wanted(*details)` true, and return what it returns."""
        async with asyncio.timeout(PATIENCE_S):
            while not (value := wanted(*details)):
                if self.farewell is not None:
                    raise ConnectionResetError(f"the connection ended: {self.farewell}")
                self._news.clear()
                await self._news.wait()
        return value

    async def play(self, match: str, action: str | None = None) -> Message:
        """Answer the newest position of a match, by default with a random legal action.

        The same turn gets the same answer however often it is asked: to repeat it does no harm.
        """
        message = self.matches[match]
        turn = message["turn"]
        action = (
            action or self._thoughts.get((match, turn)) or self._random.choice(message["legal"])
        )
        self._thoughts[match, turn] = action
        return await self.ask("play", match=match, turn=turn, action=action)

    async def play_out(self, match: str) -> Message:
        """Play a match to its end and return its last message, through any number of cuts."""
        answered: int | None = None
        while True:
            try:
                if self.farewell is not None:
                    answered = None
                    await self.come_back()
                message = await self.until(self._question, match, answered)
                if "result" in message:
                    return message
                await self.play(match)
                answered = message["turn"]
            except CUT:
                await self._listening

    def _question(self, match: str, answered: int | None) -> Message | None:
        """The newest message of a match if it is over, or asks what we have not answered yet."""
        message = self.matches.get(match, {})
        asks = "legal" in message and message["turn"] != answered
        return message if asks or "result" in message else None

    async def _listen(self, socket: ClientConnection) -> None:
        """Take what comes until the connection ends, then tell all who still wait for answers."""
        try:
            async for frame in socket:
                self._take(json.loads(frame))
        except ConnectionClosed:
            pass
        self.farewell = socket.close_code, socket.close_reason
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(ConnectionResetError("the connection ended"))
        self._news.set()

    def _take(self, message: Message) -> None:
        """Note a message, and hand it to the request that it answers."""
        self.heard.append(message)
        match message["type"]:
            case "welcome":
                self.name, self.token = message["name"], message.get("token", self.token)
            case "room":
                self.rooms[message["room"]] = message
            case "match":
                self.matches[message["match"]] = message
        if (answer := self._answers.get(message.get("re", -1))) and not answer.done():
            answer.set_result(message)
        self._news.set()
