"""Bots in memory for the scripted server: one that behaves, and the time that it wants to see pass.

A bot takes one message of the server and returns what it says then.  Nothing waits: where a script
waits, time jumps to the next thing that a bot wants to say; a message of the server takes 1 ms.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from itertools import count
from typing import Any

import msgspec

from lab.doctor.wire import WireLost
from protocol import codec
from protocol.messages import Request

Json = dict[str, Any]
PAUSES = (0.25, 0.5, 1.0, 2.0, 4.0)  # seconds before each attempt to connect


class FirstBot:
    """Plays the first legal action, and behaves in all else."""

    games = ("tic_tac_toe", "backgammon")

    def __init__(self) -> None:
        self.ids = count(1)
        self.token: str | None = None
        self.plays: dict[str, Json] = {}
        self.asked: dict[int, Json] = {}
        self.rooms: set[int] = set()
        self.met: set[int] = set()
        self.stopped = False

    def connected(self) -> list[Json]:
        """What it says first."""
        self.asked.clear()
        login = {"token": self.token} if self.token else {"name": "greta"}
        bot = {"program": "first", "games": list(self.games)}
        return [self.ask(type="hello", version=1, bot=bot, **login)]

    def ask(self, **message: Any) -> Json:
        """A request with an id of its own."""
        number = next(self.ids)
        self.asked[number] = message
        return {**message, "id": number}

    def take(self, said: Json) -> Iterable[Json | tuple[float, Json]]:
        """What it says to a message, some of it after so many seconds."""
        kind, request = said["type"], self.asked.pop(said.get("re", 0), {})
        handler = getattr(self, f"on_{kind}", None)
        return () if handler is None else handler(said, request)

    def on_welcome(self, said: Json, request: Json) -> Iterable[Json]:
        self.token = said.get("token", self.token)
        return ()

    def on_invited(self, said: Json, request: Json) -> Iterable[Json]:
        return [self.ask(type="join", room=said["room"], code=said.get("code"))]

    def on_room(self, said: Json, request: Json) -> Iterable[Json]:
        room, me = said["room"], said.get("seat")
        if me is None or said["state"] != "waiting":
            return
        other = said["seats"][1 - me]
        if other is None and room in self.met:
            yield self.ask(type="leave", room=room)
        elif other is not None and room not in self.rooms:
            self.rooms.add(room)
            self.met.add(room)
            yield self.ask(type="ready", room=room)

    def on_match(self, said: Json, request: Json) -> Iterable[Json]:
        if not said.get("legal"):
            return
        play = self.plays.get(said["match"], {})
        if play.get("turn") != said["turn"]:
            play = {"type": "play", "match": said["match"], "turn": said["turn"],
                    "action": self.choose(said)}  # fmt: skip
            self.plays[said["match"]] = play
        if play not in self.asked.values():
            yield self.ask(**play)

    def choose(self, said: Json) -> str:
        """The action that it plays."""
        return str(said["legal"][0])

    def on_error(self, said: Json, request: Json) -> Iterable[Json | tuple[float, Json]]:
        if said.get("legal"):
            request = {**request, "action": said["legal"][0]}
            self.plays[request["match"]] = request
            yield self.ask(**request)
        elif "retry_ms" in said:
            yield said["retry_ms"] / 1_000, self.ask(**request)

    def on_bye(self, said: Json, request: Json) -> Iterable[Json]:
        self.stopped = said["code"] == "session/replaced"
        return ()

    def pauses(self) -> Iterable[float]:
        """The seconds before each attempt to connect again."""
        return () if self.stopped else PAUSES


class MemoryWire:
    """A BotWire to a bot in memory; `transcript` holds all that went over it, in order."""

    def __init__(self, bot: FirstBot) -> None:
        self.bot = bot
        self.transcript: list[Json] = []  # as tests/vectors/record_bots.py says
        self._time = 0.0
        self._waiting: list[tuple[float, int, Json]] = []  # what the bot says, and when
        self._order = count()
        self._open = False

    def now(self) -> float:
        return self._time

    async def receive(self, seconds: float) -> Request:
        if not self._open:
            raise WireLost("the bot is not connected")
        until = self._time + seconds
        if not self._waiting or self._waiting[0][0] > until:
            self._time = until
            raise TimeoutError
        at, _, message = heapq.heappop(self._waiting)
        self._time = max(self._time, at)
        self.transcript.append({"bot": message})
        return codec.decode_request(msgspec.json.encode(message), text=True)

    async def send(self, message: Json) -> None:
        if not self._open:
            raise WireLost("the bot is not connected")
        self._time += 0.001
        message = msgspec.json.decode(msgspec.json.encode(message))
        self.transcript.append({"server": message})
        self._say(self.bot.take(message))

    async def cut(self, code: int | None = None) -> None:
        self._note("cut" if code is None else f"closed {code}")
        self._open = False
        self._waiting.clear()

    async def reopen(self, seconds: float) -> None:
        if self._open or not self.bot.pauses():
            self._time += seconds
            raise TimeoutError
        self._open = True
        self._note("opened")
        self._say(self.bot.connected())

    async def turn_away(self, attempts: int, seconds: float) -> list[float]:
        pauses = list(self.bot.pauses())[:attempts]
        self._time += sum(pauses)
        if len(pauses) < attempts or sum(pauses) > seconds:
            raise TimeoutError
        for _ in pauses:
            self._note("refused")
        return pauses

    def _note(self, what: str) -> None:
        self.transcript.append({"connection": what})

    def _say(self, messages: Iterable[Json | tuple[float, Json]]) -> None:
        for each in messages:
            delay, message = each if isinstance(each, tuple) else (0.0, each)
            heapq.heappush(self._waiting, (self._time + delay, next(self._order), message))
