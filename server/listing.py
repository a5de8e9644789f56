"""The list of rooms and bots that the lobby shows, and the connections that follow it.

Rooms say that something about them has changed; what their lines are is only put in form when a
list is due, at most once in `lobby_every_ms`, and encoded once for all who follow.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from protocol import codec
from protocol.messages import LobbyList
from server.config import Config
from server.core import room as rooms
from server.core.lobby import Lobby
from server.runtime import Keeper, Peer


class Listing:
    """There is one.  `now` tells the time."""

    def __init__(
        self,
        lobby: Lobby,
        config: Config,
        loop: asyncio.AbstractEventLoop,
        now: Callable[[], int],
    ) -> None:
        self.lobby = lobby
        self.config = config
        self.loop = loop
        self.now = now
        self._followers: set[Peer] = set()
        self._old: set[Keeper] = set()  # whose lines are not up to date
        self._timer: asyncio.TimerHandle | None = None

    def follow(self, peer: Peer, on: bool) -> None:
        """Send this connection every new list from now on, or no more."""
        if on:
            self._followers.add(peer)
        else:
            self._followers.discard(peer)

    def changed(self, keeper: Keeper) -> None:
        """A room's line has changed, and who follows the lobby is to know."""
        self._old.add(keeper)
        self.send_soon()

    def moved(self, keeper: Keeper) -> None:
        """A match has gone on: not worth a message, but the next list says it."""
        self._old.add(keeper)

    def remove(self, keeper: Keeper) -> None:
        """A room is no more."""
        self._old.discard(keeper)
        self.lobby.lines.pop(keeper.room.number, None)
        self.send_soon()

    def lines(self) -> LobbyList:
        """The list as it is now."""
        for keeper in self._old:
            self.lobby.lines[keeper.room.number] = rooms.line(keeper.room)
        self._old.clear()
        return self.lobby.listing(self.now())

    def send_soon(self) -> None:
        """Rooms or bots have come, gone or changed."""
        if self._followers and self._timer is None:
            self._timer = self.loop.call_later(self.config.lobby_every_ms / 1000, self._send)

    def _send(self) -> None:
        self._timer = None
        lines = self.lines()
        frames: dict[bool, bytes] = {}
        for peer in self._followers:
            frame = frames.get(peer.text)
            if frame is None:
                payload = codec.encode(lines, peer.text)
                frame = frames[peer.text] = peer.line.frame(payload, peer.text)
            peer.line.push(frame, "lobby")

    def stop(self) -> None:
        """Send no more lists."""
        if self._timer is not None:
            self._timer.cancel()
