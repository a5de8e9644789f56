"""A player at another server: what the wires of all of them have in common."""

from __future__ import annotations

import http.client
import json
from abc import ABC, abstractmethod
from typing import Any, Protocol

from bench.support.wire import TIME_LIMIT, Wire, WireError


class PeerTable(Protocol):
    """The match that a seat belongs to."""

    def show(self, seat: PeerSeat, payload: bytes) -> None:
        """A message has reached `seat`."""


class PeerSeat(ABC):
    """One of the two connections of a match, and how many moves it has been shown."""

    __slots__ = ("shown", "table", "wire")

    table: PeerTable  # set by whoever plays

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.shown = 0

    def show(self, payload: bytes) -> None:
        self.table.show(self, payload)

    @abstractmethod
    def play(self, cell: int, moves: int) -> None:
        """Take a cell, 0 to 8, when `moves` have been made."""

    @abstractmethod
    def moves_in(self, payload: bytes) -> int | None:
        """How many moves a message shows; None if it is about something else.

        Raises:
            WireError: it is a refusal, or nothing that this server sends.
        """


class PeerLobby:
    """Where matches are opened at another server: over HTTP, JSON both ways, one connection."""

    def __init__(self, host: str, port: int) -> None:
        self.host = host
        self.port = port
        self._connection = http.client.HTTPConnection(host, port, timeout=TIME_LIMIT)

    def post(self, path: str, body: dict[str, object]) -> dict[str, Any]:
        """Ask.

        Raises:
            WireError: the server refuses.
        """
        kind = {"Content-Type": "application/json"}
        try:
            self._connection.request("POST", path, json.dumps(body).encode(), kind)
            answer = self._connection.getresponse()
            text = answer.read()
        except http.client.HTTPException as error:
            raise WireError(f"{path} was answered by {error!r}") from error
        if answer.status != http.client.OK:
            raise WireError(f"{path} was answered {answer.status}: {text[:200]!r}")
        reply: dict[str, Any] = json.loads(text)
        return reply

    def close(self) -> None:
        self._connection.close()
